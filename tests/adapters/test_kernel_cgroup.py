"""Pages that start processes without end, and what the system allows the user of a kernel.

A cell here forks only in a cgroup with a low limit, and 2,000 times at most.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from notebooks import code, notebook
from processes import is_alive, processes_with, until

from pipeline.adapters.kernel import PYTHON, Job, Policy, cgroup, run_notebooks
from pipeline.adapters.kernel.sandbox import LAUNCH
from pipeline.adapters.kernel.watch import Watch

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform != "linux", reason="Linux has cgroups"),
]

MARK = f"FORKS_UNDER_TEST={os.getpid()}"
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


@pytest.fixture
def group() -> Path:
    """Cgroup of this process, or a skip where the system permits none."""
    made = cgroup.make_group(50)
    if made is None:
        pytest.skip("the system lets this user make no cgroup")
    cgroup.remove_group(made)
    assert not made.exists()
    return made


def test_endless_forks_end_the_page_at_the_limit(group: Path, tmp_path: Path) -> None:
    name, _, value = MARK.partition("=")
    policy = Policy(timeout=60, threads=1, variables={name: value})
    cells = {"forks": FORKS, "next": "print(1)"}
    jobs = [
        Job(
            page=page,
            notebook=notebook(code("print(1)"), code(cell)),
            folder=tmp_path,
            kernel=PYTHON,
            policy=policy,
        )
        for page, cell in cells.items()
    ]
    stops = {}
    for outcome in run_notebooks(jobs, workers=1):
        stops[outcome.page] = outcome.stop
    stop = stops["forks"]
    assert stop is not None
    assert (stop.cell, stop.exception) == (2, "ProcessLimit"), stop.message
    assert stops["next"] is None
    assert processes_with(MARK) == []
    # Other tests may run pages at the same time: their workers are alive.
    left = [path.name for path in group.parent.glob("docs-kernel-*")]
    assert [name for name in left if not is_alive(int(name.split("-")[-1]))] == []


@pytest.mark.usefixtures("group")
def test_the_group_of_a_killed_worker_is_removed_by_the_next_run() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", ABANDONED], capture_output=True, text=True, check=True
    )
    left, _, child = ran.stdout.rpartition(" ")
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
    ran = subprocess.run(
        [sys.executable, "-c", FORKS_OF_USER],
        capture_output=True,
        text=True,
        check=True,
    )
    assert 15 <= int(ran.stdout) <= 20
