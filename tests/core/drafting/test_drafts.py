"""Drafts in a catalogue, the outcome of a run, and the stub that stands in for a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from draft_questions import GLOSSARY, entry_of, question_of
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pipeline.core.catalog.origins import Machine, is_draft, machine_of
from pipeline.core.document.reader import Document, read_document
from pipeline.core.drafting import stub
from pipeline.core.drafting.batch import (
    Batch,
    Outcome,
    PageOutcome,
    RequestSettings,
    batches_of,
    estimate,
    tokens_of,
)
from pipeline.core.drafting.drafts import Draft, apply, refused_together
from pipeline.core.drafting.judge import Judge, Reason
from pipeline.core.drafting.question import Name, Question, mask, unmask
from pipeline.core.glossary.glossary import Glossary
from pipeline.entries import Catalog, Entry

ORIGIN = Machine(model="some/model:7b", prompt=1, date="2026-05-01")
LAMP = entry_of("The lamp is on.")
TEXTS = st.text(alphabet="abcXY `$[]().,:*_\n1", max_size=60)


def draft_for(entry: Entry, msgstr: str = "灯亮着。") -> Draft:
    return Draft(before=entry, msgstr=msgstr, origin=ORIGIN)


def named(*drafts: Draft) -> dict[tuple[str | None, str], Draft]:
    return {(draft.before.context, draft.before.msgid): draft for draft in drafts}


def test_a_draft_is_fuzzy_and_says_where_it_comes_from() -> None:
    changed_catalog, count = apply(Catalog(entries=(LAMP,)), named(draft_for(LAMP)))
    (entry,) = changed_catalog.entries
    kind, note = entry.notes
    assert (kind, count) == ("paragraph", 1)
    assert note.startswith("draft: some/model:7b, prompt 1, 2026-05-01, ")
    assert machine_of(entry) == ORIGIN
    waiting = replace(LAMP, msgstr="灯亮着。", fuzzy=True, previous=LAMP.msgid)
    assert entry == replace(waiting, notes=entry.notes)


def test_what_an_older_state_said_is_gone() -> None:
    changed = replace(LAMP, msgstr="灯亮过。", fuzzy=True, previous="The lamp was on.")
    changed = replace(changed, notes=("paragraph", "fuzzy: rewording"))
    changed_catalog, _ = apply(Catalog(entries=(changed,)), named(draft_for(changed)))
    (entry,) = changed_catalog.entries
    assert [note.partition(":")[0] for note in entry.notes] == ["paragraph", "draft"]


@pytest.mark.parametrize(
    "change",
    [
        {"msgstr": "灯还亮着。"},
        {"msgstr": "灯还亮着。", "fuzzy": True},
        {"comments": ("not sure about this one",)},
        {"flags": ("no-wrap",)},
        {"obsolete": True},
        {"context": "A section"},
    ],
)
def test_what_was_changed_meanwhile_is_passed_over(change: dict[str, Any]) -> None:
    catalog = Catalog(entries=(replace(LAMP, **change),))
    assert apply(catalog, named(draft_for(LAMP))) == (catalog, 0)


ENTRIES = st.builds(
    Entry,
    msgid=st.sampled_from("abcd"),
    msgstr=st.sampled_from(["", "一", "二"]),
    fuzzy=st.booleans(),
    obsolete=st.booleans(),
    context=st.sampled_from([None, "s"]),
    comments=st.sampled_from([(), ("c",)]),
)


@given(st.lists(ENTRIES, max_size=8), st.lists(ENTRIES, max_size=8))
def test_only_untouched_entries_change(now: list[Entry], asked: list[Entry]) -> None:
    drafts = named(*(draft_for(entry, "译") for entry in asked))
    changed_catalog, count = apply(Catalog(entries=tuple(now)), drafts)
    pairs = list(zip(now, changed_catalog.entries, strict=True))
    changed = [(before, after) for before, after in pairs if before != after]
    assert len(changed) == count
    for before, after in changed:
        assert is_draft(after)
        asked_for = drafts[before.context, before.msgid].before
        assert replace(asked_for, obsolete=False) == before


# All drafts of a page together.

PAGE = """# A lamp

The lamp stands on the table beside the door and shines all night long.

Nobody has ever found the switch, however long they looked for it.

