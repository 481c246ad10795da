"""Pages whose cells stop or kill what runs them, and pages that leave folders without end.

Where the system keeps the signals of a kernel inside, no cell can do so; elsewhere, the pool ends
the page of a worker that is stopped. An outsider that sends the signals stands for the latter.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

import pytest
from kernel_project import texts
from msgspec import Struct
from msgspec.structs import replace
from notebooks import code, notebook
from processes import order_of, outsider, processes_with

from pipeline.adapters.kernel import PYTHON, Job, Outcome, Policy, Stop, run_notebooks
from pipeline.adapters.kernel.sandbox import LAUNCH
from pipeline.adapters.kernel.watch import end_page_and_resume, is_stopped

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]

MARK = f"SIGNALS_UNDER_TEST={os.getpid()}"
# Of cells that try to stop or kill what they must not; each names a process or a group.
ATTACKS = {
    "stops-parent": "os.kill(os.getppid(), signal.SIGSTOP)",
    "kills-parent": "os.kill(os.getppid(), signal.SIGKILL)",
    "ends-parent": "os.kill(os.getppid(), signal.SIGTERM)",
    "stops-group": "os.killpg(os.getpgid(os.getppid()), signal.SIGSTOP)",
    "stops-run": "os.kill(psutil.Process().parent().ppid(), signal.SIGSTOP)",
    "stops-others": "[p.suspend() for p in psutil.process_iter() if p.pid > 1]",
}
DEEP = "import os\nfor _ in range(1100):\n    os.mkdir('d')\n    os.chdir('d')"


# It is in a session of its own, and goes with its page all the same.
CHILD = """import subprocess
subprocess.Popen(["sleep", "300"], start_new_session=True)
print("before")"""
# What belongs to the page still gets signals.
OWN_CHILD = """
import os, psutil, signal, subprocess
child = subprocess.Popen(['sleep', '60'])
child.kill()
print(child.wait())
"""


def keeps_signals_inside() -> bool:
    script = (
        f"import runpy; launch = runpy.run_path({str(LAUNCH)!r})\n"
        "raise SystemExit(not launch['keep_signals_inside']())"
    )
    return subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


class Ran(Struct, frozen=True):
    outcome: Outcome
    left: list[int]  # processes of pages that were there when it came

    @property
    def stop(self) -> Stop:
        assert self.outcome.stop is not None
        return self.outcome.stop

    @property
    def outputs(self) -> list[str]:
        cells = json.loads(self.outcome.notebook)["cells"]
        return [texts(cell) for cell in cells if cell["cell_type"] == "code"]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    """One run of pages, each of which does what a page must not do."""
    scratch, orders = tmp_path_factory.mktemp("s"), tmp_path_factory.mktemp("orders")
    cells = {
        "stopped": order_of(orders, "os.getppid()", "SIGSTOP"),
        "stopped-by-child": "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', "
        + repr(order_of(orders, "psutil.Process().parent().ppid()", "SIGSTOP"))
        + "], start_new_session=True).wait()",
        "ended": order_of(orders, "os.getppid()", "SIGTERM"),
        "killed": order_of(orders, "os.getppid()", "SIGKILL"),
        "stops-itself": order_of(orders, "os.getpid()", "SIGSTOP"),
        "deep": DEEP,
    }
    name, _, value = MARK.partition("=")
    usual = Policy(timeout=20, threads=1, variables={name: value})
    policies = {"stops-itself": replace(usual, stall=5)}
    notebooks = {
        page: notebook(code(CHILD), code(cell), code("print('on')"))
        for page, cell in cells.items()
    }
    if keeps_signals_inside():
        attacks = [code(attack, "raises-exception") for attack in ATTACKS.values()]
        notebooks["attacks"] = notebook(code(OWN_CHILD), *attacks)
    jobs = [
        Job(
            page=page,
            notebook=text,
            folder=scratch / "none",
            kernel=PYTHON,
            policy=policies.get(page, usual),
        )
        for page, text in notebooks.items()
    ]
    pages: dict[str, Ran] = {}
    with pytest.MonkeyPatch.context() as patch, outsider(orders):
        patch.setattr(tempfile, "tempdir", str(scratch))
        for outcome in run_notebooks(jobs, workers=1):
            pages[outcome.page] = Ran(outcome, processes_with(MARK))
    assert pages.keys() == notebooks.keys()
    assert processes_with(MARK) == []
    assert list(scratch.iterdir()) == []
    return pages


@pytest.mark.parametrize("page", ["stopped", "stopped-by-child"])
def test_a_worker_that_is_stopped_ends_its_page_and_goes_on(
    ran: dict[str, Ran], page: str
) -> None:
    assert (ran[page].stop.exception, ran[page].stop.cell) == ("WorkerStopped", 2)
    assert ran[page].outputs == ["before\n", "", ""]
    assert ran[page].left == []


@pytest.mark.parametrize(("page", "code"), [("ended", 143), ("killed", -9)])
def test_a_worker_that_dies_names_the_cell(
    ran: dict[str, Ran], page: str, code: int
) -> None:
    assert (ran[page].stop.exception, ran[page].stop.cell) == ("WorkerDied", 2)
    assert ran[page].stop.message == f"the worker process ended with code {code}"


def test_a_kernel_that_is_stopped_is_stalled(ran: dict[str, Ran]) -> None:
    assert (ran["stops-itself"].stop.exception, ran["stops-itself"].stop.cell) == (
        "Stalled",
        2,
    )


def test_folders_nested_without_end_stop_nothing(ran: dict[str, Ran]) -> None:
    assert ran["deep"].outcome.stop is None


def test_no_cell_stops_or_kills_what_is_not_its_own(ran: dict[str, Ran]) -> None:
    if "attacks" not in ran:
        pytest.skip("the system does not keep signals inside: Linux can since 6.12")
    own, *attacks = json.loads(ran["attacks"].outcome.notebook)["cells"][1:]
    assert texts(own) == "-9\n"
    refusals = [cell["outputs"][0]["ename"] for cell in attacks]
    # psutil has an error of its own.
    assert refusals == [*["PermissionError"] * 5, "AccessDenied"]
    assert ran["attacks"].left == []


def test_a_process_that_is_gone_is_not_stopped() -> None:
    ended = subprocess.Popen([sys.executable, "-S", "-c", ""])
    ended.wait()
    assert not is_stopped(ended.pid)
    end_page_and_resume(ended.pid)
    assert not is_stopped(os.getpid())
