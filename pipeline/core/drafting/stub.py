"""A translator without a model: the same text gives the same nonsense, with every mark in place.

It stands behind ``--stub``, so that people see the whole loop without a key, and tests measure the
loop without a model. In goes the body of a request, out comes the text of a reply. Words become
characters of the Thousand Character Classic, by their digest; terms become their renderings, and
names, numbers, marks and markup stay what they are.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from pipeline.core.checks.meaning.words import (
    EXAMPLE,
    IF,
    MUST,
    NEGATION,
    ONLY,
    THAT_IS,
)
from pipeline.core.glossary.inflection import forms_of, pattern_of

_CHARACTERS = (
    "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结霜"
    "金生丽水玉出昆冈剑号巨阙珠称夜光果珍李柰菜重芥姜海咸河淡鳞潜羽翔龙师火帝鸟官人皇"
)
_LETTERS_A_CHARACTER = 3.4  # of an English word: 1.5 characters a word, as people write
_TOKEN = re.compile(
    r"""
      (?P<article>\b(?:[Aa]n?|[Tt]he)[ ](?=[A-Za-z]|\Z))
    | (?P<mark>⟦\d+⟧)
    | (?P<number>\d+[ ]?[A-Za-zµ]*)  # with its unit
    | (?P<word>[A-Za-z]+(?:['’-][A-Za-z]+)*)
    | (?P<space>[ ]+)
    | (?P<rest>.)
    """,
    re.DOTALL | re.VERBOSE,
)
# Words whose loss the checks of meaning tell, each with one that says the same.
_TURNING = (
    (NEGATION, "不"),
    (ONLY, "只"),
    (MUST, "必须"),
    (IF, "如果"),
    (EXAMPLE, "例如"),
    (THAT_IS, "即"),
)
_FIRST_WORD = re.compile(r"[a-z'’.]+")
_NAME = re.compile(r"[A-Z]{2,}|[a-z][A-Z]")
_FULL_WIDTH = dict(zip(",.;:!?", "，。；：！？", strict=True))
# As Chinese is written: no space between characters, full-width marks behind them, and no space
# behind these. "黄 宙" → "黄宙", "黄, 宙" → "黄，宙"; "黄 `f` 宙" stays.
_SPACE = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
_MARK = re.compile(r"(?<=[\u4e00-\u9fff])[,.;:!?](?=[ \n]|\Z)")
_SPACE_BEHIND_MARK = re.compile(r"(?<=[，。；：！？]) ")
_AVOIDED = re.compile(r" \(not: .*\)| / .*|（[^（）]*）|…")


def answer(request: Mapping[str, Any]) -> str:
    """Return the reply to a request of ours, as a model would write it.

    Raises ValueError for others.
    """
    try:
        batch = json.loads(request["messages"][-1]["content"])
        terms = terms_of(batch)
        asked = [item for item in batch["text"] if "id" in item]
        answers = {item["id"]: translate(item["en"], terms) for item in asked}
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError("this is no request for drafts") from error
    return json.dumps(answers, ensure_ascii=False)


def terms_of(batch: Mapping[str, Any]) -> dict[str, str]:
    """Return the terms of a batch, in lower case, each with the first of its renderings.

    ``{"Tracer": "跟踪器 (not: 追踪器)"}`` → ``{"tracer": "跟踪器"}``
    """
    rows = batch.get("glossary", {})
    return {term.lower(): _AVOIDED.sub("", told) for term, told in rows.items()}


def translate(english: str, terms: Mapping[str, str] | None = None) -> str:
    """Return a masked English text in characters, with ``terms`` (in lower case) rendered as told.

    ``"The ⟦1⟧ of an oven"`` → ``"⟦1⟧ 天洪荒"``, or the like
    """
    pieces: list[str] = []
    at = 0
    for start, end, rendering in _rendered(english.lower(), terms or {}):
        # What begins within another one is a part of it.
        if start >= at:
            pieces += [*map(_translated, _TOKEN.finditer(english[at:start])), rendering]
            at = end
    pieces += map(_translated, _TOKEN.finditer(english[at:]))
    text = _SPACE.sub("", "".join(pieces))
    text = _MARK.sub(lambda mark: _FULL_WIDTH[mark[0]], text)
    return _SPACE_BEHIND_MARK.sub("", text).strip()


def _rendered(text: str, terms: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """Return the parts of a lower-case text that are translated in earnest: start, end, rendering.

    Those are terms, in whatever form, and words that turn a sentence round: "not", "only", "if".
    """
    found: list[tuple[int, int, str]] = []
    for term, rendering in terms.items():
        matches = _pattern_of(term).finditer(text)
        found += [(match.start(), match.end(), rendering) for match in matches]
    for kind, rendering in _TURNING:
        for match in kind.english.finditer(text):
            # "if it is on, then": the first word of what is found stands for it.
            word = _FIRST_WORD.findall(match[0])[0]
            found.append((match.start(), match.start() + len(word), rendering))
    # Of two that begin together the longer one counts: "jit compilation", not "jit".
    return sorted(found, key=lambda piece: (piece[0], -piece[1]))


@cache
def _pattern_of(term: str) -> re.Pattern[str]:
    """Finds all forms of a term."""
    return pattern_of(forms_of(term, is_verb=True))


def _translated(match: re.Match[str]) -> str:
    """Return a piece of English in characters; nothing for an article.

    JAX, NumPy, 32 bits, ⟦1⟧, and marks of emphasis stay.
    """
    text = match[0]
    if match.lastgroup == "article":
        return ""
    if match.lastgroup != "word" or _NAME.search(text):
        return text
    return _characters(text.lower())


def _characters(word: str) -> str:
    """Return the characters for a word: the same ones each time, no two alike in a row."""
    digest = hashlib.sha256(word.encode("utf-8")).digest()
    # "of" → one, "differentiation" → four: as long as a translation would be.
    count = max(1, round(len(word) / _LETTERS_A_CHARACTER))
    first = digest[0]
    # Steps that are smaller than the list, and not 0, never come to the same one at once.
    step = 1 + digest[1] % (len(_CHARACTERS) - 2)
    return "".join(
        _CHARACTERS[(first + at * step) % len(_CHARACTERS)] for at in range(count)
    )
