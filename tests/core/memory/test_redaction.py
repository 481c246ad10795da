"""core/memory/record: long atoms of a translation, left out and put back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.memory.record import SAME, SAME_AS_PREVIOUS, redact, restore, stored
from pipeline.entries import Entry

LINK = "](https://bench.example.org/the/plan/of/all/drawers.html)"
ENGLISH = f"See [the plan{LINK} and `open(every_drawer, of_the, big, bench)`, or `bench.top`: https://bench.example.org/a/b/see/here."


def test_long_atoms_are_left_out_and_short_ones_stay() -> None:
    msgstr = f"参见[图纸{LINK}和 `open(every_drawer, of_the, big, bench)`，或者 `bench.top`：https://bench.example.org/a/b/see/here。"
    stored = redact(msgstr, ENGLISH)
    assert stored == "参见[图纸⟦1⟧和 ⟦2⟧，或者 `bench.top`：⟦5⟧。"
    assert restore(stored, ENGLISH) == msgstr


def test_nothing_translated_has_nothing_to_leave_out() -> None:
    assert redact("", ENGLISH) == ""


def test_an_address_is_left_out_in_whatever_mark_up_it_stands() -> None:
    msgstr = "参见 <https://bench.example.org/the/plan/of/all/drawers.html>。"
    assert redact(msgstr, ENGLISH) == "参见 <⟦4⟧>。"
    assert restore("参见 <⟦4⟧>。", ENGLISH) == msgstr


@pytest.mark.parametrize(
    ("stored", "english"), [("⟦1⟧", None), ("⟦1⟧", "Short."), ("⟦9⟧", ENGLISH)]
)
def test_what_takes_english_that_is_not_known_is_not_restored(
    stored: str, english: str | None
) -> None:
    assert restore(stored, english) is None


def test_brackets_of_a_translators_own_are_told_apart() -> None:
    assert redact("⟦1⟧", "Plain.") == "⟦0⟧1⟧"
    assert restore("⟦0⟧1⟧", None) == "⟦1⟧"


PIECES = st.sampled_from(
    [
        LINK,
        "⟦",
        "⟧",
        "⟦1⟧",
        "⟦0⟧",
        "`open(every_drawer, of_the, big, bench)`",
        "字",
        "1",
        "https://bench.example.org/a/b/see/here",
        " ",
    ]
)


@given(
    st.one_of(st.text(), st.lists(PIECES).map("".join)),
    st.one_of(st.text(), st.just(ENGLISH), st.lists(PIECES).map("".join)),
)
def test_any_translation_comes_back(msgstr: str, english: str) -> None:
    assert restore(redact(msgstr, english), english) == msgstr


@pytest.mark.parametrize("number", ["9" * 5_000, "01", "٣", "2"])
def test_a_number_that_no_atom_has_is_english_that_is_not_known(number: str) -> None:
    english = "Ask for `one cup of tea` here."
    assert restore("来 ⟦1⟧。", english) == "来 `one cup of tea`。"
    assert restore(f"来 ⟦{number}⟧。", english) is None
    assert restore(f"来 ⟦{number}⟧。", None) is None


@pytest.mark.parametrize(
    ("msgstr", "text", "notes"),
    [
        ("", "", ()),
        ("Tea.", SAME, (SAME,)),
        ("Old tea.", SAME_AS_PREVIOUS, (SAME_AS_PREVIOUS,)),
        ("茶。", "茶。", ()),
    ],
)
def test_a_translation_that_is_english_is_kept_as_a_note(
    msgstr: str, text: str, notes: tuple[str, ...]
) -> None:
    entry = Entry(msgid="Tea.", msgstr=msgstr, fuzzy=True, previous="Old tea.")
    kept = stored(entry)
    assert (kept.text, kept.notes) == (text, notes)
