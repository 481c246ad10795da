"""How far the translation is, for the progress page and for programs (``progress.json``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pipeline.core.pin.lock import Lock
from pipeline.core.progress import progress_of
from pipeline.core.results import PageResult

_COUNTS = ("words", "translated", "fuzzy", "untranslated")


class Spot(NamedTuple):
    """Where a page stands in the contents of the site."""

    title: str
    group: str  # title of the part or chapter it belongs to
    level: int  # 1 for pages that the first page lists


def page_counts(pages: Sequence[PageResult]) -> list[dict[str, Any]]:
    """The English words of every page, by state. They add up: ``translated + fuzzy + untranslated = words``."""
    counts = []
    for page in pages:
        row = progress_of([page])
        counts.append(
            {
                "page": page.page,
                "words": row.words,
                "translated": row.translated_words,
                "fuzzy": row.fuzzy_words,
                "untranslated": row.untranslated_words,
            }
        )
    return counts


def facts(
    lock: Lock, pages: Sequence[PageResult], contributors: Mapping[str, int]
) -> dict[str, Any]:
    """What is known without the site's contents. ``release`` is that of JAX, whatever the docs are of."""
    names = sorted(contributors.items(), key=lambda item: (-item[1], item[0]))
    return {
        "title": "JAX",
        "release": lock.jax,
        "commit": lock.commit[:12],
        "date": lock.date[:10],
        "pages": page_counts(pages),
        "contributors": [{"name": name, "messages": messages} for name, messages in names],
    }


def progress(known: Mapping[str, Any], spots: Mapping[str, Spot]) -> dict[str, Any]:
    """What ``progress.json`` holds. ``spots`` has the pages of the site, in its order; others come last, without a group."""
    order = {page: number for number, page in enumerate(spots)}
    rows = sorted(known["pages"], key=lambda row: (order.get(row["page"], len(order)), row["page"]))
    pages = [_row(row, spots.get(row["page"])) for row in rows]
    scores = {row["page"]: _worth(row, order, spots) for row in rows if row["untranslated"]}
    following = sorted(scores, key=lambda page: (-scores[page], page))
    return {
        **known,
        **{key: sum(row[key] for row in rows) for key in _COUNTS},
        "pages": pages,
        "next": following,
    }


def _row(row: Mapping[str, Any], spot: Spot | None) -> dict[str, Any]:
    title, group = (spot.title, spot.group) if spot else (row["page"], "")
    return {**row, "title": title, "group": group, "url": f"{row['page']}.html"}


def _worth(row: Mapping[str, Any], order: Mapping[str, int], spots: Mapping[str, Spot]) -> float:
    """Words that wait, weighed by where readers come upon them: early and near the first page is worth more.

    A page that is partly translated is worth more too, for its readers are in the middle of it.
    """
    spot = spots.get(row["page"])
    if spot is None:
        return float(row["untranslated"] / 100)
    early = 2 - order[row["page"]] / max(1, len(order))
    begun = 1 + (row["translated"] + row["fuzzy"]) / row["words"]
    return float(row["untranslated"] ** 0.5 * early**2 * begun / spot.level)
