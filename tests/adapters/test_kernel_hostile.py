"""Pages that print what takes much memory or time, or start many processes, in real kernels.

Each ends in a failure that names the page and the cell.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import nbclient.client
import psutil
import pytest
from kernel_project import Project
from notebooks import code, notebook
from processes import processes_with

from pipeline.adapters.kernel import PYTHON, Job, Policy, engine, run_notebooks
from pipeline.core.execution.result import Status

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]

MOST_MEMORY = 400  # MiB of a worker and of this process, above what they need anyway
DISPLAY = "from IPython.display import display\ndisplay({{{}}}, raw=True)"
# What a page prints, or more than 1 MiB in memory of it.
PRINTED = {
    "numbers": DISPLAY.format("'application/json': list(range(100_000))"),
    "lists": DISPLAY.format("'application/json': [[]] * 500_000"),
    "objects": DISPLAY.format("'application/json': [{}] * 500_000"),
    "keys": DISPLAY.format(
        "'application/json': {'x' * 99 + str(n): 0 for n in range(15_000)}"
    ),
    "empty-outputs": "from IPython.display import display\n"
    "for _ in range(300_000): display({}, raw=True)",
    # Each of these is a single message above the limit.
    "many-numbers": DISPLAY.format("'application/json': list(range(5_000_000))"),
    "long-text": DISPLAY.format("'text/plain': 'x' * 500_000_000"),
}
MANY = """
import subprocess
children = [subprocess.Popen(["sleep", "300"]) for _ in range(400)]
"""


@contextmanager
def memory_peak() -> Iterator[list[int]]:
    """Yield a list whose only number is the most MiB that this process or a child of it had."""
    peak, is_over = [0], threading.Event()

    def look() -> None:
        this = psutil.Process()
        while not is_over.wait(0.05):
            for process in (this, *this.children()):
                with suppress(psutil.Error):
                    peak[0] = max(peak[0], process.memory_info().rss >> 20)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield peak
    finally:
        is_over.set()
        thread.join()


def project_of(root: Path, cells: dict[str, str], *, output: int = 20) -> Project:
    project = Project(root, output=output)
    for page, cell in cells.items():
        project.add(f"{page}.ipynb", notebook(code("print(1)"), code(cell)))
    return project


def test_what_takes_memory_is_not_printed(tmp_path: Path) -> None:
    project = project_of(tmp_path, PRINTED, output=1)
    before = psutil.Process().memory_info().rss >> 20
    with memory_peak() as peak:
        results = project.results(jobs=1)
    for page in PRINTED:
        failure = results[page].failure
        assert failure is not None, page
        assert (failure.cell, failure.exception) == (2, "OutputLimit"), page
    assert peak[0] - before < MOST_MEMORY


def test_a_long_line_takes_no_time(tmp_path: Path) -> None:
    cells = {"long": "print('x' * 1_500_000, end='\\n12\\r34')"}
    project = project_of(tmp_path, cells)
    (result,) = project.run().executions
    assert result.status is Status.PASSED
    last = project.executed("long")["cells"][2]["outputs"][0]["text"]
    assert "".join(last).endswith("x\n34")


@pytest.mark.parametrize(
    "text",
    [
        *("", "a", "a\rb", "a\r\nb", "a\r", "a\rb\rc\nd\re", "\r\rb", "a\r\r\nb\n\rc"),
        *("\n\r\n\ra", "a\x0b\rb", "a\x85b\rc\u2028d\re"),
    ],
)
def test_carriage_returns_overwrite_what_they_do_in_nbclient(text: str) -> None:
    used = inspect.getsource(nbclient.client.NotebookClient.async_execute_cell)
    assert "_RGX_CARRIAGERETURN.sub" in used
    original, ours = re.compile(r".*\r(?=[^\n])"), engine.CARRIAGE_RETURN
    module = Path(nbclient.client.__file__).read_text("utf-8")
    assert f'_RGX_CARRIAGERETURN = re.compile(r"{original.pattern}")' in module
    assert nbclient.client._RGX_CARRIAGERETURN is ours
    assert ours.sub("", text) == original.sub("", text)


def test_a_page_has_a_limit_of_processes(tmp_path: Path) -> None:
    mark = f"HOSTILE_UNDER_TEST={os.getpid()}"
    name, _, value = mark.partition("=")
    job = Job(
        page="many",
        notebook=notebook(code("print(1)"), code(MANY + "import time; time.sleep(60)")),
        folder=tmp_path,
        kernel=PYTHON,
        policy=Policy(timeout=60, variables={name: value}),
    )
    (outcome,) = run_notebooks([job], workers=1)
    assert outcome.stop is not None
    assert (outcome.stop.cell, outcome.stop.exception) == (2, "ProcessLimit")
    assert processes_with(mark) == []
