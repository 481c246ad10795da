"""Execution on a Dask cluster: real schedulers, workers and kernels, some of which are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest
from kernel_project import Project, job, printed
from msgspec.structs import replace
from notebooks import code, notebook
from places import ROOT
from processes import is_alive, order_of, outsider, until

from pipeline.adapters import cluster as dask_cluster
from pipeline.adapters.cluster import run_on_cluster
from pipeline.adapters.kernel import Job, Outcome, environment
from pipeline.config.settings import Mode, RunRule
from pipeline.core.execution.result import Execution, Status
from pipeline.errors import ExecutionError
from pipeline.paths import Paths

dask = pytest.importorskip("dask")
distributed = pytest.importorskip(
    "distributed", reason="the dependency group dask is not installed"
)
pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]


PAGE = job("page", "print(1)")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A scheduler and two workers in processes of their own.

    The workers are started again when they die.
    """
    # Fifty times a second each part looks whether it lives, and workers what they are doing.
    calm = {
        "distributed.admin.tick.interval": "1s",
        "distributed.worker.profile.enabled": False,
    }
    with (
        dask.config.set(calm),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as started,
    ):
        yield started


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    """A client, once both workers are there."""
    with distributed.Client(cluster, set_as_default=False) as connected:
        connected.wait_for_workers(2, timeout=30)
        yield connected


def run_project(root: Path, pages: dict[str, str], *, scheduler: str = "") -> tuple[Execution, ...]:
    """Execute ``pages`` (texts by path) in the folder ``root``; notebooks run, the rest is data."""
    project = Project(root, timeout=100)
    for path, text in pages.items():
        add = project.add if path.endswith(".ipynb") else project.add_data
        add(path, text)
    return project.run(scheduler=scheduler).executions


def without_times(result: Execution) -> Execution:
    return replace(result, seconds=0.0, cell_seconds=())


def printed_in(root: Path, page: str) -> list[str]:
    """What the code cells of an executed page printed; in how many pieces is left to chance."""
    path = Paths(root, "demo").executed("zh_CN") / page
    return printed(path.read_text("utf-8")) if path.exists() else []


def run_jobs(*jobs: Job, address: str, facts: Mapping[str, str] | None = None) -> Iterator[Outcome]:
    """Run jobs on the cluster at ``address``, whose environment should be that of ``facts``."""
    return run_on_cluster(jobs, address=address, environment=facts or environment())


def kill_worker_of(trace: Path, workers: set[int], killed: list[int]) -> None:
    """Kill the worker that the page ``slow`` belongs to.

    It is known once the page's kernel has left its id.
    """

    def is_known() -> bool:
        return trace.exists() and trace.read_text("utf-8").endswith("\n")

    assert until(is_known, seconds=60)
    kernel = int(trace.read_text("utf-8"))
    (worker,) = {process.pid for process in psutil.Process(kernel).parents()} & workers
    killed += [kernel, *child_processes(worker)]
    os.kill(worker, signal.SIGKILL)


def child_processes(process: int) -> list[int]:
    children = psutil.Process(process).children(recursive=True)
    return [child.pid for child in children]


def test_a_run_that_loses_a_worker_ends_as_a_local_one_does(
    tmp_path: Path, shared_memory: Path, cluster: Any, client: Any
) -> None:
    traces = shared_memory / "traces"
    pages = {"folder/data/numbers.txt": "12 34"}
    mark = "import os\nwith open('{}/{}', 'a') as f: print(os.getpid(), file=f)"
    for page, cells in {
        "slow": [code("import time; time.sleep(2)"), *[code("print(1)")] * 8],
        "failing": [code("[][1]"), code("1")],
        "folder/reads": [
            code("print(open('data/numbers.txt').read(), os.listdir('.'))"),
            code("1 / 0", "raises-exception"),
            code("print({'a', 'b', 'c'})"),
        ],
    }.items():
        first = code(mark.format(traces, page.rpartition("/")[2]))
        pages[f"{page}.ipynb"] = notebook(first, *cells)
    traces.mkdir()
    local = run_project(tmp_path / "local", pages)
    for trace in traces.iterdir():
        trace.unlink()
    workers, killed = set(client.run(os.getpid).values()), list[int]()
    arguments = (traces / "slow", workers, killed)
    killer = threading.Thread(target=kill_worker_of, args=arguments)
    killer.start()
    address = cluster.scheduler_address
    remote = run_project(tmp_path / "remote", pages, scheduler=address)
    killer.join()
    assert [*map(without_times, remote)] == [*map(without_times, local)]
    ran = sorted(result.page for result in remote)
    assert ran == ["failing", "folder/reads", "slow"]
    runs = {trace.name: len(trace.read_text().split()) for trace in traces.iterdir()}
    # The page whose worker was killed ran twice.
    assert runs == {"failing": 1, "reads": 1, "slow": 2}
    for page in pages:
        here = printed_in(tmp_path / "local", page)
        assert printed_in(tmp_path / "remote", page) == here
    # of the page: its process, the process that runs it, that of its kernel
    assert len(killed) >= 4
    assert until(lambda: not any(map(is_alive, killed)), seconds=10)


