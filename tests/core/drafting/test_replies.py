"""Replies, taken apart: any text comes in, and each question gets an answer or a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.drafting.replies import (
    MISSING,
    NO_JSON,
    NO_TEXT,
    TWICE,
    read_reply,
)

IDS = ("a1", "b2")


@pytest.mark.parametrize(
    ("text", "texts", "problems"),
    [
        ('{"a1": "一", "b2": "二"}', {"a1": "一", "b2": "二"}, {}),
        ('{"b2": "二", "a1": "一"}', {"a1": "一", "b2": "二"}, {}),
        ('```json\n{"a1": "一", "b2": "二"}\n```', {"a1": "一", "b2": "二"}, {}),
        (
            '<think>a "b"\n{}</think>{"a1": "一", "b2": "二"}',
            {"a1": "一", "b2": "二"},
            {},
        ),
        ('{"a1": "一"}', {"a1": "一"}, {"b2": MISSING}),
        ('{"a1": "一", "b2": "二", "a1": "三"}', {"b2": "二"}, {"a1": TWICE}),
        ('{"a1": "一", "b2": "二", "a1": "一"}', {"b2": "二"}, {"a1": TWICE}),
        ('{"a1": ["一"], "b2": null}', {}, {"a1": NO_TEXT, "b2": NO_TEXT}),
        ("{}", {}, {"a1": MISSING, "b2": MISSING}),
        ('["一", "二"]', {}, {"a1": NO_JSON, "b2": NO_JSON}),
        ("Here they are: 一, 二", {}, {"a1": NO_JSON, "b2": NO_JSON}),
        ('{"a1": "一", "b2"', {}, {"a1": NO_JSON, "b2": NO_JSON}),
        ('{"a1": "一"} and so on', {}, {"a1": NO_JSON, "b2": NO_JSON}),
        ("", {}, {"a1": NO_JSON, "b2": NO_JSON}),
        ("[" * 100_000, {}, {"a1": NO_JSON, "b2": NO_JSON}),
        ("9" * 10_000, {}, {"a1": NO_JSON, "b2": NO_JSON}),
    ],
)
def test_each_question_has_an_answer_or_a_reason(
    text: str, texts: dict[str, str], problems: dict[str, str]
) -> None:
    answers = read_reply(text, IDS)
    assert (answers.texts, answers.problems) == (texts, problems)


def test_keys_that_nobody_asked_for_are_told_apart() -> None:
    answers = read_reply('{"a1": "一", "b2": "二", "c3": "三"}', IDS)
    assert answers.extra == ("c3",)
    assert set(answers.texts) == set(IDS)


@given(st.one_of(st.text(), st.recursive(st.text(), st.lists).map(repr)))
def test_any_text_is_read(text: str) -> None:
    answers = read_reply(text, IDS)
    assert {*answers.texts, *answers.problems} == set(IDS)
