"""Web pages as Markdown, and the text of files in whatever encoding."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import read_cases
from hypothesis import given
from hypothesis import strategies as st

from pipeline.adapters.copies import decode, html_to_markdown
from pipeline.errors import InputError

CASES = read_cases(Path(__file__).parent / "data" / "copies.txt")


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_html(text: str, expected: str) -> None:
    assert html_to_markdown(text, where="a.html").strip() == expected.strip()


def test_html_of_nothing() -> None:
    assert html_to_markdown("", where="a.html") == ""


@given(st.text(alphabet="<>/apdiv!-=\"' 烤&;#", max_size=80))
def test_any_markup_ends_in_text(text: str) -> None:
    assert "<script" not in html_to_markdown(text, where="a.html")


def test_what_is_nested_beyond_reason_is_refused() -> None:
    with pytest.raises(InputError, match="has 151 nested elements"):
        html_to_markdown("<div>" * 9000 + "烤" + "</div>" * 9000, where="a.html")


@pytest.mark.parametrize("encoding", ["big5", "gbk", "gb18030"])
def test_chinese_encodings_are_told_apart(encoding: str) -> None:
    text = "烤箱的門慢慢打開。" if encoding == "big5" else "烤箱的门慢慢打开。"
    text = text * 30
    assert decode(text.encode(encoding), where="a.md").text == text


@given(st.binary(max_size=300))
def test_any_bytes_end_in_text_or_a_refusal(data: bytes) -> None:
    try:
        found = decode(data, where="a.md")
    except InputError as error:
        assert error.where.startswith("a.md")
        return
    assert "\0" not in found.text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04" + bytes(range(256)), "is no text"),
        (b"\xff\xfe\x00", "is neither UTF-8 nor utf-16"),
        (("烤箱" * 9).encode("gbk") + b"\xff\xff", "is neither UTF-8 nor"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        decode(data, where="a.md")
