"""Splitter of coloured text into pieces with style names, for HTML.

Terminal output is split where its style changes, Python source at its tokens. The style sheet maps
style names to colours, so that colours follow the reader's light or dark theme. The pieces are
plain text without escape sequences or invisible characters. A template escapes them for HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from math import dist
from typing import TYPE_CHECKING

from pipeline.log import printable

if TYPE_CHECKING:
    from rich.color import Color
    from rich.style import Style

Piece = tuple[str, str]  # text, names of styles separated by spaces
Rgb = tuple[int, int, int]

_CSI = "\x1b["  # the start of a style sequence such as "\x1b[1;31m"
# Escape sequences of ECMA-48. Only sequences that set a style (SGR) are kept. Very long style
# sequences are removed as well, because their numbers may have thousands of digits.
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
_HUES: dict[str, Rgb] = {  # the approximate colour of each name
    "red": (205, 0, 0),
    "green": (0, 160, 0),
    "yellow": (190, 140, 0),
    "blue": (0, 80, 220),
    "magenta": (190, 0, 190),
    "cyan": (0, 150, 170),
}
# A colour counts as grey if red, green and blue differ by at most this value.
_GREY = 24


def pieces(text: str) -> list[Piece]:
    r"""Return ``text``, split where its style changes.

    ``"\x1b[1;31mError\x1b[0m: x"`` → ``("Error", "bold fg-red"), (": x", "")``

    Styles are ``bold``, ``fg-red``, ``bg-yellow`` and so on. Colours of the palette of 256, and RGB
    colours, are mapped to the nearest of these few names. All other escape sequences are removed,
    and invisible characters are escaped as in Python.
    """
    return _merged(_styled(_only_styles(text)))


def _merged(parts: Iterable[Piece]) -> list[Piece]:
    """Return ``parts`` with neighbours of the same style joined, without empty parts."""
    shown = [part for part in parts if part[0]]
    groups = groupby(shown, key=lambda part: part[1])
    return [("".join(text for text, _ in group), style) for style, group in groups]


def _only_styles(text: str) -> str:
    """Return ``text`` without invisible characters, except sequences that set a style."""
    # Replace "\r\n" only after that: an escape sequence may have been between the two characters.
    text = _SEQUENCE.sub(_kept, text).replace("\r\n", "\n")
    return _CSI.join(printable(part) for part in text.split(_CSI))


def _kept(match: re.Match[str]) -> str:
    """Return a style sequence with semicolons instead of colons, which rich cannot parse.

    Return "" for any other sequence.
    """
    codes = match["codes"]
    if codes is None:
        return ""
    return f"{_CSI}{codes.replace(':', ';')}m"


def _styled(text: str) -> Iterator[Piece]:
    """Yield the parts of ``text`` with the style names that rich parses."""
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
    """Return the names of a style's attributes, sorted: ``bg-red bold``."""
    names = [name for name in _TERMINAL_STYLES if getattr(style, name)]
    for ground, colour in (("fg", style.color), ("bg", style.bgcolor)):
        name = _name_of(colour)
        if name:
            names.append(f"{ground}-{name}")
    return " ".join(sorted(names))


def _name_of(colour: Color | None) -> str:
    """Return the nearest colour name, or "" without a colour or for the terminal's default.

    Bright red is ``red``, #303438 is ``grey``, #ff8800 is ``yellow``.
    """
    if colour is None or colour.is_default:
        return ""
    if colour.number is not None and colour.number < 16:
        return _NAMES[colour.number % 8]  # 8 to 15 are the bright variants
    # Handle greys first: the nearest of the hues to a dark grey is blue.
    rgb = colour.get_truecolor()
    if max(rgb) - min(rgb) <= _GREY:
        return "grey"
    return min(_HUES, key=lambda name: dist(rgb, _HUES[name]))


_TOKEN_STYLES = (  # types of Pygments' tokens → style names; the first match wins
    ("Comment", "comment"),
    ("Keyword", "keyword"),
    ("Operator.Word", "keyword"),  # "and", "in"; operators such as "+" have no style
    ("Literal.String", "string"),
    ("Literal.Number", "number"),
    ("Name.Function", "name"),
    ("Name.Class", "name"),
    ("Name.Decorator", "name"),
    ("Name.Builtin", "builtin"),
    ("Name.Exception", "builtin"),
)


def source_pieces(source: str) -> list[Piece]:
    """Return ``source``, split where its style changes. The joined pieces equal the source.

    ``return 1`` → ``("return", "keyword"), (" ", ""), ("1", "number")``
    """
    from pygments.lexers.python import PythonLexer

    # By default, the lexer would strip empty lines and add a newline.
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    tokens = lexer.get_tokens(source)
    return _merged((text, _style_of(".".join(kind))) for kind, text in tokens)


def _style_of(kind: str) -> str:
    """Return the style of a token type, such as ``name`` for ``Name.Function.Magic``, or ""."""
    styles = (style for prefix, style in _TOKEN_STYLES if kind.startswith(prefix))
    return next(styles, "")
