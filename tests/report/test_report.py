"""The report in its three shapes."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from report_results import (
    ERROR,
    FAILED,
    FAILURE,
    NOTE,
    PAGE_A,
    PAGE_B,
    PAGE_C,
    PASSED,
    RESULT,
    WARNING,
    result_of,
    run_text,
)

from pipeline.core.execution.result import Execution, Status
from pipeline.core.results import PageResult
from pipeline.errors import ConfigError, GuardError, InputError, PipelineError, worst
from pipeline.findings import Finding, Severity
from pipeline.packages import how_to_run
from pipeline.report.counts import percent_text
from pipeline.report.findings import LISTED, findings_lines
from pipeline.report.json import run_json
from pipeline.report.junit import to_junit
from pipeline.report.run import failure_lines
from pipeline.report.value import ENGLISH, Findings, Screen

DATA = Path(__file__).parent / "data"


def lines_of(findings: tuple[Finding, ...], *, verbose: bool = False) -> list[str]:
    block = Findings(findings=findings, has_notes=verbose)
    return findings_lines(block, ENGLISH)


def test_json_holds_everything() -> None:
    assert run_json(RESULT) == (DATA / "run.json").read_bytes()


def test_json_keeps_nothing_that_varies_from_run_to_run() -> None:
    varied = replace(PASSED, cached=True, cell_seconds=(0.1, 0.2, 0.3, 1.9))
    page = replace(PAGE_A, execution=varied)
    again = result_of(page, PAGE_B, PAGE_C, changes=("x",))
    assert run_json(again) == run_json(RESULT)


PARTIAL = Execution(
    page="d",
    status=Status.PARTIAL,
    reason="accelerator: code cell 3 asks for a TPU",
    cells=2,
    total=6,
    seconds=1.0,
    note="in interpret mode",
)
IN_PART = result_of(PAGE_A, PageResult(page="d", code_cells=6, execution=PARTIAL))


def test_a_page_that_ran_in_part_never_counts_as_passed() -> None:
    data = json.loads(run_json(IN_PART))
    chinese = data["locales"]["zh_CN"]
    assert data["exit_code"] == chinese["totals"]["partial"] == 1
    assert chinese["totals"]["passed"] == 1
    counts = {"pages": 1, "cells": 2, "total": 6}
    assert data["executed"]["partial: accelerator"] == counts
    assert chinese["pages"][1]["execution"] == {
        "page": "d",
        "status": "partial",
        "cells": 2,
        "total": 6,
        "seconds": 1.0,
        "failure": None,
        "reason": PARTIAL.reason,
        "note": PARTIAL.note,
    }
    text = run_text(IN_PART, Screen(width=140))
    assert "partial in interpret mode: accelerator, 2 of 6 cells" in text
    assert "\x1b[36mpartial\x1b[0m" in run_text(IN_PART, Screen(width=140, colour=True))


def test_junit_of_a_page_that_ran_in_part() -> None:
    case = ET.fromstring(to_junit(IN_PART))[1][1]
    assert [child.tag for child in case] == ["properties", "system-out"]
    facts = {one.get("name"): one.get("value") for one in case[0]}
    assert facts == {"status": "partial", "cells": "2/6", "note": "in interpret mode"}
    assert case[1].text == f"ran 2 of 6 code cells: {PARTIAL.reason}"


def test_colours_of_a_traceback_stay_out_of_text_and_junit() -> None:
    failure = replace(FAILURE, traceback="\x1b[31mline\x1b[0m 2")
    execution = replace(FAILED, failure=failure)
    result = result_of(replace(PAGE_B, execution=execution))
    assert "  line 2\n" in run_text(result, Screen(width=120))
    assert "  line 2" in (ET.fromstring(to_junit(result))[1][0][0].text or "")


def test_junit_has_a_case_per_page_and_stage() -> None:
    assert to_junit(RESULT) == (DATA / "run.xml").read_bytes()


def test_text_shows_table_findings_failures_and_summary() -> None:
    text = run_text(RESULT, Screen(width=120))
    rows = {line.split()[0]: line.split() for line in text.split("\n") if line.strip()}
    assert rows["a"] == ["a", "10", "100", "%", "2", "passed", "2.5"]
    assert rows["guides/[b]"] == "guides/[b] 4 25 % 2 30 1 failed 1.2".split()
    assert rows["c"] == ["c", "0", "–", "skipped:", "accelerator"]
    assert (
        "error [atom-lost] a.po:7: `jit` is missing\n    Put it back.\n"
        "warning [spacing] a.po:9: no space before JAX\n"
    ) in text
    assert "page was renamed" not in text
    assert "1 note: -v lists them" in text
    assert (
        "b, code cell 3: ValueError: bad \\x1b[31m value\n  blame: upstream\n  | f(1)\n  | g(2)\n"
        in text
    )
    assert text.endswith(
        "docs v2 (ababababab), JAX 1.2.3\n"
        "zh_CN: 3 pages, 14 messages, 78 % translated, 1 passed, 1 failed, 1 skipped\n"
        "code cells run: passed 4/4, failed 2/5, skipped: accelerator 0/3\n"
    )
    assert "\x1b" not in text


DONE = replace(PAGE_A, execution=None, findings=())
MANY_DONE = [replace(DONE, page=f"done{number}") for number in range(30)]


def test_of_many_pages_those_are_shown_that_have_something_to_tell() -> None:
    """After one changed translation hundreds of rows would hide what is to be done."""
    telling = (
        replace(DONE, page="waiting", translated=9),
        replace(DONE, page="fuzzy", fuzzy=1),
        replace(DONE, page="wrong", findings=(NOTE,)),
        replace(DONE, page="ran", execution=PASSED),
    )
    result = result_of(*telling, *MANY_DONE)
    text = run_text(result, Screen(width=120))
    shown = {page.page for page in telling if f"\n {page.page} " in text}
    assert shown == {page.page for page in telling}
    assert "done" not in text
    assert "\nzh_CN: 30 other pages, all translated: -v lists them\n" in text
    assert "\n 34 pages " in text
    everything = run_text(result, Screen(width=120), verbose=True)
    assert all(f"\n {page.page} " in everything for page in (*telling, *MANY_DONE))
    assert "other pages" not in everything


def test_where_no_page_has_anything_to_tell_there_is_no_empty_table() -> None:
    result = result_of(*MANY_DONE, findings=())
    assert run_text(result, Screen(width=120)) == (
        "docs · zh_CN: all 30 pages are translated and without findings: -v lists them\n"
        f"what to do next: {how_to_run('status', 'docs')}\n"
        "docs v2 (ababababab), JAX 1.2.3\n"
        f"zh_CN: 30 pages, {30 * DONE.messages} messages, 100 % translated\n"
    )


@pytest.mark.parametrize(("new", "listed"), [(3, True), (30, False)])
def test_pages_without_any_translation_are_listed_unless_there_are_many(
    new: int, listed: bool
) -> None:
    pages = [replace(DONE, page=f"new{at}", translated=0) for at in range(new)]
    text = run_text(result_of(*pages, *MANY_DONE, findings=()), Screen(width=120))
    assert ("\n new0 " in text) == listed
    line = f"zh_CN: {new} pages without any translation: -v lists them\n"
    assert (line in text) != listed
    assert "zh_CN: 30 other pages, all translated: -v lists them\n" in text
    assert (how_to_run("status", "docs") in text) != listed


def test_failures_are_red_where_there_is_colour() -> None:
    assert "\x1b[31mfailed\x1b[0m" in run_text(RESULT, Screen(width=120, colour=True))


def test_verbose_text_lists_notes() -> None:
    assert "note [moved] b.po: page was renamed" in run_text(
        RESULT, Screen(width=120), verbose=True
    )


def test_what_is_about_no_place_names_none() -> None:
    nowhere = replace(NOTE, where="")
    lines = lines_of((nowhere,), verbose=True)
    assert lines[0] == "note [moved]: page was renamed"


def test_notes_alone_are_counted_as_what_they_are() -> None:
    """ "… and 2 more" would have nothing before it."""
    notes = (NOTE, replace(NOTE, where="c.po"))
    assert lines_of(notes) == ["2 notes: -v lists them"]
    assert len(lines_of(notes, verbose=True)) == 2
    many = tuple(replace(ERROR, where=f"a.po:{line}") for line in range(50))
    assert lines_of((*notes, *many))[-2:] == [
        "… and 30 more: see build/report.json",
        "2 notes: -v lists them",
    ]


def test_long_lists_are_cut() -> None:
    many = tuple(replace(ERROR, where=f"a.po:{line}") for line in range(50))
    lines = lines_of(many)
    assert lines[-1] == "… and 30 more: see build/report.json"
    assert len(lines) == 2 * LISTED + 1
    runs = tuple(replace(FAILED, page=str(at), failure=None) for at in range(50))
    assert failure_lines(runs)[-2:] == [
        "19: code cell 3: ValueError",
        "… and 30 more: see build/report.json",
    ]


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(0, 0, "–"), (0, 3, "0 %"), (999, 1000, "99 %"), (3, 3, "100 %")],
)
def test_percent_is_never_100_while_something_is_missing(part: int, whole: int, shown: str) -> None:
    assert percent_text(part, whole) == shown


@pytest.mark.parametrize(
    ("codes", "code"),
    [
        ((), 0),
        ((0, 1), 1),
        ((1, 4), 4),
        ((4, 6), 6),
        ((6, 7), 7),
        ((7, 3), 3),
        ((3, 5), 5),
        ((5, 70), 70),
        ((1, 99), 70),
        ((70, 130), 130),
    ],
)
def test_the_worst_exit_code_wins(codes: tuple[int, ...], code: int) -> None:
    assert worst(codes) == worst(codes[::-1]) == code


@pytest.mark.parametrize(
    ("findings", "execution", "fields", "code"),
    [
        ((), None, {}, 0),
        ((WARNING, NOTE), PASSED, {}, 0),
        ((ERROR,), None, {}, 1),
        ((ERROR,), FAILED, {}, 6),
        ((ERROR, Finding.of(InputError("is no notebook"))), None, {}, 4),
        ((Finding.of(GuardError("differs")),), FAILED, {}, 5),
        ((), None, {"changes": ("x.po",)}, 0),
        ((), None, {"changes": ("x.po",), "check_only": True}, 1),
        ((), None, {"findings": (ERROR,)}, 1),
    ],
)
def test_exit_code_of_a_run(
    findings: tuple[Finding, ...],
    execution: Execution | None,
    fields: dict[str, Any],
    code: int,
) -> None:
    page = PageResult(page="a", findings=findings, execution=execution)
    assert result_of(page, **{"findings": (), **fields}).exit_code == code


def test_finding_of_an_error() -> None:
    error = InputError("is no notebook", where="a.ipynb", hint="Mend it.")
    assert Finding.of(error, page="a") == Finding(
        code="input-error",
        severity=Severity.ERROR,
        where="a.ipynb",
        text="is no notebook",
        page="a",
        hint="Mend it.",
        exit_code=4,
    )
    assert Finding.of(PipelineError("broke"), page="a").where == "a"
    wrong = Finding.of(ConfigError("x"))
    assert (wrong.code, wrong.exit_code) == ("config-error", 2)


def test_what_two_locales_share_counts_once() -> None:
    both = replace(RESULT, pages={"zh_CN": (PAGE_A,), "ja": (PAGE_A,)})
    assert both.all_findings == (ERROR, WARNING)
    assert both.executions == (PASSED,)
