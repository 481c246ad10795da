"""Site-specific configuration of Sphinx: ``site.json``, beside ``conf.py``.

If a value in ``site.json`` changes, Sphinx builds every page again. So a value that differs from
run to run belongs in the record of a page. Upstream's ``conf.py`` is parsed as data and never run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from glob import escape
from pathlib import Path
from typing import Any

from pipeline.adapters import files
from pipeline.config.settings import SitePolicy
from pipeline.core.catalog.lineage import read_redirects
from pipeline.core.document.contents import distances
from pipeline.core.document.outline import composed, pairs, text_of, value_of
from pipeline.core.pin.lock import Lock, page_path, pages_of
from pipeline.core.pin.sphinx_config import has_substitutions, sphinx_values
from pipeline.naming import group_of
from pipeline.reading import Dialect
from pipeline.site.inventories import inventories_of
from pipeline.site.names import own_pages
from pipeline.site.outline import english_text, outline_of, root_page
from pipeline.site.plan import Site


def english_folder(lock: Lock) -> str:
    """Return the docs folder that upstream's Sphinx builds, with a final slash: ``docs/``.

    This is the first docs folder with a ``conf.py``. Return an empty string if no folder has this
    file, or if the project has only one docs folder.
    """
    paths = {file.path for file in lock.files}
    folders = (top for top in lock.docs.prefixes if f"{top}conf.py" in paths)
    return next(folders, "")


def folders_to_list(site: Site, first: str) -> Mapping[str, Sequence[str]]:
    """Return the docs folders that no table of contents leads to, with the pages to list for each.

    ``{"examples": ["examples/index"]}``. Only projects with several docs folders have such folders.
    A folder is left out if the tables of contents lead from ``first`` to any of its pages. The list
    of a folder has the folder's first page, and the pages to which the toctrees of that page do not
    lead.
    """
    folders = site.lock.docs
    if not folders.has_several:
        return {}
    names = set(site.names)
    pages_here = (page for page in site.lock.pages if page.name in names)
    texts = {page.name: english_text(site, page) for page in pages_here}
    reached = distances(texts, first=first, tops=folders.prefixes)
    found: dict[str, list[str]] = {}
    for prefix in folders.prefixes:
        pages = [page for page in site.names if page.startswith(prefix)]
        if pages and reached.keys().isdisjoint(pages):
            begin = root_page(pages, tops=(prefix,))
            below = distances(texts, first=begin, tops=(prefix,))
            listed = [begin, *(page for page in pages if page not in below)]
            found[prefix.rstrip("/")] = listed
    return found


# The names that Read the Docs gives to the newest docs and to the newest release, in addresses.
_NEWEST = ("latest", "stable")


def english_places(policy: SitePolicy, lock: Lock) -> Mapping[str, Sequence[str]]:
    """Return hosts and paths of upstream's site. With them, the extension finds links to it.

    For ``https://docs.jax.dev/en/latest/``:

    - ``hosts``: ``docs.jax.dev``, and further hosts from the configuration
    - ``root``: ``/``, the address that redirects to the newest docs
    - ``base``: ``/en/``, the folder that contains all versions
    - ``paths``: ``/en/latest/``, ``/en/stable/``, ``/en/0.10.2/``: the folders of the newest
      versions and of the pinned one, because this site has their pages

    If no address is configured, all values are empty.
    """
    host, _, folders = policy.english_url.partition("://")[2].partition("/")
    if not host:
        return {"hosts": (), "root": "", "base": "", "paths": ()}
    path = f"/{folders}" if folders.endswith("/") or not folders else f"/{folders}/"
    above, _, version = path.rstrip("/").rpartition("/")
    # Names for the docs of the pinned commit: 0.10.2, v0.10.2, and the ref.
    pinned = (lock.version, lock.version and f"v{lock.version}", lock.ref)
    shown = (*_NEWEST, *dict.fromkeys(filter(None, pinned)))
    has_versions = version in shown
    return {
        "hosts": [*map(str.lower, (host, *policy.english_hosts))],
        # The root of a host with versions redirects to the newest one.
        "root": "/" if has_versions else path,
        "base": f"{above}/" if has_versions else path,
        "paths": [f"{above}/{name}/" for name in shown] if has_versions else [path],
    }


PREFIX = "copybutton_"
# Prompts of Python's console, a shell and IPython.
PROMPTS: Mapping[str, Any] = {
    "prompt_text": r">>> |\.\.\. |\$ |In \[\d*\]: | {2,5}\.\.\.: | {5,8}: ",
    "prompt_is_regexp": True,
}
_COPY_TYPES: Mapping[str, type] = {
    "prompt_text": str,
    "prompt_is_regexp": bool,
    "only_copy_prompt_lines": bool,
    "remove_prompts": bool,
    "copy_empty_lines": bool,
    "line_continuation_character": str,
    "here_doc_delimiter": str,
    "exclude": str,
}
# Matches a CSS selector of safe characters only: sphinx-copybutton inserts the selector into a
# script.
_SELECTOR = re.compile(r"[\w .#:,>+~*()=\"\[\]-]*", re.ASCII)


def copy_rules(site: Site) -> dict[str, Any]:
    """Return upstream's settings for sphinx-copybutton, or our own if it has no ``conf.py``."""
    path = site.paths.docs / f"{english_folder(site.lock)}conf.py"
    if not path.is_file():
        return {f"{PREFIX}{name}": value for name, value in PROMPTS.items()}
    return rules_in(_read_text(path))


