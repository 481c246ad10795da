"""The entries that a page wants, and what their notes tell of each message."""

from __future__ import annotations

import pytest

from pipeline.core.catalog.update import wanted_entries
from pipeline.core.document.reader import read_document


@pytest.mark.parametrize(
    ("path", "text", "notes"),
    [
        ("a.md", "# Pots\n\nSome words.\n", ["heading", "paragraph · Pots"]),
        (
            "a.rst",
            "Pots\n====\n\nSome words.\n",
            ["heading (reST)", "paragraph (reST) · Pots"],
        ),
    ],
)
def test_a_note_tells_the_kind_the_markup_and_the_section(
    path: str, text: str, notes: list[str]
) -> None:
    entries = wanted_entries("a", [read_document(path, text.encode())])
    assert [entry.notes[0] for entry in entries] == notes
