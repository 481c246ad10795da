"""Catalogues between ``.po`` bytes and records: the only importer of polib.

Reading: a scan, line by line, refuses what cannot be read whole, takes the ``#`` lines and leaves clean strings for polib.
polib alone would drop an entry before a bare ``#.``, cut an unclosed string short, crash on ``#=`` and lose ``#~|``.
Writing: done here, in GNU's own layout (``msgcat --no-wrap``), so that other tools leave the lines as they are.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import polib

from pipeline.adapters.po.canonical import read_canonical
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity

NEUTRAL_DATE = (
    "1970-01-01 00:00+0000"  # for what has no date: the clock would change the file on every run
)
UNWRITABLE = {
    "\0": "a NUL character",
    "\x04": "the control character U+0004 (gettext's own separator)",
}

_STRING = re.compile(
    r"""[ \t]* (\#~\||\#~|\#\||) [ \t]* (msgctxt|msgid|msgstr|) [ \t]* ("[^"\\]*(?:\\[abfnrtv"\\][^"\\]*)*") [ \t\f\v\r]*""",
    re.VERBOSE,
)
_OPENS_STRING = re.compile(
    r"""[ \t]* (?:\#~\||\#~|\#\||) [ \t]* (?:msgctxt|msgid|msgstr|(?=")) [ \t]* (.*)""", re.VERBOSE
)
_CLOSED = re.compile(r'"(?:[^"\\]|\\.)*"[ \t\f\v\r]*')
_ESCAPE = re.compile(r"\\(.)")
_CONFLICT = re.compile(r"<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|")
_PLURAL = re.compile(r"[ \t]*(?:#~\|?|#\|)?[ \t]*(?:msgid_plural|msgstr\[)")
_FLAG = re.compile(r"range:[ \t]*[^\s,\\]+|[^\s,\\]+")
_REFERENCE = re.compile(
    r"\u2068([^\u2069]*)\u2069([^ \t]*)|([^ \t]+)"
)  # names with spaces stand between FSI and PDI
_BREAK = re.compile(r"\r\n|\r|\n")
_CHARSET = re.compile(r"charset=([^\s;]*)", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"YEAR-MO-DA|FULL NAME <|LANGUAGE <|PACKAGE VERSION"
)  # what xgettext leaves to be filled in

_BEFORE = {
    "msgctxt": ("", "#|", "msgstr"),
    "msgid": ("", "#|", "msgctxt", "msgstr"),
    "msgstr": ("msgid",),
}
_MEND = "Mend the line and run again; nothing was changed."


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCatalog:
    """What a file held, and what a person should know about it."""

    catalog: Catalog
    findings: tuple[Finding, ...] = ()


def read_catalog(data: bytes, *, where: str) -> ReadCatalog:
    """Read the bytes of the ``.po`` file called ``where``, whole or not at all.

    Accepts any line ends, a byte order mark, wrapped strings, and entries given twice with one translation.
    A line break at the edge of a msgstr that its msgid does not have is removed, as ``msgfmt -c`` demands.
    ``Entry.line`` is the line of ``msgctxt`` or ``msgid``. Raises InputError with ``file:line``.
    """
    text = _decode(data, where)
    if catalog := _as_written(text, data):
        return ReadCatalog(catalog=catalog)
    scan = _Scan(where=where)
    clean = "\n".join(map(scan.read, text.split("\n")))
    scan.end(unfinished=not text.endswith(("\n", "\r")) and text != "")
    found = (
        [scan.finding("po-bom", "starts with a byte order mark, which is removed", line=1)]
        if data.startswith(codecs.BOM_UTF8)
        else []
    )
    found += scan.findings
    file = polib.pofile(_Lines(clean), encoding="utf-8", klass=_File)
    entries: dict[tuple[str | None, str], Entry] = {}
    for above, read in zip(scan.above, file, strict=True):
        entry = _entry(above, read)
        key = (entry.context, entry.msgid)
        if key in entries:
            found.append(
                scan.finding(
                    "po-duplicate",
                    f"repeats the entry of line {entries[key].line}; merged into one",
                    line=entry.line,
                )
            )
            entry = _one_of(entries[key], entry, where)
        elif entry.msgid and entry.msgstr != read.msgstr:
            found.append(
                scan.finding(
                    "po-edge",
                    "line breaks at the edge of the translation are removed",
                    line=entry.line,
                )
            )
        entries[key] = entry
    head = entries.pop((None, ""), None)
    header, remarks = _header(head, scan)
    comment = (
        (*head.comments, *head.notes) if head else () if entries else tuple(scan.pending.comments)
    )
    catalog = Catalog(header=header, comment=comment, entries=tuple(entries.values()))
    return ReadCatalog(catalog=catalog, findings=(*found, *remarks))


