"""Navigation in the sidebar, made from all tables of contents of the site.

The theme would resolve the toctrees and parse HTML again for every page, which would take half of
the build time. This module reads the toctrees once, as a tree of entries, and renders this tree for
each page.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from html import escape
from itertools import chain
from typing import Any

from msgspec import Struct
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.adapters.html.sanitizer import is_safe_address
from pipeline.site.extension.bilingual.headings import title_html
from pipeline.site.extension.navigation.english_links import (
    english_pages,
    is_english,
    local_place,
    mark_html,
)
from pipeline.site.extension.navigation.links import english_page
from pipeline.site.extension.navigation.toctree import (
    Mark,
    mark_attributes,
    marks_in_navigation,
    take_mark,
    toctrees_of,
)
from pipeline.site.extension.nodes import both_html
from pipeline.site.extension.records import Context, on_page, pages_to_write
from pipeline.site.texts import text

# If a site has more entries than this, each page shows only the branches that lead to the page.
WHOLE = 400
DEPTH = 4  # levels of the tree of entries
_CHEVRON = (
    '<summary aria-label="{}"><span class="toctree-toggle">'
    '<i class="fa-solid fa-chevron-down"></i></span></summary>'
)


class Entry(Struct, frozen=True, kw_only=True, eq=False):
    """Entry of the navigation, or a whole part of it: each toctree of the first page is a part.

    ``page`` is empty for a link to another site, which has a ``url``. An entry without ``page`` and
    ``url`` is a heading for the entries below it.
    """

    title: str  # HTML, in both languages
    page: str = ""
    url: str = ""
    is_english: bool = False  # whether the page is untranslated
    children: tuple[Entry, ...] = ()
    mark: Mark | None = None  # set if the title is a block of ``marked_on``
    marked_on: str = ""  # the page whose toctree has the title


def add_navigation(app: Sphinx, page: str, context: Context) -> None:
    """Give the templates ``jz_navigation()``, ``jz_home`` and the addresses of English pages."""
    pathto = context["pathto"]  # read now, because ``theme`` replaces it later

    @cache
    def navigation() -> str:
        """Return the navigation as HTML. Templates may call this several times, or never."""
        if page in _pages_of(app):
            return to_html(app, page, pathto, trail_of=page)
        # The pages of an API reference, often a thousand, are not in the navigation. Those in the
        # same folder that the same page lists get the same HTML: their relative links are equal.
        listing = context.get("jz_listing", page)
        known: dict[tuple[str, str], str]
        known = app.__dict__.setdefault("_jz_navigation_html", {})
        key = posixpath.dirname(page), listing if listing in _pages_of(app) else ""
        if key not in known:
            known[key] = to_html(app, page, pathto, trail_of=listing)
        return known[key]

    site, root = app.config.jz_site, app.config.root_doc
    name = english_page(site, page) if page in app.env.found_docs else ""
    url = f"{site['english_url']}{name}.html" if name and site["english_url"] else ""
    is_titled = root in app.env.titles
    home = title_html(app.env, root) if is_titled else escape(app.config.project)
    context.update(
        jz_navigation=navigation,
        jz_english=site["english_url"],
        jz_english_page=url,
        jz_repository=site["repository"],
        jz_home=home,
    )


def rewrite_navigation(app: Sphinx, env: BuildEnvironment) -> Sequence[str]:
    """Return the pages to write again: all pages if the navigation has changed."""
    return pages_to_write(env, "jz_navigation", list(map(_content_of, _parts(app))))


def _content_of(entry: Entry) -> tuple[object, ...]:
    """Return the parts of an entry that are the same on every page: all but the marks."""
    below = map(_content_of, entry.children)
    return (entry.title, entry.page, entry.url, entry.is_english, *below)


def to_html(app: Sphinx, page: str, pathto: Callable[[str], str], *, trail_of: str) -> str:
    """Return the navigation for ``page`` as HTML. ``pathto`` returns the address of a page.

    The branches on the path to the page ``trail_of`` are open.
    """
    parts, locale = _parts(app), app.config.language
    # On a large site, every page would be too large if it had all entries.
    count = len(list(_all_entries(parts))) - len(parts)
    view = _View(
        page=page,
        trail={entry for part in parts for entry in _trail(part, trail_of)},
        everything=count <= WHOLE,
        pathto=pathto,
        chevron=_CHEVRON.format(text(locale, "expand")),
        english=mark_html(locale),
    )
    pieces: list[str] = []
    for part in parts:
        if part.title:
            pieces.append(
                f'<p aria-level="2" class="caption" role="heading">{view.caption(part)}</p>'
            )
        items = "".join(map(view.item, part.children))
        pieces.append(f'<ul class="nav bd-sidenav">{items}</ul>')
    return "\n".join(pieces)


class _View(Struct, frozen=True, kw_only=True):
    """Renderer of the navigation on one page."""

    page: str
    trail: set[Entry]  # entries whose branches are open
    everything: bool  # whether to render branches that do not lead to the page
    pathto: Callable[[str], str]
    chevron: str
    english: str  # the mark of English pages

    def caption(self, part: Entry) -> str:
        """Return the caption of a part as HTML. It is marked on the page where it is a block."""
        if part.mark is None or part.marked_on != self.page:
            return f'<span class="caption-text">{part.title}</span>'
        classes = " ".join(["caption-text", *part.mark.classes])
        attributes = mark_attributes(part.mark, editable=True)
        return f'<span class="{classes}"{attributes}>{part.title}</span>'

    def item(self, entry: Entry) -> str:
        """Return an entry and the entries below it as HTML.

        An entry gets only the classes that the theme needs, because there are many entries.
        """
        is_here = entry in self.trail
        below = ""
        if entry.children and (is_here or self.everything):
            items = "".join(map(self.item, entry.children))
            details = "<details open>" if is_here else "<details>"
            below = f"{details}{self.chevron}<ul>{items}</ul></details>"
        classes = ["current", "active"] if is_here else []
        if below:
            classes.append("has-children")
        return f"<li{_class(classes)}>{self._link(entry, has_more=bool(below))}{below}</li>"

    def _link(self, entry: Entry, *, has_more: bool) -> str:
        """Return an entry as HTML, without the entries below it."""
        title, mark_classes, attributes = entry.title, list[str](), ""
        if entry.mark is not None and entry.marked_on == self.page:
            # Omit the block's link for editing (a pencil): a link cannot be inside the link of the
            # entry.
            mark_classes = entry.mark.classes
            attributes = mark_attributes(entry.mark, editable=False)
        if entry.is_english:
            title += self.english
        if not (entry.page or entry.url):
            # A heading has no address.
            return f'<a class="reference">{title}</a>'
        if not entry.page:
            classes = ["reference", "external", *mark_classes]
            return f'<a{_class(classes)} href="{escape(entry.url)}"{attributes}>{title}</a>'
        # With the class ``reference``, the theme makes room for the button that opens the branch.
        classes = ["reference", *mark_classes] if has_more else mark_classes
        if entry.page == self.page:
            attributes += ' aria-current="page"'
        address = escape(self.pathto(entry.page))
        return f'<a{_class(classes)} href="{address}"{attributes}>{title}</a>'


def _class(classes: Sequence[str]) -> str:
    """Return a class attribute with a leading space: `` class="current active"``, or nothing."""
    return f' class="{" ".join(classes)}"' if classes else ""


def _trail(entry: Entry, page: str) -> Iterator[Entry]:
    """Yield the entries on the path from ``entry`` to ``page``; none if there is no path."""
    if entry.page == page:
        yield entry
    for child in entry.children:
        below = list(_trail(child, page))
        if below:
            yield from below
            yield entry


def _all_entries(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the entries, and all below them."""
    for entry in entries:
        yield entry
        yield from _all_entries(entry.children)


