"""What tests of every folder share: a scratch project, the real docs, Hypothesis profiles.

What is no fixture stands in the plain modules of ``tests/support/``.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from contextlib import chdir
from functools import lru_cache
from pathlib import Path
from subprocess import PIPE, STDOUT
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
import tinycss2
import warm_sphinx
from folders import copy_project
from hypothesis import HealthCheck, settings
from places import ROOT, UPSTREAM_VARIABLE
from plain_cells import run_plainly
from repositories import Repository
from site_builds import LACKING
from site_chromium import REASON, chromium
from sockets import only_local_sockets

from pipeline.core.document.reader import read_document

if TYPE_CHECKING:
    from branch_project import Clone
    from memory_project import Project as MemoryProject
    from playwright.sync_api import Browser
    from workshop import Workshop

# No deadlines: a busy machine is not a bug. The examples of "same" are the same on every machine
# and in every run: a red one comes back red. `nox -s properties` tries new ones every night.
settings.register_profile(
    "same",
    deadline=None,
    derandomize=True,
    max_examples=25,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# Of `tests -- --quick`.
settings.register_profile("quick", settings.get_profile("same"), max_examples=10)
settings.register_profile(
    "nightly", settings.get_profile("same"), derandomize=False, max_examples=1_000
)
settings.load_profile("same")

# Tests that need the dependency group ``site``.
collect_ignore_glob = ["site/*"] if LACKING else []

# The modules outside of the core that read pages.
READERS = (
    "commands.adopt.versions",
    "commands.check.entries",
    "commands.upgrade",
    "site.documents",
    "stages.split",
    "stages.update.english",
)

# Where the real docs are, if anywhere.
UPSTREAM = os.environ.get(UPSTREAM_VARIABLE, "")

# Whoever runs the tests in the background has them ignore Ctrl-C, and so would all that they
# start in order to interrupt it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Make what is collected invisible to the garbage collector, which would walk it all again.

    Modules and thousands of tests stay to the end; a tenth of all time went into looking at them.
    """
    gc.disable()
    collected = yield
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)  # at the end nothing may be left
    return collected


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the core, and those that ask for the real docs: runs choose by marks."""
    for item in items:
        if item.path.is_relative_to(ROOT / "tests" / "core"):
            item.add_marker(pytest.mark.core)
        if "jax_docs_upstream" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.realdocs)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Hide the real docs from every test that is not marked ``realdocs``."""
    if UPSTREAM and item.get_closest_marker("realdocs"):
        os.environ[UPSTREAM_VARIABLE] = UPSTREAM
    else:
        os.environ.pop(UPSTREAM_VARIABLE, None)


@pytest.fixture
def shared_memory() -> Iterator[Path]:
    """A folder that pages may change, although the projects of tests are temporary files."""
    parent = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="tests-", dir=parent) as folder:
        yield Path(folder)


@pytest.fixture(scope="session", autouse=True)
def _once_a_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What takes long, and is the same for most tests, is done once by each process of pytest.

    Sphinx is loaded, and the style sheets of its theme are parsed. Commands read each page once:
    most tests have those of the sample, and a document is a value. Tests of the core read anew.
    """
    templates = tmp_path_factory.mktemp("templates")
    subprocesses = SimpleNamespace(PIPE=PIPE, STDOUT=STDOUT, Popen=warm_sphinx.popen)
    read_once = lru_cache(maxsize=256)(read_document)
    parse_once = lru_cache(maxsize=16)(tinycss2.parse_stylesheet)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(warm_sphinx.TEMPLATES, str(templates))
        patch.setattr("pipeline.adapters.sphinx.subprocess", subprocesses)
        for reader in READERS:
            patch.setattr(f"pipeline.{reader}.read_document", read_once)
        patch.setattr("tinycss2.parse_stylesheet", parse_once)
        # Files are not forced onto the disk: only a crash of the machine could tell.
        patch.setattr("os.fsync", lambda _: None)
        yield


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch copy of the project: configuration, sample docs, sample translations.

    It is the current folder.
    """
    root = tmp_path / "project"
    copy_project(root)
    return entered(root, monkeypatch)


def entered(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project the current folder, where `python -m pipeline` works uninstalled."""
    monkeypatch.chdir(root)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return root


@pytest.fixture(scope="session")
def synced_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose sample is synced without running code: to be copied, not changed."""
    from pipeline.cli import main

    root = tmp_path_factory.mktemp("synced") / "project"
    copy_project(root)
    with chdir(root):
        assert main(["sync", "sample", "--no-execute", "-q"]) == 0
    return root


@pytest.fixture
def synced(synced_sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch copy of the project with its sample synced. It is the current folder."""
    root = tmp_path / "project"
    shutil.copytree(synced_sample, root, symlinks=True)
    return entered(root, monkeypatch)


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """The project of ``branch_project`` with one page translated: to be copied, not changed."""
    from branch_project import Clone, make_upstream

    folder = tmp_path_factory.mktemp("begun")
    return Clone.make(folder / "project", make_upstream(folder / "origin"))


@pytest.fixture
def work(begun: Clone, tmp_path: Path) -> Clone:
    """A project whose ``main`` has one page translated."""
    return begun.copy(tmp_path / "project")


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of ``published_project``: to be copied, not changed."""
    from published_project import publish

    folder = tmp_path_factory.mktemp("published")
    publish(folder)
    return folder


@pytest.fixture(scope="session")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The upstream of ``memory_project`` with all its releases: to be read, not changed."""
    from memory_project import RELEASES
    from repositories import make_origin

    return make_origin(tmp_path_factory.mktemp("upstream") / "origin", RELEASES)


@pytest.fixture(scope="session")
def stored(origin: Path, tmp_path_factory: pytest.TempPathFactory) -> MemoryProject:
    """A project whose catalogues of v1 are translated and stored: to be copied, not changed."""
    from memory_project import Project

    return Project(tmp_path_factory.mktemp("stored") / "project", str(origin)).begin()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """The site of ``whole_workshop``: to be looked at, not changed."""
    from workshop import WITH_OPTIONS, whole_workshop

    workshop = whole_workshop(tmp_path_factory.mktemp("workshop"))
    workshop.build(reference=WITH_OPTIONS)
    return workshop


@pytest.fixture
def plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells run in this process, without kernels."""
    monkeypatch.setattr("pipeline.adapters.kernel.run_notebooks", run_plainly)


@pytest.fixture
def only_localhost() -> Iterator[list[str]]:
    """No socket but to this machine; the addresses that were reached."""
    with only_local_sockets() as reached:
        yield reached


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client of language models tries again at once, unless an endpoint asks it to wait."""
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.001)


@pytest.fixture(scope="session")
def jax_docs_upstream() -> str:
    """URL, bundle or repository of the real JAX docs; skips the test where there is none."""
    if not UPSTREAM:
        pytest.skip(f"set {UPSTREAM_VARIABLE} to a clone or bundle of the JAX docs")
    return UPSTREAM


@pytest.fixture(scope="session")
def repository(jax_docs_upstream: str, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """All of the history of the real JAX docs, cloned once by each process of pytest."""
    folder = tmp_path_factory.mktemp("upstream")
    return Repository.clone(jax_docs_upstream, folder / "docs.git")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The one Chromium of a process: Playwright does not run twice in the same."""
    if REASON:
        pytest.skip(REASON)
    with chromium() as started:
        yield started
