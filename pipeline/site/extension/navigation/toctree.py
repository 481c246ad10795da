"""Tables of contents: toctrees from upstream's outline, and captions and entries as blocks.

Sphinx keeps captions and entry titles as strings and makes nodes of them when it writes a page. So
a toctree carries the marks of its blocks until then; those of a hidden one appear in the sidebar
only. Docs without toctrees get them from upstream's outline, and from the list of all other pages:
otherwise the navigation would be empty, and no reader would find the other pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from html import escape
from itertools import chain, groupby, islice
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from pipeline.site.extension.nodes import both_html, english, hold_both
from pipeline.site.extension.records import Block, Waiting, key_of
from pipeline.site.texts import text

Row = Sequence[Any]  # of an outline: [title, page or address or "", rows below it]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A block of a page's record that is a string to Sphinx."""

    number: int
    text: str  # the string
    state: str
    english: str = ""  # empty if the text is English itself
    edit: str | None = None  # the end of the address where people can change it

    @property
    def classes(self) -> list[str]:
        """The classes of every element of a block."""
        return ["jz-block", f"jz-{self.state}"]


def toctrees_of(env: BuildEnvironment, page: str) -> list[addnodes.toctree]:
    """Return the toctrees of a page, in order; none if there is no such page."""
    contents = env.tocs.get(page)
    return [] if contents is None else list(contents.findall(addnodes.toctree))


def note_marks(tree: addnodes.toctree, waiting: Waiting, *, is_first: bool) -> None:
    """Give a toctree the marks of its caption, and of entries that have a title.

    ``is_first`` means that it is on the first page of the site.
    """
    caption = tree.get("caption")
    # An entry without a title is called by the title of its page, which is a block there.
    titles = [title for title, _ in tree["entries"] if title]
    marks: list[Mark] = []
    for words in filter(None, (caption, *titles)):
        block = waiting.take([key_of(words)])
        if block is not None:
            marks.append(_mark_of(words, block))
    tree["jz_marks"] = marks
    if not isinstance(tree.parent, nodes.compound):
        return
    if tree["hidden"]:
        # The sidebar has the entries of all pages, but captions of the first one only.
        is_on_page = [mark for mark in marks if mark.text == caption][:1]
        marks = [] if is_first else is_on_page
    # Sphinx replaces the toctree, but not its parent, which the writer meets first.
    tree.parent["jz_marks"] = marks


def _mark_of(words: str, block: Block) -> Mark:
    """Return the mark of a string that is a block."""
    return Mark(
        number=block["number"],
        text=words,
        state=block["state"],
        english=block.get("english", ""),
        edit=block.get("edit"),
    )


class WaitingMarks:
    """Marks that have not found their place yet. Of equal words, each is marked once."""

    def __init__(self, marks: Iterable[Mark]) -> None:
        self.left = list(marks)

    def take(self, words: str) -> Mark | None:
        """Remove and return the first mark of these words; None if they are no block."""
        for mark in self.left:
            if mark.text == words:
                self.left.remove(mark)
                return mark
        return None


def put_marks(wrapper: nodes.compound) -> None:
    """Mark the nodes that Sphinx has made of a toctree. Called when its page is written."""
    waiting = WaitingMarks(wrapper["jz_marks"])
    for node in list(_captions_and_entries(wrapper)):
        mark = waiting.take(node.astext())
        if mark is not None:
            _put(mark, node)
    # Sphinx shows no caption of a list that is hidden or empty; here it is marked, but hidden.
    for mark in waiting.left:
        unseen = nodes.inline("", mark.text, jz_hidden="")
        wrapper += unseen
        _put(mark, unseen)


def _captions_and_entries(wrapper: nodes.compound) -> Iterator[nodes.Element]:
    """Yield the title of each list, then the first link of each of its outermost items.

    Sphinx has made them of the caption and the entries, in the same order.
    """
    for made in wrapper.findall(addnodes.compact_paragraph):
        # Sphinx marks its own lists so.
        for child in made.children if made.get("toctree") else ():
            if isinstance(child, nodes.title):
                yield child
            elif isinstance(child, nodes.bullet_list):
                for item in child.children:
                    # The links behind the first one are those of the items within.
                    yield from islice(item.findall(nodes.reference), 1)


def _put(mark: Mark, node: nodes.Element) -> None:
    """Make a node the block of a mark, with its English inside."""
    block = node
    if isinstance(node, nodes.reference):
        # A pencil is a link: it cannot stand in one.
        block = nodes.inline()
        node.replace_self(block)
        block += node
    block["jz"] = mark.number
    block["classes"] += mark.classes
    if mark.edit is not None:
        block["jz_edit"] = mark.edit
    if not mark.english:
        block["lang"] = "en"
        return
    hold_both(node, english("", mark.english, jz=mark.number, tag="span"))


def marks_in_navigation(tree: addnodes.toctree) -> Sequence[Mark]:
    """Return the marks of a toctree that appear in the sidebar only."""
    marks: Sequence[Mark] = tree.get("jz_marks", ()) if tree["hidden"] else ()
    return marks


