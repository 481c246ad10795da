"""git's merge driver for memory files: merges three versions into one.

git calls the driver with three files, and the driver writes the result to the file of our side. If
both sides have translated an entry differently, the result has both versions between git's conflict
marks. The pipeline rejects such a file until a person has resolved the conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, write_atomic
from pipeline.core.memory.file import memory_file, read_memory
from pipeline.core.memory.merge import Conflict, merge_branches
from pipeline.core.memory.record import TRANSLATOR, Memory, translators_of
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.folders import shortened
from pipeline.paths import Paths
from pipeline.stages.update.english import texts_in
from pipeline.stages.update.git_changes import touches_in_git

_EXCERPT = 60  # characters of the English in the report of a conflict


class Versions(Struct, frozen=True, kw_only=True):
    """Arguments of a merge driver (gitattributes(5), "Defining a custom merge driver").

    The result overwrites ``ours``. ``name`` is the path of the file in the repository.
    """

    base: Path  # an empty file if both sides added the memory file
    ours: Path
    theirs: Path
    name: str
    marker_size: int = 7
    labels: tuple[str, str] = ("ours", "theirs")


def merge_memory_files(versions: Versions) -> tuple[str, ...]:
    """Merge the versions, and return a line for each conflict: the entry and its translators.

    Raises InputError if one of the files is no valid memory. Then nothing is written.
    """
    ours = _read(versions.ours, versions.name)
    theirs = _read(versions.theirs, versions.name)
    base = None
    if read_bytes(versions.base):
        base = _read(versions.base, versions.name)
    merged = merge_branches(base, ours, theirs)
    file = memory_file(merged.memory)
    blocks = po.format_catalog(file).decode("utf-8").removesuffix("\n").split("\n\n")
    # The first block is the header; entries follow in the order of the file.
    numbers = {
        (entry.context, entry.msgid): number for number, entry in enumerate(file.entries, start=1)
    }
    english = _english_of(ours, versions.name) if merged.conflicts else {}
    lines: list[str] = []
    for conflict in merged.conflicts:
        entry = conflict.ours
        number = numbers[entry.context, entry.msgid]
        blocks[number] = _marked(blocks[number], conflict, versions)
        message = english.get(entry.msgid, entry.msgid)
        our = _translator(conflict.ours, versions.name, versions.labels[0])
        their = _translator(conflict.theirs, versions.name, versions.labels[1])
        lines.append(
            f"{ours.page}: {shortened(message, length=_EXCERPT)!r} was translated by {our} "
            f"and, differently, by {their}"
        )
    write_atomic(versions.ours, ("\n\n".join(blocks) + "\n").encode("utf-8"))
    return tuple(lines)


class _Place(NamedTuple):
    """Place of a memory file: the project's root, relative to the current folder, and the page."""

    root: Path
    page: str


def _place_of(name: str, *, upstream: str, locale: str) -> _Place:
    """Return the place of the memory file ``name``.

    ``translations/memory/zh_CN/docs/yard/shed.po`` of the upstream ``docs`` is the page
    ``yard/shed``.
    """
    folder = Paths(Path(), upstream).memories(locale).as_posix()
    root, _, path = f"/{name}".rpartition(f"/{folder}/")
    page = path.removeprefix("/").removesuffix(".po")
    return _Place(root=Path(root.removeprefix("/")), page=page)


def _read(path: Path, name: str) -> Memory:
    """Return the memory in a temporary file of git; ``name`` is its real path."""
    catalog = po.read_catalog(read_bytes(path), where=name).catalog
    # Upstream and locale come from the header. Together with them, the path gives the page.
    upstream = catalog.header.get("X-Upstream", "")
    locale = catalog.header.get("Language", "")
    page = _place_of(name, upstream=upstream, locale=locale).page
    return read_memory(catalog, upstream=upstream, locale=locale, page=page, where=name)


def _english_of(memory: Memory, name: str) -> dict[str, str]:
    """Return the English of a page by digest, from its working catalogue."""
    place = _place_of(name, upstream=memory.upstream, locale=memory.locale)
    path = Paths(place.root, memory.upstream).catalog(memory.locale, memory.page)
    try:
        return texts_in(po.read_catalog(read_bytes(path), where=path.name).catalog)
    except InputError:
        # A fresh clone has no catalogues. Then the report has the digest instead of the English.
        return {}


def _marked(ours: str, conflict: Conflict, versions: Versions) -> str:
    """Return both versions of an entry between git's conflict marks."""
    size = versions.marker_size
    our_label, their_label = versions.labels
    # Live entries precede obsolete ones in the file. Both versions are in one place, so both must
    # be live or obsolete.
    their = replace(conflict.theirs, obsolete=conflict.ours.obsolete)
    lines = (
        f"{'<' * size} {our_label}",
        ours,
        "=" * size,
        _block(their),
        f"{'>' * size} {their_label}",
    )
    return "\n".join(lines)


def _block(entry: Entry) -> str:
    return po.format_catalog(Catalog(entries=(entry,))).decode("utf-8").rstrip("\n")


def _translator(entry: Entry, name: str, label: str) -> str:
    """Return who translated an entry, from its note or from the author of the commit.

    ``Li Lei <li@example.org>, 2026-01-02 …``. If both are unknown, return ``somebody (theirs)``.
    """
    notes: Sequence[str] = translators_of(entry)
    if notes:
        return notes[0].removeprefix(TRANSLATOR)
    note = touches_in_git(Path(), name)(entry.msgstr)
    return note.removeprefix(TRANSLATOR) or f"somebody ({label})"
