"""Markdown of mkdocs and of Jekyll: every block of prose is a message, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.document.compose import merge
from pipeline.core.document.read import read_document
from pipeline.core.myst.converting import to_myst
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
JEKYLL = {
    "code": (
        "{% highlight python %}\nsome words\n{% endhighlight %}\n\nWords.\n",
        ["Words."],
    ),
    "raw": ("{% raw %}\n{{ some words }}\n{% endraw %}\nWords.\n", ["Words."]),
    "tags on their own": (
        "{% if a\n  or b %}\nSome words.\n{% endif %}\n",
        ["Some words."],
    ),
    "in a line": ("Some {% cite lamp %} words.\n", ["Some {% cite lamp %} words."]),
    "one that nothing closes": (
        "{% comment %}\nSome words.\n",
        ["{% comment %} Some words."],
    ),
    "attributes": ("{: .note }\n> Some words.\n", ["Some words."]),
    "attributes end a paragraph": ("Some words.\n{: .note }\n", ["Some words."]),
    "a paragraph ends": ("Some words.\n{% include lamp.html %}\n", ["Some words."]),
    "colons are words": ("::: some words\n", ["::: some words"]),
}
CASES = [
    *((Dialect.MKDOCS, *case) for case in MKDOCS.values()),
    *((Dialect.JEKYLL, *case) for case in JEKYLL.values()),
    (Dialect.COMMONMARK, "Some $a$ words\n: more\n", ["Some $a$ words : more"]),
]


@pytest.mark.parametrize(("dialect", "text", "words"), CASES)
def test_prose_is_a_message_and_the_form_stays(
    dialect: Dialect, text: str, words: list[str]
) -> None:
    document = read_document("a.md", text.encode(), Reading(dialect=dialect))
    msgids = [message.msgid for _, message in document.messages()]
    assert msgids == words
    assert merge(document, {}).data == text.encode()
    merged = merge(document, {msgid: f"字 {msgid}" for msgid in msgids})
    assert merged.rejected == ()
    expected = text
    for word in words:
        if word in text:
            expected = expected.replace(word, f"字 {word}", 1)
    if all(word in text for word in words):
        assert merged.data.decode() == expected


@pytest.mark.parametrize(
    "translation", ["!!! note", "::: lamp", '=== "字"', "{% raw %}", "字\n    !!! note"]
)
def test_a_translation_makes_no_block(translation: str) -> None:
    for dialect in (Dialect.MKDOCS, Dialect.JEKYLL):
        text = b"Some words.\n\nMore words.\n"
        document = read_document("a.md", text, Reading(dialect=dialect))
        merged = merge(document, {"Some words.": translation})
        again = read_document("a.md", merged.data, Reading(dialect=dialect))
        assert [kind for _, kind in again.units[0].split.skeleton] == [
            kind for _, kind in document.units[0].split.skeleton
        ]


@given(st.text(alphabet='!?=:{}%"- \n>a1', max_size=60))
def test_any_text_is_read_and_given_back(text: str) -> None:
    for dialect in Dialect:
        document = read_document("a.md", text.encode(), Reading(dialect=dialect))
        assert merge(document, {}).data == text.encode()
        to_myst(text, dialect)


def test_directives_of_their_own_hold_prose() -> None:
    text = b"```{lamp} A title\n:label: on\n\nSome words.\n```\n"
    known = Reading(prose=frozenset(["lamp"]))
    document = read_document("a.md", text, known)
    assert [message.msgid for _, message in document.messages()] == [
        "A title",
        "Some words.",
    ]
    unknown = read_document("a.md", text)
    assert list(unknown.messages()) == []
    assert len(unknown.units[0].split.unsafe) == 1


def test_blocks_nested_without_end_are_told() -> None:
    lines = [f"{'    ' * depth}!!! note" for depth in range(40)]
    text = "\n".join([*lines, f"{'    ' * 40}Some words."])
    document = read_document("a.md", text.encode(), Reading(dialect=Dialect.MKDOCS))
    assert document.units[0].split.unsafe
    assert merge(document, {}).data == text.encode()


def test_pages_as_myst() -> None:
    text = """!!! note "A title"

    Words.

    !!! tip
        More.

- Item

    ???+ danger "Folded"
        Inside.

=== "One"
    1

=== "Two"
    2

::: lamp.Lamp
    options: x

--8<-- "a.md"

!!! odd
    End.

??? tip
"""
    assert (
        to_myst(text, Dialect.MKDOCS)
        == """::::{admonition} A title
:class: note

Words.

:::{tip}

More.

:::

::::

- Item

    :::{dropdown} Folded
    :open:

    Inside.

    :::

::::{tab-set}

:::{tab-item} One

1

:::
:::{tab-item} Two

2

:::

::::

```{autofunction} lamp.Lamp
```


:::{admonition} Odd
:class: odd

End.

:::

:::{dropdown} Tip



:::
"""
    )
    assert to_myst(text, Dialect.MYST) == text
    code = (
        "Words.\n{% highlight python %}\nx = 1\n{% endhighlight %}\n"
        "{% raw %}\nx\n{% endraw %}\n{% lamp %}\n"
    )
    assert to_myst(code, Dialect.JEKYLL) == "Words.\n```python\nx = 1\n```\nx\n"
    tabs = '=== "One"\n    1\n\nWords.\n\n=== "Two"\n    2\n'
    assert to_myst(tabs, Dialect.MKDOCS).count("{tab-set}") == 2


def test_a_fence_that_swallows_words_is_told() -> None:
    text = b"# Title\n\n::: lamp.Lamp\n\nSome words.\n"
    document = read_document("a.md", text)
    assert [message.msgid for _, message in document.messages()] == ["Title"]
    ((line, reason),) = document.units[0].split.unsafe
    assert line == 3
    assert 'markdown = "mkdocs"' in reason
