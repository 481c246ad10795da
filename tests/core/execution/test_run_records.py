"""Records of runs: bytes of the cache, and the history of pages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cache_entries import ENTRY, FAILURE, OUTPUTS
from msgspec.structs import replace
from notebooks import code, notebook_value, prose

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


def test_a_failure_finds_its_cell_when_prose_has_come_or_gone() -> None:
    one, two, words = code("1"), code("2"), prose("a")
    entry = replace(ENTRY, failure=replace(FAILURE, cell=2, source=""))
    for cells in ((words, one, two), (one, words, words, words, two)):
        failure = entry.failure_in(notebook_value(*cells))
        assert failure is not None
        assert (failure.cell, failure.source) == (2, "2")
    assert replace(entry, failure=None).failure_in(notebook_value(one)) is None


@pytest.mark.parametrize("number", [0, 3])
def test_a_failure_of_no_cell_has_no_source(number: int) -> None:
    entry = replace(ENTRY, failure=replace(FAILURE, cell=number))
    failure = entry.failure_in(notebook_value(code("1"), code("2")))
    assert failure is not None
    assert failure.source == ""


def ran(release: str, *raised: tuple[int, str, str]) -> ReleaseExceptions:
    """The exceptions of a release: the number of the cell, its code and the type."""
    found = (Raised(cell=cell, code=code, exception=name) for cell, code, name in raised)
    return ReleaseExceptions(release=release, raised=tuple(found))


def record_of(*runs: ReleaseExceptions) -> PageRecord:
    record: PageRecord | None = None
    for run in runs:
        record = next_record(record, key="k", seconds=1.0, now=run, is_whole=True)
    assert record is not None
    return record


def test_the_digest_is_that_of_the_code_that_raised() -> None:
    (first,) = raised_in(notebook_value(code("1/0"), code("fine")), [(1, "ZeroDivisionError")])
    (moved,) = raised_in(notebook_value(code("fine"), code("1/0")), [(2, "ZeroDivisionError")])
    assert (first.cell, moved) == (1, replace(first, cell=2))


def test_an_equal_run_changes_nothing_but_key_and_time() -> None:
    record = PageRecord(key="a", seconds=1.0, now=ran("1"), before=ran("0"))
    again = next_record(record, key="b", seconds=2.0, now=ran("1"), is_whole=True)
    assert again == replace(record, key="b", seconds=2.0)


def test_cells_with_the_same_code_are_compared_in_their_order() -> None:
    before = ran("1", (1, "c", "TypeError"), (2, "c", "ValueError"))
    now = ran("2", (1, "c", "TypeError"), (3, "c", "KeyError"), (4, "new", "KeyError"))
    assert exception_changes(record_of(before, now)) == ((3, "ValueError", "KeyError"),)
    moved = ran("2", (4, "c", "TypeError"), (5, "c", "ValueError"))
    assert exception_changes(record_of(before, moved)) == ()
    other = ran("2", (1, "new", "KeyError"))
    assert exception_changes(record_of(before, other)) == ()


def test_the_first_run_has_nothing_to_compare_with() -> None:
    assert exception_changes(record_of(ran("1"))) == ()


FIRST = ran("1", (1, "x", "A"), (2, "y", "B"))
SECOND = ran("2", (1, "x", "A"), (2, "y", "C"))


def test_a_changed_type_is_told_until_the_next_change() -> None:
    changes = ((2, "B", "C"),)
    assert exception_changes(record_of(FIRST, SECOND)) == changes
    assert exception_changes(record_of(FIRST, SECOND, SECOND)) == changes
    third = replace(SECOND, release="3")
    assert exception_changes(record_of(FIRST, SECOND, third)) == ()


def test_a_run_that_failed_says_nothing_of_exceptions() -> None:
    once = record_of(FIRST)
    failed = next_record(once, key="l", seconds=3.0, now=ran("2"), is_whole=False)
    assert failed == replace(once, key="l", seconds=3.0)


def test_what_is_remembered_survives_as_text() -> None:
    records = {"jax/a": record_of(FIRST, SECOND), "jax/b": record_of(ran("1"))}
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
