"""The navigation of the sidebar, made from the contents of the whole site at once.

The theme takes a toctree apart and parses HTML for every page, which takes half of a build. Here
the contents are read once, as a tree of entries, and become HTML for each page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.adapters.html.sanitizer import is_safe_address
from pipeline.site.extension.bilingual.headings import title_html
from pipeline.site.extension.navigation.english_links import (
    english_pages,
    is_english,
    mark_html,
    place_here,
)
from pipeline.site.extension.navigation.links import english_page
from pipeline.site.extension.navigation.toctree import (
    Mark,
    WaitingMarks,
    mark_attributes,
    marked_html,
    marks_in_navigation,
    toctrees_of,
)
from pipeline.site.extension.nodes import both_html
from pipeline.site.texts import text

WHOLE = 400  # entries; of a larger site only the branches around a page are shown
DEPTH = 4
_CHEVRON = (
    '<summary aria-label="{}"><span class="toctree-toggle">'
    '<i class="fa-solid fa-chevron-down"></i></span></summary>'
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entry:
    """A link of the navigation: ``page`` is empty if it leads out of the site.

    One that has neither ``page`` nor ``url`` is a title for those below it.
    """

    title: str  # HTML, in both languages
    page: str = ""
    url: str = ""
    is_english: bool = False  # the page is not translated yet
    children: tuple[Entry, ...] = ()
    mark: Mark | None = None  # its title is a block of the page ``marked_on``
    marked_on: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A toctree of the first page."""

    caption: str  # HTML, in both languages
    entries: tuple[Entry, ...]
    mark: Mark | None = None
    marked_on: str = ""


