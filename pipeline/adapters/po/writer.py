"""Writer of ``.po`` files: whole catalogues, or new translations in an existing file.

``format_catalog`` and ``write_catalog`` write a whole catalogue in GNU's layout (``msgcat
--no-wrap``). polib is not used, because it wraps lines at other places. ``replace_msgstrs`` is for
catalogues of other projects: it changes translations only, and all other bytes stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from pipeline.adapters.po import scanner
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError

_KEYWORD = "msgstr"


def replace_msgstrs(data: bytes, msgstrs: Mapping[int, str]) -> bytes:
    """Return the ``.po`` file ``data`` with new translations.

    ``msgstrs`` maps the line of an entry (``Entry.line``) to its new msgstr. ``data`` is UTF-8 that
    ``read_catalog`` accepts. The entries must not be obsolete or have plural forms.
    """
    lines = data.decode("utf-8").split("\n")
    # Change the last entry first, so that the line numbers of the others stay valid.
    for number, msgstr in sorted(msgstrs.items(), reverse=True):
        start = number - 1
        while not lines[start].lstrip().startswith(_KEYWORD):
            start += 1
        end = start + 1
        while end < len(lines) and lines[end].lstrip().startswith('"'):
            end += 1
        line_end = "\r" if lines[start].endswith("\r") else ""
        lines[start:end] = [
            f"{line}{line_end}" for line in scanner.string_lines("", _KEYWORD, msgstr)
        ]
    return "\n".join(lines).encode("utf-8")


_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_BAD_IN_REFERENCE = re.compile(f"[\r\n{scanner.ISOLATE}{scanner.END_ISOLATE}]")
# A reference that needs isolates: it has a space, or ends in a backslash.
_NEEDS_ISOLATES = re.compile(r"[ \t]|\\\Z")


def format_catalog(catalog: Catalog) -> bytes:
    """Return the canonical bytes of ``catalog``: UTF-8, LF, unwrapped, obsolete entries last.

    ``msgfmt -c`` accepts the file if the header is complete (``standard_header``). ``read_catalog``
    returns the same catalogue, with three exceptions:

    - A comment with line breaks becomes several comments.
    - A line break at the start or end of a msgstr is removed if the msgid has none there.
    - Flags such as ``python-format`` are left out: with them, ``msgfmt`` rejects a bare ``%``.

    Raises InputError for content that no ``.po`` file can hold: NUL, U+0004, lone surrogates, two
    entries with the same msgid, an empty msgid.
    """
    return _encode("\n".join(block.text for block in _blocks(catalog)))


class WrittenCatalog(NamedTuple):
    """The bytes of a catalogue, and the catalogue that ``read_catalog`` returns for them."""

    data: bytes
    catalog: Catalog


def write_catalog(catalog: Catalog) -> WrittenCatalog:
    """Return the bytes of ``format_catalog``, and the catalogue as it would be read from them.

    In the returned catalogue, every ``Entry.line`` is the line in these bytes. This function is
    much faster than parsing the bytes. Raises InputError.
    """
    blocks = list(_blocks(catalog))
    entries: list[Entry] = []
    line = 1
    for block in blocks:
        if block.entry is not None:
            entries.append(_as_read(block.entry, line + block.lines_above))
        # An empty line separates two blocks.
        line += block.text.count("\n") + 1
    read = replace(catalog, comment=tuple(_rows(catalog.comment)), entries=tuple(entries))
    return WrittenCatalog(_encode("\n".join(block.text for block in blocks)), read)


class _Block(NamedTuple):
    """The lines of one entry, or of the header."""

    text: str
    entry: Entry | None = None  # None for the header
    lines_above: int = 0  # number of lines above msgctxt and msgid


def _blocks(catalog: Catalog) -> Iterator[_Block]:
    """Yield the blocks of a file in order. Raises InputError for unwritable content."""
    if catalog.header or catalog.comment:
        yield _Block(_header_block(catalog))
    seen: set[tuple[str | None, str]] = set()
    for entry in sorted(catalog.entries, key=lambda entry: entry.obsolete):
        key = (entry.context, entry.msgid)
        if key == (None, ""):  # an empty msgid identifies the header
            raise _unwritable("an entry without msgid", at=entry.msgid)
        if key in seen:
            raise _unwritable("two entries with the same msgid", at=entry.msgid)
        seen.add(key)
        lines = list(_lines_above(entry))
        lines_above = len(lines)
        lines += _string_lines(entry)
        yield _Block("\n".join(lines) + "\n", entry, lines_above)


def _as_read(entry: Entry, line: int) -> Entry:
    """Return ``entry`` as ``read_catalog`` would return it; its msgid is at ``line``."""
    return replace(
        entry,
        msgstr=scanner.same_edges(entry.msgid, entry.msgstr),
        comments=tuple(_rows(entry.comments)),
        notes=tuple(_rows(entry.notes)),
        flags=tuple(_written_flags(entry)),
        line=line,
    )


def _encode(text: str) -> bytes:
    """Return the bytes of a file. If a line cannot be written, an InputError quotes the line."""
    for character, name in scanner.UNWRITABLE.items():
        if character in text:
            raise _unwritable(name, at=_line_at(text, text.index(character)))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        what = "a lone surrogate, which UTF-8 does not have"
        raise _unwritable(what, at=_line_at(text, error.start)) from error


def _header_block(catalog: Catalog) -> str:
    """Return the lines of the header: the file's comment, and a line for each field.

    Raises InputError for a field that would not be read again as the same field.
    """
    fields = ""
    for name, value in catalog.header.items():
        if not name.strip() or ":" in name or "\n" in name + value:
            raise _unwritable("a header field with a colon in its name or a line break", at=name)
        fields += f"{name}: {value}\n"
    lines = [*_comment_lines("#", catalog.comment), 'msgid ""']
    # ``is_header``: like msgcat, split the string even if there is only one field.
    lines += scanner.string_lines("", "msgstr", fields, is_header=True)
    return "\n".join(lines) + "\n"


def _lines_above(entry: Entry) -> Iterator[str]:
    """Yield the ``#`` lines above the strings of an entry, in GNU's order."""
    yield from _comment_lines("#", entry.comments)
    yield from _comment_lines("#.", entry.notes)
    yield from _reference_lines(entry)
    flags = [*_written_flags(entry)]
    if entry.fuzzy:
        flags.insert(0, "fuzzy")
    if flags:
        yield "#, " + ", ".join(flags)
    # The previous msgid of an obsolete entry has both marks, "#~" and "#|", in one: "#~| msgid".
    mark = "#~| " if entry.obsolete else "#| "
    if entry.previous is not None:
        yield from scanner.string_lines(mark, "msgid", entry.previous)
    if entry.previous_plural is not None:
        yield from scanner.string_lines(mark, "msgid_plural", entry.previous_plural)


