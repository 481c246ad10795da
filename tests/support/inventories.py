"""Inventories of Sphinx (``objects.inv``), like the one that upstream's English site has."""

from __future__ import annotations

import zlib

HEAD = (
    b"# Sphinx inventory version 2\n# Project: demo\n# Version: 1\n"
    b"# The remainder of this file is compressed using zlib.\n"
)


def inventory(*objects: str) -> bytes:
    """Return an inventory with these objects: ``lamp.on py:function 1 api/lamp.html#$ -``."""
    return HEAD + zlib.compress("".join(f"{line}\n" for line in objects).encode())
