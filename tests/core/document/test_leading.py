"""Which code a message leads to, in notebooks and in MyST, and what of it is shown."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.catalog.wanted import wanted_entries, without_code
from pipeline.core.document.reader import messages_with_code, read_document
from pipeline.core.memory.record import layout_of

FRONT = "---\nkernelspec:\n  name: python3\n---\n\n"


def shown(path: str, data: str) -> dict[str, tuple[str, ...]]:
    """The code that is shown, by the message that leads to it."""
    document = read_document(path, data.encode())
    return {message.msgid: code for message, code in messages_with_code(document)}


def notebook(*cells: tuple[str, str]) -> str:
    """A notebook of cells: their kinds and sources."""
    made = [
        {"cell_type": kind, "metadata": {}, "source": source} for kind, source in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4})


@pytest.mark.parametrize(
    ("between", "code"),
    [
        ("\n```{code-cell}\na = 1\n```\n", ("a = 1",)),
        ("\n```{code-cell} ipython3\n:tags: [x]\n\na = 1\n```\n", ("a = 1",)),
        ("\n~~~{code-cell}\n---\ntags: [x]\n---\na = 1\n~~~\n", ("a = 1",)),
        (
            "\n+++ {}\n\n```{code-cell}\n\n\na = 1\n    b\nc\nd\n```\n",
            ("a = 1", "    b", "c"),
        ),
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
    assert (
        shown("a.md", f"{FRONT}Light a lamp:\n{between}\nThe end.\n")["Light a lamp:"]
        == code
    )


def test_a_notebook() -> None:
    data = notebook(
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
    pages = [
        read_document(
            "a.md", f"{FRONT}Run:\n\n```{{code-cell}}\n{code}\n```\n".encode()
        )
        for code in ("a = 1\nb = 2", "other()")
    ]
    old, new = (wanted_entries("a", [page]) for page in pages)
    assert old[0].notes == ("paragraph", "code: a = 1", "code: b = 2")
    assert new[0].notes == ("paragraph", "code: other()")
    assert layout_of(old) == layout_of(new)
    assert without_code(old[0]).notes == ("paragraph",)
    assert without_code(without_code(old[0])) == without_code(old[0])


@given(code=st.text(max_size=60))
def test_a_note_is_one_line_that_can_be_seen(code: str) -> None:
    for lines in shown(
        "a.ipynb", notebook(("markdown", "Run:"), ("code", code))
    ).values():
        assert len(lines) <= 3
        for line in lines:
            assert line.strip()
            assert len(line) <= 101
            assert line.splitlines() == [line]
