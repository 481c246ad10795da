"""API reference of a pull: the docstrings of a package beside upstream's pages."""

from __future__ import annotations

import io
import shutil
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from folders import read_tree, write_tree
from msgspec import Struct, field
from msgspec.structs import replace
from runs import run_at

from pipeline.adapters import reference as adapter
from pipeline.adapters.reference import UnmadeEnvironmentError
from pipeline.config.settings import ReferenceTable
from pipeline.core.pin.lock import Lock, is_reference
from pipeline.core.reference import PATH, read_record
from pipeline.log import Log
from pipeline.stages.pull.stage import pull, read_pulled

pytestmark = pytest.mark.slow

LAMPS = tomllib.loads((Path(__file__).parent / "data" / "lamps.toml").read_text(encoding="utf-8"))
PAGES, DOCSTRINGS = (
    {path: text.encode() for path, text in LAMPS[name].items()} for name in ("pages", "docstrings")
)
TOGGLE = "_api/_autosummary/lamps.Lamp/lamps.Lamp.toggle.docstring"
PACKAGE: bytes = LAMPS["package"].encode()
PRESSED = PACKAGE.replace(b"Turn the switch", b"Press the switch")


class Project(Struct):
    """A project whose upstream is a folder, with a package in a folder of its own."""

    root: Path
    reference: ReferenceTable | None = field(default_factory=lambda: ReferenceTable(path="package"))
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
        run = run_at(
            self.root,
            "lamps",
            url=str(self.root / self.url),
            reference=self.reference,
            version=self.version,
            package="Lamps" if self.version else "",
        )
        run = replace(run, log=Log(1, stream=said), dry=dry)
        lock = pull(run)
        if not dry:
            assert read_pulled(run) == lock
        return lock, said.getvalue()


def fail(requirements: Sequence[str], folder: Path) -> Path:
    """Stand-in for the maker of environments, as without a network."""
    raise UnmadeEnvironmentError(f"no network for {', '.join(requirements)}")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    write_tree(tmp_path / "origin", PAGES)
    made = Project(tmp_path)
    made.package(PACKAGE)
    return made


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
    assert "lamps.rst:11: gone is documented, but the package does not have it" in said
    assert record.settings == {"autodoc_typehints": "description"}
    # Once pulled, nothing is read again, and nothing is written.
    again, said = project.pull()
    assert again == lock
    assert "nothing to write" in said
    assert "objects read" not in said


def test_changed_docstrings_change_their_file_only(project: Project) -> None:
    before, _ = project.pull()
    project.package(PRESSED)
    dry, _ = project.pull(dry=True)
    assert dry == before
    after, _ = project.pull()
    changed = {*before.files} ^ {*after.files}
    assert {file.path for file in changed} == {PATH, TOGGLE}


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (b"x = 1\nraise SystemExit(3)", "lamps/__init__.py:2: SystemExit: 3"),
        (b"def", "lamps/__init__.py:1: SyntaxError: invalid syntax"),
        (b"import os; os._exit(1)", "exit code 1"),
        (b"'\xff'", "(unicode error) 'utf-8' codec can't decode byte 0xff"),
        (b"import no_such_lamp", "No module named 'no_such_lamp'"),
    ],
)
def test_package_that_cannot_be_imported_stops_no_page(
    project: Project, code: bytes, problem: str
) -> None:
    whole, _ = project.pull()
    project.package(code)
    lock, said = project.pull()
    assert "the docstrings cannot be read: " in said
    assert problem in said
    # What was pulled before stays.
    assert lock == whole


def test_a_lock_without_the_docstrings_must_not_be_committed(project: Project) -> None:
    project.pull()
    shutil.rmtree(project.docs)  # a fresh clone has the lock, but no checkout
    project.package(b"import no_such_lamp")
    lock, said = project.pull()
    assert not any(is_reference(file.path) for file in lock.files)
    assert "do not commit the lock, which lacks the docstrings now" in said


def test_module_that_cannot_be_imported_stops_no_other(project: Project) -> None:
    package = {"lamps/__init__.py": PACKAGE, "lamps/odd.py": b"\n1 / 0\n"}
    write_tree(project.root / "package", package)
    odd = b"Odd\n===\n\n.. automodule:: lamps.odd\n\n.. autofunction:: dim\n"
    write_tree(project.root / "origin", {**PAGES, "odd.rst": odd})
    lock, said = project.pull()
    problem = "lamps/odd.py:2: ZeroDivisionError: division by zero"
    assert f"odd.rst:4: lamps.odd cannot be read: {problem}" in said
    assert {page.name for page in lock.pages} >= {"odd", "_api/lamps"}


