"""core/execution/history: what is remembered of a page, and what changed between two runs."""

from __future__ import annotations

from typing import Any

from pipeline.core.execution.history import (
    ExceptionChange,
    PageRecord,
    Raised,
    Ran,
    advance,
    exception_changes,
    raised_in,
)


def outputs(*sources: str) -> dict[str, Any]:
    return {"cells": [{"source": source} for source in sources]}


def ran(release: str, *raised: Raised) -> Ran:
    return Ran(release=release, raised=raised)


def test_the_digest_is_that_of_the_code_that_raised() -> None:
    first = raised_in(outputs("1/0", "fine"), [(1, "ZeroDivisionError")])
    moved = raised_in(outputs("fine", "1/0"), [(2, "ZeroDivisionError")])
    assert [raised.cell for raised in (*first, *moved)] == [1, 2]
    assert first[0].code == moved[0].code


def test_an_equal_run_changes_nothing_but_key_and_time() -> None:
    record = PageRecord(key="a", seconds=1.0, now=ran("1"), before=ran("0"))
    again = advance(record, key="b", seconds=2.0, now=ran("1"), is_whole=True)
    assert again == PageRecord(key="b", seconds=2.0, now=ran("1"), before=ran("0"))


def test_a_run_that_failed_half_way_says_nothing_of_exceptions() -> None:
    record = PageRecord(key="a", seconds=1.0, now=ran("1"))
    assert advance(
        record, key="b", seconds=2.0, now=ran("2"), is_whole=False
    ).now == ran("1")


def test_cells_with_the_same_code_are_compared_in_their_order() -> None:
    before = ran(
        "1",
        Raised(cell=1, code="c", exception="TypeError"),
        Raised(cell=2, code="c", exception="ValueError"),
    )
    now = ran(
        "2",
        Raised(cell=1, code="c", exception="TypeError"),
        Raised(cell=3, code="c", exception="KeyError"),
        Raised(cell=4, code="new", exception="KeyError"),
    )
    record = PageRecord(key="a", seconds=1.0, now=before)
    record = advance(record, key="b", seconds=1.0, now=now, is_whole=True)
    assert exception_changes(record) == (
        ExceptionChange(cell=3, before="ValueError", after="KeyError"),
    )


def test_the_first_run_has_nothing_to_compare_with() -> None:
    record = advance(None, key="a", seconds=1.0, now=ran("1"), is_whole=True)
    assert exception_changes(record) == ()
