"""The progress page: how much is translated, what to translate next, and a table of all pages.

What ``progress.json`` holds comes in, HTML goes out; others write the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from pipeline.core.results import whole_percent
from pipeline.site.templating import environment, source_of
from pipeline.site.texts import looks_english, words

if TYPE_CHECKING:
    from jinja2 import Template

NEXT = 8  # pages that are named as those to translate next


def to_body(progress: Mapping[str, Any], locale: str) -> str:
    """The body of the page for ``progress``: see the top of ``progress.html.j2`` for its values."""
    pages = {page["page"]: page for page in progress["pages"]}
    # Those that are not on the site any more are left out.
    upcoming = [pages[name] for name in progress["next"] if name in pages][:NEXT]
    return _template().render(
        progress=progress,
        upcoming=upcoming,
        said=words(locale, "progress"),
        locale=locale,
    )


def _words(number: int) -> str:
    """A number of words as people read it: ``12,345``."""
    return f"{number:,}"


def _share(part: int, whole: int) -> int:
    """Percent, rounded down: 100 only where all is done."""
    percent = whole_percent(part, whole)
    # Of nothing, all is done.
    return 100 if percent is None else percent


@cache
def _template() -> Template:
    """The template of the page: it is read and compiled once."""
    made = environment({"words": _words})
    made.globals["share"] = _share
    made.tests["english"] = looks_english
    return made.from_string(source_of("progress.html.j2"))
