"""Put together what a person looks at: the changes of the memory with English, diff and findings.

Two states of the memory go in, one record comes out. Only what has changed is read and checked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from pipeline.adapters import po
from pipeline.commands.check.checker import team_of, way_of
from pipeline.commands.check.english import English, live_blanks
from pipeline.commands.check.entries import (
    MemoryFile,
    Way,
    findings_of_placeholders,
    look_at_memories,
)
from pipeline.commands.check.files import ReadFile, read_data
from pipeline.commands.review.sides import Sides, find_sides
from pipeline.config import Settings
from pipeline.core.catalog.change import diff
from pipeline.core.catalog.origins import states_of
from pipeline.core.checks.hygiene import read_remembered
from pipeline.core.checks.model import read_place
from pipeline.core.glossary.glossary import Glossary
from pipeline.core.memory.file import END
from pipeline.core.memory.opening import open_entry
from pipeline.core.memory.record import DIFF, digest
from pipeline.core.review import (
    Change,
    Compared,
    compare,
    has_carried,
    state_of,
    translation_of,
    translator_of,
)
from pipeline.core.word_diff import Words, word_diff
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.report.review import Message, Review


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEnglish:
    """What is known of a page, all by digest: its messages in their order, and all English."""

    messages: Mapping[str, Entry] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


def english_of(
    english: English, memory: ReadFile, needed: Collection[str]
) -> PageEnglish:
    """The English of the page of ``memory``; ``needed`` are digests of messages on it."""
    entries = english.entries_of(memory)
    messages = _by_digest(live_blanks(entries))
    if not messages.keys() >= set(needed):
        # The order is that of the docs then, in which new messages have their place.
        messages = _by_digest(english.docs_of(memory)) | messages
    texts = {code: entry.msgid for code, entry in messages.items()}
    for entry in entries:
        for text in (entry.msgid, entry.previous):
            if text:
                texts[digest(text)] = text
    return PageEnglish(messages=messages, texts=texts)


def _by_digest(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Messages by digest, in their order."""
    return {digest(entry.msgid): entry for entry in entries}


_LAST = 1 << 30  # the place of a message that is not on the page


