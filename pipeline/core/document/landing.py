"""Where every message of a document has landed in the merged one, and what stands there now.

A merge knows this: it has put the translations there and has read the result back. Whoever shows
a page beside its English takes it from here, as records or as the JSON file that they are kept
in, and need not split both documents again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import msgspec

from pipeline.core.document import prose
from pipeline.core.document.message import Kind, Markup, Message
from pipeline.errors import InputError

# ``json.dumps`` would make one for every record.
_ENCODER = json.JSONEncoder(ensure_ascii=False)

_HINT = "It is a file that merge writes: delete it and run merge again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """One message of a document, in upstream's words and in those of the merged document.

    ``english`` and ``text`` are what a reader may be shown outside the message's place: payloads
    of data URIs are back, and a bar is not escaped for a table. ``line`` and ``last_line`` are
    1-based in the merged text of the unit: of the page, or of the source of the cell.
    """

    kind: Kind
    markup: Markup
    section: str  # the titles around it, in English, as in ``Message.section``
    msgid: str
    english: str
    text: str
    cell: int | None  # 0-based number of a notebook's cell, None on a page of text
    line: int
    last_line: int
    is_translated: bool  # its translation stands there, and no English
    # A term of a glossary in reST: its English stands right below ``text``.
    is_kept: bool
    # Of a section that stays English: it is no message.
    is_rest: bool = False


def landed(
    english: Message,
    merged: Message,
    *,
    cell: int | None,
    is_translated: bool = False,
    is_kept: bool = False,
) -> Landed:
    """The record of one message: ``english`` is upstream's, ``merged`` stands in its place."""
    return Landed(
        kind=english.kind,
        markup=english.markup,
        section=english.section,
        msgid=english.msgid,
        english=_shown(english),
        text=_shown(merged),
        cell=cell,
        line=merged.line,
        last_line=merged.last_line,
        is_translated=is_translated,
        is_kept=is_kept,
    )


def landed_rest(english: Message, lines: int) -> Landed:
    """The record of a block that stays English, ``lines`` further down in the merged text."""
    moved = replace(
        english, line=english.line + lines, last_line=english.last_line + lines
    )
    return replace(landed(english, moved, cell=None), is_rest=True)


def landings_to_json(landings: tuple[Landed, ...]) -> bytes:
    """The records as a file: UTF-8, keys in a fixed order, equal bytes for equal records."""
    # A line for each record: json lays lines out in Python, which takes longer than all the rest.
    lines = map(_ENCODER.encode, msgspec.to_builtins(landings))
    text = "[\n" + ",\n".join(lines) + "\n]"
    # A title may hold a lone surrogate; "\ud800" is also what JSON writes for one.
    return f"{text}\n".encode("utf-8", "backslashreplace")


def landings_from_json(data: bytes, where: str) -> tuple[Landed, ...]:
    """Read what :func:`landings_to_json` wrote. Raises InputError that names ``where``."""
    try:
        records = json.loads(data.decode("utf-8"))
        return msgspec.convert(records, tuple[Landed, ...])
    except (ValueError, RecursionError) as error:
        what = f"has no landed messages: {error}"
        raise InputError(what, where=where, hint=_HINT) from error


def _shown(message: Message) -> str:
    """The text of a message where it is not in its place.

    In a table of Markdown a bar is escaped for the table's sake only: ``a \\| b`` shows ``a | b``.
    """
    text = prose.show_payloads(message.msgid, message.payloads)
    if message.kind is Kind.TABLE_CELL and message.markup is not Markup.RST:
        return text.replace("\\|", "|")
    return text
