"""core/drafting/outcome: what came of a run, counted over its pages."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pipeline.core.drafting.judging import Reason
from pipeline.core.drafting.outcome import Outcome, PageOutcome


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
    assert (run.drafted, run.unanswered, run.passed_over) == (7, 3, 1)
    assert (Outcome().drafted, Outcome().unanswered, Outcome().passed_over) == (0, 0, 0)


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
