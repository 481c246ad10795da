"""Reader of the bytes of a ``.po`` file, whole or not at all: the only importer of polib.

The file is scanned line by line (``scanner``), then polib reads the strings, and here both are put
together. Whichever tool wrote the file, no translation in it is lost: a loss would be an error, a
change is a finding. A file that is not UTF-8 is refused with a hint how to convert it. Chinese
catalogues are found in GB18030 (with GBK and GB2312, which are parts of it) and in Big5.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import polib

from pipeline.adapters.po.header import CHARSET, read_header
from pipeline.adapters.po.scanner import (
    END_ISOLATE,
    ISOLATE,
    UNWRITABLE,
    LinesAbove,
    Scan,
    Source,
    same_edges,
)
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.findings import Finding

_SAVE = "Save it as UTF-8 and run again."
# An encoding, and the one whose characters nearly all of a text in it are. Nearly any bytes are
# some text in GB18030, but hardly any are one of frequent characters.
_CHINESE = (("GB18030", "gb2312"), ("Big5", "big5"))
_MOST = 0.95  # of the characters
_FIRST_HAN, _LAST_HAN = "\u4e00", "\u9fff"


def how_to_convert(data: bytes) -> str:
    """What to do about ``data``, which is not UTF-8."""
    found = CHARSET.search(data.decode("latin-1"))
    declared = found[1] if found else ""
    if declared.lower() not in ("", "utf-8", "utf8", "charset"):
        return (
            f"The header says {declared}: msgconv --to-code=UTF-8 --output-file=FILE FILE "
            f"converts it. {_SAVE}"
        )
    guess = _chinese_encoding(data)
    if guess:
        return (
            f"It looks like {guess}: open it as {guess} in your editor and save it as UTF-8, "
            f"or convert it: iconv -f {guess} -t UTF-8 FILE > NEW."
        )
    return _SAVE


def _chinese_encoding(data: bytes) -> str:
    """The encoding in which ``data`` is a Chinese text; empty if it is most likely none."""
    if _is_mostly_utf8(data):
        return ""  # some bytes of it are damaged
    for name, usual in _CHINESE:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        han = [letter for letter in text if _FIRST_HAN <= letter <= _LAST_HAN]
        frequent = "".join(han).encode(usual, "ignore").decode(usual)
        if han and len(frequent) >= _MOST * len(han):
            return name
    return ""


def _is_mostly_utf8(data: bytes) -> bool:
    others = [
        letter for letter in data.decode("utf-8", "replace") if not letter.isascii()
    ]
    return others.count("\ufffd") < len(others) / 2


_Key = tuple[str | None, str]  # msgctxt and msgid

_HEADER: _Key = (None, "")
_SAVE_AS_UTF8 = "Save it as UTF-8 and run again."
# One name of a "#:" line: between the isolates if it has spaces, else up to the next space.
_REFERENCE = re.compile(
    f"{ISOLATE}([^{END_ISOLATE}]*){END_ISOLATE}([^ \\t]*)|([^ \\t]+)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCatalog:
    """What a file held, and what a person should know about it."""

    catalog: Catalog
    findings: tuple[Finding, ...] = ()


def read_catalog(
    data: bytes, *, where: str, takes_plurals: bool = False
) -> ReadCatalog:
    """Read the bytes of the ``.po`` file called ``where``, whole or not at all.

    Accepts any line ends, a byte order mark, wrapped strings, and entries given twice with one
    translation. A line break at the edge of a msgstr that its msgid does not have is removed, as
    ``msgfmt -c`` demands. ``Entry.line`` is the line of ``msgctxt`` or ``msgid``. Plural forms,
    which catalogues of prose have not, are an error unless the caller ``takes_plurals``.
    Raises InputError with ``file:line``.
    """
    text = _decode(data, where)
    source = Source(where)
    findings = []
    if data.startswith(codecs.BOM_UTF8):
        what = "starts with a byte order mark, which is removed"
        findings.append(source.finding("po-bom", what, line=1))
    scan = Scan(source, takes_plurals=takes_plurals)
    strings = "\n".join(map(scan.read, text.split("\n")))
    scan.end(unfinished=text != "" and not text.endswith(("\n", "\r")))
    findings += scan.findings
    entries, remarks = _read_entries(strings, scan.above, source)
    findings += remarks
    head = entries.pop(_HEADER, None)
    header, remarks = read_header(head, source)
    findings += remarks
    catalog = Catalog(
        header=header,
        comment=_top_comment(head, entries, scan),
        entries=tuple(entries.values()),
    )
    return ReadCatalog(catalog=catalog, findings=tuple(findings))


def _decode(data: bytes, where: str) -> str:
    """``data`` as text with LF.

    Raises InputError for another encoding, and for characters that could not be written again.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError("is UTF-16, not UTF-8", where=f"{where}:1", hint=_SAVE_AS_UTF8)
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            "is not UTF-8", where=f"{where}:{line}", hint=how_to_convert(data)
        ) from error
    for character, name in UNWRITABLE.items():
        if character in text:
            line = text.count("\n", 0, text.index(character)) + 1
            hint = "Remove it and run again."
            raise InputError(f"contains {name}", where=f"{where}:{line}", hint=hint)
    return text.replace("\r\n", "\n")


