"""The command draft as its users meet it: with models that answer well, badly or not at all."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest
from draft_models import EXCHANGES, Exchange, Server, good, model_server, text_of
from draft_project import KEY, KEY_NAME, LOCALE, DraftProject, Told, prepared
from folders import copy_project, read_tree, snapshot
from msgspec.structs import replace
from places import ROOT
from sockets import ElsewhereError

from pipeline.commands.draft import queue
from pipeline.core.catalog.origins import GLOSSARY, is_draft, machine_of
from pipeline.core.drafting.question import marked_like, mask

pytestmark = [pytest.mark.usefixtures("only_localhost", "no_waiting")]

PAGE = "faq"
NUMBERS = re.compile(r"(\d+) drafts? made")


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one page of the sample to draft: to be copied, not changed."""
    root = tmp_path_factory.mktemp("ready") / "project"
    copy_project(root)
    with chdir(root):
        prepared(root).empty(PAGE)
    return root


@pytest.fixture
def sample(
    ready: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> DraftProject:
    """The sample with one page to draft, no time lost on waiting, and a key at hand."""
    root = tmp_path / "project"
    shutil.copytree(ready, root, symlinks=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv(KEY_NAME, KEY)
    monkeypatch.delenv("CI", raising=False)
    return DraftProject(root)


@pytest.fixture
def well(sample: DraftProject) -> Iterator[Server]:
    """A model that answers well, and is configured."""
    with model_server(lambda exchange: exchange.well()) as server:
        sample.configure(server.url, key_variable=KEY_NAME)
        yield server


def others(sample: DraftProject) -> dict[object, object]:
    """The entries that no draft was asked for, with all that they hold."""
    return {key: entry for key, entry in sample.entries().items() if key[0] != PAGE}


# The loop.


def test_a_page_is_drafted_reviewed_and_confirmed(
    sample: DraftProject, well: Server
) -> None:
    before = others(sample)
    assert sample.run("merge", "sample", "-q").code == 0
    merged_page = sample.root / f"build/{LOCALE}/sample/merged/{PAGE}.md"
    built = merged_page.read_bytes()
    told = sample.draft("--pages", PAGE)
    assert told.code == 0, told.err
    drafts = sample.drafts()
    assert len(drafts) == int(NUMBERS.findall(told.out)[0]) > 25
    assert all(entry.previous == entry.msgid for entry in drafts)
    assert others(sample) == before
    assert {str(machine_of(entry).model) for entry in drafts} == {"m", GLOSSARY}  # type: ignore[union-attr]
    assert all(line["authorization"] == f"Bearer {KEY}" for line in well.headers)

    # Drafts are in the memory, and not on any page.
    assert "#. draft: m, prompt 1, undated, " in sample.everything()
    merged = sample.run("merge", "sample", "--json")
    rows = merged.json["locales"][LOCALE]["pages"]
    (row,) = [row for row in rows if row["page"] == PAGE]
    assert row["drafts"] == len(drafts)
    assert merged_page.read_bytes() == built

    # Confirming is for a person, entry by entry.
    first, second, *_ = drafts
    sample.edit(
        PAGE,
        {
            first.msgid: replace(first, fuzzy=False, previous=None),
            second.msgid: replace(
                second, msgstr="有人改过的。", fuzzy=False, previous=None
            ),
        },
    )
    assert sample.run("split", "sample", "-q").code == 0
    states = sample.entries()
    confirmed = states[PAGE, None, first.msgid]
    assert confirmed.is_translated
    assert confirmed.notes[-1].startswith("drafted: ")
    assert len(sample.drafts()) == len(drafts) - 2
    assert sample.run("memory", "verify", "sample").code == 0
    assert sample.draft().code == 0
    assert sample.entries() == states


def test_a_second_run_asks_and_writes_nothing(
    sample: DraftProject, well: Server
) -> None:
    sample.draft()
    calls, before = len(well.bodies), snapshot(sample.root)
    told = sample.draft()
    assert (told.code, len(well.bodies)) == (0, calls)
    assert "nothing to draft" in told.err
    assert snapshot(sample.root) == before


def test_status_counts_drafts_apart(sample: DraftProject, well: Server) -> None:
    assert "drafts" not in sample.run("status", "sample").out
    sample.draft()
    count = len(sample.drafts())
    out = sample.run("status", "sample").out
    assert "drafts" in out
    assert f"drafts to confirm: {count} ({PAGE} {count})" in out
    assert "fuzzy, draft" not in out
    totals = sample.run("status", "sample", "--json").json["locales"][LOCALE]["totals"]
    assert (totals["drafts"], totals["fuzzy"]) == (count, count)
    assert totals["draft_words"] == totals["fuzzy_words"] > 300


def test_check_says_whether_there_is_work_and_writes_nothing(
    sample: DraftProject, well: Server
) -> None:
    before = snapshot(sample.root)
    told = sample.run("draft", "sample", "--check")
    assert (told.code, well.bodies) == (1, [])
    assert "estimated" in told.out
    assert snapshot(sample.root) == before
    sample.draft()
    assert sample.run("draft", "sample", "--check").code == 0


# Before anything is sent.


def test_without_a_yes_only_the_plan_is_told(
    sample: DraftProject, well: Server
) -> None:
    before = snapshot(sample.root)
    told = sample.run("draft", "sample")
    assert (told.code, well.bodies) == (0, [])
    words = r"sample · zh_CN: \d+ entries on 1 page, \d+ English words\n"
    assert re.match(words, told.out)
    assert re.search(r"estimated   [\d,]+ \+ [\d,]+ tokens\n", told.out)
    assert "estimated" not in told.err
    assert "Run again with --yes" in told.err
    assert snapshot(sample.root) == before


class Terminal(io.StringIO):
    """A terminal at which somebody types."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("typed", "is_sent"), [("y\n", True), ("YES\n", True), ("n\n", False), ("", False)]
)
def test_on_a_terminal_somebody_is_asked(
    sample: DraftProject,
    well: Server,
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    is_sent: bool,
) -> None:
    from pipeline.cli import main

    err = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setenv("TERM", "xterm")
    assert main(["draft", "sample"]) == 0
    assert bool(well.bodies) is is_sent
    assert "Go on? [y/N]" in err.getvalue()
    assert ("nothing was sent" in err.getvalue()) is not is_sent


def test_a_limit_is_one_of_entries(sample: DraftProject, well: Server) -> None:
    sample.draft("--limit", "5")
    asked = [
        json.loads(json.loads(body)["messages"][1]["content"]) for body in well.bodies
    ]
    assert sum("id" in item for item in asked[0]["text"]) == 5
    by_model = [entry for entry in sample.drafts() if "draft: m," in entry.notes[-1]]
    assert len(by_model) == 5
    sample.draft("--limit", "5")
    by_model = [entry for entry in sample.drafts() if "draft: m," in entry.notes[-1]]
    assert len(by_model) == 10


def test_a_heading_that_is_a_term_needs_no_call(
    sample: DraftProject, well: Server
) -> None:
    sample.draft()
    terms = [
        entry for entry in sample.drafts() if "draft: glossary," in entry.notes[-1]
    ]
    assert terms
    sent = b"".join(well.bodies)
    for entry in terms:
        # It may be context of others, but is not asked about.
        assert not re.search(
            rb'\\"id\\":\\"\w+\\",\\"kind\\":\\"[\w ]+\\",\\"en\\":\\"'
            + re.escape(entry.msgid.encode())
            + rb'\\"',
            sent,
        )


def test_what_a_person_wrote_is_not_even_sent_to_be_translated(
    sample: DraftProject, well: Server
) -> None:
    entries = sample.read(PAGE).entries
    long = [entry for entry in entries if len(entry.msgid) > 60]
    written = replace(long[0], msgstr="有人写好的。")
    begun = replace(long[1], msgstr="有人写了一半", fuzzy=True, previous=long[1].msgid)
    remarked = replace(long[2], comments=("this one is hard",))
    changes = {entry.msgid: entry for entry in (written, begun, remarked)}
    sample.edit(PAGE, changes)
    assert sample.run("split", "sample", "-q").code == 0
    told = sample.draft()
    assert told.code == 0
    after = sample.entries()
    assert after[PAGE, None, written.msgid].msgstr == "有人写好的。"
    assert after[PAGE, None, begun.msgid].msgstr == "有人写了一半"
    # A remark on an empty entry stays, and does no harm.
    assert is_draft(after[PAGE, None, remarked.msgid])
    assert after[PAGE, None, remarked.msgid].comments == ("this one is hard",)


def test_what_somebody_saves_meanwhile_stays(sample: DraftProject) -> None:
    long = [entry for entry in sample.read(PAGE).entries if len(entry.msgid) > 60]
    saved = replace(long[0], msgstr="边起草边写的译文。")

    def save_and_answer(exchange: Exchange) -> None:
        if exchange.number == 1:
            sample.edit(PAGE, {saved.msgid: saved})
        exchange.well()

    with model_server(save_and_answer) as server:
        sample.configure(server.url)
        told = sample.draft()
    assert sample.entries()[PAGE, None, saved.msgid].msgstr == "边起草边写的译文。"
    assert "somebody has changed them meanwhile: 1" in told.out
    assert len(sample.drafts()) > 25


@pytest.mark.parametrize("data", [None, b'msgid "a'], ids=["removed", "broken"])
def test_a_catalogue_that_goes_meanwhile_takes_no_draft(
    sample: DraftProject, data: bytes | None
) -> None:
    """It is for the next update to mend; what was answered is kept until then."""

    def spoil_and_answer(exchange: Exchange) -> None:
        if data is None:
            sample.path(PAGE).unlink(missing_ok=True)
        else:
            sample.path(PAGE).write_bytes(data)
        exchange.well()

    with model_server(spoil_and_answer) as server:
        sample.configure(server.url)
        told = sample.draft()
        assert "somebody has changed them meanwhile: " in told.out
        if data is not None:
            assert sample.path(PAGE).read_bytes() == data
            sample.path(PAGE).unlink()
        calls = len(server.bodies)
        assert sample.draft().code == 0
        assert len(server.bodies) == calls
    assert len(sample.drafts()) > 25


def test_a_stale_draft_that_comes_out_the_same_is_no_change(
    sample: DraftProject, well: Server
) -> None:
    sample.draft()
    memo = sample.root / f"build/{LOCALE}/sample/memo/drafts.json"
    before = sample.path(PAGE).read_bytes()
    known = json.loads(memo.read_bytes())
    # As if other rows had been told: the words do not depend on these.
    for value in known.values():
        value[1] = {"kettle": "水壶"}
    memo.write_text(json.dumps(known), "utf-8")
    told = sample.draft()
    assert re.search(r"why +\d+ stale", told.err)
    assert sample.path(PAGE).read_bytes() == before
    assert "nothing to draft" in sample.draft().err


def test_a_bug_in_a_thread_is_told(
    sample: DraftProject, well: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: object, body: bytes) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("pipeline.adapters.chat.ChatClient.ask", fail)
    told = sample.draft()
    assert told.code == 70
    assert "unexpected ZeroDivisionError: a bug" in told.err


def test_an_old_translation_gives_way_and_stays(
    sample: DraftProject, well: Server
) -> None:
    """The English of a translated paragraph changes: the draft knows what was there."""
    document = sample.root / "upstream/sample/guides/vmap.md"
    long = next(
        entry
        for entry in sample.read("guides/vmap").entries
        if len(entry.msgid) > 100 and "`" not in entry.msgid and not entry.obsolete
    )
    text = document.read_text("utf-8")
    words = long.msgid.split()
    assert f"{words[0]} {words[1]}" in text
    document.write_text(
        text.replace(f"{words[0]} {words[1]}", f"Then {words[0]} {words[1]}", 1),
        "utf-8",
    )
    for stage in ("pull", "split"):
        assert sample.run(stage, "sample", "-q").code == 0
    assert any(entry.needs_review for entry in sample.read("guides/vmap").entries)
    sample.draft("--pages", "guides/vmap")
    sent = json.loads(json.loads(well.bodies[0])["messages"][1]["content"])
    (item,) = [item for item in sent["text"] if "id" in item]
    assert item["was_to"] == marked_like(long.msgstr, mask(long.msgid))
    entries = sample.read("guides/vmap").entries
    assert [entry.msgstr for entry in entries if entry.obsolete] == [long.msgstr]
    assert any(map(is_draft, entries))


# What is stale.


def rows_of(sample: DraftProject) -> list[list[str]]:
    path = sample.root / f"translations/glossary/{LOCALE}.csv"
    return list(csv.reader(path.read_text("utf-8").splitlines()))


def change_row(sample: DraftProject, term: str, rendering: str) -> None:
    rows = rows_of(sample)
    for row in rows:
        if row[0] == term and "avoid" not in row[2]:
            row[1] = rendering
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    path = sample.root / f"translations/glossary/{LOCALE}.csv"
    path.write_text(text.getvalue(), "utf-8")


def test_a_changed_row_redoes_only_what_it_touches(
    sample: DraftProject, well: Server
) -> None:
    sample.draft()
    before, calls = sample.entries(), len(well.bodies)
    assert sample.run("draft", "sample", "--stale").out == "zh_CN: 0 stale drafts\n"
    touched = [
        entry for entry in sample.drafts()
        if "compil" in entry.msgid.lower() and "draft: m" in entry.notes[-1]
    ]  # fmt: skip
    change_row(sample, "compile", "编制")
    told = sample.run("draft", "sample", "--stale")
    assert (told.code, len(well.bodies)) == (0, calls)
    assert told.out.count("the glossary has changed: ") == len(touched) > 0
    assert sample.entries() == before
    assert sample.draft().code == 0
    changed = {
        key[2] for key, entry in sample.entries().items() if entry != before[key]
    }
    assert changed <= {entry.msgid for entry in touched}
    assert changed
    assert sample.run("draft", "sample", "--stale").out == "zh_CN: 0 stale drafts\n"


def test_another_model_makes_every_draft_stale(
    sample: DraftProject, well: Server
) -> None:
    sample.draft()
    confirmed = sample.drafts()[0]
    sample.edit(PAGE, {confirmed.msgid: replace(confirmed, fuzzy=False, previous=None)})
    sample.configure(well.url, model="other")
    told = sample.run("draft", "sample", "--stale", "--json")
    stale = told.json["plans"][0]["stale"]
    by_model = [
        entry for entry in sample.drafts() if "draft: glossary" not in entry.notes[-1]
    ]
    assert len(stale) == len(by_model) > 20
    assert {row["reason"] for row in stale} == {"the model was m"}
    sample.draft()
    notes = {note for entry in sample.drafts() for note in entry.notes[1:]}
    assert all(note.startswith(("draft: other,", "draft: glossary,")) for note in notes)


# What comes back.


def with_answers(sample: DraftProject, change: object) -> tuple[Told, Server]:
    """A run with a model whose answers ``change`` spoils."""

    def behave(exchange: Exchange) -> None:
        answers = good(exchange.request)
        exchange.reply(change(answers, exchange))  # type: ignore[operator]

    with model_server(behave) as server:
        sample.configure(server.url)
        return sample.draft(), server


def test_nine_of_ten_are_kept_and_the_tenth_is_asked_again(
    sample: DraftProject,
) -> None:
    left_out: list[str] = []

    def nine(answers: dict[str, str], exchange: Exchange) -> str:
        if exchange.number == 1:
            left_out.append(next(iter(answers)))
            del answers[left_out[0]]
        return text_of(answers)

    told, server = with_answers(sample, nine)
    assert told.code == 0
    assert len(server.bodies) == 2
    assert b"the reply has no answer for it" in server.bodies[1]
    assert left_out[0].encode() in server.bodies[1]
    assert "refused" not in told.out.partition("drafts made")[0].split("\n", 5)[-1]


def test_what_is_refused_twice_stays_empty(sample: DraftProject) -> None:
    bad: list[str] = []

    def one_bad(answers: dict[str, str], exchange: Exchange) -> str:
        if exchange.number == 1:
            bad.append(next(iter(answers)))
        if bad[0] in answers:
            answers[bad[0]] = "Это не китайский."
        return text_of(answers)

    told, _ = with_answers(sample, one_bad)
    assert told.code == 0
    assert "refused, another language: 1" in told.out
    empty = [entry for entry in sample.read(PAGE).entries if not entry.msgstr]
    assert len(empty) == 1
    # It was answered, twice: nobody pays for that again.
    with model_server(lambda exchange: exchange.well()) as again:
        sample.configure(again.url)
        assert sample.draft().code == 0
        assert again.bodies == []
    # Another model may do better.
    with model_server(lambda exchange: exchange.well()) as better:
        sample.configure(better.url, model="better")
        told = sample.draft("--limit", "1")
        assert told.code == 0
        assert len(better.bodies) == 1


def test_prose_is_refused_and_nothing_else_happens(sample: DraftProject) -> None:
    before = sample.entries()
    told, server = with_answers(sample, lambda answers, _: "\n".join(answers.values()))
    assert told.code == 1
    assert "no answer was accepted" in told.out
    assert "refused, no answer: " in told.out
    assert len(server.bodies) == 3  # once, then in halves
    changed = [entry for key, entry in sample.entries().items() if entry != before[key]]
    assert all("draft: glossary" in entry.notes[-1] for entry in changed)


def test_a_reply_that_is_cut_says_what_to_raise(sample: DraftProject) -> None:
    def behave(exchange: Exchange) -> None:
        message = {"role": "assistant", "content": text_of(good(exchange.request))[:99]}
        choice = {"message": message, "finish_reason": "length"}
        exchange.send(200, json.dumps({"choices": [choice]}).encode())

    with model_server(behave) as server:
        sample.configure(server.url)
        told = sample.draft()
    assert told.code == 1
    assert told.err.count("raise reply-tokens in [tool.pipeline.draft]") == 1


# Faults. Each is told, ends with its code, loses nothing, and costs nothing twice.


def failed(sample: DraftProject, *words: str) -> Told:
    before = read_tree(sample.root / "translations")
    told = sample.draft(*words)
    after = read_tree(sample.root / "translations")
    # Terms of the glossary need no model; besides them nothing has changed.
    for path, data in after.items():
        if PAGE not in path:
            assert data == before[path]
    assert all("draft: glossary" in entry.notes[-1] for entry in sample.drafts())
    assert KEY not in told.out + told.err + sample.everything()
    assert told.err.count("error: ") >= 1
    assert "Traceback" not in told.err
    return told


def test_no_configuration(sample: DraftProject) -> None:
    told = failed(sample)
    assert told.code == 2
    assert "[tool.pipeline.draft] needs url and model" in told.err


def test_no_key(sample: DraftProject, monkeypatch: pytest.MonkeyPatch) -> None:
    sample.configure("https://model.example/v1", key_variable=KEY_NAME)
    monkeypatch.delenv(KEY_NAME)
    told = failed(sample)
    assert told.code == 2
    assert f"the environment variable {KEY_NAME} has no API key" in told.err


def test_a_plan_needs_no_key(
    sample: DraftProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample.configure("https://model.example/v1", key_variable=KEY_NAME)
    monkeypatch.delenv(KEY_NAME)
    for words, code in (((), 0), (("--check",), 1), (("--stale",), 0)):
        told = sample.run("draft", "sample", *words)
        assert told.code == code, told.err


def test_a_key_that_is_refused(sample: DraftProject) -> None:
    with model_server(lambda exchange: exchange.fail(401, f"not {KEY}")) as server:
        sample.configure(server.url, key_variable=KEY_NAME, batch=100)
        told = failed(sample)
    assert (told.code, len(server.bodies)) == (2, 1)
    assert "not [key]" in told.err


def test_an_endpoint_that_takes_no_request_is_asked_three_times(
    sample: DraftProject,
) -> None:
    with model_server(lambda exchange: exchange.fail(400, "unknown field")) as server:
        sample.configure(server.url, batch=2, concurrency=1)
        told = failed(sample)
    assert (told.code, len(server.bodies)) == (3, 3)


def test_a_fault_that_stays_ends_the_run(sample: DraftProject) -> None:
    with model_server(EXCHANGES["closes"]) as server:
        sample.configure(server.url)
        told = failed(sample)
    assert told.code == 3
    assert len(server.bodies) == 2


def test_faults_that_pass_are_tried_again(sample: DraftProject) -> None:
    """Every fault that there is, each followed by a good answer."""
    faults = iter(EXCHANGES.values())

    def behave(exchange: Exchange) -> None:
        fault = next(faults, None) if exchange.number % 2 else None
        if fault:
            fault(exchange)
        else:
            exchange.well()

    with model_server(behave) as server:
        sample.configure(server.url, batch=2, concurrency=1)
        told = sample.draft()
        assert len(server.bodies) >= 2 * len(EXCHANGES)
    assert told.code == 0, told.err
    assert len(sample.drafts()) > 25


def test_one_batch_that_fails_stops_no_other(sample: DraftProject) -> None:
    """Its entries are told, and asked for by the next run, and no others."""
    bad: list[bytes] = []

    def behave(exchange: Exchange) -> None:
        if not bad or exchange.body in bad:
            bad.append(exchange.body)
            exchange.fail(500, "not this one")
        else:
            exchange.well()

    with model_server(behave) as server:
        sample.configure(server.url, batch=8, concurrency=1)
        told = sample.draft()
        assert told.code == 3
        assert "8 entries got no answer" in told.err
        answered = set(server.answered)
        bad[:] = [b""]
        server.bodies.clear()
        assert sample.draft().code == 0
    assert len(server.bodies) == 1
    assert not answered & set(server.bodies[1:])


def test_no_more_requests_at_a_time_than_configured(sample: DraftProject) -> None:
    lock, at_once, most = threading.Lock(), [0], [0]
    all_sent = threading.Barrier(3, timeout=30)

    def behave(exchange: Exchange) -> None:
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        if exchange.number <= 3:
            all_sent.wait()
        # Before the reply: the next request may come at once behind it.
        with lock:
            at_once[0] -= 1
        exchange.well()

    with model_server(behave) as server:
        sample.configure(server.url, batch=3, concurrency=3, timeout=60)
        told = sample.draft()
    assert (told.code, most[0]) == (0, 3)
    # Progress tells how many tokens it took so far.
    tokens = re.findall(r"draft \d+/\d+  (\d+) tokens", told.err)
    assert len(tokens) == len(server.bodies)
    assert tokens == sorted(tokens, key=int)


# The budget.


def test_the_budget_is_never_overrun(sample: DraftProject) -> None:
    """The model takes each request at its bound; what was drafted until then is kept."""
    taken = [0]

    def behave(exchange: Exchange) -> None:
        most = exchange.request["max_tokens"]
        taken[0] += len(exchange.body) + most
        text = text_of(good(exchange.request))
        exchange.reply(text, tokens=len(exchange.body) + most)

    with model_server(behave) as server:
        sample.configure(server.url, batch=4, concurrency=2, budget_tokens=20_000)
        told = sample.draft()
        assert told.code == 1
        assert "the budget is used up" in told.out
        assert 5_000 < taken[0] <= 20_000
        drafted = len(sample.drafts())
        assert drafted > 0
        # Each run has its own budget, and begins where the last one ended.
        sample.draft()
        assert len(sample.drafts()) > drafted
        assert len(server.bodies) == len(set(server.bodies))


# Ends.


def test_two_drafts_at_a_time_wait_for_each_other(sample: DraftProject) -> None:
    """In threads here; the lock is one between processes."""
    with model_server(lambda exchange: exchange.well()) as server:
        sample.configure(server.url, batch=4)
        from pipeline.cli import main

        codes: list[int] = []
        threads = [
            threading.Thread(
                target=lambda: codes.append(main(["draft", "sample", "--yes", "-q"]))
            )
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert codes == [0, 0]
    assert len(server.bodies) == len(set(server.bodies))


def test_an_interrupted_run_keeps_what_is_under_way(
    sample: DraftProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first reply interrupts the run while others are being written."""
    interrupted, all_sent = threading.Event(), threading.Barrier(3, timeout=30)

    def behave(exchange: Exchange) -> None:
        if exchange.number <= 3:
            all_sent.wait()
        if exchange.number in (2, 3):
            interrupted.wait(30)
            time.sleep(0.1)
        exchange.well()

    taken = queue.Queue._take

    def interrupt(*_: object) -> None:
        interrupted.set()
        monkeypatch.setattr(queue.Queue, "_take", taken)
        raise KeyboardInterrupt

    monkeypatch.setattr(queue.Queue, "_take", interrupt)
    with model_server(behave) as server:
        sample.configure(server.url, batch=4, concurrency=3, timeout=60)
        told = sample.draft()
        assert told.code == 130
        assert "replies that are paid for" in told.err
        assert server.wait_for_answers(3) == len(server.bodies) == 3
        assert sample.draft().code == 0
    assert len(server.bodies) == len(set(server.bodies))


def test_a_disk_that_is_full_ends_the_run(
    sample: DraftProject, well: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.adapters import chat
    from pipeline.adapters.files import WriteError

    def full(path: Path, data: bytes) -> None:
        raise WriteError(
            "cannot be written: No space left", where=str(path), hint="Free some."
        )

    monkeypatch.setattr(chat, "write_atomic", full)
    sample.configure(well.url, batch=2, concurrency=1)
    told = failed(sample)
    assert told.code == 70
    assert "No space left" in told.err
    assert len(well.bodies) == 1


def test_damaged_replies_are_none(sample: DraftProject, well: Server) -> None:
    sample.draft()
    replies = sorted((sample.root / "build/cache/drafts").rglob("*.json"))
    assert replies
    calls = len(well.bodies)
    for path, data in zip(replies, (b"", b"{}", b"[", b"\xff"), strict=False):
        path.write_bytes(data)
    sample.empty(PAGE)
    assert sample.draft().code == 0
    assert len(well.bodies) > calls


def test_a_catalogue_that_cannot_be_read_is_left_alone(
    sample: DraftProject, well: Server
) -> None:
    broken = b'msgid "a"\nmsgstr "b\n'
    sample.path(PAGE).write_bytes(broken)
    told = sample.draft()
    assert told.code == 4
    assert f"{PAGE}.po" in told.out
    assert sample.path(PAGE).read_bytes() == broken
    assert well.bodies == []


def test_a_glossary_that_cannot_be_read_is_told(
    sample: DraftProject, well: Server
) -> None:
    path = sample.root / f"translations/glossary/{LOCALE}.csv"
    path.write_text("source,target\n,x\n", "utf-8")
    told = sample.draft()
    assert (told.code, well.bodies) == (4, [])
    assert f"glossary/{LOCALE}.csv:2" in told.err


# What is shown.


def test_json_has_the_plan_and_what_came_of_it(
    sample: DraftProject, well: Server
) -> None:
    told = sample.draft("--json")
    assert told.json["exit_code"] == 0
    (plan,) = told.json["plans"]
    outcome = told.json["outcome"]
    (page,) = outcome["pages"]
    assert page["page"] == PAGE
    assert page["asked"] == plan["entries"] == page["drafted"] == outcome["drafted"]
    assert plan["by_why"] == {"new": plan["entries"]}
    assert f"translations/{LOCALE}/sample/{PAGE}.po" in told.json["written"]
    assert "sk-" not in told.out


def test_quiet_says_nothing_of_what_went_well(
    sample: DraftProject, well: Server
) -> None:
    told = sample.draft("-q")
    assert (told.code, told.out, told.err) == (0, "", "")


# The stub.


def test_the_stub_shows_the_loop_and_touches_nothing(
    sample: DraftProject, only_localhost: list[str]
) -> None:
    before = snapshot(sample.root)
    told = sample.run("draft", "sample", "--stub", "--pages", PAGE)
    assert told.code == 0, told.err
    assert max(len(line) for line in told.out.split("\n")) <= 80
    after = snapshot(sample.root)
    assert {path for path in after if before.get(path) != after[path]} == {
        path for path in after if path.startswith("build/stub/")
    }
    copy = DraftProject(sample.root / "build" / "stub")
    assert len(copy.drafts()) > 25
    # The others are there, for the model to learn from.
    assert any(entry.is_translated for entry in copy.entries().values())
    assert only_localhost == []


@pytest.mark.slow
def test_the_stub_of_all_pages_takes_about_what_was_estimated(
    sample: DraftProject,
) -> None:
    told = sample.run("draft", "sample", "--stub", "--json")
    assert told.code == 0, told.err
    (plan,), outcome = told.json["plans"], told.json["outcome"]
    estimated = plan["prompt_tokens"] + plan["reply_tokens"]
    # The stub begins with nothing: every message of the sample is asked for.
    assert plan["entries"] == outcome["drafted"] == len(sample.entries())
    assert estimated == pytest.approx(outcome["tokens"], rel=0.1)


def test_the_stub_of_docs_that_are_not_pulled_says_so(project: Path) -> None:
    told = DraftProject(project).run("draft", "jax", "--stub")
    assert told.code == 70 or told.code == 3
    assert "nox -s pull" in told.err


def test_a_socket_to_another_machine_would_be_found(only_localhost: list[str]) -> None:
    import socket

    with pytest.raises(ElsewhereError), socket.socket() as other:
        other.connect(("192.0.2.1", 80))  # an address for documentation: nobody has it
    with pytest.raises(ElsewhereError):
        socket.getaddrinfo("model.example", 443)
    assert len(only_localhost) == 2
