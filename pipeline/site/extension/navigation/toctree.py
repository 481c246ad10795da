"""Tables of contents (toctrees): translated captions and entries, and toctrees from an outline.

A caption or the title of an entry may be a block, that is a message of the page. Sphinx stores
captions and titles as strings, and creates their nodes only when it writes the page. So until then,
the toctree stores a ``Mark`` of each block. The entries of a hidden toctree appear in the sidebar
only.

Some docs have no toctrees, but an outline, such as ``nav`` in ``mkdocs.yml``. ``ListAllPages``
makes toctrees from the outline, and from pages that the outline lacks. Without these toctrees, the
navigation would be empty, and readers could not find the pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from html import escape
from itertools import chain, groupby, islice
from typing import Any

import msgspec
from docutils import nodes
from msgspec import Struct
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from pipeline.site.extension.nodes import english, wrap_both_languages
from pipeline.site.extension.records import Waiting, key_of
from pipeline.site.texts import text

Row = Sequence[Any]  # row of an outline: [title, page or address or "", rows below it]


class Mark(Struct, frozen=True, kw_only=True):
    """Mark of a block that Sphinx stores as a string: a caption, or the title of an entry."""

    number: int
    text: str  # the string, in the language that readers see
    state: str  # a ``ShownState``
    english: str = ""  # empty if ``text`` is English
    edit: str | None = None  # end of the address for editing the block

    @property
    def classes(self) -> list[str]:
        """CSS classes of the block's element."""
        return ["jz-block", f"jz-{self.state}"]


def toctrees_of(env: BuildEnvironment, page: str) -> list[addnodes.toctree]:
    """Return the toctrees of a page, in order; none if there is no such page."""
    contents = env.tocs.get(page)
    return [] if contents is None else list(contents.findall(addnodes.toctree))


def note_marks(tree: addnodes.toctree, waiting: Waiting, *, is_first: bool) -> None:
    """Store in a toctree the marks of its caption and of its titled entries.

    ``waiting`` has the blocks of the page that no node has matched yet. ``is_first`` means that
    the toctree is on the first page of the site.
    """
    caption = tree.get("caption")
    # Take only entries with a title. The others show the titles of their pages, which are blocks of
    # those pages.
    titles = [title for title, _ in tree["entries"] if title]
    marks: list[Mark] = []
    for words in filter(None, (caption, *titles)):
        block = waiting.take([key_of(words)])
        if block is not None:
            marks.append(msgspec.convert({**block, "text": words}, Mark))
    tree["jz_marks"] = marks
    if not isinstance(tree.parent, nodes.compound):
        return
    if tree["hidden"]:
        # The sidebar shows all entries, but captions only of the first page. So the caption of a
        # hidden toctree on another page is marked on that page.
        is_on_page = [mark for mark in marks if mark.text == caption][:1]
        marks = [] if is_first else is_on_page
    # Store the marks on the toctree's parent, for the writer: Sphinx will replace the toctree
    # itself.
    tree.parent["jz_marks"] = marks


def take_mark(marks: list[Mark], words: str) -> Mark | None:
    """Remove and return the first mark with these words; None if there is none.

    So each mark is used once, even if several have equal words.
    """
    mark = next((mark for mark in marks if mark.text == words), None)
    if mark is not None:
        marks.remove(mark)
    return mark


def put_marks(wrapper: nodes.compound) -> None:
    """Mark the nodes that Sphinx has made from a toctree. The writer calls this for ``wrapper``."""
    waiting = list(wrapper["jz_marks"])
    for node in list(_captions_and_entries(wrapper)):
        mark = take_mark(waiting, node.astext())
        if mark is not None:
            _put(mark, node)
    # Sphinx drops the caption of a hidden or empty list. In that case, add a hidden node that
    # represents the block.
    for mark in waiting:
        unseen = nodes.inline("", mark.text, jz_hidden="")
        wrapper += unseen
        _put(mark, unseen)


def _captions_and_entries(wrapper: nodes.compound) -> Iterator[nodes.Element]:
    """Yield the title of each list, then the first link of each of its top-level items.

    Sphinx has created them from the caption and the entries of a toctree, in the same order.
    """
    for made in wrapper.findall(addnodes.compact_paragraph):
        # Sphinx sets the attribute ``toctree`` on what it makes of a toctree.
        for child in made.children if made.get("toctree") else ():
            if isinstance(child, nodes.title):
                yield child
            elif isinstance(child, nodes.bullet_list):
                for item in child.children:
                    # All other links of the item belong to nested items.
                    yield from islice(item.findall(nodes.reference), 1)


