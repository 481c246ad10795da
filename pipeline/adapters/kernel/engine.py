"""Run the cells of one notebook in a kernel, with papermill's engine and client.

This module imports papermill, which takes a quarter of a second: import it where a page is run.
What differs from papermill's own: the interpreter and folder of a kernel, the progress that is
reported, the limit of what a page may print, and that a cell which is expected to raise does not
stop a run.

The notebook is changed in place. The result is what stopped it before its last cell; whether cells
that were expected to raise did so is judged elsewhere, from the outputs.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine

from pipeline.adapters.kernel.interpreter import PYTHON
from pipeline.adapters.kernel.job import Job, Stop
from pipeline.adapters.kernel.sandbox import kernel_command
from pipeline.adapters.kernel.watch import PageRun, Progress

LOG_END = 4000  # bytes of what the kernel wrote that are worth telling


def execute(
    notebook: Any, job: Job, page: PageRun, *, environment: Mapping[str, str]
) -> Stop | None:
    """Run all cells of ``notebook`` in place, up to the first that fails unexpectedly.

    The kernel starts in the folder ``page`` below ``page.folder``, with just ``environment``.
    """
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    from pipeline.adapters.kernel.engine import PageEngine

    notebook.metadata["papermill"] = {}  # where papermill keeps its books
    log = page.folder / "kernel.log"
    try:
        with log.open("wb") as stream:
            PageEngine.execute_notebook(
                notebook,
                kernel_name=job.kernel,
                progress_bar=False,
                autosave_cell_every=0,
                page=page,
                start={
                    "cwd": str(page.folder / "page"),
                    "env": dict(environment),
                    "stdout": stream,
                    "stderr": stream,
                },
            )
    except DeadKernelError as error:
        return _stop(error, page.progress, message=_last_words(page.progress), log=log)
    except CellTimeoutError as error:
        return _stop(error, page.progress, message=str(error), log=log)
    return _raised(notebook, page.progress)


def _stop(error: Exception, progress: Progress, *, message: str, log: Path) -> Stop:
    with log.open("rb") as file:
        # What a dying kernel says last is why; it may have printed much before.
        file.seek(max(0, log.stat().st_size - LOG_END))
        end = file.read(LOG_END)
    return Stop(
        cell=progress.number,
        exception=type(error).__name__,
        message=message,
        traceback=end.decode("utf-8", "replace"),
    )


def _last_words(progress: Progress) -> str:
    """Return how the kernel's process ended, as far as is known."""
    code = progress.process.poll() if progress.process is not None else None
    if code is None:  # it was never started, or its process is still there
        return "the kernel died"
    if code < 0:  # this is how subprocess gives the number of a signal
        return f"the kernel was killed by {signal.Signals(-code).name}"
    return f"the kernel ended with code {code}"


def _raised(notebook: Any, progress: Progress) -> Stop | None:
    """Return the exception that made papermill stop.

    Tagged cells do not stop it, so that theirs are not found here.
    """
    for cell in notebook.cells:
        if cell.metadata.papermill["exception"]:
            error = _first_error(cell)
            return Stop(
                cell=progress.number,
                exception=error.get("ename", "CellExecutionError"),
                message=error.get("evalue", ""),
                traceback="\n".join(error.get("traceback", ())),
            )
    return None


def _first_error(cell: Any) -> Any:
    """Return the first output of ``cell`` that is an error; empty if there is none."""
    for output in cell.get("outputs", ()):
        if output.output_type == "error":
            return output
    return {}


class _Kernels(KernelSpecManager):
    """Python is the interpreter of this process, whatever kernels the user has installed."""

    offline = False

    def get_kernel_spec(self, kernel_name: str) -> Any:
        if kernel_name == PYTHON:
            return KernelSpec(
                argv=kernel_command(offline=self.offline),
                display_name="Python 3",
                language="python",
            )
        # Another language: its own command, started in the same sandbox.
        spec = super().get_kernel_spec(kernel_name)
        spec.argv = kernel_command(*spec.argv, offline=self.offline)
        return spec


class _Client(PapermillNotebookClient):  # type: ignore[misc]  # papermill has no types
    """papermill's client, which tells where it is and watches what is printed."""

    page: PageRun

    def create_kernel_manager(self) -> Any:
        manager = super().create_kernel_manager()
        manager.kernel_spec_manager = _Kernels()
        manager.kernel_spec_manager.offline = self.page.offline
        manager.connection_file = str(self.page.folder / "k.json")
        if os.name == "posix":
            # Sockets in files: a kernel without network can be reached by them, and by nobody else.
            manager.transport = "ipc"
            manager.ip = str(self.page.folder / "k")
        return manager

    def start_new_kernel_client(self) -> Any:
        self.page.progress.process = self.km.provisioner.process
        return super().start_new_kernel_client()

    def execute_cell(self, cell: Any, cell_index: int, **options: Any) -> Any:
        self.page.progress.index = cell_index
        if cell.cell_type == "code":
            self.page.progress.begin_code_cell()
            self.page.watch.begin_cell()
        cells_before, start = self.code_cells_executed, time.monotonic()
        try:
            return super().execute_cell(cell, cell_index, **options)
        finally:
            # Prose and empty cells do not run.
            if self.code_cells_executed > cells_before:
                self.page.progress.seconds.append(time.monotonic() - start)

    def process_message(self, message: Any, cell: Any, cell_index: int) -> Any:
        if not self.page.watch.admits(message["content"]):
            return None
        return super().process_message(message, cell, cell_index)


class PageEngine(NBClientEngine):  # type: ignore[misc]  # papermill has no types
    """Goes on after a cell that was expected to raise: outputs tell later whether it did."""

    @classmethod
    def execute_managed_notebook(
        cls, manager: Any, kernel_name: str, **options: Any
    ) -> Any:
        # Limits are the watch's business. Those of nbclient go by the clock: a kernel that waits
        # for its turn on a busy machine would pass for one that hangs.
        # They are further away than all others, in case that the watch itself breaks.
        far = 2 * options["page"].watch.policy.wall_timeout
        client = _Client(
            manager,
            kernel_name=kernel_name,
            timeout=far,
            startup_timeout=far,
            iopub_timeout=far,  # from the reply of a cell to the last of its outputs
            # How a kernel cuts what it prints depends on the moment.
            coalesce_streams=True,
            shell_timeout_interval=1,
            shutdown_kernel="immediate",
            ipython_hist_file=":memory:",
        )
        client.page = options["page"]
        return client.execute(**options["start"])
