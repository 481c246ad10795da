"""M310: translations that belong to another message: shifted by one, swapped, pasted twice.

What a translation shares with its English whatever the words (atoms, numbers, Latin words, the mark
at the end, the length) says how ill the two fit: its cost. A good translation costs 1 or less, the
one of a neighbour mostly 10 and more.
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
# Of reStructuredText: a reference whose words are not the name.
_NAMED = re.compile(r"\s<([^<>`]+)_>`_")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LATIN = re.compile(r"[A-Za-z][A-Za-z'’-]*[A-Za-z]")
_NAME = re.compile(r"\b[A-Z]\w*[A-Z](?=s?\b)|\b\w*[a-z][A-Z]\w*")
_HAN = re.compile(f"[{prose.CJK}]")
_MARKS = ".,;:!?。，；：！？"
_ENDS = dict(zip(_MARKS, ".,,:!?.,,:!?", strict=True))
_LAST_WHITE_SPACE = 0x3000  # no white space has a higher number
_WHITE_SPACE = "".join(filter(str.isspace, map(chr, range(_LAST_WHITE_SPACE + 1))))
_BEHIND_END = f"*_\"'”’」)]）{_WHITE_SPACE}"
_CHARACTERS_A_WORD = 1.7
_SPREAD = 0.35  # of the logarithm of that: give or take a third


class Traits(NamedTuple):
    """What of a text can be found again in its translation."""

    atoms: Counter[str]
    numbers: Counter[str]
    latin: frozenset[str]  # words in Latin letters
    # Of English, those of the words that a translation keeps: JAX, NumPy.
    names: frozenset[str]
    text: str  # in lower case
    end: str  # the mark at the end, as the English writes it; empty if there is none
    length: int  # Chinese characters, or words of English
    lines: int  # line breaks


def traits_of_english(subject: Subject) -> Traits:
    """Return the traits of the msgid."""
    names = _NAME.findall(prose.mask(subject.msgid, subject.markup))
    return _traits(subject.msgid, subject.markup, names)


def traits_of_chinese(subject: Subject) -> Traits:
    """Return the traits of the msgstr. Which of its Latin words are names is of no interest."""
    return _traits(subject.msgstr, subject.markup, [])


def _traits(text: str, markup: Markup, names: list[str]) -> Traits:
    """Return the traits of a text of either language, of whose words ``names`` are names."""
    rest = prose.mask(text, markup)
    latin = _LATIN.findall(rest)
    atoms = prose.atoms_of(text, markup)
    return Traits(
        atoms=Counter(_atom_target(atom) for atom in atoms if atom != "`"),
        numbers=Counter(_NUMBER.findall(rest)),
        latin=frozenset(map(str.lower, latin)),
        names=frozenset(map(str.lower, names)),
        text=text.lower(),
        end=_ENDS.get(rest.rstrip(_BEHIND_END)[-1:], ""),
        length=len(_HAN.findall(rest)) or len(latin),
        lines=text.count("\n"),
    )


def _atom_target(atom: str) -> str:
    """Return an atom without the words in it that are translated, and without a mark behind it.

    ``{ref}`词 <a>``` -> ``{ref}a``, ``![图](a.png)`` -> ``!(a.png)``, ``https://a.b.`` ->
    ``https://a.b``
    """
    if "!" in atom:
        atom = _IMAGE.sub("!", atom)
    if "<" in atom:
        atom = _NAMED.sub(r"`\1`_", _ROLE.sub(r"\1\2", atom))
    return atom.rstrip(_MARKS)


def cost_of(english: Traits, chinese: Traits) -> float:
    """Return how ill a translation fits an English text: 0 if nothing speaks against it.

    No trait alone decides, so each of them adds up to some limit only. What is new weighs more than
    what is lost: a translation may leave something out, but it hardly invents atoms or numbers.
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
    """Return how many of ``atoms`` are not in ``others``.

    What ``(atoms - others).total()`` says takes four times as long.
    """
    count = 0
    for atom, times in atoms.items():
        missing = times - others[atom]
        if missing > 0:
            count += missing
    return count


