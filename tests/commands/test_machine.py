"""What a machine lacks: room, files, a folder, a home. It is named, and no file is harmed."""

from __future__ import annotations

import errno
import os
import stat
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from folders import read_tree

from pipeline.cli import main

SYNC = ("sync", "sample", "--no-execute")
FULL = Path("/dev/full")


@pytest.mark.parametrize(
    "words", [("status", "sample"), ("check",), SYNC, ("status", "sample", "--json")]
)
def test_a_full_stdout_is_no_bug(
    words: tuple[str, ...], synced: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FULL.open("w") as full, redirect_stdout(full):
        assert main(words) == 70
        # The rest of the text would fail again when the file is closed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())
    said = capsys.readouterr().err
    assert "no space is left on the project's disk" in said
    assert "This is a bug" not in said


def test_a_full_stderr_leaves_the_exit_code(synced: Path) -> None:
    with FULL.open("w") as full, redirect_stderr(full):
        assert main(SYNC) == 70
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())


@pytest.mark.parametrize("words", [("status", "sample"), ("check",), ("review",), SYNC])
def test_a_folder_that_is_gone_is_named(
    words: tuple[str, ...],
    synced: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(words) == 70
    assert "the current folder no longer exists" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("opened", "code"),
    [(13, errno.ENFILE), *((number, errno.EMFILE) for number in range(1, 40, 6))],
)
def test_too_many_open_files_are_no_bug_and_lose_nothing(
    opened: int,
    code: int,
    synced: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """From one file on, no file or folder can be opened."""
    before = read_tree(synced / "translations")
    for path in (synced / "build").rglob("*.msgpack"):
        path.unlink()
    left = opened
    open_path, scan, create = Path.open, os.scandir, os.open

    def count() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        for owner, name, real in (
            (Path, "open", open_path),
            (os, "scandir", scan),
            (os, "open", create),
        ):

            def counted(*words: object, real=real, **named: object):  # type: ignore[no-untyped-def]
                count()
                return real(*words, **named)

            patch.setattr(owner, name, counted)
        assert main(SYNC) != 0
    said = capsys.readouterr().err
    assert os.strerror(code) in said or "too many files are open" in said
    assert "This is a bug" not in said
    assert read_tree(synced / "translations") == before


@pytest.mark.parametrize(
    "variables",
    [
        {"HOME": None, "XDG_CACHE_HOME": None},
        {"HOME": "/nowhere"},
        {"LC_ALL": "C", "LANG": "C"},
        {"LC_ALL": "zz_ZZ.nothing"},
    ],
)
def test_a_bare_environment_changes_no_file(
    variables: dict[str, str | None], synced: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read_tree(synced / "translations")
    for name, value in variables.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert main((*SYNC, "-q")) == 0
    assert read_tree(synced / "translations") == before


def test_with_a_strict_umask_others_can_still_read_built_files(synced: Path) -> None:
    page = next((synced / "build").rglob("html/index.html"))
    page.unlink()
    old = os.umask(0o077)
    try:
        assert main((*SYNC, "-q")) == 0
    finally:
        os.umask(old)
    assert stat.S_IMODE(page.stat().st_mode) == 0o644


@pytest.mark.parametrize("years", [-30, 30])
def test_a_clock_that_is_wrong_changes_no_file(synced: Path, years: int) -> None:
    before = read_tree(synced / "translations")
    moment = time.time() + years * 365 * 86400
    for path in synced.rglob("*"):
        os.utime(path, (moment, moment))
    assert main((*SYNC, "--check", "-q")) == 0
    assert main((*SYNC, "-q")) == 0
    assert read_tree(synced / "translations") == before
