"""What the first ``#.`` note of an entry says about the place of its message.

``check`` reads catalogues and nothing else, so this note is all it knows of the page. Whoever needs
the kind, the markup or the section of an entry asks here; nobody else takes a note apart.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.core.document.message import Kind, Markup
from pipeline.entries import Entry

_KINDS = frozenset(kind.value for kind in Kind)
_RST_MARK = f" ({Markup.RST})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a message stands: in what block, of which language, under which titles."""

    kind: Kind = Kind.PARAGRAPH
    markup: Markup = Markup.MARKDOWN
    section: str = ""  # the titles around it in one line, as `Message.section` has them


def read_place(entry: Entry) -> Place:
    """The place of an entry's message, as its first note tells it.

    :func:`pipeline.core.catalog.update.wanted_entries` writes that note, in the format
    ``KIND[ (MARKUP)][ · SECTION]``::

        #. list item · Install › With pip
        #. paragraph (reST)

    The markup is left out for Markdown, the section at the top of a page. An entry that another
    tool wrote has no such note; it counts as a paragraph of Markdown.
    """
    if not entry.notes:
        return Place()
    block, _, section = entry.notes[0].partition(" · ")
    word = block.removesuffix(_RST_MARK)
    return Place(
        kind=Kind(word) if word in _KINDS else Kind.PARAGRAPH,
        markup=Markup.RST if block.endswith(_RST_MARK) else Markup.MARKDOWN,
        section=section,
    )
