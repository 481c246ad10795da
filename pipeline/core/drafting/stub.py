"""Stub of a model: answers requests with nonsense in Chinese characters.

``draft --stub`` uses it to show drafting without an API key; tests use it, too. ``answer`` takes
the body of a request and returns the text of a reply. Each word becomes characters of the Thousand
Character Classic. A digest of the word selects them, so equal texts have equal translations. Terms
become their renderings. Names, numbers, marks and markup stay.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from pipeline.core.checks.meaning.words import SHARED
from pipeline.core.glossary.rows import forms_of, pattern_of
from pipeline.tables import read_table

_TABLE = read_table(__name__, "stub")
_CHARACTERS: str = _TABLE["characters"]
# English letters for each Chinese character. A word has about 1.5 characters, as in real
# translations.
_LETTERS_A_CHARACTER = 3.4
_TOKEN = re.compile(_TABLE["token"], re.DOTALL | re.VERBOSE)
_FIRST_WORD = re.compile(r"[a-z'’.]+")
_NAME = re.compile(r"[A-Z]{2,}|[a-z][A-Z]")
_FULL_WIDTH = dict(zip(",.;:!?", "，。；：！？", strict=True))
# Patterns for Chinese spacing: no space between Chinese characters, full-width punctuation after
# them, and no space after that. "黄 宙" → "黄宙", "黄, 宙" → "黄，宙"; "黄 `f` 宙" stays.
_SPACE = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
_MARK = re.compile(r"(?<=[\u4e00-\u9fff])[,.;:!?](?=[ \n]|\Z)")
_SPACE_BEHIND_MARK = re.compile(r"(?<=[，。；：！？]) ")
# Parts of a glossary row after its first rendering, and parts of a rendering that are left out.
_AVOIDED = re.compile(r" \(not: .*\)| / .*|（[^（）]*）|…")


def answer(request: Mapping[str, Any]) -> str:
    """Return the text of the reply to a request, in the form of a model's reply.

    Raises ValueError if the request is not one of ours.
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
    """Return the glossary terms of a batch in lower case, each with its first rendering.

    ``{"Tracer": "跟踪器 (not: 追踪器)"}`` → ``{"tracer": "跟踪器"}``
    """
    rows = batch.get("glossary", {})
    return {term.lower(): _AVOIDED.sub("", chinese) for term, chinese in rows.items()}


def translate(english: str, terms: Mapping[str, str] | None = None) -> str:
    """Return the nonsense translation of a masked English text.

    ``"The ⟦1⟧ of an oven"`` → ``"⟦1⟧ 天洪荒"`` (the characters may differ). ``terms`` maps terms in
    lower case to their renderings.
    """
    pieces: list[str] = []
    at = 0
    for start, end, rendering in _rendered(english.lower(), terms or {}):
        # Skip a match that starts inside the one before.
        if start >= at:
            pieces += [*map(_translated, _TOKEN.finditer(english[at:start])), rendering]
            at = end
    pieces += map(_translated, _TOKEN.finditer(english[at:]))
    text = _SPACE.sub("", "".join(pieces))
    text = _MARK.sub(lambda mark: _FULL_WIDTH[mark[0]], text)
    return _SPACE_BEHIND_MARK.sub("", text).strip()


def _rendered(text: str, terms: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """Return the parts of a lower-case text with a real translation: start, end, rendering.

    These are terms in any inflected form, and words that checks of meaning look for: "not", "if".
    """
    found: list[tuple[int, int, str]] = []
    for term, rendering in terms.items():
        matches = _pattern_of(term).finditer(text)
        found += [(match.start(), match.end(), rendering) for match in matches]
    for kind in SHARED.values():
        for match in kind.english.finditer(text):
            # Only translate the first word of a match: "if" of "if it is on, then".
            word = _FIRST_WORD.findall(match[0])[0]
            found.append((match.start(), match.start() + len(word), kind.usual))
    # Of two with the same start, the longer one comes first: "jit compilation" before "jit".
    return sorted(found, key=lambda piece: (piece[0], -piece[1]))


@cache
def _pattern_of(term: str) -> re.Pattern[str]:
    """Return a pattern that matches all forms of a term."""
    return pattern_of(forms_of(term, is_verb=True))


def _translated(match: re.Match[str]) -> str:
    """Return a token of English in Chinese characters; "" for an article.

    JAX, NumPy, 32 bits, ⟦1⟧, and marks of emphasis stay.
    """
    text = match[0]
    if match.lastgroup == "article":
        return ""
    if match.lastgroup != "word" or _NAME.search(text):
        return text
    return _characters(text.lower())


def _characters(word: str) -> str:
    """Return the Chinese characters for a word. No character is the same as the one before."""
    digest = hashlib.sha256(word.encode("utf-8")).digest()
    # "of" has one character, "differentiation" has four.
    count = max(1, round(len(word) / _LETTERS_A_CHARACTER))
    first = digest[0]
    # The step is between 1 and the length of the list minus 1, so it leads to another character.
    step = 1 + digest[1] % (len(_CHARACTERS) - 2)
    return "".join(_CHARACTERS[(first + at * step) % len(_CHARACTERS)] for at in range(count))
