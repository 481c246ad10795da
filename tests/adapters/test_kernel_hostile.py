"""Pages that print what takes much memory or time, or start many processes, in real kernels.

Each ends in a failure that names the page and the cell.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import PIPE

import nbclient.client
import psutil
import pytest
from kernel_project import Project, job, printed, texts
from msgspec import Struct
from msgspec.structs import replace
from notebooks import code, notebook
from processes import is_alive, order_of, outsider, processes_with, until

from pipeline.adapters.kernel import Outcome, Policy, cgroup, engine, run_notebooks
from pipeline.adapters.kernel.sandbox import LAUNCH
from pipeline.adapters.kernel.watch import Watch, end_page_and_resume, is_stopped
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
    "keys": DISPLAY.format("'application/json': {'x' * 99 + str(n): 0 for n in range(15_000)}"),
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


def test_a_page_has_a_limit_of_processes() -> None:
    mark = f"HOSTILE_UNDER_TEST={os.getpid()}"
    name, _, value = mark.partition("=")
    sleeping = f"{MANY}import time; time.sleep(60)"
    policy = Policy(timeout=60, variables={name: value})
    many = job("many", "print(1)", sleeping, policy=policy)
    (outcome,) = run_notebooks([many], workers=1)
    assert outcome.stop is not None
    assert (outcome.stop.cell, outcome.stop.exception) == (2, "ProcessLimit")
    assert processes_with(mark) == []


# Pages that start processes without end, and what the system allows the user of a kernel.


FORK_MARK = f"FORKS_UNDER_TEST={os.getpid()}"
FORKS = """
import os, time
from pathlib import Path
lines = Path("/proc/self/cgroup").read_text().splitlines()
groups = [line.rpartition("/")[2] for line in lines if "/docs-kernel-" in line]
(group,) = [path for name in groups for path in Path("/sys/fs/cgroup").rglob(name)]
assert int((group / "pids.max").read_text()) <= 300
tokens, give = os.pipe()
os.write(give, b"x" * 2000)  # one for each fork, in all processes together
os.set_blocking(tokens, False)
try:
    while os.read(tokens, 1):
        try:
            if os.fork() == 0:
                os.setsid()
        except BlockingIOError:
            pass
except BlockingIOError:
    time.sleep(60)
"""
FORKS_OF_USER = f"""
import os, resource, runpy, signal, time
from pipeline.adapters.kernel.watch import tasks_of_user
launch = runpy.run_path({str(LAUNCH)!r})
tasks_of_user()  # imports what another user may not read
if os.getuid() == 0:
    os.setuid(65534)  # root has no limit
launch["limit_processes"](str(tasks_of_user() + 20))
children = []
try:
    for _ in range(60):
        children.append(os.fork())
        if children[-1] == 0:
            time.sleep(60)
            os._exit(0)
except BlockingIOError:
    pass
for child in children:
    os.kill(child, signal.SIGKILL)
