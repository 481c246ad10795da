"""Which entries of the index a text has. ``search.js`` takes queries apart by the same rules.

Text comes in, strings and how often they occur go out. Of Chinese every two letters side by side
are an entry: what has three or four of them is found by the entries it is made of. Of other scripts
words are, and for dotted names each pair of words around a dot.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, pairwise
from unicodedata import normalize

# Scripts that put no spaces between words: kana, Han (all planes), Hangul.
UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
# What else words are made of: letters and digits of any script, and the underscore.
_LETTER = rf"[^\W{UNSPACED}]"
_RUN = re.compile(rf"[{UNSPACED}]+|{_LETTER}+(?:\.{_LETTER}+)*")
_UNSPACED = re.compile(f"[{UNSPACED}]")

# Nobody looks for what is longer: digests, and numbers as programs print them.
LONGEST_WORD = 60
LONGEST_NUMBER = 8


def entries_of(text: str) -> Counter[str]:
    """The entries of a text, counted: ``用 jax.jit 编译`` → 用, jax, jit, .jax.jit, 编译, 译."""
    # One form for each letter: ＪＡＸ is jax.
    runs = _RUN.findall(normalize("NFKC", text).lower())
    return Counter(chain.from_iterable(map(_entries_of_run, runs)))


@lru_cache(maxsize=1 << 16)
def _entries_of_run(run: str) -> tuple[str, ...]:
    """The entries of letters in a row. The same rows come again from page to page."""
    if _UNSPACED.match(run):
        # The last letter stands alone, or a query of one letter would not find it.
        return (*map(str.__add__, run, run[1:]), run[-1])
    return tuple(_entries_of_name(run.split(".")))


def _entries_of_name(words: list[str]) -> Iterable[str]:
    """The entries of a name that is cut at its dots."""
    for word in filter(is_indexed, words):
        yield word[:LONGEST_WORD]
        if "_" in word:
            # custom_jvp is found as jvp, too.
            yield from filter(is_indexed, word.split("_"))
    for left, right in pairwise(words):
        # 3.14 is no name.
        if not right[0].isdigit():
            yield pair_of(left, right)


def last_entries_of(name: str) -> Iterator[str]:
    """Yield the entries that stand for a whole name: ``jax.random.key`` → ``key``, ``.random.key``.

    The same rules apply to a query: who asks for ``key`` or ``random.key`` asks for this name.
    """
    for run in _RUN.findall(normalize("NFKC", name).lower())[-1:]:
        words = run.split(".")
        yield words[-1][:LONGEST_WORD]
        for left, right in list(pairwise(words))[-1:]:
            yield pair_of(left, right)


def is_indexed(word: str) -> bool:
    """Whether a word is an entry: not what is left of ``__`` at a ``_``, nor a long number."""
    if not word:
        return False
    return len(word) <= LONGEST_NUMBER or not word[0].isdigit()


def pair_of(left: str, right: str) -> str:
    """The entry for two words around a dot, ``.random.key``.

    The dot before it keeps pairs apart from words, whose neighbours a query reads as well.
    """
    return f".{left[:LONGEST_WORD]}.{right[:LONGEST_WORD]}"
