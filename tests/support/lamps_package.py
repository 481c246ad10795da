"""Small package with docstrings, and the Chinese of its messages."""

from __future__ import annotations

from collections.abc import Mapping

PACKAGE = '''\
"""Lamps and their light."""


def shine(power: float, hours: int = 1) -> float:
    """Return the light of a lamp. It is never negative.

    The light follows :math:`L = p h`, see :func:`lamps.dim`.

    =====  =============
    power  light
    =====  =============
    1      a candle
    =====  =============

    Args:
      power: watts of the lamp
      hours: how long it burns

    Returns:
      the light in lumen hours

    Example:
      >>> shine(2.0)
      2.0
    """


glow = shine


def dim(power):
    return power / 2


def count() -> int:
    """Count all lamps of the shop."""


class Lamp:
    """A lamp with a switch."""

    def toggle(self) -> None:
        """Turn the switch."""
'''
CHINESE: Mapping[str, str] = {
    "Return the light of a lamp. It is never negative.": "返回灯的光量。光量从不为负。",
    "The light follows :math:`L = p h`, see :func:`lamps.dim`.": (
        "光量满足 :math:`L = p h`，参见 :func:`lamps.dim`。"
    ),
    "power": "功率",
    "light": "光量",
    "a candle": "一支蜡烛",
    "watts of the lamp": "灯的瓦数",
    "how long it burns": "亮多久",
    "the light in lumen hours": "以流明小时为单位的光量",
    "Count all lamps of the shop.": "清点店里所有的灯。",
    "A lamp with a switch.": "带开关的灯。",
    "Turn the switch.": "拨动开关。",
}
