"""How far the translation is, for the progress page and for programs (``progress.json``).

The counts of every page come in, and where each stands in the contents of the site; plain values
go out. The counts of a page, and of all pages, add up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.core.pin.lock import Lock
from pipeline.core.progress import progress_of
from pipeline.core.results import PageResult

_COUNTS = ("words", "translated", "fuzzy", "untranslated")


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a page stands in the contents of the site."""

    title: str
    group: str  # title of the part or chapter it belongs to
    level: int  # 1 for pages that the first page lists


def page_counts(pages: Sequence[PageResult]) -> list[dict[str, Any]]:
    """The English words of every page, by state.

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
    lock: Lock, pages: Sequence[PageResult], contributors: Mapping[str, int]
) -> dict[str, Any]:
    """What is known without the contents of the site.

    ``release`` is that of JAX, whatever the docs are of. ``contributors`` have translated so many
    messages; those with the most come first.
    """
    # Of those with as many the name decides: equal facts are an equal file.
    names = sorted(contributors, key=lambda name: (-contributors[name], name))
    return {
        "title": "JAX",
        "release": lock.jax,
        "commit": lock.commit[:12],
        "date": lock.date[:10],
        "pages": page_counts(pages),
        "contributors": [
            {"name": name, "messages": contributors[name]} for name in names
        ],
    }


def progress(known: Mapping[str, Any], spots: Mapping[str, Spot]) -> dict[str, Any]:
    """What ``progress.json`` holds, from ``facts`` and the pages of the site in its order.

    Pages that are not in the contents come last, without a group. ``next`` are those that wait for
    a translator, the worthiest first.
    """
    order = {page: number for number, page in enumerate(spots)}
    last = len(order)
    rows = sorted(
        known["pages"], key=lambda row: (order.get(row["page"], last), row["page"])
    )
    pages: list[dict[str, Any]] = []
    worth: dict[str, float] = {}
    for row in rows:
        page = row["page"]
        spot = spots.get(page)
        title, group = (spot.title, spot.group) if spot else (page, "")
        pages.append({**row, "title": title, "group": group, "url": f"{page}.html"})
        if row["untranslated"] and spot:
            worth[page] = _worth(row, spot, order[page] / max(1, last))
        elif row["untranslated"]:
            # Readers hardly find a page that no contents lists.
            worth[page] = float(row["untranslated"] / 100)
    totals = {count: sum(row[count] for row in rows) for count in _COUNTS}
    upcoming = sorted(worth, key=lambda page: (-worth[page], page))
    return {**known, **totals, "pages": pages, "next": upcoming}


def _worth(row: Mapping[str, Any], spot: Spot, place: float) -> float:
    """Words that wait, weighed by where readers come upon them: early and near the first page.

    ``place`` is 0 for the first page of the contents and nearly 1 for the last one.
    """
    early = 2 - place
    # Readers of a page that is partly translated are in the middle of it.
    begun = 1 + (row["translated"] + row["fuzzy"]) / row["words"]
    # A long page is worth more, but its length is also work: it counts with its square root.
    return float(row["untranslated"] ** 0.5 * early**2 * begun / spot.level)
