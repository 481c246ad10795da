"""The forms of English words, and patterns that find any of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_APART = re.compile(r"[ -]")
_ES = re.compile(r"(?:[sxz]|[cs]h)$")
_IES = re.compile(r"[^aeiou]y$")
_DOUBLED = re.compile(r"(?:^|[^aeiou])[aeiou][^aeiouwxy]$")  # jit: jitted; but batch: batched


def forms_of(english: str, *, is_verb: bool = False) -> list[str]:
    """A term and the forms of its last word: the plural; of a verb also those in -s, -ed, -ing, -tion. Some stand in no dictionary."""
    soft = bool(_IES.search(english))
    plural = (
        f"{english[:-1]}ies" if soft else f"{english}es" if _ES.search(english) else f"{english}s"
    )
    if not is_verb:
        return [english, plural]
    stem = english.removesuffix("e")
    forms = [english, plural, f"{english[:-1]}ied" if soft else f"{stem}ed", f"{stem}ing"]
    forms.append(f"{stem}ion" if english.endswith("te") else f"{stem}ation")
    if _DOUBLED.search(english):
        forms += [f"{english}{english[-1]}ed", f"{english}{english[-1]}ing"]
    return forms


def joined(words: str) -> str:
    """``words`` in lower case, without the hyphens and spaces between them."""
    return _APART.sub("", words).lower()


def pattern_of(forms: Iterable[str]) -> re.Pattern[str]:
    """Finds any of ``forms`` as a whole word of a text in lower case, the longest at each place.

    Hyphens and spaces are alike and may be missing. (To ignore the case would take three times as long.)

    It reads each character once, by which of the forms still can follow: trying hundreds of them in turn would take seconds.
    """
    root: dict[str, Any] = {}
    for form in forms:
        node = root
        for piece in re.findall(r"[ -]?[^ -]", form.lower()):
            node = node.setdefault(("[ -]?" if len(piece) > 1 else "") + re.escape(piece[-1]), {})
        node[""] = {}
    return re.compile(rf"\b{_branches(root)}\b", re.ASCII) if root else re.compile(r"(?!)")


def _branches(node: dict[str, Any]) -> str:
    pieces = [f"{piece}{_branches(below)}" for piece, below in node.items() if piece]
    return f"(?:{'|'.join(pieces)}){'?' if '' in node else ''}" if pieces else ""
