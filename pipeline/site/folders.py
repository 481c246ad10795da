"""What a site of several docs folders has to know of them.

In go the names of pages and the folders that were pulled. Out comes where upstream's own site
begins, and which folders readers would not find: nothing in the contents leads into them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.adapters import files
from pipeline.core.document.contents import distances
from pipeline.core.execution.notebook import text_with_contents
from pipeline.core.pin.lock import Lock
from pipeline.errors import InputError
from pipeline.site.plan import Site
from pipeline.site.roots import root_page


def english_folder(lock: Lock) -> str:
    """The folder that upstream's Sphinx makes its site of, with a slash: ``docs/``.

    It has a ``conf.py``. Empty if there is only one folder, or none that has one.
    """
    paths = {file.path for file in lock.files}
    for prefix in lock.docs.prefixes:
        if f"{prefix}conf.py" in paths:
            return prefix
    return ""


def folders_to_list(site: Site, first: str) -> Mapping[str, Sequence[str]]:
    """The pages to list of each folder that nothing leads to from the page ``first``.

    A folder that has contents of its own is listed by the page that these begin on. Docs without
    any contents are listed as a whole, whatever comes of this: see ``extension.listing``.
    ``{"examples": ["examples/index"]}``
    """
    folders = site.lock.docs
    if not folders.are_several:
        return {}
    texts = _texts(site)
    reached = distances(texts, first=first, tops=folders.prefixes)
    found: dict[str, list[str]] = {}
    for prefix in folders.prefixes:
        pages = [page for page in site.names if page.startswith(prefix)]
        if pages and reached.keys().isdisjoint(pages):
            found[prefix.rstrip("/")] = _outermost(pages, texts, prefix)
    return found


def _outermost(
    pages: Sequence[str], texts: Mapping[str, str], prefix: str
) -> list[str]:
    """The page that a folder begins with, and those that it does not lead to."""
    begin = root_page(pages, tops=(prefix,))
    below = distances(texts, first=begin, tops=(prefix,))
    return [begin, *(page for page in pages if page not in below)]


def _texts(site: Site) -> dict[str, str]:
    """What the pages of the site say besides code, in English."""
    texts: dict[str, str] = {}
    names = set(site.names)
    for page in site.lock.pages:
        if page.name not in names:
            continue
        # Of a pair, both documents have the same tables of contents.
        path = page.files[-1].path
        try:
            data = files.read_bytes(site.paths.docs / path)
            texts[page.name] = text_with_contents(path, data)
        except InputError:
            texts[page.name] = ""  # split has told of it
    return texts
