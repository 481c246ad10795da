"""adapters/version_control: what the project's own repository has, and how it merges."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from repositories import git, init_repository

from pipeline.adapters.version_control import (
    authors_of_lines,
    blobs_in_git,
    blobs_in_history,
    checked_out,
    files_in_index,
    link_repository,
    merge_attribute,
    moments_of_lines,
    set_merge_driver,
    tracked_though_ignored,
    versions_in_git,
)
from pipeline.core.pin.lock import blob_id
from pipeline.errors import ConfigError

ODD = "ein Ordner/页 [1]*.po"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository in whose history a file has had three versions, one of them amended away."""
    root = init_repository(tmp_path / "project")
    (root / "ein Ordner").mkdir()
    for number, words in enumerate((["-m", "one"], ["-m", "two"], ["--amend", "-m", "x"])):
        (root / ODD).write_bytes(b"version %d\n" % number)
        git(root, "add", "-A")
        git(root, "commit", "-q", *words, date=f"2026-01-0{number + 1}T00:00:00Z")
    return root


def test_every_version_that_was_ever_added_is_known(root: Path) -> None:
    versions = [blob_id(b"version %d\n" % number) for number in range(4)]
    assert blobs_in_git(root, versions) == set(versions[:3])
    # From a folder inside as well, and not at all if nothing is asked.
    assert blobs_in_git(root / "ein Ordner", versions[:1]) == {versions[0]}
    assert blobs_in_git(root, []) == frozenset()
    (root / ODD).write_bytes(b"version 3\n")
    assert versions[3] not in blobs_in_git(root, versions)
    git(root, "stash", "-q")
    assert versions[3] in blobs_in_git(root, versions)
    assert versions[3] in blobs_in_history(root, "ein Ordner")
    git(root, "stash", "pop", "-q")
    assert versions[3] not in blobs_in_history(root, "ein Ordner")
    assert set(versions[:3]) <= blobs_in_history(root, "ein Ordner")


def test_versions_come_newest_first_with_those_that_were_amended(root: Path) -> None:
    git(root, "rm", "-q", ODD)
    git(root, "commit", "-qm", "gone", date="2026-01-04T00:00:00Z")
    found = list(versions_in_git(root, ODD))
    assert found[0] == b"version 2\n"
    assert sorted(found) == [b"version 0\n", b"version 1\n", b"version 2\n"]
    assert list(versions_in_git(root, "nothing")) == []


def test_files_that_git_expects(root: Path) -> None:
    (root / "new").write_bytes(b"")
    (root / ODD).unlink()
    assert files_in_index(root, [ODD, "new", "nothing"]) == {ODD}
    assert files_in_index(root, []) == frozenset()


