"""Entries of the index: what a query can be found by."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.site.search.pieces import (
    LONGEST_WORD,
    entries_of,
    last_entries_of,
    pair_of,
)


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("前向模式", {"前向": 1, "向模": 1, "模式": 1, "式": 1}),
        ("键", {"键": 1}),
        ("编译，编译", {"编译": 2, "译": 2}),
        ("Kettle kettle", {"kettle": 2}),
        ("用 tea.pour 泡", {"用": 1, "tea": 1, "pour": 1, ".tea.pour": 1, "泡": 1}),
        (
            "a.b.c",
            {"a": 1, "b": 1, "c": 1, ".a.b": 1, ".b.c": 1},
        ),
        ("custom_pot", {"custom_pot": 1, "custom": 1, "pot": 1}),
        ("__init__", {"__init__": 1, "init": 1}),
        ("第2杯tea", {"第": 1, "2": 1, "杯": 1, "tea": 1}),
        ("3.14", {"3": 1, "14": 1}),
        ("0.1234567890123", {"0": 1}),
        ("Ｔｅａ \uf900", {"tea": 1, "豈": 1}),
        ("naïve Größe", {"naïve": 1, "größe": 1}),
        ("カナ", {"カナ": 1, "ナ": 1}),
        ("𠀀𠀁", {"𠀀𠀁": 1, "𠀁": 1}),
        (" ，. _", {"_": 1}),
        ("", {}),
    ],
)
def test_a_text_has_these_entries(text: str, entries: dict[str, int]) -> None:
    assert entries_of(text) == entries


def test_a_word_without_end_is_one_entry_that_a_query_can_ask_for() -> None:
    long = "x" * 200
    assert entries_of(long) == {long[:LONGEST_WORD]: 1}
    assert entries_of(f"{long}.y")[pair_of(long, "y")] == 1


@given(st.text(alphabet="茶水壶火候，。 ab_.1", max_size=40), st.data())
def test_every_part_of_a_row_of_letters_has_its_entries(
    text: str, data: st.DataObject
) -> None:
    rows = re.findall("[茶水壶火候]{2,}", text)
    if not rows:
        return
    row = data.draw(st.sampled_from(rows))
    start = data.draw(st.integers(0, len(row) - 2))
    end = data.draw(st.integers(start + 2, min(start + 4, len(row))))
    assert entries_of(text).keys() >= entries_of(row[start:end]).keys() - {row[end - 1]}


@given(st.lists(st.from_regex(r"[a-c_]{1,3}", fullmatch=True), min_size=2, max_size=5))
def test_every_part_of_a_dotted_name_has_its_entries(words: list[str]) -> None:
    entries = entries_of(f"水{'.'.join(words)}。")
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            assert entries.keys() >= entries_of(".".join(words[start:end])).keys()


@pytest.mark.parametrize(
    ("name", "entries"),
    [
        ("jar.tea.Pour", ["pour", ".tea.pour"]),
        ("pour", ["pour"]),
        ("pour_hot", ["pour_hot"]),
        ("", []),
    ],
)
def test_a_whole_name_is_told_by_its_end(name: str, entries: list[str]) -> None:
    assert list(last_entries_of(name)) == entries
    assert entries_of(name).keys() >= set(entries)