def test_odd_objects_are_read_or_named(project: Project) -> None:
    write_tree(project.root / "package", {"lamps/odd.py": LAMPS["odd"]})
    names = "autofunction:: dim", "autoattribute:: Panel.switch", "autodata:: SWITCH"
    directives = "\n\n".join(f".. {name}" for name in names)
    text = f"Odd\n===\n\n.. currentmodule:: lamps.odd\n\n{directives}\n"
    write_tree(project.root / "origin", {"odd.rst": text})
    _, said = project.pull()
    problem = "lamps/odd.py:8: the docstring has bytes that are no UTF-8"
    assert f"odd: lamps.odd.dim cannot be read: {problem}" in said
    files = read_tree(project.docs)
    dim = files["_api/odd/lamps.odd.dim.docstring"]
    assert dim == b"Dim <lamps.odd.Bulb object> ?."
    record = read_record(files[PATH], where="record")
    made = {one.argument: one.lines for one in record.directives}
    assert "by=<lamps.odd.Bulb object>" in "".join(made["dim"])
    assert made["SWITCH"]
    assert "at 0x" not in files[PATH].decode()


def test_docstrings_that_change_from_run_to_run_are_named(project: Project) -> None:
    code = b"import time\nshine.__doc__ = f'Shine at {time.time_ns()}.'\n"
    project.package(PACKAGE + code)
    before, said = project.pull()
    assert "differs" not in said
    # What is gone is read again.
    shutil.rmtree(project.root / "build", ignore_errors=True)
    (project.docs / "_api/lamps/lamps.docstring").unlink()
    after, said = project.pull()
    name = "lamps.shine"
    assert f"{name}: the docstring differs from run to run" in said
    assert said.count("differs from run to run") == 1
    assert {file.path for file in {*before.files} ^ {*after.files}} == {
        f"_api/_autosummary/{name}/{name}.docstring"
    }


def test_several_releases_in_the_environment_are_named(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = "Name: lamps\nVersion: {}\n"
    releases = ("1.0", "2.0")
    files = {f"lamps-{v}.dist-info/METADATA": metadata.format(v) for v in releases}
    write_tree(project.root / "env", files)
    monkeypatch.syspath_prepend(str(project.root / "env"))
    monkeypatch.setattr(adapter, "python_with", fail)
    project.version = "2.0"
    project.reference = ReferenceTable()
    _, said = project.pull()
    assert "several releases of Lamps are installed here: 1.0, 2.0" in said
    # Either may be what a process imports, so an environment of its own is asked for.
    assert "no network for sphinx<9, Lamps==2.0" in said


def test_options_that_cannot_be_read_are_named(project: Project) -> None:
    page = b"Options\n=======\n\n.. list_options::\n"
    write_tree(project.root / "origin", {"options.rst": page})
    options = {"list_options": "lamps.gone"}
    project.reference = ReferenceTable(path="package", options=options)
    _, said = project.pull()
    assert "options.rst:4: lamps.gone cannot be read: " in said


def test_package_that_hangs_is_stopped(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "SECONDS", 2.0)
    project.package(b"import time\ntime.sleep(60)\n")
    lock, said = project.pull()
    assert "timed out" in said
    assert len(lock.pages) == 2


def test_docstrings_stay_where_they_cannot_be_read(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, _ = project.pull()
    project.package(PRESSED)

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
    project.package(PRESSED)
    monkeypatch.setattr(adapter, "is_there", lambda _: False)
    monkeypatch.setattr(adapter, "python_with", fail)
    project.pull()
    assert b"Turn" in (project.docs / TOGGLE).read_bytes()


def test_record_is_the_same_on_every_machine(project: Project, tmp_path: Path) -> None:
    project.pull()
    other = Project(tmp_path / "another place")
    write_tree(other.root / "origin", PAGES)
    other.package(PACKAGE)
    other.pull()
    assert read_tree(other.docs) == read_tree(project.docs)


def test_damaged_record_is_read_again(project: Project) -> None:
    lock, _ = project.pull()
    (project.docs / PATH).write_bytes(b"{")
    assert project.pull()[0] == lock


def test_reference_that_is_configured_no_more_goes(project: Project) -> None:
    project.pull()
    project.reference = None
    lock, _ = project.pull()
    assert {file.path for file in lock.files} == set(PAGES)
    assert not (project.docs / "_api").exists()


def test_folder_of_upstream_with_our_name_is_refused(project: Project) -> None:
    write_tree(project.root / "origin", {**PAGES, "_api/mine.md": b"# Mine\n"})
    lock, _ = project.pull()
    assert [file.path for file in lock.refused] == ["_api/mine.md"]
    assert len(lock.pages) == 5


def test_docs_that_are_their_own_upstream_keep_their_files(project: Project) -> None:
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
