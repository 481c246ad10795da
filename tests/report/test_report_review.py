"""The forms of a review: what GitHub takes, what is left out, and that no text becomes markup."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pipeline.core.review import AutomaticChange, ChangeKind
from pipeline.core.word_diff import pattern_of_words, word_diff
from pipeline.findings import Finding, Severity
from pipeline.report.review import (
    COMMENT,
    STEP_SUMMARY,
    Limit,
    Message,
    Review,
    review_html,
    review_markdown,
)

WORDS = pattern_of_words()
FINDING = Finding(
    code="M402",
    severity=Severity.ERROR,
    file="a.po",
    line=7,
    text="a | in a table",
    hint="Mend it.",
)


def message(old: str, new: str, *, page: str = "guide", **fields: object) -> Message:
    return Message(
        file=f"{page}.po",
        line=7,
        locale="zh_CN",
        page=page,
        happened=ChangeKind.CHANGED,
        state="finished",
        english="Lamps & <saws>",
        old=old,
        new=new,
        pieces=word_diff(old, new, WORDS),
        **fields,  # type: ignore[arg-type]
    )


def review_of(*messages: Message, **fields: object) -> Review:
    return Review(
        base="1a2b3c4d5e6f",
        base_name="origin/main",
        head="",
        messages=messages,
        **fields,  # type: ignore[arg-type]
    )


def test_a_row_has_all_that_a_reviewer_needs() -> None:
    row = message(
        "旧的灯",
        "新的灯",
        old_english="Lamps | saws",
        translator="Li Lei, 2026-05-01",
        comments=("a question",),
        notes=("fuzzy: numbers",),
        findings=(FINDING,),
    )
    text = review_markdown(review_of(row))
    (line,) = (line for line in text.split("\n") if "Lamps" in line)
    assert line.count("|") == 5
    for part in (
        "Lamps &#38; &#60;saws&#62;<br><i>was:</i> Lamps &#124; saws",
        "<del>旧</del>的灯",
        "<ins><b>新</b></ins>的灯",
        "<b>changed</b>, finished<br>line 7<br>Li Lei, 2026-05-01",
        "a question",
        "error M402: a &#124; in a table",
    ):
        assert part in line


@pytest.mark.slow
@pytest.mark.parametrize("limit", [COMMENT, STEP_SUMMARY])
def test_what_github_does_not_take_is_left_out_and_counted(limit: Limit) -> None:
    messages = [
        message("旧的灯" * 20, "新的灯" * 20, page=f"page{number // 10}") for number in range(9000)
    ]
    text = review_markdown(review_of(*messages), limit)
    assert limit.most * 0.98 < limit.size(text) <= limit.most
    shown = text.count("<b>changed</b>")
    assert f"**{9000 - shown} messages of 9000 left out**" in text
    # No heading stands there without a message.
    assert text.count("\n### ") == -(-shown // 10)


def test_files_that_cannot_be_read_do_not_fill_the_summary() -> None:
    text = review_markdown(review_of(problems=(FINDING,) * 5000))
    assert "… and 4980 more files." in text
    assert len(text) < 10_000


def test_a_very_long_text_is_cut() -> None:
    long = message("旧" * 5000, "新" * 5000)
    text = review_markdown(review_of(long))
    assert text.count("旧") == text.count("新") == 1500
    assert "…" in text


def test_nothing_to_look_at() -> None:
    nothing = review_of(quiet={AutomaticChange.MOVED: 3, AutomaticChange.GONE: 0})
    for text in (review_markdown(nothing), review_html(nothing).decode()):
        assert "No translation to look at" in text
        assert "moved 3." in text
        assert "gone from" not in text


_HOSTILE = st.text(st.sampled_from('<>&"`|*_[]()\n@#x script/={}%\x1b\x00\u202e'), max_size=40)


@given(text=_HOSTILE)
def test_no_text_becomes_markup(text: str) -> None:
    finding = Finding(code="M1", severity=Severity.ERROR, file=text, text=text)
    row = message(
        text,
        text,
        page=text,
        section=text,
        context=text,
        old_english=text,
        translator=text,
        comments=(text,),
        notes=(text,),
        findings=(finding,),
    )
    harmless = message("x", "x", page="x", section="x", context="x", findings=(FINDING,))
    page = review_html(review_of(row, problems=(finding,))).decode()
    for tag in ("<script", "<img", "<a ", "<x"):
        assert page.count(tag) == 0
    markdown = review_markdown(review_of(row))
    # Each row is one line of five bars, whatever stands in it.
    rows = [line for line in markdown.split("\n") if line.startswith("| Lamps")]
    assert [line.count("|") for line in rows] == [5]
    assert review_markdown(review_of(harmless)).count("\n") == markdown.count("\n")


@pytest.mark.parametrize("text", ["@somebody", "a@b/c", "#7", "x/y#7", "@@#7"])
def test_nobody_is_mentioned_and_no_issue_is_linked(text: str) -> None:
    markdown = review_markdown(review_of(message(text, text, translator=text)))
    shown = MarkdownIt("gfm-like").disable("linkify").render(markdown)
    # GitHub looks for them in what it has rendered.
    assert "@" in shown or "#" in shown
    assert not re.search(r"[@#]\w", shown)
