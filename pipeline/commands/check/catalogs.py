"""One catalogue under check: read, mended, and what there is to say of the file itself.

In goes a file, out come its entries and findings. A file is written only if mending changes it, and
if nobody has saved it meanwhile.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, replace_if_unchanged
from pipeline.core.checks import hygiene
from pipeline.core.checks.base import Rule, Subject
from pipeline.core.checks.run import fix_entry, subjects_of
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.findings import Finding
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
_WAY_OUT = "--fix mends it; so does the next sync."


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogFile:
    """A catalogue to check. ``name`` is its path as people read it."""

    path: Path
    name: str
    page: str
    locale: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """A catalogue that can be read, and what reading it brought up."""

    file: CatalogFile
    data: bytes
    catalog: Catalog
    remarks: tuple[Finding, ...] = ()  # of the reader

    @property
    def subjects(self) -> list[Subject]:
        """The entries that the checks look at."""
        return subjects_of(self.catalog.entries, self.file.page)

    @property
    def is_memory(self) -> bool:
        """Whether it is a file of the memory, which looks like a catalogue."""
        return _MEMORY_FIELD in self.catalog.header


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A catalogue after mending. ``diff`` is empty if the file stays as it was."""

    read: ReadFile
    diff: str = ""


def read_file(file: CatalogFile) -> ReadFile | Finding:
    """Read a catalogue; a finding if it cannot be read."""
    # One that cannot be read must not keep people from the findings of all others.
    try:
        data = read_bytes(file.path)
        read = po.read_catalog(data, where=file.name)
    except InputError as error:
        finding = finding_of(
            hygiene.UNREADABLE,
            file,
            _line(error.where),
            text=error.what,
            hint=error.hint,
        )
        return replace(finding, exit_code=error.exit_code)
    return ReadFile(file=file, data=data, catalog=read.catalog, remarks=read.findings)


def mend(read: ReadFile, log: Log) -> Mended:
    """Mend what needs no judgement, and write the file if that changes it."""
    file = read.file
    entries = tuple(_mended_entry(entry, file.page) for entry in read.catalog.entries)
    data = po.format_catalog(
        replace(read.catalog, header=_header(read), entries=entries)
    )
    if data == read.data:
        return Mended(read=read)
    if not replace_if_unchanged(file.path, data, before=read.data):
        log.warn(
            f"{file.name} was saved by someone else meanwhile: it is left as it is"
        )
        return Mended(read=read)
    # Read again: lines have moved, and findings name them.
    catalog = po.read_catalog(data, where=file.name).catalog
    mended = ReadFile(file=file, data=data, catalog=catalog)
    return Mended(read=mended, diff=_diff(file.name, read.data, data))


def _mended_entry(entry: Entry, page: str) -> Entry:
    """An entry with what can be mended mended, if it is a finished translation."""
    # Fuzzy ones are a person's to look at, and obsolete ones nobody's.
    if not entry.is_translated:
        return entry
    return replace(entry, msgstr=fix_entry(Subject(entry, page)))


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


def _header(read: ReadFile) -> dict[str, str]:
    """The header with every field that gettext asks for, and those right that have one value."""
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
    file = read.file
    # The reader may have told of the header already, in better words.
    if not any(remark.code == "po-header" for remark in read.remarks):
        text = hygiene.header_problem(read.catalog, _header(read))
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
