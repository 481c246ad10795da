"""Who translated how many messages, as the memory has it: for a page, and for the whole site."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pipeline.adapters import files, po
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.site.credits import ADOPTED
from pipeline.site.plan import Site
from pipeline.site.since import Role, authors_of

_NAMING = (b"translator: ", ADOPTED, b"#. drafted: ")  # the notes that name somebody


def contributors(site: Site) -> dict[str, int]:
    """The messages of each translator. A message counts for whoever touched it last."""
    counts: Counter[str] = Counter()
    folder = site.paths.memories(site.locale)
    for path in sorted(folder.rglob("*.po")):
        for entry in entries_with_authors(path):
            authors = authors_of(entry)
            counts.update(
                author.name for author in authors if author.role is not Role.MODEL
            )
    return dict(counts)


def entries_with_authors(path: Path) -> tuple[Entry, ...]:
    """The entries of a file of the memory; none if nobody is named there, as in most files."""
    if not path.is_file():
        return ()
    data = files.read_bytes(path)
    # Reading their entries takes most of the time of a build.
    if not any(note in data for note in _NAMING):
        return ()
    try:
        return po.read_catalog(data, where=str(path)).catalog.entries
    except InputError:
        return ()  # the stage that opens the memory has told of it