def _string_lines(entry: Entry) -> Iterator[str]:
    """Yield the lines of an entry's strings: msgctxt, msgid, msgstr."""
    mark = "#~ " if entry.obsolete else ""
    if entry.context is not None:
        yield from scanner.string_lines(mark, "msgctxt", entry.context)
    yield from scanner.string_lines(mark, "msgid", entry.msgid)
    if entry.plural is None:
        msgstr = scanner.same_edges(entry.msgid, entry.msgstr)
        yield from scanner.string_lines(mark, "msgstr", msgstr)
        return
    yield from scanner.string_lines(mark, "msgid_plural", entry.plural)
    for number, form in enumerate(entry.forms):
        yield from scanner.string_lines(mark, f"msgstr[{number}]", form)


def _written_flags(entry: Entry) -> Iterator[str]:
    """Yield the flags to write in the "#," line, except fuzzy.

    Flags such as ``python-format`` are dropped, because with them ``msgfmt`` rejects a bare ``%``.
    ``no-python-format`` is kept. Raises InputError for a text that would be read as several flags.
    """
    for flag in entry.flags:
        if flag.endswith("-format") and not flag.startswith("no-"):
            continue
        if not scanner.FLAG.fullmatch(flag):
            raise _unwritable("a flag with a space or a comma", at=entry.msgid)
        yield flag


def _rows(comments: Iterable[str]) -> Iterator[str]:
    """Yield each line of each comment."""
    for comment in comments:
        yield from _LINE_BREAK.split(comment)


def _comment_lines(mark: str, comments: Iterable[str]) -> Iterator[str]:
    """Yield ``mark`` and the text of each line of each comment; only ``mark`` for an empty line."""
    for row in _rows(comments):
        if not row:
            yield mark
        elif scanner.ends_in_backslash(row):
            yield f"{mark} {row} "  # see ends_in_backslash
        else:
            yield f"{mark} {row}"


def _reference_lines(entry: Entry) -> Iterator[str]:
    """Yield a "#:" line for each reference. As in GNU, a name with a space is between isolates.

    Raises InputError for a name that could not be read again.
    """
    for name in entry.references:
        if not name or _BAD_IN_REFERENCE.search(name):
            raise _unwritable(f"the reference {name!r}", at=entry.msgid)
        if _NEEDS_ISOLATES.search(name):
            yield f"#: {scanner.ISOLATE}{name}{scanner.END_ISOLATE}"
        else:
            yield f"#: {name}"


def _line_at(text: str, offset: int) -> str:
    """Return the line of ``text`` that contains ``offset``."""
    start = text.rfind("\n", 0, offset) + 1
    line, _, _ = text[start:].partition("\n")
    return line


def _unwritable(what: str, *, at: str) -> InputError:
    """Return the error for content that cannot be written; ``at`` is the text of the entry."""
    return InputError(
        f"a .po file cannot contain {what}",
        where=f"catalogue entry {at[:60]!r}",
        hint="Remove it and run again; nothing was written.",
    )
