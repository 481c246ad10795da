"""Page order from upstream's own file: mkdocs' ``nav``, a book's ``_toc.yml``, or ``myst.yml``.

The input is the pulled outline and the page names. The output is lists for the navigation. Each
list has a caption and entries; an entry is a page, an address, or a title with entries below it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from pipeline.adapters import files
from pipeline.core.document.contents import Entry, entries, pages_in
from pipeline.core.document.outline import Item, outline_place, read_outline
from pipeline.core.execution.notebook import text_with_contents
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.folders import Folders
from pipeline.site.plan import Site

_NAMED = 5  # missing pages listed in a finding
# A list is [caption, rows]; a row is [title, page or address or "", rows below it]. Both go into
# JSON.
Row = list[Any]


# Usual names of a first page in any case, the likeliest first.
_USUAL = ("index", "intro", "introduction", "readme", "home", "welcome", "overview")


def root_page(
    pages: Sequence[str], configured: str = "", *, tops: Sequence[str] = ("",)
) -> str:
    """Return the first page: the configured one, otherwise the one with the likeliest name.

    Outer folders take precedence. ``tops`` are the prefixes of several docs folders; the first
    folder with such a page wins. Without any pages the result is ``index``, and Sphinx reports that
    it is missing.
    """
    # A partial site (``--pages``) may lack the configured page.
    if configured in pages:
        return configured
    return min(pages, key=partial(_root_rank, tops=tops), default="index")


def _root_rank(
    page: str, *, tops: Sequence[str]
) -> tuple[bool, int, bool, int, int, str]:
    """Return a sort key that puts likelier first pages first."""
    places = enumerate(tops)
    inside = ((number, top) for number, top in places if page.startswith(top))
    number, top = next(inside, (len(tops), ""))
    *folders, name = page.removeprefix(top).lower().split("/")
    # Folders that are not meant for readers: _static/note, .github/contributing
    is_private = any(folder.startswith(("_", ".")) for folder in folders)
    is_unusual = name not in _USUAL
    usual = len(_USUAL) if is_unusual else _USUAL.index(name)
    return is_private, len(folders), is_unusual, number, usual, page


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteOutline:
    """Navigation lists of each page. ``root`` is the first page, empty if upstream names none.

    ``titles`` are for mkdocs pages without a title of their own.
    """

    lists: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    root: str = ""
    findings: tuple[Finding, ...] = ()


def outline_of(site: Site) -> SiteOutline:
    """Return the outline of a site; an empty one if upstream has none, or a damaged one.

    If the first page has a table of contents of its own, that one defines the order.
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
        text = f"lists pages that are not there: {', '.join(missing[:_NAMED])}{more}"
        hint = (
            "The navigation leaves them out. Upstream's file has to name other pages."
        )
        findings.append(_warning(where, text, hint))
    return SiteOutline(
        lists=lists.found,
        titles=lists.titles if name.startswith("mkdocs") else {},
        root=root,
        findings=tuple(findings),
    )


@dataclass(kw_only=True)
class _Lists:
    """Builder of the lists. Each page is listed only once, so lists cannot form a cycle."""

    docs: Folders
    pages: Mapping[str, str]  # names of all pages
    folder: str  # folder in the repository that targets are relative to
    found: dict[str, list[Row]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    missing: list[str] = field(default_factory=list)

    def add(self, page: str, items: Sequence[Item]) -> None:
        """Add the lists of a page: one for each group, and one for the items between two groups."""
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
        """Yield the rows of items. Items below a page become lists of that page."""
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
        """Return the pages that an item refers to; none if they do not exist."""
        target = item.target.removeprefix("/")
        if not target:
            return []
        place = posixpath.normpath(posixpath.join(self.folder, target))
        path = self.docs.path_of(place)
        if path is None:
            return []
        return pages_in("", Entry(target=path, is_pattern=item.is_pattern), self.pages)


def _has_contents(site: Site, page: str) -> bool:
    """Return whether a page has a Sphinx table of contents."""
    for known in site.lock.pages:
        if known.name == page:
            path = known.files[-1].path
            data = files.read_bytes(site.paths.docs / path)
            try:
                return any(entries(text_with_contents(path, data)))
            except InputError:
                return False  # split has reported it
    return False


def _warning(where: str, text: str, hint: str) -> Finding:
    return Finding(
        code="outline", severity=Severity.WARNING, where=where, text=text, hint=hint
    )
