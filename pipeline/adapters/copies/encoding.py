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
    """Return the text in ``data``, and the encoding that it was in.

    Raises InputError if it is no text; it names the line, for editors show where a file is mixed.
    """
    if not data.strip():
        raise InputError("is empty", where=where, hint="There is nothing to adopt.")
    encoding = _encoding_of(data)
    if not encoding.startswith(("utf-16", "utf-32")):
        _refuse_binary(data.decode("latin-1"), where)
    try:
        text = _mixed(data) if encoding == MIXED else data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"is neither UTF-8 nor {encoding} (byte {error.start})"
        raise InputError(what, where=f"{where}:{line}", hint=_HINT) from error
    _refuse_binary(text, where)
    return Decoded(text=_CONTROL.sub("", text), encoding=encoding)


def _refuse_binary(text: str, where: str) -> None:
    """Raise InputError for an archive or a picture: it may be valid in any encoding."""
    if len(_CONTROL.findall(text)) > _BINARY * len(text):
        what = "is no text: it holds bytes of some binary format"
        raise InputError(what, where=where, hint=_HINT)


def _encoding_of(data: bytes) -> str:
    """Return the encoding: by its mark, by its zeros, UTF-8, or an older one of Chinese."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    # In UTF-16 every other byte of ASCII is zero; which one tells the order of the bytes.
    even, odd = data[:_LOOKED_AT:2].count(0), data[1:_LOOKED_AT:2].count(0)
    if max(even, odd) > max(len(data[:_LOOKED_AT]) // 40, 8 * min(even, odd)):
        return "utf-16-le" if odd > even else "utf-16-be"
    lines = data.split(b"\n")
    wide = [line for line in lines if not line.isascii()]
    in_utf8 = [line for line in wide if _is_utf8(line)]
    if len(in_utf8) == len(wide):
        return "utf-8"
    return MIXED if len(in_utf8) > 1 else _chinese_encoding(data)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _mixed(data: bytes) -> str:
    """Return the text of lines that are UTF-8 with others between them that are GB18030."""
    return "\n".join(
        line.decode("utf-8" if _is_utf8(line) else "gb18030")
        for line in data.split(b"\n")
    )


def _chinese_encoding(data: bytes) -> str:
    """Return the Chinese encoding that fits best: GB18030, which holds GBK, or Big5."""
    from charset_normalizer import from_bytes

    names = ["gb18030", "big5hkscs", "gbk", "gb2312", "big5"]
    best = from_bytes(data[:_LOOKED_AT], cp_isolation=names).best()
    is_big5 = best is not None and best.encoding.startswith("big5")
    return "big5hkscs" if is_big5 else "gb18030"
