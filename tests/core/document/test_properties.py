"""Properties over arbitrary input: P1, P2, P4 and P8 of the core."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from corpus import HOSTILE, assert_only_prose_changed, hostile, translated
from hypothesis import given
from hypothesis import strategies as st
from notebooks import notebook_value
from notebooks import prose as prose_cell
from odd_texts import texts

from pipeline.core.document import prose
from pipeline.core.document.markdown import guard, placement
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.merge import PageExtras, merge
from pipeline.core.document.notebook_json import edit_cells, scan_notebook
from pipeline.core.document.reader import Document, read_document
from pipeline.core.document.splice import Edit
from pipeline.errors import PipelineError

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=5), children, max_size=3)
    ),
    max_leaves=8,
)
sources = st.one_of(texts, st.lists(texts, max_size=4))
cells = st.builds(
    lambda kind, source, extra: {**extra, **prose_cell(source), "cell_type": kind},
    st.sampled_from(["markdown", "markdown", "code", "raw"]),
    sources,
    st.dictionaries(st.text(max_size=3), json_values, max_size=2),
)
notebooks = st.builds(
    lambda found, metadata, layout, ascii_only: json.dumps(
        {**notebook_value(*found), "metadata": metadata},
        indent=layout,
        ensure_ascii=ascii_only,
    ),
    st.lists(cells, max_size=4),
    st.dictionaries(st.text(max_size=3), json_values, max_size=2),
    st.sampled_from([None, 1, 2, "\t"]),
    st.booleans(),
)
msgstrs = st.one_of(texts, st.sampled_from(list(HOSTILE)).map(lambda kind: hostile(kind, "文字")))


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def encoded_utf16(text: str) -> bytes:
    return text.encode("utf-16", "surrogatepass")


def read(path: str, data: bytes) -> Document | None:
    try:
        return read_document(path, data)
    except PipelineError as error:
        assert error.where.startswith(path)
        assert error.hint
        return None


def assert_joins(document: Document, data: bytes) -> None:
    assert document.raw.encode() == data
    assert merge(document, {}).data == data
    for unit in document.units:
        at = 0
        for message in unit.split.messages:
            assert at <= message.start < message.end <= len(unit.split.text)
            assert prose.has_words(prose.show_payloads(message.msgid, message.payloads))
            assert message.msgid == message.msgid.strip("\n")
            at = message.end
        placed = placement.place(unit.split, {})
        assert placed.text == unit.split.text
        is_page = unit.cell is None
        assert guard.read_back(unit.split, placed, page=is_page) is not None


@given(text=texts)
def test_any_text_is_split_and_joined_again(text: str) -> None:
    data = encoded(text)
    if document := read("a.md", data):
        assert_joins(document, data)


@given(data=st.binary(max_size=200))
def test_any_bytes_end_in_a_value_or_in_our_error(data: bytes) -> None:
    read("a.md", data)
    read("a.ipynb", data)


@given(raw=notebooks)
def test_any_notebook_is_split_and_joined_again(raw: str) -> None:
    data = encoded(raw)
    if document := read("a.ipynb", data):
        assert_joins(document, data)
        parsed: list[dict[str, Any]] = json.loads(raw)["cells"]
        assert document.notebook is not None
        assert [cell.source for cell in document.notebook.cells] == [
            "".join(cell["source"]) for cell in parsed
        ]


@given(raw=notebooks, data=st.data())
def test_a_broken_notebook_ends_in_a_value_or_in_our_error(raw: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, min(len(raw), start + 10)))
    piece = data.draw(st.text(alphabet='{}[]",:\\ue\n nul1234source', max_size=4))
    broken = encoded(raw[:start] + piece + raw[end:])
    if document := read("a.ipynb", broken):
        assert_joins(document, broken)


@given(value=json_values)
def test_any_json_ends_in_a_value_or_in_our_error(value: object) -> None:
    for raw in (
        value,
        {"cells": value, "nbformat": 4},
        {"cells": [value], "nbformat": 4},
        {"cells": [{"cell_type": "markdown", "source": value}], "nbformat": 4},
    ):
        read("a.ipynb", json.dumps(raw).encode())


FRAME = PageExtras(attribution="From there.", anchors=frozenset({"word", "words-here"}))


@given(
    header=st.sampled_from(["", "---\njupytext: {}\n---\n\n"]),
    text=texts,
    data=st.data(),
    framed=st.booleans(),
)
def test_any_translation_of_a_page_changes_only_prose(
    header: str, text: str, data: st.DataObject, framed: bool
) -> None:
    document = read("a.md", encoded(header + text))
    if document is None:
        return
    translations = translated(document, lambda _: data.draw(msgstrs))
    merged = merge(document, translations)
    assert_only_prose_changed(document, merged.data)
    assert read_document("a.md", merged.data).code == document.code
    assert merged.translated or merged.data == document.raw.encode()
    if framed and document.units[0].split.title_end is not None:
        framed_page = merge(document, translations, FRAME)
        assert read_document("a.md", framed_page.data).code == document.code


@pytest.mark.slow
@given(raw=notebooks, data=st.data())
def test_any_translation_of_a_notebook_changes_only_prose(raw: str, data: st.DataObject) -> None:
    document = read("a.ipynb", encoded(raw))
    if document is None:
        return
    merged = merge(document, translated(document, lambda _: data.draw(msgstrs)))
    assert_only_prose_changed(document, merged.data)
    assert read_document("a.ipynb", merged.data).code == document.code


@given(
    text=st.text(
        alphabet=st.sampled_from('ab"\\/\n\r\t\b\f\x00\x1f\x7fé字🧪\ud800\udc00\u2028'),
        max_size=12,
    ),
    ascii_only=st.booleans(),
    data=st.data(),
)
def test_an_edit_lands_where_it_should_whatever_the_escapes(
    text: str, ascii_only: bool, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=3)))
    pieces = [text[start:end] for start, end in pairwise([0, *cuts, len(text)])]
    source = data.draw(st.just(text) | st.just(pieces))
    value = notebook_value(prose_cell(source))
    raw = json.dumps(value, ensure_ascii=ascii_only)
    notebook = scan_notebook(raw, where="a")
    # Two halves of a surrogate pair have become one character.
    text = notebook.cells[0].source
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    new = data.draw(st.text(alphabet='字a"\\\n🧪', max_size=4))
    edits = {0: [Edit(start, end, new)]}
    merged = scan_notebook(edit_cells(notebook, edits), where="a").cells[0].source
    expected = text[:start] + new + text[end:]
    assert encoded_utf16(merged) == encoded_utf16(expected)


# What stands before the first line of a message, and before its other lines.
CONTAINERS = [
    *(("", ""), ("> ", "> "), ("- ", "  "), ("1. > ", "   > "), ("[^1]: ", "    ")),
    (": x\n\n  ", "  "),
]


@given(
    lines=st.lists(
        st.text(alphabet="ab字 `*", min_size=1, max_size=8).map(lambda line: f"w{line.strip()}w"),
        min_size=1,
        max_size=4,
    ),
    data=st.data(),
)
def test_fold_and_to_markdown_undo_each_other(lines: list[str], data: st.DataObject) -> None:
    """What is written for a msgid has that msgid again.

    Container and line end make no difference.
    """
    first, rest = data.draw(st.sampled_from(CONTAINERS))
    line_end = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    mark = data.draw(st.sampled_from(["\\", "  ", "    "]))
    text = first + f"{mark}\n{rest}".join(lines) + "\n"
    split = split_text(text.replace("\n", line_end))
    if [message.msgid for message in split.messages][-1:] != ["\n".join(lines)]:
        return  # the first piece was read as something else, e.g. a term
    placed = placement.place(split, {len(split.messages) - 1: split.messages[-1].msgid})
    assert placed.text == split.text


@given(text=texts)
def test_payloads_come_back(text: str) -> None:
    hidden, payloads = prose.hide_payloads(text)
    if "data:#" not in text:
        assert prose.show_payloads(hidden, payloads) == text