def test_a_hook_of_another_repository_is_not_asked(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = init_repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    assert files_in_index(root, [ODD]) == {ODD}


def test_without_a_repository_or_without_git_there_is_nothing(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = blob_id(b"version 0\n")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for folder in (tmp_path, tmp_path / "nowhere"):
        assert blobs_in_git(folder, [blob]) == frozenset()
        assert files_in_index(folder, [ODD]) == frozenset()
        assert list(versions_in_git(folder, ODD)) == []
        assert merge_attribute(folder, ODD) == ""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert blobs_in_git(root, [blob]) == frozenset()
    (tmp_path / "git").write_text("no program")
    (tmp_path / "git").chmod(0o755)
    assert blobs_in_git(root, [blob]) == frozenset()


def test_a_driver_is_set_once_and_again_if_it_changes(root: Path) -> None:
    def set_to(command: str) -> bool:
        return set_merge_driver(root, "by-entry", title="By entry", command=command)

    assert (set_to("a %A"), set_to("a %A"), set_to("b %A")) == (True, False, True)
    assert git(root, "config", "merge.by-entry.driver") == "b %A"
    assert git(root, "config", "merge.by-entry.name") == "By entry"
    assert merge_attribute(root, "x.po") == ""
    (root / ".gitattributes").write_text("*.po merge=by-entry\n")
    assert merge_attribute(root, "x.po") == "by-entry"


def test_a_configuration_that_cannot_be_written_is_told(root: Path) -> None:
    (root / ".git" / "config.lock").write_text("")  # as another git holds it
    with pytest.raises(ConfigError, match="git cannot set") as caught:
        set_merge_driver(root, "by-entry", title="By entry", command="a")
    assert os.fspath(root) in str(caught.value)


def test_the_author_of_a_line_is_who_brought_it_first(root: Path) -> None:
    path = root / "more.po"
    path.write_text("msgstr 茶\n@ 午后\n", "utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "tea", "--author", "Li Lei <li@example.org>")
    path.write_text("msgstr 水\n", "utf-8")
    git(root, "commit", "-qam", "water", date="2026-01-03T00:00:00Z")
    path.write_text("msgstr 茶\n", "utf-8")
    git(root, "commit", "-qam", "tea again")
    authors = authors_of_lines(root, "more.po")
    assert authors["msgstr 茶"] == "Li Lei <li@example.org>, 2026-01-02 03:04+0800"
    assert authors["@ 午后"] == "Li Lei <li@example.org>, 2026-01-02 03:04+0800"
    assert authors["msgstr 水"] == "A <a@b>, 2026-01-03 00:00+0000"
    assert "msgstr 酒" not in authors
    assert authors_of_lines(root, "nothing.po") == {}


def test_author_whose_name_begins_with_an_at_sign(root: Path) -> None:
    (root / "more.po").write_text("msgstr 茶\n", "utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "tea", "--author", "@li <li@example.org>")
    (author,) = set(authors_of_lines(root, "more.po").values())
    assert author == "@li <li@example.org>, 2026-01-02 03:04+0800"


def test_lines_are_of_the_commit_that_has_brought_them_last(root: Path) -> None:
    path = root / ODD
    path.write_text("one\n水\n", "utf-8")
    git(root, "commit", "-qam", "water", date="1970-01-01T00:01:00Z")
    path.write_text("two\n水\n", "utf-8")
    git(root, "commit", "-qam", "two", date="1970-01-01T00:02:00Z")
    assert moments_of_lines(root, ODD) == [("two", 120.0), ("水", 60.0)]
    path.write_text("three\n水\n", "utf-8")
    (_, new), (_, old) = moments_of_lines(root, ODD)
    assert (new > 1e9, old) == (True, 60.0)
    assert moments_of_lines(root, "nothing.po") == []


def test_ignored_files_that_a_branch_tracks_are_known(root: Path) -> None:
    (root / ".gitignore").write_text("*.po\n")
    assert tracked_though_ignored(root, "ein Ordner") == {ODD}
    assert tracked_though_ignored(root, "elsewhere") == frozenset()
    assert tracked_though_ignored(root.parent, "ein Ordner") == frozenset()


def test_what_is_checked_out_is_a_branch_or_a_commit(root: Path) -> None:
    assert checked_out(root / "ein Ordner") == "refs/heads/main"
    git(root, "worktree", "add", "-q", "-b", "other", "../second")
    assert checked_out(root.with_name("second")) == "refs/heads/other"
    git(root, "checkout", "-q", "--detach")
    assert checked_out(root) == git(root, "rev-parse", "HEAD")
    (root.parent / "broken").mkdir()
    (root.parent / "broken" / ".git").write_bytes(b"\xff\xff")
    assert checked_out(root.parent / "broken") == ""


@pytest.mark.parametrize("part", ["", "ein Ordner"])
def test_a_copy_may_ask_its_repository(root: Path, tmp_path: Path, part: str) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    copy = link_repository(root / part, folder)
    assert copy == folder / part
    name = ODD.removeprefix(f"{part}/")
    assert files_in_index(copy, [name]) == {name}
    assert len(list(versions_in_git(copy, name))) == 3
    # Where there is no repository there is nothing to ask.
    (tmp_path / "bare").mkdir()
    assert link_repository(tmp_path, tmp_path / "bare") == tmp_path / "bare"
