"""Git repositories: small ones that tests make, and the history of the real JAX docs.

Tests of git use real repositories in temporary folders. The user's own git configuration is not
read, so names, dates and hooks are the same on every machine.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from folders import write_tree

from pipeline.folders import Folders

DATE = "2026-01-02T03:04:05+0800"
DOCS = Folders(("docs",))  # where most upstreams have their pages
PAGES = (".ipynb", ".md")  # what names of notebooks and Markdown pages end in
AT_ONCE = 100  # blobs that git is asked for at a time


def git(folder: Path, *arguments: str, date: str = DATE) -> str:
    """Run git in ``folder``, with a fixed author. Return its output."""
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    for role in ("GIT_AUTHOR", "GIT_COMMITTER"):
        own = {f"{role}_NAME": "A", f"{role}_EMAIL": "a@b", f"{role}_DATE": date}
        environ |= own
    command = ["git", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environ, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def init_repository(folder: Path) -> Path:
    """Make an empty repository in ``folder``, with the branch ``main``."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    return folder


def commit_release(
    folder: Path,
    tag: str,
    files: Mapping[str, bytes | str],
    *,
    date: str = DATE,
    annotated: bool = False,
) -> None:
    """Commit a state in which the repository has only ``files``, and tag the commit.

    The file README contains the tag, so that two releases with the same pages are two commits.
    """
    write_tree(folder, {"README": tag, **files})
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", tag, date=date)
    git(folder, "tag", *(("-a", "-m", tag) if annotated else ()), tag, date=date)


def make_origin(folder: Path, releases: Mapping[str, Mapping[str, str]]) -> Path:
    """Make a repository with a tag for each release, a month apart. Pages are in ``docs``."""
    init_repository(folder)
    for month, (tag, pages) in enumerate(releases.items(), start=1):
        files = {f"docs/{path}": text for path, text in pages.items()}
        commit_release(folder, tag, files, date=f"2026-0{month}-05T06:07:08+0000")
    return folder


class Repository:
    """Reader of blobs in a git repository, many at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def clone(cls, url: str, path: Path) -> Repository:
        """Clone the whole history at ``url``, without a working tree."""
        subprocess.run(["git", "clone", "--quiet", "--bare", url, str(path)], check=True)
        return cls(path)

    def git(self, *arguments: str, given: str = "") -> bytes:
        """Run git in this repository, with ``given`` as its input. Return its output."""
        command = ["git", "-C", str(self.path), *arguments]
        return subprocess.run(command, input=given.encode(), capture_output=True, check=True).stdout

    def pages_at(self, ref: str, endings: tuple[str, ...] = PAGES) -> dict[str, str]:
        """Return the blob ids of all documents in ``docs/`` with these ``endings``, by path."""
        rows = self.git("ls-tree", "-r", "-z", ref, "--", "docs").decode().split("\0")
        entries = (row.split("\t", 1) for row in rows if row)
        return {
            path: head.split()[2]
            for head, path in entries
            if path.endswith(endings) and head.startswith("100")
        }

    def pages_ever(self, endings: tuple[str, ...] = PAGES) -> dict[str, str]:
        """Return all blobs of the history with these ``endings``, each with one path."""
        rows = self.git("rev-list", "--objects", "--all").decode().split("\n")
        entries = (row.split(" ", 1) for row in rows if row.endswith(endings))
        return {blob: path for blob, path in sorted(entries)}  # noqa: C416  # dict() loses the types

    def read(self, blobs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yield each blob with its content, in order, in batches to save memory."""
        for begin in range(0, len(blobs), AT_ONCE):
            asked = "\n".join(blobs[begin : begin + AT_ONCE]) + "\n"
            data = self.git("cat-file", "--batch", given=asked)
            at = 0
            # One after another: a line "<blob> blob <size>", the content, a line break.
            while at < len(data):
                head_end = data.index(b"\n", at)
                blob, _, size = data[at:head_end].decode().split()
                end = head_end + 1 + int(size)
                yield blob, data[head_end + 1 : end]
                at = end + 1
