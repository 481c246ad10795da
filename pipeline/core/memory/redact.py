"""Translations without upstream's words: long atoms (code, links, math) become ⟦N⟧, and come back from the English.

A translation repeats atoms as they are, so that a link of a dozen words would be upstream's text in our repository. Short ones
such as ``jax.jit`` stay, for people to read.
"""

from __future__ import annotations

import re

from pipeline.core.document.prose import atoms_of

_LONG = 4  # words from which on an atom is left out
_WORD = re.compile(r"[A-Za-z][A-Za-z']+")
_URL = re.compile(r"https?://[!-;=?-_a-z{|}~]+")
_TRAILING = ".,;:!?)*_"
_MARK = re.compile(r"⟦(\d+)⟧")


def redact(msgstr: str, english: str) -> str:
    """``msgstr`` with ⟦N⟧ for each long atom that it shares with ``english``; ⟦0⟧ stands for the bracket itself."""
    numbers: dict[str, int] = {"⟦": 0}
    for number, atom in enumerate(_long_atoms(english) if msgstr else (), start=1):
        numbers.setdefault(atom, number)
    present = sorted((atom for atom in numbers if atom in msgstr), key=len, reverse=True)
    if not present:
        return msgstr
    return re.sub("|".join(map(re.escape, present)), lambda match: f"⟦{numbers[match[0]]}⟧", msgstr)


def restore(msgstr: str, english: str | None) -> str | None:
    """The inverse of ``redact``; None if it takes English that is not known."""
    numbers = {int(number) for number in _MARK.findall(msgstr)}
    if not numbers:
        return msgstr
    atoms = ["⟦", *(_long_atoms(english) if english is not None and numbers != {0} else ())]
    if max(numbers) >= len(atoms):
        return None
    return _MARK.sub(lambda match: atoms[int(match[1])], msgstr)


def _long_atoms(english: str) -> list[str]:
    """The atoms of a message that are long, and the addresses in it, in order: a translation may have one without the other."""
    if len(english) < 2 * _LONG:
        return []
    urls = [url.rstrip(_TRAILING) for url in _URL.findall(english)] if "://" in english else []
    return [atom for atom in (*atoms_of(english), *urls) if len(_WORD.findall(atom)) >= _LONG]
