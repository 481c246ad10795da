"""Terminal text as pieces with style names, for HTML that follows the reader's theme."""

from __future__ import annotations

import re
from collections.abc import Sequence

Piece = tuple[str, str]  # text, names of styles separated by spaces

_SGR = re.compile(r"\x1b\[([0-9;:]*)m")
_OTHER = re.compile(  # OSC … BEL or ST; CSI; two-character escapes; a lone escape
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]|\x1b"
)
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_RGB = (
    (0, 0, 0),
    (205, 0, 0),
    (0, 160, 0),
    (190, 140, 0),
    (0, 80, 220),
    (190, 0, 190),
    (0, 150, 170),
    (220, 220, 220),
)
_LEVELS = (0, 95, 135, 175, 215, 255)  # of xterm's colour cube
_GREY = 24  # how far red, green and blue may be apart in a colour that counts as grey


def pieces(text: str) -> list[Piece]:
    """``text`` cut where its style changes; styles are ``bold``, ``fg-red``, ``bg-yellow`` and their like.

    Of 256 or more colours each becomes the one of eight that is nearest: those a theme can keep legible. Other escape
    sequences vanish, other invisible characters are shown as Python writes them.
    """
    found: list[Piece] = []
    style: dict[str, str] = {}
    start = 0
    for match in _SGR.finditer(text):
        _add(found, text[start : match.start()], style)
        style = _changed(style, [int(code or 0) for code in re.split("[;:]", match[1])])
        start = match.end()
    _add(found, text[start:], style)
    return found


def _add(found: list[Piece], text: str, style: dict[str, str]) -> None:
    shown = _INVISIBLE.sub(_visible, _OTHER.sub("", text).replace("\r\n", "\n"))
    names = " ".join(style[key] for key in sorted(style))
    if found and found[-1][1] == names:
        shown = found.pop()[0] + shown
    if shown:
        found.append((shown, names))


def _visible(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def _changed(style: dict[str, str], codes: Sequence[int]) -> dict[str, str]:
    style, rest = dict(style), list(codes)
    while rest:
        code = rest.pop(0)
        if code == 0:
            style = {}
        elif code in (1, 2, 3, 4):
            name = ("bold", "dim", "italic", "underline")[code - 1]
            style[name] = name
        elif code in (22, 23, 24):
            for name in {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",)}[code]:
                style.pop(name, None)
        else:
            _colour(style, code, rest)
    return style


def _colour(style: dict[str, str], code: int, rest: list[int]) -> None:
    """Take the colour that ``code`` stands for, and of 38 and 48 what comes after it in ``rest``."""
    ground = "bg" if 40 <= code <= 49 or 100 <= code <= 107 else "fg"
    if code in (38, 48):
        name = _of_many(rest)
    elif 30 <= code <= 37 or 40 <= code <= 47 or 90 <= code <= 97 or 100 <= code <= 107:
        name = _NAMES[code % 10]
    elif code in (39, 49):
        name = ""
    else:
        return
    style.pop(ground, None)
    if name:
        style[ground] = f"{ground}-{name}"


def _of_many(rest: list[int]) -> str:
    """The nearest name for ``5;N`` (256 colours) or ``2;R;G;B``, which is taken off ``rest``."""
    kind = rest.pop(0) if rest else 0
    if kind == 5 and rest:
        number = rest.pop(0)
        if number < 16:
            return _NAMES[number % 8]
        if number < 232:
            number -= 16
            return _nearest((_LEVELS[number // 36], _LEVELS[number // 6 % 6], _LEVELS[number % 6]))
        return "grey"
    if kind == 2 and len(rest) >= 3:
        return _nearest((rest.pop(0), rest.pop(0), rest.pop(0)))
    return ""


def _nearest(rgb: tuple[int, int, int]) -> str:
    if max(rgb) - min(rgb) <= _GREY:
        return "grey"
    return _NAMES[
        min(
            range(1, 7),
            key=lambda at: sum((a - b) ** 2 for a, b in zip(rgb, _RGB[at], strict=True)),
        )
    ]
