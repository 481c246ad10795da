"""The progress page: what is translated, as a picture one likes to look at. Values in, HTML out; the files are written by others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from pipeline.core.progress import whole_percent
from pipeline.site.treemap import Group, Tile, treemap

if TYPE_CHECKING:
    from jinja2 import Template

_WIDE = Tile(0, 0, 1080, 600)  # about the pixels that the map has on a desktop …
_TALL = Tile(0, 0, 358, 760)  # … and on a phone: letters are as large as there
_STRIP, _GAP = 22, 6
NEXT = 8  # pages that are named as those to translate next


@dataclass(frozen=True, slots=True)
class Shape:
    """The places of one rectangle in both layouts, as CSS's ``inset`` wants them: how far from each side of the map."""

    wide: str
    tall: str


@dataclass(frozen=True, slots=True)
class Section:
    """Pages of one group with their places, the largest first."""

    name: str
    shape: Shape
    pages: tuple[tuple[Mapping[str, Any], Shape], ...]


def to_body(progress: Mapping[str, Any]) -> str:
    """The body of the page for ``progress``, which is what ``progress.json`` holds: see the top of ``progress.html.j2``."""
    pages = {page["page"]: page for page in progress["pages"]}
    upcoming = [pages[name] for name in progress["next"] if name in pages][:NEXT]
    return _template().render(
        progress=progress, sections=sections(progress["pages"]), upcoming=upcoming
    )


def sections(pages: Sequence[Mapping[str, Any]]) -> list[Section]:
    """``pages`` by their ``group``, laid out; pages without words have no place. Groups and pages come largest first."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for page in sorted(pages, key=lambda page: (-page["words"], page["page"])):
        if page["words"]:
            groups.setdefault(page["group"], []).append(page)
    ordered = sorted(groups.items(), key=lambda item: -sum(page["words"] for page in item[1]))
    sizes = [[float(page["words"]) for page in group] for _, group in ordered]
    wide, tall = (treemap(sizes, room, strip=_STRIP, gap=_GAP) for room in (_WIDE, _TALL))
    return [
        _section(name, group, *places)
        for (name, group), *places in zip(ordered, wide, tall, strict=True)
    ]


def _section(name: str, pages: Sequence[Mapping[str, Any]], wide: Group, tall: Group) -> Section:
    shapes = (_shape(*tiles) for tiles in zip(wide.tiles, tall.tiles, strict=True))
    return Section(name, _shape(wide.frame, tall.frame), tuple(zip(pages, shapes, strict=True)))


def _shape(wide: Tile, tall: Tile) -> Shape:
    return Shape(_percent(wide, _WIDE), _percent(tall, _TALL))


def _percent(tile: Tile, room: Tile) -> str:
    right, bottom = room.width - tile.x - tile.width, room.height - tile.y - tile.height
    sides = (tile.y / room.height, right / room.width, bottom / room.height, tile.x / room.width)
    return " ".join(f"{100 * max(0.0, side):.2f}%" for side in sides)


def _words(number: int) -> str:
    return f"{number:,}"


def _share(part: int, whole: int) -> int:
    """Percent, rounded down: 100 only where all is done."""
    percent = whole_percent(part, whole)
    return 100 if percent is None else percent  # of nothing, all is done


def _is_english(title: str) -> bool:
    return not any("\u4e00" <= letter <= "\u9fff" for letter in title)


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["words"] = _words
    environment.globals["share"] = _share
    environment.tests["english"] = _is_english
    source = (
        resources.files("pipeline.site")
        .joinpath("templates", "progress.html.j2")
        .read_text(encoding="utf-8")
    )
    return environment.from_string(source)
