"""Documents as they are read: their text, titles, first sections, and the code below a message."""

from __future__ import annotations

import json

import pytest
from corpus import msgids, page
from hypothesis import given
from hypothesis import strategies as st
from notebooks import notebook_value, prose

from pipeline.core.catalog.update import wanted_entries, without_code
from pipeline.core.document.guard import merged_messages
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import (
    Document,
    Format,
    SplitPage,
    first_sections,
    is_myst_notebook,
    messages_with_code,
    read_document,
)
from pipeline.core.document.splice import apply_edits
from pipeline.core.memory.record import layout_of
from pipeline.core.pin.lock import Page, SourceFile
from pipeline.errors import InputError
from pipeline.reading import Reading

HEADER = "---\njupytext:\n  text_representation:\n    format_name: myst\n---\n"


def notebook_of(*sources: tuple[str, str | list[str]]) -> str:
    """A notebook of cells, each with its kind and its source."""
    cells = ({**prose(source), "cell_type": kind} for kind, source in sources)
    return json.dumps(notebook_value(*cells))


def places(document: Document) -> list[tuple[str, str]]:
    return [(document.place(unit, message), message.msgid) for unit, message in document.messages()]


def test_messages_of_a_notebook_come_with_their_cells() -> None:
    text = notebook_of(
        ("markdown", "# Title\n\nsome words"),
        ("code", "x = 1"),
        ("raw", "raw words"),
        ("markdown", ["more\n", "words"]),
    )
    document = page(text, path="a/b.ipynb")
    assert document.format is Format.NOTEBOOK
    assert places(document) == [
        ("a/b.ipynb, cell 1:1", "Title"),
        ("a/b.ipynb, cell 1:3", "some words"),
        ("a/b.ipynb, cell 4:1", "more words"),
    ]
    headings = [message.headings for _, message in document.messages()]
    assert headings == [(), ("Title",), ("Title",)]
    assert document.code == ("x = 1",)
    assert document.raw == text


def test_cells_are_split_apart() -> None:
    text = notebook_of(
        ("markdown", "```python\nnever closed"),
        ("markdown", "---\nwords: here\n---"),
        ("markdown", "- [ ] task"),
    )
    assert msgids(page(text, path="a.ipynb")) == ["words: here", "task"]


def test_a_myst_notebook_has_prose_and_code() -> None:
    text = f"{HEADER}\n# Title\n\n```{{code-cell}}\nx = 1\n```\n\n+++\n\nsome words\n"
    document = page(text, path="a/b.md")
    assert document.format is Format.MYST_NOTEBOOK
    assert places(document) == [("a/b.md:7", "Title"), ("a/b.md:15", "some words")]
    assert document.code == ("x = 1\n",)


def test_a_plain_myst_page_has_no_code() -> None:
    document = page("# Title\n")
    assert (document.format, document.code) == (Format.MYST, ())
    assert document.notebook is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEADER, True),
        ("---\nkernelspec:\n  name: python3\n---\n", True),
        ("---\r\nkernelspec:\r\n  name: python3\r\n---\r\n", True),
        ("\ufeff---\njupytext: x\n---\n", True),
        ("---\ntitle: jupytext\n---\n\njupytext: x\n", False),
        ("---\nother:\n  jupytext: x\n---\n", False),
        ("---\njupytext: x\n", False),
        ("\n---\njupytext: x\n---\n", False),
        ("words\n\n---\njupytext: x\n---\n", False),
        ("", False),
    ],
)
def test_a_notebook_is_known_by_its_front_matter(text: str, expected: bool) -> None:
    assert is_myst_notebook(text) is expected


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 5\n"


