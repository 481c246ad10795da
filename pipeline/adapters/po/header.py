"""Header of a catalogue: the entry without msgid, with project, language and charset.

``standard_header`` makes the fields that the pipeline writes; ``read_header`` parses those of a
file. The invariant: no date comes from the clock, which would change every file on every run.
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

# Fields that translators and their tools may write; the others are the project's.
_THEIRS = (
    "Report-Msgid-Bugs-To",
    "PO-Revision-Date",
    "Last-Translator",
    "Language-Team",
    "X-Generator",
)
_PLACEHOLDER = re.compile(  # placeholders of xgettext
    r"YEAR-MO-DA|FULL NAME <|LANGUAGE <|PACKAGE VERSION"
)
# Charsets that a UTF-8 file may declare; "CHARSET" is xgettext's placeholder.
_AS_GOOD_AS_UTF8 = ("", "utf-8", "utf8", "charset", "ascii", "us-ascii")


def standard_header(
    *,
    project: str,
    page: str,
    locale: str,
    date: str,
    existing: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return a header that ``msgfmt -c`` accepts without warnings.

    ``date`` is the date of the upstream commit, ISO 8601 or empty. Fields of ``existing`` that
    translators and their tools wrote are kept: who and when, the generator, and unknown fields in
    their order. Raises InputError for an invalid date.
    """
    existing = existing or {}
    fields = {
        "Project-Id-Version": f"{project} {page}",
        # An upgrade changes this line, an editor changes the revision date. git can merge the two
        # only if there is another line between them.
        "POT-Creation-Date": _gettext_date(date),
        "Report-Msgid-Bugs-To": "",
        # Written by translators' tools; the pipeline would change it on every run.
        "PO-Revision-Date": NEUTRAL_DATE,
        "Last-Translator": "",
        "Language-Team": locale,
        "Language": locale,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        # Prose has no plural forms, but msgfmt requires the line.
        "Plural-Forms": "nplurals=1; plural=0;",
        "X-Generator": GENERATOR,
    }
    # A placeholder is replaced by the default.
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
    """Return the fields of the entry ``head``, in order, and findings about them.

    Raises InputError for a line that is no field, and for a charset that is not that of the bytes.
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
    """Return an ISO 8601 date in gettext's format; without an offset it is UTC."""
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