def format_catalog(catalog: Catalog) -> bytes:
    """The canonical bytes of ``catalog``: UTF-8, LF, unwrapped, entries in order, obsolete ones last.

    ``read_catalog`` gives the same catalogue back, and ``msgfmt -c`` accepts it if the header is complete (``standard_header``),
    except that a comment with line breaks becomes several, line breaks at the edges of a msgstr follow its msgid, and flags such
    as ``python-format`` are left out (a bare ``%`` would then be an error).
    Raises InputError for what no ``.po`` file can hold: NUL, U+0004, lone surrogates, two entries with one msgid, an empty msgid.
    """
    blocks = list(_header_lines(catalog))
    seen: set[tuple[str | None, str]] = set()
    for entry in sorted(catalog.entries, key=lambda entry: entry.obsolete):
        key = (entry.context, entry.msgid)
        if key in seen or key == (None, ""):
            raise _unwritable(
                "an entry without msgid"
                if key == (None, "")
                else "two entries with the same msgid",
                entry.msgid,
            )
        seen.add(key)
        blocks.append("\n".join(_entry_lines(entry)) + "\n")
    text = "\n".join(blocks)
    for character, name in UNWRITABLE.items():
        if character in text:
            raise _unwritable(name, _line_at(text, text.index(character)))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _unwritable(
            "a lone surrogate, which UTF-8 does not have", _line_at(text, error.start)
        ) from error


def standard_header(
    *, project: str, page: str, locale: str, date: str, existing: Mapping[str, str] | None = None
) -> dict[str, str]:
    """A header that ``msgfmt -c`` accepts silently.

    ``date`` is the upstream commit's, ISO 8601, or empty. What translators and their tools wrote in ``existing`` is kept: who and
    when, the generator, and fields that are not listed here, in their order. Raises InputError for a date that is none.
    """
    existing = existing or {}
    fields = {
        "Project-Id-Version": f"{project} {page}",
        "Report-Msgid-Bugs-To": "",
        "POT-Creation-Date": _gettext_date(date),
        "PO-Revision-Date": NEUTRAL_DATE,
        "Last-Translator": "",
        "Language-Team": locale,
        "Language": locale,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": "nplurals=1; plural=0;",
        "X-Generator": "jax-docs-zh",
    }
    for name in (
        "Report-Msgid-Bugs-To",
        "PO-Revision-Date",
        "Last-Translator",
        "Language-Team",
        "X-Generator",
    ):
        kept = existing.get(name, "")
        if kept and not _PLACEHOLDER.search(kept):
            fields[name] = kept
    return fields | {name: value for name, value in existing.items() if name not in fields}


def _as_written(text: str, data: bytes) -> Catalog | None:
    """The catalogue, if ``data`` are just the bytes that ``format_catalog`` writes for it. Reading these gives it back (P7)."""
    if "\\ \n" in text or "\u2068" in text:
        return None  # ends of comments and names with spaces are written with a mark that reading removes
    try:
        catalog = read_canonical(text)
        return catalog if catalog is not None and format_catalog(catalog) == data else None
    except InputError:
        return None


class _Lines(str):
    """Text that polib splits at LF only, not at the eight other characters of ``str.splitlines``."""

    __slots__ = ()

    def splitlines(self, keepends: bool = False) -> list[str]:
        return self.split("\n")


class _File(polib.POFile):  # type: ignore[misc]  # polib has no types
    """Leaves the header among the entries; polib would look for it and fold it into a dict, where repeated fields are lost."""

    def find(self, *_args: object, **_options: object) -> None:
        return None


@dataclass(slots=True)
class _Above:
    """The ``#`` lines above an entry, and the line where the entry itself starts."""

    comments: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    line: int = 0


