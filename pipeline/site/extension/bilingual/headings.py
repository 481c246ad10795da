"""Headings in both languages: English anchors, and English titles beside translated ones.

docutils derives the anchor of a section from its title, which is Chinese here. ``EnglishAnchors``
derives the anchor from the English title, as on upstream's site: ``faq.html#quick-start`` leads to
the same section on both sites.

A link without words shows the title of its target. ``Originals`` makes such links in English text
show the English title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count
from typing import Any

from docutils import nodes
from myst_parser.slugs import github_slugify, unique_slug
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

from pipeline.site.extension.content.figures import title_math
from pipeline.site.extension.navigation.english_links import mark_of_page
from pipeline.site.extension.nodes import both_html, english, waiting_english, words_of
from pipeline.site.extension.records import Context, Notes

_ANCHOR = re.compile(r'<a id="([^"]+)">\s*(?:</a>)?')
# For each page: its translated titles, and the English title of each.
_TITLES: Notes[dict[str, str]] = Notes("jz_titles")


@dataclass(frozen=True, slots=True)
class _Titled:
    """A section, its title, and the ids that docutils derived from the title."""

    section: nodes.section
    title: nodes.title
    implicit: list[str]


class EnglishAnchors(SphinxTransform):
    """Transform that replaces the ids of sections by ids made from their English titles."""

    # After MyST has attached explicit targets to their sections (its priority is 262).
    default_priority = 263

    def apply(self, **_: Any) -> None:
        """Change the ids of all sections, if the page has a translated heading."""
        copies = waiting_english(self.document)
        sections = list(self._sections())
        # Without translated titles, all ids are English already.
        if not any(titled.title.get("jz") in copies for titled in sections):
            return
        self._drop_written(copies.values())
        # Remove all derived ids first. Otherwise a section could not get an id that another section
        # is about to lose.
        for titled in sections:
            for name in titled.implicit:
                self.document.ids.pop(name, None)
        slugs: dict[str, tuple[int | None, str, str]] = {}
        numbers = count(1)
        for titled in sections:
            section, title = titled.section, titled.title
            copy = copies.get(title.get("jz"))
            text = title.astext() if copy is None else words_of(copy)
            self._rename(titled, text, numbers)
            if section.get("slug"):
                section["slug"] = unique_slug(github_slugify(text), slugs)
                slugs[section["slug"]] = (
                    section.line,
                    section["ids"][0],
                    title.astext(),
                )
        # MyST resolves links to headings with this table.
        known = getattr(self.document, "myst_slugs", None)
        if known is not None:
            # Change the dictionary in place, because MyST has a reference to it.
            known.clear()
            known.update(slugs)

    def _sections(self) -> Iterator[_Titled]:
        """Yield the sections that have a title, in the order of the page."""
        # Ids written by authors: ``(name)=`` above a heading, ``.. _name:``.
        nametypes = self.document.nametypes
        names = [name for name, is_explicit in nametypes.items() if is_explicit]
        explicit = set(map(self.document.nameids.get, names))
        for title in self.document.findall(nodes.title):
            section = title.parent
            # Tables and topics (``.. topic::``) have titles too.
            if isinstance(section, nodes.section):
                implicit = [name for name in section["ids"] if name not in explicit]
                yield _Titled(section, title, implicit)

    def _drop_written(self, copies: Iterable[english]) -> None:
        """Remove the anchors that the stage ``merge`` has written, because they are duplicates.

        ``merge`` inserts ``<a id="quick-start"></a>`` above a translated heading of a notebook if
        a link needs it. Now the section itself has this id.
        """
        written: dict[nodes.raw, str] = {}
        for raw in self.document.findall(nodes.raw):
            anchor = _ANCHOR.fullmatch(raw.astext().strip())
            if anchor:
                written[raw] = anchor[1]
        if not written:
            return
        titles = [nodes.fully_normalize_name(words_of(copy)) for copy in copies]
        names = set(map(nodes.make_id, titles))
        for raw, name in written.items():
            # Keep anchors that upstream has written.
            if name in names:
                _remove_anchor(raw)

    def _rename(self, titled: _Titled, text: str, numbers: Iterator[int]) -> None:
        """Give a section the id of its English title ``text``, and update references to it.

        ``快速入门`` with the English ``Quick start``: ``id3`` → ``quick-start``. If the title gives
        no free id, the id is made from the next of ``numbers``: ``id1``.
        """
        section = titled.section
        name = nodes.fully_normalize_name(text)
        wanted = nodes.make_id(name)
        ids = [known for known in section["ids"] if known not in titled.implicit]
        if wanted not in ids:
            # docutils does the same with repeated titles, and with titles without letters.
            while not wanted or wanted in self.document.ids:
                wanted = f"id{next(numbers)}"
            ids.append(wanted)
            self.document.ids[wanted] = section
        # Put the new id last, because Sphinx links to the last id. Ids that authors have written
        # stay before it; links may use them, too.
        section["ids"] = ids
        # References that name the Chinese title must still find the section.
        for known, target in list(self.document.nameids.items()):
            if target in titled.implicit:
                self.document.nameids[known] = ids[-1]
        if name not in self.document.nameids:
            self.document.nameids[name] = ids[-1]
            self.document.nametypes[name] = False


def _remove_anchor(raw: nodes.raw) -> None:
    """Remove ``<a id="…">``, and the paragraph if it contained nothing else."""
    above = raw.parent
    above.remove(raw)
    # The end tag may be another raw node in the same paragraph.
    rest = above.astext().strip().removesuffix("</a>")
    if isinstance(above, nodes.paragraph) and not rest:
        above.parent.remove(above)


def note_titles(app: Sphinx, document: nodes.document) -> None:
    """Store the translated titles of a page, with their English."""
    copies = waiting_english(document)
    titles: dict[str, str] = {}
    for title in document.findall(nodes.title):
        if title.get("jz") in copies:
            titles[title.astext()] = words_of(copies[title["jz"]])
    _TITLES.by_page(app.env)[app.env.docname] = titles


def title_html(env: BuildEnvironment, page: str) -> str:
    """Return the title of a page in both languages, as HTML."""
    title = env.titles[page]
    original = _TITLES.by_page(env).get(page, {}).get(title.astext(), "")
    return both_html(_inline_html(title), original)


def _inline_html(title: nodes.Element) -> str:
    """Return a title as HTML, with its code and formulas: ``The <code …>jit</code> decorator``."""
    pieces: list[str] = []
    for node in title.children:
        words = escape(node.astext())
        if isinstance(node, nodes.raw):
            # A raw node is a tag around words of the title.
            continue
        if isinstance(node, nodes.literal):
            words = f'<code class="docutils literal notranslate">{words}</code>'
        elif isinstance(node, nodes.math):
            words = title_math(node.astext())
        pieces.append(words)
    return "".join(pieces)


def pages_above(app: Sphinx, page: str) -> list[str]:
    """Return the pages above ``page`` in the table of contents, the topmost first."""
    relations = _relations_of(app)
    names: list[str] = []
    above = relations.get(page, (None,))[0]
    while above:
        names.insert(0, above)
        above = relations.get(above, (None,))[0]
    return names


def _relations_of(app: Sphinx) -> Mapping[str, Sequence[str | None]]:
    """Return the parent, previous and next page of every page in the table of contents."""
    relations: Mapping[str, Sequence[str | None]] = vars(app.builder)["relations"]
    return relations


def show_titles_around(
    app: Sphinx, page: str, _: str, context: Context, __: object
) -> None:
    """Show the titles of the parent, previous and next pages in both languages."""
    before, after = _relations_of(app).get(page, (None, None, None))[1:]
    names = pages_above(app, page)
    # Sphinx's list lacks the topmost parent, the home page, so skip its name.
    for entry, name in zip(context.get("parents", ()), names[1:], strict=False):
        entry["title"] = title_html(app.env, name)
    # Sphinx's own values must stay plain text, because Sphinx uses them in <link title="…">. So the
    # theme's links get values of their own.
    for key, neighbour in (("prev_title", before), ("next_title", after)):
        if neighbour:
            mark = mark_of_page(app, neighbour)
            context.setdefault(key, f"{title_html(app.env, neighbour)}{mark}")


class Originals:
    """English titles of the whole site, for links in English text."""

    def __init__(self) -> None:
        # Each translated title → its English titles on all pages.
        self._by_title: dict[str, set[str]] = {}

    def collect(self, app: Sphinx, env: BuildEnvironment) -> None:
        """Collect the titles of all pages. Called when Sphinx has read them."""
        self._by_title = {}
        for titles in _TITLES.by_page(env).values():
            for shown, original in titles.items():
                self._by_title.setdefault(shown, set()).add(original)

    def show(self, app: Sphinx, document: nodes.document, page: str) -> None:
        """Replace translated titles by English ones in the links of English text.

        ``即时编译`` → ``Just-in-time compilation``. Links to other sites stay unchanged.
        """
        for copy in document.findall(english):
            # Loop over a list, because the loop replaces nodes.
            for link in list(copy.findall(nodes.reference)):
                known = self._by_title.get(link.astext(), set())
                # If two English titles have the same translation, the link stays unchanged.
                if link.get("internal") and len(known) == 1:
                    _set_words(link, *known)


def _set_words(link: nodes.reference, words: str) -> None:
    """Replace the words of a link, inside the nodes that Sphinx puts around them."""
    box: Any = link
    # Sphinx wraps the words of such a link in <span> or <code>.
    while len(box.children) == 1 and not isinstance(box.children[0], nodes.Text):
        box = box.children[0]
    box.children = []
    box += nodes.Text(words)


def setup(app: Sphinx) -> None:
    """Register the anchors, and connect the collection and display of titles."""
    originals = Originals()
    _TITLES.setup(app)
    app.add_transform(EnglishAnchors)
    # Run this before the handler of ``placement`` (priority 900). That handler takes the English
    # out of the container at the end of the page; this handler needs the English there.
    app.connect("doctree-read", note_titles, priority=800)
    app.connect("env-updated", originals.collect)
    app.connect("doctree-resolved", originals.show)
    app.connect("html-page-context", show_titles_around)
