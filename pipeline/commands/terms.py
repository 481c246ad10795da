"""The terms that a team has agreed on for one upstream, read from the files that hold them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pipeline.adapters.files import read_bytes
from pipeline.core.glossary.terms import Glossary, read_glossary


def read_terms(paths: Iterable[Path]) -> Glossary | None:
    """The terms of all ``paths``, a later file before an earlier one; None if none is there.

    Raises InputError.
    """
    terms = None
    for path in paths:
        if path.is_file():
            # Broken bytes become a term that nobody uses, rather than the end of a run.
            text = read_bytes(path).decode("utf-8", "replace")
            read = read_glossary(text, where=f"{path.parent.name}/{path.name}")
            terms = terms.extended(read) if terms else read
    return terms
