"""The word that somebody may have meant, for the hint of an error."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``Did you mean 'sync'? `` with a space after it; empty if no known word is near."""
    nearest = difflib.get_close_matches(word, list(known), n=1)
    # Nothing at all rather than a guess: people follow it.
    if not nearest:
        return ""
    return f"Did you mean {nearest[0]!r}? "
