"""Badges: what they say, and that they can be read by what reads them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from report_results import LOCK, result_of

from pipeline.core.catalog.commit_diff import Comparison, PageChange
from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult
from pipeline.report.json import badges_of


def lock(ref: str) -> Lock:
    return replace(LOCK, ref=ref, version="1.0.0")


def badges(
    pages: Sequence[PageResult], comparison: Comparison | None = None
) -> dict[str, tuple[str, str, str]]:
    """The label, message and colour of each badge."""
    result = result_of(*pages, lock=lock("v1"), comparison=comparison)
    made = badges_of(result, "zh_CN")
    records = {name: json.loads(data) for name, data in made.items()}
    return {
        name: (record["label"], record["message"], record["color"])
        for name, record in records.items()
    }


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
    page = PageResult(page="a", messages=messages, translated=done)
    assert badges([page, PageResult(page="b")]) == {
        "translated": ("translated zh_CN", value, colour),
        "jax": ("JAX", "1.0.0", "blue"),
    }


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
    assert badges([], comparison)["behind"] == ("v1 against main", value, colour)


def test_a_ref_without_a_name() -> None:
    comparison = Comparison(before=lock(""), after=lock(""), pages=())
    assert badges([], comparison)["behind"][0] == "docs against HEAD"


def test_a_badge_is_what_shields_io_reads() -> None:
    at = replace(lock("v1"), package="译文", version='a "b"')
    made = badges_of(result_of(lock=at), "zh_CN")
    data = made["译文"]
    assert json.loads(data) == {
        "schemaVersion": 1,
        "label": "译文",
        "message": 'a "b"',
        "color": "blue",
    }
    assert data.endswith(b"}\n")
