"""Blocks in tables of contents: the caption of a ``toctree``, and entries with their own title.

Sphinx keeps both as strings and makes nodes of them when a page is written. So a toctree carries
the marks of its blocks from the reading of its page to that moment. One that is hidden is seen in
the navigation only: ``navigation`` marks it there, on the page that it is of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice

from docutils import nodes
from sphinx import addnodes
from sphinx.environment import BuildEnvironment

from pipeline.site.extension.nodes import both_html, english, hold_both
from pipeline.site.extension.waiting import Numbered, Waiting, key_of


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
        """The classes that every element of a block has."""
        return ["jz-block", f"jz-{self.state}"]


def toctrees_of(env: BuildEnvironment, page: str) -> list[addnodes.toctree]:
    """The toctrees of a page, in order; none if there is no such page."""
    contents = env.tocs.get(page)
    if contents is None:
        return []
    return list(contents.findall(addnodes.toctree))


def note_marks(tree: addnodes.toctree, waiting: Waiting, *, is_first: bool) -> None:
    """Give a toctree the marks of its caption, and of those entries that have a title.

    ``is_first`` says that it is on the first page of the site.
    """
    marks: list[Mark] = []
    for text in _strings_of(tree):
        taken = waiting.take([key_of(text)])
        if taken is not None:
            marks.append(_mark_of(text, taken))
    tree["jz_marks"] = marks
    if isinstance(tree.parent, nodes.compound):
        # Sphinx replaces the toctree, but not what it stands in, which the writer meets first.
        tree.parent["jz_marks"] = _marks_on_page(tree, is_first=is_first)


def _marks_on_page(tree: addnodes.toctree, *, is_first: bool) -> list[Mark]:
    """Those marks of a toctree that are put on its page.

    Of one that is shown these are all; of a hidden one it is at most the caption, and
    ``marks_in_navigation`` has the others.
    """
    marks: list[Mark] = tree["jz_marks"]
    if not tree["hidden"]:
        return marks
    # The navigation has the entries of all pages, but captions of the first one only.
    if is_first:
        return []
    return [mark for mark in marks if mark.text == tree.get("caption")][:1]


def _strings_of(tree: addnodes.toctree) -> Iterator[str]:
    """The caption of a toctree and the titles of its entries, as far as it has them."""
    if tree.get("caption"):
        yield tree["caption"]
    for title, _ in tree["entries"]:
        # Without one an entry is called by the title of its page, which is a block there.
        if title:
            yield title


def _mark_of(text: str, taken: Numbered) -> Mark:
    """The mark of a string that is the block ``taken``."""
    return Mark(
        number=taken.number,
        text=text,
        state=taken.block["state"],
        english=taken.block.get("english", ""),
        edit=taken.block.get("edit"),
    )


class WaitingMarks:
    """Marks that have not found their place yet.

    They are taken in order, so that of equal words each is marked once.
    """

    def __init__(self, marks: Iterable[Mark]) -> None:
        """All of ``marks`` wait at first."""
        self.left = list(marks)

    def take(self, words: str) -> Mark | None:
        """The first mark of these words, which waits no more; None if they are no block."""
        for mark in self.left:
            if mark.text == words:
                self.left.remove(mark)
                return mark
        return None


def put_marks(wrapper: nodes.compound) -> None:
    """Mark the nodes that Sphinx has made of a toctree. Comes when its page is written."""
    waiting = WaitingMarks(wrapper["jz_marks"])
    for node in list(_captions_and_entries(wrapper)):
        mark = waiting.take(node.astext())
        if mark is not None:
            _put(mark, node)
    # Sphinx shows no caption of a list that is hidden or empty. Nor do we, but it is marked.
    for mark in waiting.left:
        unseen = nodes.inline("", mark.text, jz_hidden="")
        wrapper += unseen
        _put(mark, unseen)


def _captions_and_entries(wrapper: nodes.compound) -> Iterator[nodes.Element]:
    """The title of each list, then the link at the start of each of its outermost items.

    They are what Sphinx has made of the strings that ``_strings_of`` tells, in the same order.
    """
    for child in _made_of_toctrees(wrapper):
        if isinstance(child, nodes.title):
            yield child
        elif isinstance(child, nodes.bullet_list):
            for item in child.children:
                # The links behind the first one are those of the items within.
                yield from islice(item.findall(nodes.reference), 1)


def _made_of_toctrees(wrapper: nodes.compound) -> Iterator[nodes.Node]:
    """What Sphinx has put in the place of toctrees: captions, each with its list behind it."""
    for made in wrapper.findall(addnodes.compact_paragraph):
        # Sphinx says so of its own lists.
        if made.get("toctree"):
            yield from made.children


def _put(mark: Mark, node: nodes.Element) -> None:
    """Make a node the block of a mark, with the English in it if there is one."""
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
    """The marks of a toctree that no page shows but in the navigation."""
    if not tree["hidden"]:
        return ()
    marks: Sequence[Mark] = tree.get("jz_marks", ())
    return marks


def marked_html(mark: Mark) -> str:
    """Return the words of a mark in both languages, as HTML."""
    return both_html(escape(mark.text), mark.english)


def mark_attributes(mark: Mark, *, editable: bool) -> str:
    """The attributes of a marked element but for its classes, as HTML: `` data-jz="3"``.

    An element that is ``editable`` says where people can change its words.
    """
    html = f' data-jz="{mark.number}"'
    if editable and mark.edit is not None:
        html += f' data-jz-edit="{escape(mark.edit)}"'
    if not mark.english:
        html += ' lang="en"'
    return html
