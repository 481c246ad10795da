"""What the stage does with the cache, rules and findings.

Most cells run without a kernel: what the stage is handed is the same. What kernels themselves have
a part in is marked, and has real ones.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from folders import read_tree
from kernel_project import JAX, Project, texts
from msgspec import structs
from notebooks import code, notebook, notebook_value, prose
from plain_cells import run_plainly
from processes import order_of, outsider

from pipeline.adapters.execution_cache import ExecutionCache
from pipeline.adapters.kernel.notebook import notebook_text
from pipeline.config.settings import Mode, RunRule
from pipeline.core.execution.result import Execution, Status
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.stages.execute.stage import Executed


class TracedProject(Project):
    """A project whose pages write a line into ``trace`` whenever they run."""

    @property
    def cache(self) -> ExecutionCache:
        return ExecutionCache(self.paths.outputs, limit=1 << 30)

    def traced(self, name: str, *cells: str, title: str = "# Title") -> None:
        """Add a page that leaves a trace when it runs."""
        first = f"open({str(self.root / 'trace')!r}, 'a').write('{name};')\nNone"
        self.add(f"{name}.ipynb", notebook(code(first), *map(code, cells), title=title))

    def run(self, *, jobs: int = 2, **options: Any) -> Executed:
        (self.root / "trace").unlink(missing_ok=True)
        return super().run(jobs=jobs, **options)

    @property
    def trace(self) -> list[str]:
        """The pages that ran in the last run, sorted."""
        path = self.root / "trace"
        text = path.read_text() if path.exists() else ""
        return sorted(filter(None, text.split(";")))


def by_page(executed: Executed) -> dict[str, Execution]:
    return {execution.page: execution for execution in executed.executions}


@pytest.mark.usefixtures("plainly")
def test_only_what_changed_runs_and_failures_wait(tmp_path: Path) -> None:
    project = TracedProject(tmp_path)
    project.traced("code/good", "print(1)")
    project.traced("code/bad", "1 / 0", title="# One\n")
    project.traced("data/reads", "print(open('numbers.txt').read())")
    (project.paths.docs / "data/numbers.txt").write_text("12")
    first = project.run()
    assert project.trace == ["code/bad", "code/good", "data/reads"]
    assert first.findings == ()
    assert [execution.ran_now for execution in first.executions] == [True] * 3
    (project.root / "trace").unlink()
    written = read_tree(project.root)

    again = project.run()
    assert project.trace == []
    assert read_tree(project.root) == written
    assert [execution.cached for execution in again.executions] == [True] * 3
    found = [structs.replace(one, cached=False) for one in again.executions]
    assert found == [*first.executions]
    failure = by_page(again)["code/bad"].failure
    assert failure is not None
    assert (failure.source, failure.cell) == ("1 / 0", 2)
    assert "ZeroDivisionError" in failure.traceback

    project.run(retry_failed=True)
    assert project.trace == ["code/bad"]
    (project.paths.docs / "data/numbers.txt").write_text("34")
    project.traced("code/good", "print(2)")
    project.run()
    assert project.trace == ["code/good", "data/reads"]
    project.run(use_cache=False)
    assert project.trace == ["code/bad", "code/good", "data/reads"]


@pytest.mark.usefixtures("plainly")
def test_damaged_entries_are_made_again(tmp_path: Path) -> None:
    project = TracedProject(tmp_path)
    project.traced("a", "print(1)")
    project.traced("b", "print(2)")
    first = project.run()
    entries = project.paths.outputs.glob("??/*.json")
    (path,) = (path for path in entries if '"page": "b"' in path.read_text())
    path.write_bytes(path.read_bytes()[:-9])
    second = project.run()
    assert project.trace == ["b"]
    (found,) = second.findings
    assert (found.code, found.severity) == ("cache-damaged", Severity.NOTE)
    assert found.page == "b"
    assert by_page(second)["b"].status is by_page(first)["b"].status is Status.PASSED
    assert project.run().findings == ()
    assert project.trace == []


@pytest.mark.usefixtures("plainly")
def test_code_that_stands_on_two_pages_runs_once(tmp_path: Path) -> None:
    project = TracedProject(tmp_path)
    # An address in the output is another one in every run.
    cell = code(f"open({str(tmp_path / 'trace')!r}, 'a').write('x;')\nprint(object())")
    for name in ("one", "two"):
        project.add(f"{name}.ipynb", notebook(cell, title=f"# {name}"))
    results = project.results()
    assert project.trace == ["x"]
    assert results["one"].status is results["two"].status is Status.PASSED
    assert results["one"].seconds == results["two"].seconds
    # Each page has prose of its own, and so has a page whose prose changes later.
    project.add("one.ipynb", notebook(cell, title="# New"), merged=notebook(cell))
    again = project.results()["one"]
    assert (again.status, again.cached, again.cells) == (Status.PASSED, True, 1)
    (new, first), (two, second) = (project.executed(p)["cells"] for p in ("one", "two"))
    assert (new["source"], two["source"]) == (["# Title"], ["# two"])
    assert texts(first) == texts(second)


@pytest.mark.usefixtures("plainly")
def test_rules_say_how_a_page_runs_and_the_result_says_so(tmp_path: Path) -> None:
    project = TracedProject(tmp_path)
    project.rules = (
        RunRule(pages=("partial",), reason="accelerator", note="wants a TPU", until=3),
        RunRule(pages=("whole",), reason="accelerator", until=9),
        RunRule(pages=("none",), reason="accelerator", note="no cell runs", until=1),
        RunRule(pages=("early",), reason="accelerator", until=3),
        RunRule(pages=("devices",), reason="accelerator", devices=4),
        RunRule(pages=("compared",), reason="upstream bug", compare=True),
    )
    stale = code("print('never')", outputs=stdout("stored"))
    told = code("print(1 + 1)", outputs=stdout("3\n"))
    flags = code("import os\nprint(os.environ['XLA_FLAGS'])")
    for name, cells in {
        "partial": [code("print(1)"), code(""), stale, code("x", "raises-exception")],
        "whole": [code("print(2)")],
        "none": [code("print(3)"), code("print(3)")],
        "early": [code("print(4)"), code("1 / 0"), code("print(5)")],
        "devices": [flags],
        "compared": [told],
    }.items():
        project.add(f"{name}.ipynb", notebook(*cells))
    executed = project.run()
    results = by_page(executed)
    partial = "accelerator: from code cell 3 on, wants a TPU"
    failed = "code cell 2: ZeroDivisionError: division by zero (upstream)"
    assert {
        page: (one.status, one.reason, f"{one.cells}/{one.total}") for page, one in results.items()
    } == {
        "partial": (Status.PARTIAL, partial, "1/4"),
        "whole": (Status.PASSED, "", "1/1"),
        "none": (Status.SKIPPED, "accelerator: no cell runs", "0/2"),
        "early": (Status.FAILED, failed, "2/3"),
        "devices": (Status.PASSED, "", "1/1"),
        "compared": (Status.PASSED, "", "1/1"),
    }
    assert results["devices"].note == "with 4 CPU devices"
    cells = project.executed("partial")["cells"]
    assert [cell["outputs"] != [] for cell in cells[1:]] == [True, False, False, False]
    printed = texts(project.executed("devices")["cells"][1])
    assert "--xla_force_host_platform_device_count=4" in printed
    (found,) = executed.findings
    assert (found.code, found.page) == ("output-differs", "compared")
    assert found.text == f"the docs say '3', JAX {JAX} prints '2'"
    assert project.run().findings == executed.findings


def stdout(text: str) -> list[dict[str, Any]]:
    return [{"output_type": "stream", "name": "stdout", "text": text}]


@pytest.mark.usefixtures("plainly")
def test_another_exception_than_on_the_last_release_warns(tmp_path: Path) -> None:
    project = TracedProject(tmp_path)
    raising = [code(text, "raises-exception") for text in ("[][1]", "1 / 0")]
    project.add("page.ipynb", notebook(code("1"), *raising))
    assert project.run().findings == ()
    path = project.paths.outputs / "pages.json"
    text = path.read_text().replace("IndexError", "KeyError")
    path.write_text(text.replace(f'"JAX {JAX}"', '"JAX 0.0.1"'))
    expected = Finding(
        code="exception-changed",
        severity=Severity.WARNING,
        where="page, code cell 2",
        text=f"raised KeyError with JAX 0.0.1, raises IndexError with JAX {JAX}",
        page="page",
        hint="Check whether the prose around the cell is still true.",
    )
    for _ in range(2):
        assert project.run().findings == (expected,)


MODE = Mode(
    name="quiet",
    note="without a sound",
    startup="startup/quiet.py",
    variables={"VOLUME": "0"},
)
QUIET = """
import os
from pipeline_startup import on_import
on_import("colorsys", lambda module: vars(module).update(volume=os.environ["VOLUME"]))
"""


@pytest.mark.kernel
def test_a_mode_holds_in_every_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = TracedProject(tmp_path)
    project.rules = (RunRule(pages=("*",), reason="accelerator", modes=(MODE,)),)
    (tmp_path / "startup").mkdir()
    (tmp_path / MODE.startup).write_text(QUIET)
    for name in "ab":
        cell = code(f"import colorsys\nprint({name!r}, colorsys.volume)")
        project.add(f"{name}.ipynb", notebook(cell))
    printed = []
    for execution in project.run(jobs=2).executions:
        assert execution.note == "without a sound"
        cells = project.executed(execution.page)["cells"]
        printed.append(texts(cells[-1]))
    assert printed == ["a 0\n", "b 0\n"]
    # The same file means the same keys, whoever runs the code.
    monkeypatch.setattr("pipeline.adapters.kernel.run_notebooks", run_plainly)
    assert all(execution.cached for execution in project.run().executions)
    (tmp_path / MODE.startup).write_text(f"{QUIET}\n# edited")
    assert not any(execution.cached for execution in project.run().executions)


@pytest.mark.usefixtures("plainly")
def test_an_unusable_startup_file_stops_its_pages_only(tmp_path: Path) -> None:
    project = TracedProject(tmp_path)
    project.rules = (RunRule(pages=("a",), reason="accelerator", modes=(MODE,)),)
    project.traced("a", "print(1)")
    project.traced("b", "print(2)")
    results = project.results()
    assert results["a"].status is Status.FAILED
    assert results["b"].status is Status.PASSED
    assert "startup/quiet.py: the start-up file of the mode" in results["a"].reason
    assert project.trace == ["b"]
    # It runs as soon as the file is there.
    (tmp_path / "startup").mkdir()
    (tmp_path / MODE.startup).write_text(QUIET)
    assert by_page(project.run())["a"].status is Status.PASSED


@pytest.mark.usefixtures("plainly")
def test_a_cache_that_cannot_be_written_stops_no_page(tmp_path: Path) -> None:
    project = TracedProject(tmp_path)
    project.traced("page", "print(1)")
    project.paths.outputs.parent.mkdir(parents=True)
    project.paths.outputs.write_text("in the way")
    executed = project.run()
    (ran,), (found,) = executed.executions, executed.findings
    assert (ran.status, ran.cached) == (Status.PASSED, False)
    assert (found.code, found.severity) == ("write-error", Severity.WARNING)


@pytest.mark.kernel
def test_a_killed_worker_caches_nothing(tmp_path: Path, shared_memory: Path) -> None:
    project = TracedProject(tmp_path)
    orders = shared_memory / "orders"
    kill = code(order_of(orders, "os.getppid()", "SIGKILL"))
    project.add("page.ipynb", notebook(kill))
    with outsider(orders):
        failure = project.run().executions[0].failure
    assert failure is not None
    assert failure.exception in ("WorkerDied", "DeadKernelError")
    assert len(project.cache.all_keys()) == (failure.exception == "DeadKernelError")


# Notebooks whose parts have other types than the format demands.


def odd_notebook(**fields: Any) -> dict[str, Any]:
    """A notebook with other parts."""
    return notebook_value(prose("# Title"), code("print(6 * 7)")) | fields


def with_code(**fields: Any) -> dict[str, Any]:
    """A notebook whose code cell has other parts."""
    odd = odd_notebook()
    odd["cells"][1].update(fields)
    return odd


ODD = {
    "metadata": odd_notebook(metadata="a"),
    "kernelspec": odd_notebook(metadata={"kernelspec": "a", "language_info": 5}),
    "minor": odd_notebook(nbformat_minor="a"),
    "cell-metadata": with_code(metadata="a"),
    "outputs": with_code(outputs="a"),
    "data": with_code(outputs=[{"output_type": "display_data", "data": "a"}]),
}


@pytest.mark.kernel
@pytest.mark.slow
def test_odd_parts_of_a_notebook_keep_no_page_from_running(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for name, value in ODD.items():
        project.add(f"{name}.ipynb", json.dumps(value))
    executed = project.run()
    assert {run.page: run.status for run in executed.executions} == dict.fromkeys(
        ODD, Status.PASSED
    )


def test_a_notebook_that_cannot_be_written_is_an_error() -> None:
    odd = odd_notebook()
    odd["cells"][0]["attachments"] = {"a.png": "b"}
    with pytest.raises(InputError, match="nbformat cannot write the notebook"):
        notebook_text(odd)
