"""Pages that we add to the docs (search, glossary, progress), and the banner of the home page.

The progress page suggests what to translate next: pages that readers reach with few links from the
first page. So the links of each page are stored when Sphinx reads it. The banner comes from our
configuration: upstream's own banner may be raw HTML that needs upstream's style sheet.
"""

from __future__ import annotations

import json
import posixpath
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from jinja2 import Template
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

from pipeline.adapters import files
from pipeline.core.results import whole_percent
from pipeline.site.extension.navigation.links import top_of
from pipeline.site.extension.navigation.toctree import toctrees_of
from pipeline.site.extension.records import Notes, read_facts
from pipeline.site.names import GLOSSARY, PROGRESS, SEARCH
from pipeline.site.progress import (
    ContentsPosition,
    Reach,
    environment,
    progress,
    source_of,
)
from pipeline.site.texts import looks_english, text, words

# For each page, the labels and documents that it links to: ("label", name), ("doc", page).
_REFERENCES: Notes[list[tuple[str, str]]] = Notes("jz_references")
HEADS = ("english", "rendering", "avoided", "note")  # columns of the glossary
NEXT = 8  # how many pages are suggested as the next to translate
_PLACES = 3  # number of buttons of the banner: start, install, learn


def own_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield name, context and template of the search results, the glossary and the progress page.

    Sphinx itself creates a page of search results only with its own index. Also write
    ``progress.json``, which has the numbers of the progress page.
    """
    locale = app.config.language
    terms = glossary_html(read_facts(app, "glossary"), locale)
    own = app.config.jz_site["own_pages"]
    yield own[SEARCH], {"title": text(locale, "search")}, "search.html"
    yield own[GLOSSARY], {"title": text(locale, "glossary"), "body": terms}, "page.html"
    root = app.config.root_doc
    places = spots(app.env, root)
    # Pages that no table of contents lists are counted, too.
    for page in sorted(app.env.titles.keys() - places.keys()):
        places[page] = ContentsPosition(_title(app.env, page), "")
    counts = progress(read_facts(app, "progress"), places, reach_of(app.env, root))
    for row in counts["pages"]:
        if row["page"] in app.config.jz_site["shared"]:
            row["url"] = f"{app.config.jz_site['pinned']}{row['url']}"
    data = json.dumps(counts, ensure_ascii=False, indent=1) + "\n"
    # A title may contain a lone surrogate, which has no UTF-8: it becomes a question mark.
    encoded = data.encode("utf-8", "replace")
    files.write_if_changed(Path(app.outdir, "progress.json"), encoded)
    body = to_body(counts, locale)
    yield own[PROGRESS], {"title": text(locale, "progress"), "body": body}, "page.html"


def glossary_html(terms: list[dict[str, Any]], locale: str) -> str:
    """Return the table of all terms: English, renderings, words to avoid, note.

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
        # Give each term an anchor: glossary-zh.html#pytree
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


def to_body(progress: Mapping[str, Any], locale: str) -> str:
    """Return the body of the progress page; ``progress.html.j2`` documents its values."""
    pages = {page["page"]: page for page in progress["pages"]}
    # Skip pages that are no longer on the site.
    upcoming = [pages[name] for name in progress["next"] if name in pages][:NEXT]
    return _template().render(
        progress=progress,
        upcoming=upcoming,
        said=words(locale, "progress"),
        locale=locale,
    )


def _share(part: int, whole: int) -> int:
    """Return a percentage, rounded down: 100 only if all is done, or if there is nothing to do."""
    percent = whole_percent(part, whole)
    return 100 if percent is None else percent


@cache
def _template() -> Template:
    """Return the compiled template of the progress page."""
    made = environment({"words": "{:,}".format})
    made.globals["share"] = _share
    made.tests["english"] = looks_english
    return made.from_string(source_of("progress.html.j2"))


def spots(env: BuildEnvironment, root: str) -> dict[str, ContentsPosition]:
    """Return title and group of each page, in the order of the tables of contents.

    The first page ``root`` lists chapters and single pages. A chapter has pages below it; its title
    is the group of the chapter and of these pages. The group of a single page is the caption of the
    toctree that lists it.
    """
    places = {root: ContentsPosition(_title(env, root), "")}
    for part in toctrees_of(env, root):
        for _, page in part["entries"]:
            is_chapter = any(below["entries"] for below in toctrees_of(env, page))
            group = _title(env, page) if is_chapter else part.get("caption") or ""
            _add_spots(env, page, group, places)
    return places


