"""Headings in both languages: English anchors, and English titles beside translated ones.

docutils derives the anchor of a section from its title, which is Chinese here. ``EnglishAnchors``
derives the anchor from the English title, as on upstream's site: ``faq.html#quick-start`` leads to
the same section on both sites.

A link without words shows the title of its target. ``show_originals`` makes such links in English
text show the English title.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from itertools import chain, count
from typing import Any

from docutils import nodes
from myst_parser.slugs import github_slugify, unique_slug
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

from pipeline.site.extension.content.figures import title_math
from pipeline.site.extension.navigation.english_links import mark_of_page
from pipeline.site.extension.nodes import both_html, english, waiting_english, words_of
from pipeline.site.extension.records import Context, Notes, on_page

_ANCHOR = re.compile(r'<a id="([^"]+)">\s*(?:</a>)?')
# For each page: its translated titles, and the English title of each.
_TITLES: Notes[dict[str, str]] = Notes("jz_titles")


class EnglishAnchors(SphinxTransform):
    """Transform that replaces the ids of sections by ids made from their English titles."""

    # After MyST has attached explicit targets to their sections (its priority is 262).
    default_priority = 263

    def apply(self, **_: Any) -> None:
        """Change the ids of all sections, if the page has a translated heading."""
        copies = waiting_english(self.document)
        titles = dict(self._titles())
        # Without translated titles, all ids are English already.
        if not any(title.get("jz") in copies for title in titles):
            return
        self._drop_written(copies.values())
        # Remove all derived ids first. Otherwise a section could not get an id that another section
        # is about to lose.
        for name in chain.from_iterable(titles.values()):
            self.document.ids.pop(name, None)
        slugs: dict[str, tuple[int | None, str, str]] = {}
        numbers = count(1)
        for title, implicit in titles.items():
            section: Any = title.parent
            copy = copies.get(title.get("jz"))
            text = title.astext() if copy is None else words_of(copy)
            self._rename(section, implicit, text, numbers)
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

    def _titles(self) -> Iterator[tuple[nodes.title, list[str]]]:
        """Yield the title of each section, and the ids that docutils derived from the title."""
        # Ids written by authors: ``(name)=`` above a heading, ``.. _name:``.
        nametypes = self.document.nametypes
        names = [name for name, is_explicit in nametypes.items() if is_explicit]
        explicit = set(map(self.document.nameids.get, names))
        for title in self.document.findall(nodes.title):
            section = title.parent
            # Tables and topics (``.. topic::``) have titles too.
            if isinstance(section, nodes.section):
                yield title, [name for name in section["ids"] if name not in explicit]

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

    def _rename(
        self,
        section: nodes.section,
        implicit: Sequence[str],
        text: str,
        numbers: Iterator[int],
    ) -> None:
        """Give a section the id of its English title ``text``, and update references to it.

        ``快速入门`` with the English ``Quick start``: ``id3`` → ``quick-start``. If the title gives
        no free id, the id is made from the next of ``numbers``: ``id1``.
        """
        name = nodes.fully_normalize_name(text)
        wanted = nodes.make_id(name)
        ids = [known for known in section["ids"] if known not in implicit]
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
            if target in implicit:
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


def show_titles_around(app: Sphinx, page: str, context: Context) -> None:
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


@cache
def _originals(app: Sphinx) -> Mapping[str, set[str]]:
    """Return the English titles of each translated title, on all pages."""
    originals: defaultdict[str, set[str]] = defaultdict(set)
    for titles in _TITLES.by_page(app.env).values():
        for shown, original in titles.items():
            originals[shown].add(original)
    return originals


def show_originals(app: Sphinx, document: nodes.document, page: str) -> None:
    """Replace translated titles by English ones in the links of English text.

    ``即时编译`` → ``Just-in-time compilation``. Links to other sites stay unchanged.
    """
    for copy in document.findall(english):
        # Loop over a list, because the loop replaces nodes.
        for link in list(copy.findall(nodes.reference)):
            known = _originals(app).get(link.astext(), set())
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
    _TITLES.setup(app)
    app.add_transform(EnglishAnchors)
    # Run this before the handler of ``placement`` (priority 900). That handler takes the English
    # out of the container at the end of the page; this handler needs the English there.
    app.connect("doctree-read", note_titles, priority=800)
    app.connect("doctree-resolved", show_originals)
    on_page(app, show_titles_around)
