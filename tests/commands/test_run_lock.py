"""What a run leaves when it ends, however it ends."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from folders import read_tree
from msgspec.structs import replace
from runs import run_of

from pipeline.cli import main
from pipeline.commands.run_lock import run_lock
from pipeline.config.settings import Settings, Upstream
from pipeline.run import Run

HALF = ".page.po.0123abcd.tmp"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    upstream = Upstream(package="JAX", version="1", name="demo", url="x")
    settings = Settings(
        root=tmp_path,
        locales=("zh_CN",),
        upstreams={"demo": upstream},
    )
    return run_of(settings, upstream)


def leave_half_a_file(run: Run) -> list[Path]:
    """What a process that is killed leaves in every place that runs write to."""
    folders = (run.paths.merged("zh_CN"), run.paths.catalogs("zh_CN"), run.paths.docs)
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / HALF).write_bytes(b"half")
    return [folder / HALF for folder in folders]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_a_run_that_breaks_off_leaves_nothing_half_written(
    run: Run, error: type[BaseException]
) -> None:
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


@pytest.mark.parametrize(
    "command", [("status", "sample", "--badges", "-qq"), ("check", "--fix", "-qq")]
)
def test_a_command_without_the_lock_finishes_the_pull_of_a_killed_run(
    synced: Path, command: tuple[str, ...]
) -> None:
    """The pull was killed before it removed the old tree, and, in another place, midway."""
    docs = synced / "upstream" / "sample"
    before = read_tree(docs)
    shutil.copytree(docs, docs.with_name(".sample.old"))
    (synced / "build" / ".running").touch()
    assert main(command) == 0
    assert read_tree(docs) == before
    docs.rename(docs.with_name(".sample.old"))
    docs.with_name(".sample.new").mkdir()
    (synced / "build" / ".running").touch()
    assert main(command) == 0
    assert read_tree(docs) == before
    assert [path.name for path in docs.parent.glob(".*")] == []
    assert not (synced / "build" / ".running").exists()


@pytest.mark.parametrize(
    "command",
    [("status", "sample", "--badges"), ("check", "--fix"), ("review", "HEAD")],
)
def test_a_command_that_fails_before_it_writes_clears_up_as_well(
    project: Path, command: tuple[str, ...]
) -> None:
    """Nothing is pulled, nothing is to be fixed, and there is no repository of git."""
    left = project / "build" / "cache" / HALF
    left.parent.mkdir(parents=True)
    left.touch()
    (project / "build" / ".running").touch()
    main([*command, "-qq"])
    assert not left.exists()
    assert not (project / "build" / ".running").exists()


def test_ctrl_c_while_it_writes_leaves_no_temporary_file(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first file of all that is put into place is where Ctrl-C comes."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        assert main(["sync", "sample", "--no-execute", "-q"]) == 130
    assert "No file was left half-written" in capsys.readouterr().err
    assert list(project.rglob("*.tmp")) == []
    assert main(["sync", "sample", "--no-execute", "-q"]) == 0
