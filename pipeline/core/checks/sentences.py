"""The sentences of a masked text, and those of its translation beside them."""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.core.checks.masked import CLOSE, WORD

# A full stop behind one of these ends no sentence; the last one is an initial.
_ABBREVIATIONS = r"e\.g i\.e etc vs cf Fig Eq Sec no [A-Z]"
_NO_END = "".join(rf"(?<!\b{word})" for word in _ABBREVIATIONS.split())
# Looking for the mark first is quicker than looking behind at every character.
ENGLISH_END = re.compile(rf"(?=[.!?]){_NO_END}[.!?]+[\"'”’)\]{CLOSE}]*(?=\s|$)")
CHINESE_END = re.compile(rf"(?:[。！？]+|……|[.!?](?=\s|$))[”’）」』)\]{CLOSE}]*")


class Pair(NamedTuple):
    """A sentence and its translation, or all of a message where they cannot be told apart."""

    english: str  # in lower case: words are looked up in it
    chinese: str


def sentence_pairs(msgid: str, msgstr: str) -> tuple[Pair, ...]:
    """The sentences of two masked texts side by side, if they seem to belong to each other.

    Then there are as many of them in both, and each has as much code as the one beside it.
    """
    sentences = [sentence.lower() for sentence in _cut(msgid, ENGLISH_END)]
    translations = _cut(msgstr, CHINESE_END)
    if len(sentences) == len(translations):
        pairs = tuple(map(Pair, sentences, translations))
        if all(map(_has_as_much_code, pairs)):
            return pairs
    return (Pair(msgid.lower(), msgstr),)


def _cut(text: str, end: re.Pattern[str]) -> list[str]:
    """``text`` cut behind every match of ``end``."""
    sentences: list[str] = []
    start = 0
    for match in end.finditer(text):
        sentences.append(text[start : match.end()])
        start = match.end()
    if text[start:].strip():
        sentences.append(text[start:])
    return sentences


def _has_as_much_code(pair: Pair) -> bool:
    return pair.english.count(WORD) == pair.chinese.count(WORD)
