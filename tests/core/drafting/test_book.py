"""What is known of each question, whatever the order and the company that answers came in."""

from __future__ import annotations

import json

import pytest
from draft_questions import question_of
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.drafting.answers import Book, read_reply
from pipeline.core.drafting.judge import Judge, Reason

QUESTION = question_of("There are 3 lamps on the table beside the door.")
GOOD = "门边的桌子上有 3 盏灯。"
DOUBTFUL = "门边的桌子上有 4 盏灯。"
BAD = "Лампы стоят на столе."


def book_with(*answers: str | None, extra: str = "") -> Book:
    """A book with the answers of one attempt after the other; None for a reply without one."""
    book = Book(judge=Judge.of("zh_CN", None))
    for attempt, answer in enumerate(answers, start=1):
        reply = {} if answer is None else {"a1": answer}
        book.add({"a1": QUESTION.key}, json.dumps(reply) + extra, attempt=attempt)
    return book


def test_a_question_waits_for_its_first_answer() -> None:
    assert book_with().verdict(QUESTION).attempt == 1


def test_a_good_answer_ends_it() -> None:
    verdict = book_with(GOOD).verdict(QUESTION)
    assert (verdict.attempt, verdict.judged.msgstr) == (0, GOOD)


def test_a_refused_answer_is_put_again_with_the_reason() -> None:
    verdict = book_with(BAD).verdict(QUESTION)
    assert verdict.attempt == 2
    answer, reason = verdict.refused
    assert answer == BAD
    assert "another language" in reason


def test_a_doubtful_answer_is_put_again_and_kept_until_then() -> None:
    verdict = book_with(DOUBTFUL).verdict(QUESTION)
    assert verdict.attempt == 2
    assert verdict.judged.msgstr == DOUBTFUL
    assert "4" in verdict.refused[1]


def test_after_two_answers_the_better_one_counts() -> None:
    for answers, kept in (
        ((BAD, GOOD), GOOD),
        ((BAD, DOUBTFUL), DOUBTFUL),
        ((DOUBTFUL, BAD), DOUBTFUL),
        ((DOUBTFUL, GOOD), GOOD),
    ):
        verdict = book_with(*answers).verdict(QUESTION)
        assert (verdict.attempt, verdict.judged.msgstr) == (0, kept)


def test_two_bad_answers_leave_none() -> None:
    verdict = book_with(BAD, None).verdict(QUESTION)
    assert verdict.attempt == 0
    assert verdict.judged.refused is not None
    assert verdict.judged.refused is Reason.LANGUAGE


def test_a_reply_without_an_answer_is_put_again() -> None:
    verdict = book_with(None).verdict(QUESTION)
    assert verdict.attempt == 2
    assert verdict.judged.refused is not None
    assert verdict.judged.refused is Reason.NO_ANSWER
    assert book_with(GOOD, extra=" and more").verdict(QUESTION).attempt == 2


def test_an_answer_from_other_company_counts() -> None:
    """The first one stays, unless there was none in it."""
    book = book_with(None)
    book.add({"ffff": QUESTION.key}, json.dumps({"ffff": GOOD}), attempt=1)
    assert book.verdict(QUESTION).judged.msgstr == GOOD
    book.add({"eeee": QUESTION.key}, json.dumps({"eeee": BAD}), attempt=1)
    assert book.verdict(QUESTION).judged.msgstr == GOOD


def test_the_second_answer_alone_is_none() -> None:
    book = Book(judge=Judge.of("zh_CN", None))
    book.add({"a1": QUESTION.key}, json.dumps({"a1": GOOD}), attempt=2)
    assert book.verdict(QUESTION).attempt == 1


# Replies, taken apart.

IDS = ("a1", "b2")
NO_JSON = "the reply is not one JSON object"
MISSING = "the reply has no answer for it"
TWICE = "the reply answers it twice"
NO_TEXT = "the answer is not a string"


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ('{"a1": "一", "b2": "二"}', "一", "二"),
        ('{"b2": "二", "a1": "一"}', "一", "二"),
        ('{"a1": "一", "b2": "二", "c3": "三"}', "一", "二"),
        ('```json\n{"a1": "一", "b2": "二"}\n```', "一", "二"),
        ('<think>a "b"\n{}</think>{"a1": "一", "b2": "二"}', "一", "二"),
        ('{"a1": "一"}', "一", MISSING),
        ('{"a1": "一", "b2": "二", "a1": "三"}', TWICE, "二"),
        ('{"a1": "一", "b2": "二", "a1": "一"}', TWICE, "二"),
        ('{"a1": ["一"], "b2": null}', NO_TEXT, NO_TEXT),
        ("{}", MISSING, MISSING),
        ('["一", "二"]', NO_JSON, NO_JSON),
        ("Here they are: 一, 二", NO_JSON, NO_JSON),
        ('{"a1": "一", "b2"', NO_JSON, NO_JSON),
        ('{"a1": "一"} and so on', NO_JSON, NO_JSON),
        ("", NO_JSON, NO_JSON),
        ("[" * 100_000, NO_JSON, NO_JSON),
        ("9" * 10_000, NO_JSON, NO_JSON),
    ],
)
def test_each_question_has_an_answer_or_a_reason(
    text: str, first: str, second: str
) -> None:
    answers = read_reply(text, IDS)
    told = [
        answer if isinstance(answer, str) else answer.fault
        for answer in answers.values()
    ]
    assert (list(answers), told) == (list(IDS), [first, second])


@settings(max_examples=30)
@given(st.one_of(st.text(), st.recursive(st.text(), st.lists).map(repr)))
def test_any_text_is_read(text: str) -> None:
    assert set(read_reply(text, IDS)) == set(IDS)
