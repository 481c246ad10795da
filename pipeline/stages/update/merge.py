"""Merge of one page's catalogue with its memory, given their common base.

The result is the memory with the changes of both sides. Translations that the merge drops are first
saved in files under ``build/``, unless git has them. Conflicts and lost translations are reported.
Translations that somebody has replaced by other ones are saved, but not reported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from math import inf
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.core.catalog.origins import EMPTIED
from pipeline.core.memory.closing import TranslatorNoteOf, close_catalog
from pipeline.core.memory.file import moment_of
from pipeline.core.memory.merge import (
    Merged,
    Translations,
    lost_in,
    reconcile,
    translations_in_memories,
    translations_seen_at,
)
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
from pipeline.stages.update.english import texts_in
from pipeline.stages.update.git_changes import MomentOf, Move
from pipeline.stages.update.locale import Locale

# Translations that a merge drops are saved in "set-aside" files under ``build/``. The msgctxt of
# each entry there is one of these reasons.
OTHER = "someone else wrote"
TAKEN_BACK = "gone from the memory"
OUTDATED = "older than the memory"
REPLACED = "replaced"
_COMMENT = (
    "Translations that were replaced by others. No command reads this file:",
    "take the translations that you need from it, then delete it.",
)


def keep_aside(
    locale: Locale, page: str, entries: Iterable[Entry], texts: Texts, *, reason: str
) -> str:
    """Save entries of a memory in the set-aside file of ``page``; return the file's name.

    Entries with the reason ``REPLACED`` go to a separate folder, because they are many and rarely
    needed. ``texts`` has the known English by digest. A dry run writes nothing.
    """
    paths = locale.paths
    first = paths.set_aside(locale.name, page)
    if reason == REPLACED:
        first = paths.replaced(locale.name, page)
    path, catalog = _readable(first, locale, page)
    kept = add_kept(catalog, kept_entries(entries, texts, reason=reason))
    write_if_changed(path, po.format_catalog(kept), dry=locale.run.dry)
    return path.relative_to(paths.root).as_posix()


def _readable(first: Path, locale: Locale, page: str) -> tuple[Path, Catalog]:
    """Return the set-aside file to add to, and its current content."""
    path = first
    for number in count(2):
        if not path.is_file():
            break
        try:
            return path, po.read_catalog(read_bytes(path), where=path.name).catalog
        except InputError:
            # Do not overwrite an unreadable file. Try the next name: "guide.2.po".
            path = first.with_name(f"{first.stem}.{number}.po")
    header = po.standard_header(project=locale.paths.name, page=page, locale=locale.name, date="")
    return path, Catalog(header=header, comment=_COMMENT)


class Sides(Struct, frozen=True, kw_only=True):
    """The three versions of a page, and how the memory has changed since the base.

    ``touch_of`` returns who translated a msgstr, and ``moment_of`` when an entry was committed.
    """

    local: Catalog
    theirs: Memory
    base: Memory | None  # the common base, if known
    move: Move
    seen: Memory | None = None  # the memory of the last run, if it is not the base
    touch_of: TranslatorNoteOf | None = None
    moment_of: MomentOf | None = None
    other_commits: Collection[str] = ()  # commits of the other releases

    def is_older(self, our: Entry, their: Entry) -> bool:
        """Return whether the memory's entry was translated after ours was committed."""
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


def merge_sides(sides: Sides, held_elsewhere: Callable[[], Translations]) -> Merged:
    """Merge the catalogue into the memory, and return the result.

    ``held_elsewhere`` returns the translations of all catalogues. It is called only if needed,
    because it is slow.
    """
    base, theirs = sides.base, sides.theirs
    ours = close_catalog(sides.local, theirs, old=base or theirs, touch_of=sides.touch_of)
    follows = sides.move.by_git
    # Translations for another release stay on the page, even if another catalogue has them, too.
    # Otherwise, runs of the two releases would alternately add and remove them.
    others = translations_seen_at(theirs, sides.other_commits)
    held = translations_in_memories([ours]) - others
    merge = partial(reconcile, ours, theirs, base=base, is_older=sides.is_older)
    merged = merge(held=held, follows=follows)
    if merged.taken and not follows:
        # A translation that this catalogue lacks may be in another catalogue now.
        held |= held_elsewhere() - others
        merged = merge(held=held)
    return merged


