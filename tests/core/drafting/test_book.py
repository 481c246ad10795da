"""What is known of each question, whatever the order and the company that answers came in."""

from __future__ import annotations

import json

from draft_questions import question_of

from pipeline.core.drafting.book import Book, Next
from pipeline.core.drafting.judging import Judge, Reason

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
    assert book_with().verdict(QUESTION).next is Next.FIRST


def test_a_good_answer_ends_it() -> None:
    verdict = book_with(GOOD).verdict(QUESTION)
    assert (verdict.next, verdict.judged.msgstr) == (Next.NOTHING, GOOD)


def test_a_refused_answer_is_put_again_with_the_reason() -> None:
    verdict = book_with(BAD).verdict(QUESTION)
    assert verdict.next is Next.SECOND
    assert verdict.refused is not None
    assert verdict.refused.answer == BAD
    assert "another language" in verdict.refused.reason


def test_a_doubtful_answer_is_put_again_and_kept_until_then() -> None:
    verdict = book_with(DOUBTFUL).verdict(QUESTION)
    assert verdict.next is Next.SECOND
    assert verdict.judged.msgstr == DOUBTFUL
    assert verdict.refused is not None
    assert "4" in verdict.refused.reason


def test_after_two_answers_the_better_one_counts() -> None:
    for answers, kept in (
        ((BAD, GOOD), GOOD),
        ((BAD, DOUBTFUL), DOUBTFUL),
        ((DOUBTFUL, BAD), DOUBTFUL),
        ((DOUBTFUL, GOOD), GOOD),
    ):
        verdict = book_with(*answers).verdict(QUESTION)
        assert (verdict.next, verdict.judged.msgstr) == (Next.NOTHING, kept)


def test_two_bad_answers_leave_none() -> None:
    verdict = book_with(BAD, None).verdict(QUESTION)
    assert verdict.next is Next.NOTHING
    assert verdict.judged.refusal is not None
    assert verdict.judged.refusal.reason is Reason.LANGUAGE


def test_a_reply_without_an_answer_is_put_again() -> None:
    verdict = book_with(None).verdict(QUESTION)
    assert verdict.next is Next.SECOND
    assert verdict.judged.refusal is not None
    assert verdict.judged.refusal.reason is Reason.NO_ANSWER
    assert book_with(GOOD, extra=" and more").verdict(QUESTION).next is Next.SECOND


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
    assert book.verdict(QUESTION).next is Next.FIRST
