"""The pages that a run is about."""

from __future__ import annotations

from pipeline.core.pin.lock import Lock, Page, pages_of
from pipeline.errors import ConfigError
from pipeline.run import Run


def pages_of_run(run: Run, lock: Lock) -> tuple[Page, ...]:
    """The pages of ``lock`` that the configuration selects and the command line asks for. Raises
    ConfigError if none is."""
    selected = [page for page in pages_of(lock.files) if run.upstream.selects(page.name)]
    chosen = [page for page in selected if run.asks_for(page.name)]
    if run.pages and not chosen:
        names = ", ".join(page.name for page in selected[:5])
        raise ConfigError(
            f"no page of {run.name!r} matches {' '.join(run.pages)}",
            hint=f"Pages are named by their path without suffix, for example: {names}.",
        )
    return tuple(chosen)
