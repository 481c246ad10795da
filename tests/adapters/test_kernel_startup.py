"""Start-up code: what it may import, and what it does in real kernels before the first cell."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import distributions
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from kernel_project import USUAL, job, printed
from msgspec.structs import replace
from places import ROOT

from pipeline.adapters.kernel import (
    Job,
    Outcome,
    Policy,
    Startup,
    Stop,
    environment,
    run_notebooks,
    sandbox,
)

OnImport = Callable[[str, Callable[[ModuleType], object]], None]


# --- doing something when a module is imported


@pytest.fixture
def on_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OnImport]:
    """The helper as start-up code has it; modules in ``tmp_path`` can be imported."""
    before = set(sys.modules)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.syspath_prepend(str(sandbox.STARTUP))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield importlib.import_module("pipeline_startup").on_import
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_it_is_done_once_when_the_module_is_whole(tmp_path: Path, on_import: OnImport) -> None:
    (tmp_path / "kettle.py").write_text("heat = 100")
    finders, calls = [*sys.meta_path], list[object]()
    on_import("kettle", lambda kettle: calls.append(kettle.heat))
    on_import("kettle", lambda kettle: calls.append(kettle.__name__))
    assert calls == []
    kettle = importlib.import_module("kettle")
    assert calls == [100, "kettle"]
    importlib.import_module("kettle")
    importlib.reload(kettle)
    assert calls == [100, "kettle"]
    # Nothing is left that other imports would have to pass.
    assert sys.meta_path == finders


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # what is built in may be on its way out
def test_it_is_done_at_once_where_the_module_is_there(on_import: OnImport) -> None:
    calls: list[str] = []
    on_import("json", lambda module: calls.append(module.__name__))
    on_import("math", lambda module: calls.append(module.__name__))
    # Of what is built in there is always one that nobody has imported yet.
    (rare, *_) = set(sys.builtin_module_names) - set(sys.modules)
    on_import(rare, lambda module: calls.append(module.__name__))
    assert calls == ["json", "math", rare]


def test_a_module_of_a_package_is_awaited(tmp_path: Path, on_import: OnImport) -> None:
    (tmp_path / "kitchen").mkdir()
    (tmp_path / "kitchen" / "__init__.py").write_text("")
    (tmp_path / "kitchen" / "kettle.py").write_text("")
    calls: list[str] = []
    on_import("kitchen.kettle", lambda module: calls.append(module.__name__))
    importlib.import_module("kitchen")
    assert calls == []
    importlib.import_module("kitchen.kettle")
    assert calls == ["kitchen.kettle"]


def test_looking_for_a_module_is_no_import(tmp_path: Path, on_import: OnImport) -> None:
    calls: list[str] = []
    on_import("kettle", lambda module: calls.append(module.__name__))
    assert importlib.util.find_spec("kettle") is None
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("kettle")
    # A page may install it, and may import what fails first.
    (tmp_path / "kettle.py").write_text("1 / 0")
    importlib.invalidate_caches()
    with pytest.raises(ZeroDivisionError):
        importlib.import_module("kettle")
    (tmp_path / "kettle.py").write_text("heat = 100")
    assert importlib.util.find_spec("kettle") is not None
    assert calls == []
    importlib.import_module("kettle")
    assert calls == ["kettle"]


def test_what_fails_fails_in_the_import(tmp_path: Path, on_import: OnImport) -> None:
    (tmp_path / "kettle.py").write_text("")
    on_import("kettle", lambda module: module.no_such_name)
    with pytest.raises(AttributeError, match="no_such_name"):
        importlib.import_module("kettle")


def test_modules_that_share_a_loader_keep_it(on_import: OnImport) -> None:
    on_import("__phello__", lambda module: None)
    importlib.import_module("__phello__")
    importlib.import_module("__hello__")
    loader: Any = importlib.machinery.FrozenImporter
    assert "load_and_go_on" not in loader.exec_module.__qualname__


# --- in kernels

NAMES = (
    "print(sorted(name for name in dir() if name[0] != '_' "
    "and name not in {'In', 'Out', 'exit', 'quit', 'open', 'get_ipython'}))"
)
FIRST = """
from __future__ import annotations

