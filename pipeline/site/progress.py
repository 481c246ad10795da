"""Progress of the translation as plain values, and the page that leads to several sites.

All counts are numbers of English words. For each page and for all pages,
``translated + fuzzy + untranslated = words``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult, whole_percent
from pipeline.site.texts import words

if TYPE_CHECKING:
    from jinja2 import Environment, Template


def environment(filters: Mapping[str, Callable[..., object]]) -> Environment:
    """Return a Jinja environment with the given ``filters``."""
    from jinja2 import Environment, StrictUndefined

    made = Environment(
        autoescape=True,  # inserted text cannot become markup
        undefined=StrictUndefined,  # a misspelt name raises an error
        # Lines that have only template tags leave no empty lines in the page.
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(filters)
    return made


def source_of(name: str) -> str:
    """Return the source text of a template."""
    folder = resources.files("pipeline.site") / "templates"
    return (folder / name).read_text(encoding="utf-8")


@cache
def template(name: str) -> Template:
    """Return a compiled template, without filters of our own."""
    return environment({}).from_string(source_of(name))


_COUNTS = ("words", "translated", "fuzzy", "untranslated")


class ContentsPosition(Struct, frozen=True):
    """Position of a page in the site's table of contents."""

    title: str
    group: str  # title of the part or chapter that contains the page


class Reach(Struct, frozen=True):
    """How easily readers reach a page."""

    steps: int  # links to follow from the first page
    links: int  # pages that link to it


def facts(
    lock: Lock,
    pages: Sequence[PageResult],
    contributors: Mapping[str, int],
    *,
    others: Sequence[Mapping[str, Any]] = (),
    title: str = "",
) -> dict[str, Any]:
    """Return the values of ``progress.json`` that are known before Sphinx runs.

    ``contributors`` maps names to numbers of translated messages; the result has the largest number
    first. ``others`` are counts of pages that are not part of this run. ``title`` is the name of
    the documented package or of the docs.
    """
    rows = [
        {
            "page": page.page,
            "words": page.words,
            "translated": page.translated_words,
            "fuzzy": page.fuzzy_words,
            "untranslated": page.untranslated_words,
        }
        for page in pages
    ]
    # Ties are sorted by name, so that equal facts give an equal file.
    names = sorted(contributors, key=lambda name: (-contributors[name], name))
    return {
        "title": title or lock.package,
        "release": lock.version,
        "commit": lock.commit[:12],
        "date": lock.date[:10],
        "pages": sorted([*rows, *others], key=lambda row: row["page"]),
        "contributors": [{"name": name, "messages": contributors[name]} for name in names],
    }


def progress(
    known: Mapping[str, Any],
    spots: Mapping[str, ContentsPosition],
    reach: Mapping[str, Reach],
) -> dict[str, Any]:
    """Return the content of ``progress.json``.

    ``known`` comes from ``facts``. ``spots`` are the pages in the order of the table of contents;
    other pages come last, without a group. ``next`` in the result lists the pages with untranslated
    words. By ``reach``, pages near the first page come first.
    """
    order = {page: number for number, page in enumerate(spots)}
    last = len(order)
    rows = sorted(known["pages"], key=lambda row: (order.get(row["page"], last), row["page"]))
    pages: list[dict[str, Any]] = []
    for row in rows:
        page = row["page"]
        spot = spots.get(page, ContentsPosition(page, ""))
        pages.append({**row, **to_builtins(spot), "url": f"{page}.html"})
    totals = {count: sum(row[count] for row in rows) for count in _COUNTS}
    waiting = [row["page"] for row in rows if row["untranslated"]]
    # The sort is stable: pages of the same rank stay in the order of the table of contents.
    upcoming = sorted(waiting, key=lambda page: _rank(reach.get(page)))
    return {**known, **totals, "pages": pages, "next": upcoming}


def _rank(reach: Reach | None) -> tuple[bool, int, int]:
    """Return a sort key: near pages come first, then pages to which many pages link."""
    # If ``reach`` is None, readers cannot reach the page from the first page, so it comes last.
    if reach is None:
        return True, 0, 0
    return False, reach.steps, -reach.links


class SiteSummary(Struct, frozen=True, kw_only=True):
    """One of several sites: its folder, its title, and its ``progress.json``."""

    name: str
    title: str
    progress: Mapping[str, Any]


def front_page(sites: Sequence[SiteSummary], *, locale: str) -> str:
    """Return the HTML of the page that leads to several sites in one language."""
    said = words(locale, "front")
    rows = [
        {
            "name": site.name,
            "title": site.title,
            "facts": _facts(site.progress, said["translated"]),
        }
        for site in sites
    ]
    page = template("front.html.j2").render(
        language=locale.replace("_", "-"),
        title=said["title"],
        sites=rows,
    )
    return f"{page}\n"


def _facts(progress: Mapping[str, Any], translated: str) -> str:
    """Return title, version and translated share of a site: ``Lamps 1.2.0 · 64 % translated``."""
    percent = whole_percent(int(progress["translated"]), int(progress["words"]))
    if percent is None:  # docs without any words to translate
        percent = 100
    title, release = str(progress["title"]), str(progress["release"])
    return f"{title} {release}".strip() + f" · {translated.format(percent)}"
