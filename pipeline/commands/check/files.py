"""A catalogue under check: its entries, what is wrong with the file itself, and how it is mended.

Mending changes what needs no judgement. A file is written only if that changes it, and if nobody
has saved it meanwhile. One of ours gets our layout and header as well; in one of another project
nothing changes but the translations that are mended.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, replace_if_unchanged
from pipeline.core.checks import hygiene
from pipeline.core.checks.engine import fix_entry, subjects_of
from pipeline.core.checks.locales import locale_of_header
from pipeline.core.checks.model import Rule, Subject
from pipeline.core.checks.table import CheckSet, checks_of
from pipeline.core.document.message import Markup
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.log import Log

# Fields that gettext asks for, but that say nothing of a translation.
_OPTIONAL = ("Report-Msgid-Bugs-To", "POT-Creation-Date", "X-Generator")
# Fields that have one right value; what else a team writes into the header is its own.
_FIXED = (
    "Language",
    "Plural-Forms",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
)
# A memory has digests in place of the English: there is nothing to compare with.
_MEMORY_FIELD = "X-Upstream-Page"
_SOFT_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
_WAY_OUT = "--fix mends it; so does the next sync."


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogFile:
    """A catalogue to check. ``name`` is its path as people read it.

    One of ours lies where the project has its catalogues: its place says what its header has to
    say. Of any other one the header counts.
    """

    path: Path
    name: str
    page: str
    locale: str  # by its place; of others perhaps a mere guess
    upstream: str = ""  # by its place, too; empty: of none
    is_ours: bool = True
    markup: Markup | None = None  # what the team says that it is marked up in


@dataclass(frozen=True, kw_only=True)
class ReadFile:
    """A catalogue that can be read, and what reading it brought up."""

    file: CatalogFile
    data: bytes
    catalog: Catalog
    remarks: tuple[Finding, ...] = ()  # of the reader

    @property
    def locale(self) -> str:
        """What language its translations are in."""
        if self.file.is_ours:
            return self.file.locale
        return locale_of_header(self.catalog.header) or self.file.locale

    @property
    def checks(self) -> CheckSet:
        """The checks of its language."""
        return checks_of(self.locale)

    @cached_property
    def subjects(self) -> list[Subject]:
        """The entries that the checks look at.

        To other tools a line break in a translation is white space, unless the English has any.
        """
        file, entries = self.file, self.catalog.entries
        if file.is_ours:
            # Notes tell what is reST; whatever has none is Markdown.
            return subjects_of(entries, file.page, Markup.MARKDOWN)
        lines = tuple(map(_on_one_line, entries))
        return subjects_of(lines, file.page, file.markup, are_of_others=True)

    @property
    def is_memory(self) -> bool:
        """Whether it is a file of the memory, which looks like a catalogue."""
        return _MEMORY_FIELD in self.catalog.header


def read_file(file: CatalogFile) -> ReadFile | Finding:
    """Read a catalogue; a finding if it cannot be read."""
    try:
        data = read_bytes(file.path)
    except InputError as error:
        return _unreadable(file, error)
    return read_data(file, data)


def read_data(file: CatalogFile, data: bytes) -> ReadFile | Finding:
    """Read a catalogue of which the bytes are known; a finding if they are none."""
    # One that cannot be read must not keep people from the findings of all others.
    try:
        read = po.read_catalog(data, where=file.name, takes_plurals=not file.is_ours)
    except InputError as error:
        return _unreadable(file, error)
    return ReadFile(file=file, data=data, catalog=read.catalog, remarks=read.findings)


def _unreadable(file: CatalogFile, error: InputError) -> Finding:
    """What is to be said of a file that cannot be read, at the line where it ends to make sense."""
    finding = finding_of(
        hygiene.UNREADABLE,
        file,
        _line(error.where),
        text=error.what,
        hint=error.hint,
    )
    return replace(finding, exit_code=error.exit_code)


def _on_one_line(entry: Entry) -> Entry:
    """An entry without the single line breaks of its translation, if its English has none."""
    if "\n" not in entry.msgstr or "\n" in entry.msgid:
        return entry
    return replace(entry, msgstr=_SOFT_BREAK.sub(" ", entry.msgstr))


def wanted_header(read: ReadFile) -> dict[str, str]:
    """The header that one of our catalogues should have.

    It has every field that gettext asks for, and those right that have one value.
    """
    header = read.catalog.header
    file = read.file
    # A sync knows project and date; here it only matters that there is something.
    wanted = po.standard_header(
        project="docs", page=file.page, locale=file.locale, date="", existing=header
    )
    complete: dict[str, str] = {}
    for name, value in wanted.items():
        if name in _FIXED:
            complete[name] = value
        elif name in header:
            complete[name] = header[name]
        elif name not in _OPTIONAL:
            complete[name] = value
    return complete


def findings_of_file(read: ReadFile) -> Iterator[Finding]:
    """What is to be said of the file itself: its header, what the reader remarked, its layout."""
    if not read.file.is_ours:
        yield from _findings_of_others(read)
        return
    file = read.file
    # The reader may have told of the header already, in better words.
    if not any(remark.code == "po-header" for remark in read.remarks):
        text = hygiene.header_problem(read.catalog, wanted_header(read))
        if text:
            hint = "--fix completes it; so does the next sync."
            yield finding_of(hygiene.HEADER, file, 1, text=text, hint=hint)
    layout_is_told = False
    for remark in read.remarks:
        rule = hygiene.OF_READING.get(remark.code, hygiene.LAYOUT)
        layout_is_told |= rule is hygiene.LAYOUT
        line = _line(remark.where)
        yield finding_of(rule, file, line, text=remark.text, hint=_WAY_OUT)
    # What we would write stands for every difference of layout that there is.
    if not layout_is_told and po.format_catalog(read.catalog) != read.data:
        text = (
            "lines are wrapped, ordered or escaped in another way than ours: "
            "git would show changes that are none"
        )
        yield finding_of(hygiene.LAYOUT, file, 1, text=text, hint=_WAY_OUT)


def _findings_of_others(read: ReadFile) -> Iterator[Finding]:
    """The same for a catalogue of another project, whose header and layout are its own affair."""
    for remark in read.remarks:
        rule = hygiene.OF_READING.get(remark.code)
        # Sphinx leaves the mark "fuzzy" on each header, which the reader remarks as a note.
        is_form = rule is hygiene.HEADER and remark.severity is Severity.NOTE
        if rule is None or is_form:
            continue
        hint = "Mend it with the tool that the file is from."
        line = _line(remark.where)
        yield finding_of(rule, read.file, line, text=remark.text, hint=hint)


def finding_of(
    rule: Rule, file: CatalogFile, line: int, *, text: str, hint: str
) -> Finding:
    """A finding about a line of a catalogue."""
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        file=file.name,
        line=line,
        text=text,
        hint=hint,
        page=file.page,
    )


def _line(where: str) -> int:
    """The line of ``file:line``; the first one if none is named."""
    number = where.rpartition(":")[2]
    return int(number) if number.isdigit() else 1


_Key = tuple[str | None, str]  # msgctxt and msgid


def mend(read: ReadFile, log: Log) -> tuple[ReadFile, str]:
    """Mend what needs no judgement, and write the file if that changes it.

    Return the catalogue as it is then, and what has changed: nothing if the file stays as it was.
    """
    file = read.file
    mended = _mended_msgstrs(read)
    data = _ours(read, mended) if file.is_ours else _of_others(read, mended)
    if data == read.data:
        return read, ""
    # Read again: lines have moved, and findings name them. What cannot be read is not written.
    try:
        again = po.read_catalog(data, where=file.name, takes_plurals=not file.is_ours)
    except InputError:
        return read, ""
    if not replace_if_unchanged(file.path, data, before=read.data):
        log.warn(
            f"{file.name} was saved by someone else meanwhile: it is left as it is"
        )
        return read, ""
    new = ReadFile(file=file, data=data, catalog=again.catalog)
    return new, _diff(file.name, read.data, data)


def _mended_msgstrs(read: ReadFile) -> dict[_Key, str]:
    """What becomes of the finished translations that can be mended.

    Fuzzy ones are a person's to look at, obsolete ones nobody's, and plural forms a program's.
    """
    checks = read.checks.checks
    mended: dict[_Key, str] = {}
    for subject in read.subjects:
        msgstr = fix_entry(subject, checks)
        if msgstr != subject.entry.msgstr:
            mended[_key(subject.entry)] = msgstr
    return mended


def _key(entry: Entry) -> _Key:
    """What an entry of a catalogue is told by."""
    return entry.context, entry.msgid


def _ours(read: ReadFile, mended: Mapping[_Key, str]) -> bytes:
    """One of our catalogues with mended translations, in our layout, with a complete header."""
    entries: list[Entry] = []
    for entry in read.catalog.entries:
        msgstr = mended.get(_key(entry), entry.msgstr)
        entries.append(replace(entry, msgstr=msgstr))
    return po.format_catalog(
        replace(read.catalog, header=wanted_header(read), entries=tuple(entries))
    )


def _of_others(read: ReadFile, mended: Mapping[_Key, str]) -> bytes:
    """The bytes of another project's catalogue, with mended translations and all else as it was."""
    lines: dict[int, str] = {}
    for entry in read.catalog.entries:
        if _key(entry) in mended:
            lines[entry.line] = mended[_key(entry)]
    return po.replace_msgstrs(read.data, lines)


def _diff(name: str, old: bytes, new: bytes) -> str:
    """What mending has changed, as ``git diff`` would show it."""
    lines = difflib.unified_diff(
        old.decode("utf-8", "replace").split("\n"),
        new.decode("utf-8", "replace").split("\n"),
        f"a/{name}",
        f"b/{name}",
        n=2,
        lineterm="",
    )
    return "".join(f"{line}\n" for line in lines)
