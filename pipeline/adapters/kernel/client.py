"""papermill's engine and client, as pages need them.

This module imports papermill, which takes a quarter of a second: import it where a page is run.
What differs from papermill's own: which interpreter and folder a kernel has, who is told how far it
is, that a page may not print without end, and that a cell which is expected to raise stops nothing.
"""

from __future__ import annotations

import os
import time
from typing import Any

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine

from pipeline.adapters.kernel.interpreter import PYTHON
from pipeline.adapters.kernel.page_run import PageRun
from pipeline.adapters.kernel.sandbox import kernel_command


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
