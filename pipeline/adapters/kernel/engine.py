"""Execution of one notebook's cells in a kernel, with papermill's engine and client.

Importing papermill takes a quarter of a second, so import this module only where a page runs. The
engine differs from papermill's in the kernel's interpreter and folder, in the reported progress,
and in the limit on output. Cells that are expected to raise do not stop the run.

``execute`` changes the notebook in place. It returns the reason why the run stopped before the last
cell, or None. This module does not check whether cells with the tag ``raises-exception`` did raise
an exception; the outputs show that.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import nbclient.client
import zmq
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine
from zmq.utils.monitor import recv_monitor_message

from pipeline.adapters.kernel.interpreter import PYTHON
from pipeline.adapters.kernel.job import Stop
from pipeline.adapters.kernel.sandbox import folders_to_change, kernel_command
from pipeline.adapters.kernel.watch import MIB, PageRun, Progress

# nbclient's pattern for text before a carriage return takes time that grows with the square of a
# line's length: 0.6 s for 40,000 characters. Meanwhile, no other thread of the worker can run. The
# pattern below matches only from the start of a line: 0.01 s for 1.5 million characters. It is made
# for nbclient 0.11.
CARRIAGE_RETURN = re.compile(r"^.*\r(?=[^\n])", re.MULTILINE)
nbclient.client._RGX_CARRIAGERETURN = CARRIAGE_RETURN
LOG_END = 4000  # bytes at the end of the kernel's log to report
LAST_SECONDS = 1  # time for a kernel to end after it closed its connections


def execute(notebook: Any, page: PageRun, *, environment: Mapping[str, str]) -> Stop | None:
    """Run the cells of ``notebook`` in place, up to the first unexpected failure.

    Return that failure, or None. The kernel starts in the subfolder "page" of ``page.folder``. Its
    environment variables are exactly ``environment``.
    """
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    notebook.metadata["papermill"] = {}  # papermill stores its records here
    log = page.folder / "kernel.log"
    try:
        with log.open("wb") as stream:
            PageEngine.execute_notebook(
                notebook,
                kernel_name=page.job.kernel,
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
        # The last lines of a dying kernel have the reason. The rest of its log may be long.
        file.seek(max(0, log.stat().st_size - LOG_END))
        end = file.read(LOG_END)
    return Stop(
        cell=progress.number,
        exception=type(error).__name__,
        message=message,
        traceback=end.decode("utf-8", "replace"),
    )


def _last_words(progress: Progress) -> str:
    """Return how the kernel's process ended, as far as known."""
    code = progress.process.poll() if progress.process is not None else None
    if code is None:  # never started, or still running
        return "the kernel died"
    if code < 0:  # subprocess reports a signal as a negative number
        return f"the kernel was killed by {signal.Signals(-code).name}"
    return f"the kernel ended with code {code}"


def _raised(notebook: Any, progress: Progress) -> Stop | None:
    """Return the exception that made papermill stop, or None.

    Cells with the tag ``raises-exception`` do not stop it, so their exceptions are not returned.
    """
    for cell in notebook.cells:
        if cell.metadata.papermill["exception"]:
            outputs = cell.get("outputs", ())
            errors = (output for output in outputs if output.output_type == "error")
            error: Any = next(errors, {})
            return Stop(
                cell=progress.number,
                exception=error.get("ename", "CellExecutionError"),
                message=error.get("evalue", ""),
                traceback="\n".join(error.get("traceback", ())),
            )
    return None


class _Kernels(KernelSpecManager):
    """Kernel specs in which Python is this process's interpreter, not a kernel of the user."""

    page: PageRun

    def get_kernel_spec(self, kernel_name: str) -> Any:
        start = partial(
            kernel_command,
            offline=self.page.job.policy.offline,
            limit=self.page.watch.launch_limit(),
            folders=folders_to_change(self.page.folder, self.page.job.project),
        )
        if kernel_name == PYTHON:
            return KernelSpec(
                argv=start(),
                display_name="Python 3",
                language="python",
            )
        # The kernel of another language is started by its own command, in the same sandbox.
        spec = super().get_kernel_spec(kernel_name)
        spec.argv = start(*spec.argv)
        return spec


class _KernelClient(AsyncKernelClient):
    """Client that ends the page when a single message exceeds the limit for the page's output.

    ZeroMQ closes the connection before it reads such a message into memory.
    """

    def start_channels(self, *channels: bool, **named: bool) -> None:
        manager: Any = self.parent
        self._page: PageRun = manager.page
        limit = self._page.watch.policy.output * MIB
        self.context.setsockopt(zmq.MAXMSGSIZE, limit)
        super().start_channels(*channels, **named)
        self._waiting = asyncio.ensure_future(self._wait_for_disconnection())

    def stop_channels(self) -> None:
        self._waiting.cancel()
        super().stop_channels()

    async def _wait_for_disconnection(self) -> None:
        socket = self.iopub_channel.socket
        await recv_monitor_message(socket.get_monitor_socket(zmq.EVENT_DISCONNECTED))
        await asyncio.sleep(LAST_SECONDS)
        # The connection is also closed if the kernel has ended. If the kernel still runs, one of
        # its messages was too large.
        if self._page.progress.process.poll() is None:
            self._page.watch.refuse_output()


class _Client(PapermillNotebookClient):  # type: ignore[misc]  # papermill has no types
    """papermill's client, with progress reports and a watch on the output."""

    page: PageRun

    def create_kernel_manager(self) -> Any:
        manager = super().create_kernel_manager()
        manager.kernel_spec_manager = _Kernels()
        manager.kernel_spec_manager.page = self.page
        manager.client_factory = _KernelClient
        manager.page = self.page
        manager.connection_file = str(self.page.folder / "k.json")
        if os.name == "posix":
            # Unix sockets reach a kernel without network, and other users cannot connect.
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
            self.page.changes.end_cell(self.page.progress.number)
            # Prose and empty cells are not executed, so they have no duration.
            if self.code_cells_executed > cells_before:
                self.page.progress.seconds.append(time.monotonic() - start)

    def process_message(self, message: Any, cell: Any, cell_index: int) -> Any:
        if not self.page.watch.admits([message["content"], message["buffers"]]):
            return None
        return super().process_message(message, cell, cell_index)


class PageEngine(NBClientEngine):  # type: ignore[misc]  # papermill has no types
    """Engine that continues after a cell that was expected to raise."""

    @classmethod
    def execute_managed_notebook(cls, manager: Any, kernel_name: str, **options: Any) -> Any:
        # The watch enforces all limits. nbclient's own limits measure wall time, so a kernel on a
        # busy machine would seem to hang. Make them longer than all limits of the watch, so that
        # they apply only if the watch itself fails.
        far = 2 * options["page"].watch.policy.wall_timeout
        client = _Client(
            manager,
            kernel_name=kernel_name,
            timeout=far,
            startup_timeout=far,
            iopub_timeout=far,  # from a cell's reply to its last output
            # Join the messages of an output: how a kernel splits its output depends on timing.
            coalesce_streams=True,
            shell_timeout_interval=1,
            shutdown_kernel="immediate",
            ipython_hist_file=":memory:",
        )
        client.page = options["page"]
        return client.execute(**options["start"])
