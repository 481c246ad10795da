"""The bench's arithmetic and records; nothing here measures a time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from bench.execution import describe as describe_run
from bench.execution import executions, is_whole, passed
from bench.measure import (
    CommandError,
    Contender,
    Cost,
    Limit,
    Scene,
    Target,
    compare,
    judge,
    middle,
    own_peak,
    run_contender,
    run_scene,
    to_record,
)
from bench.notebooks import NothingToEditError, edited
from bench.workshop import Root
from folders import read_tree, write_tree
from msgspec.structs import replace


def contender(name: str, **fields: Any) -> Contender:
    return Contender(name=name, **{"commands": (PASS,), "folder": Path(), **fields})


PASS = (sys.executable, "-c", "pass")
GONE = contender("gone", missing="not there")
SCENE = Scene(
    name="edited",
    title="One paragraph",
    contenders=(
        contender("ours"),
        contender("ours, half"),
        contender("big"),
        contender("half", note="no notebooks"),
        GONE,
    ),
    targets=(
        Target(rival="big", cpu=8, peak=2),
        Target(rival="big", wall=2),
        Target(rival="gone", cpu=1),
    ),
    beside={"half": "ours, half"},
)
COSTS = {
    "ours": [Cost(1.0, 5, 50), Cost(3.0, 5, 51), Cost(0.5, 5, 70)],
    "ours, half": [Cost(0.5, 1, 40)],
    "big": [Cost(9.0, 9, 90), Cost(9.0, 9, 90), Cost(1.0, 9, 300)],
    "half": [Cost(0.25, 1, 20)],
}
ROWS = compare(SCENE, COSTS, {"big": "83.0 % translated"})


def test_the_median_is_taken_of_each_figure_by_itself() -> None:
    assert middle(COSTS["ours"]) == Cost(cpu=1.0, wall=5, peak=51)


def test_ratios_say_how_many_times_more_than_ours() -> None:
    nothing = Cost(0, 0, 0)
    assert [(row.name, row.beside, row.ratios) for row in ROWS] == [
        ("ours", "", nothing),
        ("ours, half", "ours", Cost(0.5, 0.2, 40 / 51)),
        ("big", "ours", Cost(9.0, 1.8, 90 / 51)),
        ("half", "ours, half", Cost(0.5, 1.0, 0.5)),
        ("gone", "", nothing),
    ]


def test_targets_are_judged_and_a_missing_tool_is_none() -> None:
    assert judge(SCENE, ROWS) == (
        "met: CPU of big is 9.0 × that of ours (target: at least 8 ×)",
        "MISSED: peak memory of big is 1.8 × that of ours (target: at least 2 ×)",
        "MISSED: wall time of big is 1.8 × that of ours (target: at least 2 ×)",
        "no verdict beside gone: skipped: not there",
    )


@pytest.mark.parametrize(
    ("limit", "verdicts"),
    [
        (
            Limit(contender="ours", outcome="0 kernels", wall=3),
            ["met: ours: 0 kernels", "met: ours: 3.00 s wall (limit: 3 s)"],
        ),
        (
            Limit(contender="ours", wall=2.9),
            ["MISSED: ours: 3.00 s wall (limit: 2.9 s)"],
        ),
        (Limit(contender="ours", cpu=8), ["met: ours: 8.00 s CPU (limit: 8 s)"]),
        (Limit(contender="ours", cpu=7.9), ["MISSED: ours: 8.00 s CPU (limit: 7.9 s)"]),
        (
            Limit(contender="ours", outcome="1 kernel"),
            ["MISSED: ours: 0 kernels (wanted: 1 kernel)"],
        ),
        (
            Limit(contender="gone", outcome="0 kernels"),
            ["no verdict on gone: skipped: not there"],
        ),
    ],
)
def test_limits_are_judged_by_outcome_and_seconds(limit: Limit, verdicts: list[str]) -> None:
    both = (contender("ours"), GONE)
    scene = Scene(name="x", title="", contenders=both, limits=(limit,))
    rows = compare(scene, {"ours": [Cost(8, 3, 1)]}, {"ours": "0 kernels"})
    assert judge(scene, rows) == tuple(verdicts)


def test_the_record_is_json_and_names_no_folder() -> None:
    text = json.dumps(to_record(SCENE, ROWS))
    rows = json.loads(text)["rows"]
    assert rows[2]["costs"][2] == {"cpu": 1.0, "wall": 9, "peak": 300}
    assert rows[4]["middle"] is None
    assert "/" not in text.replace("× ", "")


def test_a_process_and_its_children_are_counted(tmp_path: Path) -> None:
    # More than this process, whose size a child starts with.
    mebibytes = int(own_peak()) + 200
    grandchild = f"x = b'x' * ({mebibytes} << 20)"
    script = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}], "
        f"check=True)"
    )
    parent = (sys.executable, "-c", script)
    small = run_contender(contender("small", folder=tmp_path))
    large = run_contender(contender("large", folder=tmp_path, commands=(PASS, parent)))
    assert large.peak > max(small.peak, mebibytes)
    assert large.cpu > 0


def test_a_failing_command_shows_what_it_printed(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "print('no luck'); raise SystemExit(3)")
    with pytest.raises(CommandError, match=r"ended with 3:\nno luck"):
        run_contender(contender("x", folder=tmp_path, commands=(command,)))


def test_contenders_take_turns_and_each_new_outcome_is_told(tmp_path: Path) -> None:
    turns: list[str] = []
    found = iter(["0 kernels", "1 kernel", "0 kernels"])
    first, last = (
        contender(
            name,
            folder=tmp_path,
            prepare=lambda at, name=name: turns.append(f"{name}{at}"),
        )
        for name in ("a", "c")
    )
    first = replace(first, outcome=lambda: next(found))
    scene = Scene(name="turns", title="", contenders=(first, GONE, last))
    rows = run_scene(scene, rounds=3, tell=lambda _: None)
    assert turns == ["a1", "c1", "a2", "c2", "a3", "c3"]
    assert [len(row.costs) for row in rows] == [3, 0, 3]
    assert rows[0].outcome == "0 kernels / 1 kernel"


def test_a_root_forgets_all_but_the_git_cache(tmp_path: Path) -> None:
    root = Root.scratch(tmp_path / "root", url=tmp_path, ref="main", jax="1.2.3")
    kept = {"pyproject.toml", "build/cache/git/x"}
    gone = ("build/cache/y/z", "build/zh_CN/docs/a", "translations/zh_CN/docs/a.po")
    write_tree(root.path, dict.fromkeys((*kept, *gone), ""))
    root.forget()
    assert read_tree(root.path).keys() == kept


PRINTED = """\
merge      2 of 3 messages translated, 1 files written  [0.0 s]
  execute 1/3  a/b: passed (cached)
  execute 2/3  c: passed in interpret mode (12.3 s)
  execute 3/3  d: failed (0.4 s) cell 2: ValueError: (cached)