@dataclass(slots=True)
class _Scan:
    """Reads line after line: strings are checked and handed on for polib, ``#`` lines are kept, the rest is refused."""

    where: str
    number: int = 0
    last: str = (
        ""  # what the line above was: a keyword, "#|" for a previous msgid, or "" for a comment
    )
    mark: str = ""  # "#~" and so on, of the last string
    above: list[_Above] = field(default_factory=list)  # one per entry
    pending: _Above = field(default_factory=_Above)
    findings: list[Finding] = field(default_factory=list)

    def read(self, line: str) -> str:
        self.number += 1
        if match := _STRING.fullmatch(line):
            return self._string(*match.groups())
        line = line.lstrip(" \t\f\v\r").rstrip("\r")
        if line.startswith("#~") and line[2:].lstrip(" \t")[:1] in ("", "#"):
            line = line[2:].lstrip(" \t")  # a comment marked as obsolete
        if line and (line[0] != "#" or line[1:2] in ("~", "|")):
            raise self._wrong(line)
        if line:
            self._comment(line)
        return ""

    def end(self, *, unfinished: bool) -> None:
        """The file ends here. A comment below the last entry moves above it, rather than being lost."""
        self._expect_complete()
        if self.pending.comments and self.above:
            self.above[-1].comments += self.pending.comments
            self.findings.append(
                self.finding("po-comment", "a comment below the last entry is moved above it")
            )
        if unfinished:
            what = "the last line has no line end: the file may have been cut short"
            self.findings.append(self.finding("po-cut", what, severity=Severity.WARNING))

    def finding(
        self, code: str, text: str, *, line: int = 0, severity: Severity = Severity.NOTE
    ) -> Finding:
        return Finding(
            code=code, severity=severity, where=f"{self.where}:{line or self.number}", text=text
        )

    def error(self, what: str, *, hint: str = _MEND, line: int = 0) -> InputError:
        return InputError(what, where=f"{self.where}:{line or self.number}", hint=hint)

    def _string(self, mark: str, keyword: str, quoted: str) -> str:
        previous = mark.endswith("|")
        if not keyword:
            if not self.last or mark != self.mark:
                raise self.error("a quoted line that continues no msgid or msgstr")
        elif previous and keyword != "msgstr":
            self._expect_complete()
            self.last = "#|"
        else:
            self._keyword(keyword, mark)
        self.mark = mark
        if "\\a" in quoted:  # the one escape of GNU's that polib does not know
            quoted = _ESCAPE.sub(lambda match: "\a" if match[1] == "a" else match[0], quoted)
        return f"{'#|' if previous else mark} {keyword} {quoted}"

    def _keyword(self, keyword: str, mark: str) -> None:
        if self.last not in _BEFORE[keyword]:
            self._expect_complete()
            raise self.error(f"{keyword} without a msgid above it")
        if self.last in ("msgctxt", "msgid") and mark != self.mark:
            raise self.error(
                "an entry is half obsolete (#~) and half not", hint="Mark all of its lines or none."
            )
        if self.last not in ("msgctxt", "msgid"):
            self.pending.line = self.number
            self.above.append(self.pending)
            self.pending = _Above()
        self.last = keyword

    def _comment(self, line: str) -> None:
        self._expect_complete()
        self.last = ""
        if _ends_in_backslash(line):
            line = line.removesuffix(" ")  # was added in writing
        kind, text = line[1:2], line[2:]
        if kind == ".":
            self.pending.notes.append(text.removeprefix(" "))
        elif kind == ":":
            self.pending.references.append(text.removeprefix(" "))
        elif kind in (
            ",",
            "=",
        ):  # newer gettext keeps flags other than fuzzy on a line of their own, "#="
            self.pending.flags += [
                flag for flag in _FLAG.findall(text) if flag not in self.pending.flags
            ]
        else:
            self.pending.comments.append(line[1:].removeprefix(" "))

    def _expect_complete(self) -> None:
        if self.last in ("msgctxt", "msgid"):
            raise self.error(
                "the entry has no msgstr",
                line=self.above[-1].line,
                hint='Add a line: msgstr "" (or the translation).',
            )

    def _wrong(self, line: str) -> InputError:
        if _CONFLICT.match(line):
            return self.error(
                "an unresolved merge conflict",
                hint="Choose one side and remove the lines with <<<<<<<, =======, >>>>>>>.",
            )
        if _PLURAL.match(line):
            return self.error(
                "a plural entry; catalogues of prose have none",
                hint="Give the entry one msgid and one msgstr.",
            )
        opens = _OPENS_STRING.match(line)
        if not opens:
            return self.error(f"not a line of a .po file: {line[:60]!r}")
        if _CLOSED.fullmatch(opens[1]):
            hint = r"Write \\ for a backslash. Numbers such as \303: run msgcat --no-escape over the file."
            return self.error("a backslash before a character that cannot be escaped", hint=hint)
        return self.error(
            "a string without its quotes, or cut short",
            hint='Close the string with " and write \\" for a quote inside it.',
        )


