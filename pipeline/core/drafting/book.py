"""All answers that are known, by question, and what became of each.

Replies come in as they were kept, in whatever batches. So a question that was answered is never put
again, and an answer is judged by the rules of today.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from pipeline.core.drafting.batches import Refused
from pipeline.core.drafting.judging import Judge, Judged, Reason, Refusal, better
from pipeline.core.drafting.questions import Question
from pipeline.core.drafting.replies import read_reply

ATTEMPTS = (1, 2)


class Next(Enum):
    """What a question waits for."""

    FIRST = auto()  # an answer
    SECOND = auto()  # another answer: something speaks against the first one
    NOTHING = auto()  # it has its verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Where a question stands. ``refused`` is there if it is to be put again."""

    next: Next
    judged: Judged = field(default_factory=Judged)
    refused: Refused | None = None


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str
    problem: str = ""  # why there is none


@dataclass(kw_only=True)
class Book:
    """The answers of one locale, with their judge."""

    judge: Judge
    _answers: dict[tuple[str, int], _Answer] = field(default_factory=dict)
    _judged: dict[tuple[str, int], Judged] = field(default_factory=dict)

    def add(self, questions: Mapping[str, str], text: str, *, attempt: int) -> None:
        """Add a reply; ``questions`` has the keys of its questions by id."""
        answers = read_reply(text, questions.keys())
        for name, key in questions.items():
            answer = _Answer(
                answers.texts.get(name, ""), answers.problems.get(name, "")
            )
            # Of two replies to one question, asked in other company, the first one stays.
            known = self._answers.get((key, attempt))
            if known is None or known.problem:
                self._answers[key, attempt] = answer
                self._judged.pop((key, attempt), None)

    def verdict(self, question: Question) -> Verdict:
        """Where a question stands."""
        judged = list(self._all_judged(question))
        if not judged:
            return Verdict(next=Next.FIRST)
        first = judged[0]
        if first.is_good:
            return Verdict(next=Next.NOTHING, judged=first)
        if len(judged) == len(ATTEMPTS):
            return Verdict(next=Next.NOTHING, judged=better(*judged))
        # Whoever cannot ask again may still keep an answer that is only doubted.
        refused = self._refused(question, first)
        return Verdict(next=Next.SECOND, judged=first, refused=refused)

    def _all_judged(self, question: Question) -> Iterator[Judged]:
        """The verdicts on all answers to a question, the first attempt's first.

        Each answer is judged once.
        """
        for attempt in ATTEMPTS:
            answer = self._answers.get((question.key, attempt))
            if answer is None:
                return
            known = self._judged.get((question.key, attempt))
            if known is None:
                known = self._judge(question, answer)
                self._judged[question.key, attempt] = known
            yield known

    def _judge(self, question: Question, answer: _Answer) -> Judged:
        """The verdict on an answer, or on there being none."""
        if answer.problem:
            refusal = Refusal(reason=Reason.NO_ANSWER, text=answer.problem)
            return Judged(refusal=refusal)
        return self.judge.judge(question, answer.text)

    def _refused(self, question: Question, judged: Judged) -> Refused:
        """What the model is told of its first answer."""
        reason = judged.refusal.text if judged.refusal else " ".join(judged.doubts)
        return Refused(answer=self._answers[question.key, 1].text, reason=reason)
