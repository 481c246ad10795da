"""One catalogue that ``check`` reads: parsing, checks of header and layout, and ``--fix``.

Only fixes that need no judgement are applied. A file is written only if its bytes change and nobody
has saved it meanwhile. In a catalogue of this project, ``--fix`` also corrects layout and header.
In catalogues of other projects, only the fixed translations change.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, replace_if_unchanged
from pipeline.core.checks import hygiene
from pipeline.core.checks.engine import fix_entry, subjects_of
from pipeline.core.checks.model import Rule, Subject
from pipeline.core.checks.table import CheckSet, checks_of
from pipeline.core.document.message import Markup
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.log import Log
from pipeline.naming import locale_of_header

# Header fields that gettext requires, but that check does not: they do not affect translations.
_OPTIONAL = ("Report-Msgid-Bugs-To", "POT-Creation-Date", "X-Generator")
# Header fields with only one correct value. Translators may set all others as they like.
_FIXED = (
    "Language",
    "Plural-Forms",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
)
# Header field by which ``check`` recognizes memory files. Catalogues do not have this field.
_MEMORY_FIELD = "X-Upstream-Page"
_SOFT_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
_WAY_OUT = "--fix corrects it; so does the next sync."


class CatalogFile(Struct, frozen=True, kw_only=True):
    """Catalogue to check. ``name`` is its path as shown to people.

    In the project's folders, the path decides the locale, and a header that names another locale is
    wrong. Elsewhere the header decides.
    """

    path: Path
    name: str
    page: str
    locale: str  # from the path; outside the project it may be a guess
    upstream: str = ""  # from the path; empty outside the project
    is_ours: bool = True
    markup: Markup | None = None  # value of --markup


class ReadFile(Struct, frozen=True, kw_only=True, dict=True):
    """Parsed catalogue, with the problems that the parser has found."""

    file: CatalogFile
    data: bytes
    catalog: Catalog
    remarks: tuple[Finding, ...] = ()  # problems that the parser has found

    @property
    def locale(self) -> str:
        """Return the locale of the translations."""
        if self.file.is_ours:
            return self.file.locale
        return locale_of_header(self.catalog.header) or self.file.locale

    @property
    def checks(self) -> CheckSet:
        """Return the checks for the file's locale."""
        return checks_of(self.locale)

    @cached_property
    def subjects(self) -> list[Subject]:
        """Return the entries to check.

        In catalogues of other projects, a line break in a translation counts as a space, unless the
        English has line breaks.
        """
        file, entries = self.file, self.catalog.entries
        if file.is_ours:
            # Entries from reST pages have a note that says so; the others are Markdown.
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
    # Return a finding instead of raising, so that the other files are still checked.
    try:
        read = po.read_catalog(data, where=file.name, takes_plurals=not file.is_ours)
    except InputError as error:
        return _unreadable(file, error)
    return ReadFile(file=file, data=data, catalog=read.catalog, remarks=read.findings)


def _unreadable(file: CatalogFile, error: InputError) -> Finding:
    """Return the finding for an unreadable file, at the line that the error names."""
    finding = finding_of(
        hygiene.UNREADABLE,
        file,
        _line(error.where),
        text=error.what,
        hint=error.hint,
    )
    return replace(finding, exit_code=error.exit_code)


def _on_one_line(entry: Entry) -> Entry:
    """Replace single line breaks in the translation by spaces, unless the English has any."""
    if "\n" not in entry.msgstr or "\n" in entry.msgid:
        return entry
    return replace(entry, msgstr=_SOFT_BREAK.sub(" ", entry.msgstr))


def wanted_header(read: ReadFile) -> dict[str, str]:
    """Return the complete header for a catalogue of this project.

    It has every field that gettext requires. A field with only one correct value gets this value.
    """
    header = read.catalog.header
    file = read.file
    # Only ``sync`` knows project and date. Pass any values here: they are used only if the header
    # lacks these fields.
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
    """Yield findings about the file: its header, the parser's remarks, its layout."""
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
    # To find any other difference from our layout, write the catalogue again and compare the bytes.
    if not has_layout_problem and po.format_catalog(read.catalog) != read.data:
        text = (
            "lines are wrapped, ordered or escaped in another way than the pipeline does: "
            "git would show differences where nothing has changed"
        )
        yield finding_of(hygiene.LAYOUT, file, 1, text=text, hint=_WAY_OUT)


def _findings_of_others(read: ReadFile) -> Iterator[Finding]:
    """Yield findings about another project's file, to which our rules of layout do not apply."""
    for remark in read.remarks:
        rule = hygiene.RULE_OF_REMARK.get(remark.code)
        # Skip notes about the header: Sphinx, for example, marks each header as fuzzy.
        is_form = rule is hygiene.HEADER and remark.severity is Severity.NOTE
        if rule is None or is_form:
            continue
        hint = "Correct it with the program that wrote the file."
        line = _line(remark.where)
        yield finding_of(rule, read.file, line, text=remark.text, hint=hint)


def finding_of(rule: Rule, file: CatalogFile, line: int, *, text: str, hint: str) -> Finding:
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
    """Apply safe fixes, and write the file if they change it.

    Return the resulting catalogue and the diff. The diff is empty if the file was not written.
    """
    file = read.file
    fixed = _fixed_msgstrs(read)
    data = _ours(read, fixed) if file.is_ours else _of_others(read, fixed)
    if data == read.data:
        return read, ""
    # Parse the result again: findings need its line numbers, and an unparsable result must not be
    # written.
    try:
        again = po.read_catalog(data, where=file.name, takes_plurals=not file.is_ours)
    except InputError:
        return read, ""
    if not replace_if_unchanged(file.path, data, before=read.data):
        log.warn(f"{file.name} was saved by another program meanwhile, so --fix did not write it")
        return read, ""
    new = ReadFile(file=file, data=data, catalog=again.catalog)
    return new, _diff(file.name, read.data, data)


def _fixed_msgstrs(read: ReadFile) -> dict[_Key, str]:
    """Return the fixed text of each finished translation that the fixes change.

    Fuzzy, obsolete and plural entries are not among them.
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
    """Return the fixed bytes of a catalogue of this project, in our layout with full header."""
    entries: list[Entry] = []
    for entry in read.catalog.entries:
        msgstr = fixed.get(_key(entry), entry.msgstr)
        entries.append(replace(entry, msgstr=msgstr))
    return po.format_catalog(
        replace(read.catalog, header=wanted_header(read), entries=tuple(entries))
    )


def _of_others(read: ReadFile, fixed: Mapping[_Key, str]) -> bytes:
    """Return the fixed bytes of another project's catalogue. Only translations differ."""
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
