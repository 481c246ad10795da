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


@pytest.fixture(scope="module")
def zoo(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Project, dict[str, Execution]]:
    """One run over one page of every sort."""
    project = Project(tmp_path_factory.mktemp("zoo"), locales=("zh_CN", "zh_TW"))
    project.skip = (
        SkipRule(pages=("skipped/*",), reason="accelerator", note="wants a GPU"),
    )
    project.acknowledge = (
        Acknowledgement(page="acknowledged", cells=(1,), reason="known"),
    )
    project.add(
        "guide/passing.ipynb",
        notebook(code("x = 2"), code("print(x + 1)")),
        merged=notebook(code("x = 2"), code("print(x + 1)"), title="# 标题"),
    )
    project.add(
        "raising.ipynb",
        notebook(code("1 / 0", "raises-exception"), code("print('after')")),
    )
    project.add(
        "not-raising.ipynb",
        notebook(code("1", "raises-exception"), code("print('after')")),
    )
    project.add("acknowledged.ipynb", notebook(code("1", "raises-exception")))
    project.add(
        "failing.ipynb",
        notebook(code("print('before')"), code("[][1]"), code("print('never')")),
    )
    project.add("missing-module.ipynb", notebook(code("import no_such_module_at_all")))
    project.add(
        "dying.ipynb",
        notebook(
            code("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"), code("1")
        ),
    )
    project.add(
        "partly.ipynb", notebook(code("1 / 0", "skip-execution"), code("print('ran')"))
    )
    project.add(
        "unknown-kernel.ipynb",
        notebook(code("1"), kernelspec={"name": "no-such-kernel", "display_name": "x"}),
    )
    project.add(
        "other-language.ipynb",
        notebook(
            code("1"), kernelspec={"name": "ir", "language": "R", "display_name": "R"}
        ),
    )
    project.add("no-code.ipynb", notebook())
    project.add("skipped/page.ipynb", notebook(code("1 / 0")))
    project.add("broken.ipynb", "{")
    project.add("broken-myst.md", "---\nkernelspec:\n  name: python3\n---\n# Title\n")
    project.add("plain.md", "# Plain\n\n```python\n1 / 0\n```\n")
    project.add("myst.md", MYST)
    project.add("pair.ipynb", notebook(code("print('ipynb')")))
    project.add("pair.md", MYST)
    project.add(
        "data/reads.ipynb",
        notebook(
            code("print(open('numbers.txt').read())"),
            code("open('numbers.txt', 'w').write('gone')"),
        ),
    )
    project.add_data("data/numbers.txt", "12 34")
    project.add(
        "stranger.ipynb", notebook(code("print(1)")), merged=notebook(code("print(2)"))
    )
    stale = project.paths.executed("zh_CN") / "skipped" / "page.ipynb"
    stale.parent.mkdir(parents=True)
    stale.write_text("{}")
    return project, project.results()


Zoo = tuple[Project, dict[str, Execution]]


def test_a_passing_page_is_counted(zoo: Zoo) -> None:
    result = zoo[1]["guide/passing"]
    assert (
        result.status,
        result.cells,
        result.total,
        result.cached,
        result.failure,
    ) == (
        Status.PASSED,
        2,
        2,
        False,
        None,
    )
    assert 0 < result.seconds < 60


def test_outputs_land_in_every_locale_with_its_own_prose(zoo: Zoo) -> None:
    for locale in ("zh_CN", "zh_TW"):
        executed = zoo[0].executed("guide/passing", locale)
        assert executed["cells"][0]["source"] == ["# 标题"]
        assert texts(executed["cells"][2]) == "3\n"
        assert [cell.get("execution_count") for cell in executed["cells"]] == [
            None,
            1,
            2,
        ]
        assert "papermill" not in json.dumps(executed)


def test_merged_notebooks_are_left_alone(zoo: Zoo) -> None:
    merged = json.loads(
        (zoo[0].paths.merged("zh_CN") / "guide/passing.ipynb").read_text("utf-8")
    )
    assert all(cell["outputs"] == [] for cell in merged["cells"][1:])


def test_a_tagged_cell_may_raise_and_the_run_goes_on(zoo: Zoo) -> None:
    assert zoo[1]["raising"].status is Status.PASSED
    cells = zoo[0].executed("raising")["cells"]
    assert cells[1]["outputs"][0]["ename"] == "ZeroDivisionError"
    assert texts(cells[2]) == "after\n"


def test_a_tagged_cell_that_does_not_raise_fails(zoo: Zoo) -> None:
    result = zoo[1]["not-raising"]
    assert result.failure is not None
    assert (result.status, result.cells, result.failure.cell, result.failure.blame) == (
        Status.FAILED,
        2,
        1,
        "expectation",
    )


def test_unless_it_is_acknowledged(zoo: Zoo) -> None:
    assert zoo[1]["acknowledged"].status is Status.PASSED


def test_a_failing_cell_stops_its_page_with_a_full_record(zoo: Zoo) -> None:
    result = zoo[1]["failing"]
    failure = result.failure
    assert failure is not None
    assert (result.status, result.cells, result.total) == (Status.FAILED, 2, 3)
    assert (failure.cell, failure.source, failure.exception, failure.blame) == (
        2,
        "[][1]",
        "IndexError",
        "upstream",
    )
    assert "IndexError" in failure.traceback
    assert "\x1b[" in failure.traceback
    assert "\x1b" not in failure_text("page", failure)
    assert texts(zoo[0].executed("failing")["cells"][3]) == ""