def test_start_up_code_travels_to_workers_that_have_no_file_of_it(
    tmp_path: Path, cluster: Any, client: Any
) -> None:
    path = "startup/quiet.py"
    text = "import os\nfrom pipeline_startup import on_import\n"
    text += "on_import('colorsys', lambda module: vars(module).update(heat='{}'))\n"
    project = Project(tmp_path, timeout=100)
    project.add("page.ipynb", notebook(code("import colorsys\nprint(colorsys.heat)")))
    mode = Mode(name="quiet", note="without a sound", startup=path)
    project.rules = (RunRule(pages=("*",), reason="accelerator", modes=(mode,)),)
    (tmp_path / "startup").mkdir()
    for heat in ("100", "200"):
        (tmp_path / path).write_text(text.format(heat))
        (ran,) = project.run(scheduler=cluster.scheduler_address).executions
        assert (ran.status, ran.cached) == (Status.PASSED, False)
        assert ran.note == "without a sound"
        assert printed_in(tmp_path, "page.ipynb") == [f"{heat}\n"]
    (again,) = project.run(scheduler=cluster.scheduler_address).executions
    assert again.cached


def test_what_dies_with_a_page_is_told_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cluster: Any, client: Any
) -> None:
    orders = tmp_path / "orders"

    def order(condition: str, name: str) -> str:
        process = f"[p.pid for p in psutil.Process().parents() if {condition}][0]"
        return order_of(orders, process, name, seconds=2 if name == "SIGSTOP" else 60)

    is_process = '"serve" in str(p.cmdline())'
    workers = set(client.run(os.getpid).values())
    jobs = [
        job("kills its worker", order(f"p.pid in {workers}", "SIGKILL")),
        job("kills its process", order(is_process, "SIGKILL")),
        job("stops its process", order(is_process, "SIGSTOP")),
        job("prints", "print(1)"),
    ]
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    with outsider(orders):
        outcomes = [*run_jobs(*jobs, address=cluster.scheduler_address)]
    stops = {
        outcome.page: outcome.stop and (outcome.stop.exception, outcome.stop.message)
        for outcome in outcomes
    }
    killed = "the process that ran it ended with code -9"
    assert stops == {
        "kills its worker": ("WorkerDied", "every worker that ran the page died"),
        "kills its process": ("WorkerDied", killed),
        "stops its process": None,  # the worker lets it go on
        "prints": None,
    }


def test_what_is_left_is_cancelled_when_the_run_ends(
    tmp_path: Path, cluster: Any, client: Any
) -> None:
    mark = "import os, time\nopen('{}/{}', 'w').write(str(os.getpid()))\ntime.sleep({})"
    seconds = {"quick": 0, "long": 300, "next": 300, "last": 300}
    jobs = [job(page, mark.format(tmp_path, page, time)) for page, time in seconds.items()]
    traces = [tmp_path / page for page in ("long", "next")]
    outcomes: Any = run_jobs(*jobs, address=cluster.scheduler_address)
    with closing(outcomes):  # as Ctrl-C does
        assert next(outcomes).page == "quick"
        assert until(lambda: all(trace.exists() for trace in traces), seconds=30)
    kernels = [int(trace.read_text()) for trace in traces]
    assert until(lambda: not any(map(is_alive, kernels)), seconds=15)
    assert not (tmp_path / "last").exists()
    places = client.run(lambda dask_worker: dask_worker.local_directory).values()

    def left() -> list[Path]:
        return [path for place in places for path in Path(place).glob("p-*")]

    assert until(lambda: not left(), seconds=15)


def test_a_worker_that_is_another_environment_is_refused(
    tmp_path: Path, cluster: Any, client: Any
) -> None:
    package = tmp_path / "odd" / "odd_one-1.0.dist-info"
    package.mkdir(parents=True)
    metadata = "Metadata-Version: 2.1\nName: odd-one\nVersion: 1.0\n"
    (package / "METADATA").write_text(metadata)
    worker = [sys.executable, "-m", "distributed.cli.dask_worker"]
    options = ("--no-nanny", "--nthreads=1", "--no-dashboard")
    command = [*worker, cluster.scheduler_address, *options]
    variables = os.environ | {"PYTHONPATH": f"{tmp_path / 'odd'}{os.pathsep}{ROOT}"}
    differs = r"package odd-one: none here, 1\.0 there"
    with subprocess.Popen(
        command, env=variables, cwd=tmp_path, stderr=subprocess.DEVNULL
    ) as started:
        try:
            client.wait_for_workers(3, timeout=30)
            page = job("page", f"open({str(tmp_path / 'ran')!r}, 'w')")
            with pytest.raises(ExecutionError, match=differs) as caught:
                list(run_jobs(page, address=cluster.scheduler_address))
            assert caught.value.exit_code == 6
            assert caught.value.where.startswith("worker tcp://")
        finally:
            started.terminate()
    assert not (tmp_path / "ran").exists()
    assert until(lambda: len(client.nthreads()) == 2, seconds=10)


