"""What a machine lacks: room, files, a folder, a home. It is named, and no file is harmed."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from folders import read_tree
from in_process import command

from pipeline.cli import main

Speech = pytest.CaptureFixture[str]
SYNC = "sync sample --no-execute"
FULL = Path("/dev/full")


@pytest.mark.parametrize("line", ["status sample", "check", SYNC, "status sample --json"])
def test_a_full_stdout_is_no_bug(line: str, synced: Path, capsys: Speech) -> None:
    with FULL.open("w") as full, redirect_stdout(full):
        assert main(line.split()) == 70
        # The rest of the text would fail again when the file is closed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())
    said = capsys.readouterr().err
    assert "no space is left on the project's disk" in said
    assert "This is a bug" not in said


def test_a_full_stderr_leaves_the_exit_code(synced: Path) -> None:
    with FULL.open("w") as full, redirect_stderr(full):
        assert main(SYNC.split()) == 70
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())


@pytest.mark.parametrize("line", ["status sample", "check", "review", SYNC])
def test_a_folder_that_is_gone_is_named(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Speech
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(line.split()) == 70
    assert "the current folder no longer exists" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("opened", "code"),
    [(13, errno.ENFILE), *((number, errno.EMFILE) for number in range(1, 40, 6))],
)
def test_too_many_open_files_are_no_bug_and_lose_nothing(
    opened: int, code: int, synced: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From one file on, no file or folder can be opened."""
    before = read_tree(synced / "translations")
    for path in (synced / "build").rglob("*.msgpack"):
        path.unlink()
    left = opened

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: object, **named: object) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise OSError(code, os.strerror(code))
            return real(*words, **named)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", counted(Path.open))
        for name in ("scandir", "open"):
            patch.setattr(os, name, counted(getattr(os, name)))
        told = command(SYNC, code=None)
    assert told.code != 0
    assert os.strerror(code) in told.err or "too many files are open" in told.err
    assert "This is a bug" not in told.err
    assert read_tree(synced / "translations") == before


@pytest.mark.parametrize(
    "variables", ["HOME=/nowhere", "LC_ALL=C LANG=C", "LC_ALL=zz_ZZ.nothing", ""]
)
def test_a_bare_environment_changes_no_file(
    variables: str, synced: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no variables at all there is no home either."""
    before = read_tree(synced / "translations")
    for name in () if variables else ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for variable in variables.split():
        monkeypatch.setenv(*variable.split("="))
    command(f"{SYNC} -q")
    assert read_tree(synced / "translations") == before


def test_with_a_strict_umask_others_can_still_read_built_files(synced: Path) -> None:
    page = next((synced / "build").rglob("html/index.html"))
    page.unlink()
    old = os.umask(0o077)
    try:
        command(f"{SYNC} -q")
    finally:
        os.umask(old)
    assert stat.S_IMODE(page.stat().st_mode) == 0o644


@pytest.mark.parametrize("years", [-30, 30])
def test_a_clock_that_is_wrong_changes_no_file(synced: Path, years: int) -> None:
    before = read_tree(synced / "translations")
    moment = time.time() + years * 365 * 86400
    for path in synced.rglob("*"):
        os.utime(path, (moment, moment))
    command(f"{SYNC} --check -q")
    command(f"{SYNC} -q")
    assert read_tree(synced / "translations") == before
