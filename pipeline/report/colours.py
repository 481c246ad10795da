"""Coloured text as pieces with names of styles, for HTML that follows the reader's theme.

The output of a terminal is cut where its style changes, Python source where its tokens do. No
escape sequence and no invisible character comes out; the pieces are plain text, which a template
escapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pipeline.log import printable

if TYPE_CHECKING:
    from rich.color import Color
    from rich.style import Style

Piece = tuple[str, str]  # text, names of styles separated by spaces
Rgb = tuple[int, int, int]

_CSI = "\x1b["  # what a sequence that sets a style begins with, as "\x1b[1;31m" does
# The sequences of ECMA-48: first what sets a style (SGR), then what is taken out. An SGR that is
# longer than any that is meant is taken out too: its numbers may have thousands of digits.
_SEQUENCE = re.compile(
    r"""
    \x1b\[ (?P<codes> [0-9;:]{0,100} ) m
    | \x1b\] [^\x07\x1b]* (?: \x07 | \x1b\\ )?  # OSC, up to BEL or ST: titles, links
    | \x1b\[ [0-?]* [\ -/]* [@-~]               # CSI: the cursor, clearing the screen
    | \x1b [\ -/]* [0-~]                        # two characters
    | \x1b                                      # one that is cut off
    """,
    re.VERBOSE,
)
_TERMINAL_STYLES = ("bold", "dim", "italic", "underline")
_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_HUES: dict[str, Rgb] = {  # what each name looks like, about
    "red": (205, 0, 0),
    "green": (0, 160, 0),
    "yellow": (190, 140, 0),
    "blue": (0, 80, 220),
    "magenta": (190, 0, 190),
    "cyan": (0, 150, 170),
}
_GREY = 24  # how far red, green and blue may be apart in a colour that counts as grey


def pieces(text: str) -> list[Piece]:
    """``text`` cut where its style changes.

    ``"\\x1b[1;31mError\\x1b[0m: x"`` → ``("Error", "bold fg-red"), (": x", "")``

    Styles are ``bold``, ``fg-red``, ``bg-yellow`` and their like. Of 256 or more colours each
    becomes the one of a few that is nearest. Other escape sequences vanish, other invisible
    characters are shown as Python writes them.
    """
    found: list[Piece] = []
    for part, names in _styled(_only_styles(text)):
        before, names_before = found[-1] if found else ("", None)
        if names == names_before:
            found[-1] = (before + part, names)
        elif part:
            found.append((part, names))
    return found


def _only_styles(text: str) -> str:
    """``text`` with no escape sequences but those that set a style, and printable between them."""
    # Only now do the two halves of "\r\n" stand side by side, if a sequence stood between them.
    text = _SEQUENCE.sub(_kept, text).replace("\r\n", "\n")
    return _CSI.join(printable(part) for part in text.split(_CSI))


def _kept(match: re.Match[str]) -> str:
    """What stays of an escape sequence; rich knows no colons between codes."""
    codes = match["codes"]
    if codes is None:
        return ""
    return f"{_CSI}{codes.replace(':', ';')}m"


def _styled(text: str) -> Iterator[Piece]:
    """The parts of ``text`` as rich reads its styles."""
    from rich.ansi import AnsiDecoder
    from rich.style import Style

    decoded = AnsiDecoder().decode_line(text)
    end = 0
    for span in decoded.spans:
        assert isinstance(span.style, Style)
        yield decoded.plain[end : span.start], ""
        yield decoded.plain[span.start : span.end], _names_of(span.style)
        end = span.end
    yield decoded.plain[end:], ""


def _names_of(style: Style) -> str:
    """The names of what a style sets, sorted: ``bg-red bold``."""
    names = [name for name in _TERMINAL_STYLES if getattr(style, name)]
    for ground, colour in (("fg", style.color), ("bg", style.bgcolor)):
        name = _name_of(colour)
        if name:
            names.append(f"{ground}-{name}")
    return " ".join(sorted(names))


def _name_of(colour: Color | None) -> str:
    """The nearest name; none without a colour, or for the one that a terminal has by default.

    Bright red is ``red``, #303438 is ``grey``, #ff8800 is ``yellow``.
    """
    if colour is None or colour.is_default:
        return ""
    if colour.number is not None and colour.number < 16:
        return _NAMES[colour.number % 8]  # 8 to 15 are the same, bright
    # Greys have no hue: by distance alone, a dark one would be called blue.
    rgb = colour.get_truecolor()
    if max(rgb) - min(rgb) <= _GREY:
        return "grey"
    return min(_HUES, key=lambda name: _distance(rgb, _HUES[name]))


def _distance(one: Rgb, other: Rgb) -> int:
    """How far two colours are apart, squared."""
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


_TOKEN_STYLES = (  # types of Pygments' tokens → names of styles; the first that fits
    ("Comment", "comment"),
    ("Keyword", "keyword"),
    ("Operator.Word", "keyword"),  # "and", "in"; an operator of signs has no style
    ("Literal.String", "string"),
    ("Literal.Number", "number"),
    ("Name.Function", "name"),
    ("Name.Class", "name"),
    ("Name.Decorator", "name"),
    ("Name.Builtin", "builtin"),
    ("Name.Exception", "builtin"),
)


def source_pieces(source: str) -> list[Piece]:
    """``source`` cut where its style changes. Put together, the pieces are the source.

    ``return 1`` → ``("return", "keyword"), (" ", ""), ("1", "number")``
    """
    from pygments.lexers.python import PythonLexer

    pieces: list[Piece] = []
    # As they are by default, the options would strip empty lines and add a newline.
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    for kind, text in lexer.get_tokens(source):
        style = _style_of(".".join(kind))
        if pieces and pieces[-1][1] == style:
            pieces[-1] = (pieces[-1][0] + text, style)
        else:
            pieces.append((text, style))
    return pieces


def _style_of(kind: str) -> str:
    """The style of a type of tokens: ``Name.Function.Magic`` → ``name``; none for plain names."""
    for prefix, style in _TOKEN_STYLES:
        if kind.startswith(prefix):
            return style
    return ""
