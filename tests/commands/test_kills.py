"""P11 for whole commands: killed at any moment, they lose nothing, and the next run repairs it.

JAX_DOCS_KILLS sets how many runs are killed, over all commands (20 unless told; 1,000 take an hour
on a slow machine).
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import pytest
from branch_project import LOCALE, NAME, Clone
from folders import read_tree

from pipeline.adapters import po
from pipeline.cli import main
from pipeline.entries import Entry

KILLS = int(os.environ.get("JAX_DOCS_KILLS", "20"))
PARTS = 1 + KILLS // 100  # of the kills of a command: they may run beside each other
SYNC = ("sync", NAME, "--no-execute")
# Each command, and what it is run on.
COMMANDS = {
    "sync": SYNC,
    "build": ("build", NAME, "--no-execute"),
    "upgrade": ("upgrade", "v2", NAME, "--package-version", "1.0.0"),
    "check": ("check", "--fix"),
}
# What is of one run only: locks, what is known of the last run, its report, what was half-written,
# and what an upgrade keeps until it has come to its end (the next one removes it).
OF_ONE_RUN = re.compile(
    r"(^|/)(\.git|\.lock|memo|report\.|junit\.|git|upgrade)(/|$|\w)|\.tmp$"
)


def unspaced(entry: Entry) -> Entry:
    """A translation with what ``check --fix`` mends: no space beside Latin letters."""
    word = re.findall(r"[a-z]+", entry.msgid)[-1]
    return replace(entry, msgstr=f"译文{sum(map(ord, entry.msgid))}的{word}，见jax文档")


def start(work: Clone, command: str) -> None:
    """Work of every kind: stored, not stored, waiting, obsolete, and on another branch."""
    for page in ("cellar", "garage", "attic"):
        work.edit(page, unspaced)
    assert work.sync() == 0
    work.commit("Translate")
    if command == "build":
        # Git has moved the memory of a page in which there is also work that was not stored.
        work.branch("more")
        work.translate("yard/shed", "lamp", "另一个分支上的灯")
        assert work.sync() == 0
        work.commit("Translate the lamp anew")
        work.git("checkout", "-q", "main")
        work.translate("yard/shed", "glue", "还没存的胶水")
    if command == "sync":
        work.move_to("v2")
    work.translate("garage", "saw", "还没存的锯子")


def translations(work: Clone) -> set[str]:
    """Every translation that can be found, without what ``check --fix`` may change in it."""
    found: set[str] = set()
    kept = work.root / "build" / "upgrade"  # of an upgrade that did not come to its end
    folders = [
        work.root / "translations",
        work.output / "set-aside",
        work.output / "replaced",
        kept,
    ]
    for folder in folders:
        for path, data in read_tree(folder).items():
            if path.endswith(".po"):
                entries = po.read_catalog(data, where=path).catalog.entries
                found |= {re.sub(r"\s", "", entry.msgstr) for entry in entries}
    return found


def outcome(work: Clone) -> dict[str, bytes]:
    """Everything that a command leaves, but what is of one run only."""
    return {
        path: data
        for path, data in read_tree(work.root).items()
        if not OF_ONE_RUN.search(path)
    }


def killed_after(seconds: float, run: Callable[[], object]) -> bool:
    """Run in a process of its own and kill that; return whether it was still at work."""
    child = os.fork()
    if child == 0:
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            run()
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def seconds_for(work: Clone, words: tuple[str, ...]) -> float:
    began = time.perf_counter()
    killed_after(0, lambda: None)
    work.run(*words)
    return time.perf_counter() - began


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("command", COMMANDS)
def test_a_killed_command_loses_nothing_and_the_next_run_repairs_it(
    begun: Clone,
    tmp_path: Path,
    command: str,
    part: int,
) -> None:
    words = COMMANDS[command]
    ready = begun.copy(tmp_path / "ready")
    start(ready, command)
    whole, timed = (Clone(tmp_path / name) for name in ("whole", "timed"))
    for copy in (whole, timed):
        shutil.copytree(ready.root, copy.root, symlinks=True)
    assert whole.run(*words) in (0, 1)
    kept = translations(ready) & translations(whole)
    assert len(kept) > 30
    expected = outcome(whole)
    # A second time, when everything is loaded.
    took = seconds_for(timed, words)
    chance = random.Random(f"{command} {part}")
    count = max(1, KILLS // (PARTS * len(COMMANDS)))
    killed = 0
    for number in range(count):
        one = Clone(tmp_path / f"killed{number}")
        shutil.copytree(ready.root, one.root, symlinks=True)
        moment = chance.random() * took
        killed += killed_after(moment, lambda one=one: run_quietly(one, words))  # type: ignore[misc]
        assert translations(one) >= kept, moment
        assert one.run(*words) in (0, 1), moment
        assert outcome(one) == expected, moment
        # What was half-written beside a catalogue is for the next sync to remove.
        assert one.run("build", NAME, "--no-execute") == 0
        assert not list((one.root / "translations").rglob("*.tmp"))
        assert one.run("memory", "verify", NAME) == 0
        shutil.rmtree(one.root)
    print(f"{command}: {killed} of {count} runs were killed at work")
    assert killed or count < 10


def run_quietly(work: Clone, words: tuple[str, ...]) -> None:
    with chdir(work.root):
        main([*words, "-qq"])


def test_the_work_that_is_killed_is_of_every_kind(begun: Clone, tmp_path: Path) -> None:
    work = begun.copy(tmp_path / "project")
    start(work, "sync")
    assert work.run(*SYNC) == 0
    states = {(entry.fuzzy, entry.obsolete) for entry in work.read("cellar").entries}
    assert states == {(False, False), (True, False), (False, True)}
    assert not (work.root / "translations" / LOCALE / NAME / "attic.po").exists()
