"""The terms that a team has agreed on for one upstream, read from the files that hold them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pipeline.adapters.files import read_bytes
from pipeline.core.glossary.glossary import Glossary, read_glossaries


def read_terms(paths: Iterable[Path]) -> Glossary | None:
    """The terms of all ``paths``, a later file before an earlier one; None if none is there.

    Raises InputError.
    """
    return read_glossaries(
        (f"{path.parent.name}/{path.name}", read_bytes(path))
        for path in paths
        if path.is_file()
    )
