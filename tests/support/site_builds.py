"""The sites that tests look at.

The sample's is built for them; others lie in the folders that JAX_DOCS_SITE names.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from filelock import FileLock
from folders import copy_project
from places import ROOT
from site_html import Site

# Folders of built sites in their projects, …/build/site/NAME, separated as in PATH.
VARIABLE = "JAX_DOCS_SITE"
NAMES = ("sample", *filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)))
NEEDED = (
    "myst_nb",
    "sphinx_book_theme",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx-mathjax-offline",
)
LACKING = [name for name in NEEDED if find_spec(name) is None]


def get_site(name: str, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site of the sample, or the one in the folder ``name``.

    The sample's is built once in a run of pytest, however many processes it has.
    """
    if name != "sample":
        return Site(Path(name).resolve())
    if LACKING:
        pytest.skip(f"not installed: {', '.join(LACKING)}")
    base = tmp_path_factory.getbasetemp()
    project = (
        base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    ) / "sample-site"
    with FileLock(f"{project}.lock"):
        if not project.exists():
            _build(project)
    return Site(project / "build" / "site" / "sample")


def _build(project: Path) -> None:
    unfinished = project.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    copy_project(unfinished)
    for words in (("pull", "sample"), ("site", "sample", "--no-execute")):
        command = (sys.executable, "-m", "pipeline", *words)
        done = subprocess.run(
            command,
            cwd=unfinished,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    unfinished.rename(project)
