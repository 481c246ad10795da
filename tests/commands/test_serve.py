"""The workbench as a browser meets it: pages, messages, what is typed, what is saved."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from catalog_files import read_catalog
from msgspec.structs import replace
from starlette.testclient import TestClient
from workbench import LOCALE, Workbench, ask, emptied, workbench_of

from pipeline.adapters.files import hold_lock, replace_if_unchanged
from pipeline.adapters.web import bind
from pipeline.cli import main
from pipeline.commands.serve import page_named
from pipeline.core.catalog.counts import count_catalog
from pipeline.core.catalog.origins import Machine
from pipeline.core.pin.lock import Page
from pipeline.core.results import PageResult
from pipeline.core.workbench.marks import MarkedHtml
from pipeline.entries import Entry
from pipeline.errors import ConfigError

Speech = pytest.CaptureFixture[str]


@pytest.fixture
def workbench(project: Path) -> Workbench:
    return workbench_of(project)


@pytest.fixture
def client(workbench: Workbench) -> Iterator[TestClient]:
    with workbench.client() as client:
        yield client


def first(told: dict[str, Any], **facts: object) -> dict[str, Any]:
    """The first block of a page with these values."""
    for block in told["blocks"]:
        if all(block[name] == value for name, value in facts.items()):
            found: dict[str, Any] = block
            return found
    raise AssertionError(facts)


def of(page: str, block: dict[str, Any], **more: str) -> dict[str, Any]:
    return {"page": page, "number": block["number"], "msgid": block["msgid"], **more}


def seen(block: dict[str, Any]) -> dict[str, Any]:
    return {name: block[name] for name in ("msgid", "context", "msgstr", "fuzzy")}


# --- pages


def test_all_pages_are_listed_with_their_counts(client: TestClient) -> None:
    pages = {one["page"]: one["counts"] for one in ask(client, "pages")}
    assert len(pages) > 5
    done, waiting, all_ = pages["faq"]
    assert done == all_ > 0
    assert waiting == 0


@pytest.mark.parametrize("page", ["faq", "arrays", "reference", "guides/vmap", "grad"])
def test_a_page_is_the_preview_with_its_messages(
    page: str, client: TestClient, workbench: Workbench
) -> None:
    told = ask(client, "page", page=page)
    done, all_ = told["progress"]
    assert done == all_ == len({block["first"] for block in told["blocks"]}) > 0
    assert told["refused"] == 0
    html = client.get(f"frame/{page}").text
    # The sample's reST has many tables, whose cells have no element.
    numbers = [f'data-block="{block["number"]}"' for block in told["blocks"]]
    shown = sum(number in html for number in numbers)
    assert shown > 0.6 * len(numbers)
    assert "<script" not in html
    assert ask(client, "body", page=page)["html"] in html


def test_a_page_counts_its_messages_as_the_list_and_status_do(
    client: TestClient, workbench: Workbench
) -> None:
    """A text that stands on a page twice is one message to whoever translates it."""
    path = workbench.run.paths.docs / "faq.md"
    again = workbench.catalog("faq").entries[3].msgid
    path.write_text(f"{path.read_text('utf-8')}\n{again}\n", encoding="utf-8")
    first = workbench.catalog("faq").entries[0]
    workbench.write("faq", replace(first, msgstr=""))
    told = ask(client, "page", page="faq")
    *_, repeated = (block for block in told["blocks"] if block["msgid"] == again)
    assert repeated["first"] < repeated["number"]
    entries = len(workbench.catalog("faq").entries)
    assert told["progress"] == [entries - 1, entries]
    listed = {one["page"]: one["counts"] for one in ask(client, "pages")}["faq"]
    assert [listed[0], listed[2]] == told["progress"]
    row = count_catalog(PageResult(page="faq"), workbench.catalog("faq"))
    assert [row.translated, row.messages] == told["progress"]


def test_what_is_saved_with_an_error_says_so(
    client: TestClient, workbench: Workbench
) -> None:
    blocks = ask(client, "page", page="faq")["blocks"]
    block = next(one for one in blocks if "`" in one["msgid"])
    question = {"page": "faq", "seen": seen(block), "msgstr": "没有代码了"}
    told = ask(client, "save", **question)
    assert [error["severity"] for error in told["errors"]] == ["error"]
    assert workbench.entry("faq", block["msgid"]).msgstr == "没有代码了"
    assert told["page"]["progress"][0] == told["page"]["progress"][1]
    assert told["page"]["refused"] == 1
    saved = next(
        one for one in told["page"]["blocks"] if one["number"] == block["number"]
    )
    question = {"page": "faq", "seen": seen(saved), "msgstr": block["msgstr"]}
    assert ask(client, "save", **question)["errors"] == []


def test_messages_are_there_while_the_page_is_still_being_rendered(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()
    has_begun = threading.Event()

    def slow(*_: object, **__: object) -> MarkedHtml:
        has_begun.set()
        assert may_end.wait(20)
        return MarkedHtml(html="rendered at last", inner={})

    monkeypatch.setattr("pipeline.stages.publish.marked_page.render_marked", slow)
    ask(client, "page", page="grad")
    frames: list[str] = []
    thread = threading.Thread(
        target=lambda: frames.append(client.get("frame/grad").text)
    )
    thread.start()
    assert has_begun.wait(20)
    assert ask(client, "page", page="grad")["blocks"]
    assert ask(client, "pages")
    assert frames == []
    may_end.set()
    thread.join(20)
    assert "rendered at last" in frames[0]


def test_outputs_of_an_earlier_run_are_shown(
    client: TestClient, workbench: Workbench
) -> None:
    path = workbench.run.paths.executed(LOCALE) / "grad.ipynb"
    path.parent.mkdir(parents=True)
    notebook = json.loads((workbench.run.paths.docs / "grad.ipynb").read_text("utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            stream = {"output_type": "stream", "name": "stdout", "text": "ran here\n"}
            cell["outputs"] = [stream]
            cell["execution_count"] = 1
    path.write_text(json.dumps(notebook), "utf-8")
    assert "ran here" in client.get("frame/grad").text


ADOPTED = f"adopted: faq.md, {'a' * 40} faq, 0.90, by Han Meimei, MIT"


def test_states_are_those_of_the_catalogue(
    client: TestClient, workbench: Workbench
) -> None:
    entries = workbench.catalog("faq").entries[:5]
    workbench.write(
        "faq",
        replace(entries[0], msgstr=""),
        replace(entries[1], fuzzy=True, previous="An older text"),
        replace(entries[2], fuzzy=True, previous=entries[2].msgid),
        replace(entries[3], msgstr="一\n\n二"),
        replace(entries[4], fuzzy=True, notes=(*entries[4].notes, ADOPTED)),
    )
    told = ask(client, "page", page="faq")
    states = {block["msgid"]: block["state"] for block in told["blocks"]}
    expected = ["english", "fuzzy", "draft", "refused", "adopted"]
    assert [states[entry.msgid] for entry in entries] == expected
    assert first(told, state="refused")["refusal"]["hint"]


@pytest.mark.parametrize("page", ["nothing", "../../etc/passwd", "", "faq.po", "/faq"])
def test_a_page_that_there_is_not(client: TestClient, page: str) -> None:
    answer = client.post("api/page", json={"page": page})
    assert answer.status_code == 422
    assert answer.json()["error"] == "there is no such page"
    assert (
        client.post(
            "api/save",
            json={
                "page": page,
                "seen": {"msgid": "a", "context": None, "msgstr": "", "fuzzy": False},
                "msgstr": "b",
            },
        ).json()["error"]
        == "there is no such page"
    )


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (b'\nmsgid "open\n', "faq.po:"),
        (b"<<<<<<< ours\n", "faq.po:"),
        (b"\xff\xfe", "faq.po:"),
    ],
)
def test_a_damaged_catalogue_is_told_with_its_line_and_others_work(
    client: TestClient, workbench: Workbench, damage: bytes, told: str
) -> None:
    path = workbench.path("faq")
    path.write_bytes(path.read_bytes() + damage)
    before = path.read_bytes()
    answer = client.post("api/page", json={"page": "faq"})
    assert answer.status_code == 422
    assert told in answer.json()["where"]
    assert ask(client, "page", page="arrays")["blocks"]
    assert ask(client, "pages")
    assert path.read_bytes() == before


def test_a_document_that_cannot_be_read_is_told(
    client: TestClient, workbench: Workbench
) -> None:
    for path in workbench.run.paths.docs.glob("faq.*"):
        path.write_bytes(b"\xff")
    answer = client.post("api/page", json={"page": "faq"})
    assert (answer.status_code, answer.json()["error"]) == (422, "is not UTF-8")


def test_a_catalogue_that_goes_while_its_page_is_open(
    client: TestClient, workbench: Workbench
) -> None:
    block = ask(client, "page", page="faq")["blocks"][0]
    workbench.path("faq").unlink()
    assert ask(client, "page", page="faq")["progress"] == [0, 0]
    question = {"page": "faq", "seen": seen(block), "msgstr": "新的"}
    assert ask(client, "save", **question) == {"conflict": True, "theirs": None}
    assert not workbench.path("faq").exists()


def test_a_cell_of_900_kb_does_not_stop_who_types(
    client: TestClient, workbench: Workbench
) -> None:
    path = workbench.run.paths.docs / "grad.ipynb"
    notebook = json.loads(path.read_text("utf-8"))
    image = f"![A plot](data:image/png;base64,{'iVBORw0KGgo' * 82_000})"
    source = f"A sentence above it.\n\n{image}\n\nA sentence below it."
    cell = {"cell_type": "markdown", "metadata": {}, "source": source}
    notebook["cells"].insert(1, cell)
    path.write_text(json.dumps(notebook), "utf-8")
    assert path.stat().st_size > 900_000
    told = ask(client, "page", page="grad")
    block = next(one for one in told["blocks"] if "below it" in one["msgid"])
    assert "A sentence below it." in client.get("frame/grad").text
    question = of("grad", block, msgstr="下面的**句子**。")
    ask(client, "preview", **question)  # what is needed is read once
    start = time.process_time()
    preview = ask(client, "preview", **question)
    assert time.process_time() - start < 0.5
    assert preview["html"] == "下面的<strong>句子</strong>。"


def test_a_page_that_goes_while_it_is_open(
    client: TestClient, workbench: Workbench
) -> None:
    block = ask(client, "page", page="faq")["blocks"][1]
    document = workbench.run.paths.docs / "faq.md"
    data = document.read_bytes()
    document.unlink()
    # What is read already can be translated on, until a pull says that all is new.
    assert not save(client, block, "还在写")["conflict"]
    workbench.desk.files_changed([workbench.run.paths.lock])
    answer = client.post("api/page", json={"page": "faq"})
    assert answer.status_code == 422
    assert "faq.md" in answer.json()["where"]
    assert ask(client, "page", page="arrays")["blocks"]
    assert workbench.entry("faq", block["msgid"]).msgstr == "还在写"
    document.write_bytes(data)
    assert first(ask(client, "page", page="faq"), number=1)["msgstr"] == "还在写"


def test_errors_and_findings_come_in_both_languages(client: TestClient) -> None:
    answer = client.post("api/page", json={"page": "nothing"}).json()
    assert answer["chinese"] == {"error": "没有这个页面", "hint": "请从列表里选一个。"}
    block = first(ask(client, "page", page="faq"), kind="paragraph")
    told = ask(client, "preview", **of("faq", block, msgstr="用JAX写"))
    assert "缺少空格" in json.dumps(told["findings"], ensure_ascii=False)


# --- a message


def test_a_message_comes_with_all_that_a_translator_needs(
    client: TestClient, workbench: Workbench
) -> None:
    told = ask(client, "page", page="arrays")
    block = next(one for one in told["blocks"] if "`" in one["msgid"])
    old = block["msgid"].replace("the ", "all the ", 1) + " Once."
    entry = workbench.entry("arrays", block["msgid"])
    workbench.write("arrays", replace(entry, fuzzy=True, previous=old))
    message = ask(client, "message", **of("arrays", block))
    assert any("`" in atom for atom in message["atoms"])
    english = "".join(text for part, text in message["diff"] if part != "removed")
    assert english == block["msgid"]
    terms = [
        term
        for one in told["blocks"]
        for term in ask(client, "message", **of("arrays", one))["terms"]
    ]
    assert terms
    assert terms[0]["renderings"]


def test_similar_translations_are_suggested(
    client: TestClient, workbench: Workbench
) -> None:
    entry = workbench.catalog("arrays").entries[1]
    similar = workbench.catalog("faq").entries[1]
    workbench.write("faq", similar)
    told = ask(client, "page", page="faq")
    question = {**of("faq", told["blocks"][1]), "msgid": entry.msgid}
    found = ask(client, "suggestions", **question)
    assert (found[0]["score"], found[0]["msgstr"]) == (100, entry.msgstr)


@pytest.mark.parametrize("page", ["faq", "reference", "arrays"])
def test_what_is_typed_is_rendered_as_it_will_be_on_the_page(
    client: TestClient, page: str
) -> None:
    for block in ask(client, "page", page=page)["blocks"]:
        question = of(page, block, msgstr=block["msgstr"])
        told = ask(client, "preview", **question)
        errors = [one for one in told["findings"] if one["severity"] == "error"]
        assert errors == []
        if told["html"] is not None and page != "reference":  # titles of links differ
            assert told["html"] in client.get(f"frame/{page}").text


def test_findings_come_while_typing_and_fix_mends_them(client: TestClient) -> None:
    block = first(ask(client, "page", page="faq"), kind="paragraph")
    text = block["msgstr"] + "用JAX写**注意：**不要"
    told = ask(client, "preview", **of("faq", block, msgstr=text))
    codes = [finding["code"] for finding in told["findings"]]
    assert "M102" in codes
    marked = next(one for one in told["findings"] if one["code"] == "M102")
    start, end = marked["spans"][0]
    assert "注意" in text[start:end]
    fixed = ask(client, "fix", **of("faq", block, msgstr=text))["msgstr"]
    assert "**注意**：" in fixed
    again = ask(client, "fix", **of("faq", block, msgstr=fixed))["msgstr"]
    assert again == fixed


@pytest.mark.parametrize(
    "typed",
    [
        "\n" * 1000 + "a\nb",
        "<script>alert(1)</script>",
        "```\ncode\n```",
        "![x](javascript:alert(1))",
        "a" * 100_000,
        "\ud83d\x00\u202e",
    ],
)
def test_anything_can_be_typed(client: TestClient, typed: str) -> None:
    block = first(ask(client, "page", page="faq"), kind="paragraph")
    body = json.dumps(of("faq", block, msgstr=typed)).encode()
    answer = client.post("api/preview", content=body)
    assert answer.status_code == 200
    told = answer.json()
    assert told["findings"] or not typed.strip("\ud83d\x00\u202e")
    assert "<script" not in (told["html"] or "")


def test_a_message_that_has_moved_is_told(client: TestClient) -> None:
    block = ask(client, "page", page="faq")["blocks"][0]
    question = {**of("faq", block), "msgid": "Another text"}
    answer = client.post("api/message", json=question)
    assert answer.status_code == 422
    assert "is gone" in answer.json()["error"]


@pytest.mark.parametrize(
    "question", [{}, [], {"page": 1}, {"page": "faq", "number": "1", "msgid": "x"}]
)
def test_a_wrong_question_is_told(client: TestClient, question: object) -> None:
    answer = client.post("api/message", json=question)
    assert answer.status_code == 422
    assert "cannot be answered" in answer.json()["error"]


def test_findings_of_the_page(client: TestClient, workbench: Workbench) -> None:
    entry = workbench.catalog("faq").entries[1]
    workbench.write("faq", replace(entry, msgstr=entry.msgstr + "**注意：**不要"))
    found = ask(client, "findings", page="faq")
    assert "M102" in [one["code"] for one in found if one["msgid"] == entry.msgid]


# --- saving


def save(
    client: TestClient, block: dict[str, Any], msgstr: str, **more: Any
) -> dict[str, Any]:
    question = {"page": "faq", "seen": seen(block), "msgstr": msgstr, **more}
    told: dict[str, Any] = ask(client, "save", **question)
    return told


def test_saving_writes_the_entry_and_nothing_else(
    client: TestClient, workbench: Workbench
) -> None:
    before = workbench.catalog("faq")
    block = first(ask(client, "page", page="faq"), kind="paragraph")
    told = save(client, block, " 新的译文。\r\n")
    assert not told["conflict"]
    after = workbench.catalog("faq")
    changed = [
        (old.msgid, new.msgstr)
        for old, new in zip(before.entries, after.entries, strict=True)
        if replace(old, line=0) != replace(new, line=0)
    ]
    assert changed == [(block["msgid"], "新的译文。")]
    assert after.header["X-Generator"].endswith("serve")
    assert "新的译文。" in client.get("frame/faq").text
    saved = first(told["page"], number=block["number"])
    assert saved["msgstr"] == "新的译文。"


def test_a_thousand_pasted_newlines_are_saved_and_kept_from_the_page(
    client: TestClient, workbench: Workbench
) -> None:
    block = first(ask(client, "page", page="faq"), kind="paragraph")
    typed = "一" + "\n" * 1000 + "<b onclick=x()>二</b>"
    told = save(client, block, typed)
    assert workbench.entry("faq", block["msgid"]).msgstr == typed
    assert first(told["page"], number=block["number"])["state"] == "refused"
    assert "onclick" not in client.get("frame/faq").text


def test_a_fuzzy_entry_is_confirmed_and_a_draft_is_none(
    client: TestClient, workbench: Workbench
) -> None:
    entry = workbench.catalog("faq").entries[1]
    workbench.write("faq", replace(entry, fuzzy=True, previous="Older"))
    block = first(ask(client, "page", page="faq"), state="fuzzy")
    told = save(client, block, "草稿", is_draft=True)
    draft = first(told["page"], state="draft")
    assert workbench.entry("faq", entry.msgid).previous == entry.msgid
    save(client, draft, draft["msgstr"])
    assert workbench.entry("faq", entry.msgid).is_finished


def test_what_was_written_elsewhere_is_shown_and_not_overwritten(
    client: TestClient, workbench: Workbench
) -> None:
    block = first(ask(client, "page", page="faq"), kind="paragraph")
    entry = workbench.entry("faq", block["msgid"])
    workbench.write("faq", replace(entry, msgstr="别人的"))
    told = save(client, block, "我的")
    assert told["conflict"]
    assert told["theirs"]["msgstr"] == "别人的"
    assert workbench.entry("faq", block["msgid"]).msgstr == "别人的"
    # Having seen it, the person may still want it otherwise.
    assert not save(client, told["theirs"], "我的")["conflict"]


def test_ten_tabs_that_save_at_once_lose_nothing(
    client: TestClient, workbench: Workbench
) -> None:
    emptied(workbench, "faq")
    blocks = {one["msgid"]: one for one in ask(client, "page", page="faq")["blocks"]}
    chosen = list(blocks.values())[:10]
    told: list[bool] = []

    def tab(number: int, block: dict[str, Any]) -> None:
        told.append(save(client, block, f"第 {number} 条")["conflict"])

    threads = [
        threading.Thread(target=tab, args=(number, block))
        for number, block in enumerate(chosen)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [False] * len(chosen)
    saved = [workbench.entry("faq", block["msgid"]).msgstr for block in chosen]
    assert saved == [f"第 {number} 条" for number in range(len(chosen))]


def test_a_file_that_is_saved_at_the_same_moment_is_read_again(
    client: TestClient, workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = ask(client, "page", page="faq")["blocks"]
    real = replace_if_unchanged
    saving = "pipeline.commands.serve.page"
    tries: list[int] = []

    def late(path: Path, data: bytes, *, before: bytes | None) -> bool:
        if not tries:
            other = workbench.entry("faq", blocks[2]["msgid"])
            workbench.write("faq", replace(other, msgstr="别人的"))
        tries.append(1)
        return real(path, data, before=before)

    monkeypatch.setattr(f"{saving}.replace_if_unchanged", late)
    assert not save(client, blocks[1], "我的")["conflict"]
    assert len(tries) == 2
    assert workbench.entry("faq", blocks[2]["msgid"]).msgstr == "别人的"
    # A program that never stops is told of.
    monkeypatch.setattr(f"{saving}.replace_if_unchanged", lambda *_, **__: False)
    question = {"page": "faq", "seen": seen(blocks[3]), "msgstr": "又"}
    answer = client.post("api/save", json=question)
    assert "again and again" in answer.json()["error"]


def test_a_run_that_is_at_work_is_waited_for(
    client: TestClient, workbench: Workbench
) -> None:
    block = first(ask(client, "page", page="faq"), kind="paragraph")
    done: list[bool] = []

    def tab() -> None:
        done.append(save(client, block, "等到了")["conflict"])

    lock = workbench.run.paths.run_lock
    with hold_lock(lock, on_wait=lambda: None):
        thread = threading.Thread(target=tab)
        thread.start()
        time.sleep(0.5)
        assert done == []
        # Reading goes on meanwhile.
        assert ask(client, "page", page="arrays")["blocks"]
        assert workbench.entry("faq", block["msgid"]).msgstr != "等到了"
    thread.join(20)
    assert done == [False]
    assert workbench.entry("faq", block["msgid"]).msgstr == "等到了"


# --- the queue of a reviewer

MACHINE = Machine(model="stub", prompt=1, date="2026-05-01")


def decide(
    client: TestClient, page: str, entry: dict[str, Any], *, accepts: bool
) -> dict[str, Any]:
    question = {"page": page, "seen": seen(entry), "is_accepted": accepts}
    told: dict[str, Any] = ask(client, "decide", **question)
    return told


def waiting(workbench: Workbench, page: str) -> list[Entry]:
    """Let the first entries of a page wait: fuzzy, and a draft."""
    first, second = [one for one in workbench.catalog(page).entries if one.msgstr][:2]
    notes = (*second.notes, MACHINE.note(second.msgstr))
    changed = [
        replace(first, fuzzy=True, previous=f"{first.msgid} Once."),
        replace(second, fuzzy=True, previous=second.msgid, notes=notes),
    ]
    workbench.write(page, *changed)
    return changed


def test_what_waits_is_listed_in_the_order_of_the_pages(
    client: TestClient, workbench: Workbench
) -> None:
    assert ask(client, "waiting") == []
    on_grad, on_faq = waiting(workbench, "grad"), waiting(workbench, "faq")
    for page in ("grad", "faq"):
        workbench.desk.files_changed([workbench.path(page)])
    told = [(one["page"], one["msgid"]) for one in ask(client, "waiting")]
    assert told == [
        *(("faq", entry.msgid) for entry in on_faq),
        *(("grad", entry.msgid) for entry in on_grad),
    ]
    assert [one["state"] for one in ask(client, "waiting")[:2]] == ["fuzzy", "draft"]


def test_a_decision_is_written_and_can_be_undone(
    client: TestClient, workbench: Workbench
) -> None:
    fuzzy, draft = waiting(workbench, "faq")
    before = workbench.catalog("faq")
    first_one, second_one = ask(client, "waiting")
    accepted = decide(client, "faq", first_one, accepts=True)
    assert workbench.entry("faq", fuzzy.msgid).is_finished
    rejected = decide(client, "faq", second_one, accepts=False)
    assert workbench.entry("faq", draft.msgid).msgstr == ""
    assert ask(client, "waiting") == []
    for told in (rejected, accepted):
        assert not ask(client, "undo", number=told["undo"])["conflict"]
    after = workbench.catalog("faq")
    assert after.entries == before.entries
    assert len(ask(client, "waiting")) == 2


def test_a_rejected_translation_is_no_more_offered_and_not_lost(
    client: TestClient, workbench: Workbench
) -> None:
    def sync() -> None:
        assert main(["sync", "sample", "--no-execute", "-q"]) == 0

    sync()
    fuzzy, draft = waiting(workbench, "faq")
    sync()  # now the memory has them
    for entry in ask(client, "waiting"):
        decide(client, "faq", entry, accepts=False)
    sync()
    kept = [entry for entry in workbench.catalog("faq").entries if entry.obsolete]
    assert [(one.previous, one.msgstr) for one in kept] == [
        (fuzzy.previous, fuzzy.msgstr)
    ]
    # Neither by an update, nor when the catalogues are made from the memory again.
    workbench.path("faq").unlink()
    sync()
    assert workbench.entry("faq", fuzzy.msgid).msgstr == ""
    assert workbench.entry("faq", draft.msgid).msgstr == ""
    (memory,) = (workbench.root / "translations/memory").rglob("faq.po")
    assert f'#~ msgstr "{fuzzy.msgstr}"' in memory.read_text("utf-8")


def test_what_has_errors_is_not_accepted(
    client: TestClient, workbench: Workbench
) -> None:
    fuzzy, _ = waiting(workbench, "faq")
    workbench.write("faq", replace(fuzzy, msgstr="一\n\n二"))
    before = workbench.path("faq").read_bytes()
    told = decide(client, "faq", ask(client, "waiting")[0], accepts=True)
    assert [error["severity"] for error in told["errors"]] == ["error"]
    assert workbench.path("faq").read_bytes() == before


@pytest.mark.parametrize("accepts", [True, False])
def test_a_decision_about_what_somebody_has_changed_writes_nothing(
    client: TestClient, workbench: Workbench, accepts: bool
) -> None:
    fuzzy, _ = waiting(workbench, "faq")
    entry = ask(client, "waiting")[0]
    workbench.write("faq", replace(fuzzy, msgstr="别处改的"))
    before = workbench.path("faq").read_bytes()
    told = decide(client, "faq", entry, accepts=accepts)
    assert told["conflict"]
    assert told["theirs"]["msgstr"] == "别处改的"
    assert workbench.path("faq").read_bytes() == before


def test_an_edit_that_somebody_went_over_is_not_undone(
    client: TestClient, workbench: Workbench
) -> None:
    fuzzy, _ = waiting(workbench, "faq")
    told = decide(client, "faq", ask(client, "waiting")[0], accepts=False)
    workbench.write("faq", replace(fuzzy, msgstr="别人的", fuzzy=False, previous=None))
    before = workbench.path("faq").read_bytes()
    undone = ask(client, "undo", number=told["undo"])
    assert undone["theirs"]["msgstr"] == "别人的"
    assert workbench.path("faq").read_bytes() == before


@pytest.mark.parametrize("number", [-1, 0, 7])
def test_there_is_no_such_edit_to_undo(client: TestClient, number: int) -> None:
    answer = client.post("api/undo", json={"number": number})
    assert (answer.status_code, answer.json()["error"]) == (
        422,
        "there is no such edit",
    )


# --- what changes in files


def test_changes_of_files_are_told_once(
    client: TestClient, workbench: Workbench
) -> None:
    start = ask(client, "start")
    assert (start["name"], start["locale"]) == ("sample", LOCALE)
    ask(client, "pages")  # the memory is there, and learns
    entry = workbench.catalog("faq").entries[1]
    workbench.write("faq", replace(entry, msgstr="别处"))
    workbench.desk.files_changed([workbench.path("faq"), workbench.root / "other"])
    told = ask(client, "changes", revision=start["revision"])
    assert told["pages"] == ["faq"]
    assert ask(client, "changes", revision=told["revision"])["pages"] == []


def test_docs_that_are_pulled_anew_are_read_again(
    client: TestClient, workbench: Workbench
) -> None:
    ask(client, "page", page="faq")
    document = workbench.run.paths.docs / "faq.md"
    document.write_text("# Another title\n", "utf-8")
    workbench.desk.files_changed([workbench.run.paths.lock])
    assert "faq" in ask(client, "changes", revision=0)["pages"]
    assert len(ask(client, "page", page="faq")["blocks"]) == 1


# --- the command


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("", ""),
        ("faq", "faq"),
        ("guides/vmap", "guides/vmap"),
        ("faq.md", "faq"),
        ("upstream/sample/guides/vmap.md", "guides/vmap"),
        ("translations/zh_CN/sample/guides/vmap.po", "guides/vmap"),
    ],
)
def test_a_page_is_named_in_several_ways(word: str, page: str) -> None:
    pages = [Page(name=name, files=()) for name in ("faq", "guides/vmap", "index")]
    assert page_named(word, pages) == page


@pytest.mark.parametrize("word", ["fak", "../../etc/passwd", "faq/..", "guides", "/"])
def test_a_page_that_is_misspelt_is_an_error(word: str) -> None:
    with pytest.raises(ConfigError, match="no page is called"):
        page_named(word, [Page(name="faq", files=()), Page(name="vmap", files=())])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["sample", "fak"], "Did you mean 'faq'?"),
        (["sample", "faq", "grad"], "one page at a time"),
        (["sample", "--port", "70000"], "at most 65535"),
        (["sample", "--port", "0"], "at least 1"),
        (["sample", "--locale", "fr"], "no locale is called"),
    ],
)
def test_wrong_words_end_with_2(
    words: list[str], told: str, project: Path, capsys: Speech
) -> None:
    assert main(["serve", "--no-browser", *words]) == 2
    assert told in capsys.readouterr().err


def test_a_port_in_use_is_told_before_anything_else(
    project: Path, capsys: Speech
) -> None:
    with bind(0) as other:
        other.listen()
        port = other.getsockname()[1]
        words = ["serve", "sample", "--no-browser", "--port", str(port)]
        assert main(words) == 2
    told = capsys.readouterr().err
    assert f"port {port} cannot be used" in told
    assert "leave --port out" in told


@pytest.mark.parametrize(
    ("locale", "told"),
    [("C", "open the address yourself"), ("zh_CN.UTF-8", "请自己打开上面的地址")],
)
def test_without_a_browser_the_address_is_enough(
    project: Path, locale: str, told: str
) -> None:
    environ = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "1"}
    for display in ("DISPLAY", "WAYLAND_DISPLAY"):
        environ.pop(display, None)
    process = subprocess.Popen(
        (sys.executable, "-m", "pipeline", "serve", "sample", "faq"),
        cwd=project,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environ,
    )
    assert process.stderr
    lines: list[str] = []
    while not any(told in line for line in lines):
        lines.append(process.stderr.readline())
        assert lines[-1], lines
    (address,) = re.findall(r"http://\S+", "".join(lines))
    with urllib.request.urlopen(address) as answer:
        assert answer.status == 200
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    process.stderr.close()


@pytest.fixture
def served(project: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command itself, and the address that it prints."""
    words = (sys.executable, "-m", "pipeline", "serve", "sample", "faq", "--no-browser")
    process = subprocess.Popen(
        words, cwd=project, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )
    assert process.stderr
    address = ""
    while not address:
        line = process.stderr.readline()
        assert line, "it ended"
        address = "".join(re.findall(r"http://\S+", line))
    yield process, address
    process.kill()
    process.wait()
    process.stderr.close()


def test_kills_in_the_middle_of_saves_leave_whole_files(
    served: tuple[subprocess.Popen[str], str], project: Path
) -> None:
    process, address = served
    path = project / "translations" / LOCALE / "sample" / "faq.po"
    origin = address.rsplit("/", 2)[0]

    def post(action: str, words: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            f"{address}api/{action}",
            data=json.dumps(words).encode(),
            headers={"origin": origin, "content-type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())

    block = post("page", {"page": "faq"})["blocks"][1]

    def saves() -> None:
        last = seen(block)
        for number in range(1000):
            text = f"第 {number} 次"
            try:
                post("save", {"page": "faq", "seen": last, "msgstr": text})
            except OSError:
                return
            last = {**last, "msgstr": text, "fuzzy": False}

    thread = threading.Thread(target=saves)
    thread.start()
    time.sleep(1.0)
    process.kill()
    thread.join(20)
    saved = {entry.msgid: entry.msgstr for entry in read_catalog(path).entries}
    assert re.fullmatch(r"第 \d+ 次", saved[block["msgid"]])
    # What a kill has left lying about goes with the next run.
    assert main(["split", "sample", "-q"]) == 0
    assert list(path.parent.glob(".*.tmp")) == []
