"""Scanner of the lines of a ``.po`` file, and rules of the format for reader and writer.

polib alone is not safe: it drops an entry before a bare ``#.``, cuts an unclosed string short,
crashes on ``#=`` and loses ``#~|``. So ``Scan`` reads each line first. It keeps the comment lines
above every entry, rejects a malformed line with its number, and returns a line for polib in which
only strings are left. Reader and writer share the rules here, so that whatever is written can be
read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct, field

from pipeline.entries import Entry
from pipeline.errors import InputError, check_limit
from pipeline.findings import Finding
from pipeline.limits import CATALOG_ENTRIES, ENTRY_COMMENTS

MEND = "Mend the line and run again; nothing was changed."


class Source(Struct, frozen=True):
    """Factory of findings and errors about the lines of a file, counted from 1."""

    where: str  # name of the file, for messages

    def finding(self, name: str, *, line: int, **values: object) -> Finding:
        """Return the finding about a line in the row ``name`` of ``findings.toml``."""
        where = f"{self.where}:{line}"
        return Finding.from_table(name, where=where, page="", **values)

    def check_above(self, above: LinesAbove | Entry, *, line: int) -> None:
        """Raise InputError if the entry at ``line`` has too many comments and flags above it."""
        lines = (above.comments, above.notes, above.references, above.flags)
        check_limit(sum(map(len, lines)), ENTRY_COMMENTS, where=f"{self.where}:{line}")

    def error(self, text: str, *, line: int, hint: str = MEND) -> InputError:
        """Return an error about a line."""
        return InputError(text, where=f"{self.where}:{line}", hint=hint)


# Characters that no ``.po`` file can hold, with their names in messages.
UNWRITABLE = {
    "\0": "a NUL character",
    "\x04": "the control character U+0004 (gettext's own separator)",
}

# GNU writes a reference with spaces between these two (FIRST STRONG ISOLATE, POP DIRECTIONAL
# ISOLATE).
ISOLATE, END_ISOLATE = "\u2068", "\u2069"

# A flag of a "#," line: a word, or "range: 0..10", the only flag with a space in it.
FLAG = re.compile(r"range:[ \t]*[^\s,\\]+|[^\s,\\]+")

# Characters that GNU escapes. (Line breaks are handled separately, because they also split a
# string.) The backslash comes first, because the other escapes contain backslashes. On Chinese, a
# series of ``replace`` is ten times as fast as ``str.translate``.
_ESCAPES = (
    ("\\", "\\\\"),
    ('"', '\\"'),
    ("\t", "\\t"),
    ("\r", "\\r"),
    ("\a", "\\a"),
    ("\b", "\\b"),
    ("\f", "\\f"),
    ("\v", "\\v"),
)


def same_edges(msgid: str, msgstr: str) -> str:
    """Return ``msgstr`` without line breaks at its start or end, unless ``msgid`` has them too.

    ``msgfmt -c`` rejects a msgstr with a line break at an edge where the msgid has none.
    """
    if not msgid.startswith("\n"):
        msgstr = msgstr.lstrip("\n")
    if not msgid.endswith("\n"):
        msgstr = msgstr.rstrip("\n")
    return msgstr


def ends_in_backslash(line: str) -> bool:
    """Return whether a comment ends in a backslash, which spaces may follow.

    For GNU, a backslash at the end of any line continues the line, so the next line would become
    part of the comment. The writer adds a space after the backslash, and the reader removes it.
    """
    return line.rstrip(" ").endswith("\\")


def string_lines(mark: str, keyword: str, text: str, *, is_header: bool = False) -> Iterator[str]:
    r"""Yield the lines of ``keyword "text"``.

    ``mark`` is ``#~ `` or similar. If ``text`` has a line break before its end, it begins on the
    second line and is split after each line break:

        msgid ""
        "first\n"
        "second"
    """
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    # A line break at the very end does not split the string.
    has_break_inside = text.find("\n", 0, -1) >= 0
    if not is_header and not has_break_inside:
        text = text.replace("\n", "\\n")
        yield f'{mark}{keyword} "{text}"'
        return
    yield f'{mark}{keyword} ""'
    *rows, rest = text.split("\n")
    for row in rows:
        yield f'{mark}"{row}\\n"'
    if rest:
        yield f'{mark}"{rest}"'


_BLANK = " \t\f\v\r"
# `msgid "text"`, `#~ msgstr "text"`, `#| "continued"`; groups: mark, keyword, quoted text.
_STRING = re.compile(
    r"""
    [ \t]* (\#~\||\#~|\#\||)
    [ \t]* (msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?|)
    [ \t]* ("[^"\\]*(?:\\[abfnrtv"\\][^"\\]*)*")
    [ \t\f\v\r]*
    """,
    re.VERBOSE,
)
# Matches a line that begins like a string, valid or not. The group is the rest, which should be the
# quoted text.
_OPENS_STRING = re.compile(
    r"""
    [ \t]* (?:\#~\||\#~|\#\||)
    [ \t]* (?:msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?|(?="))
    [ \t]* (.*)
    """,
    re.VERBOSE,
)
_CLOSED = re.compile(r'"(?:[^"\\]|\\.)*"[ \t\f\v\r]*')
_ESCAPE = re.compile(r"\\(.)")
_CONFLICT = re.compile(r"<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|")
_PLURAL = re.compile(r"[ \t]*(?:#~\|?|#\|)?[ \t]*(?:msgid_plural|msgstr\[)")

# The kind of a line of a previous msgid. The kind of any other string is its keyword.
_PREVIOUS = "#|"
# For each kind of string: what may be on the line above its first line. "" is a comment or the
# start of the file.
_MAY_FOLLOW = {
    "msgctxt": ("", _PREVIOUS, "msgstr", "msgstr["),
    "msgid": ("", _PREVIOUS, "msgctxt", "msgstr", "msgstr["),
    "msgid_plural": ("msgid",),
    "msgstr": ("msgid",),
    "msgstr[": ("msgid_plural", "msgstr["),
}
# An entry whose last string has one of these keywords lacks a msgstr.
_UNFINISHED = ("msgctxt", "msgid", "msgid_plural")


class LinesAbove(Struct):
    """The ``#`` lines above an entry, and the number of the line where the entry itself starts."""

    comments: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    line: int = 0


class Scan(Struct):
    """Scan of a file: call ``read`` for each line, then ``end``.

    Afterwards ``above`` has one element for each entry that polib will find.
    """

    source: Source
    takes_plurals: bool = False  # whether entries may have plural forms
    forms: int = 0  # number of plural forms that the current entry has so far
    number: int = 0  # number of the current line, from 1
    # Kind of the previous string or comment: a keyword, _PREVIOUS, or "" for a comment.
    last: str = ""
    mark: str = ""  # mark of the previous string: "#~", "#|", "#~|" or ""
    above: list[LinesAbove] = field(default_factory=list)
    # Lines above the next entry.
    pending: LinesAbove = field(default_factory=LinesAbove)
    findings: list[Finding] = field(default_factory=list)

    def read(self, line: str) -> str:
        """Process the next line; return the line to pass to polib in its place.

        ``msgid "a"`` → `` msgid "a"``; ``# a comment`` → an empty line. Raises InputError for a
        line that is not a complete line of a ``.po`` file.
        """
        self.number += 1
        match = _STRING.fullmatch(line)
        if match and (self.takes_plurals or not _PLURAL.match(line)):
            mark, keyword, quoted = match.groups()
            return self._string(mark, keyword, quoted)
        line = line.lstrip(_BLANK).rstrip("\r")
        if line.startswith("#~"):
            # Some tools also mark the comments of an obsolete entry: "#~ # a comment".
            comment = line[2:].lstrip(" \t")
            if not comment or comment.startswith("#"):
                line = comment
        if not line:
            return ""
        if not line.startswith("#") or line[1:2] in ("~", "|"):
            raise self._wrong(line)
        self._comment(line)
        return ""

    def end(self, *, unfinished: bool) -> None:
        """Finish the scan; ``unfinished`` is whether the last line has no line end.

        A comment below the last entry would be lost, so move it above that entry. Raises InputError
        if the last entry is incomplete.
        """
        self._expect_complete()
        if self.pending.comments and self.above:
            self.above[-1].comments += self.pending.comments
            self.findings.append(self.source.finding("po-comment", line=self.number))
        if unfinished:
            self.findings.append(self.source.finding("po-cut", line=self.number))

    def _string(self, mark: str, keyword: str, quoted: str) -> str:
        """Process a line of a string; return the line for polib.

        ``mark`` is ``#~``, ``#|``, ``#~|`` or empty. ``keyword`` is empty in a line that continues
        the string above. Raises InputError if no such line may follow the line above.
        """
        is_previous = mark.endswith("|")
        if not keyword:
            if not self.last or mark != self.mark:
                raise self._error("a quoted line that does not continue a msgid or msgstr")
        elif is_previous and keyword != "msgstr":
            self._expect_complete()
            self.last = _PREVIOUS
        else:
            self._open_string(keyword, mark)
        self.mark = mark
        if "\\a" in quoted:  # an escape of GNU that polib does not support
            quoted = _ESCAPE.sub(lambda escape: "\a" if escape[1] == "a" else escape[0], quoted)
        # polib would lose the string after "#~|", so give it "#|". polib still notices that the
        # entry is obsolete, because the msgid has the mark "#~".
        shown_mark = _PREVIOUS if is_previous else mark
        return f"{shown_mark} {keyword} {quoted}"

    def _open_string(self, keyword: str, mark: str) -> None:
        """Begin a string with ``keyword``; begin an entry if the string is its first one."""
        # The kind of "msgstr[0]", "msgstr[1]" and so on is "msgstr[".
        kind, bracket, index = keyword.partition("[")
        kind += bracket
        if self.last not in _MAY_FOLLOW[kind]:
            self._expect_complete()
            raise self._error(f"{keyword} without a msgid above it")
        if bracket:
            if self.last != kind:
                self.forms = 0
            if index != f"{self.forms}]":
                raise self._error(f"{keyword} instead of msgstr[{self.forms}]")
            self.forms += 1
        if self.last in _UNFINISHED or bracket:
            if mark != self.mark:
                raise self._error(
                    "only some lines of an entry are obsolete (#~)",
                    hint="Mark all of its lines or none.",
                )
        else:
            self.pending.line = self.number
            self.above.append(self.pending)
            where = f"{self.source.where}:{self.number}"
            check_limit(len(self.above), CATALOG_ENTRIES, where=where)
            self.pending = LinesAbove()
        self.last = kind

    def _comment(self, line: str) -> None:
        """Process a ``#`` line above the next entry.

        The second character determines its kind:

            "#. paragraph"     a note          "#, fuzzy"      a flag
            "#: a page"        a reference     "# 译者：…"     a comment
        """
        self._expect_complete()
        self.last = ""
        if ends_in_backslash(line):
            line = line.removesuffix(" ")  # see ends_in_backslash
        kind, text = line[1:2], line[2:]
        match kind:
            case ".":
                self.pending.notes.append(text.removeprefix(" "))
            case ":":
                self.pending.references.append(text.removeprefix(" "))
            case "," | "=":
                # Newer gettext puts flags other than fuzzy on a line of their own, "#=".
                flags = (*self.pending.flags, *FLAG.findall(text))
                self.pending.flags = list(dict.fromkeys(flags))
            case _:
                self.pending.comments.append(line[1:].removeprefix(" "))
        self.source.check_above(self.pending, line=self.number)

    def _expect_complete(self) -> None:
        """Raise InputError if the last entry has no msgstr yet."""
        if self.last in _UNFINISHED:
            raise self.source.error(
                "the entry has no msgstr",
                line=self.above[-1].line,
                hint='Add a line: msgstr "" (or the translation).',
            )

    def _wrong(self, line: str) -> InputError:
        """Return the error for a malformed ``line``, with the likeliest reason."""
        if _CONFLICT.match(line):
            return self._error(
                "an unresolved merge conflict",
                hint="Keep one version of each entry; remove the lines <<<<<<<, =======, >>>>>>>.",
            )
        if _PLURAL.match(line) and not self.takes_plurals:
            return self._error(
                "a plural entry; catalogues of prose have none",
                hint="Give the entry one msgid and one msgstr.",
            )
        string = _OPENS_STRING.match(line)
        if not string:
            return self._error(f"not a line of a .po file: {line[:60]!r}")
        if _CLOSED.fullmatch(string[1]):
            return self._error(
                "a backslash before a character that cannot be escaped",
                hint=r"Write \\ for a backslash. Numbers such as \303: "
                "run msgcat --no-escape over the file.",
            )
        return self._error(
            "a string without its quotes, or cut short",
            hint='Close the string with " and write \\" for a quote inside it.',
        )

    def _error(self, text: str, *, hint: str = MEND) -> InputError:
        """Return an error about the current line."""
        return self.source.error(text, line=self.number, hint=hint)
