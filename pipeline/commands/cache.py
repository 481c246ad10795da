"""cache: tell about the outputs of code that ran, prove that they are whole, or forget them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from pipeline.adapters.execution_cache import ExecutionCache
from pipeline.config import Settings
from pipeline.core.execution.entry import CacheEntry, decode_entry
from pipeline.errors import InputError
from pipeline.paths import Paths

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """What is kept. ``size`` and ``limit`` are in bytes, ``seconds`` is the time that running it
    all again would take."""

    entries: int
    size: int
    limit: int
    failures: tuple[str, ...] = ()  # page: exception
    releases: tuple[tuple[str, int], ...] = ()  # JAX version, entries
    seconds: float = 0.0

    def lines(self) -> tuple[str, ...]:
        """For people."""
        releases = (f"  JAX {release}: {count}" for release, count in self.releases)
        failures = (f"  failed: {failure}" for failure in self.failures)
        return (
            f"{self.entries} entries, {_size(self.size)} of {_size(self.limit)}, {self.seconds:.0f} s of running saved",
            *releases,
            *failures,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What was looked at, and the keys of what was damaged: it is removed."""

    entries: int
    damaged: tuple[str, ...] = ()

    def lines(self) -> tuple[str, ...]:
        """For people."""
        if not self.damaged:
            return (f"{self.entries} entries, all as they were written",)
        return (
            f"{len(self.damaged)} of {self.entries} entries were damaged and are removed; their code runs again next time",
            *(f"  {key}" for key in self.damaged),
        )


def stats(settings: Settings) -> Stats:
    """What the cache holds."""
    cache = _cache(settings)
    found, entries = cache.stats(), tuple(_entries(cache))
    return Stats(
        entries=found.entries,
        size=found.size,
        limit=found.limit,
        failures=tuple(
            sorted(
                f"{entry.facts.get('page', '?')}: {entry.failure.exception}"
                for entry in entries
                if entry.failure
            )
        ),
        releases=tuple(sorted(Counter(entry.facts.get("jax", "?") for entry in entries).items())),
        seconds=sum(entry.seconds for entry in entries),
    )


def verify(settings: Settings) -> Verified:
    """Read every entry; remove what is damaged."""
    cache = _cache(settings)
    keys = cache.all_keys()
    cache.verify()
    for key in cache.all_keys():
        if (data := cache.peek(key)) is not None and not _is_readable(data):
            cache.reject(key)
    return Verified(entries=len(keys), damaged=tuple(cache.damaged))


def clear(settings: Settings) -> str:
    """Remove every entry; say so in a line. What pages took and raised (``pages.json``) stays.
    Raises WriteError."""
    cache = _cache(settings)
    size = cache.stats().size
    return f"{cache.clear()} entries removed, {_size(size)}"


def _cache(settings: Settings) -> ExecutionCache:
    return ExecutionCache(
        Paths(settings.root, "").outputs, limit=settings.execution.cache * MEBIBYTE
    )


def _entries(cache: ExecutionCache) -> Iterator[CacheEntry]:
    for key in cache.all_keys():
        if (data := cache.peek(key)) is not None:
            with suppress(InputError):  # `verify` finds it
                yield decode_entry(data, where=key)


def _is_readable(data: bytes) -> bool:
    try:
        decode_entry(data, where="")
    except InputError:
        return False
    return True


def _size(size: int) -> str:
    return f"{size / MEBIBYTE:.1f} MiB"