def rules_in(code: str) -> dict[str, Any]:
    """Return the settings for sphinx-copybutton that a ``conf.py`` assigns.

    Values of the wrong type and unsafe selectors are dropped. If neither a prompt nor a selector
    remains, our own prompts are used.
    """
    values = sphinx_values(code)
    rules: dict[str, Any] = {}
    for name, kind in _COPY_TYPES.items():
        value = values.get(f"{PREFIX}{name}")
        if type(value) is kind:
            rules[name] = value
    # The pattern matches the empty string, so ``del`` is never reached without a selector.
    if not _SELECTOR.fullmatch(str(rules.get("exclude", ""))):
        del rules["exclude"]
    if not rules.get("prompt_text") and "exclude" not in rules:
        rules |= PROMPTS
    return {f"{PREFIX}{name}": value for name, value in rules.items()}


# Types of values that can be inserted as plain text; other substitutions are dropped.
_SCALARS = (str, int, float, bool)


def substitutions_of(site: Site) -> dict[str, Any] | None:
    """Return upstream's MyST substitutions (``{{ name }}``), by name.

    Return None if upstream's site does not enable substitutions.
    """
    if site.upstream.reading.dialect is not Dialect.MYST:
        return None
    folder = site.paths.docs / english_folder(site.lock)
    configuration, book = folder / "conf.py", folder / "_config.yml"
    if configuration.is_file():
        values = sphinx_values(_read_text(configuration))
        if not has_substitutions(values):
            return None
        known = values.get("myst_substitutions")
        found = known if isinstance(known, dict) else {}
        return {str(name): value for name, value in found.items() if type(value) in _SCALARS}
    if not (folder / "_toc.yml").is_file():
        return None
    # Jupyter Book always enables substitutions.
    return _of_book(_read_text(book)) if book.is_file() else {}


def _of_book(text: str) -> dict[str, Any]:
    """Return the substitutions of a ``_config.yml``; none if it cannot be read."""
    try:
        parsing = value_of(composed(text), "parse")
    except ValueError:
        return {}
    values = pairs(value_of(parsing, "myst_substitutions"))
    return {name: words for name, value in values if (words := text_of(value))}


def _read_text(path: Path) -> str:
    return files.read_bytes(path).decode("utf-8", "replace")


