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
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir
from pathlib import Path

import pytest
from draft_models import (
    EXCHANGES,
    Behave,
    Exchange,
    Server,
    good,
    model_server,
    text_of,
)
from draft_project import KEY, KEY_NAME, LOCALE, DraftProject, prepared
from folders import copy_project, read_tree, snapshot
from in_process import Told
from msgspec.structs import replace
from places import ROOT
from sockets import ElsewhereError

from pipeline.adapters.files import WriteError
from pipeline.cli import main
from pipeline.commands.draft import queue
from pipeline.core.catalog.origins import GLOSSARY, is_draft, machine_of
from pipeline.core.drafting.question import marked_like, mask
from pipeline.entries import Entry

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
def sample(ready: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DraftProject:
    """The sample with one page to draft, no time lost on waiting, and a key at hand."""
    root = tmp_path / "project"
    shutil.copytree(ready, root, symlinks=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv(KEY_NAME, KEY)
    monkeypatch.delenv("CI", raising=False)
    return DraftProject(root)


class Well(DraftProject, frozen=True):
    """The sample with a model that answers well, and is configured."""

    model: Server

    def asked(self, number: int) -> list[dict[str, str]]:
        """Return the text that a request has sent."""
        content = json.loads(self.model.bodies[number])["messages"][1]["content"]
        text: list[dict[str, str]] = json.loads(content)["text"]
        return text

    def by_model(self) -> list[Entry]:
        """Return the drafts that are no terms of the glossary."""
        drafts = self.drafts()
        return [one for one in drafts if "draft: glossary," not in one.notes[-1]]


@pytest.fixture
def well(sample: DraftProject) -> Iterator[Well]:
    with model_server(Exchange.well) as model:
        sample.configure(model.url, key_variable=KEY_NAME)
        yield Well(sample.root, model)


def drafted(sample: DraftProject, behave: Behave, **options: object) -> tuple[Told, Server]:
    """Draft with a model that answers in some way."""
    with model_server(behave) as server:
        sample.configure(server.url, **options)
        return sample.draft(), server


def others(sample: DraftProject) -> dict[object, object]:
    """The entries that no draft was asked for, with all that they hold."""
    return {key: entry for key, entry in sample.entries().items() if key[0] != PAGE}


# The loop.


def test_a_page_is_drafted_reviewed_and_confirmed(well: Well) -> None:
    before = others(well)
    assert well.run("merge", "sample", "-q").code == 0
    merged_page = well.root / f"build/{LOCALE}/sample/merged/{PAGE}.md"
    built = merged_page.read_bytes()
    told = well.draft("--pages", PAGE)
    assert told.code == 0, told.err
    drafts = well.drafts()
    assert len(drafts) == int(NUMBERS.findall(told.out)[0]) > 25
    assert all(entry.previous == entry.msgid for entry in drafts)
    assert others(well) == before
    assert {str(machine_of(entry).model) for entry in drafts} == {"m", GLOSSARY}  # type: ignore[union-attr]
    assert all(line["authorization"] == f"Bearer {KEY}" for line in well.model.headers)

    # Drafts are in the memory, and not on any page.
    assert "#. draft: m, prompt 1, undated, " in well.everything()
    merged = well.run("merge", "sample", "--json")
    rows = merged.json["locales"][LOCALE]["pages"]
    (row,) = [row for row in rows if row["page"] == PAGE]
    assert row["drafts"] == len(drafts)
    assert merged_page.read_bytes() == built

    # Confirming is for a person, entry by entry.
    first, second, *_ = drafts
    finished = [replace(one, fuzzy=False, previous=None) for one in (first, second)]
    finished[1] = replace(finished[1], msgstr="有人改过的。")
    well.edit(PAGE, {entry.msgid: entry for entry in finished})
    assert well.run("split", "sample", "-q").code == 0
    states = well.entries()
    confirmed = states[PAGE, None, first.msgid]
    assert confirmed.is_translated
    assert confirmed.notes[-1].startswith("drafted: ")
    assert len(well.drafts()) == len(drafts) - 2
    assert well.run("memory", "verify", "sample").code == 0
    assert well.draft().code == 0
    assert well.entries() == states


def test_every_command_tells_what_there_is_to_do(well: Well) -> None:
    before = snapshot(well.root)
    told = well.run("draft", "sample", "--check")
    assert (told.code, well.model.bodies) == (1, [])
    assert "estimated" in told.out
    told = well.run("draft", "sample")
    assert (told.code, well.model.bodies) == (0, [])
    words = r"sample · zh_CN: \d+ entries on 1 page, \d+ English words\n"
    assert re.match(words, told.out)
    assert re.search(r"estimated   [\d,]+ \+ [\d,]+ tokens\n", told.out)
    assert "estimated" not in told.err
    assert "Run again with --yes" in told.err
    assert snapshot(well.root) == before
    assert "drafts" not in well.run("status", "sample").out

    told = well.draft("--json")
    (plan,), outcome = told.json["plans"], told.json["outcome"]
    (page,) = outcome["pages"]
    count = len(well.drafts())
    assert (told.code, told.json["exit_code"], page["page"]) == (0, 0, PAGE)
    assert plan["by_why"] == {"new": count}
    assert plan["entries"] == page["asked"] == page["drafted"] == count
    assert outcome["drafted"] == count
    assert f"translations/{LOCALE}/sample/{PAGE}.po" in told.json["written"]
    assert "sk-" not in told.out

    out = well.run("status", "sample").out
    assert f"drafts to confirm: {count} ({PAGE} {count})" in out
    assert "fuzzy, draft" not in out
    totals = well.run("status", "sample", "--json").json["locales"][LOCALE]["totals"]
    assert (totals["drafts"], totals["fuzzy"]) == (count, count)
    assert totals["draft_words"] == totals["fuzzy_words"] > 300
    calls, before = len(well.model.bodies), snapshot(well.root)
    told = well.draft()
    assert (told.code, len(well.model.bodies)) == (0, calls)
    assert "nothing to draft" in told.err
    assert well.run("draft", "sample", "--check").code == 0
    assert snapshot(well.root) == before


def test_quiet_says_nothing_of_what_went_well(well: Well) -> None:
    assert well.draft("-q") == Told(0, "", "")


class Terminal(io.StringIO):
    """A terminal at which somebody types."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("typed", "is_sent"), [("y\n", True), ("YES\n", True), ("n\n", False), ("", False)]
)
def test_on_a_terminal_somebody_is_asked(
    well: Well, monkeypatch: pytest.MonkeyPatch, typed: str, is_sent: bool
) -> None:
    err = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setenv("TERM", "xterm")
    assert main(["draft", "sample"]) == 0
    assert bool(well.model.bodies) is is_sent
    assert "Go on? [y/N]" in err.getvalue()
    assert ("nothing was sent" in err.getvalue()) is not is_sent


def test_a_limit_is_one_of_entries(well: Well) -> None:
    well.draft("--limit", "5")
    assert sum("id" in item for item in well.asked(0)) == 5
    assert len(well.by_model()) == 5
    well.draft("--limit", "5")
    assert len(well.by_model()) == 10


def test_what_somebody_saves_meanwhile_stays(sample: DraftProject) -> None:
    long = [entry for entry in sample.read(PAGE).entries if len(entry.msgid) > 60]
    saved = replace(long[0], msgstr="边起草边写的译文。")

    def save_and_answer(exchange: Exchange) -> None:
        if exchange.number == 1:
            sample.edit(PAGE, {saved.msgid: saved})
        exchange.well()

    told, _ = drafted(sample, save_and_answer)
    assert sample.entries()[PAGE, None, saved.msgid].msgstr == "边起草边写的译文。"
    assert "somebody has changed them meanwhile: 1" in told.out
    assert len(sample.drafts()) > 25


@pytest.mark.parametrize("data", [None, b'msgid "a'], ids=["removed", "broken"])
def test_a_catalogue_goes_meanwhile(sample: DraftProject, data: bytes | None) -> None:
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


def test_a_stale_draft_that_comes_out_the_same_is_no_change(well: Well) -> None:
    well.draft()
    memo = well.root / f"build/{LOCALE}/sample/memo/drafts.json"
    before = well.path(PAGE).read_bytes()
    known = json.loads(memo.read_bytes())
    # As if other rows had been told: the words do not depend on these.
    for value in known.values():
        value[1] = {"kettle": "水壶"}
    memo.write_text(json.dumps(known), "utf-8")
    assert re.search(r"why +\d+ stale", well.draft().err)
    assert well.path(PAGE).read_bytes() == before
    assert "nothing to draft" in well.draft().err


def test_a_bug_in_a_thread_is_told(well: Well, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: object, body: bytes) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("pipeline.adapters.chat.ChatClient.ask", fail)
    told = well.draft()
    assert told.code == 70
    assert "unexpected ZeroDivisionError: a bug" in told.err


def test_an_old_translation_gives_way_and_stays(well: Well) -> None:
    """The English of a translated paragraph changes: the draft knows what was there."""
    page = "guides/vmap"
    document = well.root / "upstream/sample/guides/vmap.md"
    long = next(
        entry
        for entry in well.read(page).entries
        if len(entry.msgid) > 100 and "`" not in entry.msgid and not entry.obsolete
    )
    text, words = document.read_text("utf-8"), " ".join(long.msgid.split()[:2])
    assert words in text
    document.write_text(text.replace(words, f"Then {words}", 1), "utf-8")
    for stage in ("pull", "split"):
        assert well.run(stage, "sample", "-q").code == 0
    assert any(entry.needs_review for entry in well.read(page).entries)
    well.draft("--pages", page)
    (item,) = (item for item in well.asked(0) if "id" in item)
    assert item["was_to"] == marked_like(long.msgstr, mask(long.msgid))
    entries = well.read(page).entries
    assert [entry.msgstr for entry in entries if entry.obsolete] == [long.msgstr]
    assert any(map(is_draft, entries))


# What is stale.


def change_row(sample: DraftProject, term: str, rendering: str) -> None:
    path = sample.root / f"translations/glossary/{LOCALE}.csv"
    rows = list(csv.reader(path.read_text("utf-8").splitlines()))
    for row in rows:
        if row[0] == term and "avoid" not in row[2]:
            row[1] = rendering
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def test_a_changed_row_redoes_only_what_it_touches(well: Well) -> None:
    well.draft()
    before, calls = well.entries(), len(well.model.bodies)
    stale = ("draft", "sample", "--stale")
    assert well.run(*stale).out == "zh_CN: 0 stale drafts\n"
    touched = [one for one in well.by_model() if "compil" in one.msgid.lower()]
    change_row(well, "compile", "编制")
    told = well.run(*stale)
    assert (told.code, len(well.model.bodies)) == (0, calls)
    assert told.out.count("the glossary has changed: ") == len(touched) > 0
    assert well.entries() == before
    assert well.draft().code == 0
    after = well.entries()
    changed = {key[2] for key in after if after[key] != before[key]}
    assert set() < changed <= {entry.msgid for entry in touched}
    assert well.run(*stale).out == "zh_CN: 0 stale drafts\n"


# What comes back.


def with_answers(
    sample: DraftProject, change: Callable[[dict[str, str], Exchange], str]
) -> tuple[Told, Server]:
    """Draft with a model whose answers ``change`` spoils."""
    return drafted(
        sample,
        lambda exchange: exchange.reply(change(good(exchange.request), exchange)),
    )


def test_a_missing_answer_is_asked_for_again(sample: DraftProject) -> None:
    left_out: list[str] = []

    def nine(answers: dict[str, str], exchange: Exchange) -> str:
        if exchange.number == 1:
            left_out.append(next(iter(answers)))
            del answers[left_out[0]]
        return text_of(answers)

    told, server = with_answers(sample, nine)
    assert (told.code, len(server.bodies)) == (0, 2)
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
    told, again = drafted(sample, Exchange.well)
    assert (told.code, again.bodies) == (0, [])
    # Another model may do better.
    told, better = drafted(sample, Exchange.well, model="better")
    assert (told.code, len(better.bodies)) == (0, 1)


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

    told, _ = drafted(sample, behave)
    assert told.code == 1
    assert told.err.count("raise reply-tokens in [tool.pipeline.draft]") == 1


# Faults. Each is told, ends with its code, loses nothing, and costs nothing twice.


def failed(sample: DraftProject) -> Told:
    before = read_tree(sample.root / "translations")
    told = sample.draft()
    after = read_tree(sample.root / "translations")
    # Terms of the glossary need no model; besides them nothing has changed.
    assert {path for path in after if after[path] != before[path]} <= {
        f"{folder}{LOCALE}/sample/{PAGE}.po" for folder in ("", "memory/")
    }
    assert all("draft: glossary" in entry.notes[-1] for entry in sample.drafts())
    assert KEY not in told.out + told.err + sample.everything()
    assert "error: " in told.err
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
    for words, code in (((), 0), (("--check",), 1), (("--stale",), 0)):
        told = sample.run("draft", "sample", *words)
        assert told.code == code, told.err


def refuse_key(exchange: Exchange) -> None:
    exchange.fail(401, f"not {KEY}")


def refuse_request(exchange: Exchange) -> None:
    exchange.fail(400, "unknown field")


@pytest.mark.parametrize(
    ("behave", "code", "requests", "words"),
    [
        (refuse_key, 2, 1, "not [key]"),
        (refuse_request, 3, 3, "unknown field"),
        (EXCHANGES["closes"], 3, 6, ""),  # three batches, each tried twice
    ],
    ids=["key", "request", "connection"],
)
def test_a_fault_that_stays_ends_the_run(
    sample: DraftProject, behave: Behave, code: int, requests: int, words: str
) -> None:
    with model_server(behave) as server:
        options = {"batch": 2, "concurrency": 1}
        sample.configure(server.url, key_variable=KEY_NAME, **options)
        told = failed(sample)
    assert (told.code, len(server.bodies)) == (code, requests)
    assert words in told.err


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

    told, server = drafted(sample, behave, batch=3, concurrency=3, timeout=60)
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


def test_two_drafts_at_a_time_wait_for_each_other(well: Well) -> None:
    """In threads here; the lock is one between processes."""
    well.configure(well.model.url, batch=4)
    with ThreadPoolExecutor() as threads:
        codes = [*threads.map(main, [["draft", "sample", "--yes", "-q"]] * 2)]
    assert codes == [0, 0]
    assert len(well.model.bodies) == len(set(well.model.bodies))


def test_interrupted_run(sample: DraftProject, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_full_disk_ends_the_run(well: Well, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        raise WriteError("No space left", where=str(path), hint="Free some.")

    monkeypatch.setattr("pipeline.adapters.chat.write_atomic", full)
    well.configure(well.model.url, batch=2, concurrency=1)
    told = failed(well)
    assert (told.code, len(well.model.bodies)) == (70, 1)
    assert "No space left" in told.err


def test_damaged_replies_are_none(well: Well) -> None:
    well.draft()
    replies = sorted((well.root / "build/cache/drafts").rglob("*.json"))
    assert replies
    calls = len(well.model.bodies)
    for path, data in zip(replies, (b"", b"{}", b"[", b"\xff"), strict=False):
        path.write_bytes(data)
    well.empty(PAGE)
    assert well.draft().code == 0
    assert len(well.model.bodies) > calls


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (f"{LOCALE}/sample/{PAGE}.po", b'msgid "a"\nmsgstr "b\n'),
        (f"glossary/{LOCALE}.csv", b"source,target\n,x\n"),
    ],
    ids=["catalogue", "glossary"],
)
def test_a_broken_file_is_told_and_kept(well: Well, name: str, data: bytes) -> None:
    path = well.root / "translations" / name
    path.write_bytes(data)
    told = well.draft()
    assert (told.code, well.model.bodies) == (4, [])
    assert f"{name}:2" in told.out + told.err
    assert path.read_bytes() == data


# The stub.


def test_the_stub_touches_nothing(sample: DraftProject, only_localhost: list[str]) -> None:
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
def test_the_stub_of_all_pages_takes_what_was_estimated(sample: DraftProject) -> None:
    told = sample.run("draft", "sample", "--stub", "--json")
    assert told.code == 0, told.err
    (plan,), outcome = told.json["plans"], told.json["outcome"]
    estimated = plan["prompt_tokens"] + plan["reply_tokens"]
    # The stub begins with nothing: every message of the sample is asked for.
    assert plan["entries"] == outcome["drafted"] == len(sample.entries())
    assert estimated == pytest.approx(outcome["tokens"], rel=0.1)


def test_the_stub_of_docs_that_are_not_pulled_says_so(project: Path) -> None:
    told = DraftProject(project).run("draft", "jax", "--stub")
    assert told.code == 3
    assert "nothing has been pulled yet from 'jax'" in told.err
    assert "nox -s pull" in told.err
    assert not (project / "build/stub").exists()


def test_a_socket_to_another_machine_would_be_found(only_localhost: list[str]) -> None:
    import socket

    with pytest.raises(ElsewhereError), socket.socket() as other:
        other.connect(("192.0.2.1", 80))  # an address for documentation: nobody has it
    with pytest.raises(ElsewhereError):
        socket.getaddrinfo("model.example", 443)
    assert len(only_localhost) == 2
