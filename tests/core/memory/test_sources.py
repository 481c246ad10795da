"""core/memory/sources: the English that a note quotes, found again or left out."""

from __future__ import annotations

import pytest

from pipeline.core.catalog.change import diff
from pipeline.core.memory.notes import DIFF
from pipeline.core.memory.sources import (
    followed_text,
    parts_of,
    states_without_english,
)
from pipeline.entries import Entry

OLD, NEW = "Ask for tea at the bar.", "Ask for hot tea at the bar."
OTHER = "Ask for cold tea at the bar."
QUOTING = Entry(
    msgid=NEW, msgstr="茶", notes=(f"carried over: words: {diff(OLD, NEW)}",)
)


@pytest.mark.parametrize(
    ("text", "texts", "parts"),
    [
        ("One. Two.", ["Two.", "One."], ("One.", "Two.")),
        ("One. Two. Three.", ["One.", "One. Two.", "Three."], ("One. Two.", "Three.")),
        ("One. Two.", ["One."], ()),
    ],
    ids=["in its own order", "the first guess leads nowhere", "a part is not known"],
)
def test_parts_of_a_text(text: str, texts: list[str], parts: tuple[str, ...]) -> None:
    assert parts_of(text, texts) == parts


def test_the_text_that_a_translation_followed_is_the_one_whose_diff_is_quoted() -> None:
    assert followed_text(QUOTING, [OTHER, NEW, OLD]) == OLD
    assert followed_text(QUOTING, [OTHER, NEW, "Nothing like it."]) is None


def test_a_note_without_a_diff_names_no_text() -> None:
    entry = Entry(msgid=NEW, notes=("carried over: the same text in bar",))
    assert followed_text(entry, [OLD, NEW]) is None


@pytest.mark.parametrize(
    ("old", "note"),
    [
        (OLD, f"carried over: words: {DIFF}"),
        (OTHER, "carried over: words"),
        (None, "carried over: words"),
    ],
    ids=["the quoted text", "another text", "no text"],
)
def test_no_note_quotes_english(old: str | None, note: str) -> None:
    assert states_without_english(QUOTING, old) == (note,)