def marked_html(mark: Mark) -> str:
    """Return the words of a mark in both languages, as HTML."""
    return both_html(escape(mark.text), mark.english)


def mark_attributes(mark: Mark, *, editable: bool) -> str:
    """Return the attributes of a marked element except its classes: `` data-jz="3"``.

    An ``editable`` element has the address where people can change its words.
    """
    html = f' data-jz="{mark.number}"'
    if editable and mark.edit is not None:
        html += f' data-jz-edit="{escape(mark.edit)}"'
    if not mark.english:
        html += ' lang="en"'
    return html


class contents(nodes.Element):  # noqa: N801 - nodes have such names
    """Placeholder where a book shows the pages below this one."""


class TableOfContents(SphinxDirective):
    """``tableofcontents`` of Jupyter Book: the pages below this one."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return a placeholder, which the transform replaces."""
        return [contents()]


class ListAllPages(SphinxTransform):
    """Add toctrees to the pages of an outline, and to the first page one for each folder."""

    default_priority = 4  # when there is a title, and before blocks are looked for

    def apply(self, **_: Any) -> None:
        """Add what is below the page in the outline; on the first page also all other pages.

        A first page with toctrees gets only the docs folders that nothing leads to.
        """
        root, page = self.config.root_doc, self.env.docname
        outline = self.config.jz_site.get("outline", {})
        is_root = page == root
        if is_root and self.document.next_node(addnodes.toctree):
            for folder, pages in self.config.jz_site["unlisted"].items():
                self._list(_caption_of(folder), _rows(pages))
            return
        places = list(self.document.findall(contents))
        for caption, rows in outline.get(page, ()):
            self._list(
                caption, rows, original=caption, place=places[0] if places else None
            )
        for place in places:
            place.parent.remove(place)
        if is_root:
            self._list_others(set(chain.from_iterable(map(_targets, outline.values()))))

    def _list_others(self, listed: Set[str]) -> None:
        """Add a toctree for each folder with pages that upstream has not listed."""
        found = self.env.found_docs
        others = [
            page for page in other_pages(found, self.env.docname) if page not in listed
        ]
        for folder, pages in groupby(others, _top_folder):
            if folder or not listed:
                self._list(_caption_of(folder), _rows(pages))
                continue
            # Without a caption they would seem to belong to the list before them.
            words = text(self.config.language, "more pages")
            self._list(words, _rows(pages), original=text("en", "more pages"))

    def _list(
        self,
        caption: str,
        rows: Sequence[Row],
        *,
        original: str = "",
        place: contents | None = None,
    ) -> None:
        """Add a toctree to the page: at its end and hidden, or visible at a place.

        ``original`` is the caption in English, if it is words and no name.
        """
        tree = addnodes.toctree(
            parent=self.env.docname,
            entries=list(self._entries(rows)),
            maxdepth=-1,
            caption=caption or None,
            # Sphinx reads the page again when there are other pages.
            glob=True,
            hidden=place is None,
            includehidden=False,
            numbered=0,
            titlesonly=place is not None,
            jz_rows=rows,
            jz_english=original,
        )
        tree["includefiles"] = [
            page for title, page in tree["entries"] if title is None
        ]
        wrapper = nodes.compound("", tree, classes=["toctree-wrapper"])
        if place is None:
            self.document += wrapper
        else:
            place.parent.insert(place.parent.index(place), wrapper)

    def _entries(self, rows: Sequence[Row]) -> Iterator[tuple[str | None, str]]:
        """Yield the entries for Sphinx, which knows no groups: pages have their own titles."""
        for title, target, below in rows:
            if target in self.env.found_docs:
                yield None, target
            elif "://" in target:
                yield title, target
            yield from self._entries(below)


def _rows(pages: Iterable[str]) -> list[Row]:
    """Return rows for pages."""
    return [("", page, ()) for page in pages]


def _targets(lists: Sequence[Row]) -> Iterator[str]:
    """Yield all targets in the lists of a page, those in groups as well."""
    for _, rows in lists:
        for _, target, below in rows:
            yield target
            yield from _targets([("", below)])


def _caption_of(folder: str) -> str:
    """Return the name of a folder as a caption."""
    return folder.replace("_", " ").replace("-", " ")


def other_pages(pages: Iterable[str], root: str) -> list[str]:
    """Return all pages but the first: those of the outermost folder, then folder by folder."""
    others = (page for page in pages if page != root)
    return sorted(others, key=lambda page: (_top_folder(page), page))


def _top_folder(page: str) -> str:
    """Return the outermost folder of a page; empty if it lies in none."""
    return page.partition("/")[0] if "/" in page else ""


def setup(app: Sphinx) -> None:
    """Register the directive of books, and list pages without toctrees."""
    app.add_transform(ListAllPages)
    app.add_directive("tableofcontents", TableOfContents, override=True)