def _decode(data: bytes, where: str) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(
            "is UTF-16, not UTF-8", where=f"{where}:1", hint="Save it as UTF-8 and run again."
        )
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        declared = _CHARSET.search(data.decode("latin-1"))
        hint = (
            f" The header says {declared[1]}: msgconv --to-code=UTF-8 may help."
            if declared and declared[1].lower() != "utf-8"
            else ""
        )
        raise InputError(
            "is not UTF-8", where=f"{where}:{line}", hint=f"Save it as UTF-8 and run again.{hint}"
        ) from error
    for character, name in UNWRITABLE.items():
        if character in text:
            line = text.count("\n", 0, text.index(character)) + 1
            raise InputError(
                f"contains {name}", where=f"{where}:{line}", hint="Remove it and run again."
            )
    return text.replace("\r\n", "\n")


def _entry(above: _Above, read: polib.POEntry) -> Entry:
    references = _REFERENCE.findall(" ".join(above.references))  # GNU also wraps inside a name
    return Entry(
        msgid=read.msgid,
        msgstr=_same_edges(read.msgid, read.msgstr) if read.msgid else read.msgstr,
        fuzzy="fuzzy" in above.flags,
        previous=read.previous_msgid,
        context=read.msgctxt,
        obsolete=bool(read.obsolete),
        comments=tuple(above.comments),
        notes=tuple(above.notes),
        references=tuple(name + rest or plain for name, rest, plain in references),
        flags=tuple(flag for flag in above.flags if flag != "fuzzy"),
        line=above.line,
    )


def _one_of(first: Entry, second: Entry, where: str) -> Entry:
    """Two entries with one msgid as one, if that loses no translation; fuzzy if either was."""
    if first.msgstr and second.msgstr and first.msgstr != second.msgstr:
        what = "the same msgid with another translation" if first.msgid else "a second header"
        what += f"; the first is at line {first.line}"
        raise InputError(
            what,
            where=f"{where}:{second.line}",
            hint=f"Keep one of the two entries (lines {first.line} and {second.line}).",
        )
    filled = [entry for entry in (first, second) if entry.msgstr] or [first]
    kept = next((entry for entry in filled if entry.fuzzy), filled[0])
    return replace(
        first,
        msgstr=kept.msgstr,
        fuzzy=kept.fuzzy,
        previous=kept.previous,
        obsolete=first.obsolete and second.obsolete,
        comments=_union(first.comments, second.comments),
        notes=_union(first.notes, second.notes),
        references=_union(first.references, second.references),
        flags=_union(first.flags, second.flags),
    )


