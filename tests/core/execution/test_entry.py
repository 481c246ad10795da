"""core/execution/entry: what is kept of a run, as bytes that anybody may have damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from cache_entries import ENTRY, FAILURE, OUTPUTS

from pipeline.core.execution.record import CacheEntry, decode_entry, encode_entry
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
    with pytest.raises(InputError, match="no record of a run"):
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
