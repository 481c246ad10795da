"""Store of all answers by question, with the verdict on each.

The input is raw reply text, in whatever batches it was requested. A reply must be one JSON object
with one string for each id. Each violation is recorded for its own question, so one bad answer does
not spoil the others. An answered question is never asked again, and stored answers are judged by
the current rules.
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
# Some models write their reasoning first, and some put the answer into a fence.
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"\A\s*```\w*\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)

Answer = str | Judged  # a text, or the verdict that none came


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """State of a question: the attempt to make next, or 0 if it is settled.

    ``refused`` has the first answer and its fault, for the second attempt.
    """

    attempt: int
    judged: Judged = field(default_factory=Judged)
    refused: tuple[str, str] = ("", "")


@dataclass(kw_only=True)
class AnswerStore:
    """Answers of one locale, with their judge."""

    judge: Judge
    _answers: dict[tuple[str, int], Answer] = field(default_factory=dict)
    _judged: dict[tuple[str, int], Judged] = field(default_factory=dict)

    def add(self, questions: Mapping[str, str], text: str, *, attempt: int) -> None:
        """Add a reply; ``questions`` maps its ids to question keys."""
        for name, answer in read_reply(text, questions.keys()).items():
            key = (questions[name], attempt)
            # If two batches asked the same question, the first text answer is kept.
            if not isinstance(self._answers.get(key), str):
                self._answers[key] = answer
                self._judged.pop(key, None)

    def verdict(self, question: Question) -> Verdict:
        """Return the state of a question. Each answer is judged only once."""
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
            # Both attempts are used, so the question is settled.
            case [first, second]:
                return Verdict(attempt=0, judged=better(first, second))
        (first,) = judged
        if first.is_good:
            return Verdict(attempt=0, judged=first)
        reason = first.fault or " ".join(first.doubts)
        answer = self._answers[question.key, 1]
        said = answer if isinstance(answer, str) else ""
        # A caller that cannot ask again may still keep an answer with doubts.
        return Verdict(attempt=2, judged=first, refused=(said, reason))


class _Object(list[tuple[str, object]]):
    """JSON object as a list of pairs: a dict would silently drop duplicate keys."""


def read_reply(text: str, ids: Collection[str]) -> dict[str, Answer]:
    """Return, for each of ``ids``, the answer in a reply or the reason why there is none.

    Keys that were not requested are ignored.
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
    """Return the pairs of a JSON object, or None if the text is not exactly one object.

    Leading reasoning and a surrounding fence are ignored.
    """
    text = _THOUGHTS.sub("", text, count=1)
    fenced = _FENCE.match(text)
    try:
        value = json.loads(fenced[1] if fenced else text, object_pairs_hook=_Object)
    # int() raises ValueError for a number of thousands of digits.
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, _Object) else None
