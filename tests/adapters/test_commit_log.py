"""The history of the docs folder, read from every kind of repository."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from repositories import DOCS, commit_release, git, init_repository

from pipeline.adapters.upstream.address import read_address
from pipeline.adapters.upstream.commit_log import (
    FileChange,
    commits_of_tags,
    dated_tags,
    parse_log,
)
from pipeline.adapters.upstream.repository import Repository, open_repository
from pipeline.folders import WHOLE, Folders

PAGE = "# Ovens\n\n" + "".join(f"Line {n} of the page about ovens.\n" for n in range(20))


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """Three releases on a line, one of them by a merge, and one beside it."""
    folder = init_repository(tmp_path / "origin")
    git(folder, "config", "uploadpack.allowFilter", "true")
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")

    def release(tag: str, day: str, **files: str) -> None:
        paths = {f"docs/{name}.md": text for name, text in files.items()}
        date = f"2026-{day}T00:00:00+0000"
        commit_release(folder, tag, paths, date=date, annotated=tag == "v2")

    release("v1", "01-01", a=PAGE)
    git(folder, "switch", "-qc", "side")
    release("v1.1", "01-05", a=f"{PAGE}side")
    git(folder, "switch", "-q", "main")
    git(folder, "switch", "-qc", "topic")
    release("draft", "01-06", b=PAGE, c="C")
    git(folder, "switch", "-q", "main")
    merge = "merge -q --no-ff -m merge topic".split()
    git(folder, *merge, date="2026-02-01T00:00:00+0000")
    release("v2", "03-01", b=f"{PAGE}new")
    return folder


@contextmanager
def opened(origin: Path, kind: str = "local") -> Iterator[Repository]:
    beside = origin.parent
    if kind == "bundle":
        git(origin, "bundle", "create", str(beside / "docs.bundle"), "--all")
    urls = {"bundle": str(beside / "docs.bundle"), "remote": f"file://{origin}"}
    address = read_address(urls.get(kind, str(origin)), base=beside)
    store = beside / "store.git"
    with open_repository(address, store=store, unreachable_hint="") as repository:
        yield repository


@pytest.mark.parametrize("kind", ["local", "bundle", "remote"])
def test_history_follows_first_parents(origin: Path, kind: str) -> None:
    with opened(origin, kind) as repository:
        commit = repository.resolve("v2")
        commits = repository.history(commit, DOCS)
        newest, merge, oldest = commits
        assert (newest.date[:7], merge.date[:7]) == ("2026-03", "2026-02")
        assert oldest.date[:10] == "2026-01-01"
        blob = newest.changes[0].blob
        # The merge has brought a rename; what is outside of the docs is left out.
        paths = {(one.before, one.path, bool(one.blob)) for one in merge.changes}
        renamed = {("a.md", "b.md", True), ("", "a.md", False)}
        assert paths == renamed | {("", "c.md", True)}
        assert {change.path for change in newest.changes} == {"b.md", "c.md"}
        assert [change.path for change in oldest.changes] == ["a.md"]
        # Files come when they are asked for.
        repository.fetch_blobs([blob], commit, DOCS)
        repository.fetch_blobs([blob], commit, DOCS)
        assert repository.read(blob).endswith(b"new")
        # A second look asks for nothing more.
        assert repository.history(commit, DOCS) == commits


@pytest.mark.parametrize("kind", ["local", "bundle"])
def test_tags_are_dated_and_their_files_known(origin: Path, kind: str) -> None:
    with opened(origin, kind) as repository:
        commit = repository.resolve("v2")
        repository.history(commit, DOCS)
        tags = {tag.name: tag for tag in repository.dated_tags()}
        assert {name: tag.date[:10] for name, tag in tags.items()} == {
            "v1": "2026-01-01",
            "v1.1": "2026-01-05",
            "draft": "2026-01-06",
            "v2": "2026-03-01",
        }
        assert tags["v2"].commit == commit
        (entry,) = repository.tree(tags["v1.1"].commit, DOCS)
        assert entry.path == "a.md"
        assert repository.tree(commit, Folders(("nowhere",))) == ()
        (alone,) = repository.tree(tags["v1.1"].commit, Folders(("docs", "nowhere")))
        assert alone.path == "docs/a.md"


def test_files_that_leave_the_folder_are_gone() -> None:
    rows = (
        "commit " + "1" * 40 + " 2026-01-01\0"
        "\n:100644 100644 aaa bbb R090\0docs/a.md\0other/a.md\0"
        ":100644 100644 aaa ccc R090\0other/b.md\0docs/b.md\0"
        ":100644 000000 aaa 000 D\0docs/c.md\0"
        ":100644 100644 aaa ddd M\0other/d.md\0"
    )
    (commit,) = parse_log(rows.encode(), DOCS)
    assert commit.changes == (
        FileChange(path="a.md", blob=""),
        FileChange(path="b.md", blob="ccc"),
        FileChange(path="c.md", blob=""),
    )
    (whole,) = parse_log(rows.encode(), WHOLE)
    assert len(whole.changes) == 6  # both renames leave a path behind
    (both,) = parse_log(rows.encode(), Folders(("docs", "other")))
    assert both.changes == (
        FileChange(path="other/a.md", blob="bbb", before="docs/a.md"),
        FileChange(path="docs/a.md", blob=""),
        FileChange(path="docs/b.md", blob="ccc", before="other/b.md"),
        FileChange(path="other/b.md", blob=""),
        FileChange(path="docs/c.md", blob=""),
        FileChange(path="other/d.md", blob="ddd"),
    )
    assert parse_log(b"", DOCS) == ()


def test_path_that_looks_like_the_head_of_a_commit(tmp_path: Path) -> None:
    origin = init_repository(tmp_path / "odd")
    odd = f"commit {'1' * 40} 2026-01-01"
    commit_release(origin, "v1", {odd: PAGE, "z.md": PAGE})
    git(origin, "mv", odd, "commit b.md")
    git(origin, "commit", "-qm", "rename")
    with opened(origin) as repository:
        newest, oldest = repository.history(repository.resolve("main"), WHOLE)
    assert {change.path for change in oldest.changes} == {odd, "z.md", "README"}
    paths = [(change.before, change.path) for change in newest.changes]
    assert paths == [(odd, "commit b.md"), ("", odd)]


def test_tags_without_a_date_are_left_out() -> None:
    refs = {"refs/tags/a": "1", "refs/tags/a^{}": "2", "refs/tags/b": "3"}
    tags = commits_of_tags(refs | {"refs/heads/c": "4"})
    assert tags == {"refs/tags/a": "2", "refs/tags/b": "3"}
    (tag,) = dated_tags(tags, b"2 2026-01-01\n")
    assert (tag.name, tag.commit, tag.date) == ("a", "2", "2026-01-01")
