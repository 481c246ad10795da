"""The forms of English words, and patterns that find any of them.

A glossary names a term once, but a text uses it in any form. ``forms_of`` returns these forms, and
``pattern_of`` finds hundreds of them in one pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_APART = re.compile(r"[ -]")
_ES = re.compile(r"(?:[sxz]|[cs]h)$")  # batch: batches
_IES = re.compile(r"[^aeiou]y$")  # identity: identities
# jit: jitted; but batch: batched
_DOUBLED = re.compile(r"(?:^|[^aeiou])[aeiou][^aeiouwxy]$")
_PIECE = re.compile(r"[ -]?[^ -]")


def forms_of(english: str, *, is_verb: bool = False) -> list[str]:
    """Return a term, followed by the inflected forms of its last word.

    A noun has a plural. A verb also has forms in -ed, -ing and -tion: ``trace``, ``traces``,
    ``traced``, ``tracing``, ``tracation``. Some of these forms are not English words; they do no
    harm because no text contains them.
    """
    is_soft = bool(_IES.search(english))
    plural, past = f"{english}s", f"{english.removesuffix('e')}ed"
    if is_soft:
        plural, past = f"{english[:-1]}ies", f"{english[:-1]}ied"
    elif _ES.search(english):
        plural = f"{english}es"
    if not is_verb:
        return [english, plural]
    stem = english.removesuffix("e")
    noun = f"{stem}ation"  # transform: transformation
    if english.endswith("te"):
        noun = f"{stem}ion"  # differentiate: differentiation
    forms = [english, plural, past, f"{stem}ing", noun]  # traces, traced, tracing
    if _DOUBLED.search(english):
        last = english[-1]
        forms += [f"{english}{last}ed", f"{english}{last}ing"]
    return forms


def joined(words: str) -> str:
    """Return ``words`` in lower case, without the hyphens and spaces between them.

    ``Data type``, ``data-type`` -> ``datatype``
    """
    return _APART.sub("", words).lower()


def pattern_of(forms: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds any of ``forms`` as a whole word, longest first.

    The text must be in lower case: a case-insensitive pattern takes three times as long. Hyphens
    and spaces match each other, and may be missing.

    Trying hundreds of forms in turn would take seconds. Therefore the forms become a tree of
    characters (a trie), and the pattern reads each character once. An empty key marks the end of a
    form.
    """
    root: dict[str, Any] = {}
    for form in forms:
        node = root
        for piece in _PIECE.findall(form.lower()):
            character = re.escape(piece[-1])
            if len(piece) > 1:  # it follows a hyphen or a space
                character = f"[ -]?{character}"
            node = node.setdefault(character, {})
        node[""] = {}
    if not root:
        return re.compile(r"(?!)")  # never matches
    return re.compile(rf"\b{_branches(root)}\b", re.ASCII)


def _branches(node: dict[str, Any]) -> str:
    """Return the pattern for everything that may follow a node of the tree.

    After the ``t`` of ``jit`` and ``jits``: ``(?:s)?``
    """
    pieces = [f"{piece}{_branches(below)}" for piece, below in node.items() if piece]
    if not pieces:
        return ""
    branches = f"(?:{'|'.join(pieces)})"
    if "" in node:  # a form ends here, and longer ones continue
        return f"{branches}?"
    return branches
