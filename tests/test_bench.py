"""The bench's arithmetic and records; nothing here measures a time."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from bench.__main__ import NAMES, machine_facts
from bench.catalogs import change, count, fill, filler
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
    format_table,
    judge,
    middle,
    own_peak,
    run_commands,
    run_scene,
    to_record,
)
from bench.notebooks import NothingToEditError, edited
from bench.scenes import DEFAULT, describe
from bench.workshop import Root, edit_paragraph, page_to_edit

from pipeline.adapters import po
from pipeline.entries import Catalog, Entry

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


def test_the_table_has_every_contender_and_why_one_is_missing() -> None:
    table = format_table(SCENE, ROWS)
    assert "9.0" in table
    assert "83.0 % translated" in table
    assert "no notebooks; × of ours, half" in table
    assert "skipped: not there" in table


def test_the_record_is_json_and_names_no_folder() -> None:
    text = json.dumps(to_record(SCENE, ROWS))
    assert json.loads(text)["rows"][2]["costs"][2] == {
        "cpu": 1.0,
        "wall": 1.0,
        "peak": 300,
    }
    assert json.loads(text)["rows"][4]["middle"] is None
    assert "/" not in text.replace("× ", "")


def test_machine_facts_are_json() -> None:
    facts = json.loads(json.dumps(machine_facts()))
    assert facts["cores"] == os.cpu_count()
    assert facts["versions"]["polib"].startswith("1.")


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


def test_a_code_that_is_accepted_does_not_end_the_bench(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "raise SystemExit(3)")
    assert (
        run_commands(
            [command], folder=tmp_path, environ=os.environ, accepted=(0, 3)
        ).wall
        > 0
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


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        (
            "# Title\n\nA paragraph that is long enough to be edited here.\n",
            "A paragraph that is long (edited 2) enough to be edited here.",
        ),
        ("---\na: b\n\nA line of front matter is not a paragraph at all.\n---\n", ""),
        (
            "x\n\n---\n\nA paragraph that is long enough to be edited here.\n",
            "is long (edited 2) enough",
        ),
        ("# Title\n\nToo short.\n", ""),
        ("```\n\nA line inside of a fence, however long it may be.\n```\n", ""),
        ("A first line is never edited, for it may be anything.\n", ""),
        ("x\n\n- A list item that is long enough but not a paragraph.\n", ""),
    ],
)
def test_one_paragraph_is_edited(text: str, changed: str) -> None:
    assert (
        (changed in edit_paragraph(text, 2))
        if changed
        else edit_paragraph(text, 2) == ""
    )


def test_the_page_to_edit_is_the_middle_one_without_a_notebook(tmp_path: Path) -> None:
    paragraph = "# T\n\nA paragraph that is long enough to be edited here.\n"
    for name, size in (("a", 1), ("b", 2), ("c", 3), ("twin", 2)):
        (tmp_path / f"{name}.md").write_text(paragraph + "x\n" * size, encoding="utf-8")
    (tmp_path / "twin.ipynb").write_text("{}", encoding="utf-8")
    (tmp_path / "z.md").write_text("# Only a title\n" * 99, encoding="utf-8")
    assert page_to_edit(tmp_path) == "b.md"


def test_a_filler_keeps_what_must_survive() -> None:
    msgid = (
        "Use `jit(f)` and {func}`map`, see [the guide](a/b.md#c) at https://x.org/y or "
        "<b>not</b>: $x + y$."
    )
    made = filler(msgid)
    for kept in (
        "`jit(f)`",
        "{func}`map`",
        "](a/b.md#c)",
        "https://x.org/y",
        "<b>",
        "</b>",
        "$x + y$",
    ):
        assert kept in made
    assert "guide" not in made
    assert filler("One") != filler("Two") != "Two"


def test_catalogues_are_filled_and_counted(tmp_path: Path) -> None:
    entries = (
        Entry(msgid="Some words"),
        Entry(msgid="Old", msgstr="旧", obsolete=True),
        Entry(msgid="More words", msgstr="半", fuzzy=True),
    )
    header = po.standard_header(project="p", page="a", locale="zh_CN", date="")
    path = tmp_path / "b" / "a.po"
    path.parent.mkdir()
    path.write_bytes(po.format_catalog(Catalog(header=header, entries=entries)))
    assert count(tmp_path) == {"empty": 1, "fuzzy": 1}
    assert describe(count(tmp_path)) == "0.0 % translated, 50.0 % fuzzy"
    fill(tmp_path)
    assert count(tmp_path) == {"translated": 2}


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


def test_executing_is_measured_only_if_asked_for() -> None:
    assert set(NAMES) - set(DEFAULT) == {"site", "reference", "execute"}


def test_a_changed_translation_ends_with_the_word(tmp_path: Path) -> None:
    texts = (
        "A [link](x) makes this sentence one that had better be left alone.",
        "This sentence has no markup, so it is the one to change.",
    )
    header = po.standard_header(project="p", page="a", locale="zh_CN", date="")
    path = tmp_path / "a.po"
    path.write_bytes(
        po.format_catalog(
            Catalog(header=header, entries=tuple(Entry(msgid=text) for text in texts))
        )
    )
    for word in ("新", "新新"):
        change(path, word)
        entries = po.read_catalog(path.read_bytes(), where="a").catalog.entries
        assert [entry.msgstr for entry in entries] == ["", filler(texts[1]) + word]


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


def test_a_page_is_left_as_it_is_where_nothing_is_to_be_edited() -> None:
    notebook, twin = edited(NOTEBOOK, TWIN, prose=0, code=0)
    assert (json.loads(notebook), twin) == (json.loads(NOTEBOOK), TWIN)


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
