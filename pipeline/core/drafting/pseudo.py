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
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from pipeline.core.checks.meaning_words import (
    EXAMPLE,
    IF,
    MUST,
    NEGATION,
    ONLY,
    THAT_IS,
)
from pipeline.core.glossary.inflection import forms_of, joined, pattern_of

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
_HAN = re.compile(r"[\u4e00-\u9fff]")
_FULL_WIDTH = dict(zip(",.;:!?", "，。；：！？", strict=True))
_MARKS = tuple(_FULL_WIDTH.values())
_AVOIDED = re.compile(r" \(not: .*\)| / .*|（[^（）]*）|…")


def answer(request: Mapping[str, Any]) -> str:
    """The reply to a request of ours, as a model would write it. Raises ValueError for others."""
    try:
        batch = json.loads(request["messages"][-1]["content"])
        terms = terms_of(batch)
        asked = [item for item in batch["text"] if "id" in item]
        answers = {item["id"]: translate(item["en"], terms) for item in asked}
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError("this is no request for drafts") from error
    return json.dumps(answers, ensure_ascii=False)


def translate(english: str, terms: Mapping[str, str] | None = None) -> str:
    """A masked English text in characters, with ``terms`` (in lower case) rendered as told.

    ``"The ⟦1⟧ of an oven"`` → ``"⟦1⟧ 天 洪荒"``, or the like
    """
    parts: list[str] = []
    at = 0
    for start, end, rendering in _rendered(english.lower(), terms or {}):
        # What begins within another one is a part of it.
        if start >= at:
            parts += [*_words(english[at:start]), rendering]
            at = end
    parts += _words(english[at:])
    return "".join(_joined(list(filter(None, parts)))).strip()


def _rendered(text: str, terms: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """What of a text in lower case is translated in earnest: from where, to where, and as what.

    Those are terms, in whatever form, and words that turn a sentence round: "not", "only", "if".
    """
    found: list[tuple[int, int, str]] = []
    forms = _forms_of(tuple(terms))
    for mention in forms.pattern.finditer(text):
        rendering = terms[forms.terms[joined(mention[0])]]
        found.append((mention.start(), mention.end(), rendering))
    for kind, rendering in _TURNING:
        for match in kind.english.finditer(text):
            # "if it is on, then": the first word of what is found stands for it.
            word = _FIRST_WORD.findall(match[0])[0]
            found.append((match.start(), match.start() + len(word), rendering))
    return sorted(found)


def count_tokens(text: str) -> int:
    """How many tokens a text has, nearly as models cut it: common words are one, others pieces."""
    return sum(map(_tokens_of, _PIECE.finditer(text)))


# As GPT's and Qwen's tokenizers cut a text before they look up pairs.
_PIECE = re.compile(
    r"[ ]?(?P<word>[A-Za-z]+)|(?P<number>\d{1,3})|(?P<han>[\u3400-\u9fff]+)"
    r"|(?P<other>[^\x00-\x7f])|[ ]?(?P<marks>[!-/:-@\[-`{-~]+)|\s+"
)


def _tokens_of(match: re.Match[str]) -> int:
    """The tokens of a piece. What is no word, Chinese or mark is one."""
    length = len(match[0])
    if match.lastgroup == "han":
        return length - length // 5  # one in five is a pair that is common
    # A space before a word or a mark is a part of it.
    letters = len(match[0].strip()) - 1
    rates = {"word": 8, "marks": 3}
    return 1 + letters // rates.get(str(match.lastgroup), length + 1)


def terms_of(batch: Mapping[str, Any]) -> dict[str, str]:
    """The terms of a batch, in lower case, each with the first of its renderings.

    ``{"Tracer": "跟踪器 (not: 追踪器)"}`` → ``{"tracer": "跟踪器"}``
    """
    rows = batch.get("glossary", {})
    return {term.lower(): _AVOIDED.sub("", told) for term, told in rows.items()}


@dataclass(frozen=True, slots=True)
class _Forms:
    """The terms of a batch in all of their forms."""

    pattern: re.Pattern[str]  # finds them in a text in lower case
    terms: Mapping[str, str]  # of each form, joined


@lru_cache(maxsize=256)
def _forms_of(terms: tuple[str, ...]) -> _Forms:
    """The terms of a batch in all of their forms, as one pattern.

    The batches of a page have the same ones, so that it is made once.
    """
    by_form: dict[str, str] = {}
    forms: list[str] = []
    for term in terms:
        for form in forms_of(term, is_verb=True):
            by_form[joined(form)] = term
            forms.append(form)
    return _Forms(pattern_of(forms), by_form)


def _words(text: str) -> list[str]:
    """The pieces of a text that is no term, each translated by itself."""
    return list(map(_translated, _TOKEN.finditer(text)))


def _translated(match: re.Match[str]) -> str:
    """A piece of English in characters; nothing for an article.

    JAX, NumPy, 32 bits, ⟦1⟧, and marks of emphasis stay.
    """
    text = match[0]
    if match.lastgroup == "article":
        return ""
    if match.lastgroup != "word" or _NAME.search(text):
        return text
    return _characters(text.lower())


def _characters(word: str) -> str:
    """The characters that stand for a word: the same ones each time, no two alike in a row."""
    digest = hashlib.sha256(word.encode("utf-8")).digest()
    # "of" → one, "differentiation" → four: as long as a translation would be.
    count = max(1, round(len(word) / _LETTERS_A_CHARACTER))
    first = digest[0]
    # Steps that are smaller than the list, and not 0, never come to the same one at once.
    step = 1 + digest[1] % (len(_CHARACTERS) - 2)
    return "".join(
        _CHARACTERS[(first + at * step) % len(_CHARACTERS)] for at in range(count)
    )


def _joined(parts: list[str]) -> list[str]:
    """``parts`` without spaces between characters, and with full-width marks behind them.

    ``"黄 宙"`` → ``"黄宙"``, ``"黄, 宙"`` → ``"黄，宙"``; ``"黄 `f` 宙"`` stays.
    """
    joined: list[str] = []
    for part, following in zip_longest(parts, parts[1:], fillvalue=""):
        before = joined[-1][-1] if joined else ""
        if _HAN.match(before):
            part_there = _behind_word(part, following)
        else:
            part_there = "" if part == " " and before in _MARKS else part
        if part_there:
            joined.append(part_there)
    return joined


def _behind_word(part: str, following: str) -> str:
    """What a part becomes behind a character: nothing, its full-width form, or what it is."""
    if part == " " and _HAN.match(following):
        return ""
    is_end = following[:1] in ("", " ", "\n")
    return _FULL_WIDTH.get(part, part) if is_end else part
