"""git, as far as the project's own files lie in it: what it has of them, and how it merges them.

In go the project's root and names of objects or files. Where there is no git, or no repository, it
has nothing: no error, since the project works without one. Upstream's git is another matter
(``upstream/``).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path

from pipeline.errors import ConfigError

# A hook tells git's programs which repository it runs in: here the root alone decides that.
_OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
_SECONDS = 60.0  # for what takes milliseconds
_VERSIONS = 50  # of a file, that are looked through


def blobs_in_git(root: Path, blobs: Collection[str]) -> frozenset[str]:
    """Those of ``blobs`` (40 hex digits each) that the repository around ``root`` has.

    It has every version of a file that was ever added, committed, stashed or checked out, unless it
    has thrown it away since.
    """
    asked = "".join(f"{blob}\n" for blob in blobs)
    answer = _git(root, "cat-file", "--batch-check=%(objectname)", given=asked)
    # What it has not, it answers with "<name> missing".
    return frozenset(answer.split("\n")) & frozenset(blobs)


def blobs_in_history(root: Path, folder: str) -> frozenset[str]:
    """Return the versions of files below ``folder`` that a person finds again in git.

    A commit, the reflog, a stash or the index leads to them. Of a stash that was popped git keeps
    the blobs for some weeks, and nothing leads there.
    """
    every = ("--all", "--reflog", "--indexed-objects", "--full-history")
    answer = _git(root, "rev-list", "--objects", *every, "--", f":(literal){folder}")
    return frozenset(line.partition(" ")[0] for line in answer.split("\n"))


def versions_in_git(root: Path, path: str) -> Iterator[bytes]:
    """The versions that the file ``path`` has had on any branch, and before it was rewritten.

    The newest come first, each once, and not more than anybody would go back by hand.
    """
    log = ("log", "--all", "--reflog", f"--max-count={_VERSIONS}", "-m", "--format=")
    told = ("--raw", "--no-abbrev", "--no-renames", "--", f":(literal){path}")
    # The words of a row: both modes, the blob before, the one after, what was done, the path.
    rows = (line.split() for line in _git(root, *log, *told).split("\n"))
    blobs = dict.fromkeys(row[3] for row in rows if len(row) > 3)
    for blob in blobs:
        # A file that was deleted has the blob 000….
        if blob.strip("0"):
            yield run_git(root, "cat-file", "blob", blob)


def files_in_index(root: Path, paths: Collection[str]) -> frozenset[str]:
    """Those of ``paths``, relative to ``root``, that git expects to be there."""
    if not paths:
        return frozenset()
    answer = _git(
        root, "ls-files", "-z", "--", *(f":(literal){path}" for path in paths)
    )
    return frozenset(answer.split("\0")) & frozenset(paths)


def checked_out(root: Path) -> str:
    """Return what HEAD names, a branch or a commit; empty where there is no repository."""
    branch = _git(root, "symbolic-ref", "--quiet", "HEAD")
    return (branch or _git(root, "rev-parse", "--quiet", "--verify", "HEAD")).strip()


def whole_commit(root: Path) -> str:
    """Return the commit that is checked out; empty without git, or if it lacks work on the docs."""
    places = ("pyproject.toml", "upstream", "translations")
    if _git(root, "status", "--porcelain", "--", *places).strip():
        return ""
    return _git(root, "rev-parse", "--quiet", "--verify", "HEAD").strip()


def tracked_though_ignored(root: Path, folder: str) -> frozenset[str]:
    """Return the files below ``folder`` that git tracks here, though it ignores them elsewhere.

    Where git ignores a file, it overwrites it without a word to check out a branch that has it.
    """
    listing = ("ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
    answer = _git(root, *listing, "--", f":(literal){folder}")
    return frozenset(answer.split("\0")) - {""}


def authors_of_lines(root: Path, path: str) -> dict[str, str]:
    """Return who brought each line into a file first, and when; of commits on any branch.

    ``msgstr "茶"`` → ``Li Lei <li@example.org>, 2026-05-01 09:30+0800``.
    """
    shape = ("--format=@%an <%ae>, %ad", "--date=format:%Y-%m-%d %H:%M%z")
    log = "log --all --no-merges --patch --unified=0 --text --no-color".split()
    authors: dict[str, str] = {}
    author = ""
    for line in _git(root, *log, *shape, "--", f":(literal){path}").split("\n"):
        if line.startswith("@") and not line.startswith("@@"):
            author = line[1:]
        elif line.startswith("+"):
            authors[line[1:]] = author  # the oldest commit comes last
    return authors


def moments_of_lines(root: Path, path: str) -> list[tuple[str, float]]:
    """Return the lines of a file, each with the second since 1970 in which it was last committed.

    A line that is not committed yet is of now. Without a version in git there are no lines.
    """
    lines: list[tuple[str, float]] = []
    moment = 0.0
    for row in _git(root, "blame", "--line-porcelain", "--", path).split("\n"):
        if row.startswith("author-time "):
            moment = float(row.split()[1])
        elif row.startswith("\t"):
            lines.append((row[1:], moment))
    return lines


def person_in_git(root: Path) -> str:
    """Who commits here, as a catalogue's header has it: ``Li Lei <li@example.org>``; or empty."""
    name = _git(root, "config", "--get", "user.name").strip()
    address = _git(root, "config", "--get", "user.email").strip()
    if name and address:
        return f"{name} <{address}>"
    return name


