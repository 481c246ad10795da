"""The pages that a run is about: selected by the configuration, and named on the command line."""

from __future__ import annotations

from pipeline.core.pin.lock import Lock, Page, pages_of
from pipeline.errors import ConfigError
from pipeline.run import Run

_NAMED = 5  # pages that a hint names


def pages_of_run(run: Run, lock: Lock) -> tuple[Page, ...]:
    """The pages of ``lock`` that the configuration selects and the command line asks for.

    They are sorted by name, which is the order of every report.
    Raises ConfigError if patterns are given and no page matches.
    """
    pages = pages_of(lock.files)
    selected = [page for page in pages if run.upstream.selects(page.name)]
    chosen = [page for page in selected if run.asks_for(page.name)]
    # Without patterns a run may well have no page: upstream may be empty so far.
    if run.pages and not chosen:
        names = ", ".join(page.name for page in selected[:_NAMED])
        raise ConfigError(
            f"no page of {run.name!r} matches {' '.join(run.pages)}",
            hint=f"Pages are named by their path without suffix, for example: {names}.",
        )
    return tuple(chosen)
