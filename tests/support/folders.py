"""Contents of folders as values, so that tests can write, read and compare folders."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from places import ROOT

LOCK_FILE = ".lock"  # the running command holds it; its time says nothing


def write_tree(folder: Path, files: Mapping[str, bytes | str]) -> None:
    """Replace the content of ``folder`` by ``files``, given by path; keep a ``.git`` folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name == ".git":
            continue
        if old.is_dir():
            shutil.rmtree(old)
        else:
            old.unlink()
    for path, content in files.items():
        write_file(folder / path, content)


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file, and make its folder if there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def read_tree(folder: Path) -> dict[str, bytes]:
    """Return the content of every file in ``folder``, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return time and content of every file in ``folder``, by path.

    Two snapshots are equal only if no file was written between them, not even with the same
    content.
    """
    return {
        path: (folder.joinpath(path).stat().st_mtime_ns, content)
        for path, content in read_tree(folder).items()
        if path.rpartition("/")[2] != LOCK_FILE
    }


def copy_project(target: Path) -> None:
    """Copy the files that the sample needs: configuration, English pages, translations."""
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "pyproject.toml", target)
    shutil.copytree(ROOT / "upstream" / "sample", target / "upstream" / "sample")
    if (ROOT / "translations").exists():
        # A developer's catalogues of the real docs are large, and no test wants them.
        ours, theirs = ROOT / "translations", target / "translations"
        shutil.copytree(ours, theirs, ignore=shutil.ignore_patterns("jax"))
