"""Pages that change files outside their folder, in real kernels.

Where the system confines a kernel's writes, each ends in a failure that names the page and the
cell, and no file has changed. Elsewhere a finding names what has changed.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from ctypes import c_int
from pathlib import Path

import pytest
from folders import read_tree
from kernel_project import Project, texts
from msgspec.structs import replace
from notebooks import code, notebook
from places import ROOT

from pipeline.adapters import kernel
from pipeline.adapters.files import scratch_folder
from pipeline.adapters.kernel import Job, Outcome, sandbox, worker
from pipeline.adapters.kernel.sandbox import can_confine_writes
from pipeline.core.execution.result import Status
from pipeline.findings import Severity

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux"),
]
confined = pytest.mark.skipif(not can_confine_writes(), reason="the system does not confine writes")
CHANGED = "files of the project changed while this cell ran"
# What a cell tries, in the project's folder ``p``; ``f`` is a catalogue there.
ATTACKS = {
    "adds-a-translation": "(p / 'translations/zh_CN/demo/new.po').write_text('x')",
    "changes-a-translation": "f.write_text('x')",
    "appends": "f.open('a').write('x')",
    "cuts-off": "os.truncate(f, 0)",
    "removes": "f.unlink()",
    "renames": "f.rename(f.with_name('b.po'))",
    "replaces": "Path('x').write_text('x'); os.replace('x', f)",
    "links": "os.link(f, 'own'); Path('own').write_text('x')",
    "links-into": "Path('x').touch(); os.link('x', p / 'build/x')",
    "points": "(p / 'build/x').symlink_to('/etc/hosts')",
    "makes-a-folder": "(p / 'build/cache').mkdir()",
    "removes-a-folder": "os.rmdir(p / 'build/empty')",
    "makes-a-socket": "import socket; socket.socket(socket.AF_UNIX).bind(str(p / 's'))",
    "makes-a-pipe": "os.mkfifo(p / 'pipe')",
    "changes-the-folder": "os.chdir(p); Path('pyproject.toml').write_text('x')",
    "changes-upstream": "(p / 'upstream/demo/own.ipynb').write_text('{}')",
    "by-a-shell": "import subprocess\nsubprocess.run(['cp', '/etc/hosts', f], check=True)",
    "by-a-link": "os.symlink(p, 'link'); Path('link/translations/x').write_text('x')",
    "by-its-worker": "Path(f'/proc/{os.getppid()}/cwd/own').write_text('x')",
    "changes-its-packages": "import numpy\nPath(numpy.__file__).open('a')",
    "changes-its-home": "(Path(pwd.getpwuid(os.getuid()).pw_dir) / '.own').touch()",
}
START = "import os, pwd\nfrom pathlib import Path\np = Path({!r})\n"
ALLOWED = """
import tempfile, multiprocessing.shared_memory as memory
Path('own').write_text('x')
Path('own').rename(Path.home() / 'own')
Path(os.environ['XDG_CACHE_HOME'], 'deep').mkdir(parents=True)
tempfile.NamedTemporaryFile().write(b'x')
open(os.devnull, 'w').write('x')
block = memory.SharedMemory(create=True, size=9)
block.close(); block.unlink()
print('fine')
"""


@pytest.fixture
def outside() -> Iterator[Path]:
    """A folder that is not in the system's folder for temporary files."""
    (ROOT / "build").mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="writes-", dir=ROOT / "build"))
    yield folder
    shutil.rmtree(folder)


def project_of(root: Path, *attacks: str, page: str = "bad") -> Project:
    """Return a project with a page whose first code cell runs, and whose others attack."""
    project = Project(root)
    start = START.format(str(root)) + "f = p / 'translations/zh_CN/demo/a.po'"
    cells = [code(attack, "raises-exception") for attack in attacks[:-1]]
    last = code(attacks[-1])
    project.add(f"{page}.ipynb", notebook(code(start), *cells, last))
    for name in ("translations/zh_CN/demo/a.po", "pyproject.toml"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "build/empty").mkdir(parents=True)
    return project


@confined
def test_no_page_changes_the_project(outside: Path) -> None:
    project = project_of(outside / "project", *ATTACKS.values())
    project.add("fine.ipynb", notebook(code("print('fine')")))
    before = read_tree(project.root)
    results = project.results(jobs=1)
    assert results["fine"].status is Status.PASSED
    failure = results["bad"].failure
    assert failure is not None
    # All cells before the last one raised, as they should.
    assert failure.cell == 1 + len(ATTACKS)
    allowed = "(a page may change files in its own folder and /tmp only)"
    assert allowed in failure.message
    after = read_tree(project.root)
    ours = ("build/cache/", "build/zh_CN/demo/executed/")
    assert {name for name in after if not name.startswith(ours)} == before.keys()
    assert {name: after[name] for name in before} == before
    assert (project.root / "build/empty").is_dir()
    assert not Path.home().joinpath(".own").exists()
    entries = read_tree(project.paths.outputs)
    assert project.run().findings == ()  # no entry of the cache is damaged
    assert read_tree(project.paths.outputs) == entries
    cells = project.executed("bad")["cells"][2:]
    refusals = [cell["outputs"][-1]["ename"] for cell in cells]
    others = {"by-a-shell": "CalledProcessError", "links": "OSError"}
    expected = dict.fromkeys(ATTACKS, "PermissionError") | others
    assert dict(zip(ATTACKS, refusals, strict=True)) == expected


@confined
def test_a_page_still_writes_where_it_may(outside: Path, tmp_path: Path) -> None:
    project = project_of(outside / "project", ALLOWED, page="own")
    shared = tmp_path / "shared"
    project.add("shared.ipynb", notebook(code(f"open({str(shared)!r}, 'w')")))
    assert {one.status for one in project.results().values()} == {Status.PASSED}
    assert texts(project.executed("own")["cells"][2]) == "fine\n"
    assert shared.exists() is shared.is_relative_to("/tmp")


@confined
def test_a_project_among_temporary_files_is_safe_too(tmp_path: Path) -> None:
    if not tmp_path.is_relative_to("/tmp"):
        pytest.skip("the folder for temporary files is another one")
    project = project_of(tmp_path / "project", "f.write_text('x')")
    failure = project.results()["bad"].failure
    assert failure is not None
    assert failure.message.endswith("(a page may change files in its own folder only)")
    assert (tmp_path / "project/translations/zh_CN/demo/a.po").read_text() != "x"


def test_without_confinement_a_finding_names_page_cell_and_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_here(jobs: Sequence[Job], *, workers: int) -> Iterator[Outcome]:
        del workers  # in this process, where the system's abilities can be replaced
        with scratch_folder("nb-", sandbox.scratch_parent()) as scratch:
            for job in jobs:
                yield worker.run(replace(job, scratch=scratch), c_int())

    monkeypatch.setattr(sandbox, "can_confine_writes", lambda: False)
    monkeypatch.setattr(kernel, "run_notebooks", run_here)
    cells = ("f.write_text('x')", "print(1)", "(p / 'own').touch(); f.unlink()")
    project = project_of(tmp_path / "project", *cells)
    project.add("fine.ipynb", notebook(code("print('fine')")))
    findings = project.run().findings
    assert [(found.where, found.text) for found in findings] == [
        ("bad, code cell 2", f"{CHANGED}: translations/zh_CN/demo/a.po"),
        ("bad, code cell 4", f"{CHANGED}: own, translations/zh_CN/demo/a.po"),
    ]
    assert {found.severity for found in findings} == {Severity.WARNING}
    assert project.run().findings == ()  # from the cache
