"""The treemap of the progress page: rectangles that share out a room."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.site.treemap import Tile, squarify, treemap

ROOM = Tile(10.0, 20.0, 600.0, 400.0)
SIZES = st.lists(st.integers(0, 100_000).map(float), max_size=60)


def overlap(one: Tile, other: Tile) -> float:
    width = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    height = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return max(0.0, width) * max(0.0, height)


def lies_in(tile: Tile, room: Tile, slack: float = 1e-6) -> bool:
    return (
        tile.x >= room.x - slack
        and tile.y >= room.y - slack
        and tile.x + tile.width <= room.x + room.width + slack
        and tile.y + tile.height <= room.y + room.height + slack
    )


def test_the_example_of_the_paper() -> None:
    tiles = squarify([6, 6, 4, 3, 2, 2, 1], Tile(0, 0, 6, 4))
    assert tiles[0] == Tile(0, 0, 3, 2)
    assert tiles[1] == Tile(0, 2, 3, 2)
    assert math.isclose(tiles[2].width * tiles[2].height, 4)
    assert tiles[2].y == tiles[3].y == 0
    assert tiles[2].x == 3


@given(SIZES)
def test_areas_are_as_the_sizes_and_nothing_overlaps(sizes: list[float]) -> None:
    tiles = squarify(sizes, ROOM)
    assert len(tiles) == len(sizes)
    total = sum(sizes)
    for size, tile in zip(sizes, tiles, strict=True):
        assert lies_in(tile, ROOM)
        assert math.isclose(
            tile.width * tile.height,
            size / total * 240_000 if size else 0.0,
            rel_tol=1e-6,
            abs_tol=1e-6,
        )
    for index, tile in enumerate(tiles):
        assert all(overlap(tile, other) < 1e-3 for other in tiles[:index])


@given(st.integers(1, 80))
def test_equal_sizes_are_no_splinters(count: int) -> None:
    for tile in squarify([7.0] * count, ROOM):
        assert max(tile.width / tile.height, tile.height / tile.width) < 3.1


def test_order_of_the_sizes_does_not_matter() -> None:
    sizes = [5.0, 900.0, 40.0, 41.0, 3.0]
    forth, back = squarify(sizes, ROOM), squarify(sizes[::-1], ROOM)
    assert forth == back[::-1]


@pytest.mark.parametrize("sizes", [[], [0.0], [0.0, 0.0]])
def test_sizes_of_nothing_take_no_room(sizes: list[float]) -> None:
    assert squarify(sizes, ROOM) == (Tile(10.0, 20.0, 0.0, 0.0),) * len(sizes)


def test_without_room_nothing_is_shown() -> None:
    assert squarify([1.0, 2.0], Tile(0, 0, 0, 5)) == (Tile(0, 0, 0.0, 0.0),) * 2


def test_groups_keep_a_strip_for_their_name_and_a_gap() -> None:
    one, two = treemap([[100.0, 50.0], [50.0]], ROOM, strip=20, gap=4)
    assert all(
        lies_in(tile, one.frame) and tile.y >= one.frame.y + 20 for tile in one.tiles
    )
    assert (one.frame.width + 4) * (one.frame.height + 4) == pytest.approx(
        3 * (two.frame.width + 4) * (two.frame.height + 4)
    )
    assert two.frame.x - one.frame.x - one.frame.width == pytest.approx(4)
    assert two.frame.x + two.frame.width == pytest.approx(ROOM.x + ROOM.width)
    assert one.frame.height == two.frame.height == pytest.approx(ROOM.height)
    assert overlap(one.frame, two.frame) == 0


def test_a_group_too_low_for_its_name_goes_without() -> None:
    (group,) = treemap([[1.0]], Tile(0, 0, 500, 30), strip=20)
    assert group.tiles == (Tile(0, 0, 500, 30),)


@given(st.lists(SIZES, max_size=8))
def test_groups_hold_their_tiles(groups: list[list[float]]) -> None:
    shown = treemap(groups, ROOM, strip=18, gap=3)
    for group, sizes in zip(shown, groups, strict=True):
        assert len(group.tiles) == len(sizes)
        assert all(
            lies_in(tile, group.frame)
            for tile, size in zip(group.tiles, sizes, strict=True)
            if size
        )
