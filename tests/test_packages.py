"""What people are told whose Python is too old, or who lack a part of the packages."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import sysconfig
import zipfile
from email import message_from_string
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from cases import read_tables
from folders import write_tree
from kernel_project import MYST
from notebooks import code, notebook
from nox.project import dependency_groups, load_toml
from places import ROOT

from pipeline import packages
from pipeline.cli import main

CASES = read_tables(__file__)

PYPROJECT = load_toml(ROOT / "pyproject.toml")


def plain(name: str) -> str:
    """The name of a distribution, however it is written: ``Sphinx_Design>=0.6`` and others."""
    letters = re.match(r"[\w.-]+", name)
    assert letters
    return re.sub(r"[-_.]+", "-", letters[0]).lower()


# --- which extra brings which module


@pytest.mark.parametrize("extra", packages.EXTRAS)
def test_the_modules_of_an_extra_come_with_it_and_not_otherwise(extra: str) -> None:
    group = set(map(plain, dependency_groups(PYPROJECT, extra)))
    always = set(map(plain, PYPROJECT["project"]["dependencies"]))
    found = packages_distributions()
    for module in packages.EXTRAS[extra]:
        # A module may come with a package that another one of the group needs.
        named = {plain(name) for name in found.get(module, [module])}
        assert not named & always
        assert named & group or module in ("jupyter_client", "nbclient"), module
    assert packages.missing(extra) == ()


@pytest.mark.slow
def test_the_extras_of_the_package_are_the_dependency_groups(tmp_path: Path) -> None:
    build = "from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    run_python("-c", f"import sys; {build}", str(tmp_path), cwd=ROOT)
    (wheel,) = tmp_path.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        metadata = message_from_string(archive.read(name).decode("utf-8"))
        entries = archive.read(name.replace("METADATA", "entry_points.txt")).decode()
    assert "jax-docs-zh = pipeline.__main__:main" in entries
    extras = metadata.get_all("Provides-Extra") or []
    assert set(extras) >= {"preview", "execute", "site"}
    required = metadata.get_all("Requires-Dist") or []
    for extra in extras:
        listed = {plain(line) for line in required if f"extra == '{extra}'" in line}
        assert listed == set(map(plain, dependency_groups(PYPROJECT, extra)))
    (pin,) = (line for line in PYPROJECT["dependency-groups"]["jax"] if "jax=" in line)
    assert f"{pin}; extra == 'execute'" in required


# --- what is told of a module that is not there


def run_python(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


WITHOUT = """
import sys
sys.modules[sys.argv.pop(1)] = None
from pipeline.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("module", "words", "exit_code", "told", "extra"),
    CASES["a_missing_package_is_named_with_a_way_to_get_it"],
)
def test_a_missing_package_is_named_with_a_way_to_get_it(
    module: str, words: list[str], exit_code: int, told: str, extra: str, project: Path
) -> None:
    pages = {"page.ipynb": notebook(code("1")), "myst.md": MYST}
    write_tree(project / "docs", pages)
    assert main(["pull", "sample", "--upstream", "docs", "-q"]) == 0
    command, *options = words
    ended = run_python("-c", WITHOUT, module, command, "sample", *options)
    said = ended.stdout + ended.stderr
    assert told in said
    assert f"pip install '.{f'[{extra}]' if extra else ''}'" in said
    assert "This is a bug" not in said
    assert "Traceback" not in said
    assert ended.returncode == exit_code


def test_a_package_of_another_version_is_no_bug_and_a_module_of_ours_is() -> None:
    name = "cannot import name 'x' from 'polib' (polib.py)"
    told = packages.missing_text(ImportError(name, name="polib"))
    assert told.startswith("the package of the module polib has an unsupported version")
    ours = ModuleNotFoundError("No module named 'pipeline.x'", name="pipeline.x")
    assert packages.missing_text(ours) == ""
    assert packages.missing_text(ImportError("something else")) == ""


def test_modules_are_named_and_many_are_counted() -> None:
    assert packages.names(tuple("a")) == "a is"
    assert packages.names(tuple("ab")) == "a and b are"
    assert packages.names(tuple("abcd")) == "a, b, c and d are"
    assert packages.names(tuple("abcde")) == "a, b, c and 2 others are"


def test_a_python_of_the_system_gets_an_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pip installs nothing: https://packaging.python.org/specifications/externally-managed-environments/"""
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert "-m venv" not in packages.how_to_install("execute")
    (tmp_path / "EXTERNALLY-MANAGED").write_text("")
    told = packages.how_to_install("execute")
    assert "-m venv .venv && .venv/bin/python -m pip install '.[execute]'" in told
    # In an environment pip may install again.
    monkeypatch.setattr(sys, "prefix", "/elsewhere")
    assert "-m venv" not in packages.how_to_install("execute")


def test_commands_are_named_as_they_are_typed_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert packages.how_to_run("pull", "flax") == "nox -s pull -- flax"
    assert packages.how_to_run("build") == "nox -s build"
    monkeypatch.setattr(packages, "is_checkout", lambda: False)
    assert packages.how_to_run("pull", "flax") == "jax-docs-zh pull flax"
    assert packages.how_to_install("site").endswith("-m pip install --group pipeline")
    assert "jax-docs-zh[docs,adopt]" in packages.how_to_install("adopt")
    assert packages.running_group() == "pipeline"


# --- older Pythons

AS_IF_OLD = """
import nox, runpy, sys
sys.version_info = (3, 10, 13, "final", 0)
sys.argv[:] = sys.argv[1:]
{run}
"""


@pytest.mark.parametrize(
    ("run", "exit_code", "told"),
    CASES["an_older_python_is_told_which_one_to_use"],
)
def test_an_older_python_is_told_which_one_to_use(run: str, exit_code: int, told: str) -> None:
    script = AS_IF_OLD.format(run=run)
    ended = run_python("-c", script, "pipeline", "status", cwd=ROOT)
    assert ended.returncode == exit_code
    assert ended.stderr.startswith(f"error: {told}\n")
    assert "python3.12 -m" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    "name",
    ["pipeline/__init__.py", "pipeline/__main__.py", "noxfile.py", "hatch_build.py"],
)
def test_what_older_pythons_read_first_is_written_for_them(name: str) -> None:
    source = (ROOT / name).read_text("utf-8")
    ast.parse(source, feature_version=(3, 8))


def test_without_any_package_the_command_says_what_to_do() -> None:
    """``-S`` leaves out all that is installed."""
    ended = run_python("-S", "-m", "pipeline", "status", cwd=ROOT)
    assert ended.returncode == 2
    problem = r"error: the package of the module \w+ is not installed\n"
    assert re.match(problem, ended.stderr)
    assert "pip install '.'" in ended.stderr