@cache
def _parts(app: Sphinx) -> tuple[Entry, ...]:
    """Return the parts of the navigation."""
    root = app.config.root_doc
    return tuple(_part(app, tree, root) for tree in toctrees_of(app.env, root))


@cache
def _pages_of(app: Sphinx) -> frozenset[str]:
    """Return the pages that need a navigation of their own: they are in it, or have marks in it."""
    entries = _all_entries(_parts(app))
    return frozenset(chain.from_iterable((at.page, at.marked_on) for at in entries))


def _part(app: Sphinx, tree: addnodes.toctree, root: str) -> Entry:
    """Return the part of the navigation that a toctree of the first page gives."""
    caption, original = tree.get("caption") or "", tree.get("jz_english")
    marks = marks_in_navigation(tree)
    mark = take_mark(marks, caption)
    if not original:
        title = _words(caption, mark)
    # A caption from upstream's outline is English.
    elif original == caption:
        title = _english(caption)
    else:
        title = both_html(escape(caption), original)
    children = tuple(_entries(app, tree, marks, above=(root,)))
    return Entry(title=title, children=children, mark=mark, marked_on=root)


def _entries(
    app: Sphinx,
    tree: addnodes.toctree,
    marks: list[Mark],
    *,
    above: tuple[str, ...],
) -> Iterator[Entry]:
    """Yield the entries of a toctree. ``above`` are the pages on the path to it."""
    if "jz_rows" in tree:
        yield from _entries_of_outline(app, tree["jz_rows"], above=above)
        return
    for title, target in tree["entries"]:
        mark = take_mark(marks, title or "")
        # In Sphinx, ``self`` means the page that contains the toctree.
        page = tree["parent"] if target == "self" else target
        if page in app.env.titles:
            yield Entry(
                title=_words(title, mark) if title else title_html(app.env, page),
                page=page,
                is_english=page in english_pages(app),
                children=_children(app, page, above),
                mark=mark,
                marked_on=tree["parent"],
            )
        # Of all other targets keep safe addresses. Sphinx has already warned about missing pages.
        elif "://" in target and is_safe_address(target):
            words = _words(title or target, mark)
            yield _exit(app, words, target, mark, tree["parent"])


