"""The API reference from release to release: docstrings of each in its own environment.

The package is a little one, of which three releases have tags and two have wheels.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from catalog_files import edit_catalog, read_catalog
from folders import read_tree, write_tree
from in_process import command
from msgspec.structs import replace
from repositories import commit_release, init_repository

from pipeline.adapters import reference as adapter
from pipeline.adapters.reference import UnmadeEnvironmentError
from pipeline.entries import Entry

pytestmark = pytest.mark.slow

CONFIG = """\
[dependency-groups]
lamps = ["lamps==1.0"]
[tool.pipeline]
locales = ["zh_CN"]
[tool.pipeline.upstreams.lamps]
url = "origin"
ref = "v{version}"
package = "lamps"
docs = "docs"
[tool.pipeline.upstreams.lamps.reference]
"""
DOCS = {
    "docs/index.md": "# Lamps\n\nThe shop has lamps of all kinds.\n",
    "docs/api.rst": "API\n===\n\n.. currentmodule:: lamps\n\n.. autosummary::\n"
    "   :toctree: _autosummary\n\n   shine\n   dim\n",
}
FIRST = '''\
def shine(power):
    """Return the light of a lamp that has been on for one hour.

    Never look into the light of a lamp.
    """


def dim(power):
    """See :func:`lamps.shine`."""
'''
SECOND = (
    FIRST.replace("for one hour", "for two hours")
    .replace("Never look into the light of a lamp.", "Wait until it is dark.")
    .replace(":func:`lamps.shine`", ":func:`lamps.glow`")
)
SHINE = "_api/_autosummary/lamps.shine"
DIM = "_api/_autosummary/lamps.dim"


class Releases:
    """Stands for environments that have a release of the package."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: list[str] = []

    def python_with(self, requirements: Sequence[str], folder: Path) -> Path:
        """Return a Python that imports the release."""
        del folder
        release = requirements[-1]
        self.made.append(release)
        place = self.folder / release
        if not place.is_dir():
            raise UnmadeEnvironmentError(f"there is no {release}")
        python = place / "python"
        python.write_text(f'#!/bin/sh\nPYTHONPATH={place} exec {sys.executable} "$@"\n')
        python.chmod(0o755)
        return python


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("releases")
    origin = init_repository(root / "project" / "origin")
    for release in ("1.0", "2.0", "3.0"):
        docs = {**DOCS, "docs/notes.md": f"# Notes\n\nThis is release {release}.\n"}
        commit_release(origin, f"v{release}", docs)
    write_tree(root / "made", {"lamps==1.0/lamps.py": FIRST, "lamps==2.0/lamps.py": SECOND})
    (root / "project" / "pyproject.toml").write_text(CONFIG)
    return root


@pytest.fixture
def releases(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Releases:
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    releases = Releases(tmp_path / "made")
    monkeypatch.setattr(adapter, "python_with", releases.python_with)
    return releases


@pytest.fixture
def root(releases: Releases) -> Path:
    """A project at release 1.0 whose pages and docstrings are all translated."""
    root = releases.folder.parent / "project"
    run(root, "sync lamps --no-execute")
    for path in (root / "translations" / "zh_CN").rglob("*.po"):
        edit_catalog(path, lambda entry: replace(entry, msgstr=f"译：{entry.msgid}"))
    run(root, "sync lamps --no-execute")
    return root


def run(root: Path, line: str) -> str:
    told = command(line, root=root)
    return told.out + told.err


def entries(root: Path, page: str) -> Sequence[Entry]:
    path = root / "translations" / "zh_CN" / "lamps" / f"{page}.po"
    return read_catalog(path).entries


def finished(root: Path) -> dict[str, dict[str, str]]:
    """The translations that readers see, by page."""
    folder = root / "translations" / "zh_CN"
    return {
        path.relative_to(folder).as_posix(): {
            entry.msgid: entry.msgstr for entry in read_catalog(path).entries if entry.is_translated
        }
        for path in sorted(folder.rglob("*.po"))
    }


def test_there_and_back(root: Path, releases: Releases) -> None:
    before = finished(root)
    said = run(root, "upgrade 2.0 lamps --dry-run")
    assert "API reference: 2 pages" in said
    assert finished(root) == before
    said = run(root, "upgrade 2.0 lamps")
    docstring = root / "upstream" / "lamps" / SHINE / "lamps.shine.docstring"
    assert "two hours" in docstring.read_text()
    # One sentence has another name, one has other words; one is gone and one is new.
    assert "33.3 % carried, 33.3 % fuzzy, 33.3 % obsolete" in " ".join(said.split())
    dim = entries(root, DIM)[0]
    assert (dim.msgstr, dim.fuzzy) == ("译：See :func:`lamps.glow`.", False)
    assert "memory-" not in run(root, "memory verify lamps")
    run(root, "upgrade 1.0 lamps")
    assert finished(root) == before
    assert "memory-" not in run(root, "memory verify lamps")
    # Each release was read once, and the dry run has read for the real one.
    assert releases.made == ["lamps==1.0", "lamps==2.0"]


def test_reference_waits_without_its_release(root: Path, releases: Releases) -> None:
    before = finished(root)
    memory = root / "translations" / "memory" / "zh_CN" / "lamps"
    files = read_tree(memory / "_api")
    said = run(root, "upgrade 3.0 lamps")
    assert "there is no lamps==3.0" in said
    assert "the API reference lacks the docstrings of lamps 3.0" in said
    assert "page-gone" not in said
    assert read_tree(memory / "_api") == files
    assert "memory-" not in run(root, "memory verify lamps")
    said = run(root, "sync lamps --no-execute")
    assert "the API reference lacks the docstrings of lamps 3.0" in said
    run(root, "upgrade 1.0 lamps")
    assert finished(root) == before
    assert read_tree(memory / "_api") == files


def test_clone_that_never_read_the_old_docstrings(root: Path) -> None:
    """It has the memory of release 2.0, whose fuzzy and obsolete entries are of 1.0."""
    run(root, "upgrade 2.0 lamps")
    memory = root / "translations" / "memory"
    files = read_tree(memory)
    for name in ("translations/zh_CN", "build"):
        shutil.rmtree(root / name)
    said = run(root, "sync lamps --no-execute")
    assert "have not been read in this clone" in said
    assert "To read them, upgrade to that release and back" in said
    assert read_tree(memory) == files
    assert entries(root, DIM)[0].is_translated
    run(root, "upgrade 1.0 lamps")
    run(root, "upgrade 2.0 lamps")
    run(root, "memory verify lamps --strict")
    (fuzzy,) = [entry for entry in entries(root, SHINE) if entry.fuzzy]
    assert fuzzy.previous is not None
    assert "one hour" in fuzzy.previous


def test_damaged_cache_is_read_again(root: Path, releases: Releases) -> None:
    for path in (root / "build" / "cache" / "docstrings").rglob("*.json"):
        path.write_text("{")
    (root / "upstream" / "lamps" / "_api" / "reference.json").unlink()
    run(root, "pull lamps")
    assert releases.made == ["lamps==1.0", "lamps==1.0"]
