"""M310: translations of another message: shifted, swapped, or pasted twice.

Some traits of a text survive translation: atoms, numbers, Latin words, the final mark, the length.
Their differences give the cost of a pair, which measures how badly the texts fit. A correct
translation costs 1 or less, that of a neighbouring message usually 10 or more.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

from pipeline.core.checks.model import Problem, Subject
from pipeline.core.document import prose
from pipeline.core.document.message import Markup

_ROLE = re.compile(r"(\{[\w+:-]+\}|:[\w.+:-]+:)`+[^`]*<([^<>`]+)>`+")
_IMAGE = re.compile(r"!\[[^\[\]]*\]")
# reST: a reference with words that differ from its name.
_NAMED = re.compile(r"\s<([^<>`]+)_>`_")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LATIN = re.compile(r"[A-Za-z][A-Za-z'’-]*[A-Za-z]")
_NAME = re.compile(r"\b[A-Z]\w*[A-Z](?=s?\b)|\b\w*[a-z][A-Z]\w*")
_HAN = re.compile(f"[{prose.CJK}]")
_MARKS = ".,;:!?。，；：！？"
_ENDS = dict(zip(_MARKS, ".,,:!?.,,:!?", strict=True))
_LAST_WHITE_SPACE = 0x3000  # no white space has a higher code point
_WHITE_SPACE = "".join(filter(str.isspace, map(chr, range(_LAST_WHITE_SPACE + 1))))
_BEHIND_END = f"*_\"'”’」)]）{_WHITE_SPACE}"
_CHARACTERS_A_WORD = 1.7
_SPREAD = 0.35  # deviation of its logarithm: plus or minus a third


class Traits(NamedTuple):
    """Traits of a text that survive translation."""

    atoms: Counter[str]
    numbers: Counter[str]
    latin: frozenset[str]  # words in Latin letters
    # Words that a translation keeps: JAX, NumPy; those of the Chinese do not matter.
    names: frozenset[str]
    text: str  # in lower case
    end: str  # the final mark in its English form, or empty
    length: int  # Chinese characters, or English words
    lines: int  # line breaks


def traits_of(text: str, markup: Markup) -> Traits:
    """Return the traits of a text in either language."""
    rest = prose.mask(text, markup)
    latin = _LATIN.findall(rest)
    atoms = prose.atoms_of(text, markup)
    return Traits(
        atoms=Counter(_atom_target(atom) for atom in atoms if atom != "`"),
        numbers=Counter(_NUMBER.findall(rest)),
        latin=frozenset(map(str.lower, latin)),
        names=frozenset(map(str.lower, _NAME.findall(rest))),
        text=text.lower(),
        end=_ENDS.get(rest.rstrip(_BEHIND_END)[-1:], ""),
        length=len(_HAN.findall(rest)) or len(latin),
        lines=text.count("\n"),
    )


def _atom_target(atom: str) -> str:
    """Return an atom without its translatable words and without final punctuation.

    ``{ref}`词 <a>``` -> ``{ref}a``, ``![图](a.png)`` -> ``!(a.png)``, ``https://a.b.`` ->
    ``https://a.b``
    """
    if "!" in atom:
        atom = _IMAGE.sub("!", atom)
    if "<" in atom:
        atom = _NAMED.sub(r"`\1`_", _ROLE.sub(r"\1\2", atom))
    return atom.rstrip(_MARKS)


def cost_of(english: Traits, chinese: Traits) -> float:
    """Return how badly a translation fits an English text; 0 if nothing differs.

    No single trait is decisive, so the contribution of each is limited. Additions weigh more than
    losses: a translation may omit something, but it rarely invents atoms or numbers.
    """
    cost: float = min(3 * _count_lost(english.atoms, chinese.atoms), 9)
    cost += min(4 * _count_lost(chinese.atoms, english.atoms), 12)
    cost += min(1.5 * _count_lost(english.numbers, chinese.numbers), 3)
    cost += min(3 * _count_lost(chinese.numbers, english.numbers), 6)
    cost += min(1.5 * sum(name not in chinese.text for name in english.names), 3)
    cost += min(2 * sum(word not in english.text for word in chinese.latin), 4)
    cost += 2.5 * (english.end != chinese.end)
    cost += 2 * abs(english.lines - chinese.lines)
    expected = _CHARACTERS_A_WORD * english.length + 2
    deviation = math.log((chinese.length + 2) / expected) / _SPREAD
    return cost + min(deviation**2 / 2, 6)


def _count_lost(atoms: Counter[str], others: Counter[str]) -> int:
    """Return the number of ``atoms`` that are not in ``others``.

    Equals ``(atoms - others).total()``, which takes four times as long.
    """
    count = 0
    for atom, times in atoms.items():
        missing = times - others[atom]
        if missing > 0:
            count += missing
    return count


_NEAR = 3  # distance in entries within which other messages are compared
_CLEAR_GAIN = 3.5  # minimum gain for a better place
_SUSPICIOUS_COST = 3.5  # minimum cost of a suspicious translation
_GOOD_COST = 3.0  # maximum cost in the better place
_RUN = 3  # consecutive entries that are hardly shifted by chance
_LONG = 8  # characters that two translations rarely share by chance
_SHORT = 2  # the same for adjacent messages
_ALIKE = 0.6  # similarity of English texts that may share a translation
_LONGEST_QUOTE = 40  # characters


class _Page:
    """The entries of a page, and the probable places of misplaced translations.

    ``homes`` maps the index of an entry to the index of the entry where its translation probably
    belongs. Correct entries are absent. The four methods ``find_…`` fill it, starting with the most
    certain evidence; they never change an earlier result. ``at`` is the index of a suspicious
    entry, ``home`` that of its better place.
    """

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self.subjects = subjects
        self.english = [traits_of(one.msgid, one.markup) for one in subjects]
        self.chinese = [traits_of(one.msgstr, one.markup) for one in subjects]
        # The cost of each translation in its own place.
        self.costs = list(map(cost_of, self.english, self.chinese))
        self.homes: dict[int, int] = {}
        # Entries by their English atoms. Entries without atoms are left out: all would
        # be equal.
        self.by_atoms: dict[frozenset[tuple[str, int]], list[int]] = {}
        for at, traits in enumerate(self.english):
            if traits.atoms:
                self.by_atoms.setdefault(_atom_key(traits.atoms), []).append(at)

    def gain(self, at: int, home: int) -> float:
        """Return how much the cost of the translation at ``at`` would fall at ``home``."""
        return self.costs[at] - cost_of(self.english[home], self.chinese[at])

    def find_runs(self) -> None:
        """Record runs of entries that are all shifted by the same offset.

        A run may include entries that show nothing on their own, such as headings of one word.
        """
        # Fast path: most pages have too few suspicious translations for a run.
        if not _is_run(self.costs):
            return
        # Positive offsets first: omitting an entry is the most common mistake.
        for offset in (*range(1, _NEAR + 1), *range(-1, -_NEAR - 1, -1)):
            for run in self._runs_shifted_by(offset):
                for at in _certain_part(run):
                    self.homes[at] = at + offset

    def _runs_shifted_by(self, offset: int) -> Iterator[dict[int, float]]:
        """Yield runs of entries that would fit ``offset`` entries away as well, with their gains.

        The gains 0, 4, 5, -9, 2 give two runs, of three entries and of one.
        """
        count = len(self.costs)
        gains: list[tuple[int, float]] = []
        for at in range(max(0, -offset), min(count, count - offset)):
            gain = -math.inf  # an entry with a home separates two runs
            if at not in self.homes:
                gain = self.gain(at, at + offset)
            gains.append((at, gain))
        for fits, group in groupby(gains, lambda pair: pair[1] > -1):
            if fits:
                yield dict(group)

    def find_swaps(self) -> None:
        """Record pairs of entries whose translations fit better when swapped."""
        # The clearest swaps first, because each entry can be in one swap only.
        for _, at, other in sorted(self._possible_swaps(), reverse=True):
            if at not in self.homes and other not in self.homes:
                self.homes[at], self.homes[other] = other, at

    def _possible_swaps(self) -> Iterator[tuple[float, int, int]]:
        """Yield pairs of entries that fit clearly better when swapped, after the total gain.

        One of them may gain little, but it must not lose.
        """
        for at, other in self._doubtful_pairs():
            gain, other_gain = self.gain(at, other), self.gain(other, at)
            if gain + other_gain >= _CLEAR_GAIN and min(gain, other_gain) > -1:
                yield gain + other_gain, at, other

    def _doubtful_pairs(self) -> set[tuple[int, int]]:
        """Return the pairs of entries whose total cost is high enough to examine a swap.

        One of the two must be suspicious on its own. The lower index comes first.
        """
        pairs: set[tuple[int, int]] = set()
        for at, cost in enumerate(self.costs):
            if cost < 1:
                continue
            for other in self._candidates(at):
                if cost + self.costs[other] >= _CLEAR_GAIN:
                    pairs.add((min(at, other), max(at, other)))
        return pairs

    def find_moves(self) -> None:
        """Record translations that fit another entry, and share something only with that entry.

        They were pasted into the wrong entry, whatever the right one contains.
        """
        for at, cost in enumerate(self.costs):
            if cost < _SUSPICIOUS_COST or at in self.homes:
                continue
            home = self._better_home(at)
            if home is not None:
                self.homes[at] = home

    def _better_home(self, at: int) -> int | None:
        """Return the index of the entry that the translation at ``at`` fits best, or None.

        At equal gains, the candidate with the highest index wins.
        """
        gains = [(self.gain(at, home), home) for home in self._candidates(at)]
        gain, home = max(gains, default=(0.0, at))
        # The other entry must be far better than its own, and good on its own.
        if gain < _CLEAR_GAIN or self.costs[at] - gain > _GOOD_COST:
            return None
        # If the other entry already has a good translation, further evidence is needed.
        if self.costs[home] < _SUSPICIOUS_COST and not self._has_signs(at, home):
            return None
        return home

    def _candidates(self, at: int) -> set[int]:
        """Return the nearby entries, and those with exactly the atoms of this translation."""
        near = range(max(0, at - _NEAR), min(len(self.costs), at + _NEAR + 1))
        same_atoms = self.by_atoms.get(_atom_key(self.chinese[at].atoms), ())
        return {*near, *same_atoms} - {at}

    def _has_signs(self, at: int, home: int) -> bool:
        """Return whether a translation shares something with ``home`` that its own English lacks.

        That is an atom, a number, or a word in Latin letters.
        """
        chinese, own, other = self.chinese[at], self.english[at], self.english[home]
        if (chinese.atoms & other.atoms) - own.atoms:
            return True
        if (chinese.numbers & other.numbers) - own.numbers:
            return True
        foreign = [word for word in chinese.latin if word not in own.text]
        return any(word in other.text for word in foreign)

    def find_twins(self) -> None:
        """Record translations that two messages share.

        The misplaced one is that which fits clearly less, or otherwise the later one.
        """
        first_with: dict[str, int] = {}
        for at, subject in enumerate(self.subjects):
            first = first_with.setdefault(subject.msgstr, at)
            if first == at:
                continue
            if at in self.homes or first in self.homes:
                continue
            if not self._is_pasted(first, at):
                continue
            # If the first one fits clearly less, it was pasted from the second.
            if self.costs[at] - self.costs[first] < -_CLEAR_GAIN / 2:
                self.homes[first] = at
            else:
                self.homes[at] = first

    def _is_pasted(self, first: int, second: int) -> bool:
        """Return whether a shared translation can belong to only one of the two entries."""
        if _is_alike(self.subjects[second].msgid, self.subjects[first].msgid):
            return False
        # It fits one of them far better than the other.
        if abs(self.costs[second] - self.costs[first]) >= _CLEAR_GAIN:
            return True
        # Short translations may be equal by chance: 是, 参数. In adjacent entries that
        # is less likely.
        least = _LONG
        if second - first == 1:
            least = _SHORT
        return self.chinese[second].length >= least


def _atom_key(atoms: Counter[str]) -> frozenset[tuple[str, int]]:
    """Return atoms with their counts as a key."""
    return frozenset(atoms.items())


def _is_run(figures: Iterable[float]) -> bool:
    """Return whether enough costs or gains are clear to exclude chance.

    They need not be adjacent.
    """
    return sum(figure >= _CLEAR_GAIN for figure in figures) >= _RUN


def _certain_part(run: Mapping[int, float]) -> range:
    """Return the part of a run that is certainly shifted; empty if too few gains are clear.

    Entries without evidence at either end may be in the right place.
    """
    if not _is_run(run.values()):
        return range(0)
    clear = [at for at, gain in run.items() if gain > 1]
    return range(clear[0], clear[-1] + 1)


def _is_alike(msgid: str, other: str) -> bool:
    """Return whether two messages may share a translation: ``Note`` and ``Notes:``."""
    matcher = SequenceMatcher(None, msgid.lower(), other.lower(), autojunk=False)
    # The first ratio is a cheap upper bound.
    return matcher.real_quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def find_shifted(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Report entries whose translation fits another entry of the page clearly better."""
    page = _Page(subjects)
    page.find_runs()
    page.find_swaps()
    page.find_moves()
    page.find_twins()
    for at, home in sorted(page.homes.items()):
        words = subjects[home].msgid.replace("\n", " ")
        if len(words) > _LONGEST_QUOTE:
            words = f"{words[:_LONGEST_QUOTE]}…"
        hint = "Compare both, and move the translation to where it belongs."
        if page.homes.get(home) == at:
            hint += " The two seem to be swapped."
        yield Problem(
            text=f"looks like the translation of “{words}”, {_way_to(at, home)}",
            hint=hint,
            index=at,
        )


def _way_to(at: int, home: int) -> str:
    """Return the way from one entry to another: ``1 entry further down``."""
    distance = abs(home - at)
    entries, direction = "entries", "up"
    if distance == 1:
        entries = "entry"
    if home > at:
        direction = "down"
    return f"{distance} {entries} further {direction}"