def _put(mark: Mark, node: nodes.Element) -> None:
    """Turn a node into the block of a mark, with its English inside."""
    block = node
    if isinstance(node, nodes.reference):
        # The link for editing (a pencil) cannot be inside the link of the entry, so a node around
        # the entry becomes the block.
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
    wrap_both_languages(node, english("", mark.english, jz=mark.number, tag="span"))


def marks_in_navigation(tree: addnodes.toctree) -> list[Mark]:
    """Return the marks of a toctree that appear only in the sidebar."""
    return list(tree.get("jz_marks", ())) if tree["hidden"] else []


def mark_attributes(mark: Mark, *, editable: bool) -> str:
    """Return the attributes of a marked element, except its classes: `` data-jz="3"``.

    An ``editable`` element also has the address for editing its words.
    """
    html = f' data-jz="{mark.number}"'
    if editable and mark.edit is not None:
        html += f' data-jz-edit="{escape(mark.edit)}"'
    if not mark.english:
        html += ' lang="en"'
    return html


class contents(nodes.Element):  # noqa: N801 - nodes have such names
    """Placeholder for a list of the pages below the current page."""


class TableOfContents(SphinxDirective):
    """``tableofcontents`` of Jupyter Book: a list of the pages below the current page."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return a placeholder, which the transform ``ListAllPages`` replaces."""
        return [contents()]


class ListAllPages(SphinxTransform):
    """Transform that adds toctrees from the outline.

    On the first page, the transform also adds toctrees for pages that the outline lacks: one for
    each folder.
    """

    default_priority = 4  # after the title is added, before blocks are matched

    def apply(self, **_: Any) -> None:
        """Add toctrees to the current page: for the pages below it in the outline.

        The first page also gets toctrees for all pages that the outline lacks. If the first page
        has toctrees of its own, it gets only toctrees for docs folders that none of them leads to.
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
            self._list(caption, rows, original=caption, place=places[0] if places else None)
        for place in places:
            place.parent.remove(place)
        if is_root:
            self._list_others(set(chain.from_iterable(map(_targets, outline.values()))))

    def _list_others(self, listed: Set[str]) -> None:
        """Add a toctree for each folder with pages that the outline lacks.

        Pages without a folder come first.
        """
        others = self.env.found_docs - listed - {self.env.docname}
        by_folder = sorted(others, key=lambda page: (_top_folder(page), page))
        for folder, pages in groupby(by_folder, _top_folder):
            if folder or not listed:
                self._list(_caption_of(folder), _rows(pages))
                continue
            # Give these pages a caption, because they would seem to belong to the list above them.
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
        """Add a toctree to the page: a visible one at ``place``, or else a hidden one at the end.

        ``original`` is the English of the caption; empty if the caption is the name of a folder.
        """
        tree = addnodes.toctree(
            parent=self.env.docname,
            entries=list(self._entries(rows)),
            maxdepth=-1,
            caption=caption or None,
            # With ``glob``, Sphinx reads the page again when pages are added or removed.
            glob=True,
            hidden=place is None,
            includehidden=False,
            numbered=0,
            titlesonly=place is not None,
            jz_rows=rows,
            jz_english=original,
        )
        tree["includefiles"] = [page for title, page in tree["entries"] if title is None]
        wrapper = nodes.compound("", tree, classes=["toctree-wrapper"])
        if place is None:
            self.document += wrapper
        else:
            place.parent.insert(place.parent.index(place), wrapper)

    def _entries(self, rows: Sequence[Row]) -> Iterator[tuple[str | None, str]]:
        """Yield all entries of rows as Sphinx stores them, (title, target), without the levels.

        A page has None as title: Sphinx then shows the title of the page.
        """
        for title, target, below in rows:
            if target in self.env.found_docs:
                yield None, target
            elif "://" in target:
                yield title, target
            yield from self._entries(below)


def _rows(pages: Iterable[str]) -> list[Row]:
    """Return outline rows for pages."""
    return [("", page, ()) for page in pages]


def _targets(lists: Sequence[Row]) -> Iterator[str]:
    """Yield the targets of all rows in the lists of a page, at any depth."""
    for _, rows in lists:
        for _, target, below in rows:
            yield target
            yield from _targets([("", below)])


def _caption_of(folder: str) -> str:
    """Return the name of a folder as a caption: ``user_guide`` → ``user guide``."""
    return folder.replace("_", " ").replace("-", " ")


def _top_folder(page: str) -> str:
    """Return the top-level folder of a page; empty if there is none."""
    return page.partition("/")[0] if "/" in page else ""


def setup(app: Sphinx) -> None:
    """Register ``ListAllPages`` and Jupyter Book's ``tableofcontents``."""
    app.add_transform(ListAllPages)
    app.add_directive("tableofcontents", TableOfContents, override=True)
