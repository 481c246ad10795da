"""Progress of the translation, as plain values, and the page that leads to several sites.

The counts of a page, and of all pages, add up: ``translated + fuzzy + untranslated = words``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult, progress_of, whole_percent
from pipeline.site.texts import words

if TYPE_CHECKING:
    from jinja2 import Environment, Template


def environment(filters: Mapping[str, Callable[..., object]]) -> Environment:
    """Return an environment of templates that have ``filters``."""
    from jinja2 import Environment, StrictUndefined

    made = Environment(
        autoescape=True,  # no text becomes markup
        undefined=StrictUndefined,  # a name that is misspelt fails a test
        # Tags of the template on lines of their own leave no empty lines in the page.
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(filters)
    return made


def source_of(name: str) -> str:
    """Return the text of a template."""
    folder = resources.files("pipeline.site") / "templates"
    return (folder / name).read_text(encoding="utf-8")


@cache
def template(name: str) -> Template:
    """Return a compiled template without filters of its own."""
    return environment({}).from_string(source_of(name))


_COUNTS = ("words", "translated", "fuzzy", "untranslated")


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a page stands in the contents of the site."""

    title: str
    group: str  # title of the part or chapter it belongs to


@dataclass(frozen=True, slots=True)
class Reach:
    """How readers come to a page."""

    steps: int  # links to follow from the first page
    links: int  # pages that lead to it


def page_counts(pages: Sequence[PageResult]) -> list[dict[str, Any]]:
    """Return the English words of every page, by state.

    They add up: ``translated + fuzzy + untranslated = words``.
    """
    rows = []
    for page in pages:
        counts = progress_of([page])
        row = {
            "page": page.page,
            "words": counts.words,
            "translated": counts.translated_words,
            "fuzzy": counts.fuzzy_words,
            "untranslated": counts.untranslated_words,
        }
        rows.append(row)
    return rows


def facts(
    lock: Lock,
    pages: Sequence[PageResult],
    contributors: Mapping[str, int],
    *,
    others: Sequence[Mapping[str, Any]] = (),
    title: str = "",
) -> dict[str, Any]:
    """Return what is known without the contents of the site.

    ``others`` are the counts of pages that are known from an earlier build.
    ``title`` is what is translated; ``release`` its version, perhaps empty. ``contributors`` have
    translated so many messages; those with the most come first.
    """
    # Of those with as many the name decides: equal facts are an equal file.
    names = sorted(contributors, key=lambda name: (-contributors[name], name))
    return {
        "title": title or lock.package,
        "release": lock.version,
        "commit": lock.commit[:12],
        "date": lock.date[:10],
        "pages": sorted([*page_counts(pages), *others], key=lambda row: row["page"]),
        "contributors": [
            {"name": name, "messages": contributors[name]} for name in names
        ],
    }


def progress(
    known: Mapping[str, Any], spots: Mapping[str, Spot], reach: Mapping[str, Reach]
) -> dict[str, Any]:
    """Return the content of ``progress.json``, from ``facts`` and the pages in order.

    Pages that are not in the contents come last, without a group. ``next`` are those that wait for
    a translator, the ones that readers meet first first.
    """
    order = {page: number for number, page in enumerate(spots)}
    last = len(order)
    rows = sorted(
        known["pages"], key=lambda row: (order.get(row["page"], last), row["page"])
    )
    pages: list[dict[str, Any]] = []
    for row in rows:
        page = row["page"]
        spot = spots.get(page)
        title, group = (spot.title, spot.group) if spot else (page, "")
        pages.append({**row, "title": title, "group": group, "url": f"{page}.html"})
    totals = {count: sum(row[count] for row in rows) for count in _COUNTS}
    waiting = [row["page"] for row in rows if row["untranslated"]]
    # Those that are as near, and as much linked to, stay in the order of the contents.
    upcoming = sorted(waiting, key=lambda page: _rank(reach.get(page)))
    return {**known, **totals, "pages": pages, "next": upcoming}


def _rank(reach: Reach | None) -> tuple[bool, int, int]:
    """Return a sort key: pages near the first one come first, then much linked ones."""
    # No way leads to a page that only an address or the search finds.
    if reach is None:
        return True, 0, 0
    return False, reach.steps, -reach.links


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteOf:
    """One of the sites: its folder, its title, and what its ``progress.json`` says."""

    name: str
    title: str
    progress: Mapping[str, Any]


def front_page(sites: Sequence[SiteOf], *, locale: str) -> str:
    """Return the page that leads to sites in one language."""
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
    """Return what is translated, and how much of it: ``Lamps 1.2.0 · 64 % translated``."""
    percent = whole_percent(int(progress["translated"]), int(progress["words"]))
    if percent is None:  # docs without a word to translate
        percent = 100
    title, release = str(progress["title"]), str(progress["release"])
    return f"{title} {release}".strip() + f" · {translated.format(percent)}"
