"""Rows of the report: the counts of a page with what it includes."""

from __future__ import annotations

from pipeline.core.results import PageResult

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
