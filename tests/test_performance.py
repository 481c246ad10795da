"""What starts often starts fast.

Heavy libraries are imported where they are used, and nowhere else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
FOR_EXECUTION = (
    "IPython docutils jax jupyter_client jupytext nbclient nbconvert nbformat "
    "papermill sphinx zmq"
).split()
FOR_WORK = "filelock git markdown_it mdit_py_plugins polib rapidfuzz rich".split()

SCRIPT = """
import json, sys
from pipeline.cli import main
try:
    code = main(sys.argv[1:])
except SystemExit as ended:
    code = ended.code
print(json.dumps([code, sorted({name.partition('.')[0] for name in sys.modules})]))
"""


def modules_of(*arguments: str) -> set[str]:
    """The top-level modules that are loaded when a command that must succeed is done."""
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    code, modules = json.loads(ended.stdout.rstrip().rpartition("\n")[2])
    assert code == 0, ended.stderr
    return set(modules)


@pytest.mark.slow
def test_the_heavy_libraries_are_there() -> None:
    """Else the other tests could not fail."""
    for name in (*FOR_EXECUTION, *FOR_WORK):
        __import__(name)


@pytest.mark.parametrize("arguments", [["--help"], ["sync", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    assert modules_of(*arguments) & {*FOR_EXECUTION, *FOR_WORK} == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["status", "sample"],
        ["sync", "sample", "--no-execute"],
        ["check", "translations/zh_CN/sample/faq.po"],
    ],
)
def test_runs_without_execution_import_no_kernel(
    arguments: list[str], synced: Path
) -> None:
    assert modules_of(*arguments) & {*FOR_EXECUTION, "git"} == set()


@pytest.mark.slow
def test_a_second_sync_does_not_load_what_does_the_work(synced: Path) -> None:
    assert (
        modules_of("sync", "sample", "--no-execute")
        & {"git", "markdown_it", "mdit_py_plugins", "polib", "rapidfuzz"}
        == set()
    )


SERVED = """
import json, sys
from workbench import ask, workbench_of
from pathlib import Path
from pipeline.commands import serve

def loaded():
    return [name for name in sys.argv[2:] if name in sys.modules]

before_the_address = loaded()
bench = workbench_of(Path(sys.argv[1]))
blocks = bench.desk.actions["page"]({"page": "grad"})["blocks"]
assert blocks
before_the_first_block = loaded()
bench.desk.frame("grad")
print(json.dumps([before_the_address, before_the_first_block, loaded()]))
"""


def test_the_workbench_loads_what_it_needs_when_it_needs_it(project: Path) -> None:
    """The address first, then the messages of a page, then its rendering."""
    serving = "pipeline.commands.serve"
    rendering = "pipeline.stages.publish.marked_page"
    modules = (f"{serving}.desk", "starlette", rendering, "nbconvert")
    checks = ("pipeline.core.checks.sets", f"{serving}.findings")
    support = f"{ROOT}{os.pathsep}{ROOT / 'tests/support'}"
    ended = subprocess.run(
        [sys.executable, "-c", SERVED, str(project), *modules, *checks],
        env={**ENVIRONMENT, "PYTHONPATH": support},
        capture_output=True,
        text=True,
        check=True,
    )
    first, second, third = json.loads(ended.stdout)
    # This test itself loads the desk.
    assert set(first) <= {f"{serving}.desk"}
    assert set(second) == {f"{serving}.desk"}
    assert set(third) >= {rendering, "nbconvert"}
