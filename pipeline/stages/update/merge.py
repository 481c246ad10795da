"""Merge of one page, where its catalogue, its memory and what both started from meet.

The three versions come in. The memory comes out that holds what was done on both sides. A
translation that gives way is first written to a file under ``build/``, which nothing reads back. It
is reported if git cannot bring it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from math import inf
from pathlib import Path
from typing import NamedTuple

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.core.catalog.origins import EMPTIED
from pipeline.core.memory.closing import TouchOf, close_to_compare
from pipeline.core.memory.file import moment_of
from pipeline.core.memory.merge import Held, Merged, held_by, lost_in, reconcile
from pipeline.core.memory.opening import add_kept, kept_entries
from pipeline.core.memory.record import (
    TOUCH,
    Key,
    Memory,
    Texts,
    digest,
    key_of,
    text_of,
    translators_of,
)
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.stages.update.checkouts import MomentOf, Move
from pipeline.stages.update.english import texts_in
from pipeline.stages.update.locale import Workspace

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The three versions of a page, and how the memory came to be another than the base."""

    local: Catalog
    theirs: Memory
    base: Memory | None  # what both started from, if that is known
    move: Move
    seen: Memory | None = None  # what was last seen here, if that is not the base
    touch_of: TouchOf | None = None
    moment_of: MomentOf | None = None

    def is_older(self, our: Entry, their: Entry) -> bool:
        """Return whether a memory's entry was translated after the one here was committed."""
        touches = filter(None, map(TOUCH.fullmatch, translators_of(their)))
        translated = max((moment_of(touch[2]) for touch in touches), default=-inf)
        if self.moment_of is None or translated == -inf:
            return False
        mine = next(
            entry
            for entry in self.local.entries
            if (entry.context, digest(entry.msgid)) == key_of(our)
        )
        return self.moment_of(mine) < translated


def merge_sides(sides: Sides, held_elsewhere: Callable[[], Held]) -> Merged:
    """Merge the catalogue into the memory.

    ``held_elsewhere`` tells the translations in all catalogues; it is asked if that matters.
    """
    base, theirs = sides.base, sides.theirs
    ours = close_to_compare(
        sides.local, theirs, old=base or theirs, touch_of=sides.touch_of
    )
    follows = sides.move.by_git
    held = held_by([ours])
    merge = partial(reconcile, ours, theirs, base=base, is_older=sides.is_older)
    merged = merge(held=held, follows=follows)
    if merged.taken and not follows:
        # A translation that this catalogue lacks may only have moved to another one.
        held |= held_elsewhere()
        merged = merge(held=held)
    return merged


def keep_what_gives_way(
    work: Workspace, sides: Sides, merged: Merged, data: bytes
) -> None:
    """Keep the translations that this merge drops, and tell of those that a person should know.

    ``data`` is the catalogue as it will be: findings name its lines. Call it before anything is
    written.
    """
    dropped = _dropped(sides, merged)
    if not any(dropped) and not merged.emptied and not merged.outdated:
        return
    page = sides.theirs.page
    memory = work.files.memory_name(page)
    catalog = po.read_catalog(data, where="").catalog
    # An entry that was cut out of one of the two may stand in the other one.
    texts = texts_in(sides.local) | texts_in(catalog)
    lines = {
        (entry.context, digest(entry.msgid)): entry.line for entry in catalog.entries
    }
    if merged.emptied:
        emptied = _gave_way(
            work,
            page,
            merged.emptied,
            lines,
            code="translation-emptied",
            what="empty now; readers get the English",
            hint="The old words are kept at the end of the file, as obsolete entries with the "
            f'msgctxt "{EMPTIED}". Put back what was not meant to go.',
        )
        work.tell(emptied)
    if merged.outdated:
        name = keep_aside(work, page, merged.outdated, texts, reason=OUTDATED)
        outdated = _gave_way(
            work,
            page,
            merged.outdated,
            lines,
            code="catalogue-outdated",
            what=f"older than what {memory} has; the newer words are kept",
            hint="Git has brought an old version of the catalogue back, perhaps by one side of a "
            f"conflict. What stood here is in {name}: put back what is right.",
        )
        work.tell(outdated)
    if dropped.replaced:
        keep_aside(work, page, dropped.replaced, texts, reason=REPLACED)
    if dropped.others:
        name = keep_aside(work, page, dropped.others, texts, reason=OTHER)
        _tell_of_conflicts(work, page, merged, name=name, lines=lines)
    if dropped.gone:
        name = keep_aside(work, page, dropped.gone, texts, reason=TAKEN_BACK)
        taken_back = _gave_way(
            work,
            page,
            dropped.gone,
            lines,
            code="memory-taken-back",
            what=f"gone from {memory}, and git may not have them",
            hint="Someone took them back, or one side of a git conflict was dropped. "
            f"What stood here is in {name}: put back what is right.",
        )
        work.tell(taken_back)


class _Dropped(NamedTuple):
    """Entries whose translations a merge drops, by what a person is told of them."""

    others: Sequence[Entry] = ()  # of a conflict: those of the other side
    gone: Sequence[Entry] = ()  # nothing stands in their place
    replaced: Sequence[Entry] = ()  # another translation does: nothing is told


def _dropped(sides: Sides, merged: Merged) -> _Dropped:
    """What a merge drops, but for what git brings back."""
    others = [their for _, their in merged.conflicts]
    gone: list[Entry] = []
    replaced: list[Entry] = []
    now = merged.memory.by_key()
    held = held_by([merged.memory])
    given_up: list[Entry] = []
    if not sides.move.is_silent:
        given_up += merged.given_up
        # What was stored here, and not committed, before git replaced memory and catalogue.
        if sides.seen is not None:
            given_up += lost_in(merged.memory, sides.seen, held)
    for entry in dict.fromkeys(given_up):
        successor = now.get(key_of(entry))
        is_gone = successor is None or not text_of(successor)
        (gone if is_gone else replaced).append(entry)
    # Beside that, what the catalogue alone has replaced, and what both sides have.
    stored = [sides.theirs]
    if sides.base is not None and not sides.move.is_silent:
        stored.append(sides.base)
    told = (*others, *merged.given_up, *merged.outdated, *given_up)
    for memory in stored:
        lost = lost_in(merged.memory, memory, held)
        replaced += [entry for entry in lost if entry not in told]
    return _Dropped(others=others, gone=gone, replaced=replaced)


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


def _first_of(
    work: Workspace, page: str, entries: Sequence[Entry], lines: Mapping[Key, int]
) -> str:
    """Return the place of the first entry; of one that the page has lost there is no line."""
    known = sorted(lines[key_of(entry)] for entry in entries if key_of(entry) in lines)
    return ":".join([work.files.catalog_name(page), *map(str, known[:1])])


def _gave_way(
    work: Workspace,
    page: str,
    entries: Sequence[Entry],
    lines: Mapping[Key, int],
    *,
    code: str,
    what: str,
    hint: str,
) -> Finding:
    """Return a finding about translations that gave way: they are ``what``."""
    subject = "a translation that stood here is"
    if len(entries) > 1:
        subject = f"{len(entries)} translations that stood here are"
    return Finding(
        code=code,
        severity=Severity.WARNING,
        where=_first_of(work, page, entries, lines),
        text=f"{subject} {what}",
        page=page,
        hint=hint,
    )
