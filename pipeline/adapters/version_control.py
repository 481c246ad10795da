"""The project's own git repository: versions of files, merge settings, and content of commits.

``root`` is the root folder of the project, which may be below the root of the repository. Nothing
is fetched. The project works without git, so functions about files return empty results if there
is no git or no repository. Functions that take a commit raise an error if the commit is unknown.
The package ``pipeline.adapters.upstream`` reads the other repository, that of upstream.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from pipeline.errors import ConfigError
from pipeline.packages import how_to_run

# Variables that name the repository of a git hook. They are removed, because the pipeline may run
# in a hook of another repository.
_OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
_SECONDS = 60.0  # time limit of a command; most take milliseconds
_VERSIONS = 50  # maximum number of commits that are searched for versions of a file


def blobs_in_git(root: Path, blobs: Collection[str]) -> frozenset[str]:
    """Return those of ``blobs`` (40 hex digits each) that the repository has.

    git has a blob for every version of a file that was ever added, committed or stashed. It removes
    unreachable blobs after some time.
    """
    asked = "".join(f"{blob}\n" for blob in blobs)
    answer = _git(root, "cat-file", "--batch-check=%(objectname)", given=asked)
    # git answers "<name> missing" for other blobs.
    return frozenset(answer.split("\n")) & frozenset(blobs)


def blobs_in_history(root: Path, folder: str) -> frozenset[str]:
    """Return the blobs of all versions of files below ``folder`` that a person can find in git.

    These blobs are reachable from a commit, the reflog, a stash or the index. The blobs of a popped
    stash stay in git for some weeks, but they are unreachable, so they are left out.
    """
    every = ("--all", "--reflog", "--indexed-objects", "--full-history")
    answer = _git(root, "rev-list", "--objects", *every, "--", f":(literal){folder}")
    return frozenset(line.partition(" ")[0] for line in answer.split("\n"))


def versions_in_git(root: Path, path: str) -> Iterator[bytes]:
    """Yield the content of the file ``path`` in commits of any branch, and in rewritten commits.

    The newest version comes first, and each version comes once. Only the ``_VERSIONS`` newest
    commits that changed the file are read.
    """
    log = ("log", "--all", "--reflog", f"--max-count={_VERSIONS}", "-m", "--format=")
    options = ("--raw", "--no-abbrev", "--no-renames", "--", f":(literal){path}")
    # Fields of a row: both modes, the old blob, the new blob, the kind of change, the path.
    rows = (line.split() for line in _git(root, *log, *options).split("\n"))
    blobs = dict.fromkeys(row[3] for row in rows if len(row) > 3)
    for blob in blobs:
        # A deleted file has the blob 000….
        if blob.strip("0"):
            yield run_git(root, "cat-file", "blob", blob)


def files_in_index(root: Path, paths: Collection[str]) -> frozenset[str]:
    """Return those of ``paths``, relative to ``root``, that are in git's index."""
    if not paths:
        return frozenset()
    answer = _git(root, "ls-files", "-z", "--", *(f":(literal){path}" for path in paths))
    return frozenset(answer.split("\0")) & frozenset(paths)


def checked_out(root: Path) -> str:
    """Return the branch (``refs/heads/main``) or commit of HEAD; "" without a repository."""
    branch = _git(root, "symbolic-ref", "--quiet", "HEAD")
    return (branch or _git(root, "rev-parse", "--quiet", "--verify", "HEAD")).strip()


def clean_commit(root: Path) -> str:
    """Return the commit of HEAD; "" without git, or if inputs of a site are not committed."""
    places = ("pyproject.toml", "upstream", "translations")
    if _git(root, "status", "--porcelain", "--", *places).strip():
        return ""
    return _git(root, "rev-parse", "--quiet", "--verify", "HEAD").strip()


