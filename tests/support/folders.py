"""Folders as values, so that a test can write one, read one, or compare two states of one."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from places import ROOT

LOCK_FILE = ".lock"  # the running command holds it; its time says nothing


def write_tree(folder: Path, files: Mapping[str, bytes | str]) -> None:
    """Make ``folder`` hold just ``files``, by path; a ``.git`` stays."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name == ".git":
            continue
        if old.is_dir():
            shutil.rmtree(old)
        else:
            old.unlink()
    for path, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


def read_tree(folder: Path) -> dict[str, bytes]:
    """The content of every file under ``folder``, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Time and content of every file under ``folder``: equal only if nothing was written at all."""
    return {
        path.relative_to(folder).as_posix(): (
            path.stat().st_mtime_ns,
            path.read_bytes(),
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != LOCK_FILE
    }


def copy_project(target: Path) -> None:
    """Put into ``target`` what the sample needs: configuration, English pages, translations."""
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "pyproject.toml", target)
    shutil.copytree(ROOT / "upstream" / "sample", target / "upstream" / "sample")
    if (ROOT / "translations").exists():
        # A developer's catalogues of the real docs are large, and no test wants them.
        without_jax = shutil.ignore_patterns("jax")
        shutil.copytree(
            ROOT / "translations", target / "translations", ignore=without_jax
        )
