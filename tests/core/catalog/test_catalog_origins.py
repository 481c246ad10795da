"""Where words come from: drafts, known by their words, and copies. A draft is an empty entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

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
from pipeline.core.catalog.update import Updated, update_catalogs
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
    return replace(made, **changes)  # type: ignore[arg-type]


def update(
    old: Mapping[str, list[Entry]], wanted: Mapping[str, list[str]], *, gone: str = ""
) -> dict[str, Updated]:
    return update_catalogs(
        {
            page: Catalog(header=HEADER, entries=tuple(entries))
            for page, entries in old.items()
        },
        {page: [blank(msgid) for msgid in msgids] for page, msgids in wanted.items()},
        header=lambda _, existing: existing or HEADER,
        gone=[gone] if gone else [],
    )


def after(old: list[Entry], *wanted: str) -> tuple[Entry, ...]:
    return update({"page": old}, {"page": list(wanted)})["page"].catalog.entries


# Notes.


def test_the_note_of_a_draft_tells_its_origin() -> None:
    assert machine_of(draft(LAMP)) == ORIGIN
    undated = replace(ORIGIN, date="undated")
    entry = blank(LAMP)
    made = drafted(entry, Draft(before=entry, msgstr="译", origin=undated))
    assert machine_of(made) == undated


@pytest.mark.parametrize(
    "entry",
    [
        blank(LAMP),
        draft(LAMP, msgstr="有人改过的译文。"),
        draft(LAMP, fuzzy=False),
        draft(LAMP, obsolete=True),
        draft(LAMP, msgstr=""),
        draft(LAMP, notes=("paragraph", "draft: m, prompt x, 2026-05-01, 12345678")),
        draft(LAMP, notes=("draft: model",)),
    ],
)
def test_what_is_no_draft(entry: Entry) -> None:
    assert not is_draft(entry)


def test_a_remark_keeps_a_draft_from_being_replaced() -> None:
    assert is_replaceable(draft(LAMP))
    remarked = draft(LAMP, comments=("really?",))
    assert is_draft(remarked)
    assert not is_replaceable(remarked)


def test_the_words_of_a_person_are_called_no_draft() -> None:
    drafted_by = "drafted: model, with a comma, prompt 12, 2026-05-01"
    assert reviewed_notes(draft(LAMP)) == draft(LAMP).notes
    assert reviewed_notes(draft(LAMP, fuzzy=False)) == ("paragraph", drafted_by)
    assert reviewed_notes(draft(LAMP, msgstr="改过。")) == ("paragraph", drafted_by)
    assert reviewed_notes(blank(LAMP)) == ("paragraph",)


COPY = Copy(file="copy.md", commit="c" * 40, page="old", author="Li", licence="CC0-1.0")


def adopted(msgid: str, **changes: object) -> Entry:
    """A suggestion that was adopted, and what became of it since."""
    notes = ("paragraph", "fuzzy: adopted", COPY.note(0.9))
    made = replace(
        blank(msgid), msgstr="别人译的。", fuzzy=True, previous=msgid, notes=notes
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def test_whoever_made_the_words_is_told() -> None:
    assert makers_of(adopted(LAMP)) == (COPY,)
    assert makers_of(draft(LAMP)) == (ORIGIN,)
    confirmed = draft(LAMP, fuzzy=False, previous=None)
    assert makers_of(confirmed) == (replace(ORIGIN, is_reviewed=True),)
    assert copy_of(adopted(LAMP)) == COPY
    assert copy_of(draft(LAMP)) is None
    assert machine_of(adopted(LAMP)) is None
    assert not is_open(adopted(LAMP))
    assert is_open(draft(LAMP))
    assert is_open(blank(LAMP))


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        (draft(LAMP), OriginKind.DRAFT),
        (adopted(LAMP), OriginKind.ADOPTED),
        (draft(LAMP, msgstr="改过。"), None),
        (adopted(LAMP, fuzzy=False), None),
        (blank(LAMP), None),
    ],
)
def test_what_waits_is_called_by_who_made_it(
    entry: Entry, kind: OriginKind | None
) -> None:
    assert kind_of(entry) is kind


def test_copies_and_machines_are_named_in_the_same_way() -> None:
    """Whose words they are goes along with them, and is told of words that are there only."""
    for old in (adopted(LAMP), draft(LAMP, fuzzy=False, previous=None)):
        (note,) = lasting_notes(old)
        (kept,) = after([old], LAMP)
        assert note in kept.notes
        (similar, *_) = after([old], LAMPS)
        assert note in similar.notes
        assert lasting_notes(replace(old, msgstr="")) == ()


# Updates.


def test_only_whose_words_they_are_is_true_for_as_long_as_they_are_there() -> None:
    assert is_lasting(COPY.note(0.9))
    assert is_lasting(ORIGIN.settled_note())
    assert not is_lasting(ORIGIN.note("译"))
    assert not is_lasting("carried over: the same text in page")
    assert not is_lasting("fuzzy: rewording")


def test_a_draft_stays_as_it_is() -> None:
    catalog = Catalog(header=HEADER, entries=(draft(LAMP),))
    updated = update_catalogs(
        {"page": catalog}, {"page": [blank(LAMP)]}, header=lambda _, header: header
    )
    assert updated["page"].catalog is catalog


def test_a_confirmed_draft_says_where_it_came_from() -> None:
    (entry,) = after([draft(LAMP, fuzzy=False, previous=None)], LAMP)
    assert entry.is_translated
    assert states_of(entry) == ("drafted: model, with a comma, prompt 12, 2026-05-01",)
    assert after([entry], LAMP) == (entry,)


def test_a_draft_that_was_changed_waits_as_a_persons() -> None:
    (entry,) = after([draft(LAMP, msgstr="改了一半")], LAMP)
    assert entry.needs_review
    assert not is_draft(entry)
    assert [note.partition(":")[0] for note in states_of(entry)] == ["fuzzy", "drafted"]


def test_the_origin_goes_along_with_the_words() -> None:
    confirmed = draft(LAMP, fuzzy=False, previous=None)
    (similar, *_) = after([confirmed], LAMPS)
    assert similar.fuzzy
    assert any(note.startswith("drafted:") for note in similar.notes)
    moved = update({"page": [confirmed]}, {"page": [], "new": [LAMP]})["new"].catalog
    assert any(note.startswith("drafted:") for note in moved.entries[0].notes)


def test_a_draft_goes_with_its_message() -> None:
    assert after([draft(LAMP), draft(SWITCH)], SWITCH) == (draft(SWITCH),)
    # A remark is a person's, and so is what it is about.
    remarked = draft(LAMP, comments=("really?",))
    assert [entry.obsolete for entry in after([remarked], SWITCH)] == [False, True]


def test_a_draft_serves_no_other_message() -> None:
    (entry,) = after([draft(LAMP)], LAMPS)
    assert entry == blank(LAMPS)
    other = update({"page": [draft(LAMP)]}, {"page": [LAMP], "new": [LAMP]})
    assert other["new"].catalog.entries == (blank(LAMP),)


def test_a_draft_gives_way_to_a_translation_of_the_same_text() -> None:
    """As an empty entry does: whoever has translated a text once need not do so again."""
    by_person = replace(blank(LAMP), msgstr="有人译好的。")
    updated = update(
        {"page": [draft(LAMP)], "other": [by_person]}, {"page": [LAMP], "other": [LAMP]}
    )
    (entry,) = updated["page"].catalog.entries
    assert (entry.msgstr, entry.fuzzy) == ("有人译好的。", False)
    assert states_of(entry) == ("carried over: the same text in other",)


def test_a_draft_with_a_remark_does_not() -> None:
    by_person = replace(blank(LAMP), msgstr="有人译好的。")
    remarked = draft(LAMP, comments=("really?",))
    updated = update(
        {"page": [remarked], "other": [by_person]}, {"page": [LAMP], "other": [LAMP]}
    )
    assert updated["page"].catalog.entries == (remarked,)


def test_the_drafts_of_a_page_that_is_gone_go_too() -> None:
    old = {"old": [draft(LAMP)], "page": [blank(SWITCH)]}
    assert update(old, {"page": [SWITCH]}, gone="old")["old"].catalog.entries == ()
    old["old"] = [draft(LAMP), replace(blank(SWITCH), msgstr="有人译好的。")]
    kept = update(old, {"page": []}, gone="old")["old"].catalog.entries
    assert [entry.msgid for entry in kept] == [SWITCH]


def test_a_renamed_page_keeps_its_drafts() -> None:
    translated = replace(blank(SWITCH), msgstr="有人译好的。")
    updated = update(
        {"old": [translated, draft(LAMP)]}, {"new": [SWITCH, LAMP]}, gone="old"
    )
    assert is_draft(updated["new"].catalog.entries[1])


def test_drafts_are_counted_apart() -> None:
    catalog = Catalog(
        entries=(
            draft(LAMP),
            draft(SWITCH, msgstr="改过。"),
            replace(blank(LAMPS), msgstr="译。"),
            draft("Gone.", obsolete=True),
        )
    )
    row = count_catalog(PageResult(page="page"), catalog)
    assert (row.translated, row.fuzzy, row.drafts, row.untranslated) == (1, 2, 1, 0)
    assert row.classes == {"other": 1, DRAFT: 1}
    assert row.fuzzy_words - row.draft_words == 10
