"""Execution with real kernels."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from kernel_project import MYST, Project, texts
from notebooks import code, notebook
from places import ROOT, TESTS
from processes import is_alive, processes_with, until

from pipeline.config.settings import Acknowledgement, SkipRule
from pipeline.core.execution.result import Execution, Status, failure_text

pytestmark = pytest.mark.kernel


TAG = "raises-exception"
KILL = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
ABSENT = {"name": "no-such-kernel", "display_name": "x"}
OTHER = {"name": "ir", "language": "R", "display_name": "R"}
PASSING = (code("x = 2"), code("print(x + 1)"))
DOCUMENTS = {
    "guide/passing.ipynb": notebook(*PASSING),
    "raising.ipynb": notebook(code("1 / 0", TAG), code("print('after')")),
    "not-raising.ipynb": notebook(code("1", TAG), code("print('after')")),
    "acknowledged.ipynb": notebook(code("1", TAG)),
    "failing.ipynb": notebook(code("print(0)"), code("[][1]"), code("print('never')")),
    "missing-module.ipynb": notebook(code("import no_such_module_at_all")),
    "dying.ipynb": notebook(code(KILL), code("1")),
    "partly.ipynb": notebook(code("1 / 0", "skip-execution"), code("print('ran')")),
    "unknown-kernel.ipynb": notebook(code("1"), kernelspec=ABSENT),
    "other-language.ipynb": notebook(code("1"), kernelspec=OTHER),
    "no-code.ipynb": notebook(),
    "skipped/page.ipynb": notebook(code("1 / 0")),
    "broken.ipynb": "{",
    "broken-myst.md": "---\nkernelspec:\n  name: python3\n---\n# Title\n",
    "plain.md": "# Plain\n\n```python\n1 / 0\n```\n",
    "myst.md": MYST,
    "pair.ipynb": notebook(code("print('ipynb')")),
    "pair.md": MYST,
    "data/reads.ipynb": notebook(
        code("print(open('numbers.txt').read())"),
        code("open('numbers.txt', 'w').write('gone')"),
    ),
    "stranger.ipynb": notebook(code("print(1)")),
}
MERGED = {
    "guide/passing.ipynb": notebook(*PASSING, title="# 标题"),
    "stranger.ipynb": notebook(code("print(2)")),
}
# How each page ends: its status, how many of how many cells ran, and the reason, or the exception
# and what is blamed for it. A plain page is not executed.
ENDS = {
    "guide/passing": (Status.PASSED, "2/2", ""),
    "raising": (Status.PASSED, "2/2", ""),
    "not-raising": (Status.FAILED, "2/2", "1: NoException expectation"),
    "acknowledged": (Status.PASSED, "1/1", ""),
    "failing": (Status.FAILED, "2/3", "2: IndexError upstream"),
    "missing-module": (Status.FAILED, "1/1", "1: ModuleNotFoundError environment"),
    "dying": (Status.FAILED, "1/2", "1: DeadKernelError environment"),
    "partly": (Status.PASSED, "1/2", ""),
    "unknown-kernel": (Status.FAILED, "0/1", "0: NoSuchKernel environment"),
    "other-language": (Status.SKIPPED, "0/1", "its kernel ir is for r"),
    "no-code": (Status.SKIPPED, "0/0", "no code cells"),
    "skipped/page": (Status.SKIPPED, "0/1", "accelerator: wants a GPU"),
    "broken": (Status.FAILED, "0/0", "not valid JSON"),
    "broken-myst": (Status.FAILED, "0/0", "'display_name' is a required property"),
    "myst": (Status.PASSED, "2/2", ""),
    "pair": (Status.PASSED, "1/1", ""),
    "data/reads": (Status.PASSED, "2/2", ""),
    "stranger": (Status.FAILED, "1/1", "GuardError"),
}
Zoo = tuple[Project, dict[str, Execution]]


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Zoo:
    """One run over one page of every sort."""
    project = Project(tmp_path_factory.mktemp("zoo"), locales=("zh_CN", "zh_TW"))
    project.skip = (SkipRule(pages=("skipped/*",), reason="accelerator", note="wants a GPU"),)
    project.acknowledge = (Acknowledgement(page="acknowledged", cells=(1,), reason="known"),)
    for path, text in DOCUMENTS.items():
        project.add(path, text, merged=MERGED.get(path))
    project.add_data("data/numbers.txt", "12 34")
    stale = project.paths.executed("zh_CN") / "skipped" / "page.ipynb"
    stale.parent.mkdir(parents=True)
    stale.write_text("{}")
    return project, project.results()


def test_only_notebooks_are_executed(zoo: Zoo) -> None:
    assert zoo[1].keys() == ENDS.keys()


@pytest.mark.parametrize("page", ENDS)
def test_each_page_ends_as_it_should(zoo: Zoo, page: str) -> None:
    result, (status, cells, reason) = zoo[1][page], ENDS[page]
    why, failure = result.reason, result.failure
    if failure is not None:
        why = f"{failure.cell}: {failure.exception} {failure.blame}"
    assert (result.status, f"{result.cells}/{result.total}") == (status, cells)
    assert reason in why
    assert bool(reason) is bool(why)
    assert not result.cached


@pytest.mark.parametrize("page", ["skipped/page", "other-language", "no-code", "stranger"])
def test_pages_without_outputs_leave_nothing(zoo: Zoo, page: str) -> None:
    """A skipped page has been executed before; ``stranger`` is other code than upstream's."""
    assert not (zoo[0].paths.executed("zh_CN") / f"{page}.ipynb").exists()


