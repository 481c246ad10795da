"""Keeps translations that gave way, in files under ``build/`` that nothing reads back.

A translation that was stored once may be replaced by an edit, by a teammate's, or by damage to a
file; git may have no version with it. So it is written here before it goes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.core.memory.opening import add_kept, kept_entries
from pipeline.core.memory.record import Texts
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.stages.update.workspace import Workspace

# Why an entry is kept: what its msgctxt says.
OTHER = "someone else wrote"
TAKEN_BACK = "gone from the memory"
OUTDATED = "older than the memory"
REPLACED = "replaced"
_COMMENT = (
    "Translations that gave way to others. Nothing reads this file:",
    "take from it what is of use, and delete it when nothing is.",
)


def keep_aside(
    work: Workspace, page: str, entries: Iterable[Entry], texts: Texts, *, reason: str
) -> str:
    """Add entries of a memory to what is kept of ``page``; return the file's name.

    What an edit has ``REPLACED`` goes to a folder of its own: it is much, and seldom of use.
    ``texts`` is the English that is known. A dry run writes nothing.
    """
    paths = work.paths
    first = paths.set_aside(work.locale, page)
    if reason == REPLACED:
        first = paths.replaced(work.locale, page)
    path, catalog = _readable(first, work, page)
    kept = add_kept(catalog, kept_entries(entries, texts, reason=reason))
    write_if_changed(path, po.format_catalog(kept), dry=work.dry)
    return path.relative_to(paths.root).as_posix()


def _readable(first: Path, work: Workspace, page: str) -> tuple[Path, Catalog]:
    """The file to add to, and what it holds so far."""
    path = first
    for number in count(2):
        if not path.is_file():
            break
        try:
            return path, po.read_catalog(read_bytes(path), where=path.name).catalog
        except InputError:
            # Somebody may still mend it, so it is not written over: "guide.2.po" comes next.
            path = first.with_name(f"{first.stem}.{number}.po")
    header = po.standard_header(
        project=work.paths.name, page=page, locale=work.locale, date=""
    )
    return path, Catalog(header=header, comment=_COMMENT)