def test_the_first_facts_that_differ_are_told(cluster: Any) -> None:
    packages = {f"package p{number}": "1" for number in range(9)}
    facts = environment() | {"python": "2.7"} | packages
    told = r"package p0: 1 here, none there; .*package p7: 1 here, none there; and 2 more"
    with pytest.raises(ExecutionError, match=told):
        list(run_jobs(PAGE, address=cluster.scheduler_address, facts=facts))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x", "tcp://127.0.0.1:no"])
def test_a_scheduler_that_is_not_there_is_told(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 1)
    with pytest.raises(ExecutionError, match="no Dask scheduler answers") as caught:
        list(run_jobs(PAGE, address=address))
    assert caught.value.where == address


def test_a_cluster_without_workers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "WORKERS_SECONDS", 1)
    empty = distributed.LocalCluster(n_workers=0, dashboard_address=":0")
    with empty, pytest.raises(ExecutionError, match="no worker for 1 s"):
        list(run_jobs(PAGE, address=empty.scheduler_address))


@pytest.mark.parametrize("name", ["SIGSTOP", "SIGKILL"])
def test_a_scheduler_that_stops_in_the_middle_of_a_page_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setattr(dask_cluster, "ANSWER_SECONDS", 5)
    monkeypatch.setattr(dask_cluster, "POLL_SECONDS", 1)
    file, module = tmp_path / "scheduler.json", "distributed.cli.dask_"
    python, options = [sys.executable, "-m"], ["--scheduler-file", str(file)]
    quiet: Any = {"cwd": tmp_path, "stderr": subprocess.DEVNULL}
    quiet["env"] = os.environ | {"PYTHONPATH": str(ROOT)}
    serving = [*python, f"{module}scheduler", *options, "--port=0", "--no-dashboard"]
    working = [*python, f"{module}worker", *options, "--no-nanny", "--nthreads=1"]
    with subprocess.Popen([*serving, "--host=127.0.0.1"], **quiet) as scheduler:
        assert until(file.exists, seconds=60)
        with subprocess.Popen([*working, "--no-dashboard"], **quiet) as worker:
            sleeping = job("page", "import time; time.sleep(300)")

            def stop() -> None:
                assert until(lambda: len(child_processes(worker.pid)) >= 2, seconds=90)
                scheduler.send_signal(signal.Signals[name])

            stopping = threading.Thread(target=stop)
            stopping.start()
            address = json.loads(file.read_text())["address"]
            try:
                with pytest.raises(ExecutionError, match="the cluster was lost"):
                    list(run_jobs(sleeping, address=address))
            finally:
                stopping.join()
                left = child_processes(worker.pid)
                worker.terminate()
                scheduler.kill()
    assert until(lambda: not any(map(is_alive, left)), seconds=30)


OTHER_PAGE = {"page": "other", "notebook": "{}", "seconds": 1.0, "stop": None}
ANSWERS: dict[str, Any] = {
    "nothing": None,
    "no JSON": b"{",
    "nested": b"[" * 100_000,
    "no outcome": b"[]",
    "wrong types": json.dumps({**OTHER_PAGE, "seconds": "long"}).encode(),
    "another page": json.dumps(OTHER_PAGE).encode(),
    "no notebook": json.dumps({**OTHER_PAGE, "page": "page"}).encode(),
    "other code": json.dumps(
        {**OTHER_PAGE, "page": "page", "notebook": notebook(code("print(2)"))}
    ).encode(),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_worker_that_answers_anything_fails_its_page(
    monkeypatch: pytest.MonkeyPatch, cluster: Any, client: Any, answer: str
) -> None:
    reply = ANSWERS[answer]

    def answer_anything(parcel: object) -> Any:
        return reply

    monkeypatch.setattr(dask_cluster, "run_page", answer_anything)
    (outcome,) = run_jobs(PAGE, address=cluster.scheduler_address)
    assert outcome.page == "page"
    assert outcome.stop is not None
    assert outcome.stop.message


def test_nothing_to_run_needs_no_cluster() -> None:
    assert list(run_jobs(address="tcp://127.0.0.1:9")) == []
