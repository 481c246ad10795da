"""Reader of ``.po`` files, the only importer of polib.

``scanner`` scans the lines, polib parses the strings, and this module combines the results.
Invariant: no translation is lost, whatever tool wrote the file. If one could be lost, the file is
rejected; if reading changes something, a finding says so. A file that is not UTF-8 is rejected with
a hint how to convert it. For Chinese, the hint distinguishes GB18030 (which includes GBK and
GB2312) and Big5.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping

import polib
from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters.copies import chinese_encoding
from pipeline.adapters.po import scanner
from pipeline.adapters.po.header import CHARSET, read_header
from pipeline.adapters.po.scanner import LinesAbove, Scan, Source
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError, check_limit
from pipeline.findings import Finding
from pipeline.limits import CATALOG_LINES, CATALOG_TEXT, FILE_BYTES

_SAVE = "Save it as UTF-8 and run again."
_LOOKED_AT = 1 << 16  # number of bytes from which the encoding is guessed
# Python's name of an encoding → its name in messages; "" stands for an unknown encoding.
_CHINESE = {"gb18030": "GB18030", "big5hkscs": "Big5", "": ""}


def how_to_convert(data: bytes) -> str:
    """Return a hint how to convert ``data``, which is not UTF-8. Reads only its first part."""
    data = data[:_LOOKED_AT]
    found = CHARSET.search(data.decode("latin-1"))
    declared = found[1] if found else ""
    if declared.lower() not in ("", "utf-8", "utf8", "charset"):
        return (
            f"The header says {declared}: msgconv --to-code=UTF-8 --output-file=FILE FILE "
            f"converts it. {_SAVE}"
        )
    if _is_mostly_utf8(data):
        return _SAVE
    guess = _CHINESE[chinese_encoding(data)]
    if guess:
        return (
            f"It looks like {guess}: open it as {guess} in your editor and save it as UTF-8, "
            f"or convert it: iconv -f {guess} -t UTF-8 FILE > NEW."
        )
    return _SAVE


def _is_mostly_utf8(data: bytes) -> bool:
    """Return whether ``data`` is UTF-8 with a few damaged bytes."""
    others = [letter for letter in data.decode("utf-8", "replace") if not letter.isascii()]
    return others.count("\ufffd") < len(others) / 2


_Key = tuple[str | None, str]  # msgctxt and msgid

_HEADER: _Key = (None, "")
# Matches one name in a "#:" line. A name with spaces is enclosed in two invisible characters
# (isolates); any other name ends at the next space.
_REFERENCE = re.compile(
    f"{scanner.ISOLATE}([^{scanner.END_ISOLATE}]*){scanner.END_ISOLATE}([^ \\t]*)|([^ \\t]+)"
)


class ReadCatalog(Struct, frozen=True, kw_only=True):
    """A parsed catalogue and the findings about its file."""

    catalog: Catalog
    findings: tuple[Finding, ...] = ()


def read_catalog(data: bytes, *, where: str, takes_plurals: bool = False) -> ReadCatalog:
    """Parse the bytes of the ``.po`` file called ``where``.

    Accepts any line ends, a byte order mark, wrapped strings, and duplicate entries with the same
    translation. A line break at the start or end of a msgstr is removed if the msgid has none
    there, because ``msgfmt -c`` would reject it. ``Entry.line`` is the line of ``msgctxt`` or
    ``msgid``, from 1. Our catalogues have no plural forms; they are an error unless
    ``takes_plurals``. Raises InputError with ``file:line`` for a malformed file.
    """
    check_limit(len(data), FILE_BYTES[".po"], where=where)
    check_limit(data.count(b"\n"), CATALOG_LINES, where=where)
    text = _decode(data, where)
    source = Source(where)
    findings = []
    if data.startswith(codecs.BOM_UTF8):
        findings.append(source.finding("po-bom", line=1))
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
    """Return UTF-8 ``data`` as text with the line end LF.

    Raises InputError for other encodings, and for characters that no ``.po`` file can hold.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError("is UTF-16, not UTF-8", where=f"{where}:1", hint=_SAVE)
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            "is not UTF-8", where=f"{where}:{line}", hint=how_to_convert(data)
        ) from error
    for character, name in scanner.UNWRITABLE.items():
        if character in text:
            line = text.count("\n", 0, text.index(character)) + 1
            hint = "Remove it and run again."
            raise InputError(f"contains {name}", where=f"{where}:{line}", hint=hint)
    return text.replace("\r\n", "\n")


