"""M310: translations that belong to another message: shifted, swapped, or pasted twice.

Some traits of a text survive translation: atoms, numbers, Latin words, the final punctuation, the
length. The check compares the traits of an English text with those of a translation. The
differences between the traits add up to a cost: a number that says how badly the two texts fit.
Usually, a correct translation costs 1 or less, and the translation of another message costs 10 or
more.
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
# In reST, the name of a reference whose visible words differ from it: the "a" of `词 <a_>`_.
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
_CHARACTERS_A_WORD = 1.7  # mean number of Chinese characters per English word
# Standard deviation of the natural logarithm of the number of characters per word. So a usual
# translation has between 0.7 and 1.4 times as many characters as the mean.
_SPREAD = 0.35


class Traits(NamedTuple):
    """Traits of a text that survive translation."""

    atoms: Counter[str]
    numbers: Counter[str]
    latin: frozenset[str]  # words in Latin letters, in lower case
    # Words that a translation keeps, such as JAX and NumPy, in lower case. Only the names in the
    # English text are used.
    names: frozenset[str]
    text: str  # the complete text, in lower case
    end: str  # the final punctuation in its English form, or empty
    length: int  # number of Chinese characters, or of English words
    lines: int  # number of line breaks


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
    """Return an atom without the words that may be translated, and without final punctuation.

    "{ref}`词 <a>`" -> "{ref}a", "![图](a.png)" -> "!(a.png)", "https://a.b." -> "https://a.b"
    """
    if "!" in atom:
        atom = _IMAGE.sub("!", atom)
    if "<" in atom:
        atom = _NAMED.sub(r"`\1`_", _ROLE.sub(r"\1\2", atom))
    return atom.rstrip(_MARKS)


def cost_of(english: Traits, chinese: Traits) -> float:
    """Return the cost of a translation: how badly it fits an English text; at least 0.

    Each trait contributes up to a limit, so that none decides alone. Added atoms and numbers cost
    more than lost ones: a translation may omit something, but rarely invents something.
    """
    cost: float = min(3 * (english.atoms - chinese.atoms).total(), 9)
    cost += min(4 * (chinese.atoms - english.atoms).total(), 12)
    cost += min(1.5 * (english.numbers - chinese.numbers).total(), 3)
    cost += min(3 * (chinese.numbers - english.numbers).total(), 6)
    cost += min(1.5 * sum(name not in chinese.text for name in english.names), 3)
    cost += min(2 * sum(word not in english.text for word in chinese.latin), 4)
    cost += 2.5 * (english.end != chinese.end)
    cost += 2 * abs(english.lines - chinese.lines)
    expected = _CHARACTERS_A_WORD * english.length + 2
    deviation = math.log((chinese.length + 2) / expected) / _SPREAD
    return cost + min(deviation**2 / 2, 6)


_NEAR = 3  # maximum distance, in entries, to another message that is always compared
# A gain is how much less a translation costs in another entry. A gain of this much is clear.
_CLEAR_GAIN = 3.5
_SUSPICIOUS_COST = 3.5  # minimum cost of a suspicious translation
_GOOD_COST = 3.0  # maximum cost of a translation in the entry where it belongs
_RUN = 3  # minimum number of clear gains in a run of shifted translations
_LONG = 8  # translations of this many characters are rarely equal by chance
_SHORT = 2  # for translations of adjacent messages, this many characters are enough
_ALIKE = 0.6  # minimum similarity of English texts that may have the same translation
_LONGEST_QUOTE = 40  # characters


class _Page:
    """The entries of a page, and the entries where misplaced translations probably belong.

    ``homes`` maps the index of an entry (``at``) to the index of the entry where its translation
    probably belongs (``home``). Entries with a correct translation are absent. The four methods
    ``find_…`` fill ``homes``. Call the most reliable methods first, because no method changes an
    earlier result.
    """

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self.subjects = subjects
        self.english = [traits_of(one.msgid, one.markup) for one in subjects]
        self.chinese = [traits_of(one.msgstr, one.markup) for one in subjects]
        # The cost of each translation in its own entry.
        self.costs = list(map(cost_of, self.english, self.chinese))
        self.homes: dict[int, int] = {}
        # Indices of entries by the atoms of their English. Entries without atoms are left
        # out, because all of them would have the same key.
        self.by_atoms: dict[frozenset[tuple[str, int]], list[int]] = {}
        for at, traits in enumerate(self.english):
            if traits.atoms:
                self.by_atoms.setdefault(_atom_key(traits.atoms), []).append(at)

    def gain(self, at: int, home: int) -> float:
        """Return how much less the translation at ``at`` would cost in the entry ``home``."""
        return self.costs[at] - cost_of(self.english[home], self.chinese[at])

    def find_runs(self) -> None:
        """Record runs of entries whose translations are all shifted by the same offset.

        A run may include entries that give no evidence on their own, such as headings of one word.
        """
        # Fast path: most pages have too few suspicious translations for a run.
        if not _is_run(self.costs):
            return
        # Positive offsets come first, because skipping an entry is the most common mistake.
        for offset in (*range(1, _NEAR + 1), *range(-1, -_NEAR - 1, -1)):
            for run in self._runs_shifted_by(offset):
                for at in _certain_part(run):
                    self.homes[at] = at + offset

    def _runs_shifted_by(self, offset: int) -> Iterator[dict[int, float]]:
        """Yield runs of entries: the index of each entry, and the gain of a shift by ``offset``.

        A run consists of consecutive entries whose translations fit the shifted place better, or
        about as well. All gains in a run are above -1. For example, the gains 0, 4, 5, -9, 2 give a
        run of three entries and a run of one entry.
        """
        count = len(self.costs)
        gains: list[tuple[int, float]] = []
        for at in range(max(0, -offset), min(count, count - offset)):
            gain = -math.inf  # an entry that already has a home separates two runs
            if at not in self.homes:
                gain = self.gain(at, at + offset)
            gains.append((at, gain))
        for fits, group in groupby(gains, lambda pair: pair[1] > -1):
            if fits:
                yield dict(group)

    def find_swaps(self) -> None:
        """Record pairs of entries whose translations fit better when swapped."""
        # Take the clearest swaps first, because each entry can be in one swap only.
        for _, at, other in sorted(self._possible_swaps(), reverse=True):
            if at not in self.homes and other not in self.homes:
                self.homes[at], self.homes[other] = other, at

    def _possible_swaps(self) -> Iterator[tuple[float, int, int]]:
        """Yield each pair of translations that fits clearly better when swapped.

        Yield the total gain of the pair, and then the two indices. One of the translations may fit
        slightly worse when swapped: its gain must be above -1.
        """
        for at, other in self._doubtful_pairs():
            gain, other_gain = self.gain(at, other), self.gain(other, at)
            if gain + other_gain >= _CLEAR_GAIN and min(gain, other_gain) > -1:
                yield gain + other_gain, at, other

    def _doubtful_pairs(self) -> set[tuple[int, int]]:
        """Return the pairs of entries whose total cost is so high that they may be swapped.

        One of the two must cost at least 1. The lower index comes first.
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
        """Record suspicious translations that fit another entry clearly better.

        Unlike in a swap, the translation of the other entry need not fit here.
        """
        for at, cost in enumerate(self.costs):
            if cost < _SUSPICIOUS_COST or at in self.homes:
                continue
            home = self._better_home(at)
            if home is not None:
                self.homes[at] = home

    def _better_home(self, at: int) -> int | None:
        """Return the index of the other entry that the translation at ``at`` fits clearly better.

        Return None if there is no such entry. At equal gains, prefer the highest index.
        """
        gains = [(self.gain(at, home), home) for home in self._candidates(at)]
        gain, home = max(gains, default=(0.0, at))
        # The translation must fit the other entry well, and far better than its own.
        if gain < _CLEAR_GAIN or self.costs[at] - gain > _GOOD_COST:
            return None
        # If the other entry already has a good translation, require further evidence.
        if self.costs[home] < _SUSPICIOUS_COST and not self._has_signs(at, home):
            return None
        return home

    def _candidates(self, at: int) -> set[int]:
        """Return the indices of the entries to compare with the translation at ``at``.

        These are the nearby entries, and those whose English has exactly the same atoms.
        """
        near = range(max(0, at - _NEAR), min(len(self.costs), at + _NEAR + 1))
        same_atoms = self.by_atoms.get(_atom_key(self.chinese[at].atoms), ())
        return {*near, *same_atoms} - {at}

    def _has_signs(self, at: int, home: int) -> bool:
        """Return whether a translation has something of ``home`` that its own English lacks.

        This may be an atom, a number, or a word in Latin letters.
        """
        chinese, own, other = self.chinese[at], self.english[at], self.english[home]
        if (chinese.atoms & other.atoms) - own.atoms:
            return True
        if (chinese.numbers & other.numbers) - own.numbers:
            return True
        foreign = [word for word in chinese.latin if word not in own.text]
        return any(word in other.text for word in foreign)

    def find_twins(self) -> None:
        """Record equal translations of two messages that cannot have the same translation.

        If the translation fits one of the messages clearly worse, it is misplaced there. Otherwise
        it is misplaced at the later message.
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
            # If the translation fits the first message clearly worse, it is misplaced in the first
            # entry.
            if self.costs[at] - self.costs[first] < -_CLEAR_GAIN / 2:
                self.homes[first] = at
            else:
                self.homes[at] = first

    def _is_pasted(self, first: int, second: int) -> bool:
        """Return whether equal translations can be correct in only one of two entries.

        ``first`` and ``second`` are the indices of the entries.
        """
        if _is_alike(self.subjects[second].msgid, self.subjects[first].msgid):
            return False
        # The translation fits one of the entries far better than the other one.
        if abs(self.costs[second] - self.costs[first]) >= _CLEAR_GAIN:
            return True
        # Short translations may be equal by chance: 是, 参数. In adjacent entries, chance is a less
        # likely reason.
        least = _LONG
        if second - first == 1:
            least = _SHORT
        return self.chinese[second].length >= least


def _atom_key(atoms: Counter[str]) -> frozenset[tuple[str, int]]:
    """Return atoms with their counts as a key for a dictionary."""
    return frozenset(atoms.items())


def _is_run(figures: Iterable[float]) -> bool:
    """Return whether at least `_RUN` of the costs or gains are `_CLEAR_GAIN` or more.

    So many high values are hardly chance. They need not be adjacent.
    """
    return sum(figure >= _CLEAR_GAIN for figure in figures) >= _RUN


def _certain_part(run: Mapping[int, float]) -> range:
    """Return the part of a run that is certainly shifted, or an empty range.

    The result is empty if too few gains are high. Leave out entries with a gain of 1 or less at
    both ends of the run: their translations may be in the right place.
    """
    if not _is_run(run.values()):
        return range(0)
    clear = [at for at, gain in run.items() if gain > 1]
    return range(clear[0], clear[-1] + 1)


def _is_alike(msgid: str, other: str) -> bool:
    """Return whether two messages may have the same translation: ``Note`` and ``Notes:``."""
    matcher = SequenceMatcher(None, msgid.lower(), other.lower(), autojunk=False)
    # The first ratio is a cheap upper bound.
    return matcher.real_quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def find_shifted(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Report the entries of a page whose translation fits another entry clearly better."""
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
    """Return the distance and direction to another entry: ``1 entry further down``."""
    distance = abs(home - at)
    entries = "entry" if distance == 1 else "entries"
    direction = "down" if home > at else "up"
    return f"{distance} {entries} further {direction}"
