"""A treemap: rectangles whose areas are as the sizes, as square as can be. Numbers in, numbers out.

The way to lay it out is that of M. Bruls, K. Huizing and J. J. van Wijk, "Squarified Treemaps" (2000): rows are filled along the
shorter side of what is left, as long as that makes the worst rectangle of the row squarer.
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


@dataclass(frozen=True, slots=True)
class Group:
    """Tiles with a common name, and the room that they share with the strip above them that shows it."""

    frame: Tile
    tiles: tuple[Tile, ...]


def squarify(sizes: Sequence[float], room: Tile) -> tuple[Tile, ...]:
    """``room`` shared out, a tile per size in the order given; what has no size gets a tile without area. Sizes are not negative."""
    order = sorted(
        (index for index, size in enumerate(sizes) if size > 0), key=lambda index: -sizes[index]
    )
    total = sum(sizes[index] for index in order)
    tiles = [Tile(room.x, room.y, 0.0, 0.0)] * len(sizes)
    if not total or not room.width or not room.height:
        return tuple(tiles)
    scale = room.width * room.height / total
    while order:
        side = min(room.width, room.height)
        count = _row(tuple(sizes[index] * scale for index in order), side)
        row, order = order[:count], order[count:]
        placed, room = _place([sizes[index] * scale for index in row], room)
        for index, tile in zip(row, placed, strict=True):
            tiles[index] = tile
    return tuple(tiles)


def treemap(
    groups: Sequence[Sequence[float]], room: Tile, *, strip: float, gap: float = 0.0
) -> tuple[Group, ...]:
    """A treemap of treemaps: ``room`` shared out among ``groups``, and each one's share, below a ``strip``, among its sizes.

    ``gap`` stays free between groups. A group too low for the strip does without it.
    """
    wider = Tile(
        room.x, room.y, room.width + gap, room.height + gap
    )  # so that there is no gap at the far edges
    frames = squarify([sum(group) for group in groups], wider)
    shrunk = [
        Tile(frame.x, frame.y, max(0.0, frame.width - gap), max(0.0, frame.height - gap))
        for frame in frames
    ]
    return tuple(
        Group(frame, squarify(group, _below(frame, strip)))
        for group, frame in zip(groups, shrunk, strict=True)
    )


def _below(frame: Tile, strip: float) -> Tile:
    used = strip if frame.height > 2 * strip else 0.0
    return Tile(frame.x, frame.y + used, frame.width, frame.height - used)


def _row(areas: Sequence[float], side: float) -> int:
    """How many of ``areas``, the largest first, make a good row along ``side``."""
    total, worst = 0.0, float("inf")
    for count, area in enumerate(areas):
        total += area
        stretched = max(
            side**2 * areas[0] / total**2, total**2 / (side**2 * area)
        )  # the worst ratio of sides in the row
        if stretched > worst:
            return count
        worst = stretched
    return len(areas)


def _place(areas: Sequence[float], room: Tile) -> tuple[list[Tile], Tile]:
    """A row of ``areas`` along the shorter side of ``room``, and what is left of it."""
    tall = room.width >= room.height  # the row stands at the left; else it lies at the top
    side = room.height if tall else room.width
    thick = min(sum(areas) / side, room.width if tall else room.height)
    tiles, at = [], 0.0
    for area in areas:
        length = area / thick
        tiles.append(
            Tile(room.x, room.y + at, thick, length)
            if tall
            else Tile(room.x + at, room.y, length, thick)
        )
        at += length
    if tall:
        return tiles, Tile(room.x + thick, room.y, room.width - thick, room.height)
    return tiles, Tile(room.x, room.y + thick, room.width, room.height - thick)
