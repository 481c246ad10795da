"""A treemap: rectangles whose areas are as the sizes, as square as can be. Numbers in, numbers out.

The way to lay it out is that of M. Bruls, K. Huizing and J. J. van Wijk, "Squarified Treemaps"
(2000): rows are filled along the shorter side of what is left, as long as that makes the worst
rectangle of the row squarer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tile:
    """A rectangle, in the units that ``squarify`` was given."""

    x: float
    y: float
    width: float
    height: float

    @property
    def is_wide(self) -> bool:
        """Whether its height is the shorter side; of a square as well."""
        return self.width >= self.height


@dataclass(frozen=True, slots=True)
class Group:
    """Tiles with a common name, and the room that they share with the strip above that shows it."""

    frame: Tile
    tiles: tuple[Tile, ...]


def squarify(sizes: Sequence[float], room: Tile) -> tuple[Tile, ...]:
    """``room`` shared out: a tile per size, in the order given. Sizes are not negative.

    What has no size gets a tile without area, in the corner of the room.
    """
    tiles = [Tile(room.x, room.y, 0.0, 0.0)] * len(sizes)
    order = [index for index, size in enumerate(sizes) if size > 0]
    # The largest first: so the rows are squarest.
    order.sort(key=lambda index: -sizes[index])
    total = sum(sizes[index] for index in order)
    area = room.width * room.height
    if not total or not area:
        return tuple(tiles)
    # From here on sizes are areas of the room.
    scale = area / total
    areas = [sizes[index] * scale for index in order]
    while areas:
        count = _row_length(areas, min(room.width, room.height))
        placed, room = _place_row(areas[:count], room)
        for index, tile in zip(order[:count], placed, strict=True):
            tiles[index] = tile
        areas, order = areas[count:], order[count:]
    return tuple(tiles)


def treemap(
    groups: Sequence[Sequence[float]], room: Tile, *, strip: float, gap: float = 0.0
) -> tuple[Group, ...]:
    """A treemap of treemaps: ``room`` shared out among ``groups``, each share among its sizes.

    A ``strip`` at the top of each share stays free for the name of the group; a share too low for
    that does without. ``gap`` stays free between groups.
    """
    # A gap wider and higher, so that no gap is left at the far edges.
    wider = Tile(room.x, room.y, room.width + gap, room.height + gap)
    shares = squarify([sum(group) for group in groups], wider)
    laid_out: list[Group] = []
    for group, share in zip(groups, shares, strict=True):
        width, height = max(0.0, share.width - gap), max(0.0, share.height - gap)
        frame = Tile(share.x, share.y, width, height)
        used = strip if height > 2 * strip else 0.0
        below = Tile(frame.x, frame.y + used, width, height - used)
        laid_out.append(Group(frame, squarify(group, below)))
    return tuple(laid_out)


def _row_length(areas: Sequence[float], side: float) -> int:
    """How many of ``areas``, the largest first, make a good row along ``side``."""
    total = 0.0
    worst_so_far = float("inf")
    for count, area in enumerate(areas):
        total += area
        # The worst ratio of sides in the row is that of its largest or of its smallest rectangle.
        worst = max(side**2 * areas[0] / total**2, total**2 / (side**2 * area))
        if worst > worst_so_far:
            return count
        worst_so_far = worst
    return len(areas)


def _place_row(areas: Sequence[float], room: Tile) -> tuple[list[Tile], Tile]:
    """A row of ``areas`` along the shorter side of ``room``, and what is left of the room."""
    tiles: list[Tile] = []
    at = 0.0
    if room.is_wide:  # the row stands at the left
        # Rounding must not let a row stick out.
        thick = min(sum(areas) / room.height, room.width)
        for area in areas:
            tiles.append(Tile(room.x, room.y + at, thick, area / thick))
            at += area / thick
        return tiles, Tile(room.x + thick, room.y, room.width - thick, room.height)
    thick = min(sum(areas) / room.width, room.height)  # it lies at the top
    for area in areas:
        tiles.append(Tile(room.x + at, room.y, area / thick, thick))
        at += area / thick
    return tiles, Tile(room.x, room.y + thick, room.width, room.height - thick)
