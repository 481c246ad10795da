"""Scanner of ``.po`` files, line by line, before polib reads the strings; the format's rules.

The lines of the file come in. The same number of lines for polib comes out, with strings only, and
for every entry what stands above it. A line that cannot be read whole is refused with its number.
polib alone would drop an entry before a bare ``#.``, cut an unclosed string short, crash on ``#=``
and lose ``#~|``. Reading and writing share the rules, so what is written can be read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pipeline.errors import InputError
from pipeline.findings import Finding, Severity

MEND = "Mend the line and run again; nothing was changed."


@dataclass(frozen=True, slots=True)
class Source:
    """A file called ``where``; makes findings and errors about its lines, which count from 1."""

    where: str

    def finding(
        self, code: str, text: str, *, line: int, severity: Severity = Severity.NOTE
    ) -> Finding:
        return Finding(
            code=code, severity=severity, where=f"{self.where}:{line}", text=text
        )

    def error(self, text: str, *, line: int, hint: str = MEND) -> InputError:
        return InputError(text, where=f"{self.where}:{line}", hint=hint)


# Characters that no ``.po`` file can hold, with their names for messages.
UNWRITABLE = {
    "\0": "a NUL character",
    "\x04": "the control character U+0004 (gettext's own separator)",
}

# A name with spaces stands between these two (FIRST STRONG ISOLATE, POP DIRECTIONAL ISOLATE).
ISOLATE, END_ISOLATE = "\u2068", "\u2069"

# A flag of a "#," line: a word, or "range: 0..10", the only flag with a space in it.
FLAG = re.compile(r"range:[ \t]*[^\s,\\]+|[^\s,\\]+")

# Everything that GNU escapes, but line breaks: these also decide where a string is cut.
# The backslash comes first: what stands for the others has backslashes of its own.
# (One `replace` after the other is ten times as fast as `str.translate` on Chinese.)
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
    """``msgstr`` without the line breaks at its edges that ``msgid`` does not have.

    ``msgfmt -c`` refuses a translation that begins or ends with a line break if its msgid does not.
    """
    if not msgid.startswith("\n"):
        msgstr = msgstr.lstrip("\n")
    if not msgid.endswith("\n"):
        msgstr = msgstr.rstrip("\n")
    return msgstr


def ends_in_backslash(line: str) -> bool:
    """Whether a comment ends in a backslash, apart from spaces.

    GNU takes a backslash at the end of any line as a continuation, so that such a comment would
    swallow the line below it. Writing adds a space behind it, and reading removes that space.
    """
    return line.rstrip(" ").endswith("\\")


def string_lines(
    mark: str, keyword: str, text: str, *, is_header: bool = False
) -> Iterator[str]:
    """``keyword "text"``; text with a line break inside starts on a line of its own.

    From there on it has one line for each of its lines:

        msgid ""
        "first\\n"
        "second"
    """
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    has_break_inside = text.find("\n", 0, -1) >= 0  # one at the very end is none
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
# `msgid "text"`, `#~ msgstr "text"`, `#| "continued"`; groups: mark, keyword, text with its quotes.
_STRING = re.compile(
    r"""
    [ \t]* (\#~\||\#~|\#\||)
    [ \t]* (msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?|)
    [ \t]* ("[^"\\]*(?:\\[abfnrtv"\\][^"\\]*)*")
    [ \t\f\v\r]*
    """,
    re.VERBOSE,
)
# A line that begins like one of these, whatever comes then; the group is what should be the text.
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

# Stands for the lines of a previous msgid, as a keyword does for those of a string.
_PREVIOUS = "#|"
# What may stand above the first line of a string: nothing or a comment (""), or another string.
_MAY_FOLLOW = {
    "msgctxt": ("", _PREVIOUS, "msgstr", "msgstr["),
    "msgid": ("", _PREVIOUS, "msgctxt", "msgstr", "msgstr["),
    "msgid_plural": ("msgid",),
    "msgstr": ("msgid",),
    "msgstr[": ("msgid_plural", "msgstr["),
}
# An entry that ends here has no msgstr.
_UNFINISHED = ("msgctxt", "msgid", "msgid_plural")


@dataclass(slots=True)
class LinesAbove:
    """The ``#`` lines above an entry, and the line where the entry itself starts."""

    comments: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    line: int = 0


@dataclass(slots=True)
class Scan:
    """How far the scan of a file has come.

    After ``end`` there is one element of ``above`` for each entry that polib will find.
    """

    source: Source
    takes_plurals: bool = False  # entries with plural forms, which prose has not
    forms: int = 0  # plural forms of the last entry so far
    number: int = 0  # of the line that is read
    last: str = ""  # what the line above was: a keyword, _PREVIOUS, or "" for a comment
    mark: str = ""  # "#~" and so on, of the last string
    above: list[LinesAbove] = field(default_factory=list)
    # Of the entry that comes next.
    pending: LinesAbove = field(default_factory=LinesAbove)
    findings: list[Finding] = field(default_factory=list)

    def read(self, line: str) -> str:
        """Take in the next line and return what polib is to read in its place.

        Raises InputError for a line that is not a whole line of a ``.po`` file.
        """
        self.number += 1
        match = _STRING.fullmatch(line)
        if match and (self.takes_plurals or not _PLURAL.match(line)):
            mark, keyword, quoted = match.groups()
            return self._string(mark, keyword, quoted)
        line = line.lstrip(_BLANK).rstrip("\r")
        if line.startswith("#~"):
            # Some tools mark the comments of an obsolete entry as well: "#~ # a comment".
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
        """The file ends here; ``unfinished`` says that its last line has no line end.

        A comment below the last entry moves above it, rather than being lost.
        Raises InputError if the last entry is not complete.
        """
        self._expect_complete()
        if self.pending.comments and self.above:
            self.above[-1].comments += self.pending.comments
            text = "a comment below the last entry is moved above it"
            self.findings.append(
                self.source.finding("po-comment", text, line=self.number)
            )
        if unfinished:
            text = "the last line has no line end: the file may have been cut short"
            finding = self.source.finding(
                "po-cut", text, line=self.number, severity=Severity.WARNING
            )
            self.findings.append(finding)

    def _string(self, mark: str, keyword: str, quoted: str) -> str:
        """Take in a line of a string, and return it for polib.

        ``mark`` is ``#~``, ``#|``, ``#~|`` or empty, ``keyword`` empty in a line that goes on with
        the string above. Raises InputError where no such line may stand.
        """
        is_previous = mark.endswith("|")
        if not keyword:
            if not self.last or mark != self.mark:
                raise self._error("a quoted line that continues no msgid or msgstr")
        elif is_previous and keyword != "msgstr":
            self._expect_complete()
            self.last = _PREVIOUS
        else:
            self._open_string(keyword, mark)
        self.mark = mark
        if "\\a" in quoted:  # the one escape of GNU's that polib does not know
            quoted = _ESCAPE.sub(_without_bell, quoted)
        # polib would lose "#~|"; it tells by the msgid that the entry is obsolete.
        shown_mark = _PREVIOUS if is_previous else mark
        return f"{shown_mark} {keyword} {quoted}"

    def _open_string(self, keyword: str, mark: str) -> None:
        """A line with ``keyword`` begins a string of an entry, and maybe the entry itself."""
        # Of all plural forms alike; each stands behind the one before it.
        kind, bracket, index = keyword.partition("[")
        kind += bracket
        if self.last not in _MAY_FOLLOW[kind]:
            self._expect_complete()
            raise self._error(f"{keyword} without a msgid above it")
        if bracket:
            if self.last != kind:
                self.forms = 0
            if index != f"{self.forms}]":
                raise self._error(f"{keyword} where msgstr[{self.forms}] should stand")
            self.forms += 1
        if self.last in _UNFINISHED or bracket:
            if mark != self.mark:
                raise self._error(
                    "an entry is half obsolete (#~) and half not",
                    hint="Mark all of its lines or none.",
                )
        else:
            self.pending.line = self.number
            self.above.append(self.pending)
            self.pending = LinesAbove()
        self.last = kind

    def _comment(self, line: str) -> None:
        """Take in a ``#`` line that stands above the next entry.

        "#. paragraph"     a note          "#, fuzzy"      a flag
        "#: a page"        a reference     "# 译者：…"     a comment
        """
        self._expect_complete()
        self.last = ""
        if ends_in_backslash(line):
            line = line.removesuffix(" ")  # was added in writing
        kind, text = line[1:2], line[2:]
        match kind:
            case ".":
                self.pending.notes.append(text.removeprefix(" "))
            case ":":
                self.pending.references.append(text.removeprefix(" "))
            case "," | "=":
                # Newer gettext keeps flags other than fuzzy on a line of their own, "#=".
                for flag in FLAG.findall(text):
                    if flag not in self.pending.flags:
                        self.pending.flags.append(flag)
            case _:
                self.pending.comments.append(line[1:].removeprefix(" "))

    def _expect_complete(self) -> None:
        """Raise InputError if another entry begins, and the last one has no msgstr yet."""
        if self.last in _UNFINISHED:
            raise self.source.error(
                "the entry has no msgstr",
                line=self.above[-1].line,
                hint='Add a line: msgstr "" (or the translation).',
            )

    def _wrong(self, line: str) -> InputError:
        """Why ``line`` is refused: the likeliest reason first, and how to mend it."""
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
        """The error for the line that is read."""
        return self.source.error(text, line=self.number, hint=hint)


def _without_bell(escape: re.Match[str]) -> str:
    r"""The character itself for ``\a``; any other escape as it is, also ``\\`` before an "a"."""
    if escape[1] == "a":
        return "\a"
    return escape[0]
