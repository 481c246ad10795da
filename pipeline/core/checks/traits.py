"""What a text has in common with its translation, whatever the words, and how ill two texts fit."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import NamedTuple

from pipeline.core.checks.base import Subject
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
    """The traits of the msgid."""
    names = _NAME.findall(prose.mask(subject.msgid, subject.markup))
    return _traits(subject.msgid, subject.markup, names)


def traits_of_chinese(subject: Subject) -> Traits:
    """The traits of the msgstr. Which of its Latin words are names is of no interest."""
    return _traits(subject.msgstr, subject.markup, [])


def _traits(text: str, markup: Markup, names: list[str]) -> Traits:
    """The traits of a text of either language, of whose words ``names`` are names."""
    rest = prose.mask(text, markup)
    latin = _LATIN.findall(rest)
    atoms = prose.atoms_of(text, markup)
    return Traits(
        atoms=Counter(_target(atom) for atom in atoms if atom != "`"),
        numbers=Counter(_NUMBER.findall(rest)),
        latin=frozenset(map(str.lower, latin)),
        names=frozenset(map(str.lower, names)),
        text=text.lower(),
        end=_ENDS.get(rest.rstrip(_BEHIND_END)[-1:], ""),
        length=len(_HAN.findall(rest)) or len(latin),
        lines=text.count("\n"),
    )


def _target(atom: str) -> str:
    """An atom without the words in it that are translated, and without a mark behind it.

    ``{ref}`词 <a>``` -> ``{ref}a``, ``![图](a.png)`` -> ``!(a.png)``, ``https://a.b.`` ->
    ``https://a.b``
    """
    if "!" in atom:
        atom = _IMAGE.sub("!", atom)
    if "<" in atom:
        atom = _NAMED.sub(r"`\1`_", _ROLE.sub(r"\1\2", atom))
    return atom.rstrip(_MARKS)


def cost_of(english: Traits, chinese: Traits) -> float:
    """How ill a translation fits an English text: 0 if nothing speaks against it.

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
    """How many of ``atoms`` are not in ``others``.

    What ``(atoms - others).total()`` says takes four times as long.
    """
    count = 0
    for atom, times in atoms.items():
        missing = times - others[atom]
        if missing > 0:
            count += missing
    return count
