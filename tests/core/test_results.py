"""core/results: the rows of a run, and how far their translation is."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pipeline.core.results import PageResult, progress_of, whole_percent

PAGE = PageResult(page="news", messages=1, words=3, translated=1, translated_words=3)
PART = PageResult(
    page="_outside/NEWS",
    messages=4,
    words=20,
    fuzzy=1,
    fuzzy_words=5,
    drafts=1,
    draft_words=5,
    rest_words=900,
    code_cells=2,
)


def test_counts_add_up_and_all_else_is_the_pages() -> None:
    both = PAGE.with_included([PART, PART])
    assert (both.messages, both.words, both.translated_words) == (9, 43, 3)
    assert (both.fuzzy, both.drafts, both.rest_words) == (2, 2, 1800)
    assert (both.page, both.code_cells) == ("news", 0)
    assert PAGE.with_included([]) == PAGE


def test_sums_over_pages() -> None:
    progress = progress_of([PAGE, PART])
    assert progress == replace(
        PART,
        page="",
        code_cells=0,
        messages=5,
        words=23,
        translated=1,
        translated_words=3,
    )
    words = (progress.untranslated_words, progress.words_to_do)
    assert (progress.untranslated, *words) == (3, 15, 20)
    assert progress_of(()) == PageResult(page="")


@pytest.mark.parametrize(
    ("part", "whole", "percent"),
    [(0, 0, None), (0, 3, 0), (999, 1000, 99), (3, 3, 100)],
)
def test_percent_is_rounded_down(part: int, whole: int, percent: int | None) -> None:
    assert whole_percent(part, whole) == percent
