"""Header of a catalogue: the entry with the empty msgid, with project, language and charset.

``standard_header`` returns the fields that the pipeline writes; ``read_header`` parses the fields
of a file. No date comes from the clock, because then every run would change every file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from pipeline.adapters.po.scanner import Source
from pipeline.entries import GENERATOR, NEUTRAL_DATE, Entry
from pipeline.errors import InputError
from pipeline.findings import Finding

CHARSET = re.compile(r'charset=([^\s;"\\]*)', re.IGNORECASE)

# Fields that translators and their tools write. The pipeline writes all other fields.
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
# Charsets that a UTF-8 file may declare without an error; "CHARSET" is xgettext's placeholder.
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

    ``date`` is the date of the upstream commit, ISO 8601 or empty. Two kinds of fields are copied
    from the ``existing`` header: the fields in ``_THEIRS``, and unknown fields, in their order.
    Raises InputError for an invalid date.
    """
    existing = existing or {}
    fields = {
        "Project-Id-Version": f"{project} {page}",
        # An upgrade changes this line; a translator's editor changes PO-Revision-Date. git can
        # merge the two changes only if another line is between them.
        "POT-Creation-Date": _gettext_date(date),
        "Report-Msgid-Bugs-To": "",
        # Only translators' tools set this date. If the pipeline set it, every run would change it.
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
    # A placeholder of xgettext does not replace our default.
    for name in _THEIRS:
        value = existing.get(name, "")
        if value and not _PLACEHOLDER.search(value):
            fields[name] = value
    for name, value in existing.items():
        fields.setdefault(name, value)
    return fields


def read_header(head: Entry | None, source: Source) -> tuple[dict[str, str], list[Finding]]:
    """Return the fields of the header ``head``, in order, and findings about them.

    Raises InputError for a line that is not ``Name: value``, and for a charset other than UTF-8.
    """
    if head is None or not head.msgstr:
        return {}, [source.finding("po-no-header", line=1)]
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
            twice = source.finding("po-header-twice", line=head.line, field=name)
            findings.append(twice)
        else:
            fields[name] = value.removeprefix(" ")
    if head.fuzzy:
        findings.append(source.finding("po-header-fuzzy", line=head.line))
    _check_charset(fields, source, line=head.line)
    return fields, findings


def _check_charset(fields: Mapping[str, str], source: Source, *, line: int) -> None:
    declared = CHARSET.search(fields.get("Content-Type", ""))
    if declared and declared[1].lower() not in _AS_GOOD_AS_UTF8:
        raise source.error(
            f"the header says charset={declared[1]}, but the bytes are UTF-8",
            line=line,
            hint="Write charset=UTF-8 if the text looks right; otherwise convert it with msgconv.",
        )


def _gettext_date(date: str) -> str:
    """Return an ISO 8601 date in gettext's format: ``2026-05-01 09:30+0800``.

    A date without an offset is in UTC. Raises InputError for an invalid date.
    """
    if not date:
        return NEUTRAL_DATE
    try:
        moment = datetime.fromisoformat(date)
    except ValueError as error:
        raise InputError(
            f"{date!r} is not a date",
            hint="Run pull again, which writes the lock again.",
        ) from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.strftime("%Y-%m-%d %H:%M%z")