import builtins
from dataclasses import dataclass

from pipeline_startup import on_import


@dataclass
class Heat:
    degrees: int = 100


def later(module):
    import pipeline_startup

    module.heat = Heat()


builtins.order = ["静"]
on_import("colorsys", later)
"""
FURTHER_IN = "import json\n\n\ndef read():\n    json.loads('{')\n\n\nread()\n"
THEN = "from pipeline_startup import on_import\non_import('json', lambda json: 1 / 0)"
FAILING = {
    "raises": ("x = 1\nimport no_such_module\n", "ModuleNotFoundError", ", line 2: No "),
    "raises further in": (FURTHER_IN, "JSONDecodeError", ", line 5: Expecting"),
    "leaves": ("import sys\nsys.exit('enough')\n", "SystemExit", ", line 2: enough"),
    "then raises": (THEN, "ZeroDivisionError", ", line 2: division by zero"),
}  # fmt: skip
# What ends the kernel, or does not end itself.
STOPPED = {
    "ends": ("import os\nos._exit(7)", USUAL, "RuntimeError"),
    "burns": ("while True: pass", replace(USUAL, page_timeout=1), "PageTimeout"),
    "sleeps": ("import time\ntime.sleep(600)", replace(USUAL, stall=2), "Stalled"),
}
PALLAS = """
from jax import ShapeDtypeStruct, numpy
from jax.experimental.pallas import pallas_call
def add_one(x, y): y[...] = x[...] + 1
print(pallas_call(add_one, out_shape=ShapeDtypeStruct((8, 128), numpy.float32))(
    numpy.zeros((8, 128)))[0, 0])
"""
# Asynchronous programs may wait for their own interpreter for ever.
DISPATCH = "import jax\nprint(jax.config._read('jax_cpu_enable_async_dispatch'))"
INTERPRET = "upstream/startup/pallas-interpret.py"
IS_LOADED = "import sys\nprint('jax' in sys.modules)"


def page(name: str, *cells: str, startup: dict[str, str], policy: Policy = USUAL) -> Job:
    """Return a page of ``cells`` with start-up code: texts by name."""
    files = tuple(Startup(name=path, text=text) for path, text in startup.items())
    return job(name, *cells, policy=replace(policy, startup=files))


def pages(marks: Path) -> Iterator[Job]:
    """Yield all pages. Those whose start-up code fails would leave a mark if they ran."""
    startup = {
        "startup/quiet.py": FIRST,
        # It has the name of another one, and lies in another folder.
        "other/quiet.py": "import builtins\norder.append(__file__[-8:])",
    }
    found = "import sys\nprint([place for place in sys.path if 'start-up' in place])"
    cells = (NAMES, "print(order)", "import colorsys\nprint(colorsys.heat)", found)
    yield page("in order", *cells, startup=startup)
    for name, (text, *_) in FAILING.items():
        files = {"fine.py": "pass", "startup/quiet.py": text, "more.py": "1 / 0"}
        yield page(name, f"open({str(marks / name)!r}, 'w')", startup=files)
    for name, (text, policy, _) in STOPPED.items():
        yield page(name, "print(1)", startup={"x.py": text}, policy=policy)
    startup = {INTERPRET: (ROOT / INTERPRET).read_text("utf-8")}
    roomy = replace(USUAL, memory=4000)
    hlo = replace(roomy, variables={"PALLAS_INTERPRET": "hlo"})
    cells = (NAMES, IS_LOADED, PALLAS, DISPATCH)
    yield page("interpreted", *cells, startup=startup, policy=roomy)
    yield page("interpreted as HLO", *cells, startup=startup, policy=hlo)
    yield job("as it is", PALLAS, policy=roomy)


@pytest.fixture(scope="module")
def marks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which pages leave marks."""
    return tmp_path_factory.mktemp("marks")