def _add_spots(
    env: BuildEnvironment, page: str, group: str, places: dict[str, ContentsPosition]
) -> None:
    """Add a page and the pages below it to ``places``, unless they have been added."""
    # A page may be listed twice, and a listed page may not exist.
    if page in places or page not in env.titles:
        return
    places[page] = ContentsPosition(_title(env, page), group)
    for tree in toctrees_of(env, page):
        for _, below in tree["entries"]:
            _add_spots(env, below, group, places)


def _title(env: BuildEnvironment, page: str) -> str:
    """Return the title of a page, or its name if it does not exist."""
    return env.titles[page].astext() if page in env.titles else page


def note_references(app: Sphinx, document: nodes.document) -> None:
    """Store the labels and documents that a page links to."""
    page = app.env.docname
    found: set[tuple[str, str]] = set()
    for link in document.findall(addnodes.pending_xref):
        target = link.get("reftarget") or ""
        # The role ``{doc}``, or a Markdown link to a document, which MyST has resolved.
        if link.get("reftype") == "doc" or link.get("refdomain") == "doc":
            # Targets are relative to the page. The leading slash keeps ``..`` from leaving the
            # root.
            place = posixpath.join(posixpath.dirname(f"/{page}"), target)
            found.add(("doc", posixpath.normpath(place).strip("/")))
        elif link.get("reftype") in ("ref", "numref", "myst"):
            found.add(("label", target.lower()))
    _REFERENCES.by_page(app.env)[page] = sorted(found)


def reach_of(env: BuildEnvironment, root: str) -> dict[str, Reach]:
    """Return, for each page reachable from ``root``, its distance and how many pages link to it."""
    net = {page: set(_pages_from(env, page)) - {page} for page in env.found_docs}
    links: Counter[str] = Counter()
    for targets in net.values():
        links.update(targets)
    steps = steps_from(root, net)
    return {page: Reach(steps[page], links[page]) for page in steps}


def steps_from(root: str, net: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Return the smallest number of links from ``root`` to each reachable page."""
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
    """Yield the pages to which the toctrees and the links of a page lead."""
    for tree in toctrees_of(env, page):
        for _, target in tree["entries"]:
            if target in env.found_docs:
                yield target
    labels = env.domains.standard_domain.anonlabels
    for kind, target in _REFERENCES.by_page(env).get(page, ()):
        name = labels.get(target, ("",))[0] if kind == "label" else target
        if name in env.found_docs:
            yield name


class AddHero(SphinxTransform):
    """Transform that inserts the banner of the home page below its title: words, code, buttons.

    The transform runs after blocks are marked, and before Sphinx resolves links to other pages.
    """

    default_priority = 760

    def apply(self, **_: Any) -> None:
        """Insert the banner, if it is configured and the current page is the home page.

        The home page is ``index``. A site of some pages only (``--pages``) may begin with another
        page, which gets no banner.
        """
        site, page = self.config.jz_site, self.env.docname
        section = self.document.next_node(nodes.section)
        is_home = page == f"{top_of(site, page)}index" == self.config.root_doc
        if not site["hero"] or not is_home or section is None:
            return
        words = nodes.paragraph("", site["hero"])
        hero = nodes.container("", words, classes=["jz-front"])
        if code := site["hero_code"]:
            hero += nodes.literal_block(code, code, language="python")
        if buttons := list(self._buttons()):
            hero += nodes.paragraph("", "", *buttons, classes=["jz-start"])
        title = section.first_child_matching_class(nodes.title)
        # Other nodes may precede the title.
        section.insert(0 if title is None else title + 1, hero)

    def _buttons(self) -> Iterator[addnodes.pending_xref]:
        """Yield a link for each configured start page that exists."""
        pages = self.config.jz_site["start"][:_PLACES]
        for number, page in enumerate(pages):
            if page in self.env.found_docs:
                yield addnodes.pending_xref(
                    "",
                    nodes.inline("", text(self.config.language, f"start {number}")),
                    refdomain="std",
                    reftype="doc",
                    reftarget=f"/{page}",  # absolute: from the root of the sources
                    refdoc=self.env.docname,
                    refexplicit=True,
                    refwarn=True,
                )


def setup(app: Sphinx) -> None:
    """Register the banner, the collection of links, and our own pages."""
    _REFERENCES.setup(app)
    app.add_transform(AddHero)
    app.connect("doctree-read", note_references, priority=800)
    app.connect("html-collect-pages", own_pages)
