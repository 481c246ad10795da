"""Maker of ``Run`` records for tests of stages and commands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipeline.config.settings import Settings, Upstream
from pipeline.log import QUIET, Log
from pipeline.run import Run


def run_of(
    settings: Settings,
    upstream: Upstream,
    *,
    log: Log | None = None,
    dry: bool = False,
    locales: Sequence[str] | None = None,
    pages: Sequence[str] = (),
) -> Run:
    """Return a run over all pages, or over those in ``pages``. It is silent without ``log``."""
    return Run(
        settings=settings,
        upstream=upstream,
        log=log or Log(QUIET),
        locales=settings.locales if locales is None else tuple(locales),
        dry=dry,
        pages=tuple(pages),
    )


def run_at(root: Path, name: str = "x", locales: Sequence[str] = ("zh_CN",), **fields: Any) -> Run:
    """Return a run in Chinese of the project at ``root``, which has one upstream."""
    upstream = Upstream(name=name, **fields)
    settings = Settings(root=root, locales=tuple(locales), upstreams={name: upstream})
    return run_of(settings, upstream)
