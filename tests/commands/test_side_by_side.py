"""Commands that run at the same time in one project: each waits for the other, nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from branch_project import NAME, Clone
from folders import read_tree
from places import ROOT
from workbench import save_entry

from pipeline.adapters.files import hold_lock
from pipeline.paths import Paths

SECONDS = 300


def start_sync(work: Clone) -> subprocess.Popen[str]:
    """Start a sync in another process."""
    return subprocess.Popen(
        [sys.executable, "-m", "pipeline", "sync", NAME, "--no-execute"],
        cwd=work.root,
        env={**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


class Workbench:
    """A thread that saves the same three entries again and again, as the workbench does."""

    def __init__(self, work: Clone) -> None:
        self.root = work.root
        self.saved: dict[str, str] = {}
        self.count = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._save_all)

    def __enter__(self) -> Workbench:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()
        assert self.count

    def wait_for_all(self) -> None:
        """Wait until every entry was saved once more."""
        enough = self.count + 6
        deadline = time.monotonic() + SECONDS
        while self.count < enough and time.monotonic() < deadline:
            time.sleep(0.05)
        assert self.count >= enough

    def _save_all(self) -> None:
        while not self._is_over.is_set():
            for word in ("glue", "drill", "bench"):
                text = f"第{self.count}次存的{word}"
                save_entry(self.root, NAME, "cellar", word, text)
                self.saved[word] = text
                self.count += 1


def assert_saved(work: Clone, saved: dict[str, str]) -> None:
    """What was saved last is in the catalogue, and after a sync in the memory too."""
    for _ in range(2):
        assert {word: work.texts("cellar")[word] for word in saved} == saved
        assert work.sync() in (0, 1)
    assert work.run("memory", "verify", NAME) == 0
    memory = (work.memories / "cellar.po").read_text("utf-8")
    assert all(text in memory for text in saved.values())


@pytest.fixture
def work(begun: Clone, tmp_path: Path) -> Clone:
    """A project with unstored work, whose next sync moves to the next release."""
    work = begun.copy(tmp_path / "project")
    work.translate("garage", "saw", "没有存的锯子")
    return work


@pytest.mark.slow
def test_what_is_saved_while_sync_runs_is_kept(work: Clone) -> None:
    work.move_to("v2")
    with Workbench(work) as workbench:
        for _ in range(2):
            process = start_sync(work)
            _, errors = process.communicate(timeout=SECONDS)
            assert process.returncode in (0, 1), errors
    assert_saved(work, workbench.saved)
    assert work.texts("garage")["saw"] == "没有存的锯子"


@pytest.mark.slow
def test_what_is_saved_while_git_switches_branches_is_kept(work: Clone) -> None:
    work.branch("other")
    work.store("cellar", "lamp", "另一个分支上的灯")
    with Workbench(work) as workbench:
        for branch in ("main", "other", "main"):
            process = start_sync(work)
            work.switch(branch)
            _, errors = process.communicate(timeout=SECONDS)
            assert process.returncode in (0, 1), errors
            # git refuses to switch while the memory has changes.
            work.git("add", "-A")
            work.git("commit", "-qm", "Store", "--allow-empty")
        workbench.wait_for_all()
    assert_saved(work, workbench.saved)
    work.git("add", "-A")
    work.git("commit", "-qm", "Store", "--allow-empty")
    work.switch("other")
    assert work.sync() in (0, 1)
    assert work.texts("cellar")["lamp"] == "另一个分支上的灯"
    assert work.texts("garage")["saw"] == "没有存的锯子"


@pytest.mark.slow
def test_two_syncs_at_once_take_turns(work: Clone, tmp_path: Path) -> None:
    work.move_to("v2")
    alone = work.copy(tmp_path / "alone")
    assert alone.sync() in (0, 1)
    lock = Paths(work.root, NAME).run_lock
    with hold_lock(lock, on_wait=pytest.fail):
        processes = [start_sync(work) for _ in range(2)]
        for process in processes:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert f"another run holds {lock}: waiting for it to end" in line
    ended = [process.communicate(timeout=SECONDS) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], ended
    # The second one has found nothing to do.
    assert sum("nothing to write" in output for _, output in ended) >= 1
    assert read_tree(work.catalogs) == read_tree(alone.catalogs)
    assert read_tree(work.memories) == read_tree(alone.memories)
    assert work.run("memory", "verify", NAME) == 0
