"""Maker of ``Run`` records for tests of stages and commands."""

from __future__ import annotations

from collections.abc import Sequence

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
