"""Releases beside the pin: one memory, to which each gives what it has translated.

The pin of these projects is v1; v2 is shown beside it. v2 lacks the page ``faq`` and has a page
``help``, which v1 lacks.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from catalog_files import read_catalog
from folders import read_tree
from memory_project import LOCALE, RELEASES, Project, Synced, chinese
from msgspec.structs import replace
from repositories import git, make_origin

from pipeline.entries import Entry


@pytest.fixture
def pinned(tmp_path: Path, origin: Path) -> Project:
    """A project at v1, translated, with v2 beside it, pulled and not translated."""
    project = Project(tmp_path / "project", str(origin), beside=("2",)).begin()
    project.at("2").sync("v2")
    return project


def files(project: Project) -> dict[str, bytes]:
    """Everything that people or git would see change: the memory, and all catalogues."""
    return read_tree(project.root / "translations")


def untranslated(project: Project) -> list[str]:
    entries = [one for page in project.pages() for one in project.read(page).entries]
    return sorted(entry.msgid for entry in entries if not (entry.obsolete or entry.is_finished))


def finish(project: Project) -> None:
    """Translate what has no translation, and confirm what is fuzzy."""

    def finished(entry: Entry) -> Entry:
        if entry.obsolete:
            return entry
        words = entry.msgstr or chinese(entry)
        return replace(entry, msgstr=words, fuzzy=False, previous=None)

    for page in project.pages():
        project.edit(page, finished)


def sync_by_turns(project: Project, times: int = 3) -> list[Synced]:
    """Sync both releases in turn; the pinned one comes first."""
    runs = []
    for _ in range(times):
        runs += [project.sync("v1"), project.at("2").sync("v2")]
    return runs


def assert_turns_write_nothing(project: Project) -> None:
    before = files(project)
    for run in sync_by_turns(project):
        assert run.codes == []
        assert run.changes == []
    assert files(project) == before


def test_a_release_starts_with_the_pins_translations(pinned: Project) -> None:
    beside = pinned.at("2")
    saw = "The saw by the window is sharpened on Mondays, before anybody else has come in."
    known = pinned.entry("guide", "The saw").msgstr
    assert beside.entry("guide", "The saw").msgstr == known
    assert saw not in untranslated(beside)
    words = [text.split()[0] for text in untranslated(beside)]
    assert words == ["A", "Ask", "Every", "Help"]
    # As after an upgrade, a changed message has the old translation to start from.
    assert beside.entry("guide", "three drawers").fuzzy


def test_runs_of_two_releases_by_turns_write_nothing(pinned: Project) -> None:
    finish(pinned.at("2"))
    sync_by_turns(pinned, 2)
    assert_turns_write_nothing(pinned)
    assert not pinned.catalog("help").exists()
    assert pinned.verify() == pinned.at("2").verify() == ()


def test_the_first_run_of_a_release_changes_no_memory_of_the_pinned_one(
    tmp_path: Path, origin: Path
) -> None:
    project = Project(tmp_path / "project", str(origin), beside=("2",)).begin()
    before = read_tree(project.paths.memories(LOCALE))
    project.at("2").sync("v2")
    after = read_tree(project.paths.memories(LOCALE))
    assert after.keys() - before.keys() == {"help.po"}
    assert {name: after[name] for name in before} == before
    assert project.verify() == project.at("2").verify() == ()


def test_translations_of_a_release_wait_in_the_pins_memory(pinned: Project) -> None:
    beside = pinned.at("2")
    beside.translate("guide", "varnish", "关于清漆的一段。")
    run = beside.sync("v2")
    remembered = read_catalog(pinned.memory("guide")).entries
    (entry,) = (one for one in remembered if one.msgstr == "关于清漆的一段。")
    assert entry.obsolete
    assert f"seen: {run.lock.commit} guide" in entry.notes
    assert any(note.startswith("translator: Li Lei") for note in entry.notes)
    assert pinned.memory("guide").read_bytes().count(b"X-Upstream-Ref: v1") == 1


def test_a_translation_is_corrected_for_both_releases(pinned: Project) -> None:
    for project, other, words in (
        (pinned.at("2"), pinned, "窗边的锯子。"),
        (pinned, pinned.at("2"), "窗边的锯。"),
    ):
        project.translate("guide", "The saw", words)
        sync_by_turns(pinned, 2)
        assert other.entry("guide", "The saw").msgstr == words
    assert_turns_write_nothing(pinned)


def test_two_different_corrections_are_a_conflict(pinned: Project) -> None:
    pinned.translate("guide", "The saw", "窗边的锯。")
    pinned.at("2").translate("guide", "The saw", "窗户边的锯子。")
    pinned.sync("v1")
    run = pinned.at("2").sync("v2")
    assert run.codes == ["memory-conflict"]
    (kept,) = pinned.at("2").kept("set-aside", "guide")
    assert kept.msgstr == "窗边的锯。"


def test_a_translation_of_a_new_page_reaches_the_pins_messages(tmp_path: Path) -> None:
    words = "Sweep the floor before you leave."
    old = {"a.md": f"# A\n\n{words}\n"}
    new = {"a.md": "# A\n", "b.md": f"# B\n\n{words}\n"}
    origin = make_origin(tmp_path / "origin", {"v1": old, "v2": new})
    project = Project(tmp_path / "project", str(origin), beside=("2",))
    project.root.mkdir()
    project.sync("v1")
    project.at("2").sync("v2")
    project.at("2").translate("b", "Sweep", "离开前请扫地。")
    sync_by_turns(project, 2)
    assert project.entry("a", "Sweep").msgstr == "离开前请扫地。"
    assert_turns_write_nothing(project)


def test_a_fresh_clone_gets_both_releases_from_the_memory(pinned: Project) -> None:
    beside = pinned.at("2")
    finish(beside)
    sync_by_turns(pinned, 2)
    before = files(pinned)
    pinned.clone()
    beside.clone()
    beside.sync("v2")
    pinned.sync("v1")
    assert files(pinned) == before
    assert untranslated(beside) == untranslated(pinned) == []
    assert pinned.verify() == beside.verify() == ()


def test_moving_the_pin_takes_everything_from_the_memory(pinned: Project) -> None:
    finish(pinned.at("2"))
    pinned.at("2").sync("v2")
    moved = replace(pinned, beside=())
    assert moved.sync("v2").codes == []
    assert untranslated(moved) == []
    assert moved.verify() == ()
    moved.sync("v1")
    assert untranslated(moved) == []


def test_a_draft_stays_with_the_release_that_it_was_made_for(pinned: Project) -> None:
    memory, beside = pinned.text("guide"), pinned.at("2")
    notes = (*beside.entry("guide", "varnish").notes, "draft: m 00000000")
    beside.change("guide", "varnish", msgstr="清漆", fuzzy=True, notes=notes)
    beside.sync("v2")
    assert pinned.text("guide") == memory


def test_a_translation_removed_in_one_release_leaves_both(pinned: Project) -> None:
    pinned.at("2").translate("guide", "The saw", "")
    sync_by_turns(pinned, 2)
    assert pinned.entry("guide", "The saw").msgstr == ""
    assert_turns_write_nothing(pinned)


def test_a_tag_that_upstream_moves_loses_nothing(tmp_path: Path) -> None:
    origin = make_origin(tmp_path / "origin", RELEASES)
    pinned = Project(tmp_path / "project", str(origin), beside=("2",))
    pinned.root.mkdir()
    pinned.sync("v1")
    beside = pinned.at("2")
    beside.sync("v2")
    finish(beside)
    sync_by_turns(pinned, 1)
    words = {chinese(entry) for entry in beside.read("guide").entries}
    git(origin, "tag", "--force", "v2", "v3")
    sync_by_turns(pinned, 2)
    assert_turns_write_nothing(pinned)
    kept = {entry.msgstr for entry in beside.read("guide").entries}
    assert len(words & kept) >= 3


SWEEP = "\n\nSweep the floor before you leave the workshop.\n"
TEA, GLUE = "# Tea\n\nTea is hot, mind it.\n", "# Glue\n\nGlue dries slowly.\n"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((f"# A{SWEEP}", "# B\n\nNothing.\n"), ("# A\n", f"# B{SWEEP}")),
        ((TEA, GLUE), (GLUE, TEA)),
    ],
    ids=["a text moves to another page", "pages trade names"],
)
def test_every_page_has_the_texts_that_it_needs(
    tmp_path: Path, first: tuple[str, str], second: tuple[str, str]
) -> None:
    v1, v2 = ({"a.md": a, "b.md": b} for a, b in (first, second))
    origin = make_origin(tmp_path / "origin", {"v1": v1, "v2": v2})
    project = Project(tmp_path / "project", str(origin), beside=("2",)).begin()
    sync_by_turns(project, 2)
    assert untranslated(project) == untranslated(project.at("2")) == []
    assert_turns_write_nothing(project)
    assert project.verify() == project.at("2").verify() == ()