def configuration_of(site: Site) -> dict[str, Any]:
    """Return the values of ``site.json``, which ``extension/conf.py`` reads."""
    # All paths in the values are absolute, because Sphinx runs in another folder.
    folders = site.lock.docs
    return {
        "title": site.policy.title or site.upstream.name,
        "locale": site.locale,
        "root": first_page(site),
        "own_pages": own_pages_of(site),
        "unpublished": list(_unpublished(site)),
        "docs_root": site.lock.docs.root,
        "copying": copy_rules(site),
        "folders": folders.prefixes if folders.has_several else (),
        "english_folder": english_folder(site.lock),
        "substitutions": substitutions_of(site),
        "outline": outline_of(site).lists,
        "titles": outline_of(site).titles,
        "unlisted": folders_to_list(site, first_page(site)),
        "extensions": site.policy.extensions,
        "myst_extensions": site.policy.myst_extensions,
        "version": site.lock.version,
        "english_url": site.policy.english_url,
        "moved": moved_pages(site),
        "english": english_places(site.policy, site.lock),
        "file_url": site.source_url("{path}"),
        "issue_url": _issue_url(site),
        "issue_role": f"{group_of(site.upstream.package or site.upstream.name)}-issue",
        "url": site.policy.url,
        "releases": site.releases,
        "is_beside": site.upstream.is_beside,
        # Pages that only the pinned site builds, the relative path to the pinned site, and the
        # folder of Sphinx's state for the pinned site.
        "shared": sorted(site.shared),
        "pinned": site.pinned_folder,
        "pinned_doctrees": str(site.pinned_doctrees),
        "repository": site.policy.repository_url,
        "hero": site.policy.hero,
        "hero_code": site.policy.hero_code,
        "dialect": str(site.upstream.reading.dialect),
        "docs": str(site.paths.docs),
        "blocks": str(site.paths.blocks(site.locale)),
        "cache": str(site.paths.site_cache),
        "start": list(site.policy.start),
        "inventories": {
            inventory.name: [inventory.url, inventory.path]
            for inventory in inventories_of(site).available
        },
        # Short names of modules: {"jnp": "jax.numpy"}.
        "usual": dict(site.upstream.usual_names),
        "release": site.lock.release,
        "package": site.lock.package.lower(),
        "listings": sorted(site.upstream.reference.options) if site.upstream.reference else [],
    }


def _unpublished(site: Site) -> Iterator[str]:
    """Yield patterns for documents that upstream's site does not publish. Ours does not, either."""
    for page in pages_of(site.lock.files):
        if page.name in site.lock.unpublished:
            yield from (escape(page_path(file.path)) for file in page.files)


def first_page(site: Site) -> str:
    """Return the first page of the site, which has its table of contents."""
    named = site.policy.root or outline_of(site).root
    # ``root_page`` ignores the name if the site lacks this page, as it may with ``--pages``.
    return root_page(site.names, named, tops=site.lock.docs.prefixes)


def own_pages_of(site: Site) -> Mapping[str, str]:
    """Return the names of our own pages (search, glossary, progress), by kind.

    The names depend on all pages of the lock, not only on the pages of this run.
    """
    names = (page.name for page in site.lock.pages)
    return own_pages(names, locale=site.locale)


def moved_pages(site: Site) -> dict[str, str]:
    """Return the current page for each old page name: upstream's redirects, followed to the end."""
    redirects: dict[str, str] = {}
    for prefix in site.lock.docs.prefixes:
        configuration = site.paths.docs / f"{prefix}conf.py"
        if configuration.is_file():
            redirects |= read_redirects(_read_text(configuration), below=prefix)
    # Some readers take an address of upstream's site and replace only the host. Upstream's address
    # lacks the docs folder, so here ``guide`` must lead to ``docs/guide``.
    top = english_folder(site.lock)
    for page in (*site.names, *redirects):
        if top and page.startswith(top):
            redirects[page.removeprefix(top)] = page
    first = first_page(site)
    if first != "index":
        # If no page is named ``index``, the address ``index`` leads to the first page.
        redirects["index"] = first
    return {old: end_of(old, redirects) for old in redirects}


def end_of(page: str, redirects: Mapping[str, str]) -> str:
    """Return the page to which the redirects lead from ``page``; in a cycle, any page of it."""
    seen: set[str] = set()
    while page in redirects and page not in seen:
        seen.add(page)
        page = redirects[page]
    return page


def _issue_url(site: Site) -> str:
    """Return the address of an issue without its number; empty if upstream is not on GitHub."""
    # The project may read from a copy of the repository (JAX_DOCS_UPSTREAM), which has no issues.
    # So prefer the configured address.
    url = site.upstream.configured_url or site.upstream.url
    if not url.startswith("https://github.com/"):
        return ""
    return f"{url.removesuffix('.git')}/issues/"