_NEAR = 3  # how many entries away another message is looked for
_CLEARLY = 3.5  # how much better a translation must fit another message
_BADLY = 3.5  # the cost of one that hardly belongs where it is
_WELL = 3.0
_RUN = 3  # entries in a row that are hardly all shifted by chance
_LONG = 8  # characters that two messages hardly have in common by chance
_SHORT = 2  # the same, if one follows the other
_ALIKE = 0.6  # of two English texts that may well have one translation
_LONGEST_QUOTE = 40  # characters


class _Page:
    """The entries of a page, and for each the one that its translation seems to belong to.

    ``homes`` has that only for entries whose translation seems to belong to another one. The four
    methods ``find_…`` fill it in, the surest first; what one of them has found the next ones leave.
    Entries are known by their numbers: ``at`` is one under suspicion, ``home`` where it may belong.
    """

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self.subjects = subjects
        self.english = [traits_of_english(subject) for subject in subjects]
        self.chinese = [traits_of_chinese(subject) for subject in subjects]
        # How ill each translation fits its own English.
        self.costs = list(map(cost_of, self.english, self.chinese))
        self.homes: dict[int, int] = {}
        # Where the English has certain atoms. Entries without any would all be alike.
        self.by_atoms: dict[frozenset[tuple[str, int]], list[int]] = {}
        for at, traits in enumerate(self.english):
            if traits.atoms:
                self.by_atoms.setdefault(_atom_key(traits.atoms), []).append(at)

    def gain(self, at: int, home: int) -> float:
        """Return how much better the translation of entry ``at`` fits ``home``."""
        return self.costs[at] - cost_of(self.english[home], self.chinese[at])

    def find_runs(self) -> None:
        """Record runs of entries that are all shifted by as much.

        Among them are even entries that show nothing by themselves: two headings of one word.
        """
        # On most pages too few translations fit ill for any run: then nothing need be compared.
        if not _is_run(self.costs):
            return
        # Further down first: to leave an entry out is the commonest slip.
        for offset in (*range(1, _NEAR + 1), *range(-1, -_NEAR - 1, -1)):
            for run in self._runs_shifted_by(offset):
                for at in _telling_part(run):
                    self.homes[at] = at + offset

    def _runs_shifted_by(self, offset: int) -> Iterator[dict[int, float]]:
        """Yield runs of entries that would fit as well ``offset`` entries away, with their gains.

        With the gains 0, 4, 5, -9, 2 there are two runs, of three entries and of one.
        """
        count = len(self.costs)
        gains: list[tuple[int, float]] = []
        for at in range(max(0, -offset), min(count, count - offset)):
            gain = -math.inf  # an entry that has a home parts two runs
            if at not in self.homes:
                gain = self.gain(at, at + offset)
            gains.append((at, gain))
        for fits, group in groupby(gains, lambda pair: pair[1] > -1):
            if fits:
                yield dict(group)

    def find_swaps(self) -> None:
        """Record pairs of entries whose translations fit better the other way around."""
        # The clearest swaps first, for each entry is part of one at most.
        for _, at, other in sorted(self._possible_swaps(), reverse=True):
            if at not in self.homes and other not in self.homes:
                self.homes[at], self.homes[other] = other, at

    def _possible_swaps(self) -> Iterator[tuple[float, int, int]]:
        """Yield pairs of entries that together fit clearly better the other way around.

        Each pair comes behind the gain of its swap. One of the two may show little, but it must not
        speak against the swap.
        """
        for at, other in self._doubtful_pairs():
            gain, other_gain = self.gain(at, other), self.gain(other, at)
            if gain + other_gain >= _CLEARLY and min(gain, other_gain) > -1:
                yield gain + other_gain, at, other

    def _doubtful_pairs(self) -> set[tuple[int, int]]:
        """Return pairs of entries that fit so ill, taken together, that they are worth a look.

        One of the two must fit ill by itself. The lower number stands first.
        """
        pairs: set[tuple[int, int]] = set()
        for at, cost in enumerate(self.costs):
            if cost < 1:
                continue
            for other in self._candidates(at):
                if cost + self.costs[other] >= _CLEARLY:
                    pairs.add((min(at, other), max(at, other)))
        return pairs

    def find_moves(self) -> None:
        """Record translations that fit another entry and have something that only that entry has.

        They were pasted into the wrong entry, whatever stands in the right one.
        """
        for at, cost in enumerate(self.costs):
            if cost < _BADLY or at in self.homes:
                continue
            home = self._better_home(at)
            if home is not None:
                self.homes[at] = home

    def _better_home(self, at: int) -> int | None:
        """Return the entry that the translation of ``at`` fits best; None if it fits none well.

        Candidates that gain as much are taken by their number, the last one first.
        """
        gains = [(self.gain(at, home), home) for home in self._candidates(at)]
        gain, home = max(gains, default=(0.0, at))
        # It must fit the other entry far better than its own, and well by itself.
        if gain < _CLEARLY or self.costs[at] - gain > _WELL:
            return None
        # If the other entry has a good translation of its own, more must speak for it.
        if self.costs[home] < _BADLY and not self._has_signs(at, home):
            return None
        return home

    def _candidates(self, at: int) -> set[int]:
        """Return entries near this one, and those with just the atoms of its translation."""
        near = range(max(0, at - _NEAR), min(len(self.costs), at + _NEAR + 1))
        same_atoms = self.by_atoms.get(_atom_key(self.chinese[at].atoms), ())
        return {*near, *same_atoms} - {at}

    def _has_signs(self, at: int, home: int) -> bool:
        """Return whether a translation has something of ``home`` that its own English has not.

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
        """Record translations that stand at two messages.

        The one that it fits clearly less is misplaced; otherwise the later one.
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
            # If it fits the first one clearly less, that was pasted from the second.
            if self.costs[at] - self.costs[first] < -_CLEARLY / 2:
                self.homes[first] = at
            else:
                self.homes[at] = first

    def _is_pasted(self, first: int, second: int) -> bool:
        """Return whether the translation that two entries share can belong to one of them only."""
        if _is_alike(self.subjects[second].msgid, self.subjects[first].msgid):
            return False
        # It fits one of them far better than the other.
        if abs(self.costs[second] - self.costs[first]) >= _CLEARLY:
            return True
        # Short translations may be the same by chance: 是, 参数. Side by side that is less so.
        least = _LONG
        if second - first == 1:
            least = _SHORT
        return self.chinese[second].length >= least


