"""Full-text search in Chinese.

Words are cut by jieba when the index is made; what a reader asks for is cut by the words that the
index has (``search.js``).
"""

from __future__ import annotations

import os
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from sphinx.search.zh import SearchChinese

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_LATIN = re.compile(r"[a-zA-Z0-9_]+")

COMMON = 5  # times that a word stands in what jieba learnt from
_options: dict[str, str] = {}
_SCRIPT = Path(__file__).with_name("search.js")


class SearchInChinese(SearchChinese):
    """As Sphinx's, with a splitter for queries.

    It is several times faster in pages that are half English.
    """

    js_splitter_code = _SCRIPT.read_text(encoding="utf-8")

    def init(self, options: dict[str, str]) -> None:
        """Note the options.

        Dictionaries are loaded when there is something to cut: a build of pages that did not
        change needs none.
        """
        # The base class loads its dictionary too, word by word: it is not asked to.
        import snowballstemmer

        self.stemmer = snowballstemmer.stemmer("english")
        _options.update(options)

    def split(self, input: str) -> list[str]:  # noqa: A002 - Sphinx calls it so
        """The words of a text: ``用 jit 编译函数`` → ``用``, ``编译``, ``函数``, ``jit``."""
        words: list[str] = []
        for run in _HAN.findall(input):
            words += _cut(run)
        # English words behind the Chinese ones: the order does not matter to the index.
        latin = _LATIN.findall(input)
        self.latin_terms.update(latin)
        return words + latin

    def stem(self, word: str) -> str:
        """The form that the index has of a word."""
        return _stemmed(self, word)


@lru_cache(maxsize=1 << 15)
def _cut(run: str) -> tuple[str, ...]:
    """The words of Chinese letters in a row. The same rows come again from page to page."""
    return tuple(_cutter().cut_for_search(run))


@cache
def _cutter() -> Any:
    """jieba with the words of the glossary, and with its own cache.

    The cache that it would use belongs to whoever was first on the machine.
    """
    import jieba

    jieba.setLogLevel("ERROR")
    cutter = jieba.Tokenizer()
    if place := _options.get("cache"):
        cutter = jieba.Tokenizer(_common_words(Path(place)))
        cutter.cache_file = f"{place}.cache"
    if words := _options.get("dict"):
        cutter.load_userdict(words)
    return cutter


def _common_words(path: Path) -> str:
    """jieba's dictionary without the rare words, as a file that is made at ``path``.

    They are two thirds of it, and to load it takes most of the time of a page.
    """
    import jieba

    if not path.exists():
        with jieba.get_dict_file() as file:
            # A line is a word, how often it was seen, and its kind: 梯度 46 n
            words = [line for line in file if int(line.split()[1]) >= COMMON]
        # Several processes may be at it.
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(b"".join(words))
        unfinished.replace(path)
    return str(path)


@lru_cache(maxsize=1 << 16)
def _stemmed(language: SearchInChinese, word: str) -> str:
    """What Sphinx's own stemmer says, kept: it takes long, and most words come often."""
    return SearchChinese.stem(language, word)
