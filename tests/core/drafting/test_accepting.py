"""Drafts in a catalogue: only where they were asked for, always fuzzy, never where a person was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from draft_questions import entry_of, question_of
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.catalog.origins import Machine, is_draft, machine_of
from pipeline.core.document.reader import Document, read_document
from pipeline.core.drafting.drafts import Draft, apply, refused_together
from pipeline.core.drafting.judge import Reason
from pipeline.core.drafting.question import Name, Question
from pipeline.entries import Catalog, Entry

ORIGIN = Machine(model="some/model:7b", prompt=1, date="2026-05-01")
LAMP = entry_of("The lamp is on.")


def draft_for(entry: Entry, msgstr: str = "灯亮着。") -> Draft:
    return Draft(before=entry, msgstr=msgstr, origin=ORIGIN)


def named(*drafts: Draft) -> dict[tuple[str | None, str], Draft]:
    return {(draft.before.context, draft.before.msgid): draft for draft in drafts}


def test_a_draft_is_fuzzy_and_says_where_it_comes_from() -> None:
    changed_catalog, count = apply(Catalog(entries=(LAMP,)), named(draft_for(LAMP)))
    (entry,) = changed_catalog.entries
    assert (entry.msgstr, entry.fuzzy, entry.previous) == ("灯亮着。", True, LAMP.msgid)
    assert entry.notes[0] == "paragraph"
    assert entry.notes[1].startswith("draft: some/model:7b, prompt 1, 2026-05-01, ")
    assert machine_of(entry) == ORIGIN
    assert not entry.is_translated
    assert count == 1


def test_what_an_older_state_said_is_gone() -> None:
    changed = replace(
        LAMP,
        msgstr="灯亮过。",
        fuzzy=True,
        previous="The lamp was on.",
        notes=("paragraph", "fuzzy: rewording"),
    )
    changed_catalog, _ = apply(Catalog(entries=(changed,)), named(draft_for(changed)))
    (entry,) = changed_catalog.entries
    assert [note.partition(":")[0] for note in entry.notes] == ["paragraph", "draft"]


@pytest.mark.parametrize(
    "now",
    [
        replace(LAMP, msgstr="灯还亮着。"),
        replace(LAMP, msgstr="灯还亮着。", fuzzy=True),
        replace(LAMP, comments=("not sure about this one",)),
        replace(LAMP, flags=("no-wrap",)),
        replace(LAMP, obsolete=True),
        replace(LAMP, context="A section"),
    ],
)
def test_what_somebody_has_changed_meanwhile_is_passed_over(now: Entry) -> None:
    catalog = Catalog(entries=(now,))
    changed_catalog, count = apply(catalog, named(draft_for(LAMP)))
    assert changed_catalog == catalog
    assert count == 0


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
def test_no_entry_changes_but_those_that_are_as_they_were(
    now: list[Entry], asked: list[Entry]
) -> None:
    drafts = named(*(draft_for(entry, "译") for entry in asked))
    changed_catalog, count = apply(Catalog(entries=tuple(now)), drafts)
    changed = 0
    for before, after in zip(now, changed_catalog.entries, strict=True):
        if before == after:
            continue
        changed += 1
        assert is_draft(after)
        assert not before.obsolete
        asked_for = drafts[before.context, before.msgid].before
        assert (asked_for.msgstr, asked_for.fuzzy) == (before.msgstr, before.fuzzy)
        assert asked_for.comments == before.comments
    assert changed == count


# All drafts of a page together.

PAGE = """# A lamp

The lamp stands on the table beside the door and shines all night long.

Nobody has ever found the switch, however long they looked for it.

- one item
"""


def refused(
    drafts: dict[str, str], *, translated: dict[str, str] | None = None
) -> dict[str, Reason]:
    document = read_document("page.md", PAGE.encode())
    entries = [
        entry_of(message.msgid, str(message.kind)) for _, message in document.messages()
    ]
    translations = translated or {}
    entries = [
        replace(entry, msgstr=translations.get(entry.msgid, "")) for entry in entries
    ]
    made: dict[Name, tuple[Question, str]] = {
        (None, entry.msgid): (
            question_of(entry.msgid, entry.notes[0]),
            drafts[entry.msgid],
        )
        for entry in entries
        if entry.msgid in drafts
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


def test_what_belongs_to_another_message_is_refused() -> None:
    same = "灯立在门边的桌子上，整夜亮着。"
    found = refused({SWITCH: same}, translated={TABLE: same})
    assert found == {SWITCH: Reason.SHIFTED}


def test_what_a_person_has_shifted_is_no_matter_here() -> None:
    same = "灯立在门边的桌子上，整夜亮着。"
    translated = {TABLE: same, SWITCH: same}
    assert refused({"A lamp": "灯"}, translated=translated) == {}


def test_a_page_that_cannot_be_merged_takes_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pipeline.core.drafting import drafts as accepting
    from pipeline.errors import GuardError

    def broken(document: Document, translations: object) -> None:
        raise GuardError("differs", where=document.path)

    monkeypatch.setattr(accepting, "merge", broken)
    assert refused(GOOD) == dict.fromkeys(GOOD, Reason.PAGE)
