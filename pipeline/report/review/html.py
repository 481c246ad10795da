"""``build/review.html``: a review to look at, as one file that needs no other and runs no script.

Every text goes through a template that escapes it: what translators write never becomes markup.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pipeline.core.word_diff import Part
from pipeline.report.review.result import Review
from pipeline.report.review.wording import (
    between,
    counts_line,
    lacking_line,
    quiet_line,
    title,
)
from pipeline.report.templating import asset, environment

if TYPE_CHECKING:
    from jinja2 import Environment


def review_html(review: Review) -> bytes:
    """The whole file, UTF-8."""
    values = {
        "review": review,
        "title": title(review),
        "between": between(review),
        "counts": counts_line(review),
        "remarks": tuple(filter(None, (quiet_line(review), lacking_line(review)))),
        "css": asset("report.css") + asset("review.css"),
        "tags": {Part.REMOVED: "del", Part.ADDED: "ins"},
    }
    text: str = _environment().get_template("review.html.j2").render(values)
    return text.encode("utf-8", "backslashreplace")


@cache
def _environment() -> Environment:
    """The environment of the template, which is read once."""
    return environment({})
