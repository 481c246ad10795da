"""What a run probably takes, and what came of it, counted over its pages."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from draft_questions import entry_of, question_of

from pipeline.core.drafting.batch import Asking, Batch, batches_of
from pipeline.core.drafting.judge import Reason
from pipeline.core.drafting.outcome import Outcome, PageOutcome, estimate, tokens_of


def page(refused: Mapping[Reason, int] | None = None, **counts: int) -> PageOutcome:
    return PageOutcome(
        locale="zh_CN",
        page="page",
        refused=refused or {},
        **counts,
    )


def test_the_counts_of_a_run_are_those_of_its_pages() -> None:
    pages = (page(drafted=2, unanswered=3), page(drafted=5, passed_over=1))
    run = Outcome(pages=pages)
    counts = ("drafted", "unanswered", "passed_over")
    assert [run.total(name) for name in counts] == [7, 3, 1]
    assert Outcome().total("drafted") == 0


def test_reasons_are_counted_over_all_pages_the_most_frequent_first() -> None:
    pages = (
        page({Reason.LENGTH: 2, Reason.ATOMS: 1}),
        page(drafted=1),
        page({Reason.ATOMS: 4}),
    )
    assert list(Outcome(pages=pages).refused.items()) == [
        (Reason.ATOMS, 5),
        (Reason.LENGTH, 2),
    ]


@pytest.mark.parametrize(
    ("outcome", "is_vain"),
    [
        (Outcome(pages=(page({Reason.LENGTH: 2}),), calls=1), True),
        # Terms of the glossary are no answers of the model.
        (
            Outcome(pages=(page({Reason.LENGTH: 2}, drafted=3, terms=3),), calls=1),
            True,
        ),
        (Outcome(pages=(page({Reason.LENGTH: 2}, drafted=1),), calls=1), False),
        # The replies of an earlier run were refused once more.
        (Outcome(pages=(page({Reason.LENGTH: 2}),)), False),
        (Outcome(pages=(page(unanswered=2),), calls=1), False),
        (Outcome(), False),
    ],
    ids=["refused", "only terms", "one draft", "no call", "no answer", "nothing"],
)
def test_a_run_is_vain_if_no_answer_of_the_model_was_kept(
    outcome: Outcome, is_vain: bool
) -> None:
    assert outcome.is_vain is is_vain


def batch_of(*texts: str) -> Batch:
    page = [entry_of(text) for text in texts]
    questions = [question_of(text) for text in texts]
    asking = Asking(model="m", locale="zh_CN")
    (batch,) = batches_of(asking, page, questions, examples={}, refused={})
    return batch


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("the cat sat on the mat", 6),
        ("译文" * 10, 23),
        ("12", 1.8),
        ("{}();", 1.2),
    ],
)
def test_tokens_are_estimated_by_kinds_of_characters(text: str, tokens: float) -> None:
    assert tokens_of(text) == pytest.approx(tokens, rel=0.15)


def test_an_estimate_adds_up_its_batches() -> None:
    one, two = batch_of("One lamp."), batch_of("Two lamps and `a`.", "Three lamps.")
    sums = [sum(pair) for pair in zip(estimate([one]), estimate([two]), strict=True)]
    assert estimate([one, two]) == pytest.approx(sums, abs=1)
    assert estimate([]) == (0, 0)
