"""What the first ``#.`` note of an entry says about the place of its message.

``check`` reads catalogues and nothing else, so this note is all it knows of the page. Whoever needs
the kind, the markup or the section of an entry asks here; nobody else takes a note apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.core.document.message import Kind, Markup
from pipeline.entries import Entry

_KINDS = frozenset(kind.value for kind in Kind)
_RST_FILE = re.compile(r"\.(?:rst|rest)(?::\d*)?$|:docstring$|:docstring of\b")
_MARKDOWN_FILE = re.compile(r"\.(?:md|markdown|myst|ipynb)(?::\d*)?$")
# ``code``, :role:`x`, `words`_; and [words](target), {role}`x`, a fence
_RST_SIGN = re.compile(r"``[^`]+``|:[\w.+:-]+:`|`__?(?!\w)")
_MARKDOWN_SIGN = re.compile(r"\]\(|\{[\w.+:-]+\}`|```")
# What stands behind the kind of a message that is no plain Markdown.
_MARKS = {f" ({Markup.RST})": Markup.RST}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a message stands: in what block, of which language, under which titles."""

    kind: Kind = Kind.PARAGRAPH
    markup: Markup = Markup.MARKDOWN
    section: str = ""  # the titles around it in one line, as `Message.section` has them


def read_place(entry: Entry, usual_markup: Markup = Markup.MARKDOWN) -> Place:
    """The place of an entry's message, as its first note tells it.

    :func:`pipeline.core.catalog.update.wanted_entries` writes that note, in the format
    ``KIND[ (MARKUP)][ · SECTION]``::

        #. list item · Install › With pip
        #. paragraph (reST)

    The markup is left out for Markdown, the section at the top of a page. An entry that another
    tool wrote has no such note; it counts as a paragraph in the usual language.
    """
    note = entry.notes[0] if entry.notes else ""
    block, _, section = note.partition(" · ")
    markup = Markup.MARKDOWN if block in _KINDS else usual_markup
    word = block
    for mark, marked in _MARKS.items():
        if block.endswith(mark):
            word, markup = block.removesuffix(mark), marked
    return Place(
        kind=Kind(word) if word in _KINDS else Kind.PARAGRAPH,
        markup=markup,
        section=section,
    )


def markup_of_references(entry: Entry) -> Markup | None:
    """What the files are marked up in that an entry is from; None if its ``#:`` do not tell.

    Sphinx writes ``../guide.rst:12``, ``guide.md:3``, and ``a.py:docstring of a.f:1``.
    """
    for reference in entry.references:
        if _RST_FILE.search(reference):
            return Markup.RST
        if _MARKDOWN_FILE.search(reference):
            return Markup.MARKDOWN
    return None


def usual_markup_of(entries: Sequence[Entry]) -> Markup:
    """What most entries of a catalogue are marked up in: by their ``#:``, or else by their English.

    Some platforms leave the ``#:`` out. Markdown if nothing tells.
    """
    told = Counter(filter(None, map(markup_of_references, entries)))
    if not told:
        for entry in entries:
            told[Markup.RST] += bool(_RST_SIGN.search(entry.msgid))
            told[Markup.MARKDOWN] += bool(_MARKDOWN_SIGN.search(entry.msgid))
    return Markup.RST if told[Markup.RST] > told[Markup.MARKDOWN] else Markup.MARKDOWN
