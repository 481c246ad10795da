"""The files of the index, as the script in the browser gets them."""

from __future__ import annotations

import json
from typing import Any

from pipeline.site.search.index import (
    ENTRIES,
    SUGGESTED_FROM,
    TEXT,
    files_of,
    places_by_entry,
)
from pipeline.site.search.pieces import Block, SearchedPage, searched_page

START, END = "jzSearch(", ")\n"


def page(name: str, *texts: str) -> SearchedPage:
    title = Block(text=name, english=f"{name} in English", anchor="top")
    return searched_page((title, *(Block(text=text) for text in texts)), is_translated=True)


def data(script: str) -> tuple[str, Any]:
    assert script.startswith(START)
    assert script.endswith(END)
    name, value = json.loads(f"[{script[len(START) : -len(END)]}]")
    return name, value


def index_of(pages: dict[str, SearchedPage], package: str = "jax", **names: str) -> dict[str, Any]:
    """Return what the file of contents holds."""
    files = files_of(pages, [], {}, package=package, usual_names=names)
    contents: dict[str, Any] = data(files["index"])[1]
    return contents


def test_every_file_hands_its_data_to_the_script_under_its_name() -> None:
    files = files_of({"a/b": page("茶", "水 </script>\u2028")}, [], {}, package="jax")
    assert files.keys() == {"index", "hints", "entries/0", "pages/a/b.0"}
    assert all(data(script)[0] == name for name, script in files.items())
    assert data(files["pages/a/b.0"])[1] == [["top", "茶", "水 </script>", ""]]


def test_the_contents_say_which_pages_there_are_and_where_entries_begin() -> None:
    pages = {"tea": page("茶", "水"), "pot": page("壶", *["热" * 1_000] * 30)}
    files = files_of(pages, [(["kettle"], ["水壶"])], {}, package="jax")
    contents = data(files["index"])[1]
    size = len(pages["pot"].pieces)
    first, second = contents["pages"]
    assert first == ["tea", "茶", "茶 in English", 1, 1, [0]]
    assert second[:5] == ["pot", "壶", "壶 in English", 1, size]
    starts = second[5]
    assert len(starts) > 1
    # Each file of text begins where the contents say.
    for number, start in enumerate(starts):
        texts = data(files[f"pages/pot.{number}"])[1]
        assert texts == [list(piece) for piece in pages["pot"].pieces[start:][: len(texts)]]
    assert contents["synonyms"] == [[["kettle"], ["水壶"]]]


def object_page(name: str, *texts: str, is_translated: bool = True) -> SearchedPage:
    title = Block(text=name, anchor=name)
    signature = Block(text=name, anchor=name, names=(name,))
    lines = (Block(text=text) for text in texts)
    return searched_page((title, signature, *lines), is_translated=is_translated)


def test_objects_are_listed_in_short_and_those_first_that_guides_mention() -> None:
    pages = {
        "api/tea.pot.boil": object_page("tea.pot.boil", "水"),
        "api/tea.pot.cool": object_page("tea.pot.cool", *["水" * 1_000] * 9),
        "api/tea.cup.Cup": object_page("tea.cup.Cup", is_translated=False),
        "api/tea.cup.wash": object_page("tea.cup.wash"),
        "guide": page("茶", "先用 c.wash，再用 Cup"),
        "other": page("壶", "c.wash 洗杯子"),
    }
    files = files_of(pages, [], {}, package="tea", usual_names={"c": "tea.cup"})
    contents = data(files["index"])[1]
    assert [row[0] for row in contents["pages"]] == ["guide", "other"]
    size = len(pages["api/tea.pot.cool"].pieces)
    *others, last = contents["objects"].split(" ")
    assert others == ["api/tea.cup.wash", "Cup!", "api/tea.pot.boil"]
    fourth, *starts = last.split(":")
    assert (fourth, int(starts[0])) == ("cool", size)
    # The places of the second file of text and of those after it.
    texts = [f"pages/api/tea.pot.cool.{at}" for at in range(len(starts) + 1)]
    assert [text in files for text in texts] == [*[True] * len(starts), False]


def test_pages_whose_names_say_another_object_are_listed_as_guides() -> None:
    pages = {"api/pour": object_page("tea.pour"), "tea pot": object_page("tea pot")}
    contents = index_of(pages, "tea")
    assert [row[0] for row in contents["pages"]] == ["api/pour", "tea pot"]
    assert contents["objects"] == ""


def test_entries_lie_in_the_order_of_javascript_in_files_of_some_size() -> None:
    words = " ".join(f"word{number}" for number in range(5_000))
    # Beyond the 16 bits of a unit, and before them in the order of JavaScript.
    files = files_of({"a": page("a", words, "𠀀𠀀 \ufa0e\ufa0e")}, [], {}, package="jax")
    firsts = data(files["index"])[1]["firsts"]
    shelves = [data(files[f"entries/{number}"])[1] for number in range(len(firsts))]
    assert len(shelves) > 3
    assert max(len(files[f"entries/{number}"]) for number in range(len(firsts))) < (ENTRIES + 200)
    entries = [entry for shelf in shelves for entry in shelf]
    assert entries == sorted(entries, key=lambda entry: entry.encode("utf-16-be"))
    assert [next(iter(shelf)) for shelf in shelves] == firsts
    assert entries.index("𠀀𠀀") < entries.index("\ufa0e\ufa0e")


def test_places_are_told_by_page_and_piece() -> None:
    pages = {"a": page("茶"), "b": page("水"), "c": page("茶", "茶")}
    assert places_by_entry(pages)["茶"] == "0:0h;2:0h"


def test_the_version_changes_with_what_the_files_hold() -> None:
    water, again, fire = (
        index_of({"a": page("a", text)})["version"] for text in ("水", "水", "火")
    )
    assert water == again != fire


def test_a_page_in_many_pieces_is_in_files_of_some_size() -> None:
    long = page("a", *["水" * 700] * 50)
    files = files_of({"a": long}, [], {}, package="jax")
    sizes = [len(file.encode()) for name, file in files.items() if "pages/" in name]
    assert len(sizes) > 3
    assert max(sizes) < 2 * TEXT


def test_no_pages_are_an_index_of_nothing() -> None:
    contents = index_of({})
    assert (contents["pages"], contents["firsts"]) == ([], [])


def test_hints_are_names_usual_words_and_how_terms_are_read() -> None:
    usual = {f"page{number}": page("茶", "kettle the 水") for number in range(SUGGESTED_FROM)}
    named = Block(text="tea.pour", names=("tea.pour",))
    pages = {
        **usual,
        "names": searched_page([named, Block(text="rare")], is_translated=True),
    }
    name, hints = data(files_of(pages, [], {"水壶": "shui hu"}, package="jax")["hints"])
    assert name == "hints"
    # Those of most pages first. Two letters are no name that a slip would be told by.
    assert hints["names"].split() == ["english", "kettle", "the", "pour", "tea"]
    assert hints["terms"] == [["水壶", "shui hu"]]


def test_an_argument_leads_to_a_name_if_several_pages_speak_of_it() -> None:
    names = ("hot_plates", "cold_plates")
    arguments = Block(text=" ".join(names), owner="boil", arguments=names)
    pages = {
        "names": searched_page([arguments], is_translated=True),
        "guide": page("茶", "hot_plates"),
    }
    assert index_of(pages)["owners"] == {"hot_plates": "boil"}
