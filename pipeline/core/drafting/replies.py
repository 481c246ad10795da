"""The text of a reply, taken apart: an answer for each question, or why there is none.

Any text comes in; nothing is raised. What is not exactly one JSON object with one text for each id
is told entry by entry, so that one bad answer spoils no other.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

# Some models think aloud first, some put what they say into a fence.
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"\A\s*```\w*\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)

NO_JSON = "the reply is not one JSON object"
MISSING = "the reply has no answer for it"
TWICE = "the reply answers it twice"
NO_TEXT = "the answer is not a string"


class _Object(list[tuple[str, object]]):
    """A JSON object as its pairs: a dict would keep the last one of two equal keys, in silence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The answers of a reply by id. ``problems`` says of the other ids why they have none."""

    texts: Mapping[str, str]
    problems: Mapping[str, str] = field(default_factory=dict)
    extra: tuple[str, ...] = ()  # keys that nobody asked for


def read_reply(text: str, ids: Collection[str]) -> Answers:
    """The answers for ``ids`` in the text of a reply.

    Each id has an answer or a problem. Keys that nobody asked for are told apart, and not used.
    """
    pairs = _pairs_of(_without_wrapping(text))
    if pairs is None:
        return Answers(texts={}, problems=dict.fromkeys(ids, NO_JSON))
    # Before they become a dict: that would keep the last of two answers, in silence.
    counts = Counter(name for name, _ in pairs)
    values = dict(pairs)
    texts: dict[str, str] = {}
    problems: dict[str, str] = {}
    for name in ids:
        value = values.get(name)
        if counts[name] > 1:
            problems[name] = TWICE  # which of the two is meant, nobody knows
        elif name not in values:
            problems[name] = MISSING
        elif not isinstance(value, str):
            problems[name] = NO_TEXT
        else:
            texts[name] = value
    extra = tuple(name for name in counts if name not in ids)
    return Answers(texts=texts, problems=problems, extra=extra)


def _without_wrapping(text: str) -> str:
    """The text of a reply without thoughts that come first, and without a fence around it.

    Many models write such things around the JSON that they are asked for.
    """
    text = _THOUGHTS.sub("", text, count=1)
    fenced = _FENCE.match(text)
    return fenced[1] if fenced else text


def _pairs_of(text: str) -> _Object | None:
    """The pairs of a JSON object; None if the text is not exactly one.

    A list, a number, null are JSON, but no answers. A number of thousands of digits is an error.
    """
    try:
        value = json.loads(text, object_pairs_hook=_Object)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, _Object) else None
