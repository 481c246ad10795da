"""The queue of what a branch has changed: ``serve --review``, on a real repository."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from branch_project import NAME, Clone
from in_process import command
from workbench import OpenBench, opened, workbench_of

from pipeline.entries import Entry


@pytest.fixture
def work(begun: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """A branch that has changed, translated, withdrawn and commented on a message each."""
    monkeypatch.delenv("GITHUB_BASE_REF", raising=False)
    clone = begun.copy(tmp_path / "project")
    clone.branch("work")
    clone.translate("yard/shed", "saw", "雨会弄坏锯子")
    clone.translate("cellar", "lamp", "楼梯旁挂着一盏灯")
    clone.edit("yard/shed", without("drill"))
    assert clone.sync() == 0
    clone.commit("Work on the shed")
    return clone


def without(word: str) -> Any:
    def change(entry: Entry) -> Entry:
        if word not in entry.msgid:
            return entry
        return Entry(msgid=entry.msgid, notes=entry.notes)

    return change


@pytest.fixture
def bench(work: Clone) -> Iterator[OpenBench]:
    with opened(workbench_of(work.root, NAME, base="")) as bench:
        yield bench


def queue(bench: OpenBench) -> list[tuple[str, str]]:
    return [(item["page"], item["change"]["happened"]) for item in bench.ask("waiting")]


ALL = [("cellar", "translated"), ("yard/shed", "changed"), ("yard/shed", "withdrawn")]


def test_the_queue_is_what_review_lists_with_both_versions(bench: OpenBench) -> None:
    assert bench.ask("start")["base"] == "main"
    assert queue(bench) == ALL
    _, changed, withdrawn = bench.ask("waiting")
    pieces = changed["change"]["pieces"]
    new = "".join(text for part, text in pieces if part != "removed")
    old = "".join(text for part, text in pieces if part != "added")
    assert new == changed["msgstr"] == "雨会弄坏锯子"
    assert old.startswith("yard/shed：译文")
    assert changed["change"]["translator"] == "Li Lei, 2026-01-02"
    assert [part for part, _ in withdrawn["change"]["pieces"]] == ["removed"]


def test_to_accept_writes_nothing_and_can_be_undone(bench: OpenBench) -> None:
    before = {page: bench.path(page).read_bytes() for page, _ in ALL}
    told = [bench.decide(item["page"], item, accepts=True) for item in bench.ask("waiting")]
    assert queue(bench) == []
    for answer in told:
        assert not bench.ask("undo", number=answer["undo"])["conflict"]
    assert queue(bench) == ALL
    assert {page: bench.path(page).read_bytes() for page in before} == before


def test_a_rejected_change_goes_and_can_be_undone(bench: OpenBench) -> None:
    before = {page: bench.catalog(page).entries for page, _ in ALL}
    items = bench.ask("waiting")
    told = [bench.decide(item["page"], item, accepts=False) for item in items]
    assert queue(bench) == []
    new, changed, withdrawn = (bench.entry(item["page"], item["msgid"]) for item in items)
    assert (new.msgstr, new.comments) == ("", ("rejected: 楼梯旁挂着一盏灯",))
    assert changed.msgstr.startswith("yard/shed：译文")
    assert changed.is_finished
    assert changed.comments == ("rejected: 雨会弄坏锯子",)
    assert withdrawn.msgstr.startswith("yard/shed：译文")
    assert withdrawn.comments == ()
    for answer in reversed(told):
        assert not bench.ask("undo", number=answer["undo"])["conflict"]
    assert queue(bench) == ALL
    assert {page: bench.catalog(page).entries for page in before} == before


@pytest.mark.parametrize("accepts", [True, False])
def test_a_changed_entry_stays(bench: OpenBench, work: Clone, accepts: bool) -> None:
    item = bench.ask("waiting")[1]
    work.translate("yard/shed", "saw", "别处改的")
    before = bench.path("yard/shed").read_bytes()
    told = bench.decide(item["page"], item, accepts=accepts)
    assert told["theirs"]["msgstr"] == "别处改的"
    assert bench.path("yard/shed").read_bytes() == before
    bench.desk.files_changed([bench.path("yard/shed")])
    assert queue(bench) == ALL
    pieces = bench.ask("waiting")[1]["change"]["pieces"]
    assert pieces[-1] == ["added", "别处改的"]


def test_what_is_edited_leaves_the_queue_and_a_draft_does_not(bench: OpenBench) -> None:
    item = bench.ask("waiting")[1]
    bench.save(item["page"], item, "改过的", is_draft=True)
    assert queue(bench) == ALL
    draft = {**item, "msgstr": "改过的", "fuzzy": True}
    bench.save(item["page"], draft, "改过的")
    assert queue(bench) == [ALL[0], ALL[2]]
    assert bench.entry("yard/shed", item["msgid"]).is_finished


def test_a_base_that_is_no_commit_is_told(work: Clone) -> None:
    (work.catalogs / "cellar.po").unlink()
    line = f"serve {NAME} --review nothing --no-browser"
    told = command(line, root=work.root, code=2).err
    assert "git knows no commit 'nothing'" in told
    # Nothing was updated before that.
    assert not (work.catalogs / "cellar.po").exists()
