"""What a site has besides pages: notebooks to download, pages under old names; and nothing that is out of date."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from pipeline.adapters import files
from pipeline.core.catalog.lineage import read_redirects
from pipeline.site.css import prune, union, words_in_html, words_in_script
from pipeline.site.plan import DOWNLOADS, Site
from pipeline.site.redirects import redirect_pages

_OURS = frozenset(("search", "glossary-zh", "progress"))
_SPHINX = frozenset(("_static", "_images", "_sources", "_sphinx_design_static", DOWNLOADS))

# Parts of Bootstrap that its script makes of what a page has: where no page has any, the words in the script say nothing.
_ASKED_FOR = re.compile(
    r"(?:accordion|carousel|list-group|modal|offcanvas|pagination|popover|toast)(?:-|$)"
)


def finish(site: Site, downloads: Mapping[str, bytes | None]) -> int:
    """Write what is no page of Sphinx's and remove what an earlier run left; return how many files changed. Raises WriteError."""
    pages = {file.path.rpartition(".")[0] for file in site.lock.files} | {
        page.page for page in site.pages
    }
    redirects = redirect_pages(
        {**_redirects(site), **_front(site)}, pages | _OURS, language=site.locale.replace("_", "-")
    )
    wanted = {**downloads, **{path: text.encode() for path, text in redirects.items()}}
    changed = sum(
        files.write_if_changed(site.target / path, data)
        for path, data in wanted.items()
        if data is not None
    )
    stale = [*_stale_pages(site, pages | _OURS, wanted), *_stale_downloads(site, wanted)]
    files.remove_files(stale)
    _prune_styles(site)
    return changed + len(stale)


def _redirects(site: Site) -> dict[str, str]:
    """Old page to new page, as upstream's own site has it."""
    path = site.paths.docs / "conf.py"
    return (
        read_redirects(files.read_bytes(path).decode("utf-8", "replace")) if path.is_file() else {}
    )


def _front(site: Site) -> dict[str, str]:
    """Docs without a first page of their own begin with the page that Sphinx began with."""
    names = [page.page for page in site.pages]
    return {"index": names[0]} if names and "index" not in names else {}


def _stale_pages(site: Site, pages: Collection[str], wanted: Collection[str]) -> Iterator[Path]:
    """Pages that are gone. Folders of other locales, and those that Sphinx keeps for itself, are not looked into."""
    left_out = _SPHINX | (set(site.settings.locales) - {site.locale})
    for path in site.target.rglob("*.html"):
        name = path.relative_to(site.target).as_posix()
        if (
            name.partition("/")[0] not in left_out
            and name not in wanted
            and name.removesuffix(".html") not in pages
        ):
            yield path


def _stale_downloads(site: Site, wanted: Collection[str]) -> Iterator[Path]:
    folder = site.target / DOWNLOADS
    return (
        path
        for path in folder.rglob("*.ipynb")
        if path.relative_to(site.target).as_posix() not in wanted
    )


def drop_styles(site: Site) -> None:
    """Let Sphinx put the whole style sheets there again, before it builds: ``finish`` has taken out what no page had."""
    files.remove_files(list((site.target / "_static").rglob("*.css")))


def _prune_styles(site: Site) -> None:
    """Take out of the style sheets what no page has."""
    scripts = (
        path for path in (site.target / "_static").rglob("*.js") if "mathjax" not in path.parts
    )
    told = union(words_in_script(_text(path)) for path in scripts)
    words = union(
        [*_words_of_pages(site), frozenset(word for word in told if not _ASKED_FOR.match(word))]
    )
    for path in (site.target / "_static").rglob("*.css"):
        files.write_if_changed(path, prune(_text(path), words).encode("utf-8", "replace"))


def _words_of_pages(site: Site) -> Iterator[frozenset[str]]:
    """Classes and ids of every page; those of pages that are as they were are known from the last time."""
    state = site.paths.output(site.locale) / "site-words.json"
    try:
        known = json.loads(state.read_bytes())
    except (OSError, ValueError):
        known = {}
    found = {}
    for path in sorted(site.target.rglob("*.html")):
        name = f"{path.relative_to(site.target).as_posix()} {path.stat().st_mtime_ns}"
        found[name] = known.get(name) or sorted(words_in_html(_text(path)))
        yield frozenset(found[name])
    files.write_if_changed(state, json.dumps(found).encode())


def _text(path: Path) -> str:
    return files.read_bytes(path).decode("utf-8", "replace")
