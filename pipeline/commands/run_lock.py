"""Run lock: only one command that writes can run at a time.

The lock covers the whole project, not one upstream, because builds share the cache and the report.
A mark exists while files are written. If it is there at the start, an earlier run was killed, and
its temporary files are removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pipeline.adapters.files import (
    WriteError,
    hold_lock,
    remove_abandoned,
    remove_abandoned_beside,
)
from pipeline.paths import Paths
from pipeline.run import Run
from pipeline.stages.pull.checkout import Checkout, recover


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

    with hold_lock(path, on_wait=report_wait), _cleaned(run.paths):
        yield


@contextmanager
def marked(root: Path) -> Iterator[None]:
    """Mark the project at ``root`` while the body writes single files, without the run lock.

    ``check --fix`` must not wait for a run of an hour, and each of its files is written atomically.
    Without a ``build`` folder there was no run here, and nothing is marked.
    """
    paths = Paths(root, "")
    if not paths.build.is_dir():
        yield
        return
    clear_after_kill(root)
    mark = paths.run_mark
    is_ours = not mark.exists()
    with suppress(OSError):
        mark.touch()
    try:
        yield
    finally:
        if is_ours:
            with suppress(OSError):
                mark.unlink()


def clear_after_kill(root: Path) -> None:
    """Remove what a killed run has left in the project at ``root``, unless another run is at work.

    Commands that may fail before they write call this first.
    """
    paths = Paths(root, "")
    mark = paths.run_mark
    if mark.exists():
        # The holder of the lock is at work, or was killed. Only in the latter case it can be taken.
        with suppress(WriteError), hold_lock(paths.run_lock, on_wait=_skip, timeout=0):
            _remove_abandoned(paths)
            mark.unlink(missing_ok=True)


def _skip() -> None:
    """Do nothing about a lock that another run holds."""


@contextmanager
def _cleaned(paths: Paths) -> Iterator[None]:
    """Remove temporary files of an earlier, killed run, and those of this run if it fails."""
    mark = paths.run_mark
    if mark.exists():
        _remove_abandoned(paths)
    # Not written atomically: a kill would leave a temporary file, and no mark.
    mark.touch()
    try:
        yield
    except BaseException:
        # Ctrl-C reaches our child processes as well, and a user may press it twice.
        with suppress(WriteError):
            _remove_abandoned(paths)
        raise
    finally:
        with suppress(OSError):
            mark.unlink()


def _remove_abandoned(paths: Paths) -> None:
    """Remove temporary files and trees from all folders that commands write to."""
    trees = paths.docs.parent
    swapped = {*trees.glob(".*.old"), *trees.glob(".*.new")}
    for name in {folder.stem.removeprefix(".") for folder in swapped}:
        recover(Checkout.of(Paths(paths.root, name)))
    remove_abandoned((paths.build, paths.root / "translations", paths.docs.parent))
    # The configuration, and files that git gives its merge driver.
    remove_abandoned_beside(paths.root)