class _Lines(str):
    """Text that polib splits at LF only, not at the eight others of ``str.splitlines``."""

    __slots__ = ()

    def splitlines(self, keepends: bool = False) -> list[str]:
        return self.split("\n")


class _File(polib.POFile):  # type: ignore[misc]  # polib has no types
    """A file whose header stays among its entries.

    polib would look for it and fold it into a dict, where fields that are given twice are lost.
    """

    def find(self, *_args: object, **_options: object) -> None:
        return None


def _read_entries(
    strings: str, above: list[LinesAbove], source: Source
) -> tuple[dict[_Key, Entry], list[Finding]]:
    """The entries by key, in the order of the file, and what was changed in them."""
    entries: dict[_Key, Entry] = {}
    findings: list[Finding] = []
    parsed = polib.pofile(_Lines(strings), encoding="utf-8", klass=_File)
    for lines, read in zip(above, parsed, strict=True):
        entry = _entry(lines, read)
        key = (entry.context, entry.msgid)
        first = entries.get(key)
        if first is not None:
            what = f"repeats the entry of line {first.line}; merged into one"
            findings.append(source.finding("po-duplicate", what, line=entry.line))
            entry = _merged(first, entry, source)
        elif entry.msgid and entry.msgstr != read.msgstr:
            what = "line breaks at the edge of the translation are removed"
            findings.append(source.finding("po-edge", what, line=entry.line))
        entries[key] = entry
    return entries, findings


def _entry(above: LinesAbove, read: polib.POEntry) -> Entry:
    """The record of one entry: its strings from polib, all else from the scan."""
    msgstr = read.msgstr
    if read.msgid:  # the header ends in a line break, its msgid is empty
        msgstr = same_edges(read.msgid, msgstr)
    return Entry(
        msgid=read.msgid,
        msgstr=msgstr,
        fuzzy="fuzzy" in above.flags,
        previous=read.previous_msgid,
        context=read.msgctxt,
        obsolete=bool(read.obsolete),
        comments=tuple(above.comments),
        notes=tuple(above.notes),
        references=_references(above.references),
        flags=tuple(flag for flag in above.flags if flag != "fuzzy"),
        plural=read.msgid_plural or None,
        forms=tuple(read.msgstr_plural.values()),
        previous_plural=read.previous_msgid_plural,
        line=above.line,
    )


def _references(lines: Iterable[str]) -> tuple[str, ...]:
    """The names of all "#:" lines; they are joined first, since GNU also wraps inside a name.

    A name with a space in it stands between isolates, and may have a line number behind them.
    """
    names = []
    for isolated, suffix, plain in _REFERENCE.findall(" ".join(lines)):
        names.append(isolated + suffix or plain)  # the suffix of "a page:12" is ":12"
    return tuple(names)


def _merged(first: Entry, second: Entry, source: Source) -> Entry:
    """Two entries with one msgid as one. Raises InputError if that would lose a translation."""
    differs = first.msgstr and second.msgstr and first.msgstr != second.msgstr
    if differs or first.forms != second.forms:
        what = (
            "the same msgid with another translation"
            if first.msgid
            else "a second header"
        )
        raise source.error(
            f"{what}; the first is at line {first.line}",
            line=second.line,
            hint=f"Keep one of the two entries (lines {first.line} and {second.line}).",
        )
    kept = _translation_of(first, second)
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


def _translation_of(first: Entry, second: Entry) -> Entry:
    """Which of two entries with one msgid gives the translation.

    Where both have one, it is the same: the caller has looked. They may still differ in fuzzy.
    """
    if not second.msgstr:
        return first
    if not first.msgstr:
        return second
    # Whoever marked one of them as fuzzy had a doubt, and it is about both.
    if second.fuzzy and not first.fuzzy:
        return second
    return first


def _union(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    """What either has, each once, in the order of the first."""
    return tuple(dict.fromkeys((*first, *second)))


def _top_comment(
    head: Entry | None, entries: Mapping[_Key, Entry], scan: Scan
) -> tuple[str, ...]:
    """The comment at the top of the file."""
    if head is not None:
        return (*head.comments, *head.notes)
    if entries:
        return ()  # without a header every comment belongs to an entry
    return tuple(scan.pending.comments)  # a file of comments only
