"""What a run leaves when it ends, however it ends."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from folders import read_tree
from in_process import command
from msgspec.structs import replace
from runs import run_at

from pipeline.commands.run_lock import run_lock
from pipeline.run import Run

HALF = ".page.po.0123abcd.tmp"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return run_at(tmp_path, url="x")


def leave_half_a_file(run: Run) -> list[Path]:
    """What a process that is killed leaves in every place that runs write to."""
    folders = (run.paths.merged("zh_CN"), run.paths.catalogs("zh_CN"), run.paths.docs)
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / HALF).write_bytes(b"half")
    return [folder / HALF for folder in folders]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_a_failing_run_leaves_nothing_half(run: Run, error: type[BaseException]) -> None:
    with pytest.raises(error), run_lock(run):
        left = leave_half_a_file(run)
        raise error
    assert [path for path in left if path.exists()] == []
    assert not run.paths.run_mark.exists()


def test_a_run_clears_up_after_one_that_was_killed(run: Run) -> None:
    left = leave_half_a_file(run)
    with run_lock(run):
        pass
    # No run was killed here: they may be somebody else's.
    assert all(path.exists() for path in left)
    run.paths.run_mark.touch()
    with run_lock(replace(run, dry=True)):
        assert all(path.exists() for path in left)
    with run_lock(run):
        assert not any(path.exists() for path in left)
    assert not run.paths.run_mark.exists()


@pytest.mark.parametrize("line", ["status sample --badges", "check --fix"])
def test_any_command_finishes_a_killed_pull(synced: Path, line: str) -> None:
    """The pull was killed before it removed the old tree, and, in another place, midway."""
    docs, mark = synced / "upstream" / "sample", synced / "build" / ".running"
    before = read_tree(docs)
    shutil.copytree(docs, docs.with_name(".sample.old"))
    mark.touch()
    command(line)
    assert read_tree(docs) == before
    docs.rename(docs.with_name(".sample.old"))
    docs.with_name(".sample.new").mkdir()
    mark.touch()
    command(line)
    assert read_tree(docs) == before
    assert [path.name for path in docs.parent.glob(".*")] == []
    assert not mark.exists()


@pytest.mark.parametrize("line", ["status sample --badges", "check --fix", "review HEAD"])
def test_a_command_that_fails_early_clears_up(project: Path, line: str) -> None:
    """Nothing is pulled, nothing is to be fixed, and there is no repository of git."""
    left = (project / "build" / "cache" / HALF, project / "build" / ".running")
    left[0].parent.mkdir(parents=True)
    for path in left:
        path.touch()
    command(line, code=None)
    assert not any(path.exists() for path in left)


def test_ctrl_c_while_writing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first file of all that is put into place is where Ctrl-C comes."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        told = command("sync sample --no-execute -q", code=130).err
    assert "No file was left half-written" in told
    assert list(project.rglob("*.tmp")) == []
    command("sync sample --no-execute -q")
