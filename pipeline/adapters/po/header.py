"""The header of a catalogue: the entry without msgid that names project, language and charset.

``standard_header`` makes the fields that we write. ``read_header`` reads those of a file.
No date here comes from the clock, which would change every file on every run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from pipeline.adapters.po.scanner import Source
from pipeline.entries import GENERATOR, NEUTRAL_DATE, Entry
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity

CHARSET = re.compile(r'charset=([^\s;"\\]*)', re.IGNORECASE)

# What translators and their tools may write; what else stands in the header is the project's.
_THEIRS = (
    "Report-Msgid-Bugs-To",
    "PO-Revision-Date",
    "Last-Translator",
    "Language-Team",
    "X-Generator",
)
_PLACEHOLDER = re.compile(  # what xgettext leaves to be filled in
    r"YEAR-MO-DA|FULL NAME <|LANGUAGE <|PACKAGE VERSION"
)
# Names for what a UTF-8 file may say of itself; "CHARSET" is xgettext's placeholder.
_AS_GOOD_AS_UTF8 = ("", "utf-8", "utf8", "charset", "ascii", "us-ascii")


def standard_header(
    *,
    project: str,
    page: str,
    locale: str,
    date: str,
    existing: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """A header that ``msgfmt -c`` accepts silently.

    ``date`` is the upstream commit's, ISO 8601, or empty. What translators and their tools wrote in
    ``existing`` is kept: who and when, the generator, and fields that are not listed here, in their
    order. Raises InputError for a date that is none.
    """
    existing = existing or {}
    fields = {
        "Project-Id-Version": f"{project} {page}",
        # An upgrade changes this line and an editor that of the revision: git merges the two
        # only if another line stands between them.
        "POT-Creation-Date": _gettext_date(date),
        "Report-Msgid-Bugs-To": "",
        # Translators' tools write this one; ours would change it on every run.
        "PO-Revision-Date": NEUTRAL_DATE,
        "Last-Translator": "",
        "Language-Team": locale,
        "Language": locale,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        # Prose has no plural forms, but msgfmt asks for the line.
        "Plural-Forms": "nplurals=1; plural=0;",
        "X-Generator": GENERATOR,
    }
    # A placeholder is nobody's: ours goes in its place.
    for name in _THEIRS:
        value = existing.get(name, "")
        if value and not _PLACEHOLDER.search(value):
            fields[name] = value
    for name, value in existing.items():
        fields.setdefault(name, value)
    return fields


def read_header(
    head: Entry | None, source: Source
) -> tuple[dict[str, str], list[Finding]]:
    """The fields of the entry ``head``, in their order, and what a person should know about them.

    Raises InputError for a line that is no field, and for a charset that the bytes are not in.
    """
    if head is None or not head.msgstr:
        missing = source.finding(
            "po-header", "has no header", line=1, severity=Severity.WARNING
        )
        return {}, [missing]
    fields: dict[str, str] = {}
    findings: list[Finding] = []
    for row in head.msgstr.split("\n"):
        if not row:
            continue
        name, colon, value = row.partition(":")
        if not colon or not name.strip():
            text = f"the header has a line that is not 'Name: value': {row[:60]!r}"
            raise source.error(text, line=head.line)
        if name in fields:
            text = f"the header names {name} twice; the first one counts"
            findings.append(source.finding("po-header", text, line=head.line))
        else:
            fields[name] = value.removeprefix(" ")
    if head.fuzzy:
        text = "the header is marked fuzzy; the mark is removed"
        findings.append(source.finding("po-header", text, line=head.line))
    _check_charset(fields, source, line=head.line)
    return fields, findings


def _check_charset(fields: Mapping[str, str], source: Source, *, line: int) -> None:
    declared = CHARSET.search(fields.get("Content-Type", ""))
    if declared and declared[1].lower() not in _AS_GOOD_AS_UTF8:
        raise source.error(
            f"the header says charset={declared[1]}, but the bytes are UTF-8",
            line=line,
            hint="Write charset=UTF-8 if the text looks right; else convert it with msgconv.",
        )


def _gettext_date(date: str) -> str:
    """An ISO 8601 date as gettext writes it; without an offset it is taken for UTC."""
    if not date:
        return NEUTRAL_DATE
    try:
        moment = datetime.fromisoformat(date)
    except ValueError as error:
        raise InputError(
            f"{date!r} is not a date", hint="Run pull again: it writes the lock afresh."
        ) from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.strftime("%Y-%m-%d %H:%M%z")
