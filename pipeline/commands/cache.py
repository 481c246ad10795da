"""cache: tell about the outputs of code that ran, prove that they are whole, or forget them.

It works on the cache of a project, which all of its upstreams share. What pages took and raised
(``pages.json``) is no part of it and stays.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from pipeline.adapters.execution_cache import ExecutionCache
from pipeline.commands.showing import print_text
from pipeline.config import Settings, read_settings
from pipeline.core.execution.record import CacheEntry, decode_entry
from pipeline.errors import FindingsError, InputError
from pipeline.log import Log
from pipeline.paths import Paths

MEBIBYTE = 1 << 20


def add_options(parser: ArgumentParser) -> None:
    """Declare what ``cache`` takes."""
    parser.add_argument(
        "action", choices=("stats", "clear", "verify"), help="what to do with it"
    )


def run_command(arguments: Namespace, log: Log) -> int:
    """Do what the action says, and print it."""
    told = tell_cache(read_settings(arguments.config), arguments.action)
    print_text("".join(f"{line}\n" for line in told.lines))
    return told.exit_code


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a command says, line by line, and what it ends with."""

    lines: tuple[str, ...]
    exit_code: int = 0


def tell_cache(settings: Settings, action: str) -> Told:
    """Do what ``action`` says: ``stats``, ``verify`` or ``clear``. Raises WriteError."""
    limit = settings.execution.cache * MEBIBYTE
    # The name is that of no upstream: outputs lie by their keys, whoever asked for them.
    cache = ExecutionCache(Paths(settings.root, "").outputs, limit=limit)
    if action == "stats":
        return _stats(cache)
    if action == "clear":
        return _clear(cache)
    return _verify(cache)


def _stats(cache: ExecutionCache) -> Told:
    """What the cache holds: how much, of which release, and what failed."""
    # The size is that of all files; an entry that is damaged counts, and has nothing to tell.
    stats = cache.stats()
    seconds = 0.0
    releases: Counter[str] = Counter()
    failures = []
    for entry in _entries(cache):
        seconds += entry.seconds
        releases[entry.facts.get("release", "?")] += 1
        if entry.failure:
            page = entry.facts.get("page", "?")
            failures.append(f"  failed: {page}: {entry.failure.exception}")
    size = f"{_size(stats.size)} of {_size(stats.limit)}"
    summary = f"{stats.entries} entries, {size}, {seconds:.0f} s of running saved"
    by_release = [
        f"  {release or 'no pin'}: {count}"
        for release, count in sorted(releases.items())
    ]
    return Told(lines=(summary, *by_release, *sorted(failures)))


def _verify(cache: ExecutionCache) -> Told:
    """Read every entry and remove what is damaged; its code runs again the next time."""
    keys = cache.all_keys()
    # First whether the bytes are those that were written, then whether they can be read.
    cache.verify()
    for key in cache.all_keys():
        data = cache.peek(key)
        if data is not None and not _is_readable(data):
            cache.reject(key)
    if not cache.damaged:
        return Told(lines=(f"{len(keys)} entries, all as they were written",))
    summary = (
        f"{len(cache.damaged)} of {len(keys)} entries were damaged and are removed; "
        "their code runs again next time"
    )
    damaged = [f"  {key}" for key in cache.damaged]
    return Told(lines=(summary, *damaged), exit_code=FindingsError.exit_code)


def _clear(cache: ExecutionCache) -> Told:
    """Remove every entry."""
    size = cache.stats().size
    return Told(lines=(f"{cache.clear()} entries removed, {_size(size)}",))


def _entries(cache: ExecutionCache) -> Iterator[CacheEntry]:
    """Every entry that can be read."""
    for key in cache.all_keys():
        # Looking at an entry is no use of it: what was used last stays longest.
        data = cache.peek(key)
        if data is None:
            continue
        with suppress(InputError):  # `verify` finds it
            yield decode_entry(data, where=key)


def _is_readable(data: bytes) -> bool:
    """Whether an entry has the shape that this version writes.

    One of another version is whole, by its digest, and cannot be read all the same.
    """
    try:
        decode_entry(data, where="")
    except InputError:
        return False
    return True


def _size(size: int) -> str:
    """Bytes as people read them: ``12.3 MiB``."""
    return f"{size / MEBIBYTE:.1f} MiB"
