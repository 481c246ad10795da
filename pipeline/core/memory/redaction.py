"""Redaction of translations: long atoms become ⟦N⟧ in a memory, and are restored in a catalogue.

Atoms are code, links and formulas, which a translation repeats unchanged. A link of a dozen words
is text of upstream, which must not be in this repository. Short atoms such as ``jax.jit`` stay.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.core.document.prose import atoms_of
from pipeline.core.memory.record import SAME, SAME_AS_PREVIOUS
from pipeline.entries import Entry

_LONG = 4  # minimum number of words of a long atom
_SHORTEST = 2 * _LONG  # minimum number of characters of that many words
_WORD = re.compile(r"[A-Za-z][A-Za-z']+")
_URL = re.compile(r"https?://[!-;=?-_a-z{|}~]+")
_TRAILING = ".,;:!?)*_"  # at the end of a URL, these belong to the sentence
_BRACKET = "⟦"
_MARK = re.compile(r"⟦(\d+)⟧")


class Stored(NamedTuple):
    """A msgstr in the form of a memory. If the msgstr is English, a note replaces it."""

    msgstr: str = ""
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the msgstr or the note, as ``record.text_of`` does for an entry of a memory."""
        return "".join((self.msgstr, *self.notes))


def stored(entry: Entry) -> Stored:
    """Return the msgstr of a catalogue's ``entry`` in the form of a memory, without English.

    The note ``SAME`` replaces a msgstr that equals the msgid, and the note ``SAME_AS_PREVIOUS``
    replaces a msgstr that equals the previous msgid. In any other msgstr, the long atoms are
    replaced (see ``redact``).
    """
    if not entry.msgstr:
        return Stored()
    if entry.msgstr == entry.msgid:
        return Stored(notes=(SAME,))
    if entry.msgstr == entry.previous:
        return Stored(notes=(SAME_AS_PREVIOUS,))
    return Stored(msgstr=redact(entry.msgstr, entry.source_text))


def redact(msgstr: str, english: str) -> str:
    """Return ``msgstr`` with ⟦N⟧ for each long atom that it shares with ``english``.

    N counts the long atoms of the English from 1; ⟦0⟧ is an escaped bracket.
    "输入 `cup of tea for two`。" → "输入 ⟦1⟧。"
    """
    numbers: dict[str, int] = {_BRACKET: 0}
    # Most translations have too few English words for a long atom.
    if len(_WORD.findall(msgstr)) >= _LONG:
        for number, atom in enumerate(_long_atoms(english), start=1):
            numbers.setdefault(atom, number)
    present = [atom for atom in numbers if atom in msgstr]
    if not present:
        return msgstr
    if len(present) == 1:
        (atom,) = present  # the common case, which needs no pattern
        return msgstr.replace(atom, f"⟦{numbers[atom]}⟧")
    # Longest first: an atom may be part of another one.
    present.sort(key=len, reverse=True)
    pattern = "|".join(map(re.escape, present))
    return re.sub(pattern, lambda match: f"⟦{numbers[match[0]]}⟧", msgstr)


def restore(msgstr: str, english: str | None) -> str | None:
    """Return the original of a redacted msgstr, or None if a ⟦N⟧ cannot be restored.

    ``english`` is the text that was passed to ``redact``, or None if this text is unknown.
    """
    numbers = set(_MARK.findall(msgstr))
    if not numbers:
        return msgstr
    atoms = [_BRACKET]
    # ⟦0⟧, an escaped bracket, needs no English.
    if english is not None and numbers != {"0"}:
        atoms += _long_atoms(english)
    # Compare digits as text: a file may contain a number with thousands of digits.
    known = {str(number): atom for number, atom in enumerate(atoms)}
    if not numbers <= known.keys():
        return None
    return _MARK.sub(lambda match: known[match[1]], msgstr)


def _long_atoms(english: str) -> list[str]:
    """Return the long atoms of a message, then its long URLs.

    An atom is long if it has at least ``_LONG`` words: ``cup of tea for two``, but not ``jax.jit``.
    URLs are listed separately, because a translation may have the URL without the link around it.
    """
    # A shorter text cannot have ``_LONG`` words. This test is fast, and many messages are shorter.
    if len(english) < _SHORTEST:
        return []
    urls = _URL.findall(english)
    atoms = [*atoms_of(english), *(url.rstrip(_TRAILING) for url in urls)]
    return [atom for atom in atoms if len(_WORD.findall(atom)) >= _LONG]
