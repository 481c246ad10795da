"""Worker process that runs notebooks one after another. Only ``pool`` starts it.

No kernel outlives its worker, and no worker outlives its parent. When the parent ends, the worker
kills all processes below itself, and exits. On Linux the system also kills the kernel when its
worker dies.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import re
import signal
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from ctypes import c_int
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from msgspec.structs import replace

from pipeline.adapters.files import remove_tree
from pipeline.adapters.kernel import sandbox
from pipeline.adapters.kernel.bytecode import compile_imports
from pipeline.adapters.kernel.cgroup import make_group, remove_group, task_limit
from pipeline.adapters.kernel.interpreter import ENVIRONMENT, PYTHON
from pipeline.adapters.kernel.job import Job, Outcome, Stop
from pipeline.adapters.kernel.sandbox import ProjectChanges
from pipeline.adapters.kernel.watch import (
    PageRun,
    Progress,
    Watch,
    adopt_orphans,
    descendants,
    kill_descendants,
)

# Messages of the C library, Python, curl, git and others about a missing network.
_NO_NETWORK = re.compile(
    r"""
    network\ is\ unreachable
    | temporary\ failure\ in\ name\ resolution | name\ or\ service\ not\ known | name\ resolution
    | getaddrinfo\ failed | failed\ to\ resolve | no\ address\ associated\ with\ hostname
    | could\ not\ resolve\ host | unable\ to\ resolve\ host
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NO_PERMISSION = re.compile(r"permission denied", re.IGNORECASE)
_TERMINATED = 128 + signal.SIGTERM  # exit code of a terminated worker


class _Running:
    """Resources to clean up if the worker must exit at once."""

    scratch: Path | None = None
    folder: Path | None = None
    group: Path | None = None  # the kernel's cgroup
    spared: frozenset[int] = frozenset()


