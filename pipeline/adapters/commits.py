"""Commits of the project's own git: their names, where branches part, and their files.

In go the project's root and names of commits, out come ids and bytes. Nothing is fetched, and
nothing is written. What git cannot tell is an error here, unlike in ``version_control``: whoever
asks for a commit needs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.adapters.version_control import run_git
from pipeline.errors import ConfigError
from pipeline.packages import how_to_run

_NO_BLOB = "0" * 40  # in place of a file that is not there
_COMMITS = 2000  # that are looked through: years of daily ones
_FETCH = "In a shallow clone, run first: git fetch --unshallow origin"


def commit_of(root: Path, name: str) -> str:
    """The id of a commit, tag or branch. Raises ConfigError if there is none of that name."""
    commit = _commit(root, name)
    if commit:
        return commit
    if not _words(root, "rev-parse", "--git-dir"):
        raise ConfigError(
            "is not in a git repository",
            where=str(root),
            hint="Clone the project with git: two of its commits are compared.",
        )
    # A branch that was never checked out here is known by its remote.
    remote = f"origin/{name}"
    meant = f"Did you mean {remote}? " if _commit(root, remote) else ""
    raise ConfigError(
        f"git knows no commit {name!r}",
        hint=f"{meant}Name a branch, a tag or a commit. {_FETCH}",
    )


def check_out(root: Path, commit: str, folder: Path) -> Path:
    """Check a commit of the project out into a clone in ``folder``; return the project's root.

    The clone has the history, and git ignores there what it ignores here. Raises ConfigError for
    a commit that HEAD does not come from: anybody may have made it.
    """
    commit = commit_of(root, commit)
    if merge_base(root, commit, "HEAD") != commit:
        raise ConfigError(
            f"commit {commit[:12]} is not part of what is checked out",
            where=str(root),
            hint="Check out the branch that the site is built from.",
        )
    told = run_git(root, "rev-parse", "--show-toplevel").decode(
        "utf-8", "surrogateescape"
    )
    top = Path(told.removesuffix("\n"))
    below = root.resolve().relative_to(top.resolve())
    run_git(root, "clone", "-q", "--shared", "--no-checkout", str(top), str(folder))
    run_git(folder, "checkout", "-q", "--detach", commit)
    if not (folder / below / "pyproject.toml").is_file():
        raise ConfigError(
            f"has no project at commit {commit[:12]}",
            where=str(root),
            hint=f"Run this in the project that the site was built from. {_FETCH}",
        )
    return folder / below


def main_branch(root: Path, names: Sequence[str]) -> str:
    """The first of ``names`` that git knows. Raises ConfigError if it knows none of them."""
    for name in names:
        if _commit(root, name):
            return name
    # Also where there is no repository at all, which is another mistake.
    commit_of(root, "HEAD")
    raise ConfigError(
        f"there is no main branch to compare with: {', '.join(names)}",
        hint=f"Name a commit: {how_to_run('review', 'COMMIT')}. {_FETCH}",
    )


def merge_base(root: Path, first: str, second: str) -> str:
    """The newest commit that two commits have both come from. Raises ConfigError."""
    words = _words(root, "merge-base", first, second)
    if not words:
        raise ConfigError(
            f"{first[:12]} and {second[:12]} have no history in common here",
            hint=_FETCH,
        )
    return words[0]


def files_at(root: Path, commit: str, folder: str) -> dict[str, str]:
    """The blobs of all files below ``folder`` at a commit, by path relative to ``root``."""
    listed = run_git(root, "ls-tree", "-r", "-z", commit, "--", folder)
    blobs: dict[str, str] = {}
    for row in listed.decode("utf-8", "surrogateescape").split("\0"):
        # "100644 blob 1f0c…\tpath"; what is no file, such as a submodule, has no blob.
        words, _, path = row.partition("\t")
        if " blob " in words:
            blobs[path] = words.split()[2]
    return blobs


def read_blobs(root: Path, blobs: Collection[str]) -> Mapping[str, bytes]:
    """The content of each blob, by one question to git. Raises ConfigError for one it lacks."""
    asked = "".join(f"{blob}\n" for blob in blobs)
    answer = run_git(root, "cat-file", "--batch", given=asked.encode("ascii"))
    contents: dict[str, bytes] = {}
    at = 0
    for blob in blobs:
        # "<blob> blob <size>", the content, and a line break.
        end = answer.find(b"\n", at)
        words = answer[at : max(at, end)].split()
        if len(words) != 3:
            raise ConfigError(
                f"this clone lacks the blob {blob[:12]}",
                hint="A partial clone has a part of the files only: make a full one.",
            )
        size = int(words[2])
        contents[blob] = answer[end + 1 : end + 1 + size]
        at = end + size + 2
    return contents


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file that a commit has changed. A blob is empty where there was, or is, no file."""

    path: str  # relative to the root
    commit: str
    date: str  # when it was committed, 2026-05-01T09:30:00+08:00
    author: str  # their name
    before: str
    after: str


def changes_below(root: Path, folder: str) -> Iterator[FileChange]:
    """What the commits that HEAD has come from did to the files below ``folder``, newest first.

    Of a merge it is what came with it, at its own date: then the files were there for readers.
    Where a shallow clone ends nobody can tell what was changed, so that nothing is told of it.
    Nothing comes out where there is no git.
    """
    log = ("log", "--first-parent", "-m", f"--max-count={_COMMITS}")
    shape = ("--raw", "-z", "--no-abbrev", "--no-renames", "--format=@%H%x00%cI%x00%an")
    answer = run_git(root, *log, *shape, "HEAD", "--", folder)
    ends = _shallow_ends(root)
    words = iter(answer.decode("utf-8", "surrogateescape").split("\0"))
    commit = date = author = ""
    for word in words:
        # "@<commit>", date and name; then ":<modes> <blob> <blob> M" and a path for each file.
        mark = word.lstrip("\n")
        if mark.startswith("@"):
            commit, date, author = mark[1:], next(words), next(words)
        elif mark.startswith(":"):
            _, _, before, after, _ = mark.split()
            path = next(words)
            if commit not in ends:
                yield FileChange(
                    path=path,
                    commit=commit,
                    date=date,
                    author=author,
                    before=before.replace(_NO_BLOB, ""),
                    after=after.replace(_NO_BLOB, ""),
                )


def _shallow_ends(root: Path) -> frozenset[str]:
    """The commits whose parents a shallow clone lacks; none in a whole one."""
    name = run_git(root, "rev-parse", "--git-path", "shallow").decode().strip()
    path = root / name
    if not name or not path.is_file():
        return frozenset()
    return frozenset(path.read_text("ascii").split())


def _commit(root: Path, name: str) -> str:
    """The id of a commit; empty if there is none of that name."""
    question = ("rev-parse", "--verify", "--quiet", "--end-of-options")
    words = _words(root, *question, f"{name}^{{commit}}")
    return words[0] if words else ""


def _words(root: Path, *arguments: str) -> list[str]:
    return run_git(root, *arguments).decode("utf-8", "replace").split()
