"""Run lock: only one command that writes can run at a time.

The lock covers the whole project, not one upstream, because builds share the cache and the report.

While files are written, a mark file exists in ``build/``. If a run finds the mark when it starts,
an earlier run was killed. The new run then removes the temporary files of the killed run.
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
    # A dry run may read a mixture of old and new files while another run writes. This harms no
    # file.
    if run.dry:
        yield
        return
    path = run.paths.run_lock
    # Without a message at the beginning of the wait, the terminal would look frozen.
    message = f"another run holds {path}: waiting for it to end"
    with hold_lock(path, on_wait=lambda: run.log.warn(message)), _cleaned(run.paths):
        yield


@contextmanager
def marked(root: Path) -> Iterator[None]:
    """Set the mark in the project at ``root`` while the body writes files, without the run lock.

    This is for commands like ``check --fix``, which must not wait an hour for a run to end. Such
    commands need no lock, because they write each file atomically. Without a ``build`` folder, no
    mark is set.
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
    """Remove temporary files of a killed run in the project at ``root``.

    Do nothing while another run is active. A command calls this first if it may fail before it
    writes anything.
    """
    paths = Paths(root, "")
    mark = paths.run_mark
    if mark.exists():
        # The run that set the mark is active, or was killed. If it was killed, the lock is free.
        with (
            suppress(WriteError),
            hold_lock(paths.run_lock, on_wait=lambda: None, timeout=0),
        ):
            _remove_abandoned(paths)
            mark.unlink(missing_ok=True)


@contextmanager
def _cleaned(paths: Paths) -> Iterator[None]:
    """Remove temporary files of a killed run; if the body fails, also those of this run."""
    mark = paths.run_mark
    if mark.exists():
        _remove_abandoned(paths)
    # Do not write the mark atomically: a kill could leave a temporary file without a mark.
    mark.touch()
    try:
        yield
    except BaseException:
        with suppress(WriteError):
            _remove_abandoned(paths)
        raise
    finally:
        with suppress(OSError):
            mark.unlink()


def _remove_abandoned(paths: Paths) -> None:
    """Remove temporary files and trees from all folders that commands write to."""
    trees = paths.root / "upstream"
    swapped = {*trees.glob(".*.old"), *trees.glob(".*.new")}
    for name in {folder.stem.removeprefix(".") for folder in swapped}:
        recover(Checkout.of(Paths(paths.root, name)))
    remove_abandoned((paths.build, paths.root / "translations", trees))
    # Temporary files beside the configuration, and beside the files of git's merge driver.
    remove_abandoned_beside(paths.root)
