"""Where words come from: drafts, known by their words, and copies. A draft is an empty entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from msgspec.structs import replace

from pipeline.core.catalog.counts import DRAFT, count_catalog
from pipeline.core.catalog.origins import (
    Copy,
    Machine,
    OriginKind,
    copy_of,
    is_draft,
    is_lasting,
    is_open,
    is_replaceable,
    kind_of,
    lasting_notes,
    machine_of,
    makers_of,
    reviewed_notes,
    states_of,
)
from pipeline.core.catalog.update import update_catalogs
from pipeline.core.drafting.drafts import Draft, drafted
from pipeline.core.results import PageResult
from pipeline.entries import Catalog, Entry

HEADER = {"Language": "zh_CN"}
ORIGIN = Machine(model="model, with a comma", prompt=12, date="2026-05-01")
LAMP = "The lamp stands on the table beside the door and shines all night."
LAMPS = "The lamps stand on the table beside the door and shine all night."
SWITCH = "Nobody has ever found the switch, however long they looked."


def blank(msgid: str) -> Entry:
    return Entry(msgid=msgid, notes=("paragraph",), references=("page",))


def draft(msgid: str, **changes: object) -> Entry:
    """A draft, and what became of it since."""
    entry = blank(msgid)
    made = drafted(entry, Draft(before=entry, msgstr="机器写的译文。", origin=ORIGIN))
    return replace(made, **changes)


def by_person(msgid: str) -> Entry:
    return replace(blank(msgid), msgstr="有人译好的。")


def update(
    old: Mapping[str, Sequence[Entry]],
    wanted: Mapping[str, Sequence[str]],
    *gone: str,
) -> dict[str, tuple[Entry, ...]]:
    """The entries of each page after an update to the texts that are wanted."""
    updated = update_catalogs(
        {page: Catalog(header=HEADER, entries=tuple(entries)) for page, entries in old.items()},
        {page: [blank(msgid) for msgid in msgids] for page, msgids in wanted.items()},
        header=lambda _, existing: existing or HEADER,
        gone=gone,
    )
    return {page: one.catalog.entries for page, one in updated.items()}


def after(old: list[Entry], *wanted: str) -> tuple[Entry, ...]:
    return update({"page": old}, {"page": wanted})["page"]


# Notes.


def test_the_note_of_a_draft_tells_its_origin() -> None:
    assert machine_of(draft(LAMP)) == ORIGIN
    undated = replace(ORIGIN, date="undated")
    made = draft(LAMP, notes=(undated.note("机器写的译文。"),))
    assert machine_of(made) == undated


@pytest.mark.parametrize(
    "change",
    [
        {"msgstr": "有人改过的译文。"},
        {"msgstr": ""},
        {"fuzzy": False},
        {"obsolete": True},
        {"notes": ("paragraph", "draft: m, prompt x, 2026-05-01, 12345678")},
        {"notes": ("draft: model",)},
    ],
)
def test_what_is_no_draft(change: dict[str, object]) -> None:
    assert not is_draft(draft(LAMP, **change))
    assert not is_draft(blank(LAMP))


REMARKED = draft(LAMP, comments=("really?",))
CONFIRMED = draft(LAMP, fuzzy=False, previous=None)
DRAFTED_BY = "drafted: model, with a comma, prompt 12, 2026-05-01"


def test_a_remark_keeps_a_draft_from_being_replaced() -> None:
    assert is_replaceable(draft(LAMP))
    assert is_draft(REMARKED)
    assert not is_replaceable(REMARKED)


def test_the_words_of_a_person_are_called_no_draft() -> None:
    assert reviewed_notes(draft(LAMP)) == draft(LAMP).notes
    for entry in (CONFIRMED, draft(LAMP, msgstr="改过。")):
        assert reviewed_notes(entry) == ("paragraph", DRAFTED_BY)
    assert reviewed_notes(blank(LAMP)) == ("paragraph",)


COPY = Copy(file="copy.md", commit="c" * 40, page="old", author="Li", licence="CC0-1.0")


# A suggestion that was adopted.
ADOPTED = replace(
    blank(LAMP),
    msgstr="别人译的。",
    fuzzy=True,
    previous=LAMP,
    notes=("paragraph", "fuzzy: adopted", COPY.note(0.9)),
)


def test_whoever_made_the_words_is_told() -> None:
    assert makers_of(ADOPTED) == (COPY,)
    assert makers_of(draft(LAMP)) == (ORIGIN,)
    assert makers_of(CONFIRMED) == (replace(ORIGIN, is_reviewed=True),)
    assert (copy_of(ADOPTED), machine_of(ADOPTED)) == (COPY, None)
    assert copy_of(draft(LAMP)) is None
    states = [is_open(entry) for entry in (ADOPTED, draft(LAMP), blank(LAMP))]
    assert states == [False, True, True]


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        (draft(LAMP), OriginKind.DRAFT),
        (ADOPTED, OriginKind.ADOPTED),
        (draft(LAMP, msgstr="改过。"), None),
        (replace(ADOPTED, fuzzy=False), None),
        (blank(LAMP), None),
    ],
)
def test_what_waits_is_named_by_its_maker(entry: Entry, kind: OriginKind | None) -> None:
    assert kind_of(entry) is kind


@pytest.mark.parametrize("old", [ADOPTED, CONFIRMED], ids=["a copy", "a machine"])
def test_the_origin_goes_along_with_the_words(old: Entry) -> None:
    """It is told of words that are there only."""
    (note,) = lasting_notes(old)
    (kept,) = after([old], LAMP)
    (similar, *_) = after([old], LAMPS)
    (moved,) = update({"page": [old]}, {"page": [], "new": [LAMP]})["new"]
    assert similar.fuzzy
    for entry in (kept, similar, moved):
        assert note in entry.notes
    assert lasting_notes(replace(old, msgstr="")) == ()


# Updates.


def test_only_whose_words_they_are_is_true_for_as_long_as_they_are_there() -> None:
    assert is_lasting(COPY.note(0.9))
    assert is_lasting(ORIGIN.settled_note())
    assert not is_lasting(ORIGIN.note("译"))
    assert not is_lasting("carried over: the same text in page")
    assert not is_lasting("fuzzy: rewording")


def test_a_draft_stays_as_it_is() -> None:
    assert after([draft(LAMP)], LAMP) == (draft(LAMP),)


def test_a_confirmed_draft_says_where_it_came_from() -> None:
    (entry,) = after([CONFIRMED], LAMP)
    assert entry.is_translated
    assert states_of(entry) == (DRAFTED_BY,)
    assert after([entry], LAMP) == (entry,)


def test_a_draft_that_was_changed_waits_as_a_persons() -> None:
    (entry,) = after([draft(LAMP, msgstr="改了一半")], LAMP)
    assert entry.needs_review
    assert not is_draft(entry)
    assert [note.partition(":")[0] for note in states_of(entry)] == ["fuzzy", "drafted"]


def test_a_draft_goes_with_its_message() -> None:
    assert after([draft(LAMP), draft(SWITCH)], SWITCH) == (draft(SWITCH),)
    # A remark is a person's, and so is what it is about.
    kept = after([REMARKED], SWITCH)
    assert [entry.obsolete for entry in kept] == [False, True]


def test_a_draft_serves_no_other_message() -> None:
    assert after([draft(LAMP)], LAMPS) == (blank(LAMPS),)
    found = update({"page": [draft(LAMP)]}, {"page": [LAMP], "new": [LAMP]})
    assert found["new"] == (blank(LAMP),)


def test_a_draft_gives_way_to_a_translation_of_the_same_text() -> None:
    """As an empty entry does: whoever has translated a text once need not do so again."""
    pages = {"page": [LAMP], "other": [LAMP]}
    old = {"page": [draft(LAMP)], "other": [by_person(LAMP)]}
    (entry,) = update(old, pages)["page"]
    assert (entry.msgstr, entry.fuzzy) == ("有人译好的。", False)
    assert states_of(entry) == ("carried over: the same text in other",)
    # A draft with a remark does not.
    assert update({**old, "page": [REMARKED]}, pages)["page"] == (REMARKED,)


def test_the_drafts_of_a_page_that_is_gone_go_too() -> None:
    old = {"old": [draft(LAMP)], "page": [blank(SWITCH)]}
    assert update(old, {"page": [SWITCH]}, "old")["old"] == ()
    old["old"] = [draft(LAMP), by_person(SWITCH)]
    (kept,) = update(old, {"page": []}, "old")["old"]
    assert kept.msgid == SWITCH


def test_a_renamed_page_keeps_its_drafts() -> None:
    old = [by_person(SWITCH), draft(LAMP)]
    (_, kept) = update({"old": old}, {"new": [SWITCH, LAMP]}, "old")["new"]
    assert is_draft(kept)


def test_drafts_are_counted_apart() -> None:
    entries = (
        draft(LAMP),
        draft(SWITCH, msgstr="改过。"),
        by_person(LAMPS),
        draft("Gone.", obsolete=True),
    )
    row = count_catalog(PageResult(page="page"), Catalog(entries=entries))
    assert (row.translated, row.fuzzy, row.drafts, row.untranslated) == (1, 2, 1, 0)
    assert row.classes == {"other": 1, DRAFT: 1}
    assert row.fuzzy_words - row.draft_words == 10
