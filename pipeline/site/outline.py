"""Order of pages from upstream's outline: ``nav`` of mkdocs, ``_toc.yml`` of a book, ``myst.yml``.

The input is the pulled outline and the names of all pages. The output is the lists of the
navigation. A list has a caption and entries. An entry is a page, an address, or a title with
entries below it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from msgspec import Struct, field

from pipeline.adapters import files
from pipeline.core.document.contents import Entry, entries, pages_in
from pipeline.core.document.outline import Item, outline_place, read_outline
from pipeline.core.execution.code_cells import text_with_contents
from pipeline.core.pin.lock import Page
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.folders import Folders
from pipeline.site.plan import Site

_NAMED = 5  # how many missing pages a finding names
# A list is [caption, rows]; a row is [title, page or address or "", rows below it]. Both are Python
# lists, because they are written as JSON.
Row = list[Any]


# Usual names of a first page, the likeliest first, in lower case. Comparisons ignore the case.
_USUAL = ("index", "intro", "introduction", "readme", "home", "welcome", "overview")


def root_page(pages: Sequence[str], configured: str = "", *, tops: Sequence[str] = ("",)) -> str:
    """Return the first page of a site: the configured one, or else the one with the likeliest name.

    Pages in outer folders come first. At the same depth, pages with a usual name come first
    (``index``), and among these the pages of the first docs folder. ``tops`` are the prefixes of
    the docs folders. If there are no pages, the result is ``index``, and Sphinx reports that it is
    missing.
    """
    # The configured page may not be on the site, for example with ``--pages``.
    if configured in pages:
        return configured
    return min(pages, key=partial(_root_rank, tops=tops), default="index")


def _root_rank(page: str, *, tops: Sequence[str]) -> tuple[bool, int, bool, int, int, str]:
    """Return a sort key that puts likelier first pages first."""
    places = enumerate(tops)
    inside = ((number, top) for number, top in places if page.startswith(top))
    number, top = next(inside, (len(tops), ""))
    *folders, name = page.removeprefix(top).lower().split("/")
    # Pages in folders that are not meant for readers come last: _static/note, .github/contributing
    is_private = any(folder.startswith(("_", ".")) for folder in folders)
    is_unusual = name not in _USUAL
    usual = len(_USUAL) if is_unusual else _USUAL.index(name)
    return is_private, len(folders), is_unusual, number, usual, page


class SiteOutline(Struct, frozen=True, kw_only=True):
    """Navigation of a site: for each page, the lists below it.

    ``root`` is the first page; empty if there is no outline. ``titles`` are titles of mkdocs pages,
    which may have no heading.
    """

    lists: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    root: str = ""
    findings: tuple[Finding, ...] = ()


def outline_of(site: Site) -> SiteOutline:
    """Return the outline of a site; an empty one if upstream's is missing or damaged.

    If the first page has a table of contents, this table defines the order. The outline then has no
    lists, only ``root``.
    """
    docs = site.lock.docs
    place = outline_place({file.path for file in site.lock.files}, docs)
    if not place:
        return SiteOutline()
    pages = tuple(page.name for page in site.lock.pages)
    data = files.read_bytes(site.paths.docs / docs.pulled_path_of(place))
    try:
        outline = _read(data, place, docs, pages, site.policy.root)
    except InputError as error:
        finding = _warning(error.where, error.what, error.hint)
        return SiteOutline(findings=(finding,))
    if _has_contents(site, outline.root):
        return SiteOutline(root=outline.root)
    return outline


@lru_cache(maxsize=4)  # called several times in a run
def _read(
    data: bytes, place: str, docs: Folders, pages: tuple[str, ...], configured: str
) -> SiteOutline:
    """Return the outline in the file at ``place`` in the repository. Raises InputError."""
    name = posixpath.basename(place)
    where = docs.shown(docs.pulled_path_of(place))
    outline = read_outline(data.decode("utf-8", "replace"), name=name, where=where)
    if outline is None:
        return SiteOutline()
    folder = posixpath.join(posixpath.dirname(place), outline.folder)
    lists = _Lists(docs=docs, pages=dict.fromkeys(pages, ""), folder=folder)
    named = lists.pages_of(Item(target=outline.root)) if outline.root else []
    root = root_page(pages, configured or next(iter(named), ""), tops=docs.prefixes)
    lists.seen.add(root)
    lists.add(root, outline.items)
    findings: list[Finding] = []
    if missing := lists.missing:
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        text = f"lists pages that do not exist: {', '.join(missing[:_NAMED])}{more}"
        hint = "The navigation leaves them out. Upstream can correct its file."
        findings.append(_warning(where, text, hint))
    return SiteOutline(
        lists=lists.found,
        titles=lists.titles if name.startswith("mkdocs") else {},
        root=root,
        findings=tuple(findings),
    )


class _Lists(Struct, kw_only=True):
    """Builder of the lists. A page is listed only once, so that the lists cannot form a cycle."""

    docs: Folders
    pages: Mapping[str, str]  # names of all pages
    folder: str  # folder in the repository; targets of items are relative to it
    found: dict[str, list[Row]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    missing: list[str] = field(default_factory=list)

    def add(self, page: str, items: Sequence[Item]) -> None:
        """Add lists to a page: one for each group of items, and one for items between groups."""
        rows: list[Row] = []
        for item in items:
            if item.items and not self.pages_of(item):
                self._list(page, "", rows)
                rows = []
                self._list(page, item.title, list(self._rows(item.items)))
            else:
                rows += self._rows([item])
        self._list(page, "", rows)

    def _list(self, page: str, caption: str, rows: list[Row]) -> None:
        if rows:
            self.found.setdefault(page, []).append([caption, rows])

    def _rows(self, items: Sequence[Item]) -> Iterator[Row]:
        """Yield the rows of items. Items below a page become lists of that page, not rows."""
        for item in items:
            pages = self.pages_of(item)
            is_address = item.target.startswith(("http://", "https://"))
            for page in pages:
                if item.title:
                    self.titles.setdefault(page, item.title)
                if page not in self.seen:
                    self.seen.add(page)
                    yield [item.title, page, []]
            if pages:
                self.add(pages[0], item.items)
            elif is_address:
                yield [item.title or item.target, item.target, []]
            elif below := list(self._rows(item.items)):
                yield [item.title or item.target, "", below]
            elif item.target:
                self.missing.append(item.target)

    def pages_of(self, item: Item) -> list[str]:
        """Return the pages that an item refers to. A pattern may refer to several, or to none."""
        target = item.target.removeprefix("/")
        if not target:
            return []
        place = posixpath.normpath(posixpath.join(self.folder, target))
        path = self.docs.path_of(place)
        if path is None:
            return []
        return pages_in("", Entry(target=path, is_pattern=item.is_pattern), self.pages)


def english_text(site: Site, page: Page) -> str:
    """Return the English text of a page, without code; empty for an unreadable page."""
    # A page may be a pair, a notebook and its Markdown; both have the same tables of contents.
    path = page.files[-1].path
    try:
        return text_with_contents(path, files.read_bytes(site.paths.docs / path))
    except InputError:
        return ""  # the stage ``split`` has reported the error


def _has_contents(site: Site, name: str) -> bool:
    """Return whether a page has a Sphinx table of contents."""
    pages = (page for page in site.lock.pages if page.name == name)
    return any(any(entries(english_text(site, page))) for page in pages)


def _warning(where: str, text: str, hint: str) -> Finding:
    return Finding(code="outline", severity=Severity.WARNING, where=where, text=text, hint=hint)
