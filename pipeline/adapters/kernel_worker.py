"""One worker process: runs notebooks, one after another, with papermill. Started by ``kernel`` only.

No kernel outlives its worker, and no worker its parent:
the worker watches its parent and, when that is gone, kills the kernel's process group before it leaves;
on Linux the kernel itself is killed by the system when its worker is.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from pipeline.adapters.kernel import ENGINE, ENVIRONMENT, PYTHON, Job, Outcome, Stop

# Runs in the kernel before anything else. 1 is PR_SET_PDEATHSIG; -P keeps the page's folder from shadowing modules.
LAUNCH = """
import os, signal, sys
if sys.platform == "linux":
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() != int(os.environ["JPY_PARENT_PID"]): sys.exit(1)
from ipykernel import kernelapp
kernelapp.launch_new_instance()
"""
PAGES = (".ipynb", ".md", ".rst")
COMMAND = [sys.executable, "-P", "-c", LAUNCH, "-f", "{connection_file}"]


class _Running:
    """What has to be swept away if the worker must leave at once."""

    group: int | None = None
    folder: Path | None = None


def work(connection: Connection) -> None:
    """Answer each Job on ``connection`` with an Outcome, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_watch_parent, daemon=True).start()
    logging.getLogger("papermill").setLevel(logging.CRITICAL)
    logging.getLogger("traitlets").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")  # nbformat's, on notebooks as upstream wrote them
    with suppress(EOFError, OSError):
        while True:
            connection.send(run(connection.recv()))


def run(job: Job) -> Outcome:
    """Run one notebook in a copy of its folder. Never raises: whatever stops it is in the Outcome."""
    import nbformat

    _Running.folder = Path(tempfile.mkdtemp(prefix="page-", dir=job.scratch))
    start = time.monotonic()
    text = job.notebook
    try:
        notebook = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
        _copy_data(job.folder, _Running.folder / "page")
        stop = _execute(notebook, job, _Running.folder)
        text = json.dumps(notebook)
    except Exception as error:  # noqa: BLE001 - jupyter's many; one page must not stop the others
        stop = Stop(cell=0, exception=type(error).__name__, message=str(error), traceback=traceback.format_exc())
    finally:
        _kill_kernel()
        shutil.rmtree(_Running.folder, ignore_errors=True)
    return Outcome(page=job.page, notebook=text, seconds=time.monotonic() - start, stop=stop)


def _copy_data(source: Path, target: Path) -> None:
    """Copy what may be beside a notebook for its code: not other pages, not static files of the site, no links."""

    def left_out(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if name.startswith(("_", ".")) or name.endswith(PAGES) or Path(folder, name).is_symlink()]

    if source.is_dir():
        shutil.copytree(source, target, ignore=left_out)
    else:
        target.mkdir()


def _execute(notebook: Any, job: Job, folder: Path) -> Stop | None:
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill.engines import papermill_engines

    register()
    notebook.metadata["papermill"] = {}  # where papermill keeps its books
    place = [0]
    log = folder / "kernel.log"
    try:
        with log.open("wb") as stream:
            papermill_engines.execute_notebook_with_engine(
                ENGINE,
                notebook,
                kernel_name=job.kernel,
                progress_bar=False,
                autosave_cell_every=0,
                execution_timeout=job.timeout,
                place=place,
                start={
                    "cwd": str(folder / "page"),
                    "env": os.environ | ENVIRONMENT | {"IPYTHONDIR": str(folder / "ipython")},
                    "stdout": stream,
                    "stderr": stream,
                },
            )
    except (DeadKernelError, CellTimeoutError) as error:
        words = log.read_text("utf-8", "replace")[-4000:]
        return Stop(cell=place[0], exception=type(error).__name__, message=str(error), traceback=words)
    return _raised(notebook)


def _raised(notebook: Any) -> Stop | None:
    """The exception that made papermill stop. Tagged cells do not stop it, so theirs are not found here."""
    for index, cell in enumerate(notebook.cells):
        if cell.metadata.papermill["exception"]:
            error: Any = next((output for output in cell.get("outputs", ()) if output.output_type == "error"), {})
            lines = "\n".join(error.get("traceback", ()))
            return Stop(cell=index, exception=error.get("ename", "CellExecutionError"), message=error.get("evalue", ""), traceback=lines)
    return None


def register() -> None:
    """Make our engine known to papermill."""
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from papermill.clientwrap import PapermillNotebookClient
    from papermill.engines import NBClientEngine, papermill_engines

    class Kernels(KernelSpecManager):
        """Python is the interpreter of this process, whatever kernels the user has installed."""

        def get_kernel_spec(self, kernel_name: str) -> Any:
            if kernel_name == PYTHON:
                return KernelSpec(argv=COMMAND, display_name="Python 3", language="python")
            return super().get_kernel_spec(kernel_name)

    class Client(PapermillNotebookClient):  # type: ignore[misc]
        """papermill's client, which tells where it is and leaves its kernel's process group to us."""

        place: list[int]

        def create_kernel_manager(self) -> Any:
            manager = super().create_kernel_manager()
            manager.kernel_spec_manager = Kernels()
            manager.connection_file = str(_Running.folder / "connection.json") if _Running.folder else ""
            return manager

        def start_new_kernel_client(self) -> Any:
            _Running.group = self.km.provisioner.pgid
            return super().start_new_kernel_client()

        def execute_cell(self, cell: Any, cell_index: int, **options: Any) -> Any:
            self.place[0] = cell_index
            return super().execute_cell(cell, cell_index, **options)

    class Engine(NBClientEngine):  # type: ignore[misc]
        """Goes on after a cell that was expected to raise; whether it did is judged from the outputs."""

        @classmethod
        def execute_managed_notebook(cls, manager: Any, kernel_name: str, **options: Any) -> Any:
            client = Client(
                manager,
                kernel_name=kernel_name,
                timeout=options["execution_timeout"],
                startup_timeout=60,
                shutdown_kernel="immediate",
                ipython_hist_file=":memory:",
            )
            client.place = options["place"]
            return client.execute(**options["start"])

    papermill_engines.register(ENGINE, Engine)


def _kill_kernel() -> None:
    """Kill the kernel and every child that it left in its process group."""
    if _Running.group is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(_Running.group, signal.SIGKILL)
    _Running.group = None


def _watch_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()  # returns when the parent is gone, however it went
        _leave()


def _leave(_signal: int = 0, _frame: FrameType | None = None) -> NoReturn:
    _kill_kernel()
    if _Running.folder is not None:
        shutil.rmtree(_Running.folder, ignore_errors=True)
        with suppress(OSError):
            _Running.folder.parent.rmdir()  # succeeds for the last worker
    os._exit(143)
