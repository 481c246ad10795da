"""Pairs of a message and its changed version, to measure the matching of an update.

The pairs are found by position alone, so this ground truth shares nothing with the similarity that
the update uses. Two messages are a pair if they are in the same place between unchanged neighbours,
have the same kind, and occur nowhere else.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import SequenceMatcher

from msgspec import Struct

from pipeline.core.catalog.change_class import ChangeClass, classify
from pipeline.entries import Catalog, Entry

GAP = 3  # messages; in a longer row of changed ones the place tells too little
REWORDINGS = {  # by the percent of the words that survived
    75: f"{ChangeClass.REWORDING}, 75-100 % of the words left",
    50: f"{ChangeClass.REWORDING}, 50-75 %",
    25: f"{ChangeClass.REWORDING}, 25-50 % (mostly written anew)",
    0: f"{ChangeClass.REWORDING}, 0-25 % (mostly written anew)",
}
ANEW = (REWORDINGS[25], REWORDINGS[0])
EDITS = "all but those mostly written anew"
ROWS = (*map(str, ChangeClass), *REWORDINGS.values(), EDITS)

Pages = Mapping[str, tuple[Entry, ...]]

_WORD = re.compile(r"\w+")
_SAID = re.compile("译[0-9a-f]{40}")


class Pair(Struct, frozen=True, kw_only=True):
    """A message of ``page``, and the message that upstream replaced it by."""

    page: str
    old: str
    new: str

    @property
    def survived(self) -> float:
        """Return the percentage of words that both texts have, in any order (Dice coefficient).

        Markup and code are included.
        """
        texts = (self.old.casefold(), self.new.casefold())
        before, after = (Counter(_WORD.findall(text)) for text in texts)
        return 200 * (before & after).total() / max(1, (before + after).total())

    @property
    def is_edit(self) -> bool:
        """Return whether a translator would rather edit the old translation than start anew."""
        return self.label not in ANEW

    @property
    def label(self) -> str:
        """Return the class of the change; for a rewording, with the share of common words."""
        kind = classify(self.old, self.new).kind
        if kind is not ChangeClass.REWORDING:
            return str(kind)
        survived = self.survived
        return next(REWORDINGS[floor] for floor in REWORDINGS if survived >= floor)


def changed_pairs(
    before: Pages, after: Pages, known: Collection[str]
) -> Iterator[Pair]:
    """Yield the pairs between two releases.

    ``known`` are the texts of ``before`` and of earlier releases. A text among these has moved or
    come back, so it is not a change.
    """
    stays = {entry.msgid for entries in after.values() for entry in entries}
    for page in sorted(before.keys() & after.keys()):
        for old, new in _in_place(before[page], after[page]):
            if old.msgid not in stays and new.msgid not in known:
                yield Pair(page=page, old=old.msgid, new=new.msgid)


def _in_place(
    before: tuple[Entry, ...], after: tuple[Entry, ...]
) -> Iterator[tuple[Entry, Entry]]:
    """Yield old and new entries in the same place between unchanged neighbours.

    A place counts only if both releases have the same kinds of messages there, in the same order.
    """
    first, second = ([one.msgid for one in page] for page in (before, after))
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        old, new = before[start:end], after[new_start:new_end]
        is_in_place = tag == "replace" and len(old) <= GAP
        if is_in_place and [*map(_kind, old)] == [*map(_kind, new)]:
            yield from zip(old, new, strict=True)


def _kind(entry: Entry) -> str:
    return entry.notes[0].split()[0]


def verdict(
    pair: Pair, before: Mapping[str, Catalog], after: Mapping[str, Catalog]
) -> str:
    """Return the outcome of the update for a pair: ``useful``, ``other`` or ``none``.

    It is ``useful`` if the new message has the translation of the old one, perhaps fuzzy or as part
    of a longer one. This is visible because each msgstr in these tests names the English that it
    was made for.
    """
    had, offered = _said(before[pair.page], pair.old), _said(after[pair.page], pair.new)
    assert had, pair
    return "useful" if had <= offered else "other" if offered else "none"


def _said(catalog: Catalog, msgid: str) -> set[str]:
    live = [entry for entry in catalog.entries if not entry.obsolete]
    found = [entry.msgstr for entry in live if entry.msgid == msgid]
    assert found, msgid
    return set(_SAID.findall("\n".join(found)))


def tabulate(verdicts: Iterable[tuple[Pair, str]]) -> Iterator[str]:
    """Yield the lines of a table: counts of pairs and verdicts by class.

    The classes that need the least work come first.
    """
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for pair, given in verdicts:
        table[pair.label][given] += 1
        table[EDITS][given] += pair.is_edit
    yield f"  {'changed in place':45}{'pairs':>6}{'useful':>14}{'other':>7}{'none':>6}"
    for row in ROWS:
        found = table[row]
        if pairs := found.total():
            useful = f"{found['useful']:7}{found['useful'] / pairs:7.1%}"
            yield f"  {row:45}{pairs:6}{useful}{found['other']:7}{found['none']:6}"
