"""P11 for update and memory: a run killed at any moment loses nothing.

It leaves files that the next run repairs.
JAX_DOCS_KILLS sets how many runs are killed (12 unless told).
"""

from __future__ import annotations

import os
import random
import re
import shutil
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from folders import read_tree
from killing import killed_after
from memory_project import FIRST, LOCALE, RELEASES, Project
from repositories import make_origin

from pipeline.paths import Paths
from pipeline.stages.update.locale import Locale
from pipeline.stages.update.state import State

KILLS = int(os.environ.get("JAX_DOCS_KILLS", "12"))
HAN = {
    "Last-Translator": "Han Meimei <han@example.org>",
    "PO-Revision-Date": "2026-03-04 05:06+0800",
}


def upgrade(_: Project) -> None:
    """The catalogues are those of v1, translated and stored."""


def clone(project: Project) -> None:
    """There is nothing but the memory."""
    project.clone()


def teammate(project: Project) -> None:
    """The memory has moved to v2 and changed, and so has the working catalogue."""
    other = project.copy(project.root.with_name("other"))
    other.translate("guide", "Glue", "队友的胶水", header=HAN)
    other.sync("v2")
    shutil.rmtree(project.paths.memories(LOCALE))
    shutil.copytree(other.paths.memories(LOCALE), project.paths.memories(LOCALE))
    shutil.rmtree(other.root)
    project.translate("guide", "The saw", "自己的锯子")


START = (upgrade, clone, teammate)


def strings(project: Project) -> set[bytes]:
    """Every translation in catalogues and memory."""
    folders = (project.paths.catalogs(LOCALE), project.paths.memories(LOCALE))
    return {
        text
        for folder in folders
        for data in read_tree(folder).values()
        for text in re.findall(rb'msgstr "(.+)"', data)
    }


def results(project: Project) -> dict[str, bytes]:
    return {
        **read_tree(project.root / "translations"),
        "state": project.paths.memory_state(LOCALE).read_bytes(),
    }


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    renamed = {
        ("moved/manual.md" if path == "guide.md" else path): text
        for path, text in FIRST.items()
    }
    return make_origin(
        tmp_path_factory.mktemp("upstream") / "origin", RELEASES | {"v4": renamed}
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ref", "start"),
    [("v2", one) for one in START] + [("v4", upgrade)],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_a_killed_run_is_repaired_by_the_next(
    origin: Path, tmp_path: Path, ref: str, start: Callable[[Project], None]
) -> None:
    ready = Project(tmp_path / "ready", str(origin)).begin()
    start(ready)
    whole, timed = (ready.copy(tmp_path / name) for name in ("whole", "timed"))
    whole.sync(ref)
    began = time.perf_counter()
    timed.sync(ref)  # a second time: everything is loaded
    took = time.perf_counter() - began
    kept, expected = strings(ready) & strings(whole), results(whole)
    chance = random.Random(f"{ref} {start.__name__}")
    killed = 0
    for number in range(max(1, KILLS // 4)):
        one = ready.copy(tmp_path / f"killed{number}")
        killed += killed_after(chance.random() * took, lambda one=one: one.sync(ref))  # type: ignore[misc]
        assert strings(one) >= kept
        one.sync(ref)
        assert results(one) == expected
        assert one.verify() == ()
        assert not list(one.root.rglob("*.tmp"))
        shutil.rmtree(one.root)
    print(f"{killed} of {max(1, KILLS // 4)} runs were killed at work")
    assert killed or KILLS < 40


def test_a_run_killed_between_two_memory_files_ends_as_if_it_had_not_been(
    tmp_path: Path,
) -> None:
    """An edited copy of a paragraph is on another page.

    The paragraph stays on a page that changes elsewhere.
    """
    text = next(line for line in FIRST["guide.md"].split("\n") if "Glue" in line)
    copied = {
        "copy.md": f"# A copy\n\n{text.replace('winter', 'a cold winter')}\n",
        "guide.md": f"{FIRST['guide.md']}\nThis is new.\n",
    }
    url = str(make_origin(tmp_path / "origin", {"v1": FIRST, "v2": FIRST | copied}))
    ready = Project(tmp_path / "ready", url).begin()
    whole = ready.copy(tmp_path / "whole")
    whole.sync("v2")
    assert whole.entry("copy", "Glue").fuzzy
    for path in read_tree(whole.paths.memories(LOCALE)):
        one = whole.copy(tmp_path / path)
        shutil.rmtree(one.paths.memories(LOCALE))
        shutil.copytree(ready.paths.memories(LOCALE), one.paths.memories(LOCALE))
        shutil.copy(ready.paths.memory_state(LOCALE), one.paths.memory_state(LOCALE))
        target = one.paths.memories(LOCALE) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((whole.paths.memories(LOCALE) / path).read_bytes())
        one.sync("v2")
        assert results(one) == results(whole), path


class Killed(BaseException):
    """Ends a run at a known point, as a kill does."""


def kill_before_removal(monkeypatch: pytest.MonkeyPatch) -> None:
    def remove(locale: Locale, pages: Iterable[str]) -> None:
        raise Killed

    monkeypatch.setattr(Locale, "remove_memories", remove)


def kill_after_removal(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Locale.remove_memories

    def remove(locale: Locale, pages: Iterable[str]) -> None:
        real(locale, pages)
        raise Killed

    monkeypatch.setattr(Locale, "remove_memories", remove)


def kill_before_state(monkeypatch: pytest.MonkeyPatch) -> None:
    write = State.write

    def write_or_die(state: State, paths: Paths, locale: str, *, dry: bool) -> None:
        # Only the state without the moved page is written after the removal is decided.
        if "guide" not in state.pages:
            raise Killed
        write(state, paths, locale, dry=dry)

    monkeypatch.setattr(State, "write", write_or_die)


@pytest.mark.parametrize(
    "kill", [kill_before_removal, kill_after_removal, kill_before_state]
)
def test_run_killed_while_it_removes_the_memory_of_a_moved_page(
    origin: Path, tmp_path: Path, kill: Callable[[pytest.MonkeyPatch], None]
) -> None:
    ready = Project(tmp_path / "ready", str(origin)).begin()
    whole, killed = (ready.copy(tmp_path / name) for name in ("whole", "cut"))
    whole.sync("v4")
    assert not whole.memory("guide").exists()
    with pytest.MonkeyPatch.context() as patch:
        kill(patch)
        with pytest.raises(Killed):
            killed.sync("v4")
    assert killed.sync("v4").codes == whole.sync("v4").codes
    assert results(killed) == results(whole)
    assert not (killed.paths.output(LOCALE) / "set-aside").exists()


def test_what_a_killed_split_was_writing_is_swept(origin: Path, tmp_path: Path) -> None:
    project = Project(tmp_path / "swept", str(origin))
    project.root.mkdir()
    project.sync("v1")
    ours = project.root / "build/splits/.docs.json.01234567.tmp"
    theirs = ours.with_name(".others.json.01234567.tmp")
    for path in (ours, theirs):
        path.write_text("{", encoding="utf-8")
    project.sync("v1")
    assert (ours.exists(), theirs.exists()) == (False, True)
