"""Start-up files of modes: read from the project, or told with what is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from runs import run_of

from pipeline.adapters.kernel import Startup, sandbox
from pipeline.config.settings import BUILT_IN_MODES, Mode, RunRule, Settings, Upstream
from pipeline.errors import ConfigError
from pipeline.stages.execute.startup import startup_findings, startup_of

PATH = "startup/quiet.py"
QUIET = Mode(name="quiet", note="without a sound", startup=PATH)
LEADS_OUT = "is a link that leads out of the project"
HINT = "Mend it, or change tool.pipeline.modes.quiet.startup."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "startup").mkdir(parents=True)
    return project


def test_the_code_is_what_the_file_says_letter_by_letter(root: Path) -> None:
    text = "x = '静'\r\ny = 1\n"
    (root / PATH).write_bytes(text.encode())
    assert startup_of([QUIET], root) == (Startup(name=PATH, text=text),)


def test_modes_keep_their_order_and_one_without_code_has_none(root: Path) -> None:
    (root / PATH).write_text("1")
    (stand_in,) = BUILT_IN_MODES
    loud = Mode(name="loud", note="aloud", variables={"VOLUME": "9"})
    found = startup_of([stand_in, loud, QUIET], root)
    assert [code.name for code in found] == ["stand-in-data.py", PATH]
    own = sandbox.STARTUP / "stand-in-data.py"
    assert found[0].text == own.read_text("utf-8")


def test_a_link_may_lead_to_a_file_of_the_project(root: Path) -> None:
    (root / "code.py").write_text("1")
    (root / PATH).symlink_to("../code.py")
    assert startup_of([QUIET], root)[0].text == "1"


# What is made in the file's place, or its bytes, or the target of a link; the line that is named;
# what is said.
BAD: dict[str, tuple[Callable[[Path], object] | bytes | str, str, str]] = {
    "missing": (lambda path: None, "", "cannot be read: No such file or directory"),
    "a folder": (Path.mkdir, "", "is not a file"),
    "a pipe": (os.mkfifo, "", "is not a file"),
    "a link out": ("/etc/hostname", "", LEADS_OUT),
    "a link to nothing out": ("../../nothing.py", "", LEADS_OUT),
    "a link to itself": ("quiet.py", "", "cannot be read: Too many levels of symbolic"),
    "not UTF-8": (b"x = 1\n#\n# \xff\n", ":3", "is not UTF-8"),
    "not Python": (b"x = 1\nif x\n", ":2", "is not Python: expected ':'"),
    "of a function": (b"\nreturn\n", ":2", "is not Python: 'return' outside function"),
    "NUL": (b"\0", "", "is not Python: "),
    "nested without end": (b"x = " + b"-" * 100_000 + b"1", "", "is not Python: "),
}


@pytest.mark.parametrize("case", BAD)
def test_a_file_that_cannot_be_used_is_told(root: Path, case: str) -> None:
    content, line, message = BAD[case]
    if isinstance(content, bytes):
        (root / PATH).write_bytes(content)
    elif isinstance(content, str):
        (root / PATH).symlink_to(content)
    else:
        content(root / PATH)
    with pytest.raises(ConfigError) as caught:
        startup_of([QUIET], root)
    error = caught.value
    assert f"the start-up file of the mode 'quiet' {message}" in error.what
    assert error.where == f"{PATH}{line}"
    assert error.hint == HINT


def test_a_folder_that_leads_out_is_told(root: Path) -> None:
    (root / "startup").rmdir()
    (root.parent / "elsewhere").mkdir()
    (root.parent / "elsewhere" / "quiet.py").write_text("1")
    (root / "startup").symlink_to("../elsewhere")
    with pytest.raises(ConfigError, match="leads out of the project"):
        startup_of([QUIET], root)


def test_code_with_warnings_is_code(root: Path) -> None:
    (root / PATH).write_text(r"x = '\d'")
    assert startup_of([QUIET], root)


def test_each_file_is_told_once_however_many_rules_name_it(root: Path) -> None:
    loud = Mode(name="loud", note="aloud", startup="loud.py")
    (root / "loud.py").write_text("1")
    rules = [
        RunRule(pages=(page,), reason="accelerator", modes=(QUIET, loud))
        for page in ("a", "b")
    ]
    upstream = Upstream(
        package="JAX", version="1", name="demo", url="x", run=tuple(rules)
    )
    settings = Settings(root=root, locales=(), upstreams={"demo": upstream})
    (found,) = startup_findings(run_of(settings, upstream, locales=()))
    assert (found.where, found.exit_code) == (PATH, 2)
    assert "'quiet'" in found.text
