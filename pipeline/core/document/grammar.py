"""What a merge asks of the language that a document is written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from pipeline.core.document import splice
from pipeline.core.document.message import Message
from pipeline.core.document.read import Document, Format
from pipeline.core.document.splice import Edit, Placed
from pipeline.core.myst import guard
from pipeline.core.myst import targets as anchors
from pipeline.core.myst.guard import Refusal
from pipeline.core.myst.split import Split

# The names that headings are to keep, by split and message.
Names = dict[tuple[int, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How translations come into a unit of a document, and how it is proved that nothing but prose has changed."""

    refusal: Callable[[Message, str], Refusal | None]
    place: Callable[[Split, Mapping[int, str], Sequence[Edit]], Placed]
    read_back: Callable[
        [Split, Placed], tuple[Message, ...] | None
    ]  # the merged messages, if nothing but prose has changed
    plan_targets: Callable[
        [Sequence[Split], frozenset[str]], Names
    ]  # of all units, given the fragments that links point to
    target: Callable[[str, Message, str], Edit]  # text, heading, name → the line above the heading


def grammar_of(document: Document) -> Grammar:
    """The rules of the document's language."""
    if document.format is Format.RST:
        return _rst()
    return _markdown(is_page=document.notebook is None)


@cache
def _markdown(*, is_page: bool) -> Grammar:
    return Grammar(
        refusal=guard.refusal,
        place=splice.place,
        read_back=partial(guard.read_back, page=is_page),
        plan_targets=anchors.plan_anchors,
        target=partial(anchors.insertion, notebook=not is_page),
    )


@cache
def _rst() -> Grammar:
    from pipeline.core.rst import guard, placing, targets  # docutils takes a while to load

    return Grammar(
        refusal=guard.refusal,
        place=placing.place,
        read_back=guard.read_back,
        plan_targets=lambda splits, linked: {
            (0, index): name for index, name in targets.plan_targets(splits[0], linked).items()
        },
        target=targets.insertion,
    )