def add_navigation(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Give templates ``jz_navigation()`` and ``jz_home``."""

    pathto = context["pathto"]  # later it is one for the theme

    @cache
    def navigation() -> str:
        """The navigation, made once: templates ask for it several times, or not at all."""
        return to_html(_parts(app), page, pathto, locale=app.config.language)

    root = app.config.root_doc
    context["jz_english"] = app.config.jz_site["english_url"]
    context["jz_navigation"] = navigation
    name = english_page(app.config.jz_site, page) if page in app.env.found_docs else ""
    context["jz_english_page"] = (
        f"{context['jz_english']}{name}.html" if name and context["jz_english"] else ""
    )
    context["jz_repository"] = app.config.jz_site["repository"]
    context["jz_home"] = (
        title_html(app.env, root)
        if root in app.env.titles
        else escape(app.config.project)
    )


def rewrite_navigation(app: Sphinx, env: BuildEnvironment) -> Sequence[str]:
    """All pages, if the navigation is another one than in the last build: each has it."""
    known = getattr(env, "jz_navigation", None)
    now = [(part.caption, *map(_said, part.entries)) for part in _parts(app)]
    env.jz_navigation = now  # type: ignore[attr-defined]
    return sorted(env.found_docs) if known not in (None, now) else ()


def _said(entry: Entry) -> tuple[object, ...]:
    """What an entry says on every page: not where a translator can change it."""
    below = map(_said, entry.children)
    return (entry.title, entry.page, entry.url, entry.is_english, *below)


def to_html(
    parts: Sequence[Part], page: str, pathto: Callable[[str], str], *, locale: str
) -> str:
    """The navigation as it is on ``page``.

    ``pathto`` gives the way to another page.
    """
    # Branches on the way to the page are open.
    trail: set[Entry] = set()
    count = 0
    for part in parts:
        # A large site would have its whole contents on every page.
        count += _count(part.entries)
        for entry in part.entries:
            trail.update(_trail(entry, page))
    view = _View(
        page=page,
        trail=trail,
        everything=count <= WHOLE,
        pathto=pathto,
        chevron=_CHEVRON.format(text(locale, "expand")),
        english=mark_html(locale),
    )
    pieces: list[str] = []
    for part in parts:
        if part.caption:
            pieces.append(
                f'<p aria-level="2" class="caption" role="heading">{view.caption(part)}</p>'
            )
        items = "".join(map(view.item, part.entries))
        pieces.append(f'<ul class="nav bd-sidenav">{items}</ul>')
    return "\n".join(pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """The page that the navigation is made for."""

    page: str
    trail: set[Entry]  # those on the way to it
    everything: bool  # whether branches that do not lead to it are there, too
    pathto: Callable[[str], str]
    chevron: str
    english: str  # the mark of pages in English

    def caption(self, part: Part) -> str:
        """The name of a part; on the page that it is a block of, with the mark of the block."""
        if part.mark is None or part.marked_on != self.page:
            return f'<span class="caption-text">{part.caption}</span>'
        classes = " ".join(["caption-text", *part.mark.classes])
        attributes = mark_attributes(part.mark, editable=True)
        return f'<span class="{classes}"{attributes}>{part.caption}</span>'

    def item(self, entry: Entry) -> str:
        """One entry with those below it, if they are to be there.

        Its classes are those that the theme asks for, and no others: there are many entries.
        """
        is_here = entry in self.trail
        below = self._below(entry, is_open=is_here)
        classes = ["current", "active"] if is_here else []
        if below:
            classes.append("has-children")
        return f"<li{_class(classes)}>{self._link(entry, has_more=bool(below))}{below}</li>"

    def _below(self, entry: Entry, *, is_open: bool) -> str:
        """The entries below one, as a list that can be folded; empty if they are not shown."""
        is_shown = is_open or self.everything
        if not entry.children or not is_shown:
            return ""
        items = "".join(map(self.item, entry.children))
        details = "<details open>" if is_open else "<details>"
        return f"{details}{self.chevron}<ul>{items}</ul></details>"

    def _link(self, entry: Entry, *, has_more: bool) -> str:
        """An entry without those below it."""
        title, mark_classes, attributes = entry.title, list[str](), ""
        if entry.mark is not None and entry.marked_on == self.page:
            # A pencil is a link: it cannot stand in one.
            mark_classes = entry.mark.classes
            attributes = mark_attributes(entry.mark, editable=False)
        if entry.is_english:
            title += self.english
        if not (entry.page or entry.url):
            # Without an address it is none that a reader could follow.
            return f'<a class="reference">{title}</a>'
        if not entry.page:
            classes = ["reference", "external", *mark_classes]
            return f'<a{_class(classes)} href="{escape(entry.url)}"{attributes}>{title}</a>'
        # Room for the chevron.
        classes = ["reference", *mark_classes] if has_more else mark_classes
        if entry.page == self.page:
            attributes += ' aria-current="page"'
        address = escape(self.pathto(entry.page))
        return f'<a{_class(classes)} href="{address}"{attributes}>{title}</a>'


def _class(classes: Sequence[str]) -> str:
    """The attribute with its space: `` class="current active"``; empty without classes."""
    if not classes:
        return ""
    return f' class="{" ".join(classes)}"'


def _trail(entry: Entry, page: str) -> Iterator[Entry]:
    """The entries on the way to ``page`` below ``entry``, itself included.

    There are none if it is not there.
    """
    if entry.page == page:
        yield entry
    for child in entry.children:
        below = list(_trail(child, page))
        if below:
            yield from below
            yield entry


def _count(entries: Sequence[Entry]) -> int:
    """How many entries there are, with all below them."""
    return sum(1 + _count(entry.children) for entry in entries)


def _parts(app: Sphinx) -> tuple[Part, ...]:
    """The contents of the site; they are the same on every page."""
    known: tuple[Part, ...] | None = getattr(app, "_jz_navigation", None)
    if known is None:
        root = app.config.root_doc
        parts: list[Part] = []
        for tree in toctrees_of(app.env, root):
            caption = tree.get("caption") or ""
            marks = WaitingMarks(marks_in_navigation(tree))
            mark = marks.take(caption)
            entries = tuple(_entries(app, tree, marks, above=(root,)))
            parts.append(
                Part(
                    caption=_caption(tree, mark),
                    entries=entries,
                    mark=mark,
                    marked_on=root,
                )
            )
        known = tuple(parts)
        app._jz_navigation = known  # type: ignore[attr-defined]
    return known


def _entries(
    app: Sphinx,
    tree: addnodes.toctree,
    marks: WaitingMarks,
    *,
    above: tuple[str, ...],
) -> Iterator[Entry]:
    """The entries of a toctree. ``above`` are the pages that lead to it."""
    if "jz_rows" in tree:
        yield from _entries_of_outline(app, tree["jz_rows"], above=above)
        return
    env = app.env
    for title, target in tree["entries"]:
        mark = marks.take(title or "")
        # So Sphinx names the page that the toctree is on.
        page = tree["parent"] if target == "self" else target
        if page in env.titles:
            yield Entry(
                title=_words(title, mark) if title else title_html(env, page),
                page=page,
                is_english=page in english_pages(app),
                children=_children(app, page, above),
                mark=mark,
                marked_on=tree["parent"],
            )
        # What is neither is missing: Sphinx has said so.
        elif "://" in target and is_safe_address(target):
            yield _exit(
                app, _words(title or target, mark), target, mark, tree["parent"]
            )


def _exit(
    app: Sphinx, title: str, target: str, mark: Mark | None, marked_on: str
) -> Entry:
    """An entry with an address, which may be that of a page here."""
    place = place_here(app.env, target)
    # The navigation leads to pages, not into them.
    here = place.page if place and not place.anchor else ""
    return Entry(
        title=title,
        page=here,
        url=target,
        is_english=not here and is_english(app.config.jz_site, target),
        mark=mark,
        marked_on=marked_on,
    )


def _entries_of_outline(
    app: Sphinx, rows: Sequence[Sequence[Any]], *, above: tuple[str, ...]
) -> Iterator[Entry]:
    """The entries of rows ``[title, page or address or "", rows below it]``."""
    for title, target, below in rows:
        if target in app.env.titles:
            yield Entry(
                # The title of the page is in both languages; upstream's file has one.
                title=title_html(app.env, target),
                page=target,
                is_english=target in english_pages(app),
                children=_children(app, target, above),
            )
        elif "://" in target and is_safe_address(target):
            yield _exit(app, _english(title), target, None, "")
        elif children := tuple(_entries_of_outline(app, below, above=above)):
            yield Entry(title=_english(title), children=children)


def _caption(tree: addnodes.toctree, mark: Mark | None) -> str:
    """Return the name of a toctree as HTML; a name from upstream's outline is English."""
    words = tree.get("caption") or ""
    original = tree.get("jz_english")
    if not original:
        return _words(words, mark)
    return _english(words) if original == words else both_html(escape(words), original)


def _english(words: str) -> str:
    """Return words of upstream's outline as HTML."""
    return f'<span lang="en">{escape(words)}</span>'


def _words(words: str, mark: Mark | None) -> str:
    """Return a string of a toctree as HTML, with its English if it is a block."""
    return escape(words) if mark is None else marked_html(mark)


def _children(app: Sphinx, page: str, above: tuple[str, ...]) -> tuple[Entry, ...]:
    """The entries of all toctrees on a page; none where the navigation ends."""
    # Pages may list each other.
    if page in above or len(above) >= DEPTH:
        return ()
    children: list[Entry] = []
    for tree in toctrees_of(app.env, page):
        marks = WaitingMarks(marks_in_navigation(tree))
        children += _entries(app, tree, marks, above=(*above, page))
    return tuple(children)


def setup(app: Sphinx) -> None:
    """Give templates the navigation, and write all pages again when it changes."""
    app.connect("html-page-context", add_navigation)
    app.connect("env-updated", rewrite_navigation)
