"""What a run plans to ask, what that takes, and what came of it.

Tokens are estimated from texts, with rates measured on three tokenizers (GPT-4's, GPT-4o's and
Qwen's) over the requests and translations of a whole documentation; each of them counts within a
few percent of the estimate of prompts, and 20 % of that of replies.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.core.drafting.batch import Batch
from pipeline.core.drafting.judge import Reason
from pipeline.core.drafting.selection import Stale

# Tokens a match: a word of letters and its length, digits, Chinese, other characters, ASCII marks.
_RATES = (
    (re.compile(r"[A-Za-z]+"), 0.9),
    (re.compile(r"[A-Za-z]"), 0.04),
    (re.compile(r"\d"), 0.9),
    (re.compile(r"[\u3400-\u9fff]"), 1.15),
    (re.compile(r"[^\x00-\x7f\u3400-\u9fff]"), 2.1),
    (re.compile(r"[!-/:-@\[-`{-~]+"), 0.63),
    (re.compile(r"[!-/:-@\[-`{-~]"), 0.12),
)
_WORD = re.compile(r"[A-Za-z]+")
# Of a reply: for each answer (its id and quotes), each mark, and each English word.
_ANSWER, _MARK, _TRANSLATED_WORD = 9.0, 5.7, 1.4
# What is asked again because a check warns of the answer adds so much to all tokens.
_AGAIN = 1.03
# What endpoints add to each request: roles, and where messages begin and end.
_FRAME = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one locale wants, and what it takes."""

    locale: str
    entries: int = 0  # that want a draft
    words: int = 0
    pages: int = 0
    by_why: Mapping[str, int] = field(default_factory=dict)
    terms: int = 0  # that are terms of the glossary: no call
    known: int = 0  # that were answered before: no call
    batches: int = 0
    prompt_tokens: int = 0  # estimated
    reply_tokens: int = 0
    left_alone: int = 0  # entries with words of a person's that stand nowhere else
    stale: Sequence[Stale] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOutcome:
    """What came of the questions of one page."""

    locale: str
    page: str
    asked: int = 0
    drafted: int = 0
    terms: int = 0  # of these: terms of the glossary, without a call
    refused: Mapping[Reason, int] = field(default_factory=dict)
    unanswered: int = 0
    passed_over: int = 0  # somebody has changed the entry meanwhile


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a run. ``stopped`` says why it ended before its end."""

    pages: tuple[PageOutcome, ...] = ()
    calls: int = 0
    tokens: int = 0
    uncounted_calls: int = 0  # whose tokens are taken at their bound
    seconds: float = 0.0
    stopped: str = ""

    def total(self, name: str) -> int:
        """Return the sum of one of the counts of pages."""
        return sum(getattr(page, name) for page in self.pages)

    @property
    def is_vain(self) -> bool:
        """Whether the model was asked, and not one answer could be kept.

        Then it is no translator, or has no room for an answer: a person has to look at that.
        """
        was_asked = self.calls > 0 and bool(self.refused)
        return was_asked and self.total("drafted") == self.total("terms")

    @property
    def refused(self) -> dict[Reason, int]:
        """The entries whose answers were refused, by reason, the most frequent first."""
        counts: Counter[Reason] = Counter()
        for page in self.pages:
            counts.update(page.refused)
        return dict(counts.most_common())


def estimate(batches: Iterable[Batch]) -> tuple[int, int]:
    """Return the tokens that requests and replies probably take if ``batches`` are asked.

    Some of their questions are put once more.
    """
    prompt = reply = 0.0
    for batch in batches:
        prompt += _FRAME + tokens_of(batch.task) + tokens_of(batch.text)
        for question in batch.questions.values():
            words = len(_WORD.findall(question.masked.text))
            reply += _ANSWER + _TRANSLATED_WORD * words
            reply += _MARK * len(question.masked.atoms)
    return round(prompt * _AGAIN), round(reply * _AGAIN)


def tokens_of(text: str) -> float:
    """Return how many tokens a text probably has."""
    return sum(rate * len(pattern.findall(text)) for pattern, rate in _RATES)
