"""What of a text survives its translation: code, names, numbers, links, formulas.

Texts go in, plain values come out, made so that what converters and translators do to them leaves
the same value: white space, quotes and prompts do not count, nor does the mark-up around a name.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from pipeline.core.document.message import Markup
from pipeline.core.document.prose import CJK, atoms_of

HAN = re.compile(f"[{CJK}]")
_TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)*")
_WORD = re.compile(r"[A-Za-z][A-Za-z']+")
# A word that translators leave as it is: a name, an acronym, what has a digit or an underscore.
_NAME = re.compile(r"_|\d|[a-z][A-Z]|^[A-Z][A-Z]|^[B-HJ-Z]$")
_EMPHASIS = re.compile(r"(?<!\w)_+|_+(?!\w)")
_PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.|In ?\[[\d ]*\]:?|Out ?\[[\d ]*\]:?|\$)\s?")
_COMMENT = re.compile(r"(?<!['\"])#.*$")
_QUOTES = str.maketrans("“”‘’«»＂＇`´", "\"\"''\"\"\"'''")
_SPACE = re.compile(r"\s+")
_URL = re.compile(
    r"(?:https?://|www\.)[^\s()<>\]\"'`{}|\\^（），。；、]+", re.IGNORECASE
)
_ROLE_TARGET = re.compile(r"^(?P<text>.*?)\s*<(?P<target>[^<>]+)>$", re.DOTALL)
_MARKUP = re.compile(
    r"^(?:\{[\w:+-]+\}|:[\w.:+-]+:)?(?P<ticks>`+)(?P<text>.*?)(?P=ticks)_{0,2}$",
    re.DOTALL,
)
_MATH = re.compile(r"^\$\$?(?P<text>.*?)\$\$?$", re.DOTALL)
_SHORTEST_LINE = 4  # characters of a line of code that says something


def plain_code(line: str) -> str:
    """A line of code without prompt, comment and white space, its quotes straight."""
    line = _PROMPT.sub("", unicodedata.normalize("NFKC", line).translate(_QUOTES))
    return _SPACE.sub("", _COMMENT.sub("", line)).replace('"', "'")


@lru_cache(maxsize=1 << 14)
def code_lines(code: str) -> tuple[str, ...]:
    """The lines of a piece of code that say something, each as ``plain_code``."""
    lines = map(plain_code, code.split("\n"))
    return tuple(line for line in lines if len(line) >= _SHORTEST_LINE)


def lines_in(code: str, known: frozenset[str]) -> Counter[str]:
    """Which of the ``known`` lines are in a piece of code, also one that was made a single line."""
    found: Counter[str] = Counter()
    is_single = "\n" not in code.strip()
    for line in code.split("\n"):
        plain = plain_code(line)
        if plain in known:
            found[plain] += 1
        else:
            # On a single line a comment has swallowed what was on the lines behind it.
            text = line if is_single else _COMMENT.sub("", line)
            whole = _SPACE.sub("", text.translate(_QUOTES)).replace('"', "'")
            found.update(_lines_joined(whole, known))
    return found


def _lines_joined(text: str, known: frozenset[str]) -> Iterator[str]:
    """The known lines that stand in a text one after the other; of two the longer one."""
    lengths = sorted(
        {len(line) for line in known if len(line) <= len(text)}, reverse=True
    )
    at = 0
    while at < len(text):
        for length in lengths:
            if text[at : at + length] in known:
                yield text[at : at + length]
                at += length
                break
        else:
            at += 1


def plain_atom(atom: str) -> str:
    """What an atom says, without its mark-up: ``{func}`jax.jit``` and ``jax.jit`` are the same."""
    if math := _MATH.match(atom):
        return _SPACE.sub("", math["text"])
    if marked := _MARKUP.match(atom):
        text = marked["text"].strip()
        if role := _ROLE_TARGET.match(text):
            text = role["target"] if not role["text"] else role["text"]
        return _SPACE.sub("", text).lstrip("~!")
    return ""


def urls_in(text: str) -> list[str]:
    """The URLs of a text, without scheme, ``www.`` and what ends a sentence."""
    found = []
    for match in _URL.findall(text):
        bare = re.sub(
            r"^(?:https?://)?(?:www\.)?", "", match.rstrip(".,;:!?*_)")
        ).rstrip("/")
        found.append(bare)
    return found


@lru_cache(maxsize=1 << 14)
def plain_atoms(text: str, markup: Markup = Markup.MARKDOWN) -> tuple[str, ...]:
    """What the atoms of a text say: code, roles and formulas, in order."""
    plain = map(plain_atom, atoms_of(text, markup))
    return tuple(atom for atom in plain if len(atom) > 1)


@lru_cache(maxsize=1 << 14)
def tokens_of(text: str) -> Counter[str]:
    """The names and numbers of a text, whatever mark-up they stand in."""
    return Counter(_TOKEN.findall(_EMPHASIS.sub(" ", unescaped(text))))


@lru_cache(maxsize=1 << 14)
def lasting_tokens(text: str, markup: Markup = Markup.MARKDOWN) -> frozenset[str]:
    """Those tokens that a translation has to keep: of atoms, and names and numbers in prose."""
    lasting: set[str] = set()
    for atom in plain_atoms(text, markup):
        lasting.update(_TOKEN.findall(atom))
    lasting.update(token for token in tokens_of(text) if _NAME.search(token))
    return frozenset(lasting)


def english_words(text: str) -> list[str]:
    """The English words of a text in lower case, without mark-up."""
    return [word.lower() for word in _WORD.findall(text)]


def unescaped(text: str) -> str:
    """A text without what HTML converters put into it: entities and needless backslashes."""
    return re.sub(r"\\([_*\[\]()#+.!`<>{}|~-])", r"\1", html.unescape(text))


def count_han(text: str) -> int:
    """The Chinese characters of a text."""
    return len(HAN.findall(text))
