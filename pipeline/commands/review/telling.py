"""Tell a review: the file to look at, the form that was asked for, a workflow's summary."""

from __future__ import annotations

from pathlib import Path

from pipeline.adapters.files import append_text, write_if_changed
from pipeline.log import Log
from pipeline.paths import Paths
from pipeline.report.chinese import ENGLISH, Language
from pipeline.report.review.html import review_html
from pipeline.report.review.json import review_json
from pipeline.report.review.markdown import STEP_SUMMARY, review_markdown
from pipeline.report.review.result import Review
from pipeline.report.review.text import review_text


def tell_review(
    review: Review, form: str, paths: Paths, log: Log, language: Language = ENGLISH
) -> str:
    """Write ``build/review.html``, and return what is printed.

    ``form`` is one of ``arguments.REVIEW_FORMATS``. Text for a terminal is in ``language``.
    Raises WriteError.
    """
    page = review_html(review)
    write_if_changed(paths.review_page, page)
    match form:
        case "json":
            return review_json(review).decode("utf-8")
        case "markdown":
            return review_markdown(review)
        case "html":
            return page.decode("utf-8")
        case _:
            shown = paths.review_page.relative_to(paths.root).as_posix()
            log.note(f"look at {shown}")
            return review_text(review, language)


def summarise_review(review: Review, path: Path) -> None:
    """Add the review to a summary that GitHub shows on the page of a workflow run."""
    append_text(path, review_markdown(review, STEP_SUMMARY))
