"""Which translations a unit takes: as many as leave it intact together.

The guard looks at whole texts, not at single translations, because two of them may be harmless
alone and swallow what stands between them. What is left out is found by halving, in a bounded
number of tries: where very many break a page, some that break nothing are left out as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.document.grammar import Grammar
from pipeline.core.document.limits import most_tries
from pipeline.core.document.message import Message
from pipeline.core.document.read import Unit
from pipeline.core.document.splice import Edit, Placed


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to come into one unit. Messages go by their index in the unit's split."""

    unit: Unit
    translations: Mapping[int, str]
    # Of headings that links go on pointing to once they are translated.
    names: Mapping[int, str]
    insertions: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What has come into it. ``messages`` are those of the merged text, as it was read back."""

    kept: frozenset[int]  # messages whose translation stands there
    placed: Placed
    messages: tuple[Message, ...]
    gave_up: bool = False  # whether translations were left out that nobody has tried


def settle(grammar: Grammar, wanted: Wanted) -> Settled | None:
    """Place as many translations as leave the unit intact.

    None if the unit is broken without any of them: the insertions alone are to blame.
    """
    settled: Settled | None = None
    tries_left = most_tries(len(wanted.unit.split.text))

    def is_good(indices: Sequence[int]) -> bool:
        """Whether the unit is intact with these translations; if so, it is the result so far."""
        nonlocal settled, tries_left
        # Without any translation the unit is tried in any case: it has to be written.
        if indices and tries_left == 0:
            return False
        tries_left -= 1
        placed = _place(grammar, wanted, indices)
        messages = grammar.read_back(wanted.unit.split, placed)
        if messages is None:
            return False
        # The last good try is the result: halving only ever adds to what was good.
        settled = Settled(kept=frozenset(indices), placed=placed, messages=messages)
        return True

    if not _largest_good(list(wanted.translations), is_good):
        is_good([])
    if settled and tries_left <= 0:
        return replace(settled, gave_up=True)
    return settled


def _place(grammar: Grammar, wanted: Wanted, indices: Sequence[int]) -> Placed:
    """The unit with the translations of ``indices``, and the targets above their headings."""
    split = wanted.unit.split
    targets = [
        grammar.target(split.text, split.messages[index], wanted.names[index])
        for index in indices
        if index in wanted.names
    ]
    translations = {index: wanted.translations[index] for index in indices}
    return grammar.place(split, translations, [*targets, *wanted.insertions])


def _largest_good(
    indices: list[int], is_good: Callable[[Sequence[int]], bool]
) -> list[int]:
    """As many of ``indices`` as are good together, found by halving.

    If 3 of [1, 2, 3, 4] is bad, the tries are [1, 2, 3, 4], [1, 2], [1, 2, 3, 4], [1, 2, 3] and
    [1, 2, 4]. Each bad one costs about the logarithm of their number.
    """
    if not indices or is_good(indices):
        return indices
    if len(indices) == 1:
        return []
    middle = len(indices) // 2
    first = _largest_good(indices[:middle], is_good)
    # The second half has to be good together with what the first half has kept.
    return first + _largest_good(
        indices[middle:], lambda second: is_good([*first, *second])
    )
