"""Which encoding a file that is not UTF-8 is in, and how to convert it: a hint for people.

Bytes go in, a sentence comes out. Chinese catalogues are found in GB18030 (with GBK and GB2312,
which are parts of it) and in Big5; editors on Windows write them where nobody asked for that.
"""

from __future__ import annotations

from pipeline.adapters.po.header import CHARSET

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
