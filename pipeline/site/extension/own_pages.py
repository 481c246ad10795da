"""Pages that no document makes: glossary, progress, search results, and the top of the home page.

The progress page orders untranslated pages by how many links a reader follows to reach them. For
this, each page's references are noted when it is read.
"""

from __future__ import annotations

import json
import posixpath
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

from pipeline.core.results import whole_percent
from pipeline.site.extension.navigation.links import top_of
from pipeline.site.extension.navigation.toctree import toctrees_of
from pipeline.site.extension.records import Notes, read_facts
from pipeline.site.names import GLOSSARY, PROGRESS
from pipeline.site.progress import Reach, Spot, environment, progress, source_of
from pipeline.site.texts import looks_english, text, words

if TYPE_CHECKING:
    from jinja2 import Template


# Of each page: the labels and documents that it refers to, as ("label", name), ("doc", page).
_REFERENCES: Notes[list[tuple[str, str]]] = Notes("jz_references")


def note_references(app: Sphinx, document: nodes.document) -> None:
    """Remember what a page refers to."""
    page = app.env.docname
    found: set[tuple[str, str]] = set()
    for link in document.findall(addnodes.pending_xref):
        target = link.get("reftarget") or ""
        if link.get("reftype") == "doc" or link.get("refdomain") == "doc":
            place = posixpath.join(posixpath.dirname(f"/{page}"), target)
            found.add(("doc", posixpath.normpath(place).strip("/")))
        elif link.get("reftype") in ("ref", "numref", "myst"):
            found.add(("label", target.lower()))
    _REFERENCES.by_page(app.env)[page] = sorted(found)


def reach_of(env: BuildEnvironment, root: str) -> dict[str, Reach]:
    """For every page that readers get to from the first one: how."""
    net = {page: set(_pages_from(env, page)) - {page} for page in env.found_docs}
    links: Counter[str] = Counter()
    for targets in net.values():
        links.update(targets)
    steps = steps_from(root, net)
    return {page: Reach(steps[page], links[page]) for page in steps}


