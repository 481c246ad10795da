"""The queue of what a branch has changed: ``serve --review``, on a real repository."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from branch_project import NAME, Clone
from starlette.testclient import TestClient
from workbench import Workbench, ask, workbench_of

from pipeline.entries import Entry

Speech = pytest.CaptureFixture[str]


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
def bench(work: Clone) -> Workbench:
    return workbench_of(work.root, NAME, base="")


@pytest.fixture
def client(bench: Workbench) -> Iterator[TestClient]:
    with bench.client() as client:
        yield client


def queue(client: TestClient) -> list[tuple[str, str]]:
    return [
        (item["page"], item["change"]["happened"]) for item in ask(client, "waiting")
    ]


ALL = [("cellar", "translated"), ("yard/shed", "changed"), ("yard/shed", "withdrawn")]


def decide(client: TestClient, item: dict[str, Any], *, accepts: bool) -> Any:
    seen = {name: item[name] for name in ("msgid", "context", "msgstr", "fuzzy")}
    return ask(client, "decide", page=item["page"], seen=seen, is_accepted=accepts)


def test_the_queue_is_what_review_lists_with_both_versions(client: TestClient) -> None:
    assert ask(client, "start")["base"] == "main"
    assert queue(client) == ALL
    _, changed, withdrawn = ask(client, "waiting")
    pieces = changed["change"]["pieces"]
    new = "".join(text for part, text in pieces if part != "removed")
    old = "".join(text for part, text in pieces if part != "added")
    assert new == changed["msgstr"] == "雨会弄坏锯子"
    assert old.startswith("yard/shed：译文")
    assert changed["change"]["translator"] == "Li Lei, 2026-01-02"
    assert [part for part, _ in withdrawn["change"]["pieces"]] == ["removed"]


def test_to_accept_writes_nothing_and_can_be_undone(
    client: TestClient, bench: Workbench
) -> None:
    before = {page: bench.path(page).read_bytes() for page, _ in ALL}
    told = [decide(client, item, accepts=True) for item in ask(client, "waiting")]
    assert queue(client) == []
    for answer in told:
        assert not ask(client, "undo", number=answer["undo"])["conflict"]
    assert queue(client) == ALL
    assert {page: bench.path(page).read_bytes() for page in before} == before


def test_to_reject_brings_back_what_the_base_had_and_can_be_undone(
    client: TestClient, bench: Workbench
) -> None:
    before = {page: bench.catalog(page).entries for page, _ in ALL}
    items = ask(client, "waiting")
    told = [decide(client, item, accepts=False) for item in items]
    assert queue(client) == []
    new, changed, withdrawn = (
        bench.entry(item["page"], item["msgid"]) for item in items
    )
    assert (new.msgstr, new.comments) == ("", ("rejected: 楼梯旁挂着一盏灯",))
    assert changed.msgstr.startswith("yard/shed：译文")
    assert changed.is_finished
    assert changed.comments == ("rejected: 雨会弄坏锯子",)
    assert withdrawn.msgstr.startswith("yard/shed：译文")
    assert withdrawn.comments == ()
    for answer in reversed(told):
        assert not ask(client, "undo", number=answer["undo"])["conflict"]
    assert queue(client) == ALL
    assert {page: bench.catalog(page).entries for page in before} == before


@pytest.mark.parametrize("accepts", [True, False])
def test_a_decision_about_what_somebody_has_changed_writes_nothing(
    client: TestClient, bench: Workbench, work: Clone, accepts: bool
) -> None:
    item = ask(client, "waiting")[1]
    work.translate("yard/shed", "saw", "别处改的")
    before = bench.path("yard/shed").read_bytes()
    told = decide(client, item, accepts=accepts)
    assert told["theirs"]["msgstr"] == "别处改的"
    assert bench.path("yard/shed").read_bytes() == before
    bench.desk.files_changed([bench.path("yard/shed")])
    assert queue(client) == ALL
    pieces = ask(client, "waiting")[1]["change"]["pieces"]
    assert pieces[-1] == ["added", "别处改的"]


def test_what_is_edited_leaves_the_queue_and_a_draft_does_not(
    client: TestClient, bench: Workbench
) -> None:
    item = ask(client, "waiting")[1]
    seen = {name: item[name] for name in ("msgid", "context", "msgstr", "fuzzy")}
    question = {"page": item["page"], "seen": seen, "msgstr": "改过的"}
    ask(client, "save", **question, is_draft=True)
    assert queue(client) == ALL
    seen = {**seen, "msgstr": "改过的", "fuzzy": True}
    ask(client, "save", **{**question, "seen": seen})
    assert queue(client) == [ALL[0], ALL[2]]
    assert bench.entry("yard/shed", item["msgid"]).is_finished


def test_a_base_that_is_no_commit_is_told(work: Clone, capsys: Speech) -> None:
    catalogs = work.root / "translations" / "zh_CN" / NAME
    (catalogs / "cellar.po").unlink()
    assert work.run("serve", NAME, "--review", "nothing", "--no-browser") == 2
    assert "git knows no commit 'nothing'" in capsys.readouterr().err
    # Nothing was updated before that.
    assert not (catalogs / "cellar.po").exists()
