"""What drafts cost: tokens before they are spent, tokens that were spent, and a budget.

Tokens are estimated from texts, with rates measured on three tokenizers (GPT-4's, GPT-4o's and
Qwen's) over the requests and translations of a whole documentation; each of them counts within a
few percent of the estimate of prompts, and 20 % of that of replies. The invariant of the budget:
what was spent and what is still under way, taken at its bound, never come to more than it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from pipeline.core.drafting.batches import Batch
from pipeline.core.drafting.questions import Question

_MILLION = 1_000_000
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
# What is asked again because a check warns of the answer: so much of all tokens.
_AGAIN = 0.03
# What endpoints add to each request: roles, and where messages begin and end.
_FRAME = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens of requests and of replies."""

    prompt: int = 0
    reply: int = 0

    @property
    def total(self) -> int:
        """Both."""
        return self.prompt + self.reply

    def __add__(self, other: Tokens) -> Tokens:
        """Both sums, of requests and of replies."""
        return Tokens(prompt=self.prompt + other.prompt, reply=self.reply + other.reply)

    def __sub__(self, other: Tokens) -> Tokens:
        """What is left of both when ``other`` is taken away."""
        return Tokens(prompt=self.prompt - other.prompt, reply=self.reply - other.reply)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a million tokens cost; None if nobody has said."""

    prompt: float | None = None
    reply: float | None = None
    currency: str = "USD"

    def cost(self, tokens: Tokens) -> float | None:
        """What ``tokens`` cost; None without prices.

        In the currency of the prices, unrounded.
        """
        if self.prompt is None or self.reply is None:
            return None
        return (tokens.prompt * self.prompt + tokens.reply * self.reply) / _MILLION

    def text(self, tokens: Tokens) -> str:
        """The same for people: ``1.27 USD``; empty without prices."""
        cost = self.cost(tokens)
        return "" if cost is None else f"{cost:.2f} {self.currency}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a run may spend, what it has spent, and what is under way. 0 means no limit."""

    money: float = 0.0
    tokens: int = 0
    prices: Prices = field(default_factory=Prices)
    spent: Tokens = field(default_factory=Tokens)
    under_way: Tokens = field(default_factory=Tokens)

    def allows(self, bound: Tokens) -> bool:
        """Whether a request that takes ``bound`` at most can be sent without any risk.

        As if everything that is under way, and this, took all that it may take.
        """
        worst = self.spent + self.under_way + bound
        if self.tokens and worst.total > self.tokens:
            return False
        cost = self.prices.cost(worst)
        # A configuration with a sum has prices as well, or is refused.
        if not self.money or cost is None:
            return True
        return cost <= self.money

    def sent(self, bound: Tokens) -> Budget:
        """The budget while such a request is under way."""
        return replace(self, under_way=self.under_way + bound)

    def ended(self, bound: Tokens, spent: Tokens) -> Budget:
        """The budget after it has ended; ``spent`` is what it took."""
        return replace(self, under_way=self.under_way - bound, spent=self.spent + spent)


def estimate(batches: Iterable[Batch]) -> Tokens:
    """What it probably takes to ask ``batches``, each of them once."""
    tokens = Tokens()
    for batch in batches:
        prompt = _FRAME + tokens_of(batch.task) + tokens_of(batch.text)
        reply = sum(_reply_tokens(question) for question in batch.questions.values())
        tokens += Tokens(prompt=round(prompt), reply=round(reply))
    return tokens


def estimate_run(batches: Iterable[Batch]) -> Tokens:
    """What a run probably takes: all ``batches``, and some of their questions once more."""
    once = estimate(batches)
    return Tokens(
        prompt=round(once.prompt * (1 + _AGAIN)), reply=round(once.reply * (1 + _AGAIN))
    )


def bound_of(batch: Batch) -> Tokens:
    """What it takes at most: a token is a byte at least, and the endpoint is told when to stop."""
    # The body has brackets and names that are no tokens: they make up for what endpoints add.
    return Tokens(prompt=len(batch.body), reply=batch.most_tokens)


def tokens_of(text: str) -> float:
    """How many tokens a text probably has.

    A sum over what stands in it, by the rates above; a fraction for a text of one word.
    """
    return sum(rate * len(pattern.findall(text)) for pattern, rate in _RATES)


def _reply_tokens(question: Question) -> float:
    """What the answer to a question probably takes.

    Its id, a mark for each atom, and Chinese for each word: marks are dear.
    """
    english = question.masked.text
    marks = len(question.masked.atoms)
    return _ANSWER + _MARK * marks + _TRANSLATED_WORD * len(_WORD.findall(english))