print(len(children))
"""
ABANDONED = """
import os, subprocess
from pipeline.adapters.kernel import cgroup
group = cgroup.make_group(50)
child = subprocess.Popen(["sleep", "300"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
(group / "cgroup.procs").write_text(str(child.pid))
print(group, child.pid, flush=True)
os._exit(0)
"""


def run_python(code: str) -> str:
    """Run ``code`` in a process of its own. Return what it prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, stdout=PIPE, text=True, check=True).stdout


@pytest.fixture
def group() -> Path:
    """Cgroup of this process, or a skip where the system permits none."""
    made = cgroup.make_group(50)
    if made is None:
        pytest.skip("the system lets this user make no cgroup")
    cgroup.remove_group(made)
    assert not made.exists()
    return made


def test_endless_forks_end_the_page_at_the_limit(group: Path) -> None:
    name, _, value = FORK_MARK.partition("=")
    policy = Policy(timeout=60, threads=1, variables={name: value})
    forks = job("forks", "print(1)", FORKS, policy=policy)
    after = job("next", "print(1)", policy=policy)
    outcomes = run_notebooks([forks, after], workers=1)
    stops = {outcome.page: outcome.stop for outcome in outcomes}
    stop = stops["forks"]
    assert stop is not None
    assert (stop.cell, stop.exception) == (2, "ProcessLimit"), stop.message
    assert stops["next"] is None
    assert processes_with(FORK_MARK) == []
    # Other tests may run pages at the same time: their workers are alive.
    left = [path.name for path in group.parent.glob("docs-kernel-*")]
    assert [name for name in left if not is_alive(int(name.split("-")[-1]))] == []


@pytest.mark.usefixtures("group")
def test_the_group_of_a_killed_worker_is_removed_by_the_next_run() -> None:
    left, _, child = run_python(ABANDONED).rpartition(" ")
    assert Path(left).exists()
    assert is_alive(int(child))
    assert list(run_notebooks([], workers=1)) == []
    assert not Path(left).exists()
    assert until(lambda: not is_alive(int(child)), seconds=5)


@pytest.mark.parametrize("membership", ["0::/a/b\n", "0::/\n", "3:pids:/a\n", "", None])
def test_where_the_system_has_no_limits_nothing_is_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, membership: str | None
) -> None:
    root, file = tmp_path / "root", tmp_path / "membership"
    (root / "a" / "b").mkdir(parents=True)
    if membership is not None:
        file.write_text(membership)
    monkeypatch.setattr(cgroup, "ROOT", root)
    monkeypatch.setattr(cgroup, "MEMBERSHIP", file)
    assert cgroup.make_group(50) is None
    assert sorted(root.rglob("*")) == [root / "a", root / "a" / "b"]
    assert int(Watch(Policy(), (), None).launch_limit()) > Policy().processes


def test_without_a_group_the_user_has_a_limit() -> None:
    assert 15 <= int(run_python(FORKS_OF_USER)) <= 20


# Pages whose cells stop or kill what runs them, and pages that leave folders without end.


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
    def stop(self) -> tuple[str, int]:
        stop = self.outcome.stop
        assert stop is not None
        return stop.exception, stop.cell


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
    jobs = [
        job(page, CHILD, cell, "print('on')", policy=policies.get(page, usual))
        for page, cell in cells.items()
    ]
    if keeps_signals_inside():
        attacks = [code(attack, "raises-exception") for attack in ATTACKS.values()]
        text = notebook(code(OWN_CHILD), *attacks)
        jobs.append(replace(job("attacks", policy=usual), notebook=text))
    pages: dict[str, Ran] = {}
    with pytest.MonkeyPatch.context() as patch, outsider(orders):
        patch.setattr(tempfile, "tempdir", str(scratch))
        for outcome in run_notebooks(jobs, workers=1):
            pages[outcome.page] = Ran(outcome, processes_with(MARK))
    assert pages.keys() == {job.page for job in jobs}
    assert processes_with(MARK) == []
    assert list(scratch.iterdir()) == []
    return pages


@pytest.mark.parametrize("page", ["stopped", "stopped-by-child"])
def test_a_stopped_worker_ends_its_page_only(ran: dict[str, Ran], page: str) -> None:
    assert ran[page].stop == ("WorkerStopped", 2)
    assert printed(ran[page].outcome.notebook) == ["before\n", "", ""]
    assert ran[page].left == []


@pytest.mark.parametrize(("page", "code"), [("ended", 143), ("killed", -9)])
def test_dead_workers_name_the_cell(ran: dict[str, Ran], page: str, code: int) -> None:
    assert ran[page].stop == ("WorkerDied", 2)
    stop = ran[page].outcome.stop
    assert stop is not None
    assert stop.message == f"the worker process ended with code {code}"


def test_a_kernel_that_is_stopped_is_stalled(ran: dict[str, Ran]) -> None:
    assert ran["stops-itself"].stop == ("Stalled", 2)


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
