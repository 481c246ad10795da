"""Landings: the position and the text of each message in the merged document.

`merge` returns these records, because it knows the positions of the translations. The stages after
the merge, such as the site, read the records from a JSON file. So these stages need not split the
English and the merged document again.
"""

from __future__ import annotations

import json

import msgspec
from msgspec import Struct

from pipeline.core.document import prose
from pipeline.core.document.message import Kind, Markup, Message
from pipeline.errors import InputError

# ``json.dumps`` would construct an encoder for every record.
_ENCODER = json.JSONEncoder(ensure_ascii=False)

_HINT = "Delete the file and run merge again."


class Landing(Struct, frozen=True, kw_only=True):
    """One message of a document, with its English text and its text in the merged document.

    ``english`` and ``text`` are suitable for display outside of the page: data URIs are restored,
    and the bars of table cells are not escaped. ``line`` and ``last_line`` are 1-based lines of the
    merged text of the unit, which is a page or the source of one cell.
    """

    kind: Kind
    markup: Markup
    section: str  # English titles of the sections around the message, as in ``Message.section``
    msgid: str
    english: str
    text: str
    cell: int | None  # 0-based number of the notebook cell, None on a text page
    line: int
    last_line: int
    is_translated: bool  # whether ``text`` is a translation
    # Whether the message is a glossary term whose English remains on the line below ``text``.
    is_kept: bool
    # Whether the section stays English by configuration. If so, the message is not in the
    # catalogue.
    is_rest: bool = False


def landing_of(
    english: Message,
    merged: Message,
    *,
    cell: int | None,
    is_translated: bool = False,
    is_kept: bool = False,
    is_rest: bool = False,
) -> Landing:
    """Return the record of one message.

    ``english`` is the message in upstream's document. ``merged`` is the same message as the
    splitter finds it in the merged document.
    """
    return Landing(
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
        is_rest=is_rest,
    )


def landings_to_json(landings: tuple[Landing, ...]) -> bytes:
    """Return the records as UTF-8 JSON, one record per line."""
    # The option ``indent`` would make json use its slow Python encoder.
    lines = map(_ENCODER.encode, msgspec.to_builtins(landings))
    text = "[\n" + ",\n".join(lines) + "\n]"
    # A title may contain a lone surrogate, which UTF-8 cannot encode. Its Python escape, "\ud800",
    # is also its JSON escape.
    return f"{text}\n".encode("utf-8", "backslashreplace")


def landings_from_json(data: bytes, where: str) -> tuple[Landing, ...]:
    """Parse the output of :func:`landings_to_json`.

    Raises InputError if ``data`` has another form. ``where`` names the file in the error.
    """
    try:
        records = json.loads(data.decode("utf-8"))
        return msgspec.convert(records, tuple[Landing, ...])
    except (ValueError, RecursionError) as error:
        what = f"has no records of messages: {error}"
        raise InputError(what, where=where, hint=_HINT) from error


def _shown(message: Message) -> str:
    """Return the text of a message for display outside of the page.

    The text of a Markdown table cell has escaped bars: ``a \\| b`` becomes ``a | b``.
    """
    text = prose.show_payloads(message.msgid, message.payloads)
    if message.kind is Kind.TABLE_CELL and message.markup is not Markup.RST:
        return text.replace("\\|", "|")
    return text
