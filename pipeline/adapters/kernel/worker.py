"""One worker process: runs notebooks, one after another. Started by ``kernel`` only; ``run`` may be called elsewhere.

No kernel outlives its worker, and no worker its parent:
the worker watches its parent and, when that is gone, kills all that is below it before it leaves;
on Linux the kernel itself is killed by the system when its worker is.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NoReturn

from pipeline.adapters.kernel import processes, sandbox
from pipeline.adapters.kernel.engine import Run, execute
from pipeline.adapters.kernel.pool import ENVIRONMENT, PYTHON, Job, Outcome, Stop
from pipeline.adapters.kernel.watch import Watch

NO_NETWORK = re.compile(
    r"network is unreachable|temporary failure in name resolution|name or service not known|name resolution|getaddrinfo failed"
    r"|failed to resolve|no address associated with hostname|could not resolve host|unable to resolve host",
    re.I,
)
FONTS = "fonts"


class _Running:
    """What has to be swept away if the worker must leave at once."""

    scratch: Path | None = None
    folder: TemporaryDirectory[str] | None = None
    spared: frozenset[int] = frozenset()


def work(connection: Connection) -> None:
    """Answer each Job on ``connection`` with an Outcome, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_watch_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            connection.send(run(connection.recv()))
    _leave()  # the parent is gone, and the thread that waits for that may be slower


def run(job: Job) -> Outcome:
    """Run one notebook in a copy of its folder. Never raises: whatever stops it is in the Outcome.

    Processes below this one that were there before are left alone, all others are gone when it returns. One run at a time.
    """
    import nbformat

    warnings.simplefilter("ignore")  # nbformat's, on notebooks as upstream wrote them
    for name in ("papermill", "traitlets"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    processes.adopt_orphans()
    started, start, text = time.time(), time.monotonic(), job.notebook
    progress = Run()
    _Running.spared = frozenset(process.pid for process in processes.descendants())
    _Running.scratch, _Running.folder = job.scratch, sandbox.new_folder(job.scratch)
    try:
        notebook = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
        stop = _run_until(notebook, job, Path(_Running.folder.name), progress)
        text = json.dumps(notebook)
    except Exception as error:  # noqa: BLE001 - jupyter's many; one page must not stop the others
        stop = Stop(
            cell=0,
            exception=type(error).__name__,
            message=str(error),
            traceback=traceback.format_exc(),
        )
    finally:
        _sweep()
    seconds = time.monotonic() - start
    return Outcome(
        page=job.page,
        notebook=text,
        seconds=seconds,
        stop=stop,
        started=started,
        cell_seconds=tuple(progress.seconds),
    )


def _run_until(notebook: Any, job: Job, folder: Path, progress: Run) -> Stop | None:
    """Run the cells up to where the policy says; what comes after keeps its place, without outputs."""
    cells = notebook.cells
    codes = [index for index, cell in enumerate(cells) if cell.cell_type == "code"]
    end = codes[job.policy.until - 1] if 0 < job.policy.until <= len(codes) else len(cells)
    rest = cells[end:]
    for cell in rest:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    notebook.cells = cells[:end]
    try:
        sandbox.furnish(folder, job.folder, job.policy.startup)
        return _guarded(notebook, job, folder, progress)
    finally:
        notebook.cells = [*notebook.cells, *rest]


def _guarded(notebook: Any, job: Job, folder: Path, progress: Run) -> Stop | None:
    """Run all cells of ``notebook`` within the limits; say what stopped them."""
    policy = job.policy
    if job.kernel == PYTHON and "matplotlib" in job.notebook:
        _lend_fonts(folder / "matplotlib", job.scratch)
    environment = sandbox.variables(
        folder, threads=policy.threads, given={**ENVIRONMENT, **policy.variables}
    )
    with Watch(policy, _Running.spared) as watch:
        stop = execute(
            notebook, job, folder, environment=environment, watch=watch, progress=progress
        )
    if watch.breach is not None:
        if watch.breach[0] == "OutputLimit":
            notebook.cells[progress.cell].outputs = []  # too much to keep
        return Stop(
            cell=progress.cell,
            exception=watch.breach[0],
            message=watch.breach[1],
            traceback=stop.traceback if stop else "",
        )
    return (
        _told(stop)
        if stop is not None and policy.offline and sandbox.can_isolate_network()
        else stop
    )


def _told(stop: Stop) -> Stop:
    """A stop for want of the network says so: it was this run that took it away."""
    if not NO_NETWORK.search(f"{stop.message}\n{stop.traceback}"):
        return stop
    message = f"needs the network, and this run is offline: {stop.message}"
    return Stop(cell=stop.cell, exception=stop.exception, message=message, traceback=stop.traceback)


def _lend_fonts(target: Path, scratch: Path) -> None:
    """Give matplotlib the list of fonts, which takes it long to make, and which it announces among the outputs of the page."""
    fonts = scratch / FONTS
    if not fonts.exists():
        making = scratch / f"{FONTS}-{os.getpid()}"
        making.mkdir(exist_ok=True)
        environment = sandbox.variables(
            making,
            threads=1,
            given={**ENVIRONMENT, "MPLCONFIGDIR": str(making), "HOME": str(making)},
        )
        command = [sys.executable, "-P", "-c", "import matplotlib.font_manager"]
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(
                command, env=environment, cwd=making, check=False, capture_output=True, timeout=120
            )
        with suppress(OSError):
            making.rename(fonts)  # another worker may have been faster
    for file in fonts.glob("fontlist-*.json"):
        (target / file.name).write_bytes(file.read_bytes())


def _sweep() -> None:
    """Kill all that the page started and remove all that it wrote."""
    processes.kill_descendants(_Running.spared)
    if _Running.folder is not None:
        _Running.folder.cleanup()
    _Running.folder = None


def _watch_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()  # returns when the parent is gone, however it went
        _leave()


def _leave(_signal: int = 0, _frame: FrameType | None = None) -> NoReturn:
    _sweep()
    if _Running.scratch is not None:
        for fonts in _Running.scratch.glob(f"{FONTS}*"):
            shutil.rmtree(fonts, ignore_errors=True)
        with suppress(OSError):
            _Running.scratch.rmdir()  # succeeds for the last worker
    os._exit(143)
