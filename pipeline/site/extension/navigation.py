"""The navigation of the sidebar, made from the table of contents of the whole site at once.

The theme's own way takes a toctree apart and parses HTML for every page: half of the time of a build.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from pipeline.site.extension.texts import text

WHOLE = 400  # entries; of a larger site only the branches around a page are shown
DEPTH = 4
_CHEVRON = '<summary aria-label="{}"><span class="toctree-toggle"><i class="fa-solid fa-chevron-down"></i></span></summary>'


class Entry(NamedTuple):
    """A link of the navigation: ``page`` is empty if it leads out of the site."""

    title: str  # HTML
    page: str
    url: str
    children: tuple[Entry, ...]


class Part(NamedTuple):
    """A toctree of the first page."""

    caption: str
    entries: tuple[Entry, ...]


def add_navigation(
    app: Sphinx, page: str, template: str, context: dict[str, Any], document: nodes.document | None
) -> None:
    """Give templates ``jz_navigation()`` and ``jz_home``. Comes before the theme, which tries every template to see what is empty."""
    found: list[str] = []

    def navigation() -> str:
        if not found:
            found.append(
                to_html(_parts(app), page, context["pathto"], text(app.config.language, "expand"))
            )
        return found[0]

    root = app.env.titles.get(app.config.root_doc)
    context["jz_text"] = lambda key: text(app.config.language, key)
    context["jz_english"] = app.config.jz_site["english_url"]
    context["jz_navigation"] = navigation
    context["jz_home"] = title_html(root) if root is not None else escape(app.config.project)


def to_html(parts: Sequence[Part], page: str, pathto: Any, expand: str) -> str:
    """The navigation as it is on ``page``. ``pathto`` gives the way to another one; ``expand`` is what the marks of branches are called."""
    view = _View(
        page,
        {name for part in parts for entry in part.entries for name in _trail(entry, page)},
        pathto,
        _CHEVRON.format(expand),
    )
    everything = sum(_count(part.entries) for part in parts) <= WHOLE
    found = []
    for part in parts:
        if part.caption:
            found.append(
                f'<p aria-level="2" class="caption" role="heading"><span class="caption-text">{escape(part.caption)}</span></p>'
            )
        items = "".join(view.item(entry, everything=everything) for entry in part.entries)
        found.append(f'<ul class="nav bd-sidenav">{items}</ul>')
    return "\n".join(found)


class _View(NamedTuple):
    """The page that the navigation is made for: ``trail`` has the pages on the way to it."""

    page: str
    trail: set[str]
    pathto: Any
    chevron: str

    def item(self, entry: Entry, *, everything: bool) -> str:
        """One entry with those below it, if they are to be there. Its classes are those that the theme asks for: there are many entries."""
        is_here = bool(entry.page) and entry.page in self.trail
        inner = ""
        if entry.children and (everything or is_here):
            items = "".join(self.item(child, everything=everything) for child in entry.children)
            inner = f"<details{' open' if is_here else ''}>{self.chevron}<ul>{items}</ul></details>"
        classes = [
            *(("current", "active") if is_here else ()),
            *(("has-children",) if inner else ()),
        ]
        mark = f' class="{" ".join(classes)}"' if classes else ""
        return f"<li{mark}>{self._link(entry, has_more=bool(inner))}{inner}</li>"

    def _link(self, entry: Entry, *, has_more: bool) -> str:
        if not entry.page:
            return f'<a class="reference external" href="{escape(entry.url)}">{entry.title}</a>'
        here = ' aria-current="page"' if entry.page == self.page else ""
        mark = 'class="reference" ' if has_more else ""  # its room ends before the chevron
        return f'<a {mark}href="{escape(self.pathto(entry.page))}"{here}>{entry.title}</a>'


def _trail(entry: Entry, page: str) -> Iterator[str]:
    """The pages on the way to ``page`` below ``entry``, itself included; none if it is not there."""
    if entry.page == page:
        yield page
    for child in entry.children:
        below = list(_trail(child, page))
        if below:
            yield from below
            yield entry.page


def _count(entries: Sequence[Entry]) -> int:
    return sum(1 + _count(entry.children) for entry in entries)


def _parts(app: Sphinx) -> tuple[Part, ...]:
    found: tuple[Part, ...] | None = getattr(app, "_jz_navigation", None)
    if found is None:
        root = app.config.root_doc
        trees = _toctrees(app.env, root)
        found = tuple(
            Part(tree.get("caption") or "", tuple(_entries(app.env, tree, (root,))))
            for tree in trees
        )
        app._jz_navigation = found  # type: ignore[attr-defined]
    return found


def _toctrees(env: BuildEnvironment, page: str) -> list[addnodes.toctree]:
    toc = env.tocs.get(page)
    return list(toc.findall(addnodes.toctree)) if toc is not None else []


def _entries(
    env: BuildEnvironment, tree: addnodes.toctree, above: tuple[str, ...]
) -> Iterator[Entry]:
    for title, target in tree["entries"]:
        page = tree["parent"] if target == "self" else target
        if page in env.titles:
            inside = above if page in above or len(above) >= DEPTH else (*above, page)
            below = _toctrees(env, page) if inside is not above else []
            children = tuple(entry for tree in below for entry in _entries(env, tree, inside))
            yield Entry(
                escape(title) if title else title_html(env.titles[page]), page, "", children
            )
        elif "://" in target:
            yield Entry(escape(title or target), "", target, ())


def title_html(title: nodes.Element) -> str:
    """A title with its code and formulas."""
    parts = []
    for node in title.children:
        if isinstance(node, nodes.literal):
            parts.append(
                f'<code class="docutils literal notranslate">{escape(node.astext())}</code>'
            )
        elif isinstance(node, nodes.math):
            parts.append(
                f'<span class="math notranslate nohighlight">\\({escape(node.astext())}\\)</span>'
            )
        else:
            parts.append(escape(node.astext()))
    return "".join(parts)
