"""The word that somebody may have meant, for the hint of an error."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_NAMED = 3  # words that are named, where one would be a guess


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``Did you mean 'sync'? `` with a space after it; empty if no known word is near."""
    nearest = difflib.get_close_matches(word, list(known), n=1)
    # Nothing at all rather than a guess: people follow it.
    if not nearest:
        return ""
    return f"Did you mean {nearest[0]!r}? "


def did_you_mean_any(word: str, known: Iterable[str]) -> str:
    """The same for one of many names, of which people know a part: up to three of them.

    ``Did you mean 'guide/arrays', 'guide/array-api'? ``
    """
    # Whoever copies a name has its suffix, or another system's separators.
    plain = {name: _plain(name) for name in known}
    wanted = _plain(word)
    parts = [name for name, text in plain.items() if wanted and wanted in text]
    parts.sort(key=len)  # "pytrees" before "custom_pytrees"
    names_by_text = {text: name for name, text in plain.items()}
    # A part of a name is short beside it, and would not count as near.
    near = difflib.get_close_matches(wanted, list(names_by_text), n=_NAMED)
    found = dict.fromkeys([*parts, *(names_by_text[text] for text in near)])
    names = ", ".join(map(repr, list(found)[:_NAMED]))
    return f"Did you mean {names}? " if names else ""


def _plain(name: str) -> str:
    """``name`` without what people get wrong: case, dashes, the suffix, wildcards."""
    for suffix in (".ipynb", ".md", ".rst", ".po"):
        name = name.removesuffix(suffix)
    return name.casefold().replace("_", "-").replace("\\", "/").strip("*/. ")
