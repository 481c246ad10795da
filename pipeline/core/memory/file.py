"""Format of a memory file: a ``.po`` file with the upstream commit in its header.

Every message of the page has an entry. Live entries come first, sorted by digest, then ``END``,
then obsolete entries. Two branches that translate different messages therefore change different
lines, so git can merge the branches. The header has the fields that belong to the team. Fields that
change with every edit, such as ``Last-Translator``, would cause conflicts in git, so notes of
entries store them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from pipeline.core.memory.record import (
    TOUCH,
    TRANSLATOR,
    Memory,
    malformed_note,
    translators_of,
)
from pipeline.entries import GENERATOR, NEUTRAL_DATE, Catalog, Entry
from pipeline.errors import InputError

_WARNING = (
    "Translation memory: each msgid is a digest of upstream's English."
    " Translate in the catalogues, not here."
)
COMMENT = (_WARNING,)  # first comment of every memory file
# The first obsolete entry. It separates live and obsolete entries, so that git does not see changes
# on both sides of it as adjacent.
END = Entry(msgid="end of the page; what follows is gone from it", obsolete=True)
FIELDS = ("X-Upstream", "X-Upstream-Ref", "X-Upstream-Commit", "X-Upstream-Page")
# Header field with the refs of the commits that notes name: "COMMIT=REF COMMIT=REF". It is missing
# if no commit has a ref.
REFS = "X-Upstream-Refs"
_FIXED = {
    "MIME-Version": "1.0",
    "Content-Type": "text/plain; charset=UTF-8",
    "Content-Transfer-Encoding": "8bit",
}
_OURS = (
    *FIELDS,
    REFS,
    *("Project-Id-Version", "POT-Creation-Date", "Language"),
    *_FIXED,
)
_DIGEST = re.compile(r"[0-9a-f]{32}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_MEND = (
    "Fix it, or restore the file from version control; the pipeline does not change it until then."
)


def read_memory(file: Catalog, *, upstream: str, locale: str, page: str, where: str) -> Memory:
    """Return the memory of ``page`` from the parsed content of its file.

    ``upstream`` and ``locale`` come from the path of the file's folder, and the header must name
    the same upstream and locale. ``where`` is the file name for messages. Raises InputError with
    ``file:line`` if the file is no valid memory.
    """
    header = file.header
    _check_header(header, upstream=upstream, locale=locale, where=where)
    # A git merge may have moved or removed the end marker.
    entries = tuple(entry for entry in file.entries if entry.msgid != END.msgid)
    for entry in entries:
        _check_entry(entry, where)
    comment = file.comment
    if comment[: len(COMMENT)] == COMMENT:
        comment = comment[len(COMMENT) :]
    return Memory(
        upstream=upstream,
        locale=locale,
        page=page,
        commit=header["X-Upstream-Commit"],
        ref=header.get("X-Upstream-Ref", ""),
        layout=header["X-Upstream-Page"],
        project=header.get("Project-Id-Version", ""),
        date=header.get("POT-Creation-Date", ""),
        extra={field: value for field, value in header.items() if field not in _OURS},
        comment=comment,
        refs=_read_refs(header.get(REFS, ""), where),
        entries=entries,
    )


def memory_file(memory: Memory) -> Catalog:
    """Return the content of a memory file. The entries of ``memory`` must be ``in_order``.

    This is the inverse of ``read_memory``.
    """
    header = {
        "Project-Id-Version": memory.project,
        "POT-Creation-Date": memory.date,
        "Language": memory.locale,
        **_FIXED,
        "X-Upstream": memory.upstream,
        "X-Upstream-Ref": memory.ref,
        "X-Upstream-Commit": memory.commit,
        "X-Upstream-Page": memory.layout,
    }
    if memory.refs:
        pairs = (f"{commit}={ref}" for commit, ref in sorted(memory.refs.items()))
        header[REFS] = " ".join(pairs)
    header |= memory.extra
    live = sum(not entry.obsolete for entry in memory.entries)
    entries = (*memory.entries[:live], END, *memory.entries[live:])
    return Catalog(header=header, comment=(*COMMENT, *memory.comment), entries=entries)


def _read_refs(text: str, where: str) -> dict[str, str]:
    """Parse the header field ``REFS``; return the refs by commit. Raises InputError."""
    refs: dict[str, str] = {}
    for pair in text.split():
        commit, _, ref = pair.partition("=")
        if not _COMMIT.fullmatch(commit) or not ref:
            raise _malformed(f"{REFS} must be COMMIT=REF, not {pair!r}", where, line=1)
        refs[commit] = ref
    return refs


def _check_header(header: Mapping[str, str], *, upstream: str, locale: str, where: str) -> None:
    """Raise InputError if a header is not that of a memory, or belongs to another folder."""
    name, _, commit, layout = (header.get(field, "") for field in FIELDS)
    # Only the ref may be missing: if upstream is a plain folder, there is none.
    if "" in (name, commit, layout):
        fields = ", ".join(FIELDS)
        raise _malformed(f"is no memory: its header needs {fields}", where, line=1)
    language = header.get("Language", "")
    if (name, language) != (upstream, locale):
        # A person or git copied or moved the file from another folder.
        other = f"{name} in {language or 'no language'}"
        hint = (
            f"This file must be the memory of {upstream} in {locale}: move it to its own folder,"
            " or restore it from version control."
        )
        raise InputError(f"is the memory of {other}", where=f"{where}:1", hint=hint)
    if not _COMMIT.fullmatch(commit) or not _DIGEST.fullmatch(layout):
        raise _malformed(
            "X-Upstream-Commit must be 40 hex digits, X-Upstream-Page 32", where, line=1
        )


def _check_entry(entry: Entry, where: str) -> None:
    """Raise InputError if an entry contains English or a malformed place.

    The error has the line of the entry: ``guide/start.po:12``.
    """
    for code in (entry.msgid, entry.previous):
        if code is not None and not _DIGEST.fullmatch(code):
            raise _malformed(
                f"{code[:40]!r} is not a digest (32 hex digits)", where, line=entry.line
            )
    note = malformed_note(entry)
    if note:
        raise _malformed(
            f"the note {note[:60]!r} must name a commit and a page",
            where,
            line=entry.line,
        )


def _malformed(what: str, where: str, *, line: int) -> InputError:
    """Return the error for a file that an edit or a merge has damaged."""
    return InputError(what, where=f"{where}:{line}", hint=_MEND)


EDITING = ("PO-Revision-Date", "Last-Translator", "X-Generator")
_SERVER = re.compile(r"<?\bhttps?://[^\s>]*>?")
# Fields that do not belong to the team.
_NOT_THE_TEAMS = (*_OURS, *EDITING, "Plural-Forms")


def translator_note(header: Mapping[str, str]) -> str:
    """Return a note with the person who saved a catalogue last, and the date; "" if unknown.

    ``Last-Translator: Li Lei``, ``PO-Revision-Date: 2026-05-01 09:30+0800`` and
    ``X-Generator: Poedit 3.4`` become ``translator: Li Lei, 2026-05-01 09:30+0800, Poedit 3.4``.
    """
    when = header.get("PO-Revision-Date", "")
    if when == NEUTRAL_DATE:
        return ""  # the date of a generated catalogue: nobody has saved it
    note = f"{TRANSLATOR}{header.get('Last-Translator', '')}, {when}"
    generator = header.get("X-Generator", "")
    # The field has the pipeline's own name until a program such as Poedit replaces it.
    if generator not in ("", GENERATOR):
        note += f", {generator}"
    # If the date is invalid, there is no note.
    return note if TOUCH.fullmatch(note) else ""


def team_fields(header: Mapping[str, str], locale: str) -> dict[str, str]:
    """Return the team's fields of a catalogue's header, in order.

    Generated fields (``_NOT_THE_TEAMS``) and fields with their default value are left out. The
    default of ``Language-Team`` is the locale, such as ``zh_CN``.
    """
    untouched = {"Report-Msgid-Bugs-To": "", "Language-Team": locale}
    fields = dict(header)
    if "Language-Team" in fields:
        fields["Language-Team"] = public_team(fields["Language-Team"]) or locale
    return {
        name: value
        for name, value in fields.items()
        if name not in _NOT_THE_TEAMS and untouched.get(name) != value
    }


def public_team(team: str) -> str:
    """Return a team's name without the URL of its server, which may be private.

    ``Chinese <https://weblate.example.org/zh_Hans/>`` → ``Chinese``; e-mail addresses are kept.
    """
    return _SERVER.sub("", team).strip()


def editing_fields(memory: Memory) -> dict[str, str]:
    """Return the header fields about a memory's team and its last translator.

    The newest translator note of the entries names the last translator. This function is the
    inverse of ``translator_note`` and ``team_fields``.
    """
    # Collect a set, because most entries of a page have the same few notes.
    notes: set[str] = set()
    for entry in memory.entries:
        notes.update(translators_of(entry))
    touches = filter(None, map(TOUCH.fullmatch, notes))
    # If two notes have the same date, their texts decide. So every run chooses the same note.
    touch = max(touches, key=lambda note: (moment_of(note[2]), note[0]), default=None)
    if touch is None:
        return dict(memory.extra)
    who, when, generator = touch.groups()
    fields = {"PO-Revision-Date": when}
    if who:
        fields["Last-Translator"] = who
    if generator:
        fields["X-Generator"] = generator
    return fields | dict(memory.extra)


def moment_of(when: str) -> float:
    """Return a gettext date such as ``2026-05-01 09:30+0800`` in seconds since 1970.

    An invalid date, such as one with a 13th month, sorts before all others.
    """
    try:
        return datetime.strptime(when, "%Y-%m-%d %H:%M%z").timestamp()
    except (ValueError, OverflowError):
        return float("-inf")
