"""Badges: a label and a value as an SVG of our own, and as the JSON of shields.io's endpoint badge.

The pages of one locale go in, bytes of files come out. The SVG needs no other file and no font but
a sans-serif one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from pipeline import formerly
from pipeline.core.catalog.comparison import Comparison
from pipeline.core.progress import progress_of, whole_percent
from pipeline.core.results import PageResult
from pipeline.report.counts import counted

_COLOURS = {
    "green": "#2c8f3c",
    "yellow": "#9a7b00",
    "red": "#c0392b",
    "blue": "#2a6fb0",
}
_GOOD, _FAIR = 90, 50  # percent from which on a badge is green, or yellow
_SVG = "http://www.w3.org/2000/svg"
_FONT = 'font-family="Verdana,DejaVu Sans,sans-serif"'
_HEIGHT, _SIZE, _PADDING = 20, 11, 6
_NARROW = frozenset(" .,:;!'|ijl")
# Pixels of a letter; a wide one (Chinese) is as wide as high.
_NARROW_WIDTH, _WIDTH = 4, 7
_LAST_NARROW = 0x2E7F  # from the CJK radicals on, characters are wide


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """One badge. ``name`` is that of its files; ``colour`` is green, yellow, red or blue."""

    name: str
    label: str
    value: str
    colour: str


def badges_of(
    pages: Sequence[PageResult],
    *,
    version: str,
    locale: str,
    package: str = formerly.PACKAGE,
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


def to_svg(badge: Badge) -> bytes:
    """A stand-alone SVG: the label on grey, the value on the badge's colour."""
    left, right = _width(badge.label), _width(badge.value)
    width = left + right
    title = f"{badge.label}: {badge.value}"
    size = f'width="{width}" height="{_HEIGHT}"'
    # The label's own ground: only its left corners are round.
    label = f"M3 0h{left - 3}v{_HEIGHT}H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z"
    lines = (
        f'<svg xmlns="{_SVG}" {size} role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title, quote=False)}</title>",
        f'<rect {size} rx="3" fill="{_COLOURS[badge.colour]}"/>',
        f'<path d="{label}" fill="#444"/>',
        f'<g fill="#fff" {_FONT} font-size="{_SIZE}" text-anchor="middle">',
        _text(badge.label, middle=left / 2, width=left),
        _text(badge.value, middle=left + right / 2, width=right),
        "</g>",
        "</svg>",
    )
    return ("\n".join(lines) + "\n").encode("utf-8")


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


def _width(text: str) -> int:
    """About the pixels that a text takes, padding included."""
    return sum(_letter_width(character) for character in text) + 2 * _PADDING


def _letter_width(character: str) -> int:
    """About the pixels of one character: the file cannot ask the reader's font."""
    if character in _NARROW:
        return _NARROW_WIDTH
    if ord(character) > _LAST_NARROW:
        return _SIZE
    return _WIDTH


def _text(text: str, *, middle: float, width: int) -> str:
    """A text in its half; ``textLength`` stretches it to what was reckoned, in any font."""
    length = width - 2 * _PADDING
    return f'<text x="{middle:g}" y="14" textLength="{length}">{escape(text, quote=False)}</text>'
