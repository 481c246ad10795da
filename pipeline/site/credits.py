"""Credits of adopted translations, shown on pages of the site and in merged documents.

``merge`` imports this module in every run, so it must not import the rest of the site.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from pipeline.core.catalog.origins import credits_of
from pipeline.core.pin.lock import page_path
from pipeline.errors import InputError
from pipeline.paths import Paths

ADOPTED = b"#. adopted: "  # start of an adopted entry's note in a file


def credits_of_page(paths: Paths, locale: str, document: str) -> list[tuple[str, str]]:
    """Return authors and licences of the translations that a document has adopted, sorted."""
    page = page_path(PurePosixPath(document).with_suffix("").as_posix())
    path = paths.catalog(locale, page)
    try:
        data = path.read_bytes()
        if ADOPTED not in data:
            return []  # the usual case: skip parsing
        from pipeline.adapters import po

        entries = po.read_catalog(data, where=page).catalog.entries
    except (OSError, InputError):
        return []  # missing, or unreadable, which update has reported
    return sorted(credits_of(entries))