class _Lines(str):
    """Text that polib splits at LF only. ``str.splitlines`` also splits at other characters."""

    __slots__ = ()

    def splitlines(self, keepends: bool = False) -> list[str]:
        return self.split("\n")


class _File(polib.POFile):  # type: ignore[misc]  # polib has no types
    """polib's file, with the header left among the entries.

    polib calls ``find('')`` to get the header and converts it to a dict, which loses repeated
    fields. So ``find`` finds nothing.
    """

    def find(self, *_args: object, **_options: object) -> None:
        return None


def _read_entries(
    strings: str, above: list[LinesAbove], source: Source
) -> tuple[dict[_Key, Entry], list[Finding]]:
    """Return the entries by key, in the order of the file, and findings.

    ``strings`` is the text for polib; ``above`` has the comment lines of each entry.
    """
    entries: dict[_Key, Entry] = {}
    findings: list[Finding] = []
    parsed = polib.pofile(_Lines(strings), encoding="utf-8", klass=_File)
    for lines, read in zip(above, parsed, strict=True):
        entry = _entry(lines, read)
        length = max(map(len, (entry.msgid, entry.msgstr, entry.previous or "")))
        check_limit(length, CATALOG_TEXT, where=f"{source.where}:{entry.line}")
        key = (entry.context, entry.msgid)
        first = entries.get(key)
        if first is not None:
            repeated = source.finding("po-duplicate", line=entry.line, first=first.line)
            findings.append(repeated)
            entry = _merged(first, entry, source)
        elif entry.msgid and entry.msgstr != read.msgstr:
            findings.append(source.finding("po-edge", line=entry.line))
        entries[key] = entry
    return entries, findings


def _entry(above: LinesAbove, read: polib.POEntry) -> Entry:
    """Return the record of one entry: its strings come from polib, the rest from the scan."""
    msgstr = read.msgstr
    # The header must keep its final line break, although its msgid is empty.
    if read.msgid:
        msgstr = scanner.same_edges(read.msgid, msgstr)
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
    """Return the names in all "#:" ``lines``.

    The lines are joined first, because GNU also wraps inside a name. A name with a space is
    enclosed in two invisible characters (Unicode isolates, U+2068 and U+2069); a line number may
    follow the second one.
    """
    names = []
    for isolated, suffix, plain in _REFERENCE.findall(" ".join(lines)):
        names.append(isolated + suffix or plain)  # the suffix of "a page:12" is ":12"
    return tuple(names)


def _merged(first: Entry, second: Entry, source: Source) -> Entry:
    """Return one entry for two with the same msgid. Raises InputError if translations differ."""
    differs = first.msgstr and second.msgstr and first.msgstr != second.msgstr
    if differs or first.forms != second.forms:
        what = "the same msgid with another translation" if first.msgid else "a second header"
        raise source.error(
            f"{what}; the first is at line {first.line}",
            line=second.line,
            hint=f"Keep one of the two entries (lines {first.line} and {second.line}).",
        )
    kept = _translation_of(first, second)
    merged = replace(
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
    source.check_above(merged, line=second.line)
    return merged


def _translation_of(first: Entry, second: Entry) -> Entry:
    """Return the entry whose translation the merged entry gets: ``first`` or ``second``.

    Both entries have the same msgid. If both have a translation, the translations are equal,
    but one entry may be fuzzy.
    """
    if not second.msgstr:
        return first
    if not first.msgstr:
        return second
    # If one of the two entries is fuzzy, the translation needs a review.
    if second.fuzzy and not first.fuzzy:
        return second
    return first


def _union(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    """Return the elements of ``first``, then those of ``second``, without duplicates."""
    return tuple(dict.fromkeys((*first, *second)))


def _top_comment(head: Entry | None, entries: Mapping[_Key, Entry], scan: Scan) -> tuple[str, ...]:
    """Return the comment at the top of the file."""
    if head is not None:
        return (*head.comments, *head.notes)
    if entries:
        return ()  # without a header, every comment belongs to an entry
    return tuple(scan.pending.comments)  # the file has comments only
