"""Pages of which the first sections are translated: the rest is no message, and stays."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pipeline.core.document.guard import merged_messages
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import Document, first_sections, read_document
from pipeline.core.document.splice import placed
from pipeline.reading import Reading

NEWS = """# News

Words above.

## Two

New in two,
on two lines.

## One

Old words.

| a cell | b |
|--------|---|
"""
REST = """News
====

Words above.

Two
---

New in two.

One
---

Old words.
"""


def read(path: str, text: str, sections: int) -> Document:
    reading = Reading(partly=(("changes/*", 9), ("news", sections)))
    return read_document(path, text.encode(), reading)


@pytest.mark.parametrize(("path", "text"), [("news.md", NEWS), ("news.rst", REST)])
def test_only_messages_of_the_first_sections_are_there(path: str, text: str) -> None:
    document = read(path, text, 1)
    said = [message.msgid for _, message in document.messages()]
    assert said[:3] == ["News", "Words above.", "Two"]
    assert said[3].startswith("New in two")
    assert len(said) == 4
    split = document.units[0].split
    assert [message.msgid for message in split.rest][:2] == ["One", "Old words."]
    line = text.split("\n").index("One" if path.endswith("rst") else "## One") + 1
    why = "only the first 1 sections of the page are translated"
    assert split.unsafe == ((line, why),)


@pytest.mark.parametrize(("path", "text"), [("news.md", NEWS), ("news.rst", REST)])
def test_the_rest_is_upstreams_and_lands_where_it_has_moved(
    path: str, text: str
) -> None:
    document = read(path, text, 1)
    chinese: Mapping[str, str] = {"Old words.": "旧", "News": "新闻"} | {
        message.msgid: "二"
        for _, message in document.messages()
        if "New in" in message.msgid
    }
    merged = merge(document, chinese)
    shown = merged.data.decode()
    assert "二" in shown
    assert "旧" not in shown
    assert shown.endswith(text[text.index("Old words.") :])
    rest = [block for block in merged.blocks if block.is_rest]
    lines = shown.split("\n")
    assert [lines[block.line - 1].strip("# ") for block in rest[:2]] == [
        "One",
        "Old words.",
    ]
    assert not any(block.is_translated for block in rest)


def test_an_untouched_page_has_its_rest_in_place() -> None:
    merged = merge(read("news.md", NEWS, 1), {})
    assert merged.data.decode() == NEWS
    assert [block.line for block in merged.blocks if block.is_rest][:1] == [10]


@pytest.mark.parametrize("sections", [0, 2, 7])
def test_a_page_with_as_many_sections_is_whole(sections: int) -> None:
    document = read("news.md", NEWS, sections)
    assert document.units[0].split == split_text(NEWS, page=True)


def test_a_page_without_several_sections_is_whole() -> None:
    split = split_text("# News\n\n## One\n\nWords.\n", page=True)
    assert first_sections(split, 1) == split


def test_sections_of_the_first_level_count_where_they_are_several() -> None:
    split = split_text("# Two\n\n## Inner\n\n# One\n\nWords.\n", page=True)
    said = [message.msgid for message in first_sections(split, 1).messages]
    assert said == ["Two", "Inner"]


def test_a_merge_that_changes_the_rest_is_none() -> None:
    split = first_sections(split_text(NEWS, page=True), 1)
    whole = placed(split, {})
    assert merged_messages(split, split_text(NEWS, page=True), whole, frozenset())
    other = split_text(NEWS.replace("Old", "Odd"), page=True)
    assert merged_messages(split, other, whole, frozenset()) is None