- one item
"""


def refused(
    drafts: dict[str, str], *, translated: dict[str, str] | None = None
) -> dict[str, Reason]:
    """The drafts of the page that are refused, beside what a person has ``translated``."""
    document = read_document("page.md", PAGE.encode())
    messages = [message for _, message in document.messages()]
    entries = [
        entry_of(
            message.msgid,
            str(message.kind),
            msgstr=(translated or {}).get(message.msgid, ""),
        )
        for message in messages
    ]
    made: dict[Name, tuple[Question, str]] = {
        (None, message.msgid): (
            question_of(message.msgid, str(message.kind)),
            drafts[message.msgid],
        )
        for message in messages
        if message.msgid in drafts
    }
    found = refused_together("page", [document], entries, made)
    return {msgid: reason for (_, msgid), reason in found.items()}


TABLE, SWITCH = (line for line in PAGE.split("\n") if len(line) > 20)
GOOD = {"A lamp": "灯", TABLE: "灯立在门边的桌子上，整夜亮着。", "one item": "一项"}


def test_good_drafts_go_together() -> None:
    assert refused(GOOD) == {}


def test_what_would_change_the_page_is_refused_alone() -> None:
    bad = "- 没有人找到过开关，无论找了多久都没有找到它。"
    assert refused({**GOOD, SWITCH: bad}) == {SWITCH: Reason.PAGE}


SAME = GOOD[TABLE]


def test_what_belongs_to_another_message_is_refused() -> None:
    found = refused({SWITCH: SAME}, translated={TABLE: SAME})
    assert found == {SWITCH: Reason.SHIFTED}


def test_what_a_person_has_shifted_is_no_matter_here() -> None:
    assert refused({"A lamp": "灯"}, translated={TABLE: SAME, SWITCH: SAME}) == {}


def test_a_page_that_is_not_merged_takes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline.core.drafting import drafts as accepting
    from pipeline.errors import GuardError

    def broken(document: Document, translations: object) -> None:
        raise GuardError("differs", where=document.path)

    monkeypatch.setattr(accepting, "merge", broken)
    assert refused(GOOD) == dict.fromkeys(GOOD, Reason.PAGE)


def page(refused: Mapping[Reason, int] | None = None, **counts: int) -> PageOutcome:
    return PageOutcome(locale="zh_CN", page="page", refused=refused or {}, **counts)


def test_the_counts_of_a_run_are_those_of_its_pages() -> None:
    run = Outcome(pages=(page(drafted=2, unanswered=3), page(drafted=5, skipped=1)))
    counts = ("drafted", "unanswered", "skipped")
    assert [run.total(name) for name in counts] == [7, 3, 1]
    assert Outcome().total("drafted") == 0


def test_reasons_are_counted_over_all_pages_the_most_frequent_first() -> None:
    first = page({Reason.LENGTH: 2, Reason.ATOMS: 1})
    pages = (first, page(drafted=1), page({Reason.ATOMS: 4}))
    expected = [(Reason.ATOMS, 5), (Reason.LENGTH, 2)]
    assert list(Outcome(pages=pages).refused.items()) == expected


LONG = {Reason.LENGTH: 2}


@pytest.mark.parametrize(
    ("pages", "calls", "has_no_accepted_answer"),
    [
        ([page(LONG)], 1, True),
        # Terms of the glossary are no answers of the model.
        ([page(LONG, drafted=3, terms=3)], 1, True),
        ([page(LONG, drafted=1)], 1, False),
        # The replies of an earlier run were refused once more.
        ([page(LONG)], 0, False),
        ([page(unanswered=2)], 1, False),
        ([], 0, False),
    ],
    ids=["refused", "only terms", "one draft", "no call", "no answer", "nothing"],
)
def test_a_run_is_vain_if_no_answer_of_the_model_was_kept(
    pages: list[PageOutcome], calls: int, has_no_accepted_answer: bool
) -> None:
    outcome = Outcome(pages=tuple(pages), calls=calls)
    assert outcome.has_no_accepted_answer is has_no_accepted_answer


def batch_of(*texts: str, glossary: Glossary | None = None) -> Batch:
    page = [entry_of(text) for text in texts]
    questions = [question_of(text, glossary=glossary) for text in texts]
    settings = RequestSettings(model="m", locale="zh_CN")
    (batch,) = batches_of(settings, page, questions, examples={}, refused={})
    return batch


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("the cat sat on the mat", 6),
        ("译文" * 10, 23),
        ("12", 1.8),
        ("{}();", 1.2),
    ],
)
def test_tokens_are_estimated_by_kinds_of_characters(text: str, tokens: float) -> None:
    assert tokens_of(text) == pytest.approx(tokens, rel=0.15)


def test_an_estimate_adds_up_its_batches() -> None:
    one, two = batch_of("One lamp."), batch_of("Two lamps and `a`.", "Three lamps.")
    sums = [sum(pair) for pair in zip(estimate([one]), estimate([two]), strict=True)]
    assert estimate([one, two]) == pytest.approx(sums, abs=1)
    assert estimate([]) == (0, 0)


@given(TEXTS)
def test_marks_come_back(text: str) -> None:
    masked = mask(text)
    assert unmask(stub.translate(masked.text), masked) is not None


@given(TEXTS)
def test_the_same_text_gives_the_same_nonsense(text: str) -> None:
    assert stub.translate(text) == stub.translate(text)


@pytest.mark.parametrize(
    ("english", "terms", "expected"),
    [
        ("JAX", {}, "JAX"),
        ("Tracers", {"tracer": "跟踪器 (not: 追踪器)"}, "跟踪器"),
        ("The tracers", {"tracer": "跟踪器 / 示踪器"}, "跟踪器"),
        ("a Kettle.", {"kettle": "水壶（kettle）"}, "水壶。"),
        ("", {}, ""),
        # "only" begins within the term, and is a part of it.
        ("Read only", {"read only": "只读"}, "只读"),
    ],
)
def test_names_and_terms(english: str, terms: dict[str, str], expected: str) -> None:
    assert stub.translate(english, stub.terms_of({"glossary": terms})) == expected


def test_names_and_numbers_stay_within_nonsense() -> None:
    translated = stub.translate("NumPy 2 has 32 bits", stub.terms_of({}))
    assert translated.startswith("NumPy 2 ")
    assert translated.endswith("32 bits")


def test_an_answer_passes_the_judge() -> None:
    batch = batch_of(
        "The lamp stands on the table, beside the door: it shines all night long.",
        "Call `boil` **once**, then read [the notes](a.md).",
        "Does a tracer shine?",
        glossary=GLOSSARY,
    )
    answers = json.loads(stub.answer(json.loads(batch.body)))
    judge = Judge.of("zh_CN", GLOSSARY)
    for name, question in batch.questions.items():
        judged = judge.judge(question, answers[name])
        assert (judged.refused, judged.doubts) == (None, ())


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"messages": []},
        {"messages": [{"content": "hello"}]},
        {"messages": [{"content": "[]"}]},
        {"messages": [{"content": '{"text": [{"id": "a"}]}'}]},
    ],
)
def test_other_requests_are_told(request_: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"no request|Expecting value"):
        stub.answer(request_)
