"""Inflected forms of English terms, and a pattern that finds any of them.

A glossary has each term once, but a text may use any form of it. ``forms_of`` returns the forms of
a term. ``pattern_of`` returns a pattern that finds hundreds of forms in one pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_APART = re.compile(r"[ -]")
_ES = re.compile(r"(?:[sxz]|[cs]h)$")  # batch: batches
_IES = re.compile(r"[^aeiou]y$")  # identity: identities
# A last consonant that may be doubled: "jit" has "jitted", but "batch" has "batched".
_DOUBLED = re.compile(r"(?:^|[^aeiou])[aeiou][^aeiouwxy]$")
_PIECE = re.compile(r"[ -]?[^ -]")


def forms_of(english: str, *, is_verb: bool = False) -> list[str]:
    """Return a term, followed by the inflected forms of its last word.

    A noun has a plural. A verb also has forms in -ed, -ing and -tion: ``trace``, ``traces``,
    ``traced``, ``tracing``, ``tracation``. A form that is not an English word does no harm, because
    no text contains it.
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
    """Return ``words`` in lower case, joined without hyphens and spaces.

    ``Data type``, ``data-type`` -> ``datatype``
    """
    return _APART.sub("", words).lower()


def pattern_of(forms: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds any of ``forms`` as a whole word, longest first.

    The text to search must be in lower case; a case-insensitive pattern would take three times as
    long. A hyphen in a form also matches a space, and a space also matches a hyphen. The text may
    lack both.

    Trying hundreds of forms in turn would take seconds. So the forms are put into a trie (a tree of
    characters), and the pattern reads each character once. In the trie, an empty key marks the end
    of a form.
    """
    root: dict[str, Any] = {}
    for form in forms:
        node = root
        for piece in _PIECE.findall(form.lower()):
            character = re.escape(piece[-1])
            if len(piece) > 1:  # the character follows a hyphen or a space
                character = f"[ -]?{character}"
            node = node.setdefault(character, {})
        node[""] = {}
    if not root:
        return re.compile(r"(?!)")  # never matches
    return re.compile(rf"\b{_branches(root)}\b", re.ASCII)


def _branches(node: dict[str, Any]) -> str:
    """Return the pattern for the rest of all forms below a node of the trie.

    With the forms ``jit`` and ``jits``, the pattern below the node of ``t`` is ``(?:s)?``.
    """
    pieces = [f"{piece}{_branches(below)}" for piece, below in node.items() if piece]
    if not pieces:
        return ""
    branches = f"(?:{'|'.join(pieces)})"
    if "" in node:  # a form ends here, and longer ones continue
        return f"{branches}?"
    return branches