def _union(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _same_edges(msgid: str, msgstr: str) -> str:
    """``msgstr`` without the line breaks at its edges that ``msgid`` does not have."""
    if not msgid.startswith("\n"):
        msgstr = msgstr.lstrip("\n")
    return msgstr if msgid.endswith("\n") else msgstr.rstrip("\n")


def _header(head: Entry | None, scan: _Scan) -> tuple[dict[str, str], list[Finding]]:
    if head is None or not head.msgstr:
        return {}, [scan.finding("po-header", "has no header", line=1, severity=Severity.WARNING)]
    fields: dict[str, str] = {}
    found = []
    for row in head.msgstr.split("\n"):
        name, colon, value = row.partition(":")
        if row and not (colon and name.strip()):
            raise scan.error(
                f"the header has a line that is not 'Name: value': {row[:60]!r}", line=head.line
            )
        if name in fields:
            found.append(
                scan.finding(
                    "po-header",
                    f"the header names {name} twice; the first one counts",
                    line=head.line,
                )
            )
        elif row:
            fields[name] = value.removeprefix(" ")
    if head.fuzzy:
        found.append(
            scan.finding(
                "po-header", "the header is marked fuzzy; the mark is removed", line=head.line
            )
        )
    declared = _CHARSET.search(fields.get("Content-Type", ""))
    if declared and declared[1].lower() not in (
        "",
        "utf-8",
        "utf8",
        "charset",
        "ascii",
        "us-ascii",
    ):
        what = f"the header says charset={declared[1]}, but the bytes are UTF-8"
        raise scan.error(
            what,
            line=head.line,
            hint="Write charset=UTF-8 if the text looks right; else convert it with msgconv.",
        )
    return fields, found


def _header_lines(catalog: Catalog) -> Iterator[str]:
    if not catalog.header and not catalog.comment:
        return
    for name, value in catalog.header.items():
        if not name.strip() or ":" in name or "\n" in name + value:
            raise _unwritable("a header field with a colon in its name or a line break", name)
    fields = "".join(f"{name}: {value}\n" for name, value in catalog.header.items())
    # msgcat gives the header one line per field even if there is only one
    yield (
        "\n".join(
            (
                *_comment_lines("#", catalog.comment),
                'msgid ""',
                *_string_lines("", "msgstr", fields, split=True),
            )
        )
        + "\n"
    )


def _entry_lines(entry: Entry) -> Iterator[str]:
    yield from _comment_lines("#", entry.comments)
    yield from _comment_lines("#.", entry.notes)
    yield from _reference_lines(entry)
    flags = [flag for flag in entry.flags if not flag.endswith("-format") or flag.startswith("no-")]
    if not all(map(_FLAG.fullmatch, flags)):
        raise _unwritable("a flag with a space or a comma", entry.msgid)
    if flags or entry.fuzzy:
        yield "#, " + ", ".join(["fuzzy", *flags] if entry.fuzzy else flags)
    mark = "#~" if entry.obsolete else ""
    if entry.previous is not None:
        yield from _string_lines(f"{mark or '#'}| ", "msgid", entry.previous)
    mark = mark and f"{mark} "
    if entry.context is not None:
        yield from _string_lines(mark, "msgctxt", entry.context)
    yield from _string_lines(mark, "msgid", entry.msgid)
    yield from _string_lines(mark, "msgstr", _same_edges(entry.msgid, entry.msgstr))


def _comment_lines(mark: str, comments: Iterable[str]) -> Iterator[str]:
    for comment in comments:
        for row in _BREAK.split(comment):
            end = " " if _ends_in_backslash(row) else ""
            yield f"{mark} {row}{end}" if row else mark


def _ends_in_backslash(row: str) -> bool:
    """GNU takes a backslash at the end of any line as a continuation, so that a comment would swallow the line below."""
    return row.rstrip(" ").endswith("\\")


def _reference_lines(entry: Entry) -> Iterator[str]:
    for name in entry.references:
        if not name or _BREAK.search(name) or "\u2068" in name or "\u2069" in name:
            raise _unwritable(f"the reference {name!r}", entry.msgid)
        yield (
            f"#: \u2068{name}\u2069"
            if " " in name or "\t" in name or name.endswith("\\")
            else f"#: {name}"
        )


def _string_lines(mark: str, keyword: str, text: str, *, split: bool = False) -> Iterator[str]:
    """``keyword "text"``; text with line breaks inside starts on a line of its own and has one line per line."""
    text = _escape(text)
    if not split and text.find("\n", 0, -1) < 0:
        text = text.replace("\n", "\\n")
        yield f'{mark}{keyword} "{text}"'
        return
    yield f'{mark}{keyword} ""'
    *rows, rest = text.split("\n")
    for row in rows:
        yield f'{mark}"{row}\\n"'
    if rest:
        yield f'{mark}"{rest}"'


def _escape(text: str) -> str:
    """Everything that GNU escapes, but line breaks."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\r", "\\r")
    return text.replace("\a", "\\a").replace("\b", "\\b").replace("\f", "\\f").replace("\v", "\\v")


def _line_at(text: str, offset: int) -> str:
    return text[text.rfind("\n", 0, offset) + 1 :].partition("\n")[0]


def _unwritable(what: str, at: str) -> InputError:
    where = f"catalogue entry {at[:60]!r}"
    return InputError(
        f"a .po file cannot hold {what}",
        where=where,
        hint="Take it out and run again; nothing was written.",
    )


def _gettext_date(date: str) -> str:
    """An ISO 8601 date as gettext writes it."""
    if not date:
        return NEUTRAL_DATE
    try:
        moment = datetime.fromisoformat(date)
    except ValueError as error:
        raise InputError(
            f"{date!r} is not a date", hint="Run pull again: it writes the lock afresh."
        ) from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).strftime("%Y-%m-%d %H:%M%z")
