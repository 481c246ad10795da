"""Who translated how many messages, as the memory has it: for the page about the translation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipeline.adapters import files, po
from pipeline.core.catalog.origins import copy_of
from pipeline.core.memory.notes import TOUCH, translators_of
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.site.credits import ADOPTED
from pipeline.site.plan import Site


def contributors(site: Site) -> dict[str, int]:
    """The messages of each translator. A message counts for whoever touched it last."""
    counts: Counter[str] = Counter()
    folder = site.paths.memories(site.locale)
    for path in sorted(folder.rglob("*.po")):
        counts.update(_translators(path))
    return dict(counts)


def _translators(path: Path) -> Iterator[str]:
    """The translator of every message in a file of the memory that has one.

    ``translator: Li Lei <li@example.org>, 2026-07-01 …`` → ``Li Lei``: the site shows no address.
    """
    data = files.read_bytes(path)
    if b"translator: " not in data and ADOPTED not in data:
        return  # most files: reading their entries takes most of the time of a build
    try:
        entries = po.read_catalog(data, where=str(path)).catalog.entries
    except InputError:
        return  # the stage that opens the memory has told of it
    for entry in entries:
        copy = copy_of(entry) if entry.is_translated else None
        if copy is not None:
            # Whoever confirmed it is named as well, below.
            yield copy.author.partition(" <")[0]
        touch = _last_touch(entry)
        if touch:
            yield touch[1].partition(" <")[0]


def _last_touch(entry: Entry) -> re.Match[str] | None:
    """Who touched a translation last, and when; None if nothing is noted of it."""
    notes = translators_of(entry)
    if not entry.is_translated or not notes:
        return None
    return TOUCH.match(notes[-1])
