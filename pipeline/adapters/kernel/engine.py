"""Running the cells of one notebook in a kernel, with papermill."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.adapters.kernel import sandbox
from pipeline.adapters.kernel.pool import PYTHON, Job, Stop
from pipeline.adapters.kernel.watch import Watch

ENGINE = "expectations"
LOG_END = 4000  # characters of what the kernel wrote that are worth telling


@dataclass(slots=True)
class Run:
    """How far a run has come: the cell it is at (of all, from 0), seconds of each code cell that ran."""

    cell: int = 0
    seconds: list[float] = field(default_factory=list)
    process: Any = None  # the kernel's, as subprocess started it


def execute(
    notebook: Any,
    job: Job,
    folder: Path,
    *,
    environment: Mapping[str, str],
    watch: Watch,
    progress: Run,
) -> Stop | None:
    """Run all cells of ``notebook``, a page whose folder is ``folder``, in place, up to the first that fails unexpectedly."""
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill.engines import papermill_engines

    register()
    notebook.metadata["papermill"] = {}  # where papermill keeps its books
    log = folder / "kernel.log"
    try:
        with log.open("wb") as stream:
            papermill_engines.execute_notebook_with_engine(
                ENGINE,
                notebook,
                kernel_name=job.kernel,
                progress_bar=False,
                autosave_cell_every=0,
                execution_timeout=job.policy.timeout,
                page=_Page(folder, job.policy.offline, watch, progress),
                start={
                    "cwd": str(folder / "page"),
                    "env": dict(environment),
                    "stdout": stream,
                    "stderr": stream,
                },
            )
    except (DeadKernelError, CellTimeoutError) as error:
        message = _last_words(progress) if isinstance(error, DeadKernelError) else str(error)
        return Stop(
            cell=progress.cell,
            exception=type(error).__name__,
            message=message,
            traceback=_end_of(log),
        )
    return _raised(notebook)


@dataclass(frozen=True, slots=True)
class _Page:
    """What papermill carries to the client that it makes of our class."""

    folder: Path
    offline: bool
    watch: Watch
    progress: Run


def _last_words(progress: Run) -> str:
    import signal

    code = progress.process.poll() if progress.process is not None else None
    if code is None:
        return "the kernel died"
    return (
        f"the kernel ended with code {code}"
        if code >= 0
        else f"the kernel was killed by {signal.Signals(-code).name}"
    )


def _end_of(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - LOG_END))
        return file.read(LOG_END).decode("utf-8", "replace")


def _raised(notebook: Any) -> Stop | None:
    """The exception that made papermill stop. Tagged cells do not stop it, so theirs are not found here."""
    for index, cell in enumerate(notebook.cells):
        if cell.metadata.papermill["exception"]:
            error: Any = next(
                (output for output in cell.get("outputs", ()) if output.output_type == "error"), {}
            )
            lines = "\n".join(error.get("traceback", ()))
            return Stop(
                cell=index,
                exception=error.get("ename", "CellExecutionError"),
                message=error.get("evalue", ""),
                traceback=lines,
            )
    return None


@functools.cache
def register() -> None:
    """Make our engine known to papermill."""
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from papermill.clientwrap import PapermillNotebookClient
    from papermill.engines import NBClientEngine, papermill_engines

    class Kernels(KernelSpecManager):
        """Python is the interpreter of this process, whatever kernels the user has installed."""

        offline = False

        def get_kernel_spec(self, kernel_name: str) -> Any:
            if kernel_name == PYTHON:
                return KernelSpec(
                    argv=sandbox.command(offline=self.offline),
                    display_name="Python 3",
                    language="python",
                )
            spec = super().get_kernel_spec(kernel_name)
            spec.argv = sandbox.command(*spec.argv, offline=self.offline)
            return spec

    class Client(PapermillNotebookClient):  # type: ignore[misc]
        """papermill's client, which tells where it is, watches what is printed, and talks to its kernel by sockets in the page's folder."""

        page: _Page

        def create_kernel_manager(self) -> Any:
            manager = super().create_kernel_manager()
            manager.kernel_spec_manager = Kernels()
            manager.kernel_spec_manager.offline = self.page.offline
            manager.connection_file = str(self.page.folder / "k.json")
            if os.name == "posix":
                manager.transport = "ipc"
                manager.ip = str(self.page.folder / "k")
            return manager

        def start_new_kernel_client(self) -> Any:
            self.page.progress.process = self.km.provisioner.process
            return super().start_new_kernel_client()

        def execute_cell(self, cell: Any, cell_index: int, **options: Any) -> Any:
            self.page.progress.cell = cell_index
            before, start = self.code_cells_executed, time.monotonic()
            try:
                return super().execute_cell(cell, cell_index, **options)
            finally:
                if self.code_cells_executed > before:
                    self.page.progress.seconds.append(time.monotonic() - start)

        def process_message(self, message: Any, cell: Any, cell_index: int) -> Any:
            return (
                super().process_message(message, cell, cell_index)
                if self.page.watch.admits(message["content"])
                else None
            )

    class Engine(NBClientEngine):  # type: ignore[misc]
        """Goes on after a cell that was expected to raise; whether it did is judged from the outputs."""

        @classmethod
        def execute_managed_notebook(cls, manager: Any, kernel_name: str, **options: Any) -> Any:
            client = Client(
                manager,
                kernel_name=kernel_name,
                timeout=options["execution_timeout"],
                startup_timeout=60,
                coalesce_streams=True,  # how a kernel cuts what it prints depends on the moment
                shell_timeout_interval=1,
                shutdown_kernel="immediate",
                ipython_hist_file=":memory:",
            )
            client.page = options["page"]
            return client.execute(**options["start"])

    papermill_engines.register(ENGINE, Engine)
