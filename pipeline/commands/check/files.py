"""Catalogue under check: reading it, checking it as a file, and fixing it.

Only fixes that need no judgement are applied. A file is written only if that changes it and nobody
has saved it meanwhile. A catalogue of this project is also formatted and gets a complete header; in
other projects only the fixed translations change.
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

# Fields that gettext asks for, but that do not matter for a translation.
_OPTIONAL = ("Report-Msgid-Bugs-To", "POT-Creation-Date", "X-Generator")
# Fields with only one correct value. All others belong to the team.
_FIXED = (
    "Language",
    "Plural-Forms",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
)
# Field that only memory files have, which contain digests in place of the English.
_MEMORY_FIELD = "X-Upstream-Page"
_SOFT_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
_WAY_OUT = "--fix mends it; so does the next sync."


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogFile:
    """Catalogue to check. ``name`` is its path for people.

    For a catalogue in the project's folders, the place decides about its header. For all others the
    header counts.
    """

    path: Path
    name: str
    page: str
    locale: str  # from its place; outside of the project perhaps a guess
    upstream: str = ""  # from its place, too; empty outside of the project
    is_ours: bool = True
    markup: Markup | None = None  # markup that the user has named


@dataclass(frozen=True, kw_only=True)
class ReadFile:
    """Parsed catalogue, with the remarks of the parser."""

    file: CatalogFile
    data: bytes
    catalog: Catalog
    remarks: tuple[Finding, ...] = ()  # from the parser

    @property
    def locale(self) -> str:
        """Return the language of the translations."""
        if self.file.is_ours:
            return self.file.locale
        return locale_of_header(self.catalog.header) or self.file.locale

    @property
    def checks(self) -> CheckSet:
        """Return the checks of the file's language."""
        return checks_of(self.locale)

    @cached_property
    def subjects(self) -> list[Subject]:
        """Return the entries to check.

        In other projects, a line break in a translation is white space, unless the English has any.
        """
        file, entries = self.file, self.catalog.entries
        if file.is_ours:
            # Notes mark reST entries; entries without such a note are Markdown.
            return subjects_of(entries, file.page, Markup.MARKDOWN)
        lines = tuple(map(_on_one_line, entries))
        return subjects_of(lines, file.page, file.markup, are_of_others=True)

    @property
    def is_memory(self) -> bool:
        """Return whether this is a memory file, which has the format of a catalogue."""
        return _MEMORY_FIELD in self.catalog.header


def read_file(file: CatalogFile) -> ReadFile | Finding:
    """Read a catalogue, or return a finding if it is unreadable."""
    try:
        data = read_bytes(file.path)
    except InputError as error:
        return _unreadable(file, error)
    return read_data(file, data)


def read_data(file: CatalogFile, data: bytes) -> ReadFile | Finding:
    """Parse the bytes of a catalogue, or return a finding if that fails."""
    # A finding, not an exception: the other files are still checked.
    try:
        read = po.read_catalog(data, where=file.name, takes_plurals=not file.is_ours)
    except InputError as error:
        return _unreadable(file, error)
    return ReadFile(file=file, data=data, catalog=read.catalog, remarks=read.findings)


def _unreadable(file: CatalogFile, error: InputError) -> Finding:
    """Return the finding for an unreadable file, at the line of the first error."""
    finding = finding_of(
        hygiene.UNREADABLE,
        file,
        _line(error.where),
        text=error.what,
        hint=error.hint,
    )
    return replace(finding, exit_code=error.exit_code)


def _on_one_line(entry: Entry) -> Entry:
    """Return the entry without single line breaks in its translation, if the English has none."""
    if "\n" not in entry.msgstr or "\n" in entry.msgid:
        return entry
    return replace(entry, msgstr=_SOFT_BREAK.sub(" ", entry.msgstr))


