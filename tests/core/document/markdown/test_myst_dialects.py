"""Markdown of mkdocs: every block of prose is a message, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import read_cases
from corpus import msgids, page, translated
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.document.markdown.myst_converter import to_myst
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import read_document
from pipeline.reading import Dialect, Reading

# What stands on the page, and the words that are messages.
MKDOCS = {
    "an object of the API ends with its options": (
        "::: lamp.Lamp\n    options:\n        members: on\n\nWords behind it.\n",
        ["Words behind it."],
    ),
    "an admonition": (
        '!!! note "A title here"\n\n    Words inside.\n\n    - An item.\n\nWords after.\n',
        ["A title here", "Words inside.", "An item.", "Words after."],
    ),
    "one without a title, in another": (
        "!!! tip\n    Words outside.\n\n    ??? danger inline\n        Words inside.\n",
        ["Words outside.", "Words inside."],
    ),
    "tabs with code": (
        '=== "On a lamp"\n\n    ```\n    x = 1\n    ```\n\n=== "In the sun"\n    Some words.\n',
        ["On a lamp", "In the sun", "Some words."],
    ),
    "a title of no words": ('!!! note "1.2"\n    Some words.\n', ["Some words."]),
    "an empty block at the end": ("Words.\n\n!!! note", ["Words."]),
    "in a list": (
        "1. An item.\n\n    !!! note\n        Words inside.\n",
        ["An item.", "Words inside."],
    ),
    "in a quote": ("> !!! note\n>     Words inside.\n", ["Words inside."]),
    "a file of elsewhere": ('--8<-- "there.md"\n\nSome words.\n', ["Some words."]),
    "a file of elsewhere ends a paragraph": (
        'Some words.\n--8<-- "there.md"\nMore words.\n',
        ["Some words.", "More words."],
    ),
    "indented code stays code": ("Words.\n\n    !!! note\n", ["Words."]),
    "an underline is no tab": (
        "Some words\n===\n\nMore words.\n",
        ["Some words", "More words."],
    ),
    "a mark ends a paragraph": (
        "Some words.\n!!! note\n    More words.\n",
        ["Some words.", "More words."],
    ),
}
CASES = [
    *((Dialect.MKDOCS, *case) for case in MKDOCS.values()),
    (Dialect.COMMONMARK, "Some $a$ words\n: more\n", ["Some $a$ words : more"]),
]
AS_MKDOCS = Reading(dialect=Dialect.MKDOCS)


@pytest.mark.parametrize(("dialect", "text", "words"), CASES)
def test_prose_is_a_message_and_the_form_stays(
    dialect: Dialect, text: str, words: list[str]
) -> None:
    document = page(text, Reading(dialect=dialect))
    assert msgids(document) == words
    assert merge(document, {}).data == text.encode()
    merged = merge(document, translated(document, lambda msgid: f"字 {msgid}"))
    assert merged.rejected == ()
    assert len(merged.blocks) == len(words)
    expected = text.replace("words\n:", "words :")
    for word in words:
        expected = expected.replace(word, f"字 {word}", 1)
    assert merged.data.decode() == expected


@pytest.mark.parametrize("translation", ["!!! note", "::: lamp", '=== "字"', "字\n    !!! note"])
def test_a_translation_makes_no_block(translation: str) -> None:
    document = page("Some words.\n\nMore words.\n", AS_MKDOCS)
    merged = merge(document, {"Some words.": translation})
    again = read_document("a.md", merged.data, AS_MKDOCS)
    assert [kind for _, kind in again.units[0].split.skeleton] == [
        kind for _, kind in document.units[0].split.skeleton
    ]


@given(st.text(alphabet='!?=:{}%"- \n>a1', max_size=60))
def test_any_text_is_read_and_given_back(text: str) -> None:
    for dialect in Dialect:
        document = page(text, Reading(dialect=dialect))
        assert merge(document, {}).data == text.encode()
        to_myst(text, dialect)


def test_directives_of_their_own_hold_prose() -> None:
    text = "```{lamp} A title\n:label: on\n\nSome words.\n```\n"
    known = page(text, Reading(prose=frozenset(["lamp"])))
    assert msgids(known) == ["A title", "Some words."]
    unknown = page(text)
    assert msgids(unknown) == []
    assert len(unknown.units[0].split.left_in_english) == 1


def test_blocks_nested_without_end_are_told() -> None:
    lines = [f"{'    ' * depth}!!! note" for depth in range(40)]
    text = "\n".join([*lines, f"{'    ' * 40}Some words."])
    document = page(text, AS_MKDOCS)
    assert document.units[0].split.left_in_english
    assert merge(document, {}).data == text.encode()


BLOCKS = read_cases(Path(__file__).parent / "data" / "mkdocs.txt")


@pytest.mark.parametrize(("text", "expected"), BLOCKS.values(), ids=BLOCKS)
def test_blocks_of_mkdocs_become_directives(text: str, expected: str) -> None:
    assert to_myst(text, Dialect.MKDOCS) == expected
    assert to_myst(text, Dialect.MYST) == text


def test_a_fence_that_swallows_words_is_told() -> None:
    document = page("# Title\n\n::: lamp.Lamp\n\nSome words.\n")
    assert msgids(document) == ["Title"]
    ((line, reason),) = document.units[0].split.left_in_english
    assert line == 3
    assert 'markdown = "mkdocs"' in reason


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ("Words.\n", "Lid [a]", "\n# Lid \\[a\\]\n\nWords.\n"),
        ("# Own\n", "Lid", "# Own\n"),
        ("---\ntitle: T\n---\nA\n", "Lid", "---\ntitle: T\n---\n\n# T\n\nA\n"),
        ("---\ntags: x\n---\nA\n", "Lid", "---\ntags: x\n---\n\n# Lid\n\nA\n"),
        ("---\ndescription: x\n---\nA\n", "", "---\ndescription: x\n---\nA\n"),
    ],
)
def test_page_without_heading_gets_its_title(text: str, title: str, expected: str) -> None:
    assert to_myst(text, Dialect.COMMONMARK, title=title) == expected


A_MD = "```{include} /a.md\n"
PART_OF_CODE = """\
```{literalinclude} /a.py
:language: py
:start-after: '[start:part]'
:end-before: '[end:part]'
```
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('--8<-- "a.md"\n', f"{A_MD}```\n"),
        ("--8<-- 'a.md:2:5'\n", f"{A_MD}:start-line: 1\n:end-line: 5\n```\n"),
        ('--8<-- "a.md:2"\n', f"{A_MD}:start-line: 1\n```\n"),
        ('--8<-- "a.md::5"\n', f"{A_MD}:start-line: 0\n:end-line: 5\n```\n"),
        ('--8<-- "a.md:part"\n', ""),  # its marks would show
        ('--8<-- "gone.md"\n', ""),
        ("--8<-- a.md\n", ""),
        (
            '- x\n\n  ```python title="x"\n  --8<-- "a.py:2"\n  ```\n',
            "- x\n\n  ```{literalinclude} /a.py\n  :language: python\n  :lines: 2-\n  ```\n",
        ),
        ('~~~ py\n--8<-- "a.py:part"\n~~~\n', PART_OF_CODE),
        ('```\n--8<-- "a.py"\n```\n', "```{literalinclude} /a.py\n```\n"),
        ('```py\n--8<-- "gone.py"\n```\n', '```py\n--8<-- "gone.py"\n```\n'),
        ('```py\n--8<-- "a.py"\nb\n```\n', '```py\n--8<-- "a.py"\nb\n```\n'),
    ],
)
def test_snippet_becomes_what_shows_the_file(text: str, expected: str) -> None:
    def find(name: str) -> str:
        return f"/{name}" if name in ("a.md", "a.py") else ""

    assert to_myst(text, Dialect.MKDOCS, find=find) == expected
