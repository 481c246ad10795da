"""Fences of colons that jupytext has cut into cells, put together again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from notebooks import code, notebook_value, prose

pytest.importorskip("myst_nb", reason="the dependency group site is not installed")

from pipeline.core.execution.notebook import source_of, tags_of
from pipeline.site.extension.content.cells import with_whole_fences

CELL = "```{jz-cell} 1\n```"


@pytest.mark.parametrize(
    ("cells", "sources"),
    [
        # A tab with code in it, as lines or as one text.
        (
            (
                prose(["::::{tab-set}\n", ":::{tab-item} A"]),
                code("x"),
                prose(":::\n::::"),
            ),
            [f"::::{{tab-set}}\n:::{{tab-item}} A\n\n{CELL}\n\n:::\n::::", "x", ""],
        ),
        # The footer of a card.
        (
            (prose(":::{card} A\nb"), prose("c\n:::"), code("x")),
            [":::{card} A\nb\n\n+++\n\nc\n:::", "", "x"],
        ),
        # What is not shown at all has no place either.
        (
            (prose(":::{note}"), code("x", "remove-cell"), prose("a\n:::")),
            [":::{note}\n\na\n:::", "x", ""],
        ),
        # One that never ends.
        (
            (prose(":::{note}\na"), code("x"), prose("b")),
            [f":::{{note}}\na\n\n{CELL}\n\nb", "x", ""],
        ),
        # Whole ones, and what only looks like a fence.
        *(
            ((prose(text), code("x"), prose("b")), [text, "x", "b"])
            for text in (
                "a",
                ":::{note}\na\n:::",
                ":::{note}\na\n:::::\n\n\n",
                ":::{note}\na\n:::\n\n[to]: https://example.org",
                "```\n:::{note}\n```",
                "- a\n\n  :::{note}\n  b",
                "words ::: of a line",
            )
        ),
    ],
)
def test_no_fence_ends_with_a_cell(cells: list[Any], sources: list[str]) -> None:
    made = json.loads(with_whole_fences(json.dumps(notebook_value(*cells))))
    assert [source_of(cell) for cell in made["cells"]] == sources
    is_moved = CELL in sources[0]
    assert ("remove-cell" in tags_of(made["cells"][1])) == (
        is_moved or "remove-cell" in tags_of(cells[1])
    )


def test_a_notebook_without_a_fence_stays_as_it_is() -> None:
    text = json.dumps(notebook_value(prose("a"), code("x")), indent=3)
    assert with_whole_fences(text) is text