@pytest.mark.parametrize(
    ("path", "data", "where", "what"),
    [
        ("a.md", b"one\n\xff two", "a.md:2", "is not UTF-8"),
        ("a.md", b"one\ntwo\0", "a.md:2", "has a NUL character"),
        ("a.md", "words".encode("utf-16"), "a.md:1", "is not UTF-8"),
        ("a.ipynb", POINTER, "a.ipynb", "Git LFS"),
        ("a.md", POINTER, "a.md", "Git LFS"),
        ("a.rst", POINTER, "a.rst", "Git LFS"),
        ("a.md", b"\xed\xa0\x80", "a.md:1", "is not UTF-8"),  # a surrogate in UTF-8
        ("a.md", b"> %{x}\n>", "a.md", "the Markdown parser fails"),
        (
            "a.ipynb",
            notebook_of(("code", ""), ("markdown", "> %{x}\n>")).encode(),
            "a.ipynb, cell 2",
            "the Markdown parser fails",
        ),
        ("a.ipynb", b"{", "a.ipynb:1", "is not valid JSON"),
        ("a.ipynb", b"{}\n\xff", "a.ipynb:2", "is not UTF-8"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(
    path: str, data: bytes, where: str, what: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_document(path, data)
    assert caught.value.where == where
    assert what in caught.value.what
    assert caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        *("", "\n", "\ufeff", "\r", "---\n---\n", "```\nopen"),
        "\ufeff---\njupytext: x\n---\n",
    ],
)
def test_pages_without_a_message(text: str) -> None:
    document = page(text)
    assert msgids(document) == []
    assert document.raw == text


A_B = Page(name="a/b", files=(SourceFile(path="a/b.md", blob="0" * 40),))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# The `title`\n\nwords\n", "The `title`"),
        ("words first\n\n# Title\n", "a/b"),
        ("# `code`\n\nwords\n", "`code`"),
        ("## Inner title\n", "Inner title"),
        ("1\n", "a/b"),
        ("---\ntitle: Bridges\n---\nWords.\n", "Bridges"),
        ("---\ntitle: Bridges\n---\n", "Bridges"),
        ("---\ntitle: Bridges\n---\n## Old ones\n\nWords.\n", "Bridges"),
        ("---\ntitle: Bridges\n---\n# Old ones\n\nWords.\n", "Old ones"),
        ("---\ndescription: Bridges\n---\n## Old ones\n\nWords.\n", "Old ones"),
        ("---\ndescription: Bridges\n---\nWords.\n", "a/b"),
        ("---\ndescription: Bridges\n---\n", "a/b"),
    ],
)
def test_title_of_a_page(text: str, title: str) -> None:
    split = SplitPage(page=A_B, documents=(page(text, path="a/b.md"),))
    assert split.title == title


def test_a_page_without_documents_has_its_name_as_title() -> None:
    assert SplitPage(page=A_B, documents=()).title == "a/b"
    assert not SplitPage(page=A_B, documents=()).is_complete


def test_literal_blocks_of_a_plain_page_are_no_cells() -> None:
    assert not page("Words::\n\n   x = 1\n", path="a/b.rst").is_notebook
    assert page(notebook_of(("code", "x = 1")), path="a/b.ipynb").is_notebook
    assert page(f"{HEADER}\nwords\n").is_notebook


NEWS = (
    "# News\n\nWords above.\n\n## Two\n\nNew in two,\non two lines.\n\n"
    "## One\n\nOld words.\n\n| a cell | b |\n|--------|---|\n"
)
REST = "News\n====\n\nWords above.\n\nTwo\n---\n\nNew in two.\n\nOne\n---\n\nOld words.\n"


def read(path: str, text: str, sections: int) -> Document:
    reading = Reading(partly=(("changes/*", 9), ("news", sections)))
    return page(text, reading, path=path)


@pytest.mark.parametrize(("path", "text"), [("news.md", NEWS), ("news.rst", REST)])
def test_only_messages_of_the_first_sections_are_there(path: str, text: str) -> None:
    document = read(path, text, 1)
    *said, last = msgids(document)
    assert said == ["News", "Words above.", "Two"]
    assert last.startswith("New in two")
    split = document.units[0].split
    assert [message.msgid for message in split.rest][:2] == ["One", "Old words."]
    line = text.split("\n").index("One" if path.endswith("rst") else "## One") + 1
    why = "only the first 1 sections of the page are translated"
    assert split.left_in_english == ((line, why),)


@pytest.mark.parametrize(("path", "text"), [("news.md", NEWS), ("news.rst", REST)])
def test_the_rest_is_upstreams_and_lands_where_it_has_moved(path: str, text: str) -> None:
    document = read(path, text, 1)
    chinese = {"Old words.": "旧", "News": "新闻", msgids(document)[-1]: "二"}
    merged = merge(document, chinese)
    shown = merged.data.decode()
    assert "二" in shown
    assert "旧" not in shown
    assert shown.endswith(text[text.index("Old words.") :])
    rest = [block for block in merged.blocks if block.is_rest]
    lines = [shown.split("\n")[block.line - 1].strip("# ") for block in rest]
    assert lines[:2] == ["One", "Old words."]
    assert not any(block.is_translated for block in rest)


def test_an_untouched_page_has_its_rest_in_place() -> None:
    merged = merge(read("news.md", NEWS, 1), {})
    assert merged.data.decode() == NEWS
    assert [block.line for block in merged.blocks if block.is_rest][:1] == [10]


