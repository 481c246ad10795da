"""The reports of several shards as one."""

from __future__ import annotations

import copy
import dataclasses
import json
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from report_results import (
    ERROR,
    FAILED,
    LOCK,
    NOTE,
    PAGE_A,
    PAGE_B,
    PAGE_C,
    PASSED,
    RESULT,
    SKIPPED,
    WARNING,
)

from pipeline.core.execution.result import Execution, Status
from pipeline.core.results import PageResult
from pipeline.errors import InputError
from pipeline.report.json import finding_record, json_bytes, run_json
from pipeline.report.junit import to_junit
from pipeline.report.merge import merge_reports
from pipeline.report.reading import result_of
from pipeline.report.result import RunResult
from pipeline.report.text import run_text

PARTIAL = Execution(
    page="d",
    status=Status.PARTIAL,
    reason="accelerator: code cell 3",
    cells=2,
    total=6,
    seconds=1.0,
    note="in interpret mode",
)
PAGE_D = PageResult(page="d", code_cells=6, execution=PARTIAL)
PAGE_E = PageResult(page="e", messages=1)  # without code
RAN = dataclasses.replace(FAILED, seconds=1.2)  # as a report keeps it
B = dataclasses.replace(PAGE_B, page="b", code_cells=5, execution=RAN)
C = dataclasses.replace(PAGE_C, code_cells=3)
WHOLE = dataclasses.replace(
    RESULT,
    pages={
        "zh_CN": (PAGE_A, B, C, PAGE_D, PAGE_E),
        "ja": (PAGE_A, B, C, PAGE_D, PAGE_E),
    },
)


def shard_report(
    index: int, count: int, *pages: str, whole: RunResult = WHOLE, **fields: Any
) -> dict[str, Any]:
    """The report of a shard that ran ``pages``."""
    by_locale = {
        locale: tuple(
            row if row.page in pages else dataclasses.replace(row, execution=None)
            for row in rows
        )
        for locale, rows in whole.pages.items()
    }
    result = dataclasses.replace(whole, pages=by_locale, **fields)
    value: dict[str, Any] = json.loads(run_json(result, shard=(index, count)))
    return value


ONE, TWO, THREE = (
    shard_report(1, 3, "a"),
    shard_report(2, 3, "b", "c"),
    shard_report(3, 3, "d"),
)


def test_merged_shards_are_the_report_of_one_run() -> None:
    merged = merge_reports([THREE, ONE, TWO])
    assert json_bytes(merged) == run_json(WHOLE)


def test_reports_of_old_are_merged_by_their_old_key() -> None:
    shards = [shard_report(1, 2, "a", "b"), shard_report(2, 2, "c", "d")]
    merged = merge_reports(shards)
    text = json.dumps(shards).replace('"version": "1.2.3"', '"jax": "1.2.3"')
    old = json.loads(text)
    assert "version" not in old[0]["upstream"]
    assert json_bytes(merge_reports(old)) == json_bytes(merged)
    assert result_of(old[0]) == result_of(shards[0])


def test_inputs_stay_as_they_are() -> None:
    before = copy.deepcopy([ONE, TWO, THREE])
    merge_reports([ONE, TWO, THREE])
    assert before == [ONE, TWO, THREE]


def test_exit_code_is_the_worst() -> None:
    reports = [ONE, TWO, {**THREE, "exit_code": 7}]
    assert [one["exit_code"] for one in (ONE, TWO, THREE)] == [1, 6, 1]
    assert merge_reports(reports)["exit_code"] == 7
    assert merge_reports([ONE, TWO, THREE])["exit_code"] == 6


def test_findings_are_united() -> None:
    first = shard_report(1, 2, "a", "c", findings=(WARNING,))
    second = shard_report(2, 2, "b", "d", findings=(WARNING, ERROR))
    second["locales"]["ja"]["pages"][4]["findings"] = [finding_record(NOTE)]
    merged = merge_reports([first, second])
    assert [finding["code"] for finding in merged["findings"]] == [
        "spacing",
        "atom-lost",
    ]
    assert [
        finding["code"] for finding in merged["locales"]["ja"]["pages"][4]["findings"]
    ] == ["moved"]
    assert (
        merged["locales"]["ja"]["totals"]["findings"]
        == merged["locales"]["zh_CN"]["totals"]["findings"] + 1
    )


def test_what_is_skipped_may_be_told_by_every_shard() -> None:
    merged = merge_reports(
        [shard_report(1, 2, "a", "c"), shard_report(2, 2, "b", "c", "d")]
    )
    assert merged["executed"]["skipped: accelerator"] == {
        "pages": 1,
        "cells": 0,
        "total": 3,
    }
    assert json_bytes(merged) == run_json(WHOLE)


