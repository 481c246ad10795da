"""Patterns that name pages: on the command line, and in rules of the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import read_tables
from places import ROOT
from runs import run_of

from pipeline.cli import main
from pipeline.commands.pages import rule_findings
from pipeline.config.reader import read_settings
from pipeline.config.settings import (
    Acknowledgement,
    RunRule,
    Settings,
    SkipRule,
    Upstream,
)
from pipeline.core.pin.lock import Lock, SourceFile, parse_lock
from pipeline.errors import did_you_mean_any
from pipeline.folders import WHOLE

CASES = read_tables(__file__)

Speech = pytest.CaptureFixture[str]
NAMES = "guide/a-b guide/arrays index pytrees custom_pytrees Sharp_Bits".split()


@pytest.mark.parametrize(
    ("word", "meant"),
    CASES["the_nearest_names_are_told"],
)
def test_the_nearest_names_are_told(word: str, meant: str) -> None:
    assert did_you_mean_any(word, NAMES).startswith(meant)
    assert did_you_mean_any(word, ()) == ""


@pytest.mark.parametrize(
    ("words", "what", "hint"),
    CASES["a_pattern_that_matches_nothing_is_an_error_with_the_nearest_names"],
)
def test_a_pattern_that_matches_nothing_is_an_error_with_the_nearest_names(
    words: list[str], what: str, hint: str, project: Path, capsys: Speech
) -> None:
    assert main(["pull", "sample", "-q"]) == 0
    assert main(words) == 2
    said = capsys.readouterr().err
    assert what in said
    assert hint in said


def test_an_upstream_without_pages_is_no_error_unless_pages_are_named(
    project: Path, capsys: Speech
) -> None:
    (project / "empty").mkdir()
    assert main(["pull", "sample", "--upstream", "empty"]) == 0
    assert main(["status", "sample"]) == 0
    assert main(["status", "sample", "--pages", "a"]) == 2
    assert "no page of 'sample' matches 'a'" in capsys.readouterr().err


RULES = """
[[tool.pipeline.upstreams.sample.skip]]
pages = ["grad", "guides/vmpa"]
reason = "accelerator"
"""


def test_a_rule_that_matches_nothing_ends_a_run_that_would_go_by_it(
    synced: Path, capsys: Speech
) -> None:
    with Path("pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(RULES)
    assert main(["build", "sample", "--check", "-q"]) == 2
    said = capsys.readouterr().err
    assert (
        "error [config-error] tool.pipeline.upstreams.sample.skip: "
        "'guides/vmpa' matches no page of sample"
    ) in said
    assert "Did you mean 'guides/vmap'" in said
    assert "'grad'" not in said
    # Who runs nothing does not go by such rules.
    assert main(["build", "sample", "--no-execute", "-q"]) == 0


MODE = """
[tool.pipeline.modes.quiet]
startup = "startup/quiet.py"
note = "without a sound"

[[tool.pipeline.upstreams.sample.run]]
pages = ["grad"]
reason = "accelerator"
modes = ["quiet"]
"""


def test_a_startup_file_that_cannot_be_used_ends_a_run_that_would_go_by_it(
    synced: Path, capsys: Speech
) -> None:
    with Path("pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(MODE)
    told = "the start-up file of the mode 'quiet'"
    assert main(["build", "sample", "--check", "-q"]) == 2
    said = capsys.readouterr().err
    assert (
        f"error [config-error] startup/quiet.py: {told} cannot be read: "
        "No such file or directory"
    ) in said
    assert "tool.pipeline.modes.quiet.startup" in said
    (synced / "startup").mkdir()
    (synced / "startup" / "quiet.py").write_text("import os\nif os\n")
    assert main(["build", "sample", "--check", "-q"]) == 2
    said = capsys.readouterr().err
    assert f"startup/quiet.py:2: {told} is not Python: expected ':'" in said
    # Who runs nothing does not need it.
    assert main(["build", "sample", "--no-execute", "-q"]) == 0
    assert main(["check", "sample", "-q"]) == 0
    (synced / "startup" / "quiet.py").write_text("import os\n")
    assert main(["build", "sample", "--check", "-q"]) == 0


def test_every_kind_of_rule_is_looked_at() -> None:
    upstream = Upstream(
        package="JAX",
        version="1",
        name="demo",
        url="x",
        skip=(SkipRule(pages=("a", "b*"), reason="x"),),
        run=(RunRule(pages=("c/*", "c"), reason="x"),),
        acknowledge=(Acknowledgement(page="d", cells=(1,), reason="x"),),
    )
    settings = Settings(
        root=Path(),
        locales=("zh_CN",),
        upstreams={"demo": upstream},
    )
    paths = ("a.md", "c/x.ipynb")
    lock = Lock(
        url="x",
        ref="v1",
        commit="0" * 40,
        date="",
        version="1",
        docs=WHOLE,
        files=tuple(SourceFile(path=path, blob="0" * 40) for path in paths),
    )
    found = rule_findings(run_of(settings, upstream), lock)
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
