"""Tell a review: the page to look at, Markdown if that was asked for, a workflow's summary."""

from __future__ import annotations

from pathlib import Path

from pipeline.adapters.files import append_text, write_if_changed
from pipeline.log import Log
from pipeline.paths import Paths
from pipeline.report.review.html import review_html
from pipeline.report.review.markdown import STEP_SUMMARY, review_markdown
from pipeline.report.review.result import Review
from pipeline.report.review.wording import lacking_line, title


def write_review(review: Review, paths: Paths, log: Log) -> None:
    """Write ``build/review.html``; report its size, files that cannot be read, and where it is.

    Raises WriteError.
    """
    write_if_changed(paths.review_page, review_html(review))
    for problem in review.problems:
        log.warn(f"{problem.place}: {problem.text}")
    log.note(title(review))
    if review.lacks_english:
        log.note(lacking_line(review))
    log.note(f"look at {paths.review_page.relative_to(paths.root).as_posix()}")


def summarise_review(review: Review, path: Path) -> None:
    """Add the review to a summary that GitHub shows on the page of a workflow run."""
    append_text(path, review_markdown(review, STEP_SUMMARY))