def tracked_though_ignored(root: Path, folder: str) -> frozenset[str]:
    """Return the files below ``folder`` that git tracks although ``.gitignore`` lists them.

    git can overwrite such a file without a warning. This happens if the file exists on a branch
    that does not track it, and somebody then switches to a branch that tracks the file.
    """
    listing = ("ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
    answer = _git(root, *listing, "--", f":(literal){folder}")
    return frozenset(answer.split("\0")) - {""}


def files_in_history(root: Path, folder: str) -> frozenset[str]:
    """Return the files below ``folder`` that any commit has changed, relative to ``root``."""
    log = "log --all --no-merges --format= --name-only -z --relative".split()
    answer = _git(root, *log, "--", f":(literal){folder}")
    return frozenset(answer.replace("\n", "\0").split("\0"))


def authors_of_lines(root: Path, path: str) -> dict[str, str]:
    """Return, for each line of a file, who first added it and when, in commits of any branch.

    ``msgstr "茶"`` → ``Li Lei <li@example.org>, 2026-05-01 09:30+0800``
    """
    # NUL at its start marks a line with an author, because no line of a patch begins with NUL.
    shape = ("--format=%x00%an <%ae>, %ad", "--date=format:%Y-%m-%d %H:%M%z")
    log = "log --all --no-merges --patch --unified=0 --text --no-color".split()
    authors: dict[str, str] = {}
    author = ""
    for line in _git(root, *log, *shape, "--", f":(literal){path}").split("\n"):
        if line.startswith("\0"):
            author = line[1:]
        elif line.startswith("+"):
            # The oldest commit comes last, so its author stays.
            authors[line[1:]] = author
    return authors


def moments_of_lines(root: Path, path: str) -> list[tuple[str, float]]:
    """Return each line of a file with the author date of its last commit (seconds since 1970).

    An uncommitted line has the current time. The list is empty for a file that git does not have.
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
    """Return git's user for the header of a catalogue: ``Li Lei <li@example.org>``, or ""."""
    name = _git(root, "config", "--get", "user.name").strip()
    address = _git(root, "config", "--get", "user.email").strip()
    if name and address:
        return f"{name} <{address}>"
    return name


def link_repository(root: Path, folder: Path) -> Path:
    """Connect the empty ``folder`` to the git repository of ``root``; return the place for a copy.

    The place is a new folder below ``folder``. Its path there is the path of ``root`` in the
    repository. After the caller has copied the files of ``root`` to the place, git answers queries
    there as it does in ``root``. The caller must not run commands that change the repository. If
    ``root`` is in no repository, return ``folder``.
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
    """Configure git to run ``command`` to merge files with the attribute ``merge=<name>``.

    The setting is local to this clone. ``title`` is the driver's name for people. Return whether
    the setting changed. Raises ConfigError if git cannot store it.
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
                hint="Check whether the configuration in .git can be written.",
            )
    return is_new


def merge_attribute(root: Path, path: str) -> str:
    """Return the merge driver of the file ``path`` in ``.gitattributes``, or ""."""
    answer = _git(root, "check-attr", "-z", "merge", "--", path)
    # "<path> NUL merge NUL <value> NUL"
    value = answer.split("\0")[2] if answer else ""
    return "" if value == "unspecified" else value


def _setting(root: Path, key: str) -> str:
    return _git(root, "config", "--local", "--get", key).rstrip("\n")


def _git(root: Path, *arguments: str, given: str = "") -> str:
    """Return git's output as text; "" if git fails or is missing. ``given`` is its input."""
    data = run_git(root, *arguments, given=given.encode("utf-8", "surrogateescape"))
    return data.decode("utf-8", "surrogateescape")


def run_git(root: Path, *arguments: str, given: bytes = b"") -> bytes:
    """Return git's output; b"" if git fails or is missing. ``given`` is its input."""
    program = shutil.which("git")
    if program is None:
        return b""
    environment = {name: value for name, value in os.environ.items() if name not in _OF_A_HOOK}
    # A partial clone must not fetch missing objects.
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


_NO_BLOB = "0" * 40  # git's blob of a missing file
_COMMITS = 2000  # maximum number of commits that are read: years of daily commits
_UNSHALLOW = "In a shallow clone, run first: git fetch --unshallow origin"


def commit_of(root: Path, name: str) -> str:
    """Return the id of a commit, tag or branch. Raises ConfigError if there is none."""
    commit = _commit(root, name)
    if commit:
        return commit
    if not _git(root, "rev-parse", "--git-dir"):
        raise ConfigError(
            "is not in a git repository",
            where=str(root),
            hint="Run this in a git clone of the project, because it reads older commits.",
        )
    # A branch that was never checked out here only exists as a remote branch.
    remote = f"origin/{name}"
    meant = f"Did you mean {remote}? " if _commit(root, remote) else ""
    raise ConfigError(
        f"git knows no commit {name!r}",
        hint=f"{meant}Name a branch, a tag or a commit. {_UNSHALLOW}",
    )


