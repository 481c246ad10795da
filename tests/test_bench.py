"""The bench's arithmetic and records; nothing here measures a time."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from bench.__main__ import machine_facts
from bench.catalogs import count, fill, filler
from bench.measure import (
    CommandError,
    Contender,
    Cost,
    Scene,
    Target,
    compare,
    format_table,
    judge,
    middle,
    run_commands,
    run_scene,
    to_record,
)
from bench.scenes import describe
from bench.workshop import Root, edit_paragraph, page_to_edit

from pipeline.adapters import po
from pipeline.model import Catalog, Entry

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
    assert (rows["half"].cpu_ratio, rows["half"].peak_ratio, rows["half"].beside) == (0.5, 0.5, "ours, half")
    assert rows["ours"].beside == ""


def test_targets_are_judged_and_a_missing_tool_is_none() -> None:
    assert judge(SCENE, ROWS) == (
        "met: CPU of big is 9.0 × that of ours (target: at least 8 ×)",
        "MISSED: peak memory of big is 1.8 × that of ours (target: at least 2 ×)",
        "no verdict beside gone: skipped: not there",
    )


def test_the_table_has_every_contender_and_why_one_is_missing() -> None:
    table = format_table(SCENE, ROWS)
    assert "9.0" in table
    assert "83.0 % translated" in table
    assert "no notebooks; × of ours, half" in table
    assert "skipped: not there" in table


def test_the_record_is_json_and_names_no_folder() -> None:
    text = json.dumps(to_record(SCENE, ROWS))
    assert json.loads(text)["rows"][2]["costs"][2] == {"cpu": 1.0, "wall": 1.0, "peak": 300}
    assert json.loads(text)["rows"][4]["middle"] is None
    assert "/" not in text.replace("× ", "")


def test_machine_facts_are_json() -> None:
    facts = json.loads(json.dumps(machine_facts()))
    assert facts["cores"] == os.cpu_count()
    assert facts["versions"]["polib"].startswith("1.")


def test_a_process_and_its_children_are_counted(tmp_path: Path) -> None:
    grandchild = "x = b'x' * 400_000_000"  # more than this process, whose size a child starts with
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}], check=True)"
    small = run_commands([(sys.executable, "-c", "pass")], folder=tmp_path, environ=os.environ)
    large = run_commands([(sys.executable, "-c", "pass"), (sys.executable, "-c", script)], folder=tmp_path, environ=os.environ)
    assert large.peak > small.peak
    assert large.peak > 400_000_000 / 2**20
    assert large.cpu > 0


def test_a_failing_command_shows_what_it_printed(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"ended with 3:\nno luck"):
        run_commands([(sys.executable, "-c", "print('no luck'); raise SystemExit(3)")], folder=tmp_path, environ=os.environ)


def test_contenders_take_turns(tmp_path: Path) -> None:
    turns: list[str] = []

    def one(name: str) -> Contender:
        command = (sys.executable, "-c", "pass")
        return Contender(name=name, commands=(command,), folder=tmp_path, prepare=lambda number: turns.append(f"{name}{number}"))

    scene = Scene(name="turns", title="", contenders=(one("a"), contender("b", missing="no"), one("c")))
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
        ("x\n\n---\n\nA paragraph that is long enough to be edited here.\n", "is long (edited 2) enough"),
        ("# Title\n\nToo short.\n", ""),
        ("```\n\nA line inside of a fence, however long it may be.\n```\n", ""),
        ("A first line is never edited, for it may be anything.\n", ""),
        ("x\n\n- A list item that is long enough but not a paragraph.\n", ""),
    ],
)
def test_one_paragraph_is_edited(text: str, changed: str) -> None:
    assert (changed in edit_paragraph(text, 2)) if changed else edit_paragraph(text, 2) == ""


def test_the_page_to_edit_is_the_middle_one_without_a_notebook(tmp_path: Path) -> None:
    paragraph = "# T\n\nA paragraph that is long enough to be edited here.\n"
    for name, size in (("a", 1), ("b", 2), ("c", 3), ("twin", 2)):
        (tmp_path / f"{name}.md").write_text(paragraph + "x\n" * size, encoding="utf-8")
    (tmp_path / "twin.ipynb").write_text("{}", encoding="utf-8")
    (tmp_path / "z.md").write_text("# Only a title\n" * 99, encoding="utf-8")
    assert page_to_edit(tmp_path) == "b.md"


def test_a_filler_keeps_what_must_survive() -> None:
    msgid = "Use `jit(f)` and {func}`map`, see [the guide](a/b.md#c) at https://x.org/y or <b>not</b>: $x + y$."
    made = filler(msgid)
    for kept in ("`jit(f)`", "{func}`map`", "](a/b.md#c)", "https://x.org/y", "<b>", "</b>", "$x + y$"):
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
    kept, gone = root.path / "build" / "cache" / "git" / "x", root.path / "build" / "zh_CN" / "docs" / "state.json"
    for path in (kept, gone, root.path / "build" / "report.json", root.catalogs / "a.po"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    root.forget()
    assert [path for path in root.path.rglob("*") if path.is_file()] == [root.path / "pyproject.toml", kept]
