"""Pages that do what pages must not do, in real kernels.

After each, no process and no temporary folder is left.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kernel_project
import pytest
from kernel_project import job, printed
from msgspec import Struct, structs
from processes import is_alive, processes_with, until

from pipeline.adapters.kernel import (
    PYTHON,
    Job,
    Outcome,
    Policy,
    run_notebooks,
    sandbox,
)

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]

WORKERS = 3  # most pages wait for a limit
MARK = "PAGE_UNDER_TEST"
SECRETS = frozenset("GITHUB_TOKEN AWS_SECRET_ACCESS_KEY HTTPS_PROXY PYTHONPATH JAX_SECRET".split())
USUAL = structs.replace(kernel_project.USUAL, wall_timeout=300, output=2)
JSON_OF_ENVIRONMENT = (
    "import json, os, sys\nprint(json.dumps({'variables': dict(os.environ), 'cwd': os.getcwd(), "
    "'path': sys.path}))"
)
# A child in the kernel's group, one in a session of its own, and one of those whose parent is gone
# and whose environment is empty.
# Not "yes": what that prints fills the memory before anybody has read 2 MiB of it.
PRINTING_CHILD = """import subprocess
subprocess.run(["sh", "-c", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxx; done"])"""
CHILDREN = """
import os, subprocess
print(os.getpid())
print(subprocess.Popen(["sleep", "300"]).pid)
print(subprocess.Popen(["sleep", "300"], start_new_session=True).pid)
orphan = ["setsid", "sh", "-c", "env -i sleep 300 >/dev/null 2>&1 & echo $!"]
print(subprocess.run(orphan, capture_output=True, text=True).stdout)
"""
WRITER = """
import os, tempfile
from pathlib import Path
for folder in (Path.cwd(), Path.home(), Path(tempfile.gettempdir())):
    (folder / "left").mkdir()
    (folder / "left" / "file").write_text("x")
    (folder / "left").chmod(0)
    print(folder / "left")
"""
IMAGE = (
    "from IPython.display import Image, display\n"
    "display(Image(data=b'\\x89PNG\\r\\n\\x1a\\n' + bytes(8 << 20), format='png'))"
)
# Uses so many seconds of CPU time, however long that takes.
BURN = """
import time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
"""
BURNING_CHILD = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'while True: pass'])"
# Each is gone before anybody could look at it, and its parent waits for it.
BURNING_CHILDREN = f"""
import subprocess, sys
while True: subprocess.run([sys.executable, '-S', '-c', {BURN + "burn(.05)"!r}])
"""
# Nobody waits for it: its parent is gone, and so is its session.
BURNING_ORPHAN = """
import subprocess, sys, time
command = f"setsid {sys.executable} -S -c 'while True: pass' >/dev/null 2>&1 &"
subprocess.run(["sh", "-c", command])
while True: time.sleep(60)
"""
EATER = "eaten = []\nwhile True:\n    eaten.append(bytearray(b'x') * (1 << 24))"
EATING_CHILD = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {EATER!r}])"
# Whether it was loaded, and whether a page can load it.
DEBUGGER = (
    "import importlib.util, sys\n"
    "print('debugpy' in sys.modules, importlib.util.find_spec('debugpy') is not None)"
)


class Case(Struct, frozen=True, kw_only=True):
    """A page, and how it is stopped: at which cell, by what, and a part of the message."""

    cells: tuple[str, ...]
    stop: tuple[int, str, str] | None
    policy: Policy
    kernel: str


def case(
    *cells: str,
    stop: tuple[int, str, str] | None = None,
    kernel: str = PYTHON,
    **limits: Any,
) -> Case:
    """Return the case of a page whose limits are the usual ones, but for ``limits``."""
    policy = structs.replace(USUAL, **limits)
    return Case(cells=cells, stop=stop, policy=policy, kernel=kernel)


