"""P11 for update and memory: a run killed at any moment loses nothing.

It leaves files that the next run repairs. Runs killed at random moments are in
``commands/test_kills.py``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection
from pathlib import Path

import pytest
from folders import read_tree
from memory_project import FIRST, LOCALE, RELEASES, Project
from repositories import make_origin

from pipeline.paths import Paths
from pipeline.stages.update.locale import Locale
from pipeline.stages.update.state import State


def results(project: Project) -> dict[str, bytes]:
    state = project.paths.memory_state(LOCALE).read_bytes()
    return {**read_tree(project.root / "translations"), "state": state}


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    renamed = FIRST | {"moved/manual.md": FIRST["guide.md"]}
    del renamed["guide.md"]
    folder = tmp_path_factory.mktemp("upstream") / "origin"
    return make_origin(folder, RELEASES | {"v4": renamed})


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
        one.take_memory(ready)
        shutil.copy(ready.paths.memory_state(LOCALE), one.paths.memory_state(LOCALE))
        target = one.paths.memories(LOCALE) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((whole.paths.memories(LOCALE) / path).read_bytes())
        one.sync("v2")
        assert results(one) == results(whole), path


class Killed(BaseException):
    """Ends a run at a known point, as a kill does."""


def kill_before_removal(patch: pytest.MonkeyPatch) -> None:
    def remove(locale: Locale, pages: Collection[str]) -> None:
        raise Killed

    patch.setattr(Locale, "remove_memories", remove)


def kill_after_removal(patch: pytest.MonkeyPatch) -> None:
    real = Locale.remove_memories

    def remove(locale: Locale, pages: Collection[str]) -> None:
        real(locale, pages)
        raise Killed

    patch.setattr(Locale, "remove_memories", remove)


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
