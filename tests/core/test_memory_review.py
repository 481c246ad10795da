"""core/review: how the translations of two commits differ."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from pipeline.core.memory.record import digest
from pipeline.core.review import (
    AutomaticChange,
    Change,
    ChangeKind,
    compare,
    has_carried,
    state_of,
    translation_of,
    translator_of,
)
from pipeline.entries import Entry

LAMP, SAW, GLUE = (digest(word) for word in ("lamp", "saw", "glue"))
CARRIED = "carried over: the same text in cellar"


def entry(code: str, msgstr: str = "", **fields: object) -> Entry:
    return Entry(msgid=code, msgstr=msgstr, line=7, **fields)  # type: ignore[arg-type]


BLANK, DONE = entry(LAMP), entry(LAMP, "灯")
WAITS = entry(LAMP, "灯", fuzzy=True, previous=SAW)
GONE = entry(LAMP, "灯", obsolete=True)
OLD_NAME = entry(SAW, "灯")
COPIED = ("same: as the English",)


def happened(old: Sequence[Entry], new: Sequence[Entry]) -> list[str]:
    """What has happened to the entries of a page; in brackets what happened by itself."""
    compared = compare({"page.po": old}, {"page.po": new})
    quiet = [f"({kind})" for kind, count in compared.quiet.items() if count]
    return [change.happened for change in compared.changes] + quiet


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ([BLANK], [BLANK], []),
        ([DONE], [DONE], []),
        ([BLANK], [DONE], [ChangeKind.TRANSLATED]),
        ([], [DONE], [ChangeKind.TRANSLATED]),
        ([DONE], [entry(LAMP, "台灯")], [ChangeKind.CHANGED]),
        ([WAITS], [DONE], [ChangeKind.CONFIRMED]),
        ([WAITS], [WAITS], []),
        ([DONE], [entry(LAMP, "灯", fuzzy=True)], [ChangeKind.FUZZY]),
        # An upgrade: the English has changed.
        (
            [OLD_NAME],
            [WAITS, replace(OLD_NAME, obsolete=True)],
            [ChangeKind.FUZZY, "(gone from the page)"],
        ),
        ([DONE], [BLANK], [ChangeKind.WITHDRAWN]),
        ([DONE], [], [ChangeKind.WITHDRAWN]),
        ([BLANK], [], []),
        ([DONE], [replace(DONE, comments=("问题",))], [ChangeKind.REMARKS]),
        ([BLANK], [replace(BLANK, comments=("问题",))], []),
        ([DONE], [GONE], ["(gone from the page)"]),
        ([GONE], [DONE], ["(moved)"]),
        # A spare copy of what is obsolete went with the page.
        (
            [DONE, entry(SAW)],
            [replace(OLD_NAME, obsolete=True)],
            ["(gone from the page)"],
        ),
        (
            [entry(LAMP, notes=COPIED)],
            [entry(SAW, notes=COPIED)],
            [ChangeKind.TRANSLATED, ChangeKind.WITHDRAWN],
        ),
        # Of two entries of a message the live one counts.
        ([entry(LAMP, "旧", obsolete=True), DONE], [DONE], []),
    ],
)
def test_each_change_is_told_once(
    old: Sequence[Entry], new: Sequence[Entry], kinds: list[str]
) -> None:
    assert happened(old, new) == kinds


@pytest.mark.parametrize(("commit", "kinds"), [("ab" * 20, ["translated"]), ("0" * 40, [])])
def test_work_for_another_release_is_shown(commit: str, kinds: list[str]) -> None:
    waiting = replace(GONE, notes=(f"seen: {commit} cellar",))
    compared = compare({"page.po": []}, {"page.po": [waiting]}, shown=["ab" * 20])
    assert [change.happened for change in compared.changes] == kinds
    assert state_of(waiting) == "finished"


def test_what_moved_to_another_page_is_counted_and_not_shown() -> None:
    compared = compare({"a.po": [DONE, WAITS]}, {"b.po": [DONE]})
    assert compared.changes == ()
    assert compared.quiet == {AutomaticChange.MOVED: 1, AutomaticChange.GONE: 1}


@pytest.mark.parametrize(
    ("msgstr", "is_shown"),
    [
        ("看 https://new.example/guide，谢谢", False),
        ("看https://new.example/guide，谢谢", False),
        ("看 https://new.example/guide，多谢", True),
    ],
)
def test_what_was_carried_over_is_shown_if_edited(msgstr: str, is_shown: bool) -> None:
    old = entry(SAW, "看 https://old.example/guide，谢谢")
    before = {"page.po": [entry(GLUE)]}
    after = {"page.po": [entry(LAMP, msgstr, notes=(CARRIED,))]}
    assert has_carried(before, after)
    compared = compare(before, after, elsewhere=[old])
    assert bool(compared.changes) is is_shown
    assert compared.quiet.get(AutomaticChange.CARRIED, 0) == (not is_shown)


def test_a_note_of_long_ago_asks_for_no_other_files() -> None:
    old = entry(LAMP, "灯", notes=(CARRIED,))
    assert not has_carried({"page.po": [old]}, {"page.po": [old, entry(SAW, "锯")]})


def test_the_old_translation_is_that_of_the_old_english() -> None:
    (change, *_) = compare({"a.po": [OLD_NAME]}, {"a.po": [WAITS]}).changes
    assert (change.old, change.line, change.entry) == (OLD_NAME, 7, WAITS)


def test_an_entry_that_is_gone_is_on_the_first_line() -> None:
    change = Change(path="a.po", happened=ChangeKind.WITHDRAWN, new=None, old=DONE)
    assert (change.line, change.entry) == (1, DONE)


# Texts


TARGET = "](https://x.example/to/many/good/old/lamps)"
LONG = f"see [the long guide{TARGET}"


@pytest.mark.parametrize(
    ("remembered", "texts", "shown"),
    [
        (DONE, {}, "灯"),
        (entry(digest(LONG), "见[指南⟦1⟧"), {}, "见[指南⟦1⟧"),
        (entry(digest(LONG), "见[指南⟦1⟧"), {digest(LONG): LONG}, f"见[指南{TARGET}"),
        (entry(LAMP, notes=COPIED), {LAMP: "lamp"}, "lamp"),
        (entry(LAMP, notes=COPIED), {}, "same: as the English"),
        (
            replace(WAITS, msgstr="", notes=("same: as the previous English",)),
            {SAW: "saw"},
            "saw",
        ),
    ],
)
def test_translations_are_shown_with_their_long_atoms(
    remembered: Entry, texts: dict[str, str], shown: str
) -> None:
    assert translation_of(remembered, texts) == shown


def test_who_has_touched_an_entry() -> None:
    who = "translator: Li Lei <li@example.org>, 2026-05-01 09:30+0800, Poedit 3"
    assert translator_of(DONE) == ""
    assert translator_of(replace(DONE, notes=(who,))) == "Li Lei, 2026-05-01"
    assert translator_of(replace(DONE, notes=("translator: somebody",))) == "somebody"


def test_states() -> None:
    states = [state_of(entry) for entry in (None, BLANK, DONE, WAITS)]
    assert states == ["untranslated", "untranslated", "finished", "fuzzy"]
