"""The text of a file whose encoding nobody has written down.

Bytes go in, text and the name of its encoding come out. Unicode is known by itself; of the Chinese
encodings the one that gives the likeliest text is taken. A file in two encodings, as tools that
append to files make them, is read line by line.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from pipeline.errors import InputError

MIXED = "UTF-8 and GB18030, line by line"
_MARKS = (  # the longer ones first: that of UTF-32 begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHINESE = ("gb18030", "big5hkscs")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_BINARY = 0.002  # share of control characters that no text has
_LOOKED_AT = 1 << 16  # bytes by which the encoding is told
_HINT = "Save it as UTF-8 text, a notebook or a web page, and run again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """The text of a file, and what its bytes were."""

    text: str
    encoding: str


def decode(data: bytes, *, where: str) -> Decoded:
    """The text in ``data``, and the encoding that it was in.

    A mark at the beginning decides, then UTF-8, then what Chinese was written in before. Raises
    InputError if it is no text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data, encoding, where)
    if not data.strip():
        raise InputError("is empty", where=where, hint="There is nothing to adopt.")
    if encoding := _wide_encoding(data):
        return _decoded(data, encoding, where)
    try:
        return _checked(data.decode("utf-8"), "utf-8", where)
    except UnicodeDecodeError:
        pass  # an older encoding, or no text at all
    if _CONTROL.search(data[:_LOOKED_AT].decode("latin-1")):
        raise _binary(where)
    if text := _mixed(data):
        return _checked(text, MIXED, where)
    return _decoded(data, _chinese_encoding(data), where)


def _decoded(data: bytes, encoding: str, where: str) -> Decoded:
    """The text of bytes in an encoding. Raises InputError where they are not in it.

    It says in which line, for editors have shown where a file was mixed.
    """
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"is neither UTF-8 nor {encoding} (byte {error.start})"
        raise InputError(what, where=f"{where}:{line}", hint=_HINT) from error
    return _checked(text, encoding, where)


def _checked(text: str, encoding: str, where: str) -> Decoded:
    """The text, if it is one: an archive or a picture may be valid in any encoding."""
    if len(_CONTROL.findall(text)) > _BINARY * len(text):
        raise _binary(where)
    return Decoded(text=_CONTROL.sub("", text), encoding=encoding)


def _wide_encoding(data: bytes) -> str:
    """UTF-16 without a mark: every other byte of its ASCII characters is zero.

    Which one tells the order of the bytes. Empty if it is not so.
    """
    head = data[:_LOOKED_AT]
    even, odd = head[::2].count(0), head[1::2].count(0)
    few = len(head) // 40
    if odd > few and even * 8 < odd:
        return "utf-16-le"
    if even > few and odd * 8 < even:
        return "utf-16-be"
    return ""


def _mixed(data: bytes) -> str:
    """The text of lines that are UTF-8 with others between them that are GB18030.

    Editors leave such files when somebody pastes. Empty if it is not so.
    """
    lines: list[str] = []
    wide = 0  # lines in UTF-8 that are no ASCII
    for line in data.split(b"\n"):
        try:
            lines.append(line.decode("utf-8"))
            wide += not line.isascii()
        except UnicodeDecodeError:
            try:
                lines.append(line.decode("gb18030"))
            except UnicodeDecodeError:
                return ""
    return "\n".join(lines) if wide > 1 else ""


def _chinese_encoding(data: bytes) -> str:
    """The Chinese encoding that fits best: GB18030, which holds GBK, or Big5.

    Only the beginning is looked at: a page is written in one of them.
    """
    from charset_normalizer import from_bytes

    best = from_bytes(
        data[:_LOOKED_AT], cp_isolation=[*_CHINESE, "gbk", "gb2312", "big5"]
    ).best()
    if best is not None and best.encoding.startswith("big5"):
        return "big5hkscs"
    return "gb18030"


def _binary(where: str) -> InputError:
    """Why a file is refused that has bytes of control characters all over.

    A picture, an archive, a Word document under another name.
    """
    return InputError(
        "is no text: it holds bytes of some binary format", where=where, hint=_HINT
    )
