"""Whose translations were adopted for a page: they are named under its title.

In goes a document, out come authors and licences. Nearly every page has none, and is then not read:
``merge`` asks this of every page, and a run that has nothing to do must stay fast.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from pipeline.core.catalog.origins import credits_of
from pipeline.core.pin.lock import page_path
from pipeline.errors import InputError
from pipeline.paths import Paths

ADOPTED = b"#. adopted: "  # how the note of an adopted entry begins in a file


def credits_of_page(paths: Paths, locale: str, document: str) -> list[tuple[str, str]]:
    """Whose translations were adopted for a document, with their licences, by name."""
    page = page_path(PurePosixPath(document).with_suffix("").as_posix())
    path = paths.catalog(locale, page)
    try:
        data = path.read_bytes()
        if ADOPTED not in data:
            return []  # nearly all of them
        from pipeline.adapters import po

        entries = po.read_catalog(data, where=page).catalog.entries
    except (OSError, InputError):
        return []  # there is none, or it cannot be read, which update has told
    return sorted(credits_of(entries))