@pytest.mark.parametrize(
    ("page", "exception"),
    [
        ("missing-module", "ModuleNotFoundError"),
        ("dying", "DeadKernelError"),
        ("unknown-kernel", "NoSuchKernel"),
    ],
)
def test_the_environment_is_blamed(zoo: Zoo, page: str, exception: str) -> None:
    result = zoo[1][page]
    assert result.failure is not None
    assert (result.status, result.failure.exception, result.failure.blame) == (
        Status.FAILED,
        exception,
        "environment",
    )


def test_a_cell_tagged_to_be_skipped_is_not_run(zoo: Zoo) -> None:
    result = zoo[1]["partly"]
    assert (result.status, result.cells, result.total) == (Status.PASSED, 1, 2)
    assert [
        cell["outputs"] == [] for cell in zoo[0].executed("partly")["cells"][1:]
    ] == [
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("skipped/page", "accelerator: wants a GPU"),
        ("other-language", "its kernel ir is for r"),
        ("no-code", "no code cells"),
    ],
)
def test_pages_not_run_say_why_and_leave_nothing(
    zoo: Zoo, page: str, reason: str
) -> None:
    assert (zoo[1][page].status, zoo[1][page].reason) == (Status.SKIPPED, reason)
    assert not (zoo[0].paths.executed("zh_CN") / f"{page}.ipynb").exists()


def test_plain_pages_are_not_executed(zoo: Zoo) -> None:
    assert "plain" not in zoo[1]


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("broken", "not valid JSON"),
        ("broken-myst", "'display_name' is a required property"),
    ],
)
def test_a_broken_notebook_fails_alone(zoo: Zoo, page: str, reason: str) -> None:
    assert (zoo[1][page].status, reason in zoo[1][page].reason) == (Status.FAILED, True)


def test_a_myst_notebook_becomes_an_executed_ipynb(zoo: Zoo) -> None:
    assert zoo[1]["myst"].status is Status.PASSED
    cells = [
        cell for cell in zoo[0].executed("myst")["cells"] if cell["cell_type"] == "code"
    ]
    assert texts(cells[0]) == "from myst\n"
    assert cells[1]["outputs"][0]["ename"] == "ZeroDivisionError"


def test_of_a_pair_the_ipynb_is_run_once(zoo: Zoo) -> None:
    assert (zoo[1]["pair"].status, zoo[1]["pair"].total) == (Status.PASSED, 1)
    assert texts(zoo[0].executed("pair")["cells"][1]) == "ipynb\n"


def test_a_page_reads_the_files_beside_it_and_cannot_change_them(zoo: Zoo) -> None:
    assert texts(zoo[0].executed("data/reads")["cells"][1]) == "12 34\n"
    assert (zoo[0].paths.docs / "data/numbers.txt").read_text() == "12 34"


def test_outputs_are_not_put_into_other_code(zoo: Zoo) -> None:
    result = zoo[1]["stranger"]
    assert result.failure is not None
    assert (result.status, result.failure.exception) == (Status.FAILED, "GuardError")
    assert not (zoo[0].paths.executed("zh_CN") / "stranger.ipynb").exists()


@pytest.mark.usefixtures("plainly")
def test_code_that_ran_is_not_run_again(tmp_path: Path) -> None:
    project = Project(tmp_path)
    trace = tmp_path / "trace"
    cells = (
        code(f"open({str(trace)!r}, 'a').write('ran;')\nprint(object())"),
        code("1 / 0", "raises-exception"),
    )
    project.add("page.ipynb", notebook(*cells))
    ran = project.results()["page"]
    assert not ran.cached
    first = (project.paths.executed("zh_CN") / "page.ipynb").read_bytes()
    project.add(
        "page.ipynb",
        notebook(*cells, title="# New"),
        merged=notebook(*cells, title="# 新"),
    )
    again = project.results()["page"]
    assert (again.status, again.cached, again.cells, again.seconds) == (
        Status.PASSED,
        True,
        2,
        ran.seconds,
    )
    assert project.executed("page")["cells"][0]["source"] == ["# 新"]
    project.add("page.ipynb", notebook(*cells))
    project.results()
    assert (project.paths.executed("zh_CN") / "page.ipynb").read_bytes() == first
    assert trace.read_text() == "ran;"


@pytest.mark.usefixtures("plainly")
def test_a_page_whose_merged_notebook_is_missing_is_run_and_not_written(
    tmp_path: Path,
) -> None:
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
    script = tmp_path / "script.py"
    script.write_text(
        SCRIPT.format(
            root=str(ROOT),
            support=str(TESTS / "support"),
            project=str(tmp_path / "project"),
            ready=f"{ready}/",
        ),
        "utf-8",
    )
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, str(script)],
            env=os.environ | {"TMPDIR": str(scratch)},
            stderr=log,
            stdout=log,
        )
    everyone = [process.pid]
    try:
        assert until(lambda: len(list(ready.iterdir())) == 2, seconds=60), (
            tmp_path / "log"
        ).read_text()
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
    assert (
        len(everyone) >= 9
    )  # the run, two workers, two kernels, four children: two in sessions of their own
    process.send_signal(how)
    process.wait(timeout=20)
    assert until(lambda: not any(map(is_alive, everyone)), seconds=10)
    assert until(lambda: not list(scratch.iterdir()), seconds=5), list(
        scratch.iterdir()
    )
