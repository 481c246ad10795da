"""Words about the task of a model, which an answer has only if the English has their topic.

``task_words.toml`` has the topics: instructions, prompts, keys, translating. A model that obeys an
instruction in a page, or shows its own, uses such words even in a short answer.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True, slots=True)
class _Topic:
    """Patterns of a topic in an answer, and in the English."""

    answer: re.Pattern[str]
    english: re.Pattern[str]


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


def _read_topics() -> tuple[_Topic, ...]:
    path = resources.files(__package__) / "task_words.toml"
    table = tomllib.loads(path.read_text("utf-8"))
    return tuple(
        _Topic(_any_of(words["answer"]), _any_of(words["english"]))
        for words in table.values()
    )


_TOPICS = _read_topics()


def task_words(english: str, answer: str) -> str:
    """Return words of the answer about a topic that the English does not have; "" if none."""
    for topic in _TOPICS:
        found = topic.answer.search(answer)
        # The same words in the English prove the topic too: "Call ChatGPT".
        has_topic = topic.english.search(english) or topic.answer.search(english)
        if found and not has_topic:
            return found[0]
    return ""