def wanted_header(read: ReadFile) -> dict[str, str]:
    """Return the complete header for a catalogue of this project.

    It has every field that gettext requires, with the correct value where there is only one.
    """
    header = read.catalog.header
    file = read.file
    # A sync fills in project and date; here any value will do.
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
    """Yield findings about the file: its header, remarks of the parser, its layout."""
    if not read.file.is_ours:
        yield from _findings_of_others(read)
        return
    file = read.file
    # The parser may have reported the header already, with a more precise message.
    if not any(remark.code == "po-header" for remark in read.remarks):
        text = hygiene.header_problem(read.catalog, wanted_header(read))
        if text:
            hint = "--fix completes it; so does the next sync."
            yield finding_of(hygiene.HEADER, file, 1, text=text, hint=hint)
    has_layout_problem = False
    for remark in read.remarks:
        rule = hygiene.RULE_OF_REMARK.get(remark.code, hygiene.LAYOUT)
        has_layout_problem |= rule is hygiene.LAYOUT
        line = _line(remark.where)
        yield finding_of(rule, file, line, text=remark.text, hint=_WAY_OUT)
    # Comparing with our own output finds every remaining difference of layout.
    if not has_layout_problem and po.format_catalog(read.catalog) != read.data:
        text = (
            "lines are wrapped, ordered or escaped in another way than ours: "
            "git would show changes that are none"
        )
        yield finding_of(hygiene.LAYOUT, file, 1, text=text, hint=_WAY_OUT)


def _findings_of_others(read: ReadFile) -> Iterator[Finding]:
    """Yield findings about a file of another project, without header and layout rules."""
    for remark in read.remarks:
        rule = hygiene.RULE_OF_REMARK.get(remark.code)
        # Sphinx marks every header as fuzzy, which the parser remarks as a note.
        is_form = rule is hygiene.HEADER and remark.severity is Severity.NOTE
        if rule is None or is_form:
            continue
        hint = "Mend it with the tool that the file is from."
        line = _line(remark.where)
        yield finding_of(rule, read.file, line, text=remark.text, hint=hint)


def finding_of(
    rule: Rule, file: CatalogFile, line: int, *, text: str, hint: str
) -> Finding:
    """Return a finding about a line of a catalogue."""
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
    """Return the line number in ``file:line``, or 1 if there is none."""
    number = where.rpartition(":")[2]
    return int(number) if number.isdigit() else 1


_Key = tuple[str | None, str]  # msgctxt and msgid


def fix_file(read: ReadFile, log: Log) -> tuple[ReadFile, str]:
    """Apply safe fixes, and write the file if that changes it.

    Return the catalogue after that, and the diff; an empty diff if the file was not written.
    """
    file = read.file
    fixed = _fixed_msgstrs(read)
    data = _ours(read, fixed) if file.is_ours else _of_others(read, fixed)
    if data == read.data:
        return read, ""
    # Parse the result again, because findings need the new line numbers. An unparsable result is
    # not written.
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


def _fixed_msgstrs(read: ReadFile) -> dict[_Key, str]:
    """Return the fixed text of each finished translation that has one.

    Fuzzy, obsolete and plural entries are not changed.
    """
    checks = read.checks.checks
    fixed: dict[_Key, str] = {}
    for subject in read.subjects:
        msgstr = fix_entry(subject, checks)
        if msgstr != subject.entry.msgstr:
            fixed[_key(subject.entry)] = msgstr
    return fixed


def _key(entry: Entry) -> _Key:
    """Return the key of an entry in its catalogue."""
    return entry.context, entry.msgid


def _ours(read: ReadFile, fixed: Mapping[_Key, str]) -> bytes:
    """Return a catalogue of this project with fixes, in our layout, with a complete header."""
    entries: list[Entry] = []
    for entry in read.catalog.entries:
        msgstr = fixed.get(_key(entry), entry.msgstr)
        entries.append(replace(entry, msgstr=msgstr))
    return po.format_catalog(
        replace(read.catalog, header=wanted_header(read), entries=tuple(entries))
    )


def _of_others(read: ReadFile, fixed: Mapping[_Key, str]) -> bytes:
    """Return the bytes of another project's catalogue, changed only in the fixed translations."""
    lines: dict[int, str] = {}
    for entry in read.catalog.entries:
        if _key(entry) in fixed:
            lines[entry.line] = fixed[_key(entry)]
    return po.replace_msgstrs(read.data, lines)


def _diff(name: str, old: bytes, new: bytes) -> str:
    """Return the changes as a unified diff."""
    lines = difflib.unified_diff(
        old.decode("utf-8", "replace").split("\n"),
        new.decode("utf-8", "replace").split("\n"),
        f"a/{name}",
        f"b/{name}",
        n=2,
        lineterm="",
    )
    return "".join(f"{line}\n" for line in lines)
