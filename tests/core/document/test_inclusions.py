"""What documents include, as it is written."""

from __future__ import annotations

import pytest

from pipeline.core.document.contents import Inclusion, inclusions

CASES = {
    "```{include} ../NEWS.md\n```": ("../NEWS.md", True, False),
    "> ::::{include} a b.md\n> ::::": ("a b.md", True, False),
    "~~~ {include} a.md\n:start-line: 3\n~~~": ("a.md", True, False),
    "```{include} a.md\n:start-line: 3\n:literal:\n```": ("a.md", False, False),
    "```{include} a.rst\n:parser: rst\n```": ("a.rst", True, True),
    "```{literalinclude} a.py\n```": ("a.py", False, False),
    "```{eval-rst}\n.. include:: a.rst\n```": ("a.rst", True, False),
    "   .. include:: ../a.txt\n      :code: python": ("../a.txt", False, False),
}


@pytest.mark.parametrize(("text", "expected"), CASES.items())
def test_a_directive_is_found_with_what_it_says(
    text: str, expected: tuple[str, bool, bool]
) -> None:
    found = Inclusion(expected[0], is_prose=expected[1], has_parser=expected[2])
    assert list(inclusions(text, is_rst=False)) == [found]


@pytest.mark.parametrize(
    "text",
    [
        "```{include}\n```",
        "```{includes} a.md\n```",
        "See {include} a.md",
        ".. include:: <isonum.txt>",
        ".. include::",
    ],
)
def test_other_lines_are_none(text: str) -> None:
    assert list(inclusions(text, is_rst=False)) == []


def test_a_page_of_rest_has_no_fences() -> None:
    assert list(inclusions("```{include} a.md\n```", is_rst=True)) == []
