"""Grammar: the functions that a merge needs for one markup language.

`merge` gets the grammar of a document and calls these functions, so `merge` itself does not depend
on the language. The modules of reST are imported only for reST documents, because docutils loads
slowly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from pipeline.core.document.guard import Refusal
from pipeline.core.document.markdown import anchors, guard, placement
from pipeline.core.document.message import Kind, Message, Split
from pipeline.core.document.reader import Document, Format
from pipeline.core.document.splice import Edit, Placed
from pipeline.reading import Reading

# Names that headings must keep as link targets, by (unit number, message index).
Names = dict[tuple[int, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """Functions that put translations into a text, and prove that only prose has changed."""

    # Takes (msgid, kind, msgstr). Returns why the guard refuses this translation, or None.
    refusal: Callable[[str, Kind, str], Refusal | None]
    # Takes (split, msgstr by message index, insertions). Returns the text with the translations.
    place: Callable[[Split, Mapping[int, str], Sequence[Edit]], Placed]
    # Takes (split, merged text). Returns the messages of the merged text, or None if more than
    # prose has changed.
    read_back: Callable[[Split, Placed], tuple[Message, ...] | None]
    # Takes (splits of all units, fragments that links point to). Returns the names that headings
    # must keep as link targets.
    plan_targets: Callable[[Sequence[Split], frozenset[str]], Names]
    # Takes (text, heading, name). Returns the insertion of a link target above the heading.
    target: Callable[[str, Message, str], Edit]
    # Takes (splits of all units, attribution). Returns the number of the unit to edit, and the
    # insertion of the attribution.
    attribution: Callable[[Sequence[Split], str], tuple[int, Edit]]


def grammar_of(document: Document) -> Grammar:
    """Return the grammar of the document's language."""
    if document.format in (Format.RST, Format.DOCSTRING):
        return _rst(is_docstring=document.format is Format.DOCSTRING)
    return _markdown(
        is_page=document.notebook is None,
        is_run=document.format is Format.MYST_NOTEBOOK,
        reading=document.reading,
    )


@cache
def _markdown(*, is_page: bool, is_run: bool, reading: Reading) -> Grammar:
    """Return the grammar of Markdown, for a page or for the cells of a notebook.

    ``is_run`` means that the page is a MyST notebook, whose code is executed.
    """
    return Grammar(
        refusal=guard.refusal,
        place=placement.place,
        read_back=partial(
            guard.read_back, page=is_page, is_run=is_run, reading=reading
        ),
        plan_targets=anchors.plan_targets,
        target=partial(anchors.target_edit, notebook=not is_page),
        attribution=placement.attribution_edit,
    )


@cache
def _rst(*, is_docstring: bool) -> Grammar:
    """Return the grammar of reST, for a page or for a docstring."""
    # These modules import docutils, which loads slowly.
    from pipeline.core.document.rst import anchors, guard, placement

    return Grammar(
        refusal=guard.refusal,
        place=placement.place,
        read_back=partial(guard.read_back, is_docstring=is_docstring),
        plan_targets=anchors.plan_targets,
        target=anchors.target_edit,
        attribution=placement.attribution_edit,
    )
