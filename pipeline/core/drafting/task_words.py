"""Words about the task of a model, which an answer has only if the English has their topic.

``task_words.toml`` has the topics: instructions, prompts, keys, translating. A model that obeys an
instruction in a page, or shows its own, uses such words even in a short answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.tables import read_table


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# For each topic, the patterns in an answer and in the English.
_TOPICS = [
    (_any_of(topic["answer"]), _any_of(topic["english"]))
    for topic in read_table(__name__, "task_words").values()
]


def task_words(english: str, answer: str) -> str:
    """Return words of the answer about a topic that the English does not have; "" if none."""
    for of_answer, of_english in _TOPICS:
        found = of_answer.search(answer)
        # The same words in the English prove the topic too: "Call ChatGPT".
        has_topic = of_english.search(english) or of_answer.search(english)
        if found and not has_topic:
            return found[0]
    return ""
