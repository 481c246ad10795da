"""History of the docs folders along one line of commits, parsed from ``git log``.

The output is a record per commit: which file had which blob, and when. Only first parents are
followed, so every commit has one predecessor, and changes of a merged branch belong to the merge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pipeline.adapters.upstream.address import PEELED
from pipeline.folders import Folders

# Arguments of ``git log``: a mark and the commit's facts, then a row for each file.
_MARK = "commit "
LOG = (
    "log",
    "--first-parent",
    "--diff-merges=first-parent",
    "--raw",
    "--no-abbrev",
    "--find-renames=40%",
    "-l4000",  # limit of files compared to find renames: more than any commit moves
    "-z",
    f"--format={_MARK}%H %cI",
)


TAGS = "refs/tags/"
DATES = "--format=%H %cI"
# The commit of each tag, also of an annotated one, and the tag's full name.
PEELED_TAGS = (
    "--format=%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)"
    "%09%(refname)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """Change of one file in a commit; ``blob`` is empty if the commit removed the file.

    ``path`` is a path in the docs (``Folders.path_of``). ``before`` is the old path of a renamed
    file, or empty.
    """

    path: str
    blob: str
    before: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocsCommit:
    """A commit that changed the docs. ``date`` is ISO 8601 with offset."""

    commit: str
    date: str
    changes: tuple[FileChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """A tag of the repository, its commit, and the commit's date."""

    name: str
    commit: str
    date: str


class _Row(NamedTuple):
    """Row of a file in a commit: ``paths`` has the old path and the new one if git tells both."""

    blob: str
    status: str  # a letter, and for a rename the similarity: "M", "R090"
    paths: tuple[str, ...]


def parse_log(output: bytes, docs: Folders) -> tuple[DocsCommit, ...]:
    """Return the commits in the output of ``git log`` with the arguments ``LOG``, newest first.

    Files outside the folders ``docs`` are left out. ``output`` has NUL-terminated fields.
    """
    rows_of: dict[str, list[_Row]] = {}  # by the head of the commit
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
    """Return the commits of the tags in a listing, by full name.

    ``refs/tags/v1`` and ``refs/tags/v1^{}`` are one annotated tag: the second has its commit.
    """
    names = [
        name for name in refs if name.startswith(TAGS) and not name.endswith(PEELED)
    ]
    return {name: refs.get(f"{name}{PEELED}", refs[name]) for name in names}


def dated_tags(tags: Mapping[str, str], output: bytes) -> tuple[Tag, ...]:
    """Return the tags (full name → commit) whose dates ``git log`` with ``DATES`` printed.

    The commits of other tags are not here: they are on branches that were not fetched.
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
    """Return the row ``:modes blobs status``, with the paths that follow in ``fields``."""
    *_, blob, status = facts.split(" ")
    # The paths are counted, not recognised: "commit 1 2.md" is a path as well.
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
            # It moved out of the docs, so it is removed from them.
            path, before, status = before, None, "D"
        if path is not None:
            yield FileChange(
                path=path, blob="" if status == "D" else blob, before=before or ""
            )
        if before is not None and status[0] == "R":
            yield FileChange(path=before, blob="")
