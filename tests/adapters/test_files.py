"""Files are written whole or not at all, and only when they change."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from places import ROOT

from pipeline.adapters.files import (
    WriteError,
    files_below,
    hold_lock,
    read_bytes,
    remove_abandoned,
    remove_files,
    remove_tree,
    scratch_folder,
    write_atomic,
    write_if_changed,
)
from pipeline.errors import InputError


def test_a_file_is_written_only_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "page.md"
    assert write_if_changed(path, b"one")
    before = path.stat().st_mtime_ns
    assert not write_if_changed(path, b"one")
    assert path.stat().st_mtime_ns == before
    assert write_if_changed(path, b"two")
    assert path.read_bytes() == b"two"


def test_dry_run_tells_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "page.md"
    assert write_if_changed(path, b"one", dry=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["页" * 80, "😀" * 62, "a" * 255])
def test_files_with_the_longest_names_are_written(tmp_path: Path, name: str) -> None:
    write_atomic(tmp_path / name, b"x")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_new_files_may_be_read_by_others(tmp_path: Path) -> None:
    write_atomic(tmp_path / "page.md", b"x")
    assert (tmp_path / "page.md").stat().st_mode & 0o777 == 0o644


def test_write_that_breaks_off_keeps_the_old_content(tmp_path: Path) -> None:
    """A file size limit is a real disk that fills up in the middle of a file."""
    path = tmp_path / "page.md"
    path.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(WriteError, match="cannot be written") as caught:
            write_if_changed(path, b"x" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.where == str(path)
    assert "nothing was half-written" in caught.value.hint
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.md"]


def interrupted_at(step: int, path: Path) -> bool:
    """Write ``path`` and raise KeyboardInterrupt at so many steps of Python's; whether it came.

    Steps are those of the code that writes and of all that it calls.
    """
    left = step

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal left
        frame.f_trace_opcodes = True
        left -= 1
        if left == 0:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        write_atomic(path, b"new")
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
def test_an_interrupt_at_any_moment_leaves_no_half_written_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C between two steps of Python's: the file is the old one or the new one, and alone."""
    monkeypatch.setattr(os, "fsync", lambda _: None)  # it is waited for a thousand times
    path = tmp_path / "page.md"
    steps = 1
    while True:
        path.write_bytes(b"old")
        came = interrupted_at(steps, path)
        assert [entry.name for entry in tmp_path.iterdir()] == ["page.md"], steps
        assert path.read_bytes() in (b"old", b"new")
        if not came:
            break
        steps += 1
    assert steps > 100  # so that it was indeed interrupted, many times


def test_what_a_killed_run_has_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    kept = [".a.po.tmp", "b.po.0123abcd.tmp", ".c.0123abcd.po", ".d.0123abcd"]
    for name in (*kept, ".a.po.0123abcd.tmp", f".{'x' * 40}.89abcdef.tmp"):
        (tmp_path / "zh_CN" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "zh_CN" / name).write_bytes(b"half")
    remove_abandoned([tmp_path, tmp_path / "nowhere"])
    assert sorted(path.name for path in (tmp_path / "zh_CN").iterdir()) == sorted(kept)


def test_folder_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "page.md").mkdir()
    with pytest.raises(WriteError):
        write_if_changed(tmp_path / "page.md", b"x")
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.md"]


def test_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "notebooks").write_bytes(b"not a folder")
    with pytest.raises(WriteError, match="cannot be written"):
        write_if_changed(tmp_path / "notebooks" / "page.md", b"x")
    assert (tmp_path / "notebooks").read_bytes() == b"not a folder"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(WriteError) as caught:
        write_if_changed(tmp_path / "page.md", b"x")
    assert "read-only" in caught.value.hint


def test_a_file_that_is_missing_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file") as caught:
        read_bytes(tmp_path / "none.md")
    assert caught.value.where == str(tmp_path / "none.md")
    assert caught.value.exit_code == 4


def test_removing_takes_empty_folders_along(tmp_path: Path) -> None:
    kept, gone = tmp_path / "kept.md", tmp_path / "guides" / "old" / "page.md"
    write_atomic(kept, b"x")
    write_atomic(gone, b"x")
    remove_files([gone, tmp_path / "never" / "there.md"])
    assert list(tmp_path.rglob("*")) == [kept]


