"""M310: translations that belong to another message of the page: shifted by one, swapped, pasted twice.

What a translation shares with its English whatever the words (atoms, numbers, Latin words, the mark at the end, the length) says how
ill the two fit: its cost. A good translation costs 1 or less, the one of a neighbour mostly 10 and more.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

from pipeline.core.checks.base import PageCheck, Problem, Subject
from pipeline.core.document import prose
from pipeline.core.document.message import Markup
from pipeline.findings import Severity

_NEAR = 3  # how many entries away another message is looked for
_CLEARLY = 3.5  # how much better a translation must fit another message
_BADLY = 3.5  # the cost of one that hardly belongs where it is
_WELL = 3.0
_RUN = 3  # entries in a row that are hardly all shifted by chance
_LONG = 8  # characters that two messages hardly have in common by chance
_WORD = 2  # the same, if one follows the other
_ROLE = re.compile(r"(\{[\w+:-]+\}|:[\w.+:-]+:)`+[^`]*<([^<>`]+)>`+")
_IMAGE = re.compile(r"!\[[^\[\]]*\]")
_NAMED = re.compile(
    r"\s<([^<>`]+)_>`_"
)  # of reStructuredText: a reference whose words are not the name
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LATIN = re.compile(r"[A-Za-z][A-Za-z'’-]*[A-Za-z]")
_NAME = re.compile(r"\b[A-Z]\w*[A-Z](?=s?\b)|\b\w*[a-z][A-Z]\w*")
_NO_NAME = re.compile(r"(?!)")
_HAN = re.compile(f"[{prose.CJK}]")
_MARKS = ".,;:!?。，；：！？"
_BEHIND_END = "*_\"'”’」)]）" + "".join(
    filter(str.isspace, map(chr, range(0x3001)))
)  # no white space has a higher number
_ENDS = dict(zip(_MARKS, ".,,:!?.,,:!?", strict=True))


class _Traits(NamedTuple):
    """What a text has in common with its translation."""

    atoms: Counter[str]
    numbers: Counter[str]
    latin: frozenset[str]  # words in Latin letters
    names: frozenset[str]  # of English, those of them that a translation keeps: JAX, NumPy
    text: str  # in lower case
    end: str
    length: int
    lines: int


def _traits(text: str, markup: Markup, name: re.Pattern[str] = _NO_NAME) -> _Traits:
    rest = prose.mask(text, markup)
    latin = _LATIN.findall(rest)
    return _Traits(
        atoms=Counter(_target(atom) for atom in prose.atoms_of(text, markup) if atom != "`"),
        numbers=Counter(_NUMBER.findall(rest)),
        latin=frozenset(word.lower() for word in latin),
        names=frozenset(word.lower() for word in name.findall(rest)),
        text=text.lower(),
        end=_ENDS.get(rest.rstrip(_BEHIND_END)[-1:], ""),
        length=len(_HAN.findall(rest)) or len(latin),
        lines=text.count("\n"),
    )


def _target(atom: str) -> str:
    """An atom without the words in it that are translated."""
    if "!" in atom:
        atom = _IMAGE.sub("!", atom)
    if "<" in atom:
        atom = _NAMED.sub(r"`\1`_", _ROLE.sub(r"\1\2", atom))
    return atom.rstrip(_MARKS)


def _lost(one: Counter[str], other: Counter[str]) -> int:
    """How many of ``one`` are not in ``other``. What ``(one - other).total()`` says takes four times as long."""
    return sum(max(0, count - other[key]) for key, count in one.items()) if one else 0


def _cost(english: _Traits, chinese: _Traits) -> float:
    """How ill a translation fits an English text. The lengths are to each other as 1.7 characters to a word, give or take a third."""
    cost: float = min(3 * _lost(english.atoms, chinese.atoms), 9) + min(
        4 * _lost(chinese.atoms, english.atoms), 12
    )
    cost += min(1.5 * _lost(english.numbers, chinese.numbers), 3) + min(
        3 * _lost(chinese.numbers, english.numbers), 6
    )
    cost += min(1.5 * sum(name not in chinese.text for name in english.names), 3)
    cost += min(2 * sum(word not in english.text for word in chinese.latin), 4)
    cost += 2.5 * (english.end != chinese.end) + 2 * abs(english.lines - chinese.lines)
    return cost + min(
        (math.log((chinese.length + 2) / (1.7 * english.length + 2)) / 0.35) ** 2 / 2, 6
    )


class _Page:
    """The entries of a page, and for each the one that its translation seems to belong to (``homes``), if that is another one."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self.subjects = subjects
        self.english = [_traits(subject.msgid, subject.markup, _NAME) for subject in subjects]
        self.chinese = [_traits(subject.msgstr, subject.markup) for subject in subjects]
        self.own = [_cost(*pair) for pair in zip(self.english, self.chinese, strict=True)]
        self.homes: dict[int, int] = {}
        self.by_atoms: dict[frozenset[tuple[str, int]], list[int]] = {}
        for at, traits in enumerate(self.english):
            if traits.atoms:
                self.by_atoms.setdefault(frozenset(traits.atoms.items()), []).append(at)

    def gain(self, at: int, home: int) -> float:
        """How much better the translation of entry ``at`` fits ``home``."""
        return self.own[at] - _cost(self.english[home], self.chinese[at])

    def find_runs(self) -> None:
        """Entries in a row that are all shifted by as much; among them even those that tell nothing by themselves."""
        if sum(cost >= _CLEARLY for cost in self.own) < _RUN:
            return
        for offset in (*range(1, _NEAR + 1), *range(-1, -_NEAR - 1, -1)):
            places = range(max(0, -offset), min(len(self.own), len(self.own) - offset))
            gains = [
                (at, -math.inf if at in self.homes else self.gain(at, at + offset)) for at in places
            ]
            for is_run, group in groupby(gains, lambda pair: pair[1] > -1):
                run = list(group) if is_run else []
                telling = [at for at, gain in run if gain > 1]
                if sum(gain >= _CLEARLY for _, gain in run) >= _RUN:
                    self.homes |= {at: at + offset for at in range(telling[0], telling[-1] + 1)}

    def find_swaps(self) -> None:
        """Two entries whose translations, taken together, fit better the other way around."""
        pairs = []
        for at, other in self._pairs():
            gains = self.gain(at, other), self.gain(other, at)
            if sum(gains) >= _CLEARLY and min(gains) > -1:
                pairs.append((sum(gains), at, other))
        for _, at, other in sorted(pairs, reverse=True):
            if at not in self.homes and other not in self.homes:
                self.homes |= {at: other, other: at}

    def find_moves(self) -> None:
        """Translations that fit another entry, and have something of it that their own has not."""
        for at, cost in enumerate(self.own):
            if cost < _BADLY or at in self.homes:
                continue
            gain, home = max(
                ((self.gain(at, home), home) for home in self._others(at)), default=(0.0, at)
            )
            if (
                gain >= _CLEARLY
                and cost - gain <= _WELL
                and (self.own[home] >= _BADLY or self._has_signs(at, home))
            ):
                self.homes[at] = home

    def find_twins(self) -> None:
        """One translation for two messages: told is the one that it fits clearly less, or else the later one."""
        first: dict[str, int] = {}
        for at, subject in enumerate(self.subjects):
            home = first.setdefault(subject.msgstr, at)
            if (
                home == at
                or at in self.homes
                or home in self.homes
                or _is_alike(subject.msgid, self.subjects[home].msgid)
            ):
                continue
            difference = self.own[at] - self.own[home]
            if abs(difference) >= _CLEARLY or self.chinese[at].length >= (
                _LONG if at - home > 1 else _WORD
            ):
                self.homes |= {home: at} if difference < -_CLEARLY / 2 else {at: home}

    def _pairs(self) -> set[tuple[int, int]]:
        """Pairs of entries that fit so ill, taken together, that they are worth a look."""
        pairs = (
            (at, other)
            for at, cost in enumerate(self.own)
            if cost >= 1
            for other in self._others(at)
        )
        return {
            (min(pair), max(pair))
            for pair in pairs
            if self.own[pair[0]] + self.own[pair[1]] >= _CLEARLY
        }

    def _others(self, at: int) -> set[int]:
        """Entries near this one, and those with just the atoms of its translation."""
        near = range(max(0, at - _NEAR), min(len(self.own), at + _NEAR + 1))
        return {*near, *self.by_atoms.get(frozenset(self.chinese[at].atoms.items()), ())} - {at}

    def _has_signs(self, at: int, home: int) -> bool:
        chinese, own, other = self.chinese[at], self.english[at], self.english[home]
        shared = (
            (chinese.atoms & other.atoms)
            - own.atoms
            + ((chinese.numbers & other.numbers) - own.numbers)
        )
        return bool(shared) or any(
            word in other.text and word not in own.text for word in chinese.latin
        )


def find_shifted(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Entries whose translation fits another entry of the page clearly better."""
    page = _Page(subjects)
    page.find_runs()
    page.find_swaps()
    page.find_moves()
    page.find_twins()
    for at, home in sorted(page.homes.items()):
        words = subjects[home].msgid.replace("\n", " ")
        words = words if len(words) <= 40 else f"{words[:40]}…"
        way = f"{abs(home - at)} {'entry' if abs(home - at) == 1 else 'entries'} {'further down' if home > at else 'further up'}"
        swapped = " The two seem to be swapped." if page.homes.get(home) == at else ""
        hint = f"Compare both, and move the translation to where it belongs.{swapped}"
        yield Problem(index=at, text=f"looks like the translation of “{words}”, {way}", hint=hint)


def _is_alike(one: str, other: str) -> bool:
    """Whether two messages may well have one translation."""
    matcher = SequenceMatcher(None, one.lower(), other.lower(), autojunk=False)
    return matcher.real_quick_ratio() >= 0.6 and matcher.ratio() >= 0.6


PAGE_CHECKS = (
    PageCheck(
        code="M310",
        name="a translation of another message",
        severity=Severity.WARNING,
        find=find_shifted,
    ),
)
