"""Putting translations in place by position."""

from __future__ import annotations

import pytest

from pipeline.core.document import splice
from pipeline.core.document.markdown import placement
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.splice import Edit


def placed(text: str, *msgstrs: str) -> str:
    return placement.place(split_text(text), dict(enumerate(msgstrs))).text


@pytest.mark.parametrize(
    ("text", "msgstr", "expected"),
    [
        ("Some\nwords\n", "文字", "文字\n"),
        ("  Some words  \n", "文字", "  文字  \n"),
        ("## Some words ##\n", "文字", "## 文字 ##\n"),
        ("Some\nwords\n===\n", "文字", "文字\n===\n"),
        ("Some\\\nwords\n", "甲\n乙", "甲\\\n乙\n"),
        ("Some   \nwords\n", "甲\n乙", "甲   \n乙\n"),
        ("Some\\\nwords  \nmore\n", "甲\n乙\n丙", "甲\\\n乙  \n丙\n"),
        ("Some\\\nwords  \nmore\n", "甲\n乙", "甲\\\n乙\n"),
        ("> Some\\\n>  words\n", "甲\n乙", "> 甲\\\n>  乙\n"),
        ("> - Some\\\n>   words\n", "甲\n乙", "> - 甲\\\n>   乙\n"),
        ("- [ ] Some words\n", "文字", "- [ ] 文字\n"),
        ("> Some\\\r\n> words\r\n", "甲\n乙", "> 甲\\\r\n> 乙\r\n"),
        ("Some\\\rwords\r", "甲\n乙", "甲\\\r乙\r"),
        ("<p>Some\n  words</p>\n", "<p>甲\n  乙</p>", "<p>甲\n  乙</p>\n"),
        ("- <p>Some\n  words</p>\n", "<p>甲\n乙</p>", "- <p>甲\n  乙</p>\n"),
        ("Some words\n", " \n文字\t\u3000\n", "文字\n"),
        ("| Some words |\n|--|\n", "文字", "| 文字 |\n|--|\n"),
        ("![Some words](x.png)\n", "文字", "![文字](x.png)\n"),
        ("```{note} Some words\n```\n", "文字", "```{note} 文字\n```\n"),
    ],
)
def test_a_translation_in_its_place(text: str, msgstr: str, expected: str) -> None:
    assert placed(text, msgstr) == expected


def test_break_in_a_message_that_has_none_is_a_backslash() -> None:
    (message,) = split_text("Some words\n").messages
    assert placement.to_markdown(message, "甲\n乙") == "甲\\\n乙"


def test_places_of_messages_and_insertions() -> None:
    text = "# Title\n\nwords here\n"
    split = split_text(text)
    insertions = [Edit(0, 0, "(target)=\n"), Edit(7, 7, "\n\n> A line.")]
    result = placement.place(split, {0: "标题"}, insertions)
    assert result.text == "(target)=\n# 标题\n\n> A line.\n\nwords here\n"
    words = [result.text[start:end] for start, end in result.spans]
    assert words == ["标题", "words here"]
    inserted = [result.text[start:end] for start, end in result.inserted]
    assert inserted == ["(target)=\n", "\n\n> A line."]


@pytest.mark.parametrize(
    ("text", "line_end"),
    [
        ("a\nb\r\n", "\n"),
        ("a\r\nb\n", "\r\n"),
        ("a\rb\n", "\r"),
        ("ab", "\n"),
        ("", "\n"),
    ],
)
def test_the_line_end_of_a_text_is_its_first(text: str, line_end: str) -> None:
    assert splice.line_end_of(text) == line_end
