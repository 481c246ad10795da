"""API reference of a pull: the docstrings of a package beside upstream's pages."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from folders import read_tree, write_tree
from runs import run_of

from pipeline.adapters import reference as adapter
from pipeline.adapters.environments import UnmadeEnvironmentError
from pipeline.config import Settings, Upstream
from pipeline.config.settings import ReferenceTable
from pipeline.core.pin.lock import Lock, is_reference
from pipeline.core.reference.objects import PATH, read_record
from pipeline.log import Log
from pipeline.stages.pull.stage import pull, read_pulled

PAGES = {
    "index.md": b"# Lamps\n\nWords.\n",
    "conf.py": b'autodoc_typehints = "description"\nimport os\nos.abort()\n',
    "lamps.rst": b"Lamps\n=====\n\n.. automodule:: lamps\n\n.. autosummary::\n"
    b"   :toctree: _autosummary\n\n   shine\n   Lamp\n   gone\n",
}
PACKAGE = b'''\
"""Lamps and their light."""


def shine(power: float, at: object = object()) -> float:
    """Return the light of a lamp.

    Args:
      power: watts of the lamp
    """


class Lamp:
    """A lamp with a switch."""

    def toggle(self) -> None:
        """Turn the switch.

        It clicks.
        """
'''
DOCSTRINGS = {
    "_api/_autosummary/lamps.Lamp/lamps.Lamp.docstring": b"A lamp with a switch.",
    "_api/_autosummary/lamps.Lamp/lamps.Lamp.toggle.docstring": b"Turn the switch.",
    "_api/_autosummary/lamps.shine/lamps.shine.docstring": b"Return the light of a lamp.\n\n"
    b"Args:\n  power: watts of the lamp",
    "_api/lamps/lamps.docstring": b"Lamps and their light.",
}


@dataclass
class Project:
    """A project whose upstream is a folder, with a package in a folder of its own."""

    root: Path
    reference: ReferenceTable | None = field(
        default_factory=lambda: ReferenceTable(path="package")
    )
    version: str = ""
    url: str = "origin"

    @property
    def docs(self) -> Path:
        return self.root / "upstream" / "lamps"

    def package(self, code: bytes) -> None:
        write_tree(self.root / "package", {"lamps/__init__.py": code})

    def pull(self, *, dry: bool = False) -> tuple[Lock, str]:
        """Pull, and return the lock and what was said."""
        said = io.StringIO()
        settings = Settings(root=self.root, locales=("zh_CN",), upstreams={})
        upstream = Upstream(
            name="lamps",
            url=str(self.root / self.url),
            reference=self.reference,
            version=self.version,
            package="Lamps" if self.version else "",
        )
        run = run_of(settings, upstream, log=Log(1, stream=said), dry=dry)
        lock = pull(run)
        if not dry:
            assert read_pulled(run) == lock
        return lock, said.getvalue()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    write_tree(tmp_path / "origin", PAGES)
    made = Project(tmp_path)
    made.package(PACKAGE)
    return made


@pytest.mark.slow
def test_docstrings_are_pulled_as_documents(project: Project) -> None:
    lock, said = project.pull()
    files = read_tree(project.docs)
    assert {path: files[path] for path in DOCSTRINGS} == DOCSTRINGS
    pages = {page.name: len(page.files) for page in lock.pages}
    assert pages["_api/_autosummary/lamps.Lamp"] == 2
    assert pages["_api/lamps"] == 1
    record = read_record(files[PATH], where="record")
    shine = record.objects["lamps.shine"]
    assert (shine.file, shine.line) == ("lamps/__init__.py", 4)
    assert shine.types == {"power": "float", "at": "object", "return": "float"}
    assert b" at 0x" not in files[PATH]
    assert "lamps: gone is documented, but not there" in said
    assert record.settings == {"autodoc_typehints": "description"}
    # Once pulled, nothing is read again, and nothing is written.
    again, said = project.pull()
    assert again == lock
    assert "nothing to write" in said
    assert "objects read" not in said


@pytest.mark.slow
def test_changed_docstrings_change_their_file_only(project: Project) -> None:
    before, _ = project.pull()
    project.package(PACKAGE.replace(b"Turn the switch", b"Press the switch"))
    dry, _ = project.pull(dry=True)
    assert dry == before
    after, _ = project.pull()
    changed = {*before.files} ^ {*after.files}
    assert {file.path for file in changed} == {
        PATH,
        "_api/_autosummary/lamps.Lamp/lamps.Lamp.toggle.docstring",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "code", [b"raise SystemExit(3)", b"def", b"import os; os._exit(1)", b"1 / 0"]
)
def test_package_that_cannot_be_imported_stops_no_page(
    project: Project, code: bytes
) -> None:
    project.package(code)
    lock, said = project.pull()
    assert "index.md" in {file.path for file in lock.files}
    assert "cannot be read" in said or "is documented, but not there" in said
    # What was pulled before stays, as long as it is whole.
    project.package(PACKAGE)
    whole, _ = project.pull()
    assert len(whole.pages) == 5


@pytest.mark.slow
def test_package_that_hangs_is_stopped(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "SECONDS", 2.0)
    project.package(b"import time\ntime.sleep(60)\n")
    lock, said = project.pull()
    assert "timed out" in said
    assert len(lock.pages) == 2


@pytest.mark.slow
def test_docstrings_stay_where_they_cannot_be_read(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, _ = project.pull()
    project.package(PACKAGE.replace(b"Turn the switch", b"Press the switch"))

    def fail(requirements: Sequence[str], folder: Path) -> Path:
        raise UnmadeEnvironmentError(f"no network for {', '.join(requirements)}")

    monkeypatch.setattr(adapter, "is_there", lambda _: False)
    monkeypatch.setattr(adapter, "python_with", fail)
    after, said = project.pull()
    assert after == before
    assert "no network for sphinx<9" in said
    # Docstrings of another release would mislead.
    project.version = "2.0"
    moved, _ = project.pull()
    assert not any(is_reference(file.path) for file in moved.files)
    project.version = ""
    project.package(PACKAGE)
    monkeypatch.undo()
    project.pull()
    project.package(PACKAGE.replace(b"Turn the switch", b"Press the switch"))
    monkeypatch.setattr(adapter, "is_there", lambda _: False)
    monkeypatch.setattr(adapter, "python_with", fail)
    project.pull()
    assert (
        b"Turn"
        in read_tree(project.docs)[
            "_api/_autosummary/lamps.Lamp/lamps.Lamp.toggle.docstring"
        ]
    )


@pytest.mark.slow
def test_record_is_the_same_on_every_machine(project: Project, tmp_path: Path) -> None:
    project.pull()
    other = Project(tmp_path / "another place")
    write_tree(other.root / "origin", PAGES)
    other.package(PACKAGE)
    other.pull()
    assert read_tree(other.docs) == read_tree(project.docs)


@pytest.mark.slow
def test_damaged_record_is_read_again(project: Project) -> None:
    lock, _ = project.pull()
    (project.docs / PATH).write_bytes(b"{")
    assert project.pull()[0] == lock


@pytest.mark.slow
def test_reference_that_is_configured_no_more_goes(project: Project) -> None:
    project.pull()
    project.reference = None
    lock, _ = project.pull()
    assert {file.path for file in lock.files} == set(PAGES)
    assert not (project.docs / "_api").exists()


@pytest.mark.slow
def test_folder_of_upstream_with_our_name_is_refused(project: Project) -> None:
    write_tree(project.root / "origin", {**PAGES, "_api/mine.md": b"# Mine\n"})
    lock, _ = project.pull()
    assert [file.path for file in lock.refused] == ["_api/mine.md"]
    assert len(lock.pages) == 5


@pytest.mark.slow
def test_docs_that_are_their_own_upstream_keep_all_their_files(
    project: Project,
) -> None:
    """People work there: only the folder of the reference is the pipeline's."""
    project.url = "upstream/lamps"
    write_tree(project.docs, {**PAGES, ".draft.md": b"# Not yet\n"})
    (project.docs / "link.md").symlink_to("index.md")
    lock, _ = project.pull()
    again, said = project.pull()
    assert again == lock
    assert "nothing to write" in said
    assert lock.refused == ()
    project.package(PACKAGE.replace(b"Lamp", b"Torch"))
    project.pull()
    files = read_tree(project.docs)
    assert "_api/lamps/lamps.docstring" in files
    assert "_api/_autosummary/lamps.Lamp/lamps.Lamp.docstring" not in files
    project.reference = None
    project.pull()
    left = {path.name for path in project.docs.iterdir()}
    assert left == {*PAGES, ".draft.md", "link.md"}
