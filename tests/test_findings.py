"""The record of a finding: where it is, and that it survives being written and read."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from pipeline.errors import InputError
from pipeline.findings import Finding, Severity

OF_A_RUN = Finding(
    code="spacing", severity=Severity.WARNING, where="a.po:9", text="no space", page="a"
)
OF_AN_ENTRY = Finding(
    code="M102",
    name="bold that does not show",
    severity=Severity.ERROR,
    file="translations/a.po",
    line=7,
    text="`**注意：**` is shown with its stars",
    msgid="**Note:** leaves fall.",
    msgstr="**注意：**叶子会落。",
    spans=((0, 7),),
    fixed="**注意**：叶子会落。",
    exit_code=4,
)


@pytest.mark.parametrize("finding", [OF_A_RUN, OF_AN_ENTRY, Finding.of(InputError("is broken"))])
def test_read_back_as_it_was_written(finding: Finding) -> None:
    again = Finding.of_record(json.loads(json.dumps(asdict(finding))))
    assert again == finding
    assert hash(again) == hash(finding)  # each is told once


def test_defaults_may_be_left_out_of_a_record() -> None:
    record = {"code": "spacing", "severity": "warning", "where": "a.po:9", "text": "no space"}
    assert Finding.of_record({**record, "page": "a"}) == OF_A_RUN


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"code": "x", "severity": "warning"},
        {"code": "x", "severity": "grave", "text": ""},
        {"code": "x", "severity": "note", "text": "", "surprise": 1},
        {"code": "x", "severity": "note", "text": "", "spans": [1]},
    ],
)
def test_a_record_of_another_shape_is_refused(record: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        Finding.of_record(record)


def test_place_is_that_of_the_entry_if_there_is_one() -> None:
    assert OF_A_RUN.place == "a.po:9"
    assert OF_AN_ENTRY.place == "translations/a.po:7"