def test_what_cannot_be_removed(tmp_path: Path) -> None:
    (tmp_path / "page.md").mkdir()
    with pytest.raises(WriteError, match="cannot be removed"):
        remove_files([tmp_path / "page.md"])


HOLDER = """
import sys
from pathlib import Path
from pipeline.adapters.files import hold_lock
with hold_lock(Path(sys.argv[1]), on_wait=lambda: None):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_second_run_waits_for_the_first(tmp_path: Path) -> None:
    path = tmp_path / "build" / ".lock"
    told: list[str] = []
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdin
        assert first.stdout
        assert first.stdout.readline() == "held\n"
        with (
            pytest.raises(WriteError, match=r"another run has held the lock"),
            hold_lock(path, on_wait=lambda: told.append("1"), timeout=0.1),
        ):
            pass
        # A run that is killed leaves its lock free.
        with hold_lock(path, on_wait=first.kill, timeout=20):
            pass
    assert told == ["1"]


def test_lock_in_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "build").write_bytes(b"not a folder")
    with (
        pytest.raises(WriteError, match="cannot be locked"),
        hold_lock(tmp_path / "build" / ".lock", on_wait=lambda: None),
    ):
        pass


# A tree that strangers' code has made is removed or listed, whatever is in it.


DEPTH = 1200  # more than Python's stack; with names of four bytes more than a path can be


def make_deep(folder: Path) -> None:
    # One level after another, by its descriptor: the whole path would be too long.
    place = os.open(folder, os.O_RDONLY)
    for _ in range(DEPTH):
        os.mkdir("deep", dir_fd=place)
        below = os.open("deep", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = below
    os.close(place)


def make_wide(folder: Path) -> None:
    for name in "abc":
        for inner in "abc":
            (folder / name / inner / name).mkdir(parents=True)
            (folder / name / inner / "file").write_text("x")


def make_forbidden(folder: Path) -> None:
    inner = folder / "closed" / "shut" / "locked"
    inner.mkdir(parents=True)
    (inner / "file").write_text("x")
    (inner / "file").chmod(0)
    for closed in (inner, inner.parent, inner.parent.parent, folder):
        closed.chmod(0)


def make_odd_names(folder: Path) -> None:
    for name in (b"\xff\xfe", b"new\nline", b"-rf", b"\x1b[31m", "图".encode() * 80):
        inner = os.path.join(os.fsencode(folder), name, name)
        os.makedirs(inner)
        os.close(os.open(os.path.join(inner, name), os.O_CREAT))


def make_links(folder: Path) -> None:
    kept = folder.parent / "kept"
    (folder / "inner").mkdir()
    (folder / "to-folder").symlink_to(kept)
    (folder / "inner" / "to-folder").symlink_to(kept)
    (folder / "inner" / "to-file").symlink_to(kept / "file")
    (folder / "inner" / "to-itself").symlink_to("to-itself")
    os.mkfifo(folder / "inner" / "pipe")


@pytest.mark.parametrize("make", [make_deep, make_wide, make_forbidden, make_odd_names, make_links])
def test_only_the_tree_is_removed(tmp_path: Path, make: Callable[[Path], None]) -> None:
    kept, folder = tmp_path / "kept", tmp_path / "folder"
    kept.mkdir()
    (kept / "file").write_text("kept")
    folder.mkdir()
    make(folder)
    remove_tree(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (kept / "file").read_text() == "kept"


def test_a_link_or_file_in_place_of_a_tree_is_removed_itself(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to("kept")
    (tmp_path / "file").write_text("x")
    for name in ("link", "file", "missing"):
        remove_tree(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_a_scratch_folder_goes_also_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), scratch_folder("nb-", tmp_path) as folder:
        assert folder.parent == tmp_path
        make_wide(folder)
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_files_are_listed_however_deep_the_folders_are(tmp_path: Path) -> None:
    make_wide(tmp_path)
    make_links(tmp_path)
    folder = tmp_path / "deep"
    folder.mkdir()
    make_deep(folder)
    (folder / "deep" / "page.md").write_text("x")
    assert files_below(tmp_path, ".md") == [folder / "deep" / "page.md"]
    # Links to folders are neither files nor looked into.
    (tmp_path / "linked.md").symlink_to("deep")
    assert len(files_below(tmp_path, ".md")) == 1
    assert files_below(tmp_path / "missing", "") == []
    remove_tree(folder)  # pytest cannot
