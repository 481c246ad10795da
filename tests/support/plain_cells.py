"""Stand-in for kernels: runs the cells of a page in this process, in a copy of its folder.

It is for tests of the code that processes outcomes. The tests of ``adapters/kernel`` check that
real kernels give such outcomes, and that pages are isolated.
"""

from __future__ import annotations

import io
import json
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from pipeline.adapters.kernel import Job, Outcome, Stop
from pipeline.adapters.kernel.sandbox import copy_data


def run_plainly(jobs: Sequence[Job], *, workers: int) -> Iterator[Outcome]:
    """Run ``jobs`` one after the other. Yield outcomes as ``run_notebooks`` does."""
    for job in jobs:
        yield _run(job)


def _run(job: Job) -> Outcome:
    started, notebook = time.monotonic(), json.loads(job.notebook)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        cell.update(outputs=[], execution_count=None)
    if job.policy.until:
        cells = cells[: job.policy.until - 1]
    names: dict[str, Any] = {"__name__": "__main__"}
    stop, seconds = None, list[float]()
    with TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        copy_data(job.folder, Path(scratch, "page"))
        for name, value in job.policy.variables.items():
            patch.setenv(name, value)
        with chdir(Path(scratch, "page")):
            for number, cell in enumerate(cells, start=1):
                if not "".join(cell["source"]):
                    continue  # kernels run no empty cells
                begun = time.monotonic()
                error = _run_cell(cell, names)
                seconds.append(time.monotonic() - begun)
                cell["execution_count"] = len(seconds)
                if error and "raises-exception" not in cell["metadata"]["tags"]:
                    stop = Stop(cell=number, **error)
                    break
    return Outcome(
        page=job.page,
        notebook=json.dumps(notebook),
        seconds=time.monotonic() - started,
        stop=stop,
        cell_seconds=tuple(seconds),
    )


def _run_cell(cell: dict[str, Any], names: dict[str, Any]) -> dict[str, str] | None:
    """Run ``cell`` and store its outputs. Return the exception in the form of a ``Stop``."""
    printed, failure = io.StringIO(), None
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # cells leave files open
        try:
            exec("".join(cell["source"]), names)
        except Exception as error:  # noqa: BLE001 - whatever a cell raises
            failure = {"exception": type(error).__name__, "message": str(error)}
            failure["traceback"] = "".join(traceback.format_exception(error))
    text = printed.getvalue()
    if text:
        stream = {"output_type": "stream", "name": "stdout", "text": text}
        cell["outputs"].append(stream)
    if failure:
        told = {
            "ename": failure["exception"],
            "evalue": failure["message"],
            "traceback": failure["traceback"].split("\n"),
        }
        cell["outputs"].append({"output_type": "error", **told})
    return failure
