"""Which pages which machine of several runs.

Every machine works out the same shares without a word from the others. So a share depends on what
all of them have, the pages and their code, and on nothing that one of them has measured.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from pipeline.errors import ConfigError

_SHARD = re.compile(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})")
# How much fuller than the emptiest a shard may be and still get a page that prefers it: this part
# of an even share.
_SLACK = 0.05


def parse_shard(text: str) -> tuple[int, int]:
    """``2/5`` → (2, 5): the second of five shards. Raises ConfigError."""
    match = _SHARD.fullmatch(text)
    if match is None:
        raise ConfigError(
            f"{text!r} is not a shard",
            hint="Write which one of how many, from 1: --shard 2/5.",
        )
    index, count = int(match[1]), int(match[2])
    if index > count:
        raise ConfigError(
            f"there is no shard {index} of {count}",
            hint=f"Shards are numbered from 1 to {count}.",
        )
    return index, count


def shard(weights: Mapping[str, float], index: int, count: int) -> tuple[str, ...]:
    """The pages of shard ``index`` (from 1) of ``count``, in the order of ``weights``.

    ``weights`` says how long each page takes, in any unit. The shards of equal ``weights`` share
    the pages out. The longest page comes first, and each goes to the emptiest shard. Of those that
    are about as empty it goes to the one that its name prefers, so that a page that comes, goes or
    grows moves few others.
    """
    # Without slack a small change of one weight would send most pages to another machine.
    slack = _SLACK * sum(weights.values()) / count
    loads = [0.0] * count
    mine: set[str] = set()
    for page in sorted(weights, key=lambda page: (-weights[page], page)):
        fullest = min(loads) + slack
        candidates = [number for number, load in enumerate(loads) if load <= fullest]
        chosen = max(candidates, key=lambda number: _preference(page, number))
        loads[chosen] += weights[page]
        if chosen == index - 1:
            mine.add(page)
    return tuple(page for page in weights if page in mine)


def _preference(page: str, number: int) -> bytes:
    """How much a page prefers a shard: as good as random, and the same on every machine."""
    return hashlib.sha256(f"{number} {page}".encode("utf-8", "surrogatepass")).digest()
