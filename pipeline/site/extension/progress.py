"""The progress page: what is translated, as a picture one likes to look at.

What ``progress.json`` holds comes in, HTML goes out; others write the files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pipeline.core.progress import whole_percent
from pipeline.site.templating import environment, source_of
from pipeline.site.texts import looks_english, words
from pipeline.site.treemap import Tile, treemap

if TYPE_CHECKING:
    from jinja2 import Template

# About the pixels that the map has on a desktop and on a phone: letters are as large on both.
_WIDE = Tile(0, 0, 1080, 600)
_TALL = Tile(0, 0, 358, 760)
_STRIP, _GAP = 22, 6
NEXT = 8  # pages that are named as those to translate next


@dataclass(frozen=True, slots=True)
class Shape:
    """The places of one rectangle in both layouts.

    They are as CSS's ``inset`` wants them: how far from each side of the map.
    """

    wide: str
    tall: str


@dataclass(frozen=True, slots=True)
class Section:
    """Pages of one group with their places, the largest first."""

    name: str
    shape: Shape
    pages: tuple[tuple[Mapping[str, Any], Shape], ...]


def to_body(progress: Mapping[str, Any], locale: str) -> str:
    """The body of the page for ``progress``: see the top of ``progress.html.j2`` for its values."""
    pages = {page["page"]: page for page in progress["pages"]}
    # Those that are not on the site any more are left out.
    upcoming = [pages[name] for name in progress["next"] if name in pages][:NEXT]
    return _template().render(
        progress=progress,
        sections=sections(progress["pages"]),
        upcoming=upcoming,
        said=words(locale, "progress"),
        locale=locale,
    )


def sections(pages: Sequence[Mapping[str, Any]]) -> list[Section]:
    """``pages`` by their ``group``, laid out. Groups and pages come largest first.

    Pages without words have no place.
    """
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for page in sorted(pages, key=lambda page: (-page["words"], page["page"])):
        # A page of code alone has nothing to translate.
        if page["words"]:
            groups.setdefault(page["group"], []).append(page)
    names = sorted(
        groups, key=lambda name: -sum(page["words"] for page in groups[name])
    )
    sizes = [[float(page["words"]) for page in groups[name]] for name in names]
    wide = treemap(sizes, _WIDE, strip=_STRIP, gap=_GAP)
    tall = treemap(sizes, _TALL, strip=_STRIP, gap=_GAP)
    laid_out: list[Section] = []
    for name, on_desktop, on_phone in zip(names, wide, tall, strict=True):
        tiles = zip(on_desktop.tiles, on_phone.tiles, strict=True)
        shapes = [_shape(*places) for places in tiles]
        section = Section(
            name,
            _shape(on_desktop.frame, on_phone.frame),
            tuple(zip(groups[name], shapes, strict=True)),
        )
        laid_out.append(section)
    return laid_out


def _shape(wide: Tile, tall: Tile) -> Shape:
    """The places of a tile on a desktop and of the same one on a phone."""
    return Shape(_inset(wide, _WIDE), _inset(tall, _TALL))


def _inset(tile: Tile, room: Tile) -> str:
    """How far a tile is from the top, right, bottom and left of its room, in percent.

    The upper left quarter: ``0.00% 50.00% 50.00% 0.00%``.
    """
    right = (room.width - tile.x - tile.width) / room.width
    bottom = (room.height - tile.y - tile.height) / room.height
    sides = (tile.y / room.height, right, bottom, tile.x / room.width)
    # Rounding must not let a tile stick out.
    return " ".join(f"{100 * max(0.0, side):.2f}%" for side in sides)


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
