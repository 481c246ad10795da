"""Running the cells of one notebook in a kernel, with papermill.

The notebook is changed in place. What stopped it before its last cell is the result; whether a cell
that was expected to raise did so is judged elsewhere, from the outputs.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.adapters.kernel.job import Job, Stop
from pipeline.adapters.kernel.page_run import PageRun, Progress

LOG_END = 4000  # bytes of what the kernel wrote that are worth telling


def execute(
    notebook: Any, job: Job, page: PageRun, *, environment: Mapping[str, str]
) -> Stop | None:
    """Run all cells of ``notebook`` in place, up to the first that fails unexpectedly.

    The kernel starts in the folder ``page`` below ``page.folder``, with just ``environment``.
    """
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    # Papermill: a quarter of a second.
    from pipeline.adapters.kernel.client import PageEngine

    notebook.metadata["papermill"] = {}  # where papermill keeps its books
    log = page.folder / "kernel.log"
    try:
        with log.open("wb") as stream:
            PageEngine.execute_notebook(
                notebook,
                kernel_name=job.kernel,
                progress_bar=False,
                autosave_cell_every=0,
                execution_timeout=job.policy.timeout,
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
    return _raised(notebook)


def _stop(error: Exception, progress: Progress, *, message: str, log: Path) -> Stop:
    return Stop(
        cell=progress.cell,
        exception=type(error).__name__,
        message=message,
        traceback=_end_of(log),
    )


def _last_words(progress: Progress) -> str:
    """How the kernel's process ended, as far as is known."""
    code = progress.process.poll() if progress.process is not None else None
    if code is None:  # it was never started, or its process is still there
        return "the kernel died"
    if code < 0:  # this is how subprocess gives the number of a signal
        return f"the kernel was killed by {signal.Signals(-code).name}"
    return f"the kernel ended with code {code}"


def _end_of(log: Path) -> str:
    with log.open("rb") as file:
        # What a dying kernel says last is why; it may have printed much before.
        file.seek(max(0, log.stat().st_size - LOG_END))
        return file.read(LOG_END).decode("utf-8", "replace")


def _raised(notebook: Any) -> Stop | None:
    """The exception that made papermill stop.

    Tagged cells do not stop it, so that theirs are not found here.
    """
    for index, cell in enumerate(notebook.cells):
        if cell.metadata.papermill["exception"]:
            error = _first_error(cell)
            return Stop(
                cell=index,
                exception=error.get("ename", "CellExecutionError"),
                message=error.get("evalue", ""),
                traceback="\n".join(error.get("traceback", ())),
            )
    return None


def _first_error(cell: Any) -> Any:
    """The first output of ``cell`` that is an error; empty if there is none."""
    for output in cell.get("outputs", ()):
        if output.output_type == "error":
            return output
    return {}