def _exit(app: Sphinx, title: str, target: str, mark: Mark | None, marked_on: str) -> Entry:
    """Return an entry for the address ``target``.

    If the address is that of a page on upstream's site, the entry links to our page.
    """
    place = local_place(app.env, target)
    # Leave an address with an anchor unchanged, because our entries link to whole pages only.
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
    """Yield the entries of an outline: rows ``[title, page or address or "", rows below it]``."""
    for title, target, below in rows:
        if target in app.env.titles:
            yield Entry(
                # The title in upstream's outline is English, so use the page's own title.
                title=title_html(app.env, target),
                page=target,
                is_english=target in english_pages(app),
                children=_children(app, target, above),
            )
        elif "://" in target and is_safe_address(target):
            yield _exit(app, _english(title), target, None, "")
        elif children := tuple(_entries_of_outline(app, below, above=above)):
            yield Entry(title=_english(title), children=children)


def _english(words: str) -> str:
    """Return words of upstream's outline as HTML that declares them English."""
    return f'<span lang="en">{escape(words)}</span>'


def _words(words: str, mark: Mark | None) -> str:
    """Return a caption or title of a toctree as HTML, with its English if it is a block."""
    return escape(words) if mark is None else both_html(escape(words), mark.english)


def _children(app: Sphinx, page: str, above: tuple[str, ...]) -> tuple[Entry, ...]:
    """Return the entries of all toctrees on a page; none at the maximum depth.

    ``above`` are the pages on the path to this page.
    """
    # Stop at a page that is above already: two pages may list each other, and the recursion would
    # never end.
    if page in above or len(above) >= DEPTH:
        return ()
    children: list[Entry] = []
    for tree in toctrees_of(app.env, page):
        marks = marks_in_navigation(tree)
        children += _entries(app, tree, marks, above=(*above, page))
    return tuple(children)


def setup(app: Sphinx) -> None:
    """Give the navigation to the templates, and write all pages again when it changes."""
    on_page(app, add_navigation)
    app.connect("env-updated", rewrite_navigation)
