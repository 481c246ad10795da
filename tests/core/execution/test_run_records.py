"""Records of runs: bytes of the cache, and the history of pages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from cache_entries import ENTRY, FAILURE, OUTPUTS

from pipeline.core.execution.result import (
    CacheEntry,
    PageRecord,
    Raised,
    ReleaseExceptions,
    decode_entry,
    encode_entry,
    exception_changes,
    history_text,
    next_record,
    parse_history,
    raised_in,
)
from pipeline.errors import InputError


def test_an_entry_survives_as_bytes() -> None:
    assert decode_entry(encode_entry(ENTRY), where="x") == ENTRY
    plain = CacheEntry(outputs=OUTPUTS, seconds=0.0)
    assert decode_entry(encode_entry(plain), where="x") == plain


def changed(**fields: Any) -> bytes:
    return json.dumps({**json.loads(encode_entry(ENTRY)), **fields}).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        changed(seconds="x"),
        changed(facts=[]),
        changed(exceptions=[1]),
        changed(failure={}),
        changed(failure={**json.loads(encode_entry(ENTRY))["failure"], "cell": -1}),
        changed(outputs={}),
        changed(outputs={"cells": [{}], "metadata": {}}),
        changed(outputs={"cells": [1], "metadata": {}}),
        changed(outputs={"cells": 3, "metadata": {}}),
        changed(outputs={"cells": [], "metadata": 3}),
    ],
)
def test_what_is_no_entry_is_an_input_error(data: bytes) -> None:
    with pytest.raises(InputError, match="not a record of a run"):
        decode_entry(data, where="x")


def cell(kind: str, source: str) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, "metadata": {}}


def test_a_failure_finds_its_cell_when_prose_has_come_or_gone() -> None:
    ran = {"cells": [cell("markdown", "a"), cell("code", "1"), cell("code", "2")]}
    now = {
        "cells": [cell("code", "1"), *[cell("markdown", "a")] * 3, cell("code", "2")]
    }
    entry = replace(ENTRY, failure=replace(FAILURE, cell=2, source=""))
    for notebook in (ran, now):
        failure = entry.failure_in(notebook)
        assert failure is not None
        assert (failure.cell, failure.source) == (2, "2")
    assert replace(entry, failure=None).failure_in(now) is None


@pytest.mark.parametrize("number", [0, 3])
def test_a_failure_of_no_cell_has_no_source(number: int) -> None:
    entry = replace(ENTRY, failure=replace(FAILURE, cell=number))
    failure = entry.failure_in({"cells": [cell("code", "1"), cell("code", "2")]})
    assert failure is not None
    assert failure.source == ""


def outputs(*sources: str) -> dict[str, Any]:
    return {"cells": [{"source": source} for source in sources]}


def ran(release: str, *raised: Raised) -> ReleaseExceptions:
    return ReleaseExceptions(release=release, raised=raised)


def test_the_digest_is_that_of_the_code_that_raised() -> None:
    first = raised_in(outputs("1/0", "fine"), [(1, "ZeroDivisionError")])
    moved = raised_in(outputs("fine", "1/0"), [(2, "ZeroDivisionError")])
    assert [raised.cell for raised in (*first, *moved)] == [1, 2]
    assert first[0].code == moved[0].code


def test_an_equal_run_changes_nothing_but_key_and_time() -> None:
    record = PageRecord(key="a", seconds=1.0, now=ran("1"), before=ran("0"))
    again = next_record(record, key="b", seconds=2.0, now=ran("1"), is_whole=True)
    assert again == PageRecord(key="b", seconds=2.0, now=ran("1"), before=ran("0"))


def test_a_run_that_failed_half_way_says_nothing_of_exceptions() -> None:
    record = PageRecord(key="a", seconds=1.0, now=ran("1"))
    assert next_record(
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
    record = next_record(record, key="b", seconds=1.0, now=now, is_whole=True)
    assert exception_changes(record) == ((3, "ValueError", "KeyError"),)


def test_the_first_run_has_nothing_to_compare_with() -> None:
    record = next_record(None, key="a", seconds=1.0, now=ran("1"), is_whole=True)
    assert exception_changes(record) == ()


def named(release: str, *names: str) -> ReleaseExceptions:
    return ReleaseExceptions(
        release=release,
        raised=tuple(
            Raised(cell=number, code=f"c{number}", exception=name)
            for number, name in enumerate(names, 1)
        ),
    )


def record_of(*runs: ReleaseExceptions) -> PageRecord:
    found: PageRecord | None = None
    for number, run in enumerate(runs):
        found = next_record(found, key=str(number), seconds=1.0, now=run, is_whole=True)
    assert found is not None
    return found


def test_a_changed_type_is_told_until_the_next_change() -> None:
    two = record_of(named("1", "A", "B"), named("2", "A", "C"))
    assert exception_changes(two) == ((2, "B", "C"),)
    again = next_record(
        two, key="k", seconds=2.0, now=named("2", "A", "C"), is_whole=True
    )
    assert (exception_changes(again), again.seconds, again.key) == (
        exception_changes(two),
        2.0,
        "k",
    )
    assert (
        exception_changes(
            next_record(
                again, key="k", seconds=2.0, now=named("3", "A", "C"), is_whole=True
            )
        )
        == ()
    )


def test_a_run_that_failed_says_nothing_of_exceptions() -> None:
    one = record_of(named("1", "A", "B"))
    failed = next_record(one, key="k", seconds=3.0, now=named("2", "A"), is_whole=False)
    assert (failed.now, failed.before, failed.key) == (one.now, None, "k")
    assert exception_changes(
        next_record(
            failed, key="l", seconds=3.0, now=named("3", "A", "C"), is_whole=True
        )
    ) == ((2, "B", "C"),)


def test_cells_are_known_by_their_code() -> None:
    before = ReleaseExceptions(
        release="1",
        raised=(
            Raised(cell=1, code="x", exception="A"),
            Raised(cell=2, code="x", exception="B"),
        ),
    )
    moved = tuple(replace(raised, cell=raised.cell + 3) for raised in before.raised)
    assert (
        exception_changes(
            record_of(before, ReleaseExceptions(release="2", raised=moved))
        )
        == ()
    )
    other = (Raised(cell=1, code="y", exception="C"),)
    assert (
        exception_changes(
            record_of(before, ReleaseExceptions(release="2", raised=other))
        )
        == ()
    )


def test_what_is_remembered_survives_as_text() -> None:
    records = {
        "jax/a": record_of(named("1", "A"), named("2", "B")),
        "jax/b": record_of(named("1")),
    }
    assert parse_history(history_text(records)) == records


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "3",
        b"\xff",
        '{"a": 1, "b": {}, "c": {"key": "k", "seconds": 1, "now": [], "before": null}}',
    ],
)
def test_a_damaged_memory_is_an_empty_one(text: str | bytes) -> None:
    assert parse_history(text) == {}