@pytest.fixture(scope="module")
def ran(marks: Path) -> dict[str, Outcome]:
    """One run of all pages."""
    outcomes = run_notebooks([*pages(marks)], workers=2)
    return {outcome.page: outcome for outcome in outcomes}


@pytest.mark.kernel
def test_code_of_a_project_runs_in_order_without_names(ran: dict[str, Outcome]) -> None:
    assert ran["in order"].stop is None
    told = ["[]\n", "['静', 'quiet.py']\n", "Heat(degrees=100)\n"]
    # What the page itself imports is found as ever.
    assert printed(ran["in order"].notebook) == [*told, "[]\n"]


@pytest.mark.kernel
@pytest.mark.parametrize("case", FAILING)
def test_a_page_is_not_run_in_another_way_than_it_should_be(
    ran: dict[str, Outcome], marks: Path, case: str
) -> None:
    _, exception, message = FAILING[case]
    stop = ran[case].stop
    assert stop is not None
    assert (stop.cell, stop.exception) == (0, exception)
    assert f"in the start-up file startup/quiet.py{message}" in stop.message
    assert stop.traceback.startswith("Traceback (most recent call last):\n")
    assert not (marks / case).exists()
    assert ran[case].seconds < 20


@pytest.mark.kernel
@pytest.mark.parametrize("case", STOPPED)
def test_code_that_ends_the_kernel_or_does_not_end_is_stopped(
    ran: dict[str, Outcome], case: str
) -> None:
    stop = ran[case].stop
    assert isinstance(stop, Stop)
    assert (stop.cell, stop.exception) == (0, STOPPED[case][2])


# --- that of this project


@pytest.mark.kernel
@pytest.mark.parametrize("name", ["interpreted", "interpreted as HLO"])
def test_pallas_is_interpreted_and_a_page_has_its_own_names_only(
    ran: dict[str, Outcome], name: str
) -> None:
    assert ran[name].stop is None
    # What is not needed is not loaded.
    assert printed(ran[name].notebook) == ["[]\n", "False\n", "1.0\n", "False\n"]


@pytest.mark.kernel
def test_pallas_needs_that(ran: dict[str, Outcome]) -> None:
    assert ran["as it is"].stop is not None
    assert "interpret mode" in ran["as it is"].stop.message


@pytest.mark.kernel
def test_stand_in_data_takes_the_place_of_a_download() -> None:
    pytest.importorskip("pooch", reason="the dependency group execute is not installed")
    name = "stand-in-data.py"
    startup = {name: (sandbox.STARTUP / name).read_text("utf-8")}
    cell = "from scipy import datasets\nprint(datasets.face().shape)"
    policy = replace(USUAL, offline=True, memory=2000)
    face = page("face", cell, startup=startup, policy=policy)
    (outcome,) = run_notebooks([face], workers=1)
    assert outcome.stop is None
    assert printed(outcome.notebook) == ["(768, 1024, 3)\n"]


# The interpreter that runs kernels.


def packages() -> dict[str, str]:
    facts = environment().items()
    return {
        name.removeprefix("package "): version
        for name, version in facts
        if name.startswith("package ")
    }


def test_every_package_is_told_as_the_library_tells_it() -> None:
    told = {package.name.lower(): package.version for package in distributions()}
    assert packages() == told


def test_metadata_may_be_odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "late-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nLicense: a\n  Name: no\n"
        "Version:  1.0 \nName: Late\n\nName: body\nVersion: 9\n",
        "old.egg-info/PKG-INFO": "Name: old\nVersion: 2\n",
        "single.egg-info": "Name: single\nVersion: 3\n",
        "removed-4.dist-info/RECORD": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    before = packages()
    monkeypatch.syspath_prepend(str(tmp_path))
    added = {"late": "1.0", "old": "2", "single": "3"}
    assert packages() == before | added
