"""Bytes of a document in, units with messages out."""

from __future__ import annotations

import json

import pytest
from notebooks import notebook_value, prose

from pipeline.core.document.reader import (
    Document,
    Format,
    SplitPage,
    is_myst_notebook,
    read_document,
)
from pipeline.core.pin.lock import Page, SourceFile
from pipeline.errors import InputError

HEADER = "---\njupytext:\n  text_representation:\n    format_name: myst\n---\n"


def notebook(*sources: tuple[str, str | list[str]]) -> bytes:
    """A notebook of cells, each with its kind and its source."""
    cells = ({**prose(source), "cell_type": kind} for kind, source in sources)
    return json.dumps(notebook_value(*cells, minor=5)).encode()


def places(document: Document) -> list[tuple[str, str]]:
    return [
        (document.place(unit, message), message.msgid)
        for unit, message in document.messages()
    ]


def test_messages_of_a_notebook_come_with_their_cells() -> None:
    data = notebook(
        ("markdown", "# Title\n\nsome words"),
        ("code", "x = 1"),
        ("raw", "raw words"),
        ("markdown", ["more\n", "words"]),
    )
    document = read_document("a/b.ipynb", data)
    assert document.format is Format.NOTEBOOK
    assert places(document) == [
        ("a/b.ipynb, cell 1:1", "Title"),
        ("a/b.ipynb, cell 1:3", "some words"),
        ("a/b.ipynb, cell 4:1", "more words"),
    ]
    assert [message.headings for _, message in document.messages()] == [
        (),
        ("Title",),
        ("Title",),
    ]
    assert document.code == ("x = 1",)
    assert document.raw.encode() == data


def test_cells_are_split_apart() -> None:
    data = notebook(
        ("markdown", "```python\nnever closed"),
        ("markdown", "---\nwords: here\n---"),
        ("markdown", "- [ ] task"),
    )
    assert [msgid for _, msgid in places(read_document("a.ipynb", data))] == [
        "words: here",
        "task",
    ]


def test_a_myst_notebook_has_prose_and_code() -> None:
    text = f"{HEADER}\n# Title\n\n```{{code-cell}}\nx = 1\n```\n\n+++\n\nsome words\n"
    document = read_document("a/b.md", text.encode())
    assert document.format is Format.MYST_NOTEBOOK
    assert places(document) == [("a/b.md:7", "Title"), ("a/b.md:15", "some words")]
    assert document.code == ("x = 1\n",)


def test_a_plain_myst_page_has_no_code() -> None:
    document = read_document("a/b.md", b"# Title\n")
    assert (document.format, document.code, document.notebook) == (
        Format.MYST,
        (),
        None,
    )


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


@pytest.mark.parametrize(
    ("path", "data", "where", "what"),
    [
        ("a.md", b"one\n\xff two", "a.md:2", "is not UTF-8"),
        ("a.md", b"one\ntwo\0", "a.md:2", "has a NUL character"),
        ("a.md", "words".encode("utf-16"), "a.md:1", "is not UTF-8"),
        ("a.md", b"\xed\xa0\x80", "a.md:1", "is not UTF-8"),  # a surrogate in UTF-8
        ("a.md", b"> %{x}\n>", "a.md", "the Markdown parser fails"),
        (
            "a.ipynb",
            notebook(("code", ""), ("markdown", "> %{x}\n>")),
            "a.ipynb, cell 2",
            "the Markdown parser fails",
        ),
        ("a.ipynb", b"{", "a.ipynb:1", "is not valid JSON"),
        ("a.ipynb", b"[]", "a.ipynb", "is no Jupyter notebook"),
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
    "data",
    [
        b"",
        b"\n",
        b"\xef\xbb\xbf",
        b"\r",
        b"---\n---\n",
        b"```\nopen",
        b"\xef\xbb\xbf---\njupytext: x\n---\n",
    ],
)
def test_pages_without_a_message(data: bytes) -> None:
    document = read_document("a.md", data)
    assert list(document.messages()) == []
    assert document.raw.encode() == data


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# The `title`\n\nwords\n", "The `title`"),
        ("words first\n\n# Title\n", "a/b"),
        ("# `code`\n\nwords\n", "`code`"),
        ("## Inner title\n", "Inner title"),
        ("1\n", "a/b"),
    ],
)
def test_title_of_a_page(text: str, title: str) -> None:
    page = Page(name="a/b", files=(SourceFile(path="a/b.md", blob="0" * 40),))
    assert (
        SplitPage(page=page, documents=(read_document("a/b.md", text.encode()),)).title
        == title
    )
    assert SplitPage(page=page, documents=()).title == "a/b"


def test_literal_blocks_of_a_plain_page_are_no_cells() -> None:
    page = read_document("a/b.rst", b"Words::\n\n   x = 1\n")
    assert not page.is_notebook
    assert read_document("a/b.ipynb", notebook(("code", "x = 1"))).is_notebook
    assert read_document("a/b.md", f"{HEADER}\nwords\n".encode()).is_notebook
