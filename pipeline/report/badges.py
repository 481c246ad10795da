"""Badges: a label and a value as the JSON of shields.io's endpoint badge.

The pages of one locale go in, bytes of files come out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.core.catalog.comparison import Comparison
from pipeline.core.progress import progress_of, whole_percent
from pipeline.core.results import PageResult
from pipeline.report.counts import counted

_GOOD, _FAIR = 90, 50  # percent from which on a badge is green, or yellow


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """One badge. ``name`` is that of its file; ``colour`` is green, yellow, red or blue."""

    name: str
    label: str
    value: str
    colour: str


def badges_of(
    pages: Sequence[PageResult],
    *,
    version: str,
    locale: str,
    package: str,
    comparison: Comparison | None = None,
) -> tuple[Badge, ...]:
    """The badges of one locale.

    They tell how much is translated, for which version and, if that was compared, how far behind.
    """
    badges: tuple[Badge, ...] = (_translated(pages, locale),)
    if package and version:
        name = re.sub(r"[^\w-]+", "-", package).lower()
        badges += (Badge(name=name, label=package, value=version, colour="blue"),)
    if comparison:
        return (*badges, _behind(comparison))
    return badges


def to_endpoint(badge: Badge) -> bytes:
    """JSON for https://shields.io/badges/endpoint-badge."""
    record = {
        "schemaVersion": 1,
        "label": badge.label,
        "message": badge.value,
        "color": badge.colour,
    }
    return (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def _translated(pages: Sequence[PageResult], locale: str) -> Badge:
    """How much is translated; nothing of nothing is 0 %, for a badge has to say a number."""
    progress = progress_of(pages)
    percent = whole_percent(progress.translated, progress.messages) or 0
    colour = "red"
    if percent >= _GOOD:
        colour = "green"
    elif percent >= _FAIR:
        colour = "yellow"
    return Badge(
        name="translated",
        label=f"translated {locale}",
        value=f"{percent} %",
        colour=colour,
    )


def _behind(comparison: Comparison) -> Badge:
    """How many messages an upgrade would give translators to do."""
    before = comparison.before.ref or "docs"
    after = comparison.after.ref or "HEAD"
    # What moved or was dropped leaves a translator nothing to do.
    count = sum(change.added + change.changed for change in comparison.pages)
    value, colour = "up to date", "green"
    if count:
        value, colour = f"behind by {counted(count, 'message')}", "yellow"
    return Badge(
        name="behind", label=f"{before} against {after}", value=value, colour=colour
    )
