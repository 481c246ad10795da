"""What was decided in the browser, into the catalogue: one entry, and only over what was seen."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from pipeline.adapters import po
from pipeline.adapters.files import replace_if_unchanged
from pipeline.adapters.version_control import person_in_git
from pipeline.commands.holding import only_this_run
from pipeline.commands.serve.opening import read_catalog
from pipeline.core.workbench.editing import Conflict, Edited, stamp_of
from pipeline.entries import Catalog
from pipeline.errors import InputError
from pipeline.run import Run

_TRIES = 5  # somebody who saves again and again is a program
# One at a time in this process; other processes are kept out by the lock of runs.
_SAVING = threading.Lock()


class Change(Protocol):
    """What to do with a catalogue; ``stamp`` are fields of its header that say who did it."""

    def __call__(
        self, catalog: Catalog, /, *, stamp: Mapping[str, str]
    ) -> Edited | Conflict: ...


def save(run: Run, page: str, change: Change, *, locale: str) -> Edited | Conflict:
    """Make a change in a catalogue. A ``sync`` that is at work is waited for, and waits for this.

    A file that somebody saves at the same moment is read again, so that both edits are in it.
    Raises InputError for a catalogue that cannot be read.
    """
    when = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M%z")
    stamp = stamp_of(person_in_git(run.settings.root), when)
    with _SAVING, only_this_run(run):
        for _ in range(_TRIES):
            read = read_catalog(run, page, locale=locale)
            result = change(read.catalog, stamp=stamp)
            if isinstance(result, Conflict) or result.catalog is read.catalog:
                return result
            data = po.format_catalog(result.catalog)
            if replace_if_unchanged(read.path, data, before=read.data):
                return result
    raise InputError(
        "is saved by another program again and again",
        where=read.name,
        hint="End that program, and save again.",
    )
