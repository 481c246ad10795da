"""What was written in the browser, into the catalogue: one entry, and only over what was seen."""

from __future__ import annotations

import threading
from datetime import datetime

from pipeline.adapters import po
from pipeline.adapters.files import replace_if_unchanged
from pipeline.adapters.version_control import person_in_git
from pipeline.commands.holding import only_this_run
from pipeline.commands.serve.opening import read_catalog
from pipeline.core.workbench.editing import (
    Conflict,
    Edited,
    Seen,
    cleaned,
    edit,
    stamp_of,
)
from pipeline.errors import InputError
from pipeline.run import Run

_TRIES = 5  # somebody who saves again and again is a program
# One at a time in this process; other processes are kept out by the lock of runs.
_SAVING = threading.Lock()


def save(
    run: Run, page: str, seen: Seen, msgstr: str, *, locale: str, is_draft: bool
) -> Edited | Conflict:
    """Write a translation. A ``sync`` that is at work is waited for, and waits for this.

    A file that somebody saves at the same moment is read again, so that both edits are in it.
    Raises InputError for a catalogue that cannot be read.
    """
    text = cleaned(msgstr)
    when = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M%z")
    stamp = stamp_of(person_in_git(run.settings.root), when)
    with _SAVING, only_this_run(run):
        for _ in range(_TRIES):
            read = read_catalog(run, page, locale=locale)
            result = edit(read.catalog, seen, text, is_draft=is_draft, stamp=stamp)
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
