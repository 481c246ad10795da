"""Only one run at a time: the lock that every command that writes holds while it works.

The lock is that of the project, not of an upstream: builds share the cache and the report.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pipeline.adapters.files import (
    WriteError,
    hold_lock,
    remove_abandoned,
    write_atomic,
)
from pipeline.run import Run


@contextmanager
def only_this_run(run: Run) -> Iterator[None]:
    """Keep other runs out while the body works; a run that is kept out says so and waits.

    A dry run holds nothing, for it changes nothing. Raises WriteError after an hour of waiting.
    """
    # A dry run beside one that writes may tell half of each; the next one tells it right.
    if run.dry:
        yield
        return
    path = run.paths.run_lock

    # Said once, when the wait begins: people look at a terminal that does nothing.
    def tell_of_wait() -> None:
        run.log.warn(f"another run holds {path}: waiting for it to end")

    with hold_lock(path, on_wait=tell_of_wait), _cleaned(run):
        yield


@contextmanager
def _cleaned(run: Run) -> Iterator[None]:
    """Leave no file half-written, whatever happened to the last run, or happens to this one."""
    paths = run.paths
    # It is there while a run is at work. Found at the beginning, it is of a run that was killed.
    mark = paths.run_mark
    folders = (paths.build, paths.root / "translations", paths.docs.parent)
    if mark.exists():
        remove_abandoned(folders)
    write_atomic(mark, b"")
    try:
        yield
    except BaseException:
        # Ctrl-C goes to processes of ours as well, and may come twice.
        with suppress(WriteError):
            remove_abandoned(folders)
        raise
    finally:
        with suppress(OSError):
            mark.unlink()
