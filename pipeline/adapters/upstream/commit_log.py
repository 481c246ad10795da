"""History of the docs folders, parsed from the output of ``git log``.

``parse_log`` returns a record for each commit: which files it changed, and their new blobs. Only
first parents are followed. So every commit has one predecessor, and the changes of a merged branch
belong to the merge commit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from pipeline.adapters.upstream.address import PEELED
from pipeline.folders import Folders

# Arguments of ``git log``. It prints "commit <id> <date>", then a row for each changed file.
_MARK = "commit "
LOG = (
    "log",
    "--first-parent",
    "--diff-merges=first-parent",
    "--raw",
    "--no-abbrev",
    "--find-renames=40%",
    "-l4000",  # beyond this number of files, git would not compare contents to find renames
    "-z",
    f"--format={_MARK}%H %cI",
)


TAGS = "refs/tags/"
DATES = "--format=%H %cI"
# Format of ``git for-each-ref``: the commit of each tag (for an annotated tag, the commit that it
# points to), and the tag's full name.
PEELED_TAGS = (
    "--format=%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)%09%(refname)"
)


class FileChange(Struct, frozen=True, kw_only=True):
    """Change of one file in a commit. Paths are paths in the docs (``Folders.path_of``)."""

    path: str
    blob: str  # "" if the commit removed the file
    before: str = ""  # old path of a renamed file


class DocsCommit(Struct, frozen=True, kw_only=True):
    """A commit that changed the docs. ``date`` is ISO 8601 with offset."""

    commit: str
    date: str
    changes: tuple[FileChange, ...]


class Tag(Struct, frozen=True, kw_only=True):
    """A tag of the repository, its commit, and the commit's date."""

    name: str
    commit: str
    date: str


class _Row(NamedTuple):
    """Row of a file in the output of ``git log --raw``."""

    blob: str
    # "M" and so on. For a rename or copy, a letter and the similarity: "R090".
    status: str
    paths: tuple[str, ...]  # for a rename or copy: the old and the new path


def parse_log(output: bytes, docs: Folders) -> tuple[DocsCommit, ...]:
    """Return the commits in the output of ``git log`` with the arguments ``LOG``, newest first.

    Files outside the folders ``docs`` are left out. NUL ends each field of ``output``.
    """
    rows_of: dict[str, list[_Row]] = {}  # by "<commit> <date>"
    rows: list[_Row] = []
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    for field in fields:
        # The first row of a commit begins with a line break.
        text = field.lstrip("\n")
        if text.startswith(_MARK):
            rows = rows_of.setdefault(text.removeprefix(_MARK), [])
        elif text.startswith(":"):
            rows.append(_read_row(text, fields))
    commits = []
    for head, rows in rows_of.items():
        commit, _, date = head.partition(" ")
        changes = tuple(_changes(rows, docs))
        commits.append(DocsCommit(commit=commit, date=date, changes=changes))
    return tuple(commits)


def commits_of_tags(refs: Mapping[str, str]) -> dict[str, str]:
    """Return the commits of the tags in the listing ``refs``, by full name: ``refs/tags/v1``.

    For an annotated tag, ``refs/tags/v1^{}`` in the listing has the commit.
    """
    names = [name for name in refs if name.startswith(TAGS) and not name.endswith(PEELED)]
    return {name: refs.get(f"{name}{PEELED}", refs[name]) for name in names}


def dated_tags(tags: Mapping[str, str], output: bytes) -> tuple[Tag, ...]:
    """Return the ``tags`` (full name → commit) with dates from ``output``.

    ``output`` is the output of ``git log`` with the format ``DATES``. Tags without a date are left
    out: their commits are on branches that were not fetched.
    """
    dates: dict[str, str] = {}
    for row in output.decode("ascii").split("\n"):
        commit, _, date = row.partition(" ")
        dates[commit] = date
    return tuple(
        Tag(name=name.removeprefix(TAGS), commit=commit, date=dates[commit])
        for name, commit in tags.items()
        if commit in dates
    )


def _read_row(facts: str, fields: Iterator[str]) -> _Row:
    """Return the row of a file, with its paths, which are the next elements of ``fields``.

    ``facts`` is the text before the paths: ``:modes blobs status``.
    """
    *_, blob, status = facts.split(" ")
    # The status says how many paths follow. The fields themselves do not show where the row ends: a
    # path such as "commit 1 2.md" looks like the next commit.
    number = 2 if status[0] in "RC" else 1
    return _Row(blob, status, tuple(next(fields, "") for _ in range(number)))


def _changes(rows: Sequence[_Row], docs: Folders) -> Iterator[FileChange]:
    """Yield the changes of one commit.

    A file that moved into the docs is new, and one that moved out of them is removed.
    """
    for row in rows:
        blob, status = row.blob, row.status
        *old, path = map(docs.path_of, row.paths)
        before = old[0] if old else None
        if path is None:
            # The file moved out of the docs, so it counts as removed.
            path, before, status = before, None, "D"
        if path is not None:
            yield FileChange(path=path, blob="" if status == "D" else blob, before=before or "")
        if before is not None and status[0] == "R":
            yield FileChange(path=before, blob="")