def check_out(root: Path, commit: str, folder: Path) -> Path:
    """Check out a commit of the project into a clone in ``folder``; return the project's root.

    The commit must be HEAD or an ancestor of HEAD. A repository may also have commits of strangers,
    for example from a pull request, and ``verify-site`` must not trust them. Raises ConfigError for
    such a commit.
    """
    commit = commit_of(root, commit)
    if merge_base(root, commit, "HEAD") != commit:
        raise ConfigError(
            f"commit {commit[:12]} is not in the history of what is checked out",
            where=str(root),
            hint="Check out the branch that the site is built from.",
        )
    top = Path(_git(root, "rev-parse", "--show-toplevel").removesuffix("\n"))
    below = root.resolve().relative_to(top.resolve())
    run_git(root, "clone", "-q", "--shared", "--no-checkout", str(top), str(folder))
    run_git(folder, "checkout", "-q", "--detach", commit)
    if not (folder / below / "pyproject.toml").is_file():
        raise ConfigError(
            f"has no project at commit {commit[:12]}",
            where=str(root),
            hint=f"Run this in the project that the site was built from. {_UNSHALLOW}",
        )
    return folder / below


def main_branch(root: Path, names: Sequence[str]) -> str:
    """Return the first of ``names`` that git knows. Raises ConfigError if there is none."""
    for name in names:
        if _commit(root, name):
            return name
    # Outside a repository, this call raises a better error than the one below.
    commit_of(root, "HEAD")
    raise ConfigError(
        f"there is no main branch to compare with: {', '.join(names)}",
        hint=f"Name a commit: {how_to_run('review', 'COMMIT')}. {_UNSHALLOW}",
    )


def merge_base(root: Path, first: str, second: str) -> str:
    """Return the newest common ancestor of two commits. Raises ConfigError without one."""
    base = _git(root, "merge-base", first, second).split("\n")[0]
    if not base:
        raise ConfigError(
            f"{first[:12]} and {second[:12]} have no history in common here",
            hint=_UNSHALLOW,
        )
    return base


def files_at(root: Path, commit: str, folder: str) -> dict[str, str]:
    """Return the blobs of all files below ``folder`` at a commit, by path relative to ``root``."""
    blobs: dict[str, str] = {}
    for row in _git(root, "ls-tree", "-r", "-z", commit, "--", folder).split("\0"):
        # "100644 blob 1f0c…\tpath"; other entries, such as submodules, are skipped.
        words, _, path = row.partition("\t")
        if " blob " in words:
            blobs[path] = words.split()[2]
    return blobs


def read_blobs(root: Path, blobs: Collection[str]) -> Mapping[str, bytes]:
    """Return the content of each blob, by its id. Raises ConfigError if a blob is missing.

    A single git command reads all blobs.
    """
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
                hint="The clone is partial: make a full one.",
            )
        size = int(words[2])
        contents[blob] = answer[end + 1 : end + 1 + size]
        at = end + size + 2
    return contents


class FileChange(Struct, frozen=True, kw_only=True):
    """Change of one file by a commit.

    ``before`` and ``after`` are the blobs of the file before and after the commit. ``before`` is ""
    if the commit added the file, and ``after`` is "" if the commit removed it.
    """

    path: str  # relative to the root
    commit: str
    date: str  # commit date, 2026-05-01T09:30:00+08:00
    author: str  # name without address
    before: str
    after: str


def changes_below(root: Path, folder: str) -> Iterator[FileChange]:
    """Yield the changes to files below ``folder`` by the ancestors of HEAD, newest first.

    A change on a merged branch has the commit and date of the merge, because readers of the site
    could see it only from then on. The oldest commits of a shallow clone are skipped, because their
    parents are missing, and so their changes are unknown. Without git there are no changes.
    """
    log = ("log", "--first-parent", "-m", f"--max-count={_COMMITS}")
    shape = ("--raw", "-z", "--no-abbrev", "--no-renames", "--format=@%H%x00%cI%x00%an")
    ends = _shallow_ends(root)
    words = iter(_git(root, *log, *shape, "HEAD", "--", folder).split("\0"))
    commit = date = author = ""
    for word in words:
        # A commit has the fields "@<commit>", date and name. Then each file has two fields:
        # ":<modes> <blob> <blob> M" and the path.
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
    """Return the commits whose parents a shallow clone lacks; empty for a full clone."""
    name = _git(root, "rev-parse", "--git-path", "shallow").strip()
    path = root / name
    if not name or not path.is_file():
        return frozenset()
    return frozenset(path.read_text("ascii").split())


def _commit(root: Path, name: str) -> str:
    """Return the id of a commit, or "" if there is none of that name."""
    question = ("rev-parse", "--verify", "--quiet", "--end-of-options")
    return _git(root, *question, f"{name}^{{commit}}").strip()