@pytest.mark.parametrize(
    ("text", "sections"),
    [(NEWS, 0), (NEWS, 2), (NEWS, 7), ("# News\n\n## One\n\nWords.\n", 1)],
)
def test_a_page_with_as_many_sections_is_whole(text: str, sections: int) -> None:
    document = read("news.md", text, sections)
    assert document.units[0].split == split_text(text, page=True)


def test_sections_of_the_first_level_count_where_they_are_several() -> None:
    split = split_text("# Two\n\n## Inner\n\n# One\n\nWords.\n", page=True)
    said = [message.msgid for message in first_sections(split, 1).messages]
    assert said == ["Two", "Inner"]


def test_a_merge_that_changes_the_rest_is_none() -> None:
    split = first_sections(split_text(NEWS, page=True), 1)
    whole = apply_edits(split, {})
    assert merged_messages(split, split_text(NEWS, page=True), whole, frozenset())
    other = split_text(NEWS.replace("Old", "Odd"), page=True)
    assert merged_messages(split, other, whole, frozenset()) is None


FRONT = "---\nkernelspec:\n  name: python3\n---\n\n"


def shown(path: str, data: str) -> dict[str, tuple[str, ...]]:
    """The code that is shown, by the message that leads to it."""
    shown_code = messages_with_code(page(data, path=path))
    return {message.msgid: code for message, code in shown_code}


@pytest.mark.parametrize(
    ("between", "code"),
    [
        ("\n```{code-cell}\na = 1\n```\n", ("a = 1",)),
        ("\n```{code-cell} ipython3\n:tags: [x]\n\na = 1\n```\n", ("a = 1",)),
        ("\n~~~{code-cell}\n---\ntags: [x]\n---\na = 1\n~~~\n", ("a = 1",)),
        ("\n+++ {}\n\n```{code-cell}\n\n\na\n    b\nc\nd\n```\n", ("a", "    b", "c")),
        (f"\n```{{code-cell}}\n{'x' * 300}\n```\n", (f"{'x' * 100}…",)),
        ("\n```{code-cell}\na\t= 1\u2028\x0c\n```\n", ("a = 1",)),
        ("\n```{code-cell}\n\n```\n", ()),
        # No cell: a reader does not run it.
        ("\n```python\na = 1\n```\n", ()),
        ("\nMore.\n\n```{code-cell}\na = 1\n```\n", ()),
        ("\n", ()),
    ],
)
def test_a_myst_page(between: str, code: tuple[str, ...]) -> None:
    text = f"{FRONT}Light a lamp:\n{between}\nThe end.\n"
    assert shown("a.md", text)["Light a lamp:"] == code


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("| a cell |\n| --- |\n| 1 |\n", "a cell"),
        ("![an image](a.png)\n", "an image"),
        ("```{figure} a.png\n\nA caption.\n```\n", "A caption."),
    ],
)
def test_code_at_the_top_of_a_page_is_below_no_message(text: str, message: str) -> None:
    assert shown("a.md", f"```{{code-cell}}\na = 1\n```\n\n{text}")[message] == ()


def test_a_notebook() -> None:
    data = notebook_of(
        ("markdown", "# Lamps\n\nLight a lamp:\n"),
        ("code", "lamp = 1\n\nprint(lamp)"),
        ("markdown", "Then:"),
        ("markdown", "And then:\n\n---\n"),
        ("code", "saw = 1"),
        ("markdown", "The end."),
    )
    assert shown("a.ipynb", data) == {
        "Lamps": (),
        "Light a lamp:": ("lamp = 1", "print(lamp)"),
        "Then:": (),
        "And then:": (),
        "The end.": (),
    }


def test_notes_show_it_and_the_layout_of_the_page_does_not_know_it() -> None:
    old, new = (
        wanted_entries("a", [page(f"{FRONT}Run:\n\n```{{code-cell}}\n{code}\n```\n")])
        for code in ("a = 1\nb = 2", "other()")
    )
    assert old[0].notes == ("paragraph", "code: a = 1", "code: b = 2")
    assert new[0].notes == ("paragraph", "code: other()")
    assert layout_of(old) == layout_of(new)
    assert without_code(old[0]).notes == ("paragraph",)
    assert without_code(without_code(old[0])) == without_code(old[0])


@given(code=st.text(max_size=60))
def test_a_note_is_one_line_that_can_be_seen(code: str) -> None:
    text = notebook_of(("markdown", "Run:"), ("code", code))
    for lines in shown("a.ipynb", text).values():
        assert len(lines) <= 3
        for line in lines:
            assert line.strip()
            assert len(line) <= 101
            assert line.splitlines() == [line]