def review_changes(
    settings: Settings,
    words: Sequence[str],
    *,
    locales: Sequence[str],
    pages: tuple[str, ...] = (),
) -> Review:
    """What differs between two commits that ``words`` name, or a commit and the files here.

    Raises ConfigError for a commit that is not there, InputError for a glossary that cannot be
    read. A memory file that cannot be read is a problem that the review tells.
    """
    sides = find_sides(settings, words, locales=locales, pages=pages)
    after, problems = _read_after(sides)
    before = _read_before(sides, problems)
    compared = _compared(sides, before, after)
    files = _files_of(compared, sides, after, English(settings))
    messages: list[Message] = []
    # Locale and upstream, in the order of the command line; files are sorted by their paths.
    teams = dict.fromkeys(team_of(file.read, settings) for file in files)
    for team in sorted(teams, key=lambda team: locales.index(team[0])):
        of_team = [file for file in files if team_of(file.read, settings) == team]
        # Once: the glossary is long, and most reviews are of one locale.
        way = way_of(team, settings)
        findings = _findings(of_team, way)
        words_of = _words_of(way.glossary)
        for file in of_team:
            messages += _messages(file, findings, words_of)
    return Review(
        base=sides.base,
        base_name=sides.base_name,
        head=sides.head,
        messages=tuple(messages),
        quiet=compared.quiet,
        problems=tuple(problems),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ChangedFile:
    """A memory file with its changes, and the English of its page."""

    read: ReadFile  # as it is now; without entries if it is gone
    changes: tuple[Change, ...]
    english: PageEnglish


def _read_after(sides: Sides) -> tuple[dict[str, ReadFile], list[Finding]]:
    """The changed files as they are now, and what is to be said of those that cannot be read."""
    files: dict[str, ReadFile] = {}
    problems: list[Finding] = []
    for path, data in sides.after.items():
        read = read_data(sides.files[path], data)
        if isinstance(read, Finding):
            problems.append(read)
        else:
            files[path] = read
    return files, problems


def _read_before(sides: Sides, problems: list[Finding]) -> dict[str, tuple[Entry, ...]]:
    """The entries of the changed files as they were; ``problems`` gets those of no use."""
    unreadable = {problem.file for problem in problems}
    entries: dict[str, tuple[Entry, ...]] = {}
    for path, data in sides.before.items():
        if path in unreadable:
            continue  # what it holds now is not known, so that nothing is known to be gone
        try:
            entries[path] = _entries(po.read_catalog(data, where=path).catalog)
        except InputError as error:
            problems.append(_unreadable_before(path, sides.base, error))
    return entries


def _entries(catalog: Catalog) -> tuple[Entry, ...]:
    """The entries of a memory file, without the one that marks the end of the page."""
    return tuple(entry for entry in catalog.entries if entry.msgid != END.msgid)


def _compared(
    sides: Sides,
    before: Mapping[str, Sequence[Entry]],
    after: Mapping[str, ReadFile],
) -> Compared:
    """The changes, also where translations came from files that are the same in both."""
    new = {path: _entries(read.catalog) for path, read in after.items()}
    elsewhere: list[Entry] = []
    if has_carried(before, new):
        for data in sides.read_unchanged().values():
            elsewhere += po.read_catalog(data, where="memory").catalog.entries
    return compare(before, new, elsewhere=elsewhere)


def _files_of(
    compared: Compared, sides: Sides, after: Mapping[str, ReadFile], english: English
) -> list[_ChangedFile]:
    """The files that there is something to look at in, with their English."""
    files: list[_ChangedFile] = []
    for path, of_file in groupby(compared.changes, key=lambda change: change.path):
        changes = tuple(of_file)
        read = after.get(path)
        if read is None:
            # A file that is gone has a page all the same, whose English may be here.
            old = po.read_catalog(sides.before[path], where=path).catalog
            read = ReadFile(
                file=sides.files[path], data=b"", catalog=replace(old, entries=())
            )
        needed = {change.entry.msgid for change in changes}
        of_page = english_of(english, read, needed)
        files.append(_ChangedFile(read=read, changes=changes, english=of_page))
    return files


def _findings(
    files: Sequence[_ChangedFile], way: Way
) -> dict[tuple[str, int], list[Finding]]:
    """Return what the checks find in what one team has changed, by file and line."""
    found: list[Finding] = []
    memories = [_checked(file) for file in files]
    for looked in look_at_memories(memories, way):
        for of_file in looked.findings.values():
            found += of_file
    found += findings_of_placeholders(memories)
    by_line: dict[tuple[str, int], list[Finding]] = {}
    for finding in found:
        if finding.severity is not Severity.NOTE:
            by_line.setdefault((finding.file, finding.line), []).append(finding)
    return by_line


def _checked(file: _ChangedFile) -> MemoryFile:
    """The changed entries of a file, as the checks read a memory."""
    entries = [change.new for change in file.changes if change.new]
    return MemoryFile(
        read=file.read, remembered=read_remembered(entries, file.english.messages)
    )


def _words_of(glossary: Glossary | None) -> Words:
    """How texts of a locale are cut into words: no term of the glossary is cut in two."""
    terms: set[str] = set()
    for term in glossary.terms if glossary else ():
        for rendering in (*term.renderings, *term.avoided):
            terms.update(rendering.parts)
    return Words.of(terms)


def _messages(
    file: _ChangedFile, findings: Mapping[tuple[str, int], list[Finding]], words: Words
) -> Iterator[Message]:
    """What is shown of a file, in the order of its page; what is not on it comes last."""
    order = {code: number for number, code in enumerate(file.english.messages)}
    in_order = sorted(
        file.changes,
        key=lambda change: (order.get(change.entry.msgid, _LAST), change.line),
    )
    for change in in_order:
        of_line = findings.get((change.path, change.line), ())
        yield _message(file, change, tuple(of_line), words)


def _message(
    file: _ChangedFile, change: Change, findings: tuple[Finding, ...], words: Words
) -> Message:
    """One change as a person reads it."""
    texts = file.english.texts
    entry = change.entry
    english = texts.get(entry.msgid, "")
    written_for = (change.old or entry).written_for
    old_english = "" if written_for == entry.msgid else texts.get(written_for, "")
    notes = states_of(entry)
    if english and old_english:
        # The memory leaves out the words that differ.
        shown = diff(old_english, english)
        notes = tuple(note.replace(DIFF, shown) for note in notes)
    old, new = (_shown(side, texts) for side in (change.old, change.new))
    blank = file.english.messages.get(entry.msgid)
    return Message(
        file=change.path,
        line=change.line,
        locale=file.read.locale,
        page=file.read.file.page,
        happened=change.happened,
        state=state_of(change.new),
        section=read_place(blank).section if blank else "",
        context=entry.context or "",
        english=english,
        old_english=old_english,
        old=old,
        new=new,
        pieces=word_diff(old, new, words) if old and new else (),
        translator=translator_of(entry),
        comments=entry.comments,
        notes=notes,
        findings=findings,
        before=_before(change, english, texts),
    )


def _shown(entry: Entry | None, texts: Mapping[str, str]) -> str:
    """The translation of an entry, if there is one."""
    return translation_of(entry, texts) if entry else ""


def _before(change: Change, english: str, texts: Mapping[str, str]) -> Entry | None:
    """The entry as a catalogue had it; None if there was none, or its English is not at hand."""
    old = change.old
    if old is None or old.msgid != change.entry.msgid or not english:
        return None
    opened = open_entry(old, Entry(msgid=english), texts)
    if opened and opened.fuzzy and not opened.previous:
        return None  # nobody could tell what it was written for
    return opened


def _unreadable_before(path: str, base: str, error: InputError) -> Finding:
    return Finding(
        code="review-base-unreadable",
        severity=Severity.WARNING,
        where=error.where or path,
        text=f"could not be read at {base[:10]}, so that all of it counts as new: {error.what}",
        hint="Look at the whole page.",
    )
