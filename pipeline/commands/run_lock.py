"""Run lock: only one command that writes can run at a time.

The lock covers the whole project, not one upstream, because builds share the cache and the report.
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
def run_lock(run: Run) -> Iterator[None]:
    """Hold the project's lock while the body runs; warn and wait while another run holds it.

    A dry run takes no lock, because it writes nothing. Raises WriteError after waiting for an hour.
    """
    # A dry run beside a writing run may report a mixture of old and new. That harms no file.
    if run.dry:
        yield
        return
    path = run.paths.run_lock

    # `hold_lock` calls this once, when the wait begins: otherwise the terminal would look frozen.
    def report_wait() -> None:
        run.log.warn(f"another run holds {path}: waiting for it to end")

    with hold_lock(path, on_wait=report_wait), _cleaned(run):
        yield


@contextmanager
def _cleaned(run: Run) -> Iterator[None]:
    """Remove half-written files of an earlier, killed run, and those of this run if it fails."""
    paths = run.paths
    # The mark exists while a run works. If it is there at the start, the last run was killed.
    mark = paths.run_mark
    folders = (paths.build, paths.root / "translations", paths.docs.parent)
    if mark.exists():
        remove_abandoned(folders)
    write_atomic(mark, b"")
    try:
        yield
    except BaseException:
        # Ctrl-C reaches our child processes as well, and a user may press it twice.
        with suppress(WriteError):
            remove_abandoned(folders)
        raise
    finally:
        with suppress(OSError):
            mark.unlink()
