"""Cells of code: within other blocks, and as text to copy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from notebooks import code, notebook_value, prose
from sphinx.config import Config

from pipeline.core.execution.code_cells import source_of, tags_of
from pipeline.site.configuration import PROMPTS, rules_in
from pipeline.site.extension.content.cells import complete_commands, join_split_fences

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
    made = json.loads(join_split_fences(json.dumps(notebook_value(*cells))))
    assert [source_of(cell) for cell in made["cells"]] == sources
    is_moved = CELL in sources[0]
    assert ("remove-cell" in tags_of(made["cells"][1])) == (
        is_moved or "remove-cell" in tags_of(cells[1])
    )


def test_a_notebook_without_a_fence_stays_as_it_is() -> None:
    text = json.dumps(notebook_value(prose("a"), code("x")), indent=3)
    assert join_split_fences(text) is text


CASES: dict[str, Mapping[str, Any]] = {
    "copybutton_prompt_text = r'\\$ '\ncopybutton_prompt_is_regexp = True": {
        "prompt_text": "\\$ ",
        "prompt_is_regexp": True,
    },
    # A plain prompt stays one: as a pattern it would mean something else.
    "copybutton_prompt_text = '$ '": {"prompt_text": "$ "},
    "copybutton_exclude = '.linenos, .gp, .go'": {"exclude": ".linenos, .gp, .go"},
    "copybutton_exclude = 'a:not([b=\"c\"]) > *'\ncopybutton_prompt_text = '$ '": {
        "exclude": 'a:not([b="c"]) > *',
        "prompt_text": "$ ",
    },
    "copybutton_only_copy_prompt_lines = False": {
        "only_copy_prompt_lines": False,
        **PROMPTS,
    },
    # What would end the text that it is put into, or is of another kind, is none.
    "copybutton_exclude = \"'); alert(1); ('\"": PROMPTS,
    "copybutton_exclude = 'a\\nb'": PROMPTS,
    "copybutton_exclude = 'a\\\\'": PROMPTS,
    "copybutton_prompt_text = prompts()": PROMPTS,
    "copybutton_prompt_text = ['$ ']\ncopybutton_remove_prompts = 'no'": PROMPTS,
    # Neither a picture nor a file of upstream's comes into the script.
    "copybutton_image_svg = '<svg onload=alert(1)>'\ncopybutton_image_path = 'x.svg'": PROMPTS,
    "copybutton_selector = 'pre'": PROMPTS,
    "": PROMPTS,
    "(": PROMPTS,
}


@pytest.mark.parametrize(("code", "expected"), CASES.items())
def test_values_are_checked_data(code: str, expected: Mapping[str, Any]) -> None:
    rules = {f"copybutton_{name}": value for name, value in expected.items()}
    assert rules_in(code) == rules


def test_another_version_of_the_button_keeps_its_function() -> None:
    config = Config()
    for theirs in ("", "const format = (text) => text;"):
        config.html_context = {"copybutton_format_func": theirs}
        complete_commands(None, config)  # type: ignore[arg-type]
        assert config.html_context["copybutton_format_func"] == theirs
