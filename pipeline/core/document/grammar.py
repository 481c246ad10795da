"""What a merge asks of the language that a document is written in.

A grammar is a record of functions, one record per language: a merge goes the same way for both,
and docutils is not loaded for a page of Markdown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from pipeline.core.document.guard import Refusal
from pipeline.core.document.markdown import anchors, guard, placement
from pipeline.core.document.message import Message, Split
from pipeline.core.document.reader import Document, Format
from pipeline.core.document.splice import Edit, Placed
from pipeline.reading import Reading

# The names that headings are to keep, by split and message.
Names = dict[tuple[int, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How translations come into a document, and how it is proved that only prose has changed."""

    # Why a translation of the message is not used, by its look alone.
    refusal: Callable[[Message, str], Refusal | None]
    # Translations by index of the message, and insertions.
    place: Callable[[Split, Mapping[int, str], Sequence[Edit]], Placed]
    # The messages of the merged text; None if more than prose has changed.
    read_back: Callable[[Split, Placed], tuple[Message, ...] | None]
    # Of all units, given the fragments that links point to.
    plan_targets: Callable[[Sequence[Split], frozenset[str]], Names]
    # Text, heading and name: the line above the heading.
    target: Callable[[str, Message, str], Edit]
    # All units, and the line: the number of the unit that gets it, and the edit.
    attribution: Callable[[Sequence[Split], str], tuple[int, Edit]]


def grammar_of(document: Document) -> Grammar:
    """The rules of the document's language."""
    if document.format is Format.RST:
        return _rst()
    return _markdown(
        is_page=document.notebook is None,
        is_run=document.format is Format.MYST_NOTEBOOK,
        reading=document.reading,
    )


@cache
def _markdown(*, is_page: bool, is_run: bool, reading: Reading) -> Grammar:
    """The rules of MyST: of a page as a whole, or of the cells of a notebook."""
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
def _rst() -> Grammar:
    """The rules of reST."""
    # docutils takes a while to load
    from pipeline.core.document.rst import anchors, guard, placement

    return Grammar(
        refusal=guard.refusal,
        place=placement.place,
        read_back=guard.read_back,
        plan_targets=anchors.plan_targets,
        target=anchors.target_edit,
        attribution=placement.attribution_edit,
    )
