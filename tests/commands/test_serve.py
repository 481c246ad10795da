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
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from catalog_files import read_catalog
from in_process import command
from msgspec.structs import replace
from workbench import (
    LOCALE,
    OpenBench,
    emptied,
    opened,
    seen,
    waiting,
    workbench_of,
)

from pipeline.adapters.files import hold_lock, replace_if_unchanged
from pipeline.adapters.web import bind
from pipeline.commands.serve import page_named
from pipeline.core.catalog.counts import count_catalog
from pipeline.core.pin.lock import Page
from pipeline.core.results import PageResult
from pipeline.core.workbench.marks import MarkedHtml
from pipeline.errors import ConfigError


@pytest.fixture
def bench(project: Path) -> Iterator[OpenBench]:
    with opened(workbench_of(project)) as bench:
        yield bench


def first(told: dict[str, Any], **facts: object) -> dict[str, Any]:
    """The first block of a page with these values."""
    found: dict[str, Any] = next(
        block for block in told["blocks"] if facts.items() <= block.items()
    )
    return found


def paragraph(bench: OpenBench) -> dict[str, Any]:
    """The first paragraph of the page "faq"."""
    return first(bench.ask("page", page="faq"), kind="paragraph")


def of(page: str, block: dict[str, Any], **more: str) -> dict[str, Any]:
    return {"page": page, "number": block["number"], "msgid": block["msgid"], **more}


# --- pages


def test_all_pages_are_listed_with_their_counts(bench: OpenBench) -> None:
    pages = {one["page"]: one["counts"] for one in bench.ask("pages")}
    assert len(pages) > 5
    done, waiting, all_ = pages["faq"]
    assert done == all_ > 0
    assert waiting == 0


@pytest.mark.parametrize("page", ["faq", "arrays", "reference", "guides/vmap", "grad"])
def test_a_page_is_the_preview_with_its_messages(page: str, bench: OpenBench) -> None:
    told = bench.ask("page", page=page)
    done, all_ = told["progress"]
    assert done == all_ == len({block["first"] for block in told["blocks"]}) > 0
    assert told["refused"] == 0
    html = bench.frame(page)
    # The sample's reST has many tables, whose cells have no element.
    numbers = [f'data-block="{block["number"]}"' for block in told["blocks"]]
    shown = sum(number in html for number in numbers)
    assert shown > 0.6 * len(numbers)
    assert "<script" not in html
    assert bench.ask("body", page=page)["html"] in html


def test_a_page_counts_its_messages_as_the_list_and_status_do(bench: OpenBench) -> None:
    """A text that stands on a page twice is one message to whoever translates it."""
    path = bench.run.paths.docs / "faq.md"
    again = bench.catalog("faq").entries[3].msgid
    path.write_text(f"{path.read_text('utf-8')}\n{again}\n", encoding="utf-8")
    first = bench.catalog("faq").entries[0]
    bench.write("faq", replace(first, msgstr=""))
    told = bench.ask("page", page="faq")
    *_, repeated = (block for block in told["blocks"] if block["msgid"] == again)
    assert repeated["first"] < repeated["number"]
    entries = len(bench.catalog("faq").entries)
    assert told["progress"] == [entries - 1, entries]
    listed = {one["page"]: one["counts"] for one in bench.ask("pages")}["faq"]
    assert [listed[0], listed[2]] == told["progress"]
    row = count_catalog(PageResult(page="faq"), bench.catalog("faq"))
    assert [row.translated, row.messages] == told["progress"]


def test_what_is_saved_with_an_error_says_so(bench: OpenBench) -> None:
    blocks = bench.ask("page", page="faq")["blocks"]
    block = next(one for one in blocks if "`" in one["msgid"])
    told = bench.save("faq", block, "没有代码了")
    assert [error["severity"] for error in told["errors"]] == ["error"]
    assert bench.entry("faq", block["msgid"]).msgstr == "没有代码了"
    assert told["page"]["progress"][0] == told["page"]["progress"][1]
    assert told["page"]["refused"] == 1
    saved = first(told["page"], number=block["number"])
    assert bench.save("faq", saved, block["msgstr"])["errors"] == []


