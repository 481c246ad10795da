"""Badges: what they say, and that they can be read by what reads them."""

from __future__ import annotations

import json

import pytest

from pipeline.core.catalog.comparison import Comparison, PageChange
from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult
from pipeline.folders import WHOLE
from pipeline.report.badges import Badge, badges_of, to_endpoint


def lock(ref: str) -> Lock:
    return Lock(
        url="u",
        ref=ref,
        commit="0" * 40,
        date="",
        version="1.0.0",
        docs=WHOLE,
        files=(),
    )


@pytest.mark.parametrize(
    ("messages", "done", "value", "colour"),
    [
        (0, 0, "0 %", "red"),
        (10, 4, "40 %", "red"),
        (2, 1, "50 %", "yellow"),
        (10, 9, "90 %", "green"),
        (1000, 999, "99 %", "green"),
    ],
)
def test_a_badge_tells_how_much_is_translated(
    messages: int, done: int, value: str, colour: str
) -> None:
    pages = [
        PageResult(page="a", messages=messages, translated=done),
        PageResult(page="b"),
    ]
    assert badges_of(pages, version="1.0.0", package="JAX", locale="zh_CN") == (
        Badge(name="translated", label="translated zh_CN", value=value, colour=colour),
        Badge(name="jax", label="JAX", value="1.0.0", colour="blue"),
    )


@pytest.mark.parametrize(
    ("changes", "value", "colour"),
    [
        ((), "up to date", "green"),
        ((PageChange(page="a", moved=3, dropped=1),), "up to date", "green"),
        ((PageChange(page="a", added=1),), "behind by 1 message", "yellow"),
        (
            (PageChange(page="a", added=1), PageChange(page="b", changed=2)),
            "behind by 3 messages",
            "yellow",
        ),
    ],
)
def test_a_badge_tells_how_far_behind(
    changes: tuple[PageChange, ...], value: str, colour: str
) -> None:
    comparison = Comparison(before=lock("v1"), after=lock("main"), pages=changes)
    badge = badges_of(
        [], version="1.0.0", package="JAX", locale="zh_CN", comparison=comparison
    )[2]
    assert badge == Badge(
        name="behind", label="v1 against main", value=value, colour=colour
    )


def test_a_ref_without_a_name() -> None:
    comparison = Comparison(before=lock(""), after=lock(""), pages=())
    assert (
        badges_of(
            [], version="1.0.0", package="JAX", locale="zh_CN", comparison=comparison
        )[2].label
        == "docs against HEAD"
    )


def test_a_badge_is_what_shields_io_reads() -> None:
    data = to_endpoint(Badge(name="n", label="译文", value='a "b"', colour="blue"))
    assert json.loads(data) == {
        "schemaVersion": 1,
        "label": "译文",
        "message": 'a "b"',
        "color": "blue",
    }
    assert data.endswith(b"}\n")
