"""Translations without upstream's words: long atoms become ⟦N⟧, and come back from the English.

A translation repeats atoms as they are, so that a link of a dozen words would be upstream's text in
our repository. Short ones such as ``jax.jit`` stay, for people to read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.core.document.prose import atoms_of
from pipeline.core.memory.record import SAME, SAME_AS_PREVIOUS
from pipeline.entries import Entry

_LONG = 4  # words from which on an atom is left out
_SHORTEST = 2 * _LONG  # characters that so many words take at least
_WORD = re.compile(r"[A-Za-z][A-Za-z']+")
_URL = re.compile(r"https?://[!-;=?-_a-z{|}~]+")
_TRAILING = ".,;:!?)*_"  # behind an address they belong to the sentence
_BRACKET = "⟦"
_MARK = re.compile(r"⟦(\d+)⟧")


class Stored(NamedTuple):
    """The translation of a catalogue's entry as a memory has it.

    If it is English itself, a note stands in its place.
    """

    msgstr: str = ""
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What ``text_of`` gives for the memory's entry."""
        return "".join((self.msgstr, *self.notes))


def stored(entry: Entry) -> Stored:
    """What a memory keeps of the msgstr of a catalogue's ``entry``, without English.

    A msgstr that is just the msgid becomes the note ``SAME``; any other one loses the
    long atoms of the English that it was written for (see ``redact``).
    """
    if not entry.msgstr:
        return Stored()
    if entry.msgstr == entry.msgid:
        return Stored(notes=(SAME,))
    if entry.msgstr == entry.previous:
        return Stored(notes=(SAME_AS_PREVIOUS,))
    return Stored(msgstr=redact(entry.msgstr, entry.written_for))


def redact(msgstr: str, english: str) -> str:
    """``msgstr`` with ⟦N⟧ for each long atom that it shares with ``english``.

    N counts the long atoms of the English from 1. ⟦0⟧ stands for the bracket itself.
    ``"输入 `cup of tea for two`。"`` → ``"输入 ⟦1⟧。"``
    """
    numbers: dict[str, int] = {_BRACKET: 0}
    # Most translations have too few English words to hold a long atom.
    if len(_WORD.findall(msgstr)) >= _LONG:
        for number, atom in enumerate(_long_atoms(english), start=1):
            numbers.setdefault(atom, number)
    present = [atom for atom in numbers if atom in msgstr]
    if not present:
        return msgstr
    if len(present) == 1:
        (atom,) = present  # nearly always, and without a pattern to compile
        return msgstr.replace(atom, f"⟦{numbers[atom]}⟧")
    # The longest one first: an atom may be a part of another one.
    present.sort(key=len, reverse=True)
    pattern = "|".join(map(re.escape, present))
    return re.sub(pattern, lambda match: f"⟦{numbers[match[0]]}⟧", msgstr)


def restore(msgstr: str, english: str | None) -> str | None:
    """The inverse of ``redact``; None if it takes English that is not known.

    ``english`` is the text that ``redact`` had; None if nobody knows it any more.
    """
    numbers = set(_MARK.findall(msgstr))
    if not numbers:
        return msgstr
    atoms = [_BRACKET]
    # A translation in which only brackets are marked needs no English.
    if english is not None and numbers != {"0"}:
        atoms += _long_atoms(english)
    # By their digits, as they are written: a file may hold a number of thousands of them.
    known = {str(number): atom for number, atom in enumerate(atoms)}
    if not numbers <= known.keys():
        return None
    return _MARK.sub(lambda match: known[match[1]], msgstr)


def _long_atoms(english: str) -> list[str]:
    """The long atoms of a message, then the long addresses in it.

    A translation may have an address without the link around it. An atom is long from
    ``_LONG`` words on: ``jax.jit`` is short, ``cup of tea for two`` is not.
    """
    # Most messages need no look at their atoms.
    if len(english) < _SHORTEST:
        return []
    urls = _URL.findall(english)
    atoms = [*atoms_of(english), *(url.rstrip(_TRAILING) for url in urls)]
    return [atom for atom in atoms if len(_WORD.findall(atom)) >= _LONG]