BURNT = (1, "CellTimeout", "the cell used more than 1 s of CPU time")
STALLED = (1, "Stalled", "neither worked nor printed anything for 2 s")
TOO_MUCH = (1, "OutputLimit", "the page printed more than 2 MiB")
EATEN = (1, "MemoryLimit", "MiB of memory; the limit is 400")
CASES = {
    "passes": case("print('a')", "", DEBUGGER),
    "killed": case(
        "print('before')",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "print('never')",
        stop=(2, "DeadKernelError", "the kernel was killed by SIGKILL"),
    ),
    "leaves-at-once": case(
        "import os\nos._exit(7)",
        stop=(1, "DeadKernelError", "the kernel ended with code 7"),
    ),
    "hangs": case("while True: pass", timeout=1, stop=BURNT),
    "child-burns": case(BURNING_CHILD, timeout=1, stop=BURNT),
    "children-burn": case(BURNING_CHILDREN, timeout=1, stop=BURNT),
    "orphan-burns": case(BURNING_ORPHAN, timeout=1, stop=BURNT),
    "burns-in-turn": case(BURN, "burn(.4)", "burn(.4)", "burn(.4)", timeout=1),
    "sleeps": case("import time\ntime.sleep(600)", stall=2, stop=STALLED),
    "sleeps-in-c": case("import ctypes\nctypes.PyDLL(None).sleep(300)", stall=2, stop=STALLED),
    "looks-again-and-again": case(
        "import time\nwhile True: time.sleep(.02)", stall=2, stop=STALLED
    ),
    "sleeps-in-turn": case("import time", *["time.sleep(1.5)"] * 3, stall=3),
    "sleeps-and-tells": case("import time\nfor _ in range(8): time.sleep(.6); print('.')", stall=3),
    "never-done": case(
        "import time\nwhile True: time.sleep(.2); print('.')",
        wall_timeout=4,
        stop=(1, "WallTimeout", "the page was not done after 4 s"),
    ),
    "has-children": case(CHILDREN),
    "prints-without-end": case("while True: print('x' * 999)", stop=TOO_MUCH),
    "child-prints-without-end": case(PRINTING_CHILD, stop=TOO_MUCH),
    "big-image": case(IMAGE, stop=TOO_MUCH),
    "system-exit": case("raise SystemExit(3)", "print('never')", stop=(1, "SystemExit", "3")),
    "broken-encoding": case(
        "print('\\ud800')",
        "print('after')",
        # What no Python prints is read by a thread of the kernel: give it the time.
        "import os, time\nos.write(1, b'one \\xff\\xfe\\n')\ntime.sleep(.5)",
        ("import subprocess\n_ = subprocess.run(['printf', 'two \\\\377\\\\n'])\ntime.sleep(.5)"),
    ),
    "asks": case("input('name?')", stop=(1, "StdinNotImplementedError", "input")),
    "deletes-all": case(
        "import os, shutil\nfolder = os.getcwd()\nshutil.rmtree(folder)",
        "print('after')",
        "shutil.rmtree(os.path.dirname(folder))",
        "print('after all')",
    ),
    "eats-memory": case(EATER, stop=EATEN),
    "child-eats-memory": case(EATING_CHILD, stop=EATEN),
    "no-such-kernel": case(
        "1", kernel="no-such-kernel", stop=(0, "NoSuchKernel", "no-such-kernel")
    ),
    "writes": case(WRITER),
    "reads-secrets": case(JSON_OF_ENVIRONMENT, variables={"WANTED": "yes", MARK: "reads-secrets"}),
    "until": case("print('one')", "print('two')", "1 / 0", "print('four')", until=3),
    "until-nothing": case("print('one')", until=1),
}
# How these end depends on the system, or is looked at more closely.
OTHERS = {
    "burns-in-every-cell": case(BURN, *["burn(.2)"] * 50, timeout=1, page_timeout=2),
    "offline": case(
        (
            "import socket\nwith socket.create_server(('127.0.0.1', 0)) as s: "
            "socket.create_connection(s.getsockname()).close()"
        ),
        "print('met')",
        "socket.create_connection(('1.1.1.1', 443), 5)",
        offline=True,
    ),
    "offline-name": case(
        "from urllib.request import urlopen\nurlopen('https://example.org/')",
        offline=True,
    ),
}
EVERY = {**CASES, **OTHERS}


class Ran(Struct, frozen=True):
    """An outcome, and what was there when it came: processes of the page, folders of pages."""

    outcome: Outcome
    left: list[int]
    folders: int

    @property
    def printed(self) -> list[str]:
        return printed(self.outcome.notebook)

    @property
    def stop(self) -> tuple[int, str, str]:
        stop = self.outcome.stop
        assert stop is not None
        return stop.cell, stop.exception, stop.message


class Zoo(Struct, frozen=True):
    pages: dict[str, Ran]
    scratch: Path

    def __getitem__(self, page: str) -> Ran:
        return self.pages[page]


def marked_as(page: str) -> str:
    """The mark of a page's processes: other tests may run the same page at the same time."""
    return f"{os.getpid()}-{page}"


