"""[tool.pipeline.modes]: ways to run pages, which rules name."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import read_tables
from places import ROOT

from pipeline.config.reader import read_settings
from pipeline.config.settings import Mode, RunRule
from pipeline.errors import ConfigError

CASES = read_tables(__file__)["bad"]
UPSTREAM = """
[tool.pipeline.upstreams.docs]
url = "https://example.org/docs"
"""
QUIET = """
[tool.pipeline.modes.quiet]
startup = "startup/quiet.py"
note = "without a sound"
cell-seconds = 2.5
variables = { VOLUME = "0", KEY = "a=b" }
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    return path


def rule(*modes: str) -> str:
    named = ", ".join(f'"{mode}"' for mode in modes)
    return (
        "[[tool.pipeline.upstreams.docs.run]]\n"
        f'pages = ["*"]\nreason = "accelerator"\nmodes = [{named}]\n'
    )


def rules_of(folder: Path, text: str) -> tuple[RunRule, ...]:
    return read_settings(write(folder, text), environ={}).upstream("docs").run


def test_a_rule_has_the_modes_that_it_names_in_its_order(tmp_path: Path) -> None:
    loud = '[tool.pipeline.modes.loud]\nnote = "aloud"\nvariables = { VOLUME = "9" }\n'
    text = UPSTREAM + QUIET + loud + rule("loud", "stand-in-data", "quiet")
    (found,) = rules_of(tmp_path, text)
    assert found.modes == (
        Mode(name="loud", note="aloud", variables={"VOLUME": "9"}),
        Mode(
            name="stand-in-data",
            note="with stand-in data",
            startup="stand-in-data.py",
            is_built_in=True,
        ),
        Mode(
            name="quiet",
            note="without a sound",
            startup="startup/quiet.py",
            variables={"VOLUME": "0", "KEY": "a=b"},
            cell_seconds=2.5,
        ),
    )


def test_the_file_is_not_needed_before_code_is_run(tmp_path: Path) -> None:
    assert not (tmp_path / "startup").exists()
    assert rules_of(tmp_path, UPSTREAM + QUIET + rule("quiet"))


def test_modes_of_this_project_have_their_files() -> None:
    upstream = read_settings(ROOT / "pyproject.toml", environ={}).upstream("jax")
    modes = {mode.name: mode for rule in upstream.run for mode in rule.modes}
    assert set(modes) == {"pallas-interpret", "pallas-interpret-hlo", "stand-in-data"}
    own = [mode for mode in modes.values() if not mode.is_built_in]
    assert all((ROOT / mode.startup).is_file() for mode in own)


MODE = "[tool.pipeline.modes.quiet]\n"
NOTE = 'note = "without a sound"\n'
STARTS = {
    "nothing": "",
    "mode": MODE,
    "mode with a note": MODE + NOTE,
    "mode with a file": f'{MODE}{NOTE}startup = "quiet.py"\n',
    "quiet": QUIET,
}


@pytest.mark.parametrize(("start", "table", "message"), CASES.values(), ids=CASES)
def test_a_bad_mode_is_told_with_its_place(
    tmp_path: Path, start: str, table: str, message: str
) -> None:
    path = write(tmp_path, f"{STARTS[start]}{table}\n{UPSTREAM}")
    with pytest.raises(ConfigError) as caught:
        read_settings(path, environ={})
    assert message in caught.value.what
    assert caught.value.where == str(path)
    assert caught.value.hint


def test_the_nearest_mode_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        rules_of(tmp_path, UPSTREAM + QUIET + rule("quite"))
    assert caught.value.hint == (
        "Did you mean 'quiet'? Known: stand-in-data, quiet. "
        "A mode of your own is a table [tool.pipeline.modes.NAME]."
    )
