"""[tool.pipeline.modes]: ways to run pages, which rules name."""

from __future__ import annotations

from pathlib import Path

import pytest
from places import ROOT

from pipeline.config.reader import read_settings
from pipeline.config.settings import Mode, RunRule
from pipeline.errors import ConfigError

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


def mode(*lines: str, name: str = "quiet") -> str:
    return "\n".join((f"[tool.pipeline.modes.{name}]", *lines, ""))


NOTE = 'note = "without a sound"'
FILE = 'startup = "quiet.py"'
BAD = {
    "modes are no table": (
        "[tool.pipeline]\nmodes = 3\n",
        "tool.pipeline.modes must be a table, not 3",
    ),
    "a mode is no table": (
        "[tool.pipeline.modes]\nquiet = 3\n",
        "tool.pipeline.modes.quiet must be a table, not 3",
    ),
    "name": (
        mode(NOTE, FILE, name='"../up"'),
        "a key of tool.pipeline.modes must be a name, not '../up'",
    ),
    "name of one that comes along": (
        mode(NOTE, FILE, name="stand-in-data"),
        "tool.pipeline.modes.stand-in-data has the name of a built-in mode",
    ),
    "unknown key": (
        mode(NOTE, 'start-up = "quiet.py"'),
        "unknown key 'start-up' in [tool.pipeline.modes.quiet]",
    ),
    "no note": (mode(FILE), "tool.pipeline.modes.quiet.note is missing"),
    "note is no string": (
        mode("note = 3", FILE),
        "tool.pipeline.modes.quiet.note must be a string, not 3",
    ),
    "nothing to do": (mode(NOTE), "has neither startup nor variables"),
    "nothing in variables": (
        mode(NOTE, "variables = {}"),
        "has neither startup nor variables",
    ),
    "startup is no string": (
        mode(NOTE, 'startup = ["quiet.py"]'),
        "quiet.startup must be a file inside the project, not ['quiet.py']",
    ),
    "startup is empty": (mode(NOTE, 'startup = ""'), "quiet.startup is empty"),
    "startup above": (mode(NOTE, 'startup = "../x.py"'), "must be a file inside"),
    "startup within above": (mode(NOTE, 'startup = "a/../x.py"'), "must be a file in"),
    "startup absolute": (mode(NOTE, 'startup = "/etc/x.py"'), "must be a file inside"),
    "startup of Windows": (mode(NOTE, "startup = 'a\\x.py'"), "must be a file inside"),
    "startup with NUL": (
        mode(NOTE, 'startup = "a\\u0000.py"'),
        "must be a file inside",
    ),
    "startup among what is pulled": (
        mode(NOTE, 'startup = "upstream/Docs/x.py"'),
        "quiet.startup is in the folder of the pulled docs of 'docs'",
    ),
    "cell-seconds is no number": (
        mode(NOTE, FILE, 'cell-seconds = "5"'),
        "quiet.cell-seconds must be a number, not '5'",
    ),
    "cell-seconds is nothing that counts": (
        mode(NOTE, FILE, "cell-seconds = nan"),
        "quiet.cell-seconds must be a number of at least 0, not nan",
    ),
    "cell-seconds is no number but true": (
        mode(NOTE, FILE, "cell-seconds = true"),
        "quiet.cell-seconds must be a number, not True",
    ),
    "cell-seconds below 0": (
        mode(NOTE, FILE, "cell-seconds = -1"),
        "quiet.cell-seconds must be a number of at least 0, not -1",
    ),
    "cell-seconds is infinite": (
        mode(NOTE, FILE, "cell-seconds = inf"),
        "quiet.cell-seconds must be a number of at most 1000000000, not inf",
    ),
    "cell-seconds without end": (
        mode(NOTE, FILE, "cell-seconds = 1e300"),
        "quiet.cell-seconds must be a number of at most 1000000000, not 1e+300",
    ),
    "variables are no table": (
        mode(NOTE, 'variables = ["A"]'),
        "quiet.variables must be a table, not ['A']",
    ),
    "a variable is no string": (
        mode(NOTE, "variables = { A = 1 }"),
        "quiet.variables.A must be a string without NUL, not 1",
    ),
    "name of a variable": (
        mode(NOTE, 'variables = { "A=B" = "1" }'),
        "quiet.variables must be the name of an environment variable, not 'A=B'",
    ),
    "value of a variable": (
        mode(NOTE, 'variables = { A = "\\u0000" }'),
        "quiet.variables.A must be a string without NUL",
    ),
    "a rule names one that is not there": (
        QUIET + rule("quite"),
        "tool.pipeline.upstreams.docs.run[0].modes: no mode is called 'quite'",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_mode_is_told_with_its_place(tmp_path: Path, case: str) -> None:
    text, message = BAD[case]
    path = write(tmp_path, text + UPSTREAM)
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
