"""Badges: a label and a value as an SVG of our own, and as the JSON that shields.io's endpoint badge reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from pipeline.core.results import Comparison, PageResult

_COLOURS = {"green": "#2c8f3c", "yellow": "#9a7b00", "red": "#c0392b", "blue": "#2a6fb0"}
_HEIGHT, _SIZE, _PADDING = 20, 11, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """One badge. ``name`` is that of its files; ``colour`` is green, yellow, red or blue."""

    name: str
    label: str
    value: str
    colour: str


def badges_of(
    pages: Sequence[PageResult], *, jax: str, locale: str, comparison: Comparison | None = None
) -> tuple[Badge, ...]:
    """The badges of one locale: how much is translated, for which JAX and, if compared, how far behind."""
    messages, done = sum(page.messages for page in pages), sum(page.translated for page in pages)
    percent = 100 * done // messages if messages else 0
    colour = "green" if percent >= 90 else "yellow" if percent >= 50 else "red"
    badges = [
        Badge(name="translated", label=f"translated {locale}", value=f"{percent} %", colour=colour),
        Badge(name="jax", label="JAX", value=jax, colour="blue"),
    ]
    if comparison:
        count = sum(change.added + change.changed for change in comparison.pages)
        value = f"behind by {count} message{'' if count == 1 else 's'}" if count else "up to date"
        label = f"{comparison.before.ref or 'docs'} against {comparison.after.ref or 'HEAD'}"
        badges.append(
            Badge(name="behind", label=label, value=value, colour="yellow" if count else "green")
        )
    return tuple(badges)


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
    """A stand-alone SVG that needs no font but a sans-serif one."""
    left, right = (_width(text) for text in (badge.label, badge.value))
    title = f"{badge.label}: {badge.value}"
    width, colour = left + right, _COLOURS[badge.colour]
    lines = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" role="img" aria-label={quoteattr(title)}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{_HEIGHT}" rx="3" fill="{colour}"/>',
        f'<path d="M3 0h{left - 3}v{_HEIGHT}H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#444"/>',
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="{_SIZE}" text-anchor="middle">',
        _text(badge.label, middle=left / 2, width=left),
        _text(badge.value, middle=left + right / 2, width=right),
        "</g>",
        "</svg>",
    )
    return ("\n".join(lines) + "\n").encode("utf-8")


def _width(text: str) -> int:
    """About the pixels that a text takes, padding included: narrow, wide (Chinese) and other characters."""
    pixels = sum(
        4 if character in " .,:;!'|ijl" else _SIZE if ord(character) > 0x2E7F else 7
        for character in text
    )
    return pixels + 2 * _PADDING


def _text(text: str, *, middle: float, width: int) -> str:
    return f'<text x="{middle:g}" y="14" textLength="{width - 2 * _PADDING}">{escape(text)}</text>'
