"""Translator without a model: the same text always gives the same nonsense, with all marks.

``--stub`` uses it to show the whole loop without an API key, and tests use it, too. The input is
the body of a request, the output the text of a reply. Words become characters of the Thousand
Character Classic, chosen by digest. Terms become their renderings; names, numbers, marks and markup
are kept.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from pipeline.core.checks.meaning.words import SHARED
from pipeline.core.glossary.inflection import forms_of, pattern_of

_CHARACTERS = (
    "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结霜"
    "金生丽水玉出昆冈剑号巨阙珠称夜光果珍李柰菜重芥姜海咸河淡鳞潜羽翔龙师火帝鸟官人皇"
)
# English letters per character: about 1.5 characters a word, as in real translations
_LETTERS_A_CHARACTER = 3.4
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
_FIRST_WORD = re.compile(r"[a-z'’.]+")
_NAME = re.compile(r"[A-Z]{2,}|[a-z][A-Z]")
_FULL_WIDTH = dict(zip(",.;:!?", "，。；：！？", strict=True))
# Chinese spacing: none between characters, full-width marks after them, and no space after these.
# "黄 宙" → "黄宙", "黄, 宙" → "黄，宙"; "黄 `f` 宙" stays.
_SPACE = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
_MARK = re.compile(r"(?<=[\u4e00-\u9fff])[,.;:!?](?=[ \n]|\Z)")
_SPACE_BEHIND_MARK = re.compile(r"(?<=[，。；：！？]) ")
_AVOIDED = re.compile(r" \(not: .*\)| / .*|（[^（）]*）|…")


def answer(request: Mapping[str, Any]) -> str:
    """Return the reply to a request, in the form that a model would use.

    Raises ValueError if the body is not one of our requests.
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
    """Return the terms of a batch in lower case, each with its first rendering.

    ``{"Tracer": "跟踪器 (not: 追踪器)"}`` → ``{"tracer": "跟踪器"}``
    """
    rows = batch.get("glossary", {})
    return {term.lower(): _AVOIDED.sub("", chinese) for term, chinese in rows.items()}


def translate(english: str, terms: Mapping[str, str] | None = None) -> str:
    """Return a masked English text in Chinese characters, with ``terms`` rendered.

    ``terms`` has lower-case keys. ``"The ⟦1⟧ of an oven"`` → ``"⟦1⟧ 天洪荒"``, or the like.
    """
    pieces: list[str] = []
    at = 0
    for start, end, rendering in _rendered(english.lower(), terms or {}):
        # A match that starts inside another one is part of it.
        if start >= at:
            pieces += [*map(_translated, _TOKEN.finditer(english[at:start])), rendering]
            at = end
    pieces += map(_translated, _TOKEN.finditer(english[at:]))
    text = _SPACE.sub("", "".join(pieces))
    text = _MARK.sub(lambda mark: _FULL_WIDTH[mark[0]], text)
    return _SPACE_BEHIND_MARK.sub("", text).strip()


def _rendered(text: str, terms: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """Return the parts of a lower-case text with a real translation: start, end, rendering.

    These are terms in any inflection, and words that change the meaning: "not", "only", "if".
    """
    found: list[tuple[int, int, str]] = []
    for term, rendering in terms.items():
        matches = _pattern_of(term).finditer(text)
        found += [(match.start(), match.end(), rendering) for match in matches]
    for kind in SHARED.values():
        for match in kind.english.finditer(text):
            # The first word of a match stands for it: "if it is on, then" counts as "if".
            word = _FIRST_WORD.findall(match[0])[0]
            found.append((match.start(), match.start() + len(word), kind.usual))
    # If two start at the same place, the longer one counts: "jit compilation", not "jit".
    return sorted(found, key=lambda piece: (piece[0], -piece[1]))


@cache
def _pattern_of(term: str) -> re.Pattern[str]:
    """Return a pattern that matches all forms of a term."""
    return pattern_of(forms_of(term, is_verb=True))


def _translated(match: re.Match[str]) -> str:
    """Return a piece of English in characters, or nothing for an article.

    JAX, NumPy, 32 bits, ⟦1⟧, and marks of emphasis are kept.
    """
    text = match[0]
    if match.lastgroup == "article":
        return ""
    if match.lastgroup != "word" or _NAME.search(text):
        return text
    return _characters(text.lower())


def _characters(word: str) -> str:
    """Return the characters for a word: always the same ones, and never one twice in a row."""
    digest = hashlib.sha256(word.encode("utf-8")).digest()
    # "of" → one, "differentiation" → four: about the length of a translation.
    count = max(1, round(len(word) / _LETTERS_A_CHARACTER))
    first = digest[0]
    # A step between 1 and the list's length minus 1 never lands on the same character.
    step = 1 + digest[1] % (len(_CHARACTERS) - 2)
    return "".join(
        _CHARACTERS[(first + at * step) % len(_CHARACTERS)] for at in range(count)
    )