def test_junit_and_text_of_merged_reports() -> None:
    result = result_of(merge_reports([ONE, TWO, THREE]))
    suites = {suite.get("name"): suite for suite in ET.fromstring(to_junit(result))}
    assert [
        (case.get("name"), [child.tag for child in case])
        for case in suites["docs.execute"]
    ] == [
        ("a", []),
        ("b", ["failure"]),
        ("c", ["skipped"]),
        ("d", ["properties", "system-out"]),
    ]
    assert to_junit(result) == to_junit(WHOLE)
    assert run_text(result, width=120, colour=False) == run_text(
        WHOLE, width=120, colour=False
    )


def test_reading_a_report_gives_what_it_was_written_from() -> None:
    result = result_of(json.loads(run_json(WHOLE)))
    assert run_json(result) == run_json(WHOLE)
    assert result.executions == (PASSED, RAN, SKIPPED, PARTIAL)


@pytest.mark.parametrize(
    ("reports", "said"),
    [
        ([], "there are no reports to merge"),
        ([ONE, THREE], "the report of shard 2/3 is missing"),
        ([TWO], "the report of shards 1/3, 3/3 is missing"),
        ([ONE, TWO, TWO, THREE], "there are several reports of shard 2/3"),
        (
            [ONE, TWO, shard_report(3, 4, "d")],
            "the reports are of runs of 3 and 4 shards",
        ),
        ([json.loads(run_json(WHOLE))], "is not the report of a shard"),
        (
            [{**ONE, "shard": {"index": 4, "count": 3}}, TWO, THREE],
            "is not the report of a shard",
        ),
        ([shard_report(1, 3, "a", "b"), TWO, THREE], "b: ran in the shards 1 and 2"),
        ([ONE, shard_report(2, 3, "c"), THREE], "b: ran in no shard"),
        (
            [
                ONE,
                TWO,
                shard_report(
                    3, 3, "d", lock=dataclasses.replace(LOCK, commit="cd" * 20)
                ),
            ],
            "the commit differs",
        ),
        (
            [
                ONE,
                TWO,
                shard_report(
                    3, 3, "d", lock=dataclasses.replace(LOCK, version="1.2.4")
                ),
            ],
            "the pinned version differs: 1.2.3 in shard 1, 1.2.4 in shard 3",
        ),
        ([ONE, TWO, shard_report(3, 3, "d", name="other")], "the upstream differs"),
        (
            [
                ONE,
                TWO,
                shard_report(
                    3,
                    3,
                    "d",
                    whole=dataclasses.replace(
                        WHOLE, pages={"zh_CN": (PAGE_A, B, C, PAGE_D)}
                    ),
                ),
            ],
            "the pages of zh_CN differ between shard 1 and shard 3: e",
        ),
        (
            [ONE, TWO, {**THREE, "locales": {"zh_CN": THREE["locales"]["zh_CN"]}}],
            "the pages of ja differ",
        ),
    ],
)
def test_what_cannot_be_merged_is_refused(
    reports: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        merge_reports(reports)
    assert said in str(caught.value)
    assert caught.value.hint


BROKEN: list[Any] = [
    None,
    [],
    "report",
    {},
    {**ONE, "version": 99},
    {**ONE, "upstream": {}},
    {**ONE, "exit_code": "0"},
    {**ONE, "findings": None},
    {**ONE, "locales": {"zh_CN": {"pages": [{}]}}},
    {
        **ONE,
        "locales": {
            "zh_CN": {"pages": [{**ONE["locales"]["zh_CN"]["pages"][0], "surprise": 1}]}
        },
    },
]


@pytest.mark.parametrize("broken", BROKEN)
def test_what_is_no_report_is_refused(broken: Any) -> None:
    with pytest.raises(InputError, match="is not a report"):
        merge_reports([broken])
    with pytest.raises(InputError, match="is not a report"):
        result_of(broken)


@pytest.mark.parametrize("key", ["findings", "upstream"])
def test_a_report_that_lacks_something_is_not_read(key: str) -> None:
    lacking = {
        **ONE,
        key: {name: ONE["upstream"][name] for name in ("name", "commit", "version")}
        if key == "upstream"
        else None,
    }
    with pytest.raises(InputError, match="is not a report") as caught:
        result_of(lacking, where="some/report.json")
    assert caught.value.where == "some/report.json"
