"""Glossary of one upstream, read from its files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pipeline.adapters.files import read_bytes
from pipeline.core.glossary.glossary import Glossary, read_glossaries


def read_terms(paths: Iterable[Path]) -> Glossary | None:
    """Return the glossary of all ``paths``, or None if none of the files exists.

    Terms of a later file override those of an earlier one. Raises InputError.
    """
    return read_glossaries(
        (f"{path.parent.name}/{path.name}", read_bytes(path))
        for path in paths
        if path.is_file()
    )
