"""All answers that are known, by question, and what became of each.

Replies come in as they were kept, in whatever batches; any text is one. What is not exactly one
JSON object with one text for each id is told question by question, so that one bad answer spoils no
other. A question that was answered is never put again, and an answer is judged by the rules of
today.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pipeline.core.drafting.judge import Judge, Judged, Reason, better
from pipeline.core.drafting.question import Question

_ATTEMPTS = (1, 2)
# Some models think aloud first, some put what they say into a fence.
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"\A\s*```\w*\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)

Answer = str | Judged  # a text, or the verdict that there is none


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Where a question stands: the attempt that it waits for, or 0 if it has its verdict.

    ``refused`` is what to say when it is put again: the first answer, and what is wrong with it.
    """

    attempt: int
    judged: Judged = field(default_factory=Judged)
    refused: tuple[str, str] = ("", "")


@dataclass(kw_only=True)
class Book:
    """The answers of one locale, with their judge."""

    judge: Judge
    _answers: dict[tuple[str, int], Answer] = field(default_factory=dict)
    _judged: dict[tuple[str, int], Judged] = field(default_factory=dict)

    def add(self, questions: Mapping[str, str], text: str, *, attempt: int) -> None:
        """Add a reply; ``questions`` has the keys of its questions by id."""
        for name, answer in read_reply(text, questions.keys()).items():
            key = (questions[name], attempt)
            # Of two replies to one question, asked in other company, the first one stays.
            if not isinstance(self._answers.get(key), str):
                self._answers[key] = answer
                self._judged.pop(key, None)

    def verdict(self, question: Question) -> Verdict:
        """Return where a question stands. Each answer is judged once."""
        judged: list[Judged] = []
        for attempt in _ATTEMPTS:
            key = (question.key, attempt)
            if key not in self._answers:
                break
            if key not in self._judged:
                answer = self._answers[key]
                if isinstance(answer, str):
                    answer = self.judge.judge(question, answer)
                self._judged[key] = answer
            judged.append(self._judged[key])
        match judged:
            case []:
                return Verdict(attempt=1)
            case [first, second]:
                return Verdict(attempt=0, judged=better(first, second))
        (first,) = judged
        if first.is_good:
            return Verdict(attempt=0, judged=first)
        reason = first.fault or " ".join(first.doubts)
        answer = self._answers[question.key, 1]
        said = answer if isinstance(answer, str) else ""
        # Whoever cannot ask again may still keep an answer that is only doubted.
        return Verdict(attempt=2, judged=first, refused=(said, reason))


class _Object(list[tuple[str, object]]):
    """A JSON object as its pairs: a dict would keep the last one of two equal keys, in silence."""


def read_reply(text: str, ids: Collection[str]) -> dict[str, Answer]:
    """Return the answer for each of ``ids`` in the text of a reply, or why there is none.

    Keys that nobody asked for are not used.
    """
    pairs = _pairs_of(text)
    if pairs is None:
        return dict.fromkeys(ids, _none("the reply is not one JSON object"))
    counts = Counter(name for name, _ in pairs)
    values = dict(pairs)
    answers: dict[str, Answer] = {}
    for name in ids:
        value = values.get(name)
        if counts[name] > 1:
            answers[name] = _none("the reply answers it twice")
        elif name not in values:
            answers[name] = _none("the reply has no answer for it")
        elif isinstance(value, str):
            answers[name] = value
        else:
            answers[name] = _none("the answer is not a string")
    return answers


def _none(text: str) -> Judged:
    return Judged(refused=Reason.NO_ANSWER, fault=text)


def _pairs_of(text: str) -> _Object | None:
    """Return the pairs of a JSON object; None if the text is not exactly one.

    Thoughts that come first, and a fence around it, do not count.
    """
    text = _THOUGHTS.sub("", text, count=1)
    fenced = _FENCE.match(text)
    try:
        value = json.loads(fenced[1] if fenced else text, object_pairs_hook=_Object)
    # A number of thousands of digits is an error as well.
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, _Object) else None
