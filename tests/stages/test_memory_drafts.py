"""Drafts in the memory: they go along, and never stand in a person's way."""

from __future__ import annotations

from pathlib import Path

import pytest
from catalog_files import LI
from memory_project import FIRST, Project
from repositories import make_origin

from pipeline.core.catalog.origins import Machine, is_draft
from pipeline.core.drafting.drafts import Draft, drafted
from pipeline.entries import Entry

WORDS = "The saw"
ORIGIN = Machine(model="m", prompt=1, date="2026-05-01")
LONG = "[Monday, Tuesday and every other day](the/plan/of/the/whole/week.md)"


@pytest.fixture
def project(tmp_path: Path, origin: Path) -> Project:
    made = Project(tmp_path / "project", str(origin))
    made.root.mkdir()
    made.sync("v1")
    return made


def draft_all(project: Project, page: str = "guide", msgstr: str = "机器写的：{}。") -> None:
    """What ``draft`` writes, with the header as it is."""

    def change(entry: Entry) -> Entry:
        if entry.msgstr or entry.obsolete:
            return entry
        text = msgstr.format(len(entry.msgid))
        if LONG in entry.msgid:
            text += LONG
        return drafted(entry, Draft(before=entry, msgstr=text, origin=ORIGIN))

    project.edit(page, change, header={})


def clone_of(project: Project) -> Project:
    """Another clone with the same memory."""
    other = project.copy(project.root.with_name("other"))
    other.clone()
    other.sync("v1")
    return other


def test_drafts_come_back_in_a_fresh_clone(project: Project) -> None:
    draft_all(project)
    project.sync("v1")
    assert "#. draft: m, prompt 1, 2026-05-01, " in project.text("guide")
    other = clone_of(project)
    assert other.read("guide").entries == project.read("guide").entries
    assert all(map(is_draft, other.read("guide").entries))
    assert other.verify() == ()


def test_a_draft_names_nobody_as_its_translator(project: Project) -> None:
    project.translate("guide", "Glue", "胶水在冬天干得慢。")
    project.sync("v1")
    draft_all(project)
    project.sync("v1")
    memory = project.text("guide")
    assert memory.count(f"translator: {LI['Last-Translator']}") == 1
    assert memory.count("#. draft:") == 4


@pytest.mark.parametrize("is_stored", [True, False])
def test_whoever_confirms_a_draft_is_its_translator(project: Project, *, is_stored: bool) -> None:
    draft_all(project)
    if is_stored:
        project.sync("v1")
    kept = project.entry("guide", WORDS).msgstr
    project.change("guide", WORDS, fuzzy=False, previous=None)
    project.sync("v1")
    entry = project.entry("guide", WORDS)
    assert (entry.msgstr, entry.is_translated) == (kept, True)
    memory = project.text("guide")
    assert memory.count("#. drafted: m, prompt 1, 2026-05-01\n") == 1
    assert memory.count(f"translator: {LI['Last-Translator']}") == 1
    assert project.verify() == ()


@pytest.mark.parametrize("is_elsewhere", [True, False])
def test_a_person_wins_over_a_draft(project: Project, *, is_elsewhere: bool) -> None:
    """The other one is in another clone, from which the memory comes."""
    other = clone_of(project)
    person, machine = (other, project) if is_elsewhere else (project, other)
    person.translate("guide", WORDS, "窗边的锯子每周一都会磨好。")
    draft_all(machine)
    other.sync("v1")
    project.take_memory(other)
    assert project.sync("v1").codes == []
    entry = project.entry("guide", WORDS)
    assert (entry.msgstr, entry.comments) == ("窗边的锯子每周一都会磨好。", ())
    # What nobody has translated keeps its draft.
    assert is_draft(project.entry("guide", "Glue"))


def test_two_drafts_are_no_conflict(project: Project) -> None:
    other = clone_of(project)
    draft_all(other, msgstr="另一台机器写的：{}。")
    other.sync("v1")
    draft_all(project)
    project.take_memory(other)
    synced = project.sync("v1")
    assert "另一台" in project.entry("guide", WORDS).msgstr
    assert synced.codes == []


def test_a_draft_taken_back_leaves_no_comment(project: Project) -> None:
    before = clone_of(project)
    draft_all(project)
    project.sync("v1")
    project.take_memory(before)
    synced = project.sync("v1")
    entry = project.entry("guide", WORDS)
    assert (entry.msgstr, entry.comments, synced.codes) == ("", (), [])


def test_a_draft_goes_with_its_message_from_the_memory_too(project: Project) -> None:
    draft_all(project)
    project.sync("v1")
    project.sync("v2")
    # Of four paragraphs two stay as they were; nothing of the others is kept.
    assert project.text("guide").count("draft:") == 3
    obsolete = project.text("guide").partition("end of the page")[2]
    assert "#~" not in obsolete.partition("\n\n")[2]
    assert project.verify() == ()
    project.sync("v1")
    assert project.verify() == ()


def test_long_atoms_of_drafts_are_left_out_and_come_back(tmp_path: Path) -> None:
    guide = f"# Guide\n\nThe saw is sharpened on {LONG} of the year.\n"
    url = make_origin(tmp_path / "o", {"v1": FIRST | {"guide.md": guide}})
    project = Project(tmp_path / "project", str(url))
    project.root.mkdir()
    project.sync("v1")
    draft_all(project)
    assert LONG in project.entry("guide", WORDS).msgstr
    project.sync("v1")
    assert "the/plan/of" not in project.text("guide")
    other = clone_of(project)
    assert is_draft(other.entry("guide", WORDS))
