"""Change translations in the bytes of a ``.po`` file, and nothing else.

A catalogue of another project is laid out as its own tools do it: wrapped lines, references, header
and flags stay as they are, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.adapters.po.syntax import string_lines

_KEYWORD = "msgstr"


def replace_msgstrs(data: bytes, msgstrs: Mapping[int, str]) -> bytes:
    """``data`` with other translations, by the line on which their entries start (`Entry.line`).

    ``data`` is UTF-8 that ``read_catalog`` has read. The entries are live and have no plural forms.
    """
    lines = data.decode("utf-8").split("\n")
    # From the last one to the first, so that the numbers hold.
    for number, msgstr in sorted(msgstrs.items(), reverse=True):
        start = number - 1
        while not lines[start].lstrip().startswith(_KEYWORD):
            start += 1
        end = start + 1
        while end < len(lines) and lines[end].lstrip().startswith('"'):
            end += 1
        line_end = "\r" if lines[start].endswith("\r") else ""
        lines[start:end] = [
            f"{line}{line_end}" for line in string_lines("", _KEYWORD, msgstr)
        ]
    return "\n".join(lines).encode("utf-8")
