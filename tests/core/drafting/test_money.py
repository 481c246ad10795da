"""Tokens, prices and the budget, and how long to wait between tries."""

from __future__ import annotations

from dataclasses import replace

import pytest
from draft_questions import entry_of, question_of
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.drafting.batches import Asking, Batch, batches_of
from pipeline.core.drafting.money import (
    Budget,
    Prices,
    Tokens,
    bound_of,
    estimate,
    estimate_run,
    tokens_of,
)
from pipeline.core.drafting.pacing import Pacing

PRICES = Prices(prompt=0.5, reply=2.0)
MILLION = 1_000_000


def batch_of(*texts: str) -> Batch:
    page = [entry_of(text) for text in texts]
    questions = [question_of(text) for text in texts]
    asking = Asking(model="m", locale="zh_CN")
    (batch,) = batches_of(asking, page, questions, examples={})
    return batch


def test_prices_are_those_of_a_million_tokens() -> None:
    tokens = Tokens(prompt=2 * MILLION, reply=MILLION)
    assert PRICES.cost(tokens) == 3.0
    assert PRICES.text(tokens) == "3.00 USD"
    assert replace(PRICES, currency="CNY").text(tokens) == "3.00 CNY"


@pytest.mark.parametrize("prices", [Prices(), Prices(prompt=1.0), Prices(reply=1.0)])
def test_without_prices_nobody_knows(prices: Prices) -> None:
    assert prices.cost(Tokens(prompt=1)) is None
    assert prices.text(Tokens(prompt=1)) == ""


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("the cat sat on the mat", 6),
        ("译文" * 10, 23),
        ("12", 1.8),
        ("{}();", 1.2),
    ],
)
def test_tokens_are_estimated_by_kinds_of_characters(text: str, tokens: float) -> None:
    assert tokens_of(text) == pytest.approx(tokens, rel=0.15)


def test_an_estimate_adds_up_its_batches() -> None:
    one, two = batch_of("One lamp."), batch_of("Two lamps and `a`.", "Three lamps.")
    both = estimate([one, two])
    assert both == estimate([one]) + estimate([two])
    assert both.total == both.prompt + both.reply
    assert estimate([]) == Tokens()
    assert (
        estimate([one]).total < estimate_run([one]).total < 1.05 * estimate([one]).total
    )


def test_the_bound_is_above_the_estimate() -> None:
    batch = batch_of("Two lamps and `a`.", "Three lamps. " * 40)
    bound, expected = bound_of(batch), estimate([batch])
    assert bound.prompt == len(batch.body) > expected.prompt
    assert bound.reply == batch.most_tokens > 2 * expected.reply


def test_without_limits_everything_is_allowed() -> None:
    assert Budget().allows(Tokens(prompt=10**12))
    # A sum of money without prices is nothing to compare with: configurations have both.
    assert Budget(money=1.0).allows(Tokens(prompt=10**12))


def test_what_is_under_way_counts_at_its_bound() -> None:
    budget = Budget(tokens=100)
    bound = Tokens(prompt=30, reply=30)
    assert budget.allows(bound)
    sent = budget.sent(bound)
    assert not sent.allows(bound)
    ended = sent.ended(bound, Tokens(prompt=20, reply=10))
    assert ended.spent == Tokens(prompt=20, reply=10)
    assert ended.under_way == Tokens()
    assert ended.allows(bound)
    assert not ended.sent(bound).allows(Tokens(prompt=11))


def test_money_is_a_limit_as_well() -> None:
    budget = Budget(money=1.0, prices=PRICES)
    assert budget.allows(Tokens(reply=MILLION // 2))
    assert not budget.allows(Tokens(reply=MILLION // 2 + 1))


REQUEST = st.tuples(
    st.integers(0, 400),
    st.integers(0, 400),
    st.floats(0, 1),
    st.floats(0, 1),
    st.booleans(),
)


@given(st.integers(1, 2000), st.lists(REQUEST, max_size=30))
def test_no_budget_is_ever_overrun(
    limit: int, requests: list[tuple[int, int, float, float, bool]]
) -> None:
    """Whatever is sent when, as long as no request takes more than its bound."""
    budget = Budget(
        tokens=limit, money=limit / MILLION, prices=Prices(prompt=1, reply=1)
    )
    under_way: list[tuple[Tokens, Tokens]] = []
    for prompt, reply, prompt_share, reply_share, is_ended in requests:
        bound = Tokens(prompt=prompt, reply=reply)
        spent = Tokens(
            prompt=int(prompt * prompt_share), reply=int(reply * reply_share)
        )
        if budget.allows(bound):
            budget = budget.sent(bound)
            under_way.append((bound, spent))
        if is_ended and under_way:
            budget = budget.ended(*under_way.pop(0))
    for bound, spent in under_way:
        budget = budget.ended(bound, spent)
    assert budget.spent.total <= limit
    assert budget.under_way == Tokens()


def test_waits_grow_up_to_a_bound() -> None:
    pacing = Pacing(first=1.0, most=60.0)
    waits = [pacing.wait(tries, asked=0.0, chance=1.0) for tries in range(1, 9)]
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]
    assert pacing.wait(10_000, asked=0.0, chance=1.0) == 60
    # By chance, so that what failed together is not sent together again.
    assert pacing.wait(3, asked=0.0, chance=0.0) == 2


def test_an_endpoint_is_waited_for_as_long_as_it_asks() -> None:
    assert Pacing().wait(1, asked=300.0, chance=0.5) == 300
