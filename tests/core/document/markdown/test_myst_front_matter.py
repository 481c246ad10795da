"""The words in front matter are messages, and YAML reads all else of it as before."""

from __future__ import annotations

import pytest
import yaml
from corpus import msgids, page
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.document.markdown.myst_converter import to_myst
from pipeline.core.document.merge import merge
from pipeline.core.document.message import Kind
from pipeline.core.document.reader import Document, read_document
from pipeline.core.workbench.marks import marked_text
from pipeline.reading import Dialect, Reading

COMMONMARK = Reading(dialect=Dialect.COMMONMARK)


def front_page(front: str, body: str = "Words.\n", reading: Reading = COMMONMARK) -> Document:
    return page(f"---\n{front}---\n\n{body}", reading)


def front_of(data: bytes) -> dict[str, object]:
    loaded: dict[str, object] = yaml.safe_load(data.decode().split("---\n")[1])
    return loaded


# What stands behind "title: ", and what it says.
WRITTEN = {
    "plain": ("Old bridges", "Old bridges"),
    "plain, with a comment": ("Old bridges # of stone", "Old bridges"),
    "plain, on two lines": ("Old\n  bridges", "Old bridges"),
    "double quotes": (r'"Old \"bridges\": one"', 'Old "bridges": one'),
    "double quotes, on two lines": ('"Old\n  bridges"', "Old bridges"),
    "single quotes": ("'It''s an old bridge'", "It's an old bridge"),
    "folded": (">-\n  Old\n  bridges\n", "Old bridges"),
    "folded, and a line below": (">\n  Old bridges\n\n", "Old bridges"),
    "a block of one line": ("|\n  Old bridges", "Old bridges"),
}


@pytest.mark.parametrize(("written", "text"), WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize(
    "translation",
    "桥¦桥：# 甲¦桥: 甲 # 乙¦'桥' 和 \"梁\" \\ 词¦- 桥¦[桥]¦词 [a: b]¦yes 桥¦@桥¦桥:".split("¦"),
)
def test_any_translation_is_valid_yaml(written: str, text: str, translation: str) -> None:
    document = front_page(f"layout: page\ntitle: {written}\n# one\ndate: 2020-01-02\n")
    titles = [message for _, message in document.messages()][:1]
    assert [(title.msgid, title.kind) for title in titles] == [(text, Kind.PAGE_TITLE)]
    assert merge(document, {}).data == document.raw.encode()
    merged = merge(document, {text: translation})
    assert merged.rejected == ()
    english = front_of(document.raw.encode())
    assert front_of(merged.data) == {**english, "title": translation}
    before, _, behind = document.raw.partition(f"title: {written}".rstrip())
    assert merged.data.decode().startswith(f"{before}title: ")
    assert merged.data.decode().endswith(behind)
    # What was merged is read in the same way.
    again = read_document("a.md", merged.data, COMMONMARK)
    assert next(again.messages())[1].msgid == translation


@given(st.text(max_size=40), st.sampled_from(["Bridges", "'Bridges'", '"Bridges"']))
def test_whatever_is_written_nothing_else_changes(translation: str, written: str) -> None:
    document = front_page(f"title: {written}\nlayout: page\n")
    merged = merge(document, {"Bridges": translation})
    loaded = front_of(merged.data)
    assert set(loaded) == {"title", "layout"}
    assert loaded["layout"] == "page"
    assert loaded["title"] in ("Bridges", translation.strip())


def test_the_keys_that_are_read_are_those_of_the_dialect() -> None:
    keys = ("title", "subtitle", "short_title", "description", "layout")
    front = "".join(f"{key}: The {key}\n" for key in keys)
    for dialect in Dialect:
        read = keys[:-1] if dialect is Dialect.MYST else ("title", "description")
        found = msgids(front_page(front, "", Reading(dialect=dialect)))
        assert found == [f"The {key}" for key in read]


@pytest.mark.parametrize(
    ("front", "line", "told"),
    [
        ("title: |\n  Old\n  bridges\n", 2, "its line breaks would be lost"),
        ("title: &a Bridges\n", 2, "its syntax is not supported"),
        ("title: !!str Bridges\n", 2, "its syntax is not supported"),
        ("{title: Bridges}\n", 2, "its syntax is not supported"),
        ("a: b\ntitle: > # why\n  Bridges\n", 3, "it contains a comment"),
        ("title: a: b\n", 2, "its front matter is not valid YAML"),
    ],
)
def test_what_cannot_be_written_again_is_told(front: str, line: int, told: str) -> None:
    document = front_page(front)
    assert document.units[0].split.left_in_english == ((line, told),)
    assert msgids(document) == ["Words."]
    merged = merge(document, {"Words.": "词。"}).data.decode()
    assert merged == document.raw.replace("Words.", "词。")


@pytest.mark.parametrize(
    "front",
    [
        "title: 2020\n",
        "title: [Old, bridges]\n",
        "title:\n",
        'title: "1.2"\n',
        "[a, title: Bridges]\n",
        "? [a]\n: title: Bridges\n",
    ],
)
def test_what_is_no_text_is_no_message(front: str) -> None:
    document = front_page(front, "")
    assert msgids(document) == []
    assert document.units[0].split.left_in_english == ()


def test_one_that_is_too_long_is_told() -> None:
    document = front_page(f"title: {'word ' * 2000}\n", "")
    assert msgids(document) == []
    assert len(document.units[0].split.left_in_english) == 1


def test_a_notebook_runs_the_same_cells() -> None:
    front = "title: A bridge\nsubtitle: |\n  Of\n  stone\njupytext:\n  formats: md:myst\n"
    document = front_page(front, "Words.\n", Reading())
    merged = merge(document, {"A bridge": "一座桥", "Words.": "词。"})
    assert merged.rejected == ()
    assert "title: 一座桥" in merged.data.decode()
    assert merged.translated == 2


def test_the_site_shows_it_where_there_is_no_heading() -> None:
    text = "---\ntitle: Old *bridges*\n---\nWords.\n"
    shown = "---\ntitle: Old *bridges*\n---\n\n# Old \\*bridges\\*\n\nWords.\n"
    for dialect in Dialect:
        assert to_myst(text, dialect) == shown
    for same in (
        "---\ntitle: Bridges\n---\n# One\n",
        "---\ntitle: Bridges\n",
        "---\ntitle: 1\n---\n",
        "---\ndescription: Bridges\n---\n",
        "title: Bridges\n",
    ):
        assert to_myst(same, Dialect.MYST) == same


def test_marks_of_a_preview_stay_out_of_it() -> None:
    document = front_page("title: Bridges\ndescription: Old ones\n")
    split = document.units[0].split
    marked = marked_text(split.text, split.messages)
    assert marked.startswith("---\ntitle: Bridges\ndescription: Old ones\n---\n")
    assert "Words." in marked
    assert not marked.endswith("\nWords.\n")
