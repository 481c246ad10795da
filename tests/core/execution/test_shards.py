"""Sharing pages out among machines."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.execution.shards import parse_shard, shard
from pipeline.errors import ConfigError

WEIGHTS = {
    f"page-{number}": weight
    for number, weight in enumerate(
        [90, 40, 40, 30, 25, 20, 15, 10, 10, 8, 7, 5, 3, 2, 1, 1, 0, 0], 1
    )
}


def owners(weights: dict[str, float], count: int) -> dict[str, int]:
    return {
        page: index
        for index in range(1, count + 1)
        for page in shard(weights, index, count)
    }


@given(
    st.dictionaries(st.text(), st.floats(min_value=0, max_value=1e6), max_size=60),
    st.integers(min_value=1, max_value=12),
    st.randoms(),
)
def test_every_page_is_in_exactly_one_shard(
    weights: dict[str, float], count: int, rng: random.Random
) -> None:
    shares = [shard(weights, index, count) for index in range(1, count + 1)]
    assert sorted(page for share in shares for page in share) == sorted(weights)
    shuffled = dict(rng.sample(list(weights.items()), len(weights)))
    assert [set(shard(shuffled, index, count)) for index in range(1, count + 1)] == [
        set(share) for share in shares
    ]


@given(
    st.dictionaries(
        st.text(), st.floats(min_value=0, max_value=1e6), min_size=1, max_size=60
    ),
    st.integers(min_value=1, max_value=12),
)
def test_no_shard_is_much_fuller_than_the_best_that_is_possible(
    weights: dict[str, float], count: int
) -> None:
    """The longest page and an even share bound every plan.

    Longest first comes within 4/3 of the best, and some slack is allowed.
    """
    loads = [
        sum(weights[page] for page in shard(weights, index, count))
        for index in range(1, count + 1)
    ]
    even, longest = sum(weights.values()) / count, max(weights.values())
    assert max(loads) <= even + longest + 0.05 * even + 1e-6


def test_shards_are_balanced() -> None:
    for count in (2, 3):
        loads = [
            sum(WEIGHTS[page] for page in shard(WEIGHTS, index, count))
            for index in range(1, count + 1)
        ]
        assert max(loads) <= 1.1 * sum(WEIGHTS.values()) / count, (count, loads)


def test_pages_keep_the_order_they_are_given_in() -> None:
    assert [page for page in WEIGHTS if page in shard(WEIGHTS, 1, 2)] == list(
        shard(WEIGHTS, 1, 2)
    )


def test_one_shard_has_all() -> None:
    assert shard(WEIGHTS, 1, 1) == tuple(WEIGHTS)


def test_more_shards_than_pages() -> None:
    assert sorted(
        map(len, (shard({"a": 1, "b": 1}, index, 4) for index in range(1, 5)))
    ) == [
        0,
        0,
        1,
        1,
    ]


def test_a_small_change_moves_few_pages() -> None:
    rng = random.Random(7)
    weights = {f"page-{number}": rng.lognormvariate(2, 1) for number in range(52)}
    moved = 0
    for page, weight in weights.items():
        grown = {**weights, page: weight * 1.1}
        before, after = owners(weights, 4), owners(grown, 4)
        moved += sum(before[name] != after[name] for name in before)
    assert moved / len(weights) < 0.2 * len(weights)


@pytest.mark.parametrize(
    ("text", "parsed"), [("1/1", (1, 1)), ("2/5", (2, 5)), ("12/12", (12, 12))]
)
def test_a_shard_is_read(text: str, parsed: tuple[int, int]) -> None:
    assert parse_shard(text) == parsed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2",
        "0/3",
        "4/3",
        "1/0",
        "a/b",
        "1/2/3",
        "-1/2",
        " 1/2",
        "1/2\n",
        "１/２",
        "01/2",
        "1/99999",
    ],
)
def test_what_names_no_shard_is_refused(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_shard(text)
    assert caught.value.hint
