"""Parts of a text that are the same in its translation: code, names, formulas.

The functions normalize texts, because converters and translators change details: white space,
quotes, prompts (``>>>``), and the markup around a name.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from pipeline.core.document.prose import CJK

HAN = re.compile(f"[{CJK}]")
_WORD = re.compile(r"[A-Za-z][A-Za-z']+")
_PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.|In ?\[[\d ]*\]:?|Out ?\[[\d ]*\]:?|\$)\s?")
_COMMENT = re.compile(r"(?<!['\"])#.*$")
_QUOTES = str.maketrans("“”‘’«»＂＇`´", "\"\"''\"\"\"'''")
_SPACE = re.compile(r"\s+")
_ROLE_TARGET = re.compile(r"^(?P<text>.*?)\s*<(?P<target>[^<>]+)>$", re.DOTALL)
_MARKUP = re.compile(
    r"^(?:\{[\w:+-]+\}|:[\w.:+-]+:)?(?P<ticks>`+)(?P<text>.*?)(?P=ticks)_{0,2}$",
    re.DOTALL,
)
_MATH = re.compile(r"^\$\$?(?P<text>.*?)\$\$?$", re.DOTALL)
_SHORTEST_LINE = 4  # minimum length of a line of code that can identify a page


def plain_code(line: str) -> str:
    """Return a line of code without prompt, comment and white space, and with uniform quotes.

    ``>>> f( “a” )  # see above`` → ``f('a')``
    """
    line = _PROMPT.sub("", unicodedata.normalize("NFKC", line).translate(_QUOTES))
    return _SPACE.sub("", _COMMENT.sub("", line)).replace('"', "'")


@lru_cache(maxsize=1 << 14)
def code_lines(code: str) -> tuple[str, ...]:
    """Return the normalized lines of a piece of code, without very short lines.

    ``"x = 12  # one\\n)"`` → ``("x=12",)``. A line such as ``)`` occurs on every page.
    """
    lines = map(plain_code, code.split("\n"))
    return tuple(line for line in lines if len(line) >= _SHORTEST_LINE)


def lines_in(code: str, known: frozenset[str]) -> Counter[str]:
    """Count the ``known`` normalized lines in a piece of code, even if its line breaks are lost."""
    found: Counter[str] = Counter()
    is_single = "\n" not in code.strip()
    for line in code.split("\n"):
        plain = plain_code(line)
        if plain in known:
            found[plain] += 1
            continue
        # If all code is in one line, keep comments: a "#" would hide the rest of the code.
        text = line if is_single else _COMMENT.sub("", line)
        whole = _SPACE.sub("", text.translate(_QUOTES)).replace('"', "'")
        found.update(_lines_joined(whole, known))
    return found


def _lines_joined(text: str, known: frozenset[str]) -> Iterator[str]:
    """Yield the known lines in a text without line breaks, from left to right; skip other text.

    If both ``x=1`` and ``print(x)`` are known, ``"x=1print(x)"`` yields both. The longest match
    wins.
    """
    lengths = sorted({len(line) for line in known}, reverse=True)
    at = 0
    while at < len(text):
        starts = (text[at : at + length] for length in lengths)
        line = next(filter(known.__contains__, starts), "")
        if line:
            yield line
        at += max(1, len(line))


def plain_atom(atom: str) -> str:
    """Return the text of an atom without markup: "{func}`jax.jit`" → "jax.jit"."""
    if math := _MATH.match(atom):
        return _SPACE.sub("", math["text"])
    marked = _MARKUP.match(atom)
    if marked is None:
        return ""  # an image or a footnote has no text
    text = marked["text"].strip()
    if role := _ROLE_TARGET.match(text):
        text = role["text"] or role["target"]
    return _SPACE.sub("", text).lstrip("~!")


def english_words(text: str) -> list[str]:
    """Return the English words of a text in lower case, without words of one letter."""
    return list(map(str.lower, _WORD.findall(text)))


def count_han(text: str) -> int:
    """Return the number of Chinese characters, without punctuation."""
    return len(HAN.findall(text))
