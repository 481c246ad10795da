"""A tree that strangers' code has made is removed or listed, whatever is in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.adapters.files import files_below, remove_tree, scratch_folder

DEPTH = (
    1200  # more than Python's stack; with names of four bytes more than a path can be
)


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


@pytest.mark.parametrize(
    "make", [make_deep, make_wide, make_forbidden, make_odd_names, make_links]
)
def test_a_tree_is_removed_and_nothing_else(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    kept, folder = tmp_path / "kept", tmp_path / "folder"
    kept.mkdir()
    (kept / "file").write_text("kept")
    folder.mkdir()
    make(folder)
    remove_tree(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (kept / "file").read_text() == "kept"


def test_a_link_or_file_in_the_place_of_a_tree_is_removed_itself(
    tmp_path: Path,
) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to("kept")
    (tmp_path / "file").write_text("x")
    for name in ("link", "file", "missing"):
        remove_tree(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_a_scratch_folder_goes_also_after_an_error(tmp_path: Path) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        scratch_folder("nb-", tmp_path) as folder,
    ):
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
