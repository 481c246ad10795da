"""The first look at a ``.po`` file, line by line, before polib reads its strings.

In go the lines of the file. Out come the same number of lines for polib, with strings only, and for
every entry what stands above it. A line that cannot be read whole is refused with its number.
polib alone would drop an entry before a bare ``#.``, cut an unclosed string short, crash on ``#=``
and lose ``#~|``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pipeline.adapters.po.source import MEND, Source
from pipeline.adapters.po.syntax import FLAG, ends_in_backslash
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity

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
