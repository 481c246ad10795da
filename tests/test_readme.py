"""What README, CONTRIBUTING and docs/ show is true.

Commands run, options exist, configurations are read.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec import structs
from places import ROOT
from sessions import SESSIONS

from pipeline import errors
from pipeline.cli import COMMANDS, main, parse
from pipeline.config.reader import read_settings
from pipeline.config.schema import Table
from pipeline.errors import WORST_FIRST, PipelineError

README = (ROOT / "README.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
SECURITY = (ROOT / "SECURITY.md").read_text("utf-8")
GUIDES = [page.read_text("utf-8") for page in sorted((ROOT / "docs").glob("*.md"))]
DOCS = "\n".join([README, CONTRIBUTING, *GUIDES])
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def blocks(language: str) -> list[str]:
    """The fenced code blocks of ``language``, also those that stand in a list."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```$", DOCS, re.M | re.S)
    return [re.sub(rf"(?m)^{indent}", "", block) for indent, block in found]


def commands() -> Iterator[list[str]]:
    """Every command of the console blocks, split into words; ``a && b`` is two."""
    for line in filter(None, "".join(blocks("console")).split("\n")):
        assert line.startswith("$ "), f"nobody checks this output: {line}"
        yield from map(shlex.split, line.removeprefix("$ ").split(" && "))


def test_first_screen_runs_when_it_is_pasted(tmp_path: Path) -> None:
    """In an empty folder, with an empty home. Only the sessions of nox are listed and not run."""
    *first, last = blocks("sh")[:2]
    assert last == "nox -s tests\n"
    assert README.index(last) < 1200
    *lines, job = "".join(first).rstrip().split("\n")
    assert job == "nox -s sync -- sample"
    activate = "python3 -m venv .venv && . .venv/bin/activate"
    assert lines.pop() == f"{activate} && pip install nox uv"
    address = PYPROJECT["project"]["urls"]["Repository"]
    instead = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{ROOT.as_uri()}.insteadOf",
    }
    empty = {"HOME": str(tmp_path), "GIT_CONFIG_VALUE_0": address, **instead}
    listed = f"{shlex.quote(sys.executable)} -m nox --list"
    script = "\n".join(["set -e", *lines, listed])
    ended = subprocess.run(
        ["sh", "-c", script],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], **empty},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"^[*-] (sync) -> .*^[*-] (tests) -> ", ended.stdout, re.M | re.S)


def test_sessions_exist_and_each_command_is_one() -> None:
    named = set(re.findall(r"nox -s ([a-z]+(?:-[a-z]+)*)", DOCS))
    assert named - SESSIONS.keys() == set()
    assert {*COMMANDS, "tests", "lint", "types"} <= SESSIONS.keys()


def test_arguments_of_nox_sessions_are_understood() -> None:
    lines = [
        words[2:] for words in commands() if words[:2] == ["nox", "-s"] and words[2] in COMMANDS
    ]
    assert len(lines) > 5
    for session, *rest in lines:
        assert rest[:1] in ([], ["--"])
        parse([session, *rest[1:]])


@pytest.mark.slow
def test_plain_commands_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the order in which README shows them, in a copy of the project."""
    begin = ["python", "-m", "pipeline"]
    lines = [words[3:] for words in commands() if words[:3] == begin]
    assert len(lines) > 2
    for arguments in lines:
        with suppress(SystemExit):  # --help, --version
            assert main(arguments) == 0, arguments
        assert capsys.readouterr().out


def test_exit_codes_are_complete() -> None:
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", DOCS, re.M)}
    known = {
        error.exit_code
        for error in vars(errors).values()
        if isinstance(error, type) and issubclass(error, PipelineError)
    }
    assert listed == known | {0, 130}
    assert set(WORST_FIRST) == listed
    worst = ", ".join(str(code) for code in WORST_FIRST if code)
    assert f"exits with the worst: {worst}, in this order" in DOCS


# Tables of the guide for translators go into a configuration that is there already.
@pytest.mark.parametrize(
    "block", [block for block in blocks("toml") if "dependency-groups" in block]
)
def test_configurations_are_read(block: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(block)
    upstream = read_settings(tmp_path / "pyproject.toml", environ={}).upstream(None)
    assert upstream.ref == f"jax-v{upstream.version}"


def test_full_configuration_has_every_key() -> None:
    # What a record has beyond its table is made by us: its fields are no keys.
    tables = Table.__subclasses__()
    keys = {field.encode_name for kind in tables for field in structs.fields(kind)}
    assert len(keys) > 20
    shown = "".join(blocks("toml"))
    for key in keys:
        assert re.search(rf"(?m)^{key} = |\.{key}\b", shown), key


def test_files_that_it_names_exist() -> None:
    pattern = r"`([\w.-]+\.(?:toml|md|yaml)|LICENSE|NOTICE|pipeline/\w*|upstream/sample/)`"
    named = set(re.findall(pattern, README + CONTRIBUTING))
    assert len(named) > 3
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_files_that_hold_the_doors_exist() -> None:
    named = set(re.findall(r"`((?:[\w-]+/)*\w+\.py)`", SECURITY))
    assert len(named) > 20
    files = [path.as_posix() for path in ROOT.glob("*/**/*.py")]
    for name in named:
        assert any(file.endswith(f"/{name}") for file in files), name


def test_every_door_has_a_test_and_every_command_a_door() -> None:
    doors = SECURITY.split("## Out of scope")[0]
    rows = [line.split(" | ") for line in doors.split("\n") if ".py`" in line]
    commands: set[str] = set()
    for first, *_, tests in rows:
        commands.update(re.findall(r"`([\w-]+)`", first))
        folder, named = ROOT / "tests", re.findall(r"`([\w/-]+(?:\.py|/))`", tests)
        assert named, first
        for name in named:
            # A name without a folder is in the folder of the one before.
            path = ROOT / name if "/" in name else folder / name
            assert path.exists(), name
            folder = path.parent
    assert set(COMMANDS) <= commands


def test_readme_is_a_screen_and_a_half() -> None:
    assert len(README.split("\n")) < 70
