"""Entries of catalogues for the site, and credits of adopted translations.

The stage ``merge`` writes the credits into documents, so it imports this module in every run. The
module must not import other modules of the site, which would make every run slower.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from pipeline.adapters.files import read_bytes
from pipeline.core.catalog.origins import credits_of
from pipeline.core.pin.lock import page_path
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.paths import Paths

ADOPTED = b"#. adopted: "  # start of the note of an adopted entry, in a catalogue


def entries_in(path: Path, *notes: bytes) -> tuple[Entry, ...]:
    """Return the entries of a catalogue or memory file; none if it is missing or damaged.

    If ``notes`` are given, files that contain none of them have no entries here: few files name
    authors, and parsing all files would take most of a build's time.
    """
    try:
        data = read_bytes(path)
        if notes and not any(note in data for note in notes):
            return ()
        from pipeline.adapters import po

        return po.read_catalog(data, where=str(path)).catalog.entries
    except InputError:
        return ()  # the stage that writes the file, or opens the memory, has reported it


def credits_of_page(paths: Paths, locale: str, document: str) -> list[tuple[str, str]]:
    """Return authors and licences of the translations that a document has adopted, sorted."""
    page = page_path(PurePosixPath(document).with_suffix("").as_posix())
    return sorted(credits_of(entries_in(paths.catalog(locale, page), ADOPTED)))
