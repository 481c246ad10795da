"""One page where its catalogue, its memory and what both started from meet.

In go the three versions, out comes the memory that holds what was done on both sides. What gives
way is kept in a file beside what is built, and told if git cannot bring it back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pipeline.adapters import po
from pipeline.core.memory.close import close_catalog
from pipeline.core.memory.reconcile import (
    Held,
    Merged,
    held_by,
    reconcile,
    replaced_in,
)
from pipeline.core.memory.record import Key, Memory, digest, key_of, text_of
from pipeline.entries import Catalog, Entry
from pipeline.findings import Finding, Severity
from pipeline.stages.update.aside import OTHER, REPLACED, TAKEN_BACK, keep_aside
from pipeline.stages.update.checkouts import Move
from pipeline.stages.update.rebuild import texts_in
from pipeline.stages.update.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The three versions of a page, and how the memory came to be another than the base."""

    local: Catalog
    theirs: Memory
    base: Memory | None  # what both started from, if that is known
    move: Move


def merge_sides(sides: Sides, held_elsewhere: Callable[[], Held]) -> Merged:
    """Merge the catalogue into the memory.

    ``held_elsewhere`` tells the translations in all catalogues; it is asked if that matters.
    """
    base, theirs = sides.base, sides.theirs
    # Where the English of an entry stands is no matter here: the result is opened again.
    ours = close_catalog(
        sides.local, theirs, old=base or theirs, live=theirs.live, find=lambda _: None
    )
    follows = sides.move.by_git
    held = held_by([ours])
    merged = reconcile(ours, theirs, base=base, held=held, follows=follows)
    if merged.taken and not follows:
        # A translation that this catalogue lacks may only have moved to another one.
        held |= held_elsewhere()
        merged = reconcile(ours, theirs, base=base, held=held)
    return merged


def keep_what_gives_way(
    work: Workspace, sides: Sides, merged: Merged, data: bytes
) -> None:
    """Keep the translations that this merge drops, and tell of those that a person should know.

    ``data`` is the catalogue as it will be: findings name its lines. Call it before anything is
    written.
    """
    page, texts = sides.theirs.page, texts_in(sides.local)
    others = [their for _, their in merged.conflicts]
    now = merged.memory.by_key()
    gone: list[Entry] = []
    replaced: list[Entry] = []
    for entry in () if sides.move.is_silent else merged.given_up:
        successor = now.get(key_of(entry))
        is_gone = successor is None or not text_of(successor)
        (gone if is_gone else replaced).append(entry)
    edited = replaced_in(merged.memory, sides.theirs, held_by([merged.memory]))
    replaced += [entry for entry in edited if entry not in others]
    if replaced:
        keep_aside(work, page, replaced, texts, reason=REPLACED)
    if others:
        name = keep_aside(work, page, others, texts, reason=OTHER)
        _tell_of_conflicts(work, page, merged, name=name, lines=_lines(data))
    if gone:
        name = keep_aside(work, page, gone, texts, reason=TAKEN_BACK)
        work.tell(_taken_back(work, page, gone, name=name, lines=_lines(data)))


def _lines(data: bytes) -> dict[Key, int]:
    """The line of every entry of a catalogue, by what its memory knows it by."""
    entries = po.read_catalog(data, where="").catalog.entries
    return {(entry.context, digest(entry.msgid)): entry.line for entry in entries}


def _tell_of_conflicts(
    work: Workspace, page: str, merged: Merged, *, name: str, lines: Mapping[Key, int]
) -> None:
    catalog, memory = work.files.catalog_name(page), work.files.memory_name(page)
    places = [(lines[key_of(our)], their.line) for our, their in merged.conflicts]
    for our_line, their_line in sorted(places):
        finding = Finding(
            code="memory-conflict",
            severity=Severity.WARNING,
            where=f"{catalog}:{our_line}",
            text=(
                f"was translated here and, differently, in {memory}:{their_line}; "
                "the one here is kept"
            ),
            page=page,
            hint=f"The other one stands in {name}: compare the two, and take the better one.",
        )
        work.tell(finding)


def _taken_back(
    work: Workspace,
    page: str,
    gone: Sequence[Entry],
    *,
    name: str,
    lines: Mapping[Key, int],
) -> Finding:
    where, memory = work.files.catalog_name(page), work.files.memory_name(page)
    # Of entries that the page has lost there is no line any more.
    known = sorted(lines[key_of(entry)] for entry in gone if key_of(entry) in lines)
    if known:
        where = f"{where}:{known[0]}"
    subject = "a translation that stood here is"
    if len(gone) > 1:
        subject = f"{len(gone)} translations that stood here are"
    return Finding(
        code="memory-taken-back",
        severity=Severity.WARNING,
        where=where,
        text=f"{subject} gone from {memory}, and git may not have them",
        page=page,
        hint=(
            "Someone took them back, or one side of a git conflict was dropped. "
            f"They stand in {name}: put back what is right."
        ),
    )
