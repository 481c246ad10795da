"""Memory files under check: with their English where it is at hand, and by their text alone.

In go memory files, out come findings about their lines. They are never mended: a memory is written
from its catalogue, by ``build``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipeline.commands.check.catalogs import CatalogFile, ReadFile, finding_of
from pipeline.commands.check.english import English
from pipeline.commands.check.looking import Looked, LookedAt, Way, look
from pipeline.core.checks import hygiene
from pipeline.core.checks.base import Problem
from pipeline.core.checks.remembered import (
    Remembered,
    find_unlike,
    markup_of_texts,
    read_remembered,
    readable_texts,
)
from pipeline.core.checks.run import subjects_of
from pipeline.core.checks.sets import CheckSet
from pipeline.core.document.message import Markup
from pipeline.entries import Entry
from pipeline.findings import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFile:
    """A memory file, and what it holds as far as its English is known."""

    read: ReadFile
    remembered: Remembered


def remember(
    memories: Sequence[ReadFile], english: English | None, files: Sequence[CatalogFile]
) -> list[MemoryFile]:
    """What memories hold. Those entries are left out that are looked at in a catalogue anyway.

    ``files`` are all files that are looked at: a folder that is named may hold both.
    """
    chosen = {file.path for file in files}
    result: list[MemoryFile] = []
    for read in memories:
        texts = english.of(read) if english else {}
        remembered = read_remembered(read.catalog.entries, texts)
        if english and english.catalog_of(read).resolve() in chosen:
            remembered = replace(remembered, known=())
        result.append(MemoryFile(read=read, remembered=remembered))
    return result


def look_at_memories(memories: Sequence[MemoryFile], way: Way) -> Iterator[Looked]:
    """Run the checks over memories of one locale: all of them where the English is known."""
    yield look([_looked_at(file, file.remembered.known) for file in memories], way)
    # Without it, those that ask nothing but how the text is set.
    of_text = replace(way, checks=CheckSet(checks=way.checks.of_text), is_whole=False)
    of_text = replace(of_text, glossary=None)
    looked = look([_text_of(file) for file in memories], of_text)
    # People know the text with its placeholders, which are as long as what stood for them.
    for file in memories:
        texts = {entry.line: entry.msgstr for entry in file.remembered.unknown}
        found = looked.findings[file.read.file.name]
        found[:] = [
            replace(finding, msgid="", msgstr=texts[finding.line]) for finding in found
        ]
    yield looked


def findings_of_placeholders(memories: Sequence[MemoryFile]) -> Iterator[Finding]:
    """What is wrong with placeholders: by themselves, and beside other translations of the text."""
    files: list[MemoryFile] = []
    row: list[Entry] = []
    for file in memories:
        remembered = file.remembered
        for problem in remembered.problems:
            yield _finding(file, remembered.entries[problem.index], problem)
        files += [file] * len(remembered.entries)
        row += remembered.entries
    for problem in find_unlike(row):
        yield _finding(files[problem.index], row[problem.index], problem)


def _looked_at(file: MemoryFile, entries: Sequence[Entry]) -> LookedAt:
    """Those entries of a memory as the checks look at them."""
    return LookedAt(
        read=file.read,
        subjects=subjects_of(entries, file.read.file.page, Markup.MARKDOWN),
    )


def _text_of(file: MemoryFile) -> LookedAt:
    """The entries of a memory of which only the translation can be looked at."""
    unknown = file.remembered.unknown
    markup = markup_of_texts(file.remembered.entries)
    texts = tuple(readable_texts(unknown, markup))
    subjects = subjects_of(texts, file.read.file.page, markup)
    return LookedAt(read=file.read, subjects=subjects)


def _finding(file: MemoryFile, entry: Entry, problem: Problem) -> Finding:
    """A finding about the placeholders of an entry."""
    stamped = hygiene.PLACEHOLDER.stamp(problem)
    rule = replace(hygiene.PLACEHOLDER, severity=stamped.severity)
    finding = finding_of(
        rule, file.read.file, entry.line, text=problem.text, hint=problem.hint
    )
    return replace(finding, msgid=entry.msgid, msgstr=entry.msgstr, spans=problem.spans)