def _atom_key(atoms: Counter[str]) -> frozenset[tuple[str, int]]:
    """Return atoms as the key of a table, with how often each of them is named."""
    return frozenset(atoms.items())


def _is_run(figures: Iterable[float]) -> bool:
    """Return whether so many costs or gains are clear that it is hardly by chance.

    They may stand anywhere among the others.
    """
    return sum(figure >= _CLEARLY for figure in figures) >= _RUN


def _telling_part(run: Mapping[int, float]) -> range:
    """Return the entries of a run that are surely shifted; none if too few gains are clear.

    The entries at the edges of a run that show nothing may be right where they are.
    """
    if not _is_run(run.values()):
        return range(0)
    clear = [at for at, gain in run.items() if gain > 1]
    return range(clear[0], clear[-1] + 1)


def _is_alike(msgid: str, other: str) -> bool:
    """Return whether two messages may well have one translation: ``Note`` and ``Notes:``."""
    matcher = SequenceMatcher(None, msgid.lower(), other.lower(), autojunk=False)
    # The first ratio is an upper bound, and quick to compute.
    return matcher.real_quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def find_shifted(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Find entries whose translation fits another entry of the page clearly better."""
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
    """Return how to get from one entry to another: ``1 entry further down``."""
    distance = abs(home - at)
    entries, direction = "entries", "up"
    if distance == 1:
        entries = "entry"
    if home > at:
        direction = "down"
    return f"{distance} {entries} further {direction}"
