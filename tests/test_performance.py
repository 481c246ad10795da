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

FOR_EXECUTION = (
    "IPython docutils jax jupyter_client jupytext nbclient nbconvert nbformat papermill sphinx zmq"
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
    printed = run_python(SCRIPT, *arguments)
    code, modules = json.loads(printed.rstrip().rpartition("\n")[2])
    assert code == 0
    return set(modules)


def run_python(script: str, *words: str) -> str:
    """What a script prints, to which the tests' helpers can be imported."""
    path = f"{ROOT}{os.pathsep}{ROOT / 'tests/support'}"
    command = [sys.executable, "-c", script, *words]
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


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
def test_runs_without_execution_import_no_kernel(arguments: list[str], synced: Path) -> None:
    assert modules_of(*arguments) & {*FOR_EXECUTION, "git"} == set()


@pytest.mark.slow
def test_a_second_sync_does_not_load_what_does_the_work(synced: Path) -> None:
    loaded = modules_of("sync", "sample", "--no-execute")
    assert loaded & {"git", "markdown_it", "mdit_py_plugins", "polib", "rapidfuzz"} == set()


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
    printed = run_python(SERVED, str(project), *modules, *checks)
    first, second, third = json.loads(printed)
    # This test itself loads the desk.
    assert set(first) <= {f"{serving}.desk"}
    assert set(second) == {f"{serving}.desk"}
    assert set(third) >= {rendering, "nbconvert"}
