"""What README shows is true: its commands run, its options exist, its configuration is read."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import ROOT

from pipeline import errors
from pipeline.arguments import COMMANDS, parse
from pipeline.config import read_settings
from pipeline.errors import WORST_FIRST, PipelineError

README = (ROOT / "README.md").read_text("utf-8")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def blocks(language: str) -> list[str]:
    """The fenced code blocks of ``language``."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def commands() -> Iterator[list[str]]:
    """Every command of the console blocks, split into words; ``a && b`` is two."""
    for line in "".join(blocks("console")).split("\n"):
        if line:
            assert line.startswith("$ "), f"README shows output, which nobody checks: {line}"
            yield from (shlex.split(command) for command in line.removeprefix("$ ").split(" && "))


def nox_sessions() -> set[str]:
    """The sessions that ``nox -l`` lists."""
    ended = subprocess.run(
        [sys.executable, "-m", "nox", "--list"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(re.findall(r"^[*-] (\w+) ->", ended.stdout, re.M))


def test_first_screen_sets_up_runs_and_tests() -> None:
    assert list(commands())[:3] == [
        ["pip", "install", "nox"],
        ["nox", "-s", "sync", "--", "sample"],
        ["nox", "-s", "tests"],
    ]
    assert README.index("nox -s tests") < 1200


def test_sessions_exist_and_each_command_is_one() -> None:
    sessions = nox_sessions()
    named = set(re.findall(r"nox -s ([a-z]+)", README))
    assert named - sessions == set()
    assert sessions >= {*COMMANDS, "tests", "lint", "types"}


def test_arguments_of_nox_sessions_are_understood() -> None:
    lines = [
        words[2:] for words in commands() if words[:2] == ["nox", "-s"] and words[2] in COMMANDS
    ]
    assert len(lines) > 5
    for session, *rest in lines:
        assert rest[:1] in ([], ["--"])
        parse([session, *rest[1:]])


def test_plain_commands_run(project: Path) -> None:
    """In the order in which README shows them, in a copy of the project."""
    lines = [words[1:] for words in commands() if words[0] == "python"]
    assert len(lines) > 2
    for arguments in lines:
        ended = subprocess.run(
            [sys.executable, *arguments],
            cwd=project,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, f"{arguments}: {ended.stderr}"
        assert ended.stdout


def test_exit_codes_are_complete() -> None:
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.M)}
    known = {
        error.exit_code
        for error in vars(errors).values()
        if isinstance(error, type) and issubclass(error, PipelineError)
    }
    assert listed == known | {0, 130}
    assert set(WORST_FIRST) == listed
    assert (
        f"exits with the worst: {', '.join(str(code) for code in WORST_FIRST if code)}, in this order"
        in README
    )


@pytest.mark.parametrize("block", blocks("toml"))
def test_configurations_are_read(block: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(block)
    settings = read_settings(tmp_path / "pyproject.toml", environ={})
    assert settings.upstream(None).ref == f"jax-v{settings.jax}"


def test_full_configuration_has_every_key() -> None:
    source = (ROOT / "pipeline" / "config" / "reading.py").read_text("utf-8")
    allowed = re.findall(r"\.allow\(([^)]*)\)", source)
    allowed += re.findall(r"(?:places|numbers) = \(([^)]*)\)", source)
    keys = {key for group in allowed for key in re.findall(r'"([^"]+)"', group)}
    assert len(keys) > 20
    assert [
        key for key in keys if not re.search(rf"(?m)^{key} = |\.{key}\b", blocks("toml")[-1])
    ] == []


def test_files_that_it_names_exist() -> None:
    named = set(
        re.findall(
            r"`([\w.-]+\.(?:toml|md|yaml)|LICENSE|NOTICE|pipeline/\w*|upstream/sample/)`", README
        )
    )
    assert len(named) > 4
    assert [name for name in named if not (ROOT / name).exists()] == []
