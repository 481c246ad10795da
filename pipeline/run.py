"""What a command is asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line asks of one run; defaults are already filled in from the settings."""

    ref: str | None = None  # instead of the configured one
    pages: tuple[str, ...] = ()  # glob patterns; empty: every page
    locales: tuple[str, ...] = ()
    jobs: int = 0  # kernels at a time; 0: one per core
    execute: bool = True
    check_only: bool = False  # compute, write nothing, end with 1 on a difference
    target: str = ""  # the release or ref to upgrade to
    jax: str | None = None  # the JAX version that goes with a target that is no release
    dry_run: bool = False  # compute, write nothing
    against: str | None = None  # the ref to compare the pin with
    badges: bool = False
    show_fuzzy: bool = False  # on the site
    retry_failed: bool = False  # run again what failed the last time
    use_cache: bool = True  # False: run everything again
    offline: bool = False  # kernels cannot reach the network
    shard: tuple[int, int] | None = None  # run only this part of the pages: number, of how many
    scheduler: str = ""  # address of a Dask cluster
    config: Path = Path("pyproject.toml")  # what the settings were read from
    summaries: tuple[Path, ...] = ()  # files that the run in short, as Markdown, is added to