def job_of(page: str, case: Case, folder: Path) -> Job:
    variables = {MARK: marked_as(page), **case.policy.variables}
    policy = structs.replace(case.policy, variables=variables)
    return job(page, *case.cells, folder=folder, kernel=case.kernel, policy=policy)


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zoo]:
    scratch, data = tmp_path_factory.mktemp("s"), tmp_path_factory.mktemp("data")
    (data / "numbers.txt").write_text("1 2 3")
    pages: dict[str, Ran] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(scratch))
        for name in SECRETS:
            patch.setenv(name, "secret-value")
        # The workers need it, wherever they find their packages.
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        jobs = [job_of(page, case, data) for page, case in EVERY.items()]
        for outcome in run_notebooks(jobs, workers=WORKERS):
            left = processes_with(f"{MARK}={marked_as(outcome.page)}\0")
            folders = len(list(scratch.glob("nb-*/p-*")))
            pages[outcome.page] = Ran(outcome, left, folders)
    yield Zoo(pages, scratch)
    assert (data / "numbers.txt").read_text() == "1 2 3"


@pytest.mark.parametrize("page", EVERY)
def test_nothing_of_a_page_is_left_when_its_outcome_comes(zoo: Zoo, page: str) -> None:
    assert zoo[page].left == []
    assert zoo[page].folders <= WORKERS


def test_no_temporary_file_is_left_in_the_end(zoo: Zoo) -> None:
    assert set(zoo.pages) == set(EVERY)
    assert list(zoo.scratch.iterdir()) == []


@pytest.mark.parametrize("page", [page for page in CASES if CASES[page].stop])
def test_a_stop_says_what_and_where(zoo: Zoo, page: str) -> None:
    cell, exception, message = zoo[page].stop
    stop = CASES[page].stop
    assert stop is not None
    assert (cell, exception) == stop[:2]
    assert stop[2] in message


@pytest.mark.parametrize("page", [page for page in CASES if not CASES[page].stop])
def test_what_does_no_harm_passes(zoo: Zoo, page: str) -> None:
    assert zoo[page].outcome.stop is None


def test_a_page_that_uses_too_much_is_stopped_although_no_cell_does(zoo: Zoo) -> None:
    cell, exception, message = zoo["burns-in-every-cell"].stop
    assert exception == "PageTimeout"
    assert message == "the page used more than 2 s of CPU time"
    assert 2 < cell < 12


@pytest.mark.parametrize(("page", "limit"), [("burns-in-turn", 1), ("sleeps-in-turn", 3)])
def test_each_cell_has_limits_of_its_own(zoo: Zoo, page: str, limit: int) -> None:
    """What its cells use together, or wait for together, would break the limit of one."""
    assert sum(zoo[page].outcome.cell_seconds) > limit


@contextmanager
def eight_busy_loops(*, when: Callable[[], object]) -> Iterator[None]:
    """While entered, this process and all that it starts share a core with eight busy loops.

    They begin ``when`` that holds: what is started before starts fast.
    """
    cores = os.sched_getaffinity(0)
    # They end by themselves, if this test is killed.
    loop = "import time\nend = time.time() + 60\nwhile time.time() < end: pass"
    command = [sys.executable, "-S", "-c", loop]
    busy: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        if until(when, seconds=60):
            # In sessions of their own: Linux shares a core out among sessions first.
            busy.extend(subprocess.Popen(command, start_new_session=True) for _ in range(8))

    os.sched_setaffinity(0, {min(cores)})
    starter = threading.Thread(target=start)
    starter.start()
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
        starter.join()
        for process in busy:
            process.kill()
            process.wait()


def test_a_busy_machine_makes_no_page_fail(tmp_path: Path) -> None:
    """By the clock, its cell would break the limit of CPU seconds, and that of stalling as well."""
    began = tmp_path / "began"
    wait = f"open({str(began)!r}, 'w').close(); import time; time.sleep(.5)"
    busy = case(BURN, wait, "burn(.5)", timeout=1, page_timeout=15, stall=3)
    with eight_busy_loops(when=began.exists):
        outcome = outcome_of(job_of("busy", busy, tmp_path))
    assert outcome.stop is None
    # Otherwise the machine was not busy, and nothing is proved.
    assert outcome.cell_seconds[2] > 3


def test_outputs_before_a_stop_are_kept_unless_they_are_too_much(zoo: Zoo) -> None:
    assert zoo["killed"].printed == ["before\n", "", ""]
    for page in ("prints-without-end", "child-prints-without-end", "big-image"):
        assert len(zoo[page].outcome.notebook) < 10_000


