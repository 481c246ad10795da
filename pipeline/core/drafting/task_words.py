"""Words about the task of a model, such as instructions, prompts, keys and translating.

A page may contain an instruction for the model. A model that obeys it, or shows its own
instructions, uses such words even in a short answer. A translation only has them if the English is
about the same topic. ``task_words.toml`` has the topics.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.tables import read_table


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# For each topic: patterns for its words in an answer, and for the topic in the English.
_TOPICS = [
    (_any_of(topic["answer"]), _any_of(topic["english"]))
    for topic in read_table(__name__, "task_words").values()
]


def task_words(english: str, answer: str) -> str:
    """Return words of the answer about a topic that the English does not have, or ""."""
    for of_answer, of_english in _TOPICS:
        found = of_answer.search(answer)
        # English such as "Call ChatGPT" has the topic, too: it has a word of the answer.
        has_topic = of_english.search(english) or of_answer.search(english)
        if found and not has_topic:
            return found[0]
    return ""
