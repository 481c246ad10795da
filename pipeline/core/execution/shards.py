"""Which pages which machine of several runs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from pipeline.errors import ConfigError

_SHARD = re.compile(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})")
_SLACK = 0.05  # of an even share: how much fuller a shard may be than the emptiest, and still get a page that prefers it


def parse_shard(text: str) -> tuple[int, int]:
    """``2/5`` → (2, 5): the second of five shards. Raises ConfigError."""
    match = _SHARD.fullmatch(text)
    if match is None:
        raise ConfigError(
            f"{text!r} is not a shard", hint="Write which one of how many, from 1: --shard 2/5."
        )
    index, count = int(match[1]), int(match[2])
    if index > count:
        raise ConfigError(
            f"there is no shard {index} of {count}", hint=f"Shards are numbered from 1 to {count}."
        )
    return index, count


def shard(weights: Mapping[str, float], index: int, count: int) -> tuple[str, ...]:
    """The pages of shard ``index`` (from 1) of ``count``, in the order of ``weights``, which says how long each takes (any unit).

    The shards of equal ``weights`` share the pages out: so weights must come from what all machines have (the code), not from
    times that one of them has measured. Longest first, each page to the emptiest shard; of those that are about as empty, to
    the one that the page's name prefers, so that a page that comes, goes or grows moves few others.
    """
    slack = _SLACK * sum(weights.values()) / count
    loads = [0.0] * count
    mine = set()
    for page in sorted(weights, key=lambda page: (-weights[page], page)):
        lightest = min(loads)
        open_ones = [number for number in range(count) if loads[number] <= lightest + slack]
        chosen = max(open_ones, key=lambda number: _preference(page, number))
        loads[chosen] += weights[page]
        if chosen == index - 1:
            mine.add(page)
    return tuple(page for page in weights if page in mine)


def _preference(page: str, number: int) -> bytes:
    return hashlib.sha256(f"{number} {page}".encode("utf-8", "surrogatepass")).digest()