def steps_from(root: str, net: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """How many links one has to follow to each page, from ``root``."""
    steps = {root: 0}
    waiting = deque([root])
    while waiting:
        page = waiting.popleft()
        for target in net.get(page, ()):
            if target not in steps:
                steps[target] = steps[page] + 1
                waiting.append(target)
    return steps


def _pages_from(env: BuildEnvironment, page: str) -> Iterator[str]:
    """The pages that a page leads to: by its contents, and by links in its text."""
    for tree in toctrees_of(env, page):
        for _, target in tree["entries"]:
            if target in env.found_docs:
                yield target
    labels = env.domains.standard_domain.anonlabels
    for kind, target in _REFERENCES.by_page(env).get(page, ()):
        name = labels.get(target, ("",))[0] if kind == "label" else target
        if name in env.found_docs:
            yield name


NEXT = 8  # pages that are named as those to translate next


def to_body(progress: Mapping[str, Any], locale: str) -> str:
    """The body of the page for ``progress``: see the top of ``progress.html.j2`` for its values."""
    pages = {page["page"]: page for page in progress["pages"]}
    # Those that are not on the site any more are left out.
    upcoming = [pages[name] for name in progress["next"] if name in pages][:NEXT]
    return _template().render(
        progress=progress,
        upcoming=upcoming,
        said=words(locale, "progress"),
        locale=locale,
    )


def _grouped(number: int) -> str:
    """A number of words as people read it: ``12,345``."""
    return f"{number:,}"


def _percent(part: int, whole: int) -> int:
    """Percent, rounded down: 100 only where all is done."""
    percent = whole_percent(part, whole)
    # Of nothing, all is done.
    return 100 if percent is None else percent


@cache
def _template() -> Template:
    """The template of the page: it is read and compiled once."""
    made = environment({"words": _grouped})
    made.globals["share"] = _percent
    made.tests["english"] = looks_english
    return made.from_string(source_of("progress.html.j2"))


_PLACES = 3  # to start, to install, to learn


class AddHero(SphinxTransform):
    """Put it under the title of the home page.

    Comes before Sphinx resolves what leads to other pages, and after blocks are marked.
    """

    default_priority = 760

    def apply(self, **_: Any) -> None:
        """A site that begins with another page (``--pages``) has no home page.

        Nor has one whose configuration says nothing for it.
        """
        if not self.config.jz_site["hero"]:
            return
        section = self.document.next_node(nodes.section)
        page = self.env.docname
        is_home = page == f"{top_of(self.config.jz_site, page)}index"
        if not is_home or page != self.config.root_doc or section is None:
            return
        title = section.first_child_matching_class(nodes.title)
        # Behind the title, whatever stands before it.
        section.insert(0 if title is None else title + 1, self._hero())

    def _hero(self) -> nodes.container:
        """The words, the code, and buttons as far as there are pages for them."""
        site = self.config.jz_site
        words = nodes.paragraph("", site["hero"])
        hero = nodes.container("", words, classes=["jz-front"])
        if code := site["hero_code"]:
            hero += nodes.literal_block(code, code, language="python")
        if buttons := list(self._buttons()):
            hero += nodes.paragraph("", "", *buttons, classes=["jz-start"])
        return hero

    def _buttons(self) -> Iterator[addnodes.pending_xref]:
        """A link for each of the pages to start with that is there."""
        pages = self.config.jz_site["start"][:_PLACES]
        for number, page in enumerate(pages):
            if page in self.env.found_docs:
                words = text(self.config.language, f"start {number}")
                yield _link_to(page, words, self.env.docname)


def _link_to(page: str, words: str, from_page: str) -> addnodes.pending_xref:
    """A link that Sphinx resolves when the page is written: how far away ``page`` is, it knows."""
    return addnodes.pending_xref(
        "",
        nodes.inline("", words),
        refdomain="std",
        reftype="doc",
        # From the top of the sources.
        reftarget=f"/{page}",
        refdoc=from_page,
        refexplicit=True,
        refwarn=True,
    )


HEADS = ("english", "rendering", "avoided", "note")  # of the table of terms


def own_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """For Sphinx: name, context and template of pages that no document makes."""
    locale = app.config.language
    terms = glossary_html(read_facts(app, "glossary"), locale)
    own = app.config.jz_site["own_pages"]
    yield own[GLOSSARY], {"title": text(locale, "glossary"), "body": terms}, "page.html"
    root = app.config.root_doc
    places = spots(app.env, root)
    # Pages that are in no contents have titles all the same.
    for page in sorted(app.env.titles.keys() - places.keys()):
        places[page] = Spot(_title(app.env, page), "")
    counts = progress(read_facts(app, "progress"), places, reach_of(app.env, root))
    Path(app.outdir, "progress.json").write_text(
        json.dumps(counts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    yield (
        own[PROGRESS],
        {"title": text(locale, "progress"), "body": to_body(counts, locale)},
        "page.html",
    )


def glossary_html(terms: list[dict[str, Any]], locale: str) -> str:
    """The table of all terms, a row for each: English, renderings, words to avoid, a note.

    Several renderings are joined: ``<td>数组、阵列</td>``.
    """
    heads = ""
    for key in HEADS:
        heads += f'<th scope="col">{escape(text(locale, key))}</th>'
    separator = escape(text(locale, "list"))
    rows: list[str] = []
    for term in terms:
        renderings = separator.join(map(escape, term["renderings"]))
        avoided = separator.join(map(escape, term["avoided"]))
        # Each term has an address: glossary-zh.html#pytree
        rows.append(
            f'<tr id="{nodes.make_id(term["english"])}">'
            f'<td lang="en">{escape(term["english"])}</td>'
            f"<td>{renderings}</td><td>{avoided}</td>"
            f'<td lang="en">{escape(term["note"])}</td></tr>'
        )
    lines = "\n".join(rows)
    return (
        f"<section><h1>{escape(text(locale, 'glossary'))}</h1>\n"
        '<div class="pst-scrollable-table-container"><table class="table jz-glossary">'
        f"<thead><tr>{heads}</tr></thead><tbody>\n{lines}\n</tbody></table></div></section>"
    )


def spots(env: BuildEnvironment, root: str) -> dict[str, Spot]:
    """Where each page stands in the contents, in their order: title and group.

    The group of a page is the chapter of the first level that it belongs to. Chapters without
    pages of their own belong to the part that lists them.
    """
    places = {root: Spot(_title(env, root), "")}
    for part in toctrees_of(env, root):
        for _, page in part["entries"]:
            is_chapter = any(below["entries"] for below in toctrees_of(env, page))
            group = _title(env, page) if is_chapter else part.get("caption") or ""
            _add_spots(env, page, group, places)
    return places


def _add_spots(
    env: BuildEnvironment, page: str, group: str, places: dict[str, Spot]
) -> None:
    """Add the places of a page, and of those below it, unless they are known."""
    # A page may be listed twice, and one that is listed may be missing.
    if page in places or page not in env.titles:
        return
    places[page] = Spot(_title(env, page), group)
    for tree in toctrees_of(env, page):
        for _, below in tree["entries"]:
            _add_spots(env, below, group, places)


def _title(env: BuildEnvironment, page: str) -> str:
    """The title of a page; its name if it has none, or is missing."""
    if page not in env.titles:
        return page
    return env.titles[page].astext()


def setup(app: Sphinx) -> None:
    """Register this part of the extension."""
    _REFERENCES.setup(app)
    app.connect("doctree-read", note_references, priority=800)
    app.add_transform(AddHero)
    app.connect("html-collect-pages", own_pages)
