"""cache: show the size of the execution cache, verify its entries, or clear it.

The cache has the outputs of code. All upstreams of a project share one cache. ``clear`` keeps the
file ``pages.json``: it records each page's last duration and exception, and is not part of the
cache.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from pipeline.adapters.execution_cache import ExecutionCache
from pipeline.commands.console import print_text
from pipeline.config.reader import read_settings
from pipeline.core.execution.result import CacheEntry, decode_entry
from pipeline.errors import FindingsError, InputError
from pipeline.log import Log
from pipeline.paths import Paths

MEBIBYTE = 1 << 20


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``cache``."""
    parser.add_argument(
        "action",
        choices=("stats", "clear", "verify"),
        help="show its size, empty it, or remove damaged entries",
    )


def run_command(arguments: Namespace, log: Log) -> int:
    """Run the action, print its result and return the exit code: 1 if entries were damaged.

    Raises WriteError.
    """
    settings = read_settings(arguments.config)
    limit = settings.execution.cache * MEBIBYTE
    # No upstream's name is needed, because all upstreams share the cache.
    cache = ExecutionCache(Paths(settings.root, "").outputs, limit=limit)
    match arguments.action:
        case "stats":
            lines = _stats(cache)
        case "clear":
            size = cache.size()
            lines = [f"{cache.clear()} entries removed, {_size(size)}"]
        case _:
            lines = _verify(cache)
    print_text("".join(f"{line}\n" for line in lines))
    return FindingsError.exit_code if cache.damaged else 0


def _stats(cache: ExecutionCache) -> list[str]:
    """Return lines about the entries: count and size, seconds saved, releases, failed pages."""
    seconds = 0.0
    releases: Counter[str] = Counter()
    failures = []
    for entry in _entries(cache):
        seconds += entry.seconds
        releases[entry.facts.get("release", "?")] += 1
        if entry.failure:
            page = entry.facts.get("page", "?")
            failures.append(f"  failed: {page}: {entry.failure.exception}")
    # Count and size include damaged entries.
    count = len(cache.all_keys())
    size = f"{_size(cache.size())} of {_size(cache.limit)}"
    summary = f"{count} entries, {size}, {seconds:.0f} s of run time saved"
    by_release = [
        f"  {release or 'no pin'}: {count}" for release, count in sorted(releases.items())
    ]
    return [summary, *by_release, *sorted(failures)]


def _verify(cache: ExecutionCache) -> list[str]:
    """Read every entry, remove the damaged ones, and return lines that name them."""
    keys = cache.all_keys()
    # Check the digests first, then whether this version can decode the entries.
    cache.verify()
    for key in cache.all_keys():
        data = cache.peek(key)
        if data is not None and not _is_readable(data):
            cache.reject(key)
    if not cache.damaged:
        return [f"{len(keys)} entries, none is damaged"]
    summary = (
        f"{len(cache.damaged)} of {len(keys)} entries were damaged and are removed; "
        "their code runs again next time"
    )
    return [summary, *(f"  {key}" for key in cache.damaged)]


def _entries(cache: ExecutionCache) -> Iterator[CacheEntry]:
    """Yield every entry that can be decoded."""
    for key in cache.all_keys():
        # `peek` does not mark the entry as used. If it did, a look at the statistics would change
        # which entries the cache removes first when it is full.
        data = cache.peek(key)
        if data is None:
            continue
        with suppress(InputError):  # `verify` reports it
            yield decode_entry(data, where=key)


def _is_readable(data: bytes) -> bool:
    """Return whether this version of the pipeline can decode an entry.

    An entry of another version may have a correct digest and still be unreadable.
    """
    try:
        decode_entry(data, where="")
    except InputError:
        return False
    return True


def _size(size: int) -> str:
    """Format a number of bytes: ``12.3 MiB``."""
    return f"{size / MEBIBYTE:.1f} MiB"
