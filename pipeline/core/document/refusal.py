"""Why a translation is not used, and the reasons that hold in every language.

Both guards begin with :func:`text_refusal`: what it finds needs no parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

# Besides control characters: what turns the direction of text around or cannot be seen. A reader
# would see something else than stands there.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([^{}]*)\}")
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
    return _environment_refusal(msgid, msgstr)


def _environment_refusal(msgid: str, msgstr: str) -> Refusal | None:
    """Whether a formula environment begins or ends that does not in the English.

    MyST makes a block of ``\\begin{equation}``, and MathJax reads on to the next ``\\end``,
    wherever that stands on the page.
    """
    theirs, ours = _environments(msgid), _environments(msgstr)
    for name in sorted({*theirs, *ours}):
        before, after = theirs.get(name, []), ours.get(name, [])
        if before != after:
            return Refusal(
                "G104",
                f"begins or ends the formula environment {quoted(name)} where the English does not",
                "Keep \\begin{…} and \\end{…} exactly as the English has them.",
            )
    return None


def _environments(text: str) -> dict[str, list[str]]:
    """Where the formula environments of each name begin and end.

    ``\\begin{align}x\\end{align}`` -> ``{"align": ["begin", "end"]}``
    """
    marks: dict[str, list[str]] = {}
    # A renderer resolves character references first: "&#92;begin{align}".
    for mark, name in _ENVIRONMENT.findall(unescape(text)):
        marks.setdefault(name, []).append(mark)
    return marks


def quoted(piece: str) -> str:
    """A piece of a text in quotation marks, for a refusal; of a long one, its first characters."""
    if len(piece) <= _SHOWN:
        return f"“{piece}”"
    return f"“{piece[:_SHOWN]}…”"
