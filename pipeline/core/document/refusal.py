"""Why a translation is not used, and the reasons that hold in every language.

Both guards begin with :func:`text_refusal`: what it finds needs no parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Besides control characters: what turns the direction of text around or cannot be seen. A reader
# would see something else than stands there.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
# Parsing takes time that grows faster than the text; no honest translation is that much longer.
_LEAST_LIMIT = 1000
_TIMES_AS_LONG = 10
_SHOWN = 60  # characters of a piece that a refusal names


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a translation is not used: a stable code, what is wrong, what to do."""

    code: str
    text: str
    hint: str


def text_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """What no translation may hold in any language: control characters, endless text.

    ``"中文\\u202e"`` has the control character U+202E, which would turn the line around. None if
    nothing is found.
    """
    if control := _CONTROL.search(msgstr):
        return Refusal(
            "G101",
            f"has the control character U+{ord(control[0]):04X}",
            "Delete it, or type the text again.",
        )
    if len(msgstr) > _LEAST_LIMIT + _TIMES_AS_LONG * len(msgid):
        return Refusal(
            "G106",
            f"has {len(msgstr)} characters where the English has {len(msgid)}",
            "Shorten it.",
        )
    return None


def quoted(piece: str) -> str:
    """A piece of a text in quotation marks, for a refusal; of a long one, its first characters."""
    if len(piece) <= _SHOWN:
        return f"“{piece}”"
    return f"“{piece[:_SHOWN]}…”"
