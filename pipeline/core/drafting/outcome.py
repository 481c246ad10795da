"""Plan, estimated costs and outcome of a run of ``draft``.

Tokens are estimated from the texts. The rates were measured with three tokenizers (of GPT-4, GPT-4o
and Qwen) on all requests and translations of the docs. The error is a few percent for prompts, and
up to 20 % for replies.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.core.drafting.batch import Batch
from pipeline.core.drafting.judge import Reason
from pipeline.core.drafting.selection import Stale

# Patterns, with the number of tokens for each match. A Latin word counts as a word, and once more
# for each letter. A group of ASCII punctuation counts as a group, and once more for each character.
# The other patterns match a digit, a Chinese character, and any other non-ASCII character.
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
# Tokens of a reply: for each answer (id and quotes), each mark (⟦1⟧), and each English word.
_ANSWER, _MARK, _TRANSLATED_WORD = 9.0, 5.7, 1.4
# Factor that accounts for questions that are asked again.
_AGAIN = 1.03
# Tokens that endpoints add to each request, for roles and message boundaries.
_FRAME = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Entries of one locale that need a draft, and the estimated costs."""

    locale: str
    entries: int = 0  # number of entries that need a draft
    words: int = 0  # number of their English words
    pages: int = 0  # number of their pages
    # Number of entries by reason.
    by_why: Mapping[str, int] = field(default_factory=dict)
    terms: int = 0  # number of entries that are a glossary term, and so need no request
    known: int = 0  # number of entries with a stored answer, which need no request
    batches: int = 0  # number of requests
    prompt_tokens: int = 0  # estimated
    reply_tokens: int = 0  # estimated
    left_alone: int = 0  # see ``Selected.left_alone``
    stale: Sequence[Stale] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOutcome:
    """Outcome of the questions of one page, as numbers of entries."""

    locale: str
    page: str
    asked: int = 0
    drafted: int = 0  # entries with a new draft
    terms: int = 0  # drafted entries that are a glossary term, and so need no request
    # Entries with a rejected answer.
    refused: Mapping[Reason, int] = field(default_factory=dict)
    unanswered: int = 0
    skipped: int = 0  # entries that somebody has edited meanwhile


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Outcome of a run."""

    pages: tuple[PageOutcome, ...] = ()
    calls: int = 0  # number of requests
    tokens: int = 0  # number of tokens that the endpoint has counted
    # Number of requests without a count. ``tokens`` contains their upper bounds.
    uncounted_calls: int = 0
    seconds: float = 0.0
    stopped: str = ""  # reason why the run ended early, or ""

    def total(self, name: str) -> int:
        """Return the sum of the field ``name`` over all pages."""
        return sum(getattr(page, name) for page in self.pages)

    @property
    def has_no_accepted_answer(self) -> bool:
        """Return whether the model has answered, but no answer was accepted.

        In this case a person must find the reason. For example, the limit of the reply may be too
        low.
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
    """Return the estimated tokens of all requests, and of all replies, for ``batches``."""
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
