"""``build/review.html``: a review to look at, as one file that needs no other and runs no script.

Every text goes through a template that escapes it: what translators write never becomes markup.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from pipeline.core.review.words import Part
from pipeline.log import printable
from pipeline.report.review.result import Review
from pipeline.report.review.wording import (
    between,
    counts_line,
    lacking_line,
    quiet_line,
    title,
)

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
        "css": _asset("report.css") + _asset("review.css"),
        "tags": {Part.REMOVED: "del", Part.ADDED: "ins"},
    }
    text: str = _environment().get_template("review.html.j2").render(values)
    return text.encode("utf-8", "backslashreplace")


def _visible(value: object) -> object:
    """What the template prints of ``value``: no control character reaches the page."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return printable(value)
    return value


@cache
def _environment() -> Environment:
    """The environment of the template, which is read once."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        autoescape=True,
        finalize=_visible,
        loader=FunctionLoader(_asset),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,  # a name that is misspelt fails a test
    )


@cache
def _asset(name: str) -> str:
    """A file that lies beside the template, as text."""
    return (resources.files("pipeline.report") / "templates" / name).read_text("utf-8")
