"""Pieces of a page and their index entries."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.site.search.pieces import (
    LONGEST_WORD,
    MANY,
    PIECE,
    Block,
    cut,
    entries_of,
    last_entries_of,
    pair_of,
    searched_page,
)

TITLE = Block(text="泡茶", english="Making tea", anchor="making-tea")
WATER = Block(text="水", english="Water", anchor="water")


def test_a_heading_begins_a_piece() -> None:
    blocks = (
        TITLE,
        Block(text="先烧水。"),
        WATER,
        Block(text="要热。", english="Hot."),
    )
    assert [(piece.anchor, piece.heading, piece.text, piece.english) for piece in cut(blocks)] == [
        ("making-tea", "泡茶", "先烧水。", ""),
        ("water", "水", "要热。", "Hot."),
    ]


def test_a_long_section_is_several_pieces_of_one_address() -> None:
    blocks = [WATER, *(Block(text="热" * 400) for _ in range(10))]
    pieces = cut(blocks)
    assert len(pieces) > 1
    assert {piece.anchor for piece in pieces} == {"water"}
    assert "".join(piece.text for piece in pieces).count("热") == 4_000


def test_a_long_block_is_cut_at_line_ends_only() -> None:
    lines = [f"line {number} " + "x" * 50 for number in range(200)]
    pieces = cut([TITLE, Block(text="\n".join(lines))])
    assert len(pieces) > 1
    assert max(len(piece.text) for piece in pieces) < 2 * PIECE
    assert "\n".join(piece.text for piece in pieces).split("\n")[-200:] == lines
    endless = "y" * 3 * PIECE
    assert endless in {piece.text for piece in cut([TITLE, Block(text=endless)])}


def test_spaces_are_those_that_a_browser_shows() -> None:
    (piece,) = cut([TITLE, Block(text="  a\t b\n\n  c  ")])
    assert piece.text == "a b\nc"


def test_a_page_without_words_has_no_piece() -> None:
    assert cut([]) == []
    assert cut([Block(text=" \n ")]) == []
    page = searched_page([], is_translated=False)
    assert (page.title, page.english, page.pieces, page.entries) == ("", "", [], {})


def test_an_entry_says_how_it_stands_in_each_piece() -> None:
    blocks = (
        TITLE,
        Block(text="水" * (MANY + 1)),
        Block(text="壶 kettle.boil", names=("kettle.boil",)),
        WATER,
        Block(text="泡茶", is_aside=True),
        Block(text="tea", english="tea and tea"),
    )
    page = searched_page(blocks, is_translated=True)
    assert (page.title, page.english) == ("泡茶", "Making tea")
    # In the heading, and in the title of a page that is listed.
    assert page.entries["泡茶"] == "0h,1a"
    # Many times, and in a heading.
    assert page.entries["水水"] == "0m"
    assert page.entries["水"] == "0,1h"
    # As a name that is explained, and as a part of one.
    assert page.entries[".kettle.boil"] == page.entries["boil"] == "0d"
    assert page.entries["kettle"] == "0n"
    # In the English of a heading, and in text.
    assert page.entries["tea"] == "0h,1"
    assert page.entries["making"] == "0h"


def test_a_title_that_is_also_said_in_the_text_counts_as_text() -> None:
    blocks = (WATER, Block(text="泡茶", is_aside=True), Block(text="泡茶"))
    assert searched_page(blocks, is_translated=True).entries["泡茶"] == "0"


def test_a_name_may_be_explained_and_head_its_section() -> None:
    named = Block(text="kettle.boil", names=("kettle.boil",))
    heading = Block(text="kettle.boil", anchor="boil")
    entries = searched_page([heading, named], is_translated=True).entries
    assert entries["boil"] == entries[".kettle.boil"] == "0b"
    assert entries["kettle"] == "0h"


def test_an_argument_belongs_to_the_first_name_that_has_it() -> None:
    blocks = [
        TITLE,
        Block(text="hot_plates", owner="Boil", arguments=("hot_plates", "Cold_Plates")),
        Block(owner="cool", arguments=("hot_plates",)),
    ]
    page = searched_page(blocks, is_translated=True)
    assert page.owners == {"hot_plates": "boil", "cold_plates": "boil"}
    assert page.entries["hot_plates"] == "0"
    assert "cold_plates" not in page.entries


def test_object_begins_a_piece_and_its_summary_counts_more() -> None:
    blocks = (
        TITLE,
        Block(text="水"),
        Block(text="tea.Pot", anchor="tea.Pot", names=("tea.Pot",)),
        Block(text="class tea.Pot(volume)"),
        Block(text="一把茶壶。", english="A pot.", is_summary=True),
        Block(text="茶壶装水。"),
    )
    page = searched_page(blocks, is_translated=True)
    assert [piece[:2] for piece in page.pieces] == [
        ("making-tea", "泡茶"),
        ("tea.Pot", "tea.Pot"),
    ]
    assert page.entries["pot"] == page.entries[".tea.pot"] == "1o"
    assert page.entries["茶壶"] == page.entries["a"] == "1s"
    assert page.entries["volume"] == "1"
    assert not page.is_object


def test_object_continues_the_heading_with_its_name() -> None:
    blocks = (
        Block(text="tea.pour", anchor="tea-pour"),
        Block(text="tea.pour", anchor="tea.pour", names=("tea.pour",)),
        Block(text="tea.pour(cup)"),
    )
    page = searched_page(blocks, is_translated=True)
    assert page.is_object
    assert page.pieces == [("tea-pour", "tea.pour", "tea.pour(cup)", "")]
    assert page.entries["pour"] == "0o"


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("前向模式", {"前向": 1, "向模": 1, "模式": 1, "式": 1}),
        ("键", {"键": 1}),
        ("编译，编译", {"编译": 2, "译": 2}),
        ("Kettle kettle", {"kettle": 2}),
        ("用 tea.pour 泡", {"用": 1, "tea": 1, "pour": 1, ".tea.pour": 1, "泡": 1}),
        ("a.b.c", {"a": 1, "b": 1, "c": 1, ".a.b": 1, ".b.c": 1}),
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
def test_every_part_of_a_row_has_its_entries(text: str, data: st.DataObject) -> None:
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
