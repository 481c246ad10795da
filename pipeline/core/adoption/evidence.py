"""Features of a text that survive translation: code, names, numbers, links, formulas.

The functions normalize texts so that changes by converters and translators do not matter: white
space, quotes, prompts, and the markup around a name.
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
_SHORTEST_LINE = 4  # characters of a line of code that can identify a page


def plain_code(line: str) -> str:
    """Normalize a line of code: remove prompt, comment and white space, unify quotes.

    ``>>> f( “a” )  # see above`` → ``f('a')``
    """
    line = _PROMPT.sub("", unicodedata.normalize("NFKC", line).translate(_QUOTES))
    return _SPACE.sub("", _COMMENT.sub("", line)).replace('"', "'")


@lru_cache(maxsize=1 << 14)
def code_lines(code: str) -> tuple[str, ...]:
    """Return the normalized lines of a piece of code, without very short ones.

    ``"x = 1  # one\\n)"`` → ``"x=1"``: a single bracket occurs on every page.
    """
    lines = map(plain_code, code.split("\n"))
    return tuple(line for line in lines if len(line) >= _SHORTEST_LINE)


def lines_in(code: str, known: frozenset[str]) -> Counter[str]:
    """Count the ``known`` lines in a piece of code, which may have been joined into one line."""
    found: Counter[str] = Counter()
    is_single = "\n" not in code.strip()
    for line in code.split("\n"):
        plain = plain_code(line)
        if plain in known:
            found[plain] += 1
            continue
        # In code on one line, `#` would hide all that followed it, so comments are kept.
        text = line if is_single else _COMMENT.sub("", line)
        whole = _SPACE.sub("", text.translate(_QUOTES)).replace('"', "'")
        found.update(_lines_joined(whole, known))
    return found


def _lines_joined(text: str, known: frozenset[str]) -> Iterator[str]:
    """Yield the known lines found in a text one after the other, the longest match first.

    ``"x=1print(x)"`` with ``x=1`` and ``print(x)`` known yields both. Other text is skipped.
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
    """Return the text of an atom without markup: ``{func}`jax.jit``` → ``jax.jit``."""
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
    """Return the number of Chinese characters, without punctuation, which translators vary."""
    return len(HAN.findall(text))
