"""How far a translation is, over some pages."""

from __future__ import annotations

import pytest

from pipeline.core.progress import Progress, progress_of, whole_percent
from pipeline.core.results import PageResult

PAGES = (
    PageResult(
        page="a",
        messages=5,
        translated=2,
        fuzzy=1,
        words=50,
        translated_words=20,
        fuzzy_words=5,
    ),
    PageResult(page="b", messages=1, translated=1, words=7, translated_words=7),
)


def test_sums_over_pages() -> None:
    progress = progress_of(PAGES)
    assert progress == Progress(
        messages=6, translated=3, fuzzy=1, words=57, translated_words=27, fuzzy_words=5
    )
    assert (
        progress.untranslated,
        progress.untranslated_words,
        progress.words_to_do,
    ) == (2, 25, 30)


def test_no_pages_have_nothing() -> None:
    assert progress_of(()) == Progress()


@pytest.mark.parametrize(
    ("part", "whole", "percent"),
    [(0, 0, None), (0, 3, 0), (999, 1000, 99), (3, 3, 100)],
)
def test_percent_is_rounded_down(part: int, whole: int, percent: int | None) -> None:
    assert whole_percent(part, whole) == percent
