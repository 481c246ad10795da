"""What a run plans to ask, and what came of it: the records that reports are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.core.drafting.judging import Reason
from pipeline.core.drafting.money import Tokens
from pipeline.core.drafting.selecting import Stale


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
    tokens: Tokens = field(default_factory=Tokens)  # estimated
    left_alone: int = 0  # entries with words of a person's that stand nowhere else
    stale: tuple[Stale, ...] = ()


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
    tokens: Tokens = field(default_factory=Tokens)
    uncounted_calls: int = 0  # whose tokens are estimated, or taken at their bound
    seconds: float = 0.0
    stopped: str = ""

    @property
    def drafted(self) -> int:
        """The entries that have a draft now.

        Also those that had the very same one, where a stale one came out as it was.
        """
        return sum(page.drafted for page in self.pages)

    @property
    def is_vain(self) -> bool:
        """Whether the model was asked, and not one answer could be kept.

        Then it is no translator, or has no room for an answer: a person has to look at that.
        """
        by_model = sum(page.drafted - page.terms for page in self.pages)
        was_asked = self.calls > 0 and bool(self.refused)
        return was_asked and by_model == 0

    @property
    def unanswered(self) -> int:
        """The entries that no reply came for.

        What was not sent for want of budget is among them, and what the endpoint failed at.
        """
        return sum(page.unanswered for page in self.pages)

    @property
    def passed_over(self) -> int:
        """The entries that somebody has changed meanwhile.

        Hours may lie between a question and its answer.
        """
        return sum(page.passed_over for page in self.pages)

    @property
    def refused(self) -> dict[Reason, int]:
        """The entries whose answers were refused, by reason, the most frequent first."""
        counts: Counter[Reason] = Counter()
        for page in self.pages:
            counts.update(page.refused)
        return dict(counts.most_common())
