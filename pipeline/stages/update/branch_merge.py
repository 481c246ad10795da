"""The merge driver: git hands over three versions of a memory file, and gets the merged one.

In go the files that git has written, out comes ours, changed in place. An entry that both sides
have translated differently stands between the marks of a conflict, like any other conflict of
git's; until a person has chosen, nothing reads the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, write_atomic
from pipeline.core.memory.branches import merge_branches
from pipeline.core.memory.file import memory_file, read_memory
from pipeline.core.memory.notes import TRANSLATOR, translators_of
from pipeline.core.memory.reconcile import Conflict
from pipeline.core.memory.record import Memory
from pipeline.entries import Catalog, Entry

_NOBODY = "somebody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """What git hands a merge driver (gitattributes(5), "Defining a custom merge driver").

    The result takes the place of ``ours``. ``name`` is the path of the file in the repository.
    """

    base: Path  # an empty file if both sides have added it
    ours: Path
    theirs: Path
    name: str
    marker_size: int = 7
    labels: tuple[str, str] = ("ours", "theirs")


def merge_memory_files(versions: Versions) -> tuple[str, ...]:
    """Merge; return a line for each conflict: which entry, and who has translated it.

    Raises InputError if one of the files is no memory. Then nothing is written.
    """
    ours = _read(versions.ours, versions.name)
    theirs = _read(versions.theirs, versions.name)
    base = None
    if read_bytes(versions.base):
        base = _read(versions.base, versions.name)
    merged = merge_branches(base, ours, theirs)
    file = memory_file(merged.memory)
    blocks = po.format_catalog(file).decode("utf-8").removesuffix("\n").split("\n\n")
    # The first block is the header; the entries follow in the order of the file.
    numbers = {
        (entry.context, entry.msgid): number
        for number, entry in enumerate(file.entries, start=1)
    }
    told: list[str] = []
    for conflict in merged.conflicts:
        entry = conflict.ours
        number = numbers[entry.context, entry.msgid]
        blocks[number] = _marked(blocks[number], conflict, versions)
        who = " and ".join(map(_translator, conflict))
        told.append(
            f"{versions.name}: {entry.msgid} was translated by {who}, differently"
        )
    write_atomic(versions.ours, ("\n\n".join(blocks) + "\n").encode("utf-8"))
    return tuple(told)


def _read(path: Path, name: str) -> Memory:
    """The memory in a file of git's, whose own name says nothing."""
    catalog = po.read_catalog(read_bytes(path), where=name).catalog
    # The header says what it is of, and the other two versions are of the same.
    return read_memory(
        catalog,
        upstream=catalog.header.get("X-Upstream", ""),
        locale=catalog.header.get("Language", ""),
        page=name,
        where=name,
    )


def _marked(ours: str, conflict: Conflict, versions: Versions) -> str:
    """Both versions of an entry between git's marks."""
    size = versions.marker_size
    our_label, their_label = versions.labels
    # Both stand at the same place, also if one side thinks the entry obsolete.
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


def _translator(entry: Entry) -> str:
    """Who has translated an entry, as its note says: ``Li Lei <li@example.org>, 2026-01-02 …``."""
    notes: Sequence[str] = translators_of(entry)
    return notes[0].removeprefix(TRANSLATOR) if notes else _NOBODY
