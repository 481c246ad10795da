"""The bench's arithmetic and records; nothing here measures a time."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

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
    run_commands,
    run_scene,
    to_record,
)
from bench.notebooks import NothingToEditError, edited
from bench.workshop import Root

FOLDER = Path()


def contender(name: str, *, missing: str = "", note: str = "") -> Contender:
    return Contender(name=name, commands=(), folder=FOLDER, missing=missing, note=note)


def cost(cpu: float, peak: float) -> Cost:
    return Cost(cpu=cpu, wall=cpu, peak=peak)


SCENE = Scene(
    name="edited",
    title="One paragraph",
    contenders=(
        contender("ours"),
        contender("ours, half"),
        contender("big"),
        contender("half", note="no notebooks"),
        contender("gone", missing="not there"),
    ),
    targets=(Target(rival="big", cpu=8, peak=2), Target(rival="gone", cpu=1)),
    beside={"half": "ours, half"},
)
COSTS = {
    "ours": [cost(1.0, 50), cost(3.0, 51), cost(0.5, 70)],
    "ours, half": [cost(0.5, 40)],
    "big": [cost(9.0, 90), cost(9.0, 90), cost(1.0, 300)],
    "half": [cost(0.25, 20)],
}
ROWS = compare(SCENE, COSTS, {"big": "83.0 % translated"})


def test_the_median_is_taken_of_each_figure_by_itself() -> None:
    assert middle(COSTS["ours"]) == Cost(cpu=1.0, wall=1.0, peak=51)


def test_ratios_say_how_many_times_more_than_ours() -> None:
    rows = {row.name: row for row in ROWS}
    assert [row.name for row in ROWS] == [one.name for one in SCENE.contenders]
    assert (rows["big"].cpu_ratio, rows["big"].beside) == (9.0, "ours")
    assert rows["big"].peak_ratio == pytest.approx(90 / 51)
    assert (rows["half"].cpu_ratio, rows["half"].peak_ratio, rows["half"].beside) == (
        0.5,
        0.5,
        "ours, half",
    )
    assert rows["ours"].beside == ""


def test_targets_are_judged_and_a_missing_tool_is_none() -> None:
    assert judge(SCENE, ROWS) == (
        "met: CPU of big is 9.0 × that of ours (target: at least 8 ×)",
        "MISSED: peak memory of big is 1.8 × that of ours (target: at least 2 ×)",
        "no verdict beside gone: skipped: not there",
    )


def test_wall_targets_are_judged_by_wall_seconds() -> None:
    scene = Scene(
        name="x",
        title="",
        contenders=(contender("ours"), contender("slow")),
        targets=(Target(rival="slow", wall=2),),
    )
    costs = {
        "ours": [Cost(cpu=8, wall=5, peak=1)],
        "slow": [Cost(cpu=1, wall=9, peak=1)],
    }
    rows = compare(scene, costs, {})
    assert rows[1].wall_ratio == pytest.approx(1.8)
    assert judge(scene, rows) == (
        "MISSED: wall time of slow is 1.8 × that of ours (target: at least 2 ×)",
    )


def test_limits_are_judged_by_outcome_and_seconds() -> None:
    limits = (
        Limit(contender="ours", outcome="0 kernels", wall=3),
        Limit(contender="late", outcome="0 kernels", wall=3),
        Limit(contender="loose", outcome="0 kernels"),
        Limit(contender="gone", outcome="0 kernels"),
    )
    contenders = (
        contender("ours"),
        contender("late"),
        contender("loose"),
        contender("gone", missing="not there"),
    )
    scene = Scene(name="x", title="", contenders=contenders, limits=limits)
    costs = {"ours": [cost(3.0, 1)], "late": [cost(3.1, 1)], "loose": [cost(99.0, 1)]}
    rows = compare(
        scene,
        costs,
        {"ours": "0 kernels", "late": "0 kernels", "loose": "0 kernels / 1 kernel"},
    )
    assert judge(scene, rows) == (
        "met: ours: 0 kernels",
        "met: ours: 3.00 s wall (limit: 3 s)",
        "met: late: 0 kernels",
        "MISSED: late: 3.10 s wall (limit: 3 s)",
        "MISSED: loose: 0 kernels / 1 kernel (wanted: 0 kernels)",
        "no verdict on gone: skipped: not there",
    )
    assert to_record(scene, rows)["limits"][0] == {
        "contender": "ours",
        "outcome": "0 kernels",
        "wall": 3,
        "cpu": 0.0,
    }


def test_limits_are_judged_by_seconds_of_cpu() -> None:
    limits = tuple(Limit(contender="ours", cpu=most) for most in (8, 7.9))
    scene = Scene(name="x", title="", contenders=(contender("ours"),), limits=limits)
    rows = compare(scene, {"ours": [Cost(cpu=8, wall=99, peak=1)]}, {})
    assert judge(scene, rows) == (
        "met: ours: 8.00 s CPU (limit: 8 s)",
        "MISSED: ours: 8.00 s CPU (limit: 7.9 s)",
    )


def test_the_record_is_json_and_names_no_folder() -> None:
    text = json.dumps(to_record(SCENE, ROWS))
    assert json.loads(text)["rows"][2]["costs"][2] == {
        "cpu": 1.0,
        "wall": 1.0,
        "peak": 300,
    }
    assert json.loads(text)["rows"][4]["middle"] is None
    assert "/" not in text.replace("× ", "")


def test_a_process_and_its_children_are_counted(tmp_path: Path) -> None:
    # More than this process, whose size a child starts with.
    mebibytes = int(own_peak()) + 200
    grandchild = f"x = b'x' * ({mebibytes} << 20)"
    script = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}], "
        f"check=True)"
    )
    small = run_commands(
        [(sys.executable, "-c", "pass")], folder=tmp_path, environ=os.environ
    )
    large = run_commands(
        [(sys.executable, "-c", "pass"), (sys.executable, "-c", script)],
        folder=tmp_path,
        environ=os.environ,
    )
    assert large.peak > small.peak
    assert large.peak > mebibytes
    assert large.cpu > 0


def test_a_failing_command_shows_what_it_printed(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"ended with 3:\nno luck"):
        run_commands(
            [(sys.executable, "-c", "print('no luck'); raise SystemExit(3)")],
            folder=tmp_path,
            environ=os.environ,
        )


def test_an_outcome_that_changes_from_round_to_round_is_told(tmp_path: Path) -> None:
    found = iter(["0 kernels", "1 kernel", "0 kernels"])
    one = Contender(
        name="a",
        commands=((sys.executable, "-c", "pass"),),
        folder=tmp_path,
        outcome=lambda: next(found),
    )
    rows = run_scene(
        Scene(name="x", title="", contenders=(one,)), rounds=3, tell=lambda _: None
    )
    assert rows[0].outcome == "0 kernels / 1 kernel"


def test_contenders_take_turns(tmp_path: Path) -> None:
    turns: list[str] = []

    def one(name: str) -> Contender:
        command = (sys.executable, "-c", "pass")
        return Contender(
            name=name,
            commands=(command,),
            folder=tmp_path,
            prepare=lambda number: turns.append(f"{name}{number}"),
        )

    scene = Scene(
        name="turns",
        title="",
        contenders=(one("a"), contender("b", missing="no"), one("c")),
    )
    rows = run_scene(scene, rounds=2, tell=lambda _: None)
    assert turns == ["a1", "c1", "a2", "c2"]
    assert [len(row.costs) for row in rows] == [2, 0, 2]


def test_a_root_forgets_all_but_the_git_cache(tmp_path: Path) -> None:
    root = Root.scratch(tmp_path / "root", url=tmp_path, ref="main", jax="1.2.3")
    kept, gone = (
        root.path / "build" / "cache" / "git" / "x",
        root.path / "build" / "zh_CN" / "docs" / "state.json",
    )
    for path in (
        kept,
        gone,
        root.path / "build" / "report.json",
        root.catalogs / "a.po",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    root.forget()
    assert [path for path in root.path.rglob("*") if path.is_file()] == [
        root.path / "pyproject.toml",
        kept,
    ]


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


def cell(
    kind: str,
    source: str,
    *,
    mark: tuple[str, bool] = ("completed", False),
    tags: tuple[str, ...] = (),
) -> dict[str, object]:
    papermill = {"status": mark[0], "exception": mark[1]}
    return {
        "cell_type": kind,
        "source": [source],
        "metadata": {"papermill": papermill, "tags": list(tags)},
    }


@pytest.mark.parametrize(
    ("marks", "whole"),
    [
        ([("completed", False), ("completed", False)], True),
        ([("completed", True), ("pending", None)], False),
        ([("completed", False), ("pending", None)], False),
        ([("completed", False), ("completed", True)], False),
    ],
)
def test_papermill_marks_where_it_stopped(
    marks: list[tuple[str, bool]], whole: bool
) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}},
        *(cell("code", "1", mark=mark) for mark in marks),
    ]
    assert is_whole({"cells": cells}) is whole


PARAGRAPH = "# T\n\nA paragraph that is long enough to be edited here."
CELLS = [
    cell("markdown", PARAGRAPH),
    cell("code", "%time x"),
    cell("code", "x = 1\nx", tags=("raises-exception",)),
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
        ("a", "passed", ""),
        ("b", "passed", "in interpret mode"),
        ("c", "partial", ""),
        ("d", "failed", ""),
    ]
    pages = [
        {"execution": {"page": page, "status": status, "note": note}}
        for page, status, note in rows
    ]
    root = Root(tmp_path, "jax")
    (tmp_path / "build").mkdir()
    report = {"locales": {"zh_CN": {"pages": [*pages, {"execution": None}]}}}
    (tmp_path / "build" / "report.json").write_text(
        json.dumps(report), encoding="utf-8"
    )
    assert passed(root) == {"a"}
    assert len(executions(root)) == 4
