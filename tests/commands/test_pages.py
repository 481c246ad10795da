"""Patterns that name pages: on the command line, and in rules of the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import read_tables
from in_process import command
from places import ROOT
from runs import run_at, run_of

from pipeline.commands.pages import rule_findings
from pipeline.config.reader import read_settings
from pipeline.config.settings import Acknowledgement, RunRule, SkipRule
from pipeline.core.pin.lock import Lock, SourceFile, parse_lock
from pipeline.errors import did_you_mean_any
from pipeline.folders import WHOLE

CASES = read_tables(__file__)

NAMES = "guide/a-b guide/arrays index pytrees custom_pytrees Sharp_Bits".split()


@pytest.mark.parametrize(("word", "meant"), CASES["the_nearest_names_are_told"])
def test_the_nearest_names_are_told(word: str, meant: str) -> None:
    assert did_you_mean_any(word, NAMES).startswith(meant)
    assert did_you_mean_any(word, ()) == ""


@pytest.mark.parametrize(("words", "what", "hint"), CASES["no_page_matches"])
def test_no_page_matches(words: list[str], what: str, hint: str, project: Path) -> None:
    command("pull sample -q")
    said = command(*words, code=2).err
    assert what in said
    assert hint in said


def test_an_upstream_may_have_no_pages(project: Path) -> None:
    (project / "empty").mkdir()
    command("pull sample --upstream empty")
    command("status sample")
    told = command("status sample --pages a", code=2).err
    assert "no page of 'sample' matches 'a'" in told


RULES = """
[[tool.pipeline.upstreams.sample.skip]]
pages = ["grad", "guides/vmpa"]
reason = "accelerator"
"""


def test_a_rule_that_matches_nothing_ends_the_run(synced: Path) -> None:
    with Path("pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(RULES)
    said = command("build sample --check -q", code=2).err
    assert (
        "error [config-error] tool.pipeline.upstreams.sample.skip: "
        "'guides/vmpa' matches no page of sample"
    ) in said
    assert "Did you mean 'guides/vmap'" in said
    assert "'grad'" not in said
    # Who runs nothing does not go by such rules.
    command("build sample --no-execute -q")


MODE = """
[tool.pipeline.modes.quiet]
startup = "startup/quiet.py"
note = "without a sound"

[[tool.pipeline.upstreams.sample.run]]
pages = ["grad"]
reason = "accelerator"
modes = ["quiet"]
"""


def test_a_startup_file_that_is_no_use_ends_the_run(synced: Path) -> None:
    with Path("pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(MODE)
    told = "the start-up file of the mode 'quiet'"
    said = command("build sample --check -q", code=2).err
    assert (
        f"error [config-error] startup/quiet.py: {told} cannot be read: No such file or directory"
    ) in said
    assert "tool.pipeline.modes.quiet.startup" in said
    (synced / "startup").mkdir()
    (synced / "startup" / "quiet.py").write_text("import os\nif os\n")
    said = command("build sample --check -q", code=2).err
    assert f"startup/quiet.py:2: {told} is not Python: expected ':'" in said
    # Who runs nothing does not need it.
    command("build sample --no-execute -q")
    command("check sample -q")
    (synced / "startup" / "quiet.py").write_text("import os\n")
    command("build sample --check -q")


def test_every_kind_of_rule_is_looked_at() -> None:
    run = run_at(
        Path(),
        "demo",
        url="x",
        skip=(SkipRule(pages=("a", "b*"), reason="x"),),
        run=(RunRule(pages=("c/*", "c"), reason="x"),),
        acknowledge=(Acknowledgement(page="d", cells=(1,), reason="x"),),
    )
    lock = Lock(
        url="x",
        ref="v1",
        commit="0" * 40,
        date="",
        version="1",
        docs=WHOLE,
        files=tuple(SourceFile(path=path, blob="") for path in ("a.md", "c/x.ipynb")),
    )
    found = rule_findings(run, lock)
    assert [(finding.where.rpartition(".")[2], finding.text) for finding in found] == [
        ("skip", "'b*' matches no page of demo v1"),
        ("run", "'c' matches no page of demo v1"),
        ("acknowledge", "'d' matches no page of demo v1"),
    ]
    assert {finding.exit_code for finding in found} == {2}


def test_rules_of_this_project_are_about_pages_that_are_there() -> None:
    settings = read_settings(ROOT / "pyproject.toml", environ={})
    # jax.lock, and not jax.names.lock: names have no dots.
    locks = sorted((ROOT / "upstream").glob("*.lock"))
    locks = [path for path in locks if "." not in path.stem]
    assert locks
    for path in locks:
        upstream = settings.upstream(path.stem)
        lock = parse_lock(path.read_bytes(), where=path.name)
        assert rule_findings(run_of(settings, upstream), lock) == ()