def save_dropped_translations(
    locale: Locale, sides: Sides, merged: Merged, catalog: Catalog
) -> None:
    """Save the translations that this merge drops, and report those that matter.

    ``catalog`` is the catalogue that will be written; findings refer to its lines. Call this before
    anything is written.
    """
    dropped = _dropped(sides, merged)
    if not any(dropped) and not merged.emptied and not merged.outdated:
        return
    page = sides.theirs.page
    memory = locale.memory_name(page)
    # Each of the two catalogues may have entries that the other one lacks.
    texts = texts_in(sides.local) | texts_in(catalog)
    lines = {(entry.context, digest(entry.msgid)): entry.line for entry in catalog.entries}
    report = partial(_report_dropped, locale, page, lines=lines)
    if merged.emptied:
        report("translation-emptied", merged.emptied, mark=EMPTIED)
    if merged.outdated:
        name = keep_aside(locale, page, merged.outdated, texts, reason=OUTDATED)
        report("catalogue-outdated", merged.outdated, memory=memory, file=name)
    if dropped.replaced:
        keep_aside(locale, page, dropped.replaced, texts, reason=REPLACED)
    if dropped.others:
        name = keep_aside(locale, page, dropped.others, texts, reason=OTHER)
        _report_conflicts(locale, page, merged, name=name, lines=lines)
    if dropped.gone:
        name = keep_aside(locale, page, dropped.gone, texts, reason=TAKEN_BACK)
        report("memory-taken-back", dropped.gone, memory=memory, file=name)


class _Dropped(NamedTuple):
    """Entries whose translations a merge drops, grouped by how they are reported."""

    others: Sequence[Entry] = ()  # the side of a conflict that is not kept
    gone: Sequence[Entry] = ()  # their message has no translation now
    # Their message has another translation now. These are not reported.
    replaced: Sequence[Entry] = ()


def _dropped(sides: Sides, merged: Merged) -> _Dropped:
    """Return the entries that a merge drops, except those that git has."""
    others = [their for _, their in merged.conflicts]
    gone: list[Entry] = []
    replaced: list[Entry] = []
    now = merged.memory.by_key()
    held = translations_in_memories([merged.memory])
    given_up: list[Entry] = []
    if not sides.move.is_silent:
        given_up += merged.given_up
        # Work that was stored in the memory, but not committed before git replaced both files.
        if sides.seen is not None:
            given_up += lost_in(merged.memory, sides.seen, held)
    for entry in dict.fromkeys(given_up):
        successor = now.get(key_of(entry))
        is_gone = successor is None or not text_of(successor)
        (gone if is_gone else replaced).append(entry)
    # Entries of the memory or the base that the merged memory lacks for any other reason.
    stored = [sides.theirs]
    if sides.base is not None and not sides.move.is_silent:
        stored.append(sides.base)
    named = (*others, *merged.given_up, *merged.outdated, *given_up)
    for memory in stored:
        lost = lost_in(merged.memory, memory, held)
        replaced += [entry for entry in lost if entry not in named]
    return _Dropped(others=others, gone=gone, replaced=replaced)


def _report_conflicts(
    locale: Locale, page: str, merged: Merged, *, name: str, lines: Mapping[Key, int]
) -> None:
    catalog, memory = locale.catalog_name(page), locale.memory_name(page)
    places = [(lines[key_of(our)], their.line) for our, their in merged.conflicts]
    for our_line, their_line in sorted(places):
        locale.report_row(
            "memory-conflict",
            page,
            where=f"{catalog}:{our_line}",
            memory=f"{memory}:{their_line}",
            file=name,
        )


def _report_dropped(
    locale: Locale,
    page: str,
    name: str,
    entries: Sequence[Entry],
    *,
    lines: Mapping[Key, int],
    **values: str,
) -> None:
    """Report that translations were dropped; ``name`` is the row of the table of findings.

    The finding names the line of the first entry, unless the catalogue has none of them.
    """
    known = sorted(lines[key_of(entry)] for entry in entries if key_of(entry) in lines)
    translations = "a translation of this file is"
    if len(entries) > 1:
        translations = f"{len(entries)} translations of this file are"
    where = ":".join([locale.catalog_name(page), *map(str, known[:1])])
    locale.report_row(name, page, where=where, translations=translations, **values)