def lend_repository(root: Path, folder: Path) -> Path:
    """Return where in the empty ``folder`` a copy of ``root`` may ask git what it asks there.

    It is as deep in the folder as ``root`` is in its repository. Only questions may be asked.
    """
    words = _git(root, "rev-parse", "--absolute-git-dir", "--show-prefix").split("\n")
    if len(words) < 2:
        return folder
    place, prefix, *_ = words
    (folder / ".git").write_text(f"gitdir: {place}\n", "utf-8")
    copy = folder / prefix
    copy.mkdir(parents=True, exist_ok=True)
    return copy


def set_merge_driver(root: Path, name: str, *, title: str, command: str) -> bool:
    """Let git merge files with the attribute ``merge=<name>`` by ``command``, in this clone.

    Return whether that is new. Raises ConfigError where it cannot be set.
    """
    if not _git(root, "rev-parse", "--git-dir"):
        raise ConfigError(
            "is not in a git repository",
            where=str(root),
            hint="Clone the project with git, or run: git init",
        )
    is_new = False
    for key, value in (
        (f"merge.{name}.name", title),
        (f"merge.{name}.driver", command),
    ):
        if _setting(root, key) == value:
            continue
        is_new = True
        _git(root, "config", "--local", key, value)
        if _setting(root, key) != value:
            raise ConfigError(
                f"git cannot set {key}",
                where=str(root),
                hint="Look whether the configuration in .git can be written.",
            )
    return is_new


def merge_attribute(root: Path, path: str) -> str:
    """What ``.gitattributes`` say by which driver the file ``path`` is merged; empty: nothing."""
    answer = _git(root, "check-attr", "-z", "merge", "--", path)
    # "<path> NUL merge NUL <value> NUL"
    value = answer.split("\0")[2] if answer else ""
    return "" if value == "unspecified" else value


def _setting(root: Path, key: str) -> str:
    return _git(root, "config", "--local", "--get", key).rstrip("\n")


def _git(root: Path, *arguments: str, given: str = "") -> str:
    """What git prints, as text; nothing if it fails, or if there is no git."""
    data = run_git(root, *arguments, given=given.encode("utf-8", "surrogateescape"))
    return data.decode("utf-8", "surrogateescape")


def run_git(root: Path, *arguments: str, given: bytes = b"") -> bytes:
    """What git prints; nothing if it fails, or if there is no git."""
    program = shutil.which("git")
    if program is None:
        return b""
    environment = {
        name: value for name, value in os.environ.items() if name not in _OF_A_HOOK
    }
    # A partial clone is asked for what it has, not for what it could have.
    environment["GIT_NO_LAZY_FETCH"] = "1"
    try:
        ended = subprocess.run(
            [program, "-C", str(root), *arguments],
            input=given,
            env=environment,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return ended.stdout if ended.returncode == 0 else b""