def test_messages_are_there_while_the_page_is_still_being_rendered(
    bench: OpenBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()
    has_begun = threading.Event()

    def slow(*_: object, **__: object) -> MarkedHtml:
        has_begun.set()
        assert may_end.wait(20)
        return MarkedHtml(html="rendered at last", inner={})

    monkeypatch.setattr("pipeline.stages.publish.marked_page.render_marked", slow)
    bench.ask("page", page="grad")
    frames: list[str] = []
    thread = threading.Thread(target=lambda: frames.append(bench.frame("grad")))
    thread.start()
    assert has_begun.wait(20)
    assert bench.ask("page", page="grad")["blocks"]
    assert bench.ask("pages")
    assert frames == []
    may_end.set()
    thread.join(20)
    assert "rendered at last" in frames[0]


def test_outputs_of_an_earlier_run_are_shown(bench: OpenBench) -> None:
    path = bench.run.paths.executed(LOCALE) / "grad.ipynb"
    path.parent.mkdir(parents=True)
    notebook = json.loads((bench.run.paths.docs / "grad.ipynb").read_text("utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            stream = {"output_type": "stream", "name": "stdout", "text": "ran here\n"}
            cell["outputs"] = [stream]
            cell["execution_count"] = 1
    path.write_text(json.dumps(notebook), "utf-8")
    assert "ran here" in bench.frame("grad")


@pytest.mark.parametrize("page", ["nothing", "../../etc/passwd", "", "faq.po", "/faq"])
def test_a_page_that_there_is_not(bench: OpenBench, page: str) -> None:
    seen = {"msgid": "a", "context": None, "msgstr": "", "fuzzy": False}
    saving = {"page": page, "seen": seen, "msgstr": "b"}
    for action, question in (("page", {"page": page}), ("save", saving)):
        told = bench.refused(action, question)
        assert told["error"] == "there is no such page"
        assert told["chinese"]["error"] == "没有这个页面"


@pytest.mark.parametrize("damage", [b'\nmsgid "open\n', b"<<<<<<< ours\n", b"\xff\xfe"])
def test_a_damaged_catalogue_stops_no_other(bench: OpenBench, damage: bytes) -> None:
    path = bench.path("faq")
    path.write_bytes(path.read_bytes() + damage)
    before = path.read_bytes()
    assert "faq.po:" in bench.refused("page", {"page": "faq"})["where"]
    assert bench.ask("page", page="arrays")["blocks"]
    assert bench.ask("pages")
    assert path.read_bytes() == before


def test_a_document_that_cannot_be_read_is_told(bench: OpenBench) -> None:
    (bench.run.paths.docs / "faq.md").write_bytes(b"\xff")
    assert bench.refused("page", {"page": "faq"})["error"] == "is not UTF-8"


def test_a_catalogue_that_goes_while_its_page_is_open(bench: OpenBench) -> None:
    block = bench.ask("page", page="faq")["blocks"][0]
    bench.path("faq").unlink()
    assert bench.ask("page", page="faq")["progress"] == [0, 0]
    assert bench.save("faq", block, "新的") == {"conflict": True, "theirs": None}
    assert not bench.path("faq").exists()


def test_a_cell_of_900_kb_does_not_stop_who_types(bench: OpenBench) -> None:
    path = bench.run.paths.docs / "grad.ipynb"
    notebook = json.loads(path.read_text("utf-8"))
    image = f"![A plot](data:image/png;base64,{'iVBORw0KGgo' * 82_000})"
    source = f"A sentence above it.\n\n{image}\n\nA sentence below it."
    cell = {"cell_type": "markdown", "metadata": {}, "source": source}
    notebook["cells"].insert(1, cell)
    path.write_text(json.dumps(notebook), "utf-8")
    assert path.stat().st_size > 900_000
    told = bench.ask("page", page="grad")
    block = next(one for one in told["blocks"] if "below it" in one["msgid"])
    assert "A sentence below it." in bench.frame("grad")
    question = of("grad", block, msgstr="下面的**句子**。")
    bench.ask("preview", **question)  # what is needed is read once
    start = time.process_time()
    preview = bench.ask("preview", **question)
    assert time.process_time() - start < 0.5
    assert preview["html"] == "下面的<strong>句子</strong>。"


def test_a_page_that_goes_while_it_is_open(bench: OpenBench) -> None:
    block = bench.ask("page", page="faq")["blocks"][1]
    document = bench.run.paths.docs / "faq.md"
    data = document.read_bytes()
    document.unlink()
    # What is read already can be translated on, until a pull says that all is new.
    assert not bench.save("faq", block, "还在写")["conflict"]
    bench.desk.files_changed([bench.run.paths.lock])
    assert "faq.md" in bench.refused("page", {"page": "faq"})["where"]
    assert bench.ask("page", page="arrays")["blocks"]
    assert bench.entry("faq", block["msgid"]).msgstr == "还在写"
    document.write_bytes(data)
    assert first(bench.ask("page", page="faq"), number=1)["msgstr"] == "还在写"


# --- a message


def test_a_message_comes_with_all_that_a_translator_needs(bench: OpenBench) -> None:
    told = bench.ask("page", page="arrays")
    block = next(one for one in told["blocks"] if "`" in one["msgid"])
    old = block["msgid"].replace("the ", "all the ", 1) + " Once."
    entry = bench.entry("arrays", block["msgid"])
    bench.write("arrays", replace(entry, fuzzy=True, previous=old))
    message = bench.ask("message", **of("arrays", block))
    assert any("`" in atom for atom in message["atoms"])
    english = "".join(text for part, text in message["diff"] if part != "removed")
    assert english == block["msgid"]
    terms = [
        term
        for one in told["blocks"]
        for term in bench.ask("message", **of("arrays", one))["terms"]
    ]
    assert terms
    assert terms[0]["renderings"]


def test_similar_translations_are_suggested(bench: OpenBench) -> None:
    entry = bench.catalog("arrays").entries[1]
    similar = bench.catalog("faq").entries[1]
    bench.write("faq", similar)
    told = bench.ask("page", page="faq")
    question = {**of("faq", told["blocks"][1]), "msgid": entry.msgid}
    found = bench.ask("suggestions", **question)
    assert (found[0]["score"], found[0]["msgstr"]) == (100, entry.msgstr)


@pytest.mark.parametrize("page", ["faq", "reference", "arrays"])
def test_what_is_typed_is_rendered_as_on_its_page(bench: OpenBench, page: str) -> None:
    for block in bench.ask("page", page=page)["blocks"]:
        question = of(page, block, msgstr=block["msgstr"])
        told = bench.ask("preview", **question)
        errors = [one for one in told["findings"] if one["severity"] == "error"]
        assert errors == []
        if told["html"] is not None and page != "reference":  # titles of links differ
            assert told["html"] in bench.frame(page)


def test_findings_come_while_typing_and_fix_mends_them(bench: OpenBench) -> None:
    block = paragraph(bench)
    text = block["msgstr"] + "用JAX写**注意：**不要"
    told = bench.ask("preview", **of("faq", block, msgstr=text))
    codes = [finding["code"] for finding in told["findings"]]
    assert "M102" in codes
    assert "缺少空格" in json.dumps(told["findings"], ensure_ascii=False)
    marked = next(one for one in told["findings"] if one["code"] == "M102")
    start, end = marked["spans"][0]
    assert "注意" in text[start:end]
    fixed = bench.ask("fix", **of("faq", block, msgstr=text))["msgstr"]
    assert "**注意**：" in fixed
    again = bench.ask("fix", **of("faq", block, msgstr=fixed))["msgstr"]
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
def test_anything_can_be_typed(bench: OpenBench, typed: str) -> None:
    block = paragraph(bench)
    body = json.dumps(of("faq", block, msgstr=typed)).encode()
    answer = bench.browser.post("api/preview", content=body)
    assert answer.status_code == 200
    told = answer.json()
    assert told["findings"] or not typed.strip("\ud83d\x00\u202e")
    assert "<script" not in (told["html"] or "")


def test_a_message_that_has_moved_is_told(bench: OpenBench) -> None:
    block = bench.ask("page", page="faq")["blocks"][0]
    told = bench.refused("message", {**of("faq", block), "msgid": "Another text"})
    assert "is gone" in told["error"]


@pytest.mark.parametrize(
    "question", [{}, [], {"page": 1}, {"page": "faq", "number": "1", "msgid": "x"}]
)
def test_a_wrong_question_is_told(bench: OpenBench, question: object) -> None:
    assert "cannot be answered" in bench.refused("message", question)["error"]


def test_findings_of_the_page(bench: OpenBench) -> None:
    entry = bench.catalog("faq").entries[1]
    bench.write("faq", replace(entry, msgstr=entry.msgstr + "**注意：**不要"))
    found = bench.ask("findings", page="faq")
    assert "M102" in [one["code"] for one in found if one["msgid"] == entry.msgid]


# --- saving


def test_saving_writes_the_entry_and_nothing_else(bench: OpenBench) -> None:
    before = bench.catalog("faq")
    block = paragraph(bench)
    told = bench.save("faq", block, " 新的译文。\r\n")
    assert not told["conflict"]
    after = bench.catalog("faq")
    changed = [
        (old.msgid, new.msgstr)
        for old, new in zip(before.entries, after.entries, strict=True)
        if replace(old, line=0) != replace(new, line=0)
    ]
    assert changed == [(block["msgid"], "新的译文。")]
    assert after.header["X-Generator"].endswith("serve")
    assert "新的译文。" in bench.frame("faq")
    saved = first(told["page"], number=block["number"])
    assert saved["msgstr"] == "新的译文。"


def test_what_somebody_else_wrote_is_not_overwritten(bench: OpenBench) -> None:
    block = paragraph(bench)
    entry = bench.entry("faq", block["msgid"])
    bench.write("faq", replace(entry, msgstr="别人的"))
    told = bench.save("faq", block, "我的")
    assert told["conflict"]
    assert told["theirs"]["msgstr"] == "别人的"
    assert bench.entry("faq", block["msgid"]).msgstr == "别人的"
    # Having seen it, the person may still want it otherwise.
    assert not bench.save("faq", told["theirs"], "我的")["conflict"]


def test_ten_tabs_that_save_at_once_lose_nothing(bench: OpenBench) -> None:
    emptied(bench, "faq")
    blocks = {one["msgid"]: one for one in bench.ask("page", page="faq")["blocks"]}
    chosen = list(blocks.values())[:10]
    texts = [f"第 {number} 条" for number in range(10)]
    with ThreadPoolExecutor(10) as tabs:
        told = [*tabs.map(partial(bench.save, "faq"), chosen, texts)]
    assert not any(answer["conflict"] for answer in told)
    saved = [bench.entry("faq", block["msgid"]).msgstr for block in chosen]
    assert saved == texts


def test_saves_at_the_same_moment(bench: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = bench.ask("page", page="faq")["blocks"]
    saving = "pipeline.commands.serve.page.replace_if_unchanged"
    tries: list[int] = []

    def late(path: Path, data: bytes, *, before: bytes | None) -> bool:
        if not tries:
            other = bench.entry("faq", blocks[2]["msgid"])
            bench.write("faq", replace(other, msgstr="别人的"))
        tries.append(1)
        return replace_if_unchanged(path, data, before=before)

    monkeypatch.setattr(saving, late)
    assert not bench.save("faq", blocks[1], "我的")["conflict"]
    assert len(tries) == 2
    assert bench.entry("faq", blocks[2]["msgid"]).msgstr == "别人的"
    # A program that never stops is told of.
    monkeypatch.setattr(saving, lambda *_, **__: False)
    question = {"page": "faq", "seen": seen(blocks[3]), "msgstr": "又"}
    assert "again and again" in bench.refused("save", question)["error"]


def test_a_run_that_is_at_work_is_waited_for(bench: OpenBench) -> None:
    block = paragraph(bench)
    lock = bench.run.paths.run_lock
    with ThreadPoolExecutor() as threads:
        with hold_lock(lock, on_wait=pytest.fail):
            saving = threads.submit(bench.save, "faq", block, "等到了")
            time.sleep(0.5)
            assert not saving.done()
            # Reading goes on meanwhile.
            assert bench.ask("page", page="arrays")["blocks"]
            assert bench.entry("faq", block["msgid"]).msgstr != "等到了"
        assert not saving.result(20)["conflict"]
    assert bench.entry("faq", block["msgid"]).msgstr == "等到了"


# --- the queue of a reviewer


def test_what_waits_is_listed_in_the_order_of_the_pages(bench: OpenBench) -> None:
    assert bench.ask("waiting") == []
    on_grad, on_faq = waiting(bench, "grad"), waiting(bench, "faq")
    for page in ("grad", "faq"):
        bench.desk.files_changed([bench.path(page)])
    told = [(one["page"], one["msgid"]) for one in bench.ask("waiting")]
    assert told == [
        *(("faq", entry.msgid) for entry in on_faq),
        *(("grad", entry.msgid) for entry in on_grad),
    ]
    assert [one["state"] for one in bench.ask("waiting")[:2]] == ["fuzzy", "draft"]


def test_a_decision_is_written_and_can_be_undone(bench: OpenBench) -> None:
    fuzzy, draft = waiting(bench, "faq")
    before = bench.catalog("faq")
    first_one, second_one = bench.ask("waiting")
    accepted = bench.decide("faq", first_one, accepts=True)
    assert bench.entry("faq", fuzzy.msgid).is_finished
    rejected = bench.decide("faq", second_one, accepts=False)
    assert bench.entry("faq", draft.msgid).msgstr == ""
    assert bench.ask("waiting") == []
    for told in (rejected, accepted):
        assert not bench.ask("undo", number=told["undo"])["conflict"]
    after = bench.catalog("faq")
    assert after.entries == before.entries
    assert len(bench.ask("waiting")) == 2


def test_a_rejected_translation_is_not_lost(bench: OpenBench) -> None:
    sync = partial(command, "sync sample --no-execute -q")
    sync()
    fuzzy, draft = waiting(bench, "faq")
    sync()  # now the memory has them
    for entry in bench.ask("waiting"):
        bench.decide("faq", entry, accepts=False)
    sync()
    kept = [entry for entry in bench.catalog("faq").entries if entry.obsolete]
    assert [(one.previous, one.msgstr) for one in kept] == [(fuzzy.previous, fuzzy.msgstr)]
    # Neither by an update, nor when the catalogues are made from the memory again.
    bench.path("faq").unlink()
    sync()
    assert bench.entry("faq", fuzzy.msgid).msgstr == ""
    assert bench.entry("faq", draft.msgid).msgstr == ""
    (memory,) = (bench.root / "translations/memory").rglob("faq.po")
    assert f'#~ msgstr "{fuzzy.msgstr}"' in memory.read_text("utf-8")


def test_what_has_errors_is_not_accepted(bench: OpenBench) -> None:
    fuzzy, _ = waiting(bench, "faq")
    bench.write("faq", replace(fuzzy, msgstr="一\n\n二"))
    before = bench.path("faq").read_bytes()
    told = bench.decide("faq", bench.ask("waiting")[0], accepts=True)
    assert [error["severity"] for error in told["errors"]] == ["error"]
    assert bench.path("faq").read_bytes() == before


def test_what_somebody_changed_is_neither_decided_nor_undone(bench: OpenBench) -> None:
    fuzzy, draft = waiting(bench, "faq")
    first_one, second_one = bench.ask("waiting")
    rejected = bench.decide("faq", second_one, accepts=False)
    changed = [replace(entry, msgstr="别处改的") for entry in (fuzzy, draft)]
    bench.write("faq", *changed)
    before = bench.path("faq").read_bytes()
    for told in (
        bench.decide("faq", first_one, accepts=True),
        bench.decide("faq", first_one, accepts=False),
        bench.ask("undo", number=rejected["undo"]),
    ):
        assert told["conflict"]
        assert told["theirs"]["msgstr"] == "别处改的"
        assert bench.path("faq").read_bytes() == before


@pytest.mark.parametrize("number", [-1, 0, 7])
def test_there_is_no_such_edit_to_undo(bench: OpenBench, number: int) -> None:
    told = bench.refused("undo", {"number": number})
    assert told["error"] == "there is no such edit"


# --- what changes in files


def test_changes_of_files_are_told_once(bench: OpenBench) -> None:
    start = bench.ask("start")
    assert (start["name"], start["locale"]) == ("sample", LOCALE)
    bench.ask("pages")  # the memory is there, and learns
    entry = bench.catalog("faq").entries[1]
    bench.write("faq", replace(entry, msgstr="别处"))
    bench.desk.files_changed([bench.path("faq"), bench.root / "other"])
    told = bench.ask("changes", revision=start["revision"])
    assert told["pages"] == ["faq"]
    assert bench.ask("changes", revision=told["revision"])["pages"] == []


def test_docs_that_are_pulled_anew_are_read_again(bench: OpenBench) -> None:
    bench.ask("page", page="faq")
    document = bench.run.paths.docs / "faq.md"
    document.write_text("# Another title\n", "utf-8")
    bench.desk.files_changed([bench.run.paths.lock])
    assert "faq" in bench.ask("changes", revision=0)["pages"]
    assert len(bench.ask("page", page="faq")["blocks"]) == 1


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
        ("fak", "Did you mean 'faq'?"),
        ("faq grad", "one page at a time"),
        ("--port 70000", "at most 65535"),
        ("--port 0", "at least 1"),
        ("--locale fr", "no locale is called"),
    ],
)
def test_wrong_words_end_with_2(words: str, told: str, project: Path) -> None:
    assert told in command(f"serve --no-browser sample {words}", code=2).err


def test_a_port_in_use_is_told_before_anything_else(project: Path) -> None:
    with bind(0) as other:
        other.listen()
        port = other.getsockname()[1]
        told = command(f"serve sample --no-browser --port {port}", code=2).err
    assert f"port {port} cannot be used" in told
    assert "leave --port out" in told


@contextmanager
def serving(
    project: Path, until: str, *options: str, **variables: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command; the process, and the address that it has printed before ``until``."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY")
    inherited = {name: os.environ[name] for name in os.environ if name not in displays}
    process = subprocess.Popen(
        (sys.executable, "-m", "pipeline", "serve", "sample", "faq", *options),
        cwd=project,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=inherited | variables,
    )
    with process:
        assert process.stderr
        lines = [""]
        while not re.search(until, lines[-1]):
            lines.append(process.stderr.readline())
            assert lines[-1], lines
        (address,) = re.findall(r"http://\S+", "".join(lines))
        try:
            yield process, address
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("locale", "told"),
    [("C", "open the address yourself"), ("zh_CN.UTF-8", "请自己打开上面的地址")],
)
def test_the_address_is_enough(project: Path, locale: str, told: str) -> None:
    with serving(project, told, LC_ALL=locale, PYTHONUTF8="1") as (process, address):
        with urllib.request.urlopen(address) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0


def test_kills_in_the_middle_of_saves_leave_whole_files(project: Path) -> None:
    path = project / "translations" / LOCALE / "sample" / "faq.po"
    with serving(project, "http://", "--no-browser") as (process, address):

        def post(action: str, **words: Any) -> Any:
            request = urllib.request.Request(
                f"{address}api/{action}",
                data=json.dumps(words).encode(),
                headers={
                    "origin": address.rsplit("/", 2)[0],
                    "content-type": "application/json",
                },
            )
            with urllib.request.urlopen(request) as answer:
                return json.loads(answer.read())

        block = post("page", page="faq")["blocks"][1]

        def saves() -> None:
            last = seen(block)
            for number in range(1000):
                text = f"第 {number} 次"
                try:
                    post("save", page="faq", seen=last, msgstr=text)
                except OSError:
                    return
                last |= {"msgstr": text, "fuzzy": False}

        with ThreadPoolExecutor() as threads:
            threads.submit(saves)
            time.sleep(1.0)
            process.kill()
    saved = {entry.msgid: entry.msgstr for entry in read_catalog(path).entries}
    assert re.fullmatch(r"第 \d+ 次", saved[block["msgid"]])
    # What a kill has left lying about goes with the next run.
    command("split sample -q")
    assert list(path.parent.glob(".*.tmp")) == []