def work(connection: Connection, cell: c_int) -> None:
    """Answer each Job on ``connection`` with an Outcome, until the connection is closed.

    ``cell`` is the number of the current code cell; the sender resets it before each job.
    """
    if os.name == "posix":
        # A new session: signals that a cell sends to its process group reach no other process.
        os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    signal.signal(signal.SIGTERM, _exit)
    threading.Thread(target=_watch_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            connection.send(run(connection.recv(), cell))
    _exit()  # the parent is gone; do not wait for the other thread to notice


def run(job: Job, cell: c_int) -> Outcome:
    """Run one notebook in a copy of its folder. Never raises: errors are in the Outcome.

    Processes below this one that existed before the call are spared. All other processes below it
    are gone on return. Only one run at a time is possible in a process.
    """
    import nbformat

    warnings.simplefilter("ignore")  # from nbformat, about upstream's notebooks
    for name in ("papermill", "traitlets"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    adopt_orphans()
    start, text = time.monotonic(), job.notebook
    progress = Progress(shared=cell)
    changes = ProjectChanges(None if sandbox.can_confine_writes() else job.project)
    _Running.spared = frozenset(process.pid for process in descendants())
    folder = Path(tempfile.mkdtemp(prefix="p-", dir=job.scratch))
    _Running.scratch, _Running.folder = job.scratch, folder
    try:
        notebook = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
        stop = _run_until(notebook, job, folder, progress, changes)
        text = json.dumps(notebook)
    except Exception as error:  # noqa: BLE001 - jupyter's many; one page must not stop the others
        stop = Stop(
            cell=progress.number,
            exception=type(error).__name__,
            message=str(error),
            traceback=traceback.format_exc(),
        )
    finally:
        _clean_up()
    return Outcome(
        page=job.page,
        notebook=text,
        seconds=time.monotonic() - start,
        stop=stop,
        cell_seconds=tuple(progress.seconds),
        changed=tuple(changes.by_cell),
    )


def _run_until(
    notebook: Any, job: Job, folder: Path, progress: Progress, changes: ProjectChanges
) -> Stop | None:
    """Run the cells before ``policy.until``; return why the run was stopped, or None.

    Later cells stay in the notebook, without outputs.
    """
    cells = notebook.cells
    code_cells = [index for index, cell in enumerate(cells) if cell.cell_type == "code"]
    # `until` counts code cells from 1. If there is no such cell, all cells are run.
    end, until = len(cells), job.policy.until
    if 0 < until <= len(code_cells):
        end = code_cells[until - 1]
    rest = cells[end:]
    for cell in rest:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    notebook.cells = cells[:end]
    try:
        sandbox.fill_folder(folder, job.folder, job.policy.startup)
        return _run_within_limits(notebook, job, folder, progress, changes)
    finally:
        notebook.cells = [*notebook.cells, *rest]


def _run_within_limits(
    notebook: Any, job: Job, folder: Path, progress: Progress, changes: ProjectChanges
) -> Stop | None:
    """Run all cells of ``notebook`` within the limits; return why the run was stopped, or None."""
    from pipeline.adapters.kernel.engine import (
        execute,  # imports papermill, which is slow
    )

    policy = job.policy
    if job.kernel == PYTHON and "matplotlib" in job.notebook:
        sandbox.copy_font_list(folder / "matplotlib", scratch=job.scratch)
    if sandbox.can_confine_writes():
        compile_imports(job.notebook, folder)
    given = {**ENVIRONMENT, **policy.variables}
    environment = sandbox.kernel_environment(folder, threads=policy.threads, given=given)
    stop = None
    _Running.group = make_group(task_limit(policy.processes, policy.threads))
    with Watch(policy, _Running.spared, _Running.group) as watch:
        page = PageRun(job=job, folder=folder, watch=watch, progress=progress, changes=changes)
        try:
            stop = execute(notebook, page, environment=environment)
        except Exception:
            # nbclient has no DeadKernelError for a kernel that ends before its first reply.
            stop = sandbox.startup_failure(folder)
            if stop is None and watch.breach is None:
                raise
    if watch.breach is not None:
        if watch.breach.limit == "OutputLimit":
            notebook.cells[progress.index].outputs = []  # too large to keep
        return Stop(
            cell=progress.number,
            exception=watch.breach.limit,
            message=watch.breach.message,
            traceback=stop.traceback if stop else "",
        )
    if stop is not None and policy.offline and sandbox.can_isolate_network():
        stop = _with_offline_message(stop)
    return stop and _with_folders(stop, sandbox.folders_to_change(folder, job.project))


def _with_offline_message(stop: Stop) -> Stop:
    """Return ``stop``, with a message about the offline run if the missing network caused it."""
    if not _NO_NETWORK.search(f"{stop.message}\n{stop.traceback}"):
        return stop
    message = f"needs the network, and this run is offline: {stop.message}"
    return replace(stop, message=message)


def _with_folders(stop: Stop, folders: Sequence[Path]) -> Stop:
    """Return ``stop``. If a change was denied, add to the message where a page may change files."""
    if not folders or not _NO_PERMISSION.search(stop.message):
        return stop
    named = ["its own folder", *map(str, folders[1:])]
    message = f"{stop.message} (a page may change files in {' and '.join(named)} only)"
    return replace(stop, message=message)


def _clean_up() -> None:
    """Kill all processes that the page started, and remove all its files."""
    if _Running.group is not None:
        remove_group(_Running.group)
    _Running.group = None
    kill_descendants(_Running.spared)
    if _Running.folder is not None:
        # Return the outcome even if a file cannot be removed.
        with suppress(OSError):
            remove_tree(_Running.folder)
    _Running.folder = None


def _watch_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()  # returns when the parent has ended
        _exit()


def _exit(_signal: int = 0, _frame: FrameType | None = None) -> NoReturn:
    _clean_up()
    if _Running.scratch is not None:
        sandbox.remove_fonts(_Running.scratch)
        with suppress(OSError):
            _Running.scratch.rmdir()  # succeeds only for the last worker
    os._exit(_TERMINATED)