def test_outputs_land_in_every_locale_with_its_own_prose(zoo: Zoo) -> None:
    for locale in ("zh_CN", "zh_TW"):
        executed = zoo[0].executed("guide/passing", locale)
        assert executed["cells"][0]["source"] == ["# 标题"]
        assert texts(executed["cells"][2]) == "3\n"
        counts = [cell.get("execution_count") for cell in executed["cells"]]
        assert counts == [None, 1, 2]
        assert "papermill" not in json.dumps(executed)
    assert 0 < zoo[1]["guide/passing"].seconds < 60
    merged = json.loads((zoo[0].paths.merged("zh_CN") / "guide/passing.ipynb").read_text("utf-8"))
    assert all(cell["outputs"] == [] for cell in merged["cells"][1:])


def test_a_tagged_cell_may_raise_and_the_run_goes_on(zoo: Zoo) -> None:
    cells = zoo[0].executed("raising")["cells"]
    assert cells[1]["outputs"][0]["ename"] == "ZeroDivisionError"
    assert texts(cells[2]) == "after\n"
    skipped, ran = zoo[0].executed("partly")["cells"][1:]
    assert (skipped["outputs"], texts(ran)) == ([], "ran\n")


def test_a_failing_cell_stops_its_page_with_a_full_record(zoo: Zoo) -> None:
    failure = zoo[1]["failing"].failure
    assert failure is not None
    assert failure.source == "[][1]"
    assert "IndexError" in failure.traceback
    assert "\x1b[" in failure.traceback
    assert "\x1b" not in failure_text("page", failure)
    assert texts(zoo[0].executed("failing")["cells"][3]) == ""


def test_a_myst_notebook_becomes_an_executed_ipynb(zoo: Zoo) -> None:
    cells = zoo[0].executed("myst")["cells"]
    printing, raising = (cell for cell in cells if cell["cell_type"] == "code")
    assert texts(printing) == "from myst\n"
    assert raising["outputs"][0]["ename"] == "ZeroDivisionError"
    # Of a pair, the .ipynb is run.
    assert texts(zoo[0].executed("pair")["cells"][1]) == "ipynb\n"


def test_a_page_reads_the_files_beside_it_and_cannot_change_them(zoo: Zoo) -> None:
    assert texts(zoo[0].executed("data/reads")["cells"][1]) == "12 34\n"
    assert (zoo[0].paths.docs / "data/numbers.txt").read_text() == "12 34"


@pytest.mark.usefixtures("plainly")
def test_a_page_without_merged_notebook_runs_and_is_not_written(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.add("page.ipynb", notebook(code("print(1)")))
    (project.paths.merged("zh_CN") / "page.ipynb").unlink()
    assert project.results()["page"].status is Status.PASSED
    assert not (project.paths.executed("zh_CN") / "page.ipynb").exists()


SCRIPT = """
import sys
from pathlib import Path
sys.path[:0] = [{root!r}, {support!r}]
from kernel_project import Project
from notebooks import code, notebook

if __name__ == "__main__":
    project = Project(Path({project!r}))
    cell = code("import subprocess\\nfor own in (False, True):\\n"
        "  subprocess.Popen(['sleep', '300'], start_new_session=own)\\n"
        "open({ready!r} + str(__import__('os').getpid()), 'w')\\n"
        "while True:\\n  try: __import__('time').sleep(300)\\n  except KeyboardInterrupt: pass")
    project.timeout = 300
    project.add("one.ipynb", notebook(cell))
    project.add("two.ipynb", notebook(cell, code("2")))
    project.run()
"""


@pytest.fixture
def running(
    tmp_path: Path, shared_memory: Path
) -> Iterator[tuple[subprocess.Popen[bytes], Path, list[int]]]:
    """A run in its own process, its folder for temporary files, and all its processes.

    Two kernels are busy, each with a child.
    """
    # Sockets in it need short names.
    short = tempfile.TemporaryDirectory(prefix="s-", dir="/tmp")
    scratch, ready = Path(short.name), shared_memory / "ready"
    ready.mkdir()
    script, log = tmp_path / "script.py", tmp_path / "log"
    places = {"root": ROOT, "support": TESTS / "support", "project": tmp_path / "p"}
    text = SCRIPT.format(ready=f"{ready}/", **{k: str(v) for k, v in places.items()})
    script.write_text(text, "utf-8")
    with log.open("wb") as said:
        command = [sys.executable, str(script)]
        environ = os.environ | {"TMPDIR": str(scratch)}
        process = subprocess.Popen(command, env=environ, stderr=said, stdout=said)
    everyone = [process.pid]
    try:
        ran = until(lambda: len(list(ready.iterdir())) == 2, seconds=60)
        assert ran, log.read_text()
        everyone = processes_with(str(scratch))
        yield process, scratch, everyone
    finally:
        for left in filter(is_alive, everyone):
            os.kill(left, signal.SIGKILL)
        process.wait()
        short.cleanup()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_ends_early_leaves_no_process_and_no_files(
    running: tuple[subprocess.Popen[bytes], Path, list[int]], how: signal.Signals
) -> None:
    process, scratch, everyone = running
    # the run, two workers, two kernels, four children: two in sessions of their own
    assert len(everyone) >= 9
    process.send_signal(how)
    process.wait(timeout=20)
    assert until(lambda: not any(map(is_alive, everyone)), seconds=10)
    assert until(lambda: not list(scratch.iterdir()), seconds=5)
