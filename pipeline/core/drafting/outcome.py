"""Plan, estimated costs and outcome of a drafting run.

Tokens are estimated from texts, with rates measured on three tokenizers (of GPT-4, GPT-4o and Qwen)
over the requests and translations of a whole documentation. Estimates are within a few percent for
prompts and within 20 % for replies.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.core.drafting.batch import Batch
from pipeline.core.drafting.judge import Reason
from pipeline.core.drafting.selection import Stale

# Tokens per match: words and their letters, digits, Chinese, other characters, ASCII marks.
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
# Tokens of a reply: per answer (id and quotes), per mark, per English word.
_ANSWER, _MARK, _TRANSLATED_WORD = 9.0, 5.7, 1.4
# Factor for questions that are asked again because of a check's warning.
_AGAIN = 1.03
# Tokens that endpoints add to each request, for roles and message boundaries.
_FRAME = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Entries of one locale to be drafted, and the estimated costs."""

    locale: str
    entries: int = 0  # entries that need a draft
    words: int = 0
    pages: int = 0
    by_why: Mapping[str, int] = field(default_factory=dict)
    terms: int = 0  # glossary terms: no request
    known: int = 0  # answered before: no request
    batches: int = 0
    prompt_tokens: int = 0  # estimated
    reply_tokens: int = 0
    left_alone: int = 0  # entries whose old words of a person occur nowhere else
    stale: Sequence[Stale] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOutcome:
    """Outcome of the questions of one page."""

    locale: str
    page: str
    asked: int = 0
    drafted: int = 0
    terms: int = 0  # of these: glossary terms, without a request
    refused: Mapping[Reason, int] = field(default_factory=dict)
    unanswered: int = 0
    skipped: int = 0  # entries that somebody edited meanwhile


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Outcome of a run. ``stopped`` is the reason if it ended early."""

    pages: tuple[PageOutcome, ...] = ()
    calls: int = 0
    tokens: int = 0
    uncounted_calls: int = 0  # calls without a token count: their limit is counted
    seconds: float = 0.0
    stopped: str = ""

    def total(self, name: str) -> int:
        """Return the sum of one count over all pages."""
        return sum(getattr(page, name) for page in self.pages)

    @property
    def has_no_accepted_answer(self) -> bool:
        """Return whether the model was asked, and no answer was accepted.

        The model may not be able to translate, or its reply limit is too low: a person has to look.
        """
        was_asked = self.calls > 0 and bool(self.refused)
        return was_asked and self.total("drafted") == self.total("terms")

    @property
    def refused(self) -> dict[Reason, int]:
        """Return the number of rejected answers by reason, the most frequent first."""
        counts: Counter[Reason] = Counter()
        for page in self.pages:
            counts.update(page.refused)
        return dict(counts.most_common())


def estimate(batches: Iterable[Batch]) -> tuple[int, int]:
    """Return the estimated tokens of requests and replies for ``batches``.

    A factor accounts for questions that are asked again.
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
    """Return the estimated number of tokens in a text."""
    return sum(rate * len(pattern.findall(text)) for pattern, rate in _RATES)
