"""Credits of adopted translations: their authors and licences.

The stage ``merge`` writes them into documents, so it imports this module in every run. The module
must not import other modules of the site, which would make every run slower.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from pipeline.adapters.files import read_bytes
from pipeline.core.catalog.origins import credits_of
from pipeline.core.pin.lock import page_path
from pipeline.errors import InputError
from pipeline.paths import Paths

ADOPTED = b"#. adopted: "  # start of the note of an adopted entry, in a catalogue


def credits_of_page(paths: Paths, locale: str, document: str) -> list[tuple[str, str]]:
    """Return authors and licences of the translations that a document has adopted, sorted."""
    page = page_path(PurePosixPath(document).with_suffix("").as_posix())
    path = paths.catalog(locale, page)
    try:
        data = read_bytes(path)
        if ADOPTED not in data:
            return []  # most catalogues have no such notes, so do not parse them
        from pipeline.adapters import po

        entries = po.read_catalog(data, where=page).catalog.entries
    except InputError:
        return []  # the catalogue is missing or unreadable; ``update`` has reported the latter
    return sorted(credits_of(entries))