def test_a_run_is_timed(zoo: Zoo) -> None:
    outcome = zoo["passes"].outcome
    assert len(outcome.cell_seconds) == 2  # an empty cell is not run
    assert 0 < sum(outcome.cell_seconds) < outcome.seconds


def test_a_kernel_starts_without_a_debugger_that_its_page_may_load(zoo: Zoo) -> None:
    assert zoo["passes"].printed[2] == "False True\n"


def test_children_are_found_wherever_they_went(zoo: Zoo) -> None:
    started = [int(word) for word in zoo["has-children"].printed[0].split()]
    assert len(started) == 4
    assert not any(map(is_alive, started))


def test_broken_bytes_are_replaced(zoo: Zoo) -> None:
    _, *others = zoo["broken-encoding"].printed
    assert others == ["after\n", "one \ufffd\ufffd\n", "two \ufffd\n"]
    zoo["broken-encoding"].outcome.notebook.encode()


def test_written_files_are_gone_and_were_in_three_folders(zoo: Zoo) -> None:
    places = {Path(line) for line in zoo["writes"].printed[0].split()}
    assert len(places) == 3
    for place in places:
        assert place.is_relative_to(zoo.scratch)
        assert not place.exists()


def test_the_environment_holds_what_the_policy_lists_and_no_secret(zoo: Zoo) -> None:
    found = json.loads(zoo["reads-secrets"].printed[0])
    variables = found["variables"]
    assert "secret-value" not in json.dumps(found)
    expected = {"WANTED": "yes", "JAX_PLATFORMS": "cpu", "NPROC": "1"}
    assert expected.items() <= variables.items()
    assert not SECRETS & set(variables)
    folder = Path(found["cwd"]).parent
    own = "HOME TMPDIR IPYTHONDIR MPLCONFIGDIR XDG_CACHE_HOME XDG_CONFIG_HOME"
    for name in own.split():
        assert Path(variables[name]).is_relative_to(folder), name


@pytest.mark.skipif(
    not sandbox.can_isolate_network(),
    reason="the system does not let users make network namespaces",
)
def test_offline_there_is_no_network_but_loopback(zoo: Zoo) -> None:
    for page, expected in [("offline", "OSError"), ("offline-name", "URLError")]:
        _, exception, message = zoo[page].stop
        assert exception == expected
        assert message.startswith("needs the network, and this run is offline: ")
    assert zoo["offline"].printed[1] == "met\n"


def test_cells_from_until_on_are_kept_without_outputs(zoo: Zoo) -> None:
    ran = zoo["until"]
    assert ran.printed == ["one\n", "two\n", "", ""]
    cells = json.loads(ran.outcome.notebook)["cells"]
    assert [cell["source"] for cell in cells[3:]] == ["1 / 0", "print('four')"]
    assert len(ran.outcome.cell_seconds) == 2


def parent_of(process: int) -> int:
    stat = Path(f"/proc/{process}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[1])


def outcome_of(page: Job) -> Outcome:
    (outcome,) = run_notebooks([page], workers=1)
    return outcome


def test_a_machine_that_is_paused_makes_no_page_fail(tmp_path: Path) -> None:
    """Everything of a run is stopped for longer than a page may be silent, and goes on."""
    began = tmp_path / "began"
    wait = f"open({str(began)!r}, 'w').close(); import time; time.sleep(3)"
    paused: list[int] = []

    def pause() -> None:
        if not until(began.exists, seconds=60):
            return
        (kernel,) = processes_with(f"{MARK}={marked_as('paused')}\0")
        worker = parent_of(kernel)
        paused.extend((parent_of(worker), worker, kernel))
        for process in paused:
            os.kill(process, signal.SIGSTOP)
        time.sleep(8)
        for process in paused:
            os.kill(process, signal.SIGCONT)

    pausing = threading.Thread(target=pause)
    pausing.start()
    page = job_of("paused", case(wait, "print('after')", stall=5), tmp_path)
    # In a process of its own, which is paused as well.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        outcome = process.submit(outcome_of, page).result()
    pausing.join()
    assert len(paused) == 3
    assert outcome.stop is None
    assert outcome.cell_seconds[0] > 5


def test_a_long_name_of_the_temporary_folder_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    assert outcome_of(job("long", "print(1)")).stop is None


def test_the_probe_agrees_with_the_system() -> None:
    command = ["unshare", "--user", "--net", "true"]
    try:
        code = subprocess.run(command, check=False, capture_output=True).returncode
    except FileNotFoundError:
        pytest.skip("there is no unshare(1) to compare with")
    assert sandbox.can_isolate_network() == (code == 0)
