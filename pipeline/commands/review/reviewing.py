"""Review of the changed translations: each with its English, a word diff and findings.

The input is the memory files of two commits. Without a second commit, the working tree is the state
after, including uncommitted changes. The output is one Review record. Memory files hold
digests in place of the English, so the English comes from catalogues and docs on disk. Only changed
files are read and checked.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes
from pipeline.adapters.version_control import (
    commit_of,
    files_at,
    main_branch,
    merge_base,
    read_blobs,
)
from pipeline.commands.check.checker import check_rules_for, glossary_scope
from pipeline.commands.check.entries import (
    CheckRules,
    English,
    MemoryFile,
    PageEnglish,
    check_memories,
    findings_of_placeholders,
)
from pipeline.commands.check.files import CatalogFile, ReadFile, read_data
from pipeline.config.settings import Settings, matches
from pipeline.core.catalog.change_class import diff
from pipeline.core.catalog.origins import states_of
from pipeline.core.checks.hygiene import read_memory_entries
from pipeline.core.checks.model import read_place
from pipeline.core.glossary.glossary import Glossary
from pipeline.core.memory.file import END
from pipeline.core.memory.opening import open_entry
from pipeline.core.memory.record import DIFF
from pipeline.core.pin.lock import blob_id, parse_lock
from pipeline.core.review import (
    Change,
    Compared,
    compare,
    has_carried,
    state_of,
    translation_of,
    translator_of,
)
from pipeline.core.word_diff import Words, pattern_of_words, word_diff
from pipeline.entries import Catalog, Entry
from pipeline.errors import ConfigError, InputError
from pipeline.findings import Finding, Severity
from pipeline.paths import Paths
from pipeline.report.review import Message, Review

_MAIN_BRANCHES = ("origin/HEAD", "origin/main", "main", "origin/master", "master")
_USAGE = "Give the commit to compare with, and optionally another one: review -- BASE [HEAD]"


class Sides(Struct, frozen=True, kw_only=True):
    """Memory files before and after, by path relative to the root.

    ``before`` and ``after`` have the contents of the files that differ. ``unchanged`` has the git
    blob ids of the other files.
    """

    base: str  # commit id of the state before
    base_name: str  # the base as the user named it
    head: str  # commit id of the state after, or empty for the working tree
    files: Mapping[str, CatalogFile]  # all files that exist before or after
    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    unchanged: Sequence[str]
    root: Path

    def read_unchanged(self) -> Mapping[str, bytes]:
        """Return the contents of the unchanged files, by blob id."""
        return read_blobs(self.root, self.unchanged)


def find_sides(
    settings: Settings,
    words: Sequence[str],
    *,
    locales: Sequence[str],
    pages: tuple[str, ...] = (),
) -> Sides:
    """Return the two sides to compare for the commits in ``words``; ``pages`` are glob patterns.

    The base is the commit where the two branches parted (git's merge base). So later changes on the
    branch that the user compares with do not count. Raises ConfigError for an unknown commit.
    """
    root = settings.root
    if len(words) > 2:
        raise ConfigError(f"two commits at most, not {' '.join(words)}", hint=_USAGE)
    places = _places(settings, locales)
    base_name, base_commit = named_base(settings, words[0] if words else "")
    head = commit_of(root, words[1]) if len(words) == 2 else ""
    parted = head or commit_of(root, "HEAD")
    base = merge_base(root, base_commit, parted)
    # The files in the working tree, if it is the state after.
    here = {} if head else _read_here(root, places)
    old = _blobs_at(root, base, places)
    new = {path: blob_id(data) for path, data in here.items()}
    if head:
        new = _blobs_at(root, head, places)
    files: dict[str, CatalogFile] = {}
    for path in sorted(old.keys() | new.keys()):
        file = _catalog_file(root, path, places)
        if not pages or matches(file.page, pages):
            files[path] = file
    differing = [path for path in files if old.get(path) != new.get(path)]
    after = {path: here[path] for path in differing if path in here}
    if head:
        after = _contents(root, new, differing)
    return Sides(
        base=base,
        base_name=base_name,
        head=head,
        files=files,
        before=_contents(root, old, differing),
        after=after,
        unchanged=[old[path] for path in files if path not in differing],
        root=root,
    )


def named_base(settings: Settings, word: str) -> tuple[str, str]:
    """Return the name and the commit id of ``word``, or of the main branch if it is empty.

    Raises ConfigError for an unknown commit.
    """
    name = word or main_branch(settings.root, _main_branches())
    return name, commit_of(settings.root, name)


def _blobs_at(root: Path, commit: str, places: Mapping[str, str]) -> dict[str, str]:
    """Return the git blob ids of the memory files at a commit, by path."""
    listed: dict[str, str] = {}
    for folder in places:
        listed |= files_at(root, commit, f"{folder}/")
    return {path: blob for path, blob in listed.items() if path.endswith(".po")}


def _contents(root: Path, blobs: Mapping[str, str], paths: Sequence[str]) -> dict[str, bytes]:
    """Return the contents of those ``paths`` that have a blob."""
    wanted = [path for path in paths if path in blobs]
    contents = read_blobs(root, [blobs[path] for path in wanted])
    return {path: contents[blobs[path]] for path in wanted}


def _read_here(root: Path, places: Mapping[str, str]) -> dict[str, bytes]:
    """Return the memory files in the working tree, by path."""
    files: dict[str, bytes] = {}
    for folder in places:
        for path in sorted((root / folder).rglob("*.po")):
            files[path.relative_to(root).as_posix()] = read_bytes(path)
    return files


def _main_branches() -> tuple[str, ...]:
    """Return possible names of the main branch. The target of a GitHub pull request is first."""
    target = os.environ.get("GITHUB_BASE_REF")
    return (f"origin/{target}", *_MAIN_BRANCHES) if target else _MAIN_BRANCHES


def _places(settings: Settings, locales: Sequence[str]) -> dict[str, str]:
    """Return the folders of the memory, relative to the root, and the locale of each."""
    places: dict[str, str] = {}
    for name in settings.upstreams:
        for locale in locales:
            folder = Paths(settings.root, name).memories(locale)
            places[folder.relative_to(settings.root).as_posix()] = locale
    return places


def _catalog_file(root: Path, path: str, places: Mapping[str, str]) -> CatalogFile:
    """Return a memory file with the page and the locale that its path implies."""
    (folder,) = (folder for folder in places if path.startswith(f"{folder}/"))
    return CatalogFile(
        path=root / path,
        name=path,
        page=path.removeprefix(f"{folder}/").removesuffix(".po"),
        locale=places[folder],
        upstream=folder.rpartition("/")[2],
    )


def english_of(english: English, memory: ReadFile, needed: Collection[str]) -> PageEnglish:
    """Return the English of a memory's page. ``needed`` are the digests to look for.

    The function looks in the pinned release first, then in the releases shown beside it.
    """
    found = PageEnglish()
    for release in english.settings.releases_of(memory.file.upstream):
        header = {**memory.catalog.header, "X-Upstream": release.name}
        catalog = replace(memory.catalog, header=header)
        own = english.of(replace(memory, catalog=catalog), needed)
        # Entries of releases that were read before take precedence; the pinned release is read
        # first.
        found = PageEnglish(
            messages={**own.messages, **found.messages},
            texts={**own.texts, **found.texts},
        )
        if found.texts.keys() >= set(needed):
            break
    return found


_LAST = 1 << 30  # sort key of a message that is not on the page


def review_changes(
    settings: Settings,
    words: Sequence[str],
    *,
    locales: Sequence[str],
    pages: tuple[str, ...] = (),
) -> Review:
    """Return the changed translations between two commits, for their review.

    ``words`` are up to two commits: the one to compare with (default: the main branch), and the one
    to review (default: the working tree). ``pages`` are glob patterns. The review lists unreadable
    memory files. Raises ConfigError for an unknown commit, InputError for an unreadable glossary.
    """
    sides = find_sides(settings, words, locales=locales, pages=pages)
    after, problems = _read_after(sides)
    before = _read_before(sides, problems)
    compared = _compared(sides, before, after, shown=_commits_beside(settings))
    files = _files_of(compared, sides, after, English(settings))
    messages: list[Message] = []
    # The locales are in the order of the command line. The files of each locale are sorted by path.
    scopes = dict.fromkeys(glossary_scope(file.read, settings) for file in files)
    for scope in sorted(scopes, key=lambda scope: locales.index(scope[0])):
        in_scope = [file for file in files if glossary_scope(file.read, settings) == scope]
        # Prepare the glossary once per scope, because this is slow.
        rules = check_rules_for(scope, settings)
        findings = _findings(in_scope, rules)
        words_of = _words_of(rules.glossary)
        for file in in_scope:
            messages += _messages(file, findings, words_of)
    return Review(
        base=sides.base,
        base_name=sides.base_name,
        head=sides.head,
        messages=tuple(messages),
        quiet=compared.quiet,
        problems=tuple(problems),
    )


class _ChangedFile(Struct, frozen=True, kw_only=True):
    """Memory file with its changes, and the English of its page."""

    read: ReadFile  # the new version; without entries if the file was deleted
    changes: tuple[Change, ...]
    english: PageEnglish


def _read_after(sides: Sides) -> tuple[dict[str, ReadFile], list[Finding]]:
    """Return the new versions of the changed files, and findings for unreadable ones."""
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
    """Return the old entries of the changed files; append unreadable ones to ``problems``."""
    unreadable = {problem.file for problem in problems}
    entries: dict[str, tuple[Entry, ...]] = {}
    for path, data in sides.before.items():
        if path in unreadable:
            continue  # skip an unreadable new version: all its entries would count as deleted
        try:
            entries[path] = _entries(po.read_catalog(data, where=path).catalog)
        except InputError as error:
            problems.append(_unreadable_before(path, sides.base, error))
    return entries


def _entries(catalog: Catalog) -> tuple[Entry, ...]:
    """Return the entries of a memory file, without the marker at its end."""
    return tuple(entry for entry in catalog.entries if entry.msgid != END.msgid)


def _compared(
    sides: Sides,
    before: Mapping[str, Sequence[Entry]],
    after: Mapping[str, ReadFile],
    *,
    shown: Collection[str],
) -> Compared:
    """Return the changes of all entries.

    A translation that comes from another page is recognized, even if the file of that page did not
    change. ``shown`` are the commits of releases shown beside the pin.
    """
    new = {path: _entries(read.catalog) for path, read in after.items()}
    elsewhere: list[Entry] = []
    # Read the unchanged files only if a translation may have come from another page.
    if has_carried(before, new):
        for data in sides.read_unchanged().values():
            elsewhere += po.read_catalog(data, where="memory").catalog.entries
    return compare(before, new, elsewhere=elsewhere, shown=shown)


def _commits_beside(settings: Settings) -> frozenset[str]:
    """Return the commits of the pulled releases that are shown beside the pin."""
    commits: set[str] = set()
    for upstream in settings.upstreams.values():
        path = Paths(settings.root, upstream.name).lock
        if upstream.is_beside and path.is_file():
            commits.add(parse_lock(read_bytes(path), where=str(path)).commit)
    return frozenset(commits)


def _files_of(
    compared: Compared, sides: Sides, after: Mapping[str, ReadFile], english: English
) -> list[_ChangedFile]:
    """Return the files with changes to show, each with its English."""
    files: list[_ChangedFile] = []
    for path, of_file in groupby(compared.changes, key=lambda change: change.path):
        changes = tuple(of_file)
        read = after.get(path)
        if read is None:
            # A deleted file still belongs to a page, whose English may be on disk.
            old = po.read_catalog(sides.before[path], where=path).catalog
            read = ReadFile(file=sides.files[path], data=b"", catalog=replace(old, entries=()))
        needed = {change.entry.msgid for change in changes}
        of_page = english_of(english, read, needed)
        files.append(_ChangedFile(read=read, changes=changes, english=of_page))
    return files


def _findings(
    files: Sequence[_ChangedFile], rules: CheckRules
) -> dict[tuple[str, int], list[Finding]]:
    """Return the findings of all checks on the changes in ``files``, by file and line."""
    found: list[Finding] = []
    memories = [_checked(file) for file in files]
    for checked in check_memories(memories, rules):
        found += checked.findings
    found += findings_of_placeholders(memories)
    by_line: dict[tuple[str, int], list[Finding]] = {}
    for finding in found:
        if finding.severity is not Severity.NOTE:
            by_line.setdefault((finding.file, finding.line), []).append(finding)
    return by_line


def _checked(file: _ChangedFile) -> MemoryFile:
    """Return a memory file that has only the changed entries, for the checks."""
    entries = [change.new for change in file.changes if change.new]
    return MemoryFile(
        read=file.read, remembered=read_memory_entries(entries, file.english.messages)
    )


def _words_of(glossary: Glossary | None) -> Words:
    """Return a splitter of Chinese text into words, which does not cut glossary terms."""
    terms: set[str] = set()
    for term in glossary.terms if glossary else ():
        for rendering in (*term.renderings, *term.avoided):
            terms.update(rendering.parts)
    return pattern_of_words(terms)


def _messages(
    file: _ChangedFile,
    findings: Mapping[tuple[str, int], list[Finding]],
    words: Words,
) -> Iterator[Message]:
    """Yield the messages of a file in page order. Messages that left the page come last."""
    order = {code: number for number, code in enumerate(file.english.messages)}
    in_order = sorted(
        file.changes,
        key=lambda change: (order.get(change.entry.msgid, _LAST), change.line),
    )
    for change in in_order:
        of_line = findings.get((change.path, change.line), ())
        yield _message(file, change, tuple(of_line), words)


def _message(
    file: _ChangedFile,
    change: Change,
    findings: tuple[Finding, ...],
    words: Words,
) -> Message:
    """Return one change with all that the reviewer sees of it."""
    texts = file.english.texts
    entry = change.entry
    english = texts.get(entry.msgid, "")
    written_for = (change.old or entry).source_text
    old_english = "" if written_for == entry.msgid else texts.get(written_for, "")
    notes = states_of(entry)
    if english and old_english:
        # The memory must not contain upstream's words, so its notes have a placeholder instead of a
        # diff. Show the diff itself.
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
    """Return the translation of an entry, or an empty string."""
    return translation_of(entry, texts) if entry else ""


def _before(change: Change, english: str, texts: Mapping[str, str]) -> Entry | None:
    """Return the old entry as a catalogue entry, to restore it if the change is rejected.

    Return None if this message had no entry, or if the English of the entry is unknown.
    """
    old = change.old
    if old is None or old.msgid != change.entry.msgid or not english:
        return None
    opened = open_entry(old, Entry(msgid=english), texts)
    if opened and opened.fuzzy and not opened.previous:
        return None  # the older English that this translation belongs to is unknown
    return opened


def _unreadable_before(path: str, base: str, error: InputError) -> Finding:
    """Return the warning for a memory file that is unreadable at the commit ``base``."""
    return Finding(
        code="review-base-unreadable",
        severity=Severity.WARNING,
        where=error.where or path,
        text=f"could not be read at {base[:10]}, so all its entries count as new: {error.what}",
        hint="Look at the whole page.",
    )