execute    2 passed, 1 failed, 4 skipped  [0.3 s]
"""


def test_what_ran_is_told_from_what_was_cached() -> None:
    assert describe_run(PRINTED) == "2 kernels for 3 pages: c, d"
    assert describe_run(PRINTED.partition("  execute 2")[0]) == "0 kernels for 1 pages"


Mark = tuple[str, bool | None]


def cell(kind: str, source: str, *tags: str, mark: Mark = ("", None)) -> dict[str, Any]:
    papermill = {"status": mark[0], "exception": mark[1]}
    metadata = {"papermill": papermill, "tags": list(tags)}
    return {"cell_type": kind, "source": [source], "metadata": metadata}


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        (("completed", False), ("completed", False), True),
        (("completed", True), ("pending", None), False),
        (("completed", False), ("pending", None), False),
        (("completed", False), ("completed", True), False),
    ],
)
def test_papermill_marks_where_it_stopped(first: Mark, second: Mark, whole: bool) -> None:
    prose = {"cell_type": "markdown", "metadata": {}}
    cells = [prose, *(cell("code", "1", mark=mark) for mark in (first, second))]
    assert is_whole({"cells": cells}) is whole


PARAGRAPH = "# T\n\nA paragraph that is long enough to be edited here."
CELLS = [
    cell("markdown", PARAGRAPH),
    cell("code", "%time x"),
    cell("code", "x = 1\nx", "raises-exception"),
    cell("code", "x = 2\nx"),
]
NOTEBOOK = json.dumps({"cells": CELLS, "nbformat": 4})
TWIN = (
    f"{PARAGRAPH}\n\n```{{code-cell}}\n%time x\n```\n\n```{{code-cell}}\nx = 1\nx\n```\n\n"
    f"```{{code-cell}}\nx = 2\nx\n```\n"
)


def test_both_forms_of_a_page_are_edited_alike() -> None:
    notebook, twin = edited(NOTEBOOK, TWIN, prose=3, code=12)
    sources = ["".join(one["source"]) for one in json.loads(notebook)["cells"]]
    assert "long (edited 3) enough" in sources[0]
    assert sources[1:] == ["%time x", "x = 1\nx", "x = 2\nx\nprint('(edited 12)')"]
    assert all(source in twin for source in sources)
    assert len(twin.split("\n")) == len(TWIN.split("\n")) + 1


@pytest.mark.parametrize(
    "twin",
    ["", TWIN.replace("A paragraph", "Another one"), TWIN + TWIN],
    ids=["empty", "differs", "twice"],
)
def test_a_page_whose_forms_differ_is_not_edited(twin: str) -> None:
    with pytest.raises(NothingToEditError):
        edited(NOTEBOOK, twin, prose=1, code=1)


def test_only_pages_that_ran_whole_and_as_they_are_count_as_passed(
    tmp_path: Path,
) -> None:
    rows = [
        {"page": "a", "status": "passed", "note": ""},
        {"page": "b", "status": "passed", "note": "in interpret mode"},
        {"page": "c", "status": "partial", "note": ""},
        {"page": "d", "status": "failed", "note": ""},
        None,
    ]
    report = {"locales": {"zh_CN": {"pages": [{"execution": row} for row in rows]}}}
    write_tree(tmp_path, {"build/report.json": json.dumps(report)})
    root = Root(tmp_path, "jax")
    assert passed(root) == {"a"}
    assert len(executions(root)) == 4
