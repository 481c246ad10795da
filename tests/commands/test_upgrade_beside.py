"""`upgrade --beside`, and the commands that then work on the release."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cases import read_tables
from folders import read_tree
from in_process import command
from repositories import commit_release, init_repository
from wheels import make_index

from pipeline.paths import Paths

CASES = read_tables(__file__)

CONFIG = """\
[dependency-groups]
tea = ["tea==1.0.0"]

[tool.pipeline.upstreams.tea]
url = "origin"
ref = "v{version}"
package = "Tea"
docs = "docs"
"""
PAGES = {
    "1.0.0": {"index.md": "# Tea\n\nWater boils in the kettle.\n"},
    "1.1.0": {
        "index.md": "# Tea\n\nWater boils in the kettle.\n",
        "pot.md": "# A pot\n\nIt is full of tea.\n",
    },
    "1.2.0": {"index.md": "# Tea\n\nNo kettle is needed.\n"},
}


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project at 1.0.0, synced, whose index has packages of 1.0.0 and 1.1.0."""
    root = tmp_path_factory.mktemp("beside") / "project"
    origin = init_repository(root / "origin")
    for version, pages in PAGES.items():
        files = {f"docs/{path}": text for path, text in pages.items()}
        commit_release(origin, f"v{version}", files)
    (root / "pyproject.toml").write_text(CONFIG, encoding="utf-8")
    config = str(root / "pyproject.toml")
    command("sync --no-execute -q --config", config, "--upstream", origin)
    return root


@pytest.fixture
def root(synced: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project. It is the current folder."""
    root = tmp_path / "project"
    shutil.copytree(synced, root)
    monkeypatch.chdir(root)
    make_index(tmp_path / "index", monkeypatch, "tea 1.0.0", "tea 1.1.0")
    return root


def pinned_files(root: Path) -> dict[str, bytes]:
    paths = Paths(root, "tea")
    return read_tree(paths.docs) | read_tree(paths.catalogs("zh_CN"))


def test_latest_may_wait_for_its_package(root: Path) -> None:
    before = pinned_files(root)
    config, lock = root / "pyproject.toml", Paths(root, "tea@1.2.0").lock
    line = "upgrade latest --beside --summary"
    command(f"{line} tried.md --dry-run")
    assert config.read_text(encoding="utf-8") == CONFIG
    assert not lock.exists()
    command(f"{line} summary.md")
    assert config.read_text(encoding="utf-8") == f'{CONFIG}beside = ["1.2.0"]\n'
    summary = (root / "summary.md").read_text(encoding="utf-8")
    assert summary.split("\n")[0] == "# Show beside tea v1.0.0 the release v1.2.0"
    assert "skipped: no Tea 1.2.0 can be installed here" in summary
    assert lock.is_file()
    assert pinned_files(root) == before
    # A second run has nothing to show, so a workflow does not go on.
    told = command(f"{line} again.md").err
    assert "there is no release to add beside the pin" in told
    assert not (root / "again.md").exists()


def test_commands_work_on_one_release_or_on_all(root: Path) -> None:
    command("upgrade 1.1.0 --beside -q")
    memory = read_tree(Paths(root, "tea").memories("zh_CN"))
    assert set(memory) == {"index.po", "pot.po"}
    for line in (
        "sync tea@1.1.0 --no-execute",
        "sync --release 1.1.0 --no-execute",
        "sync tea --all --no-execute",
        "status --release 1.1.0",
        "check --release 1.1.0",
        "memory verify --release 1.1.0",
        "memory verify tea",
    ):
        command(f"{line} -q")
    assert read_tree(Paths(root, "tea").memories("zh_CN")) == memory
    told = command("sync --release 1.1.0").err
    assert "no code runs: Tea 1.1.0 is not installed" in told


def test_the_day_that_the_package_is_there(root: Path) -> None:
    command("upgrade 1.1.0 --beside -q")
    command("upgrade 1.1.0 --no-execute -q")
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    assert text == CONFIG.replace("1.0.0", "1.1.0")
    command("memory verify -q")


@pytest.mark.parametrize(("words", "code", "told"), CASES["a_missing_release"])
def test_a_missing_release(root: Path, words: list[str], code: int, told: str) -> None:
    before = read_tree(root / "translations")
    assert told in command(*words, code=code).err
    assert read_tree(root / "translations") == before
    assert (root / "pyproject.toml").read_text(encoding="utf-8") == CONFIG


def test_a_configured_release_that_upstream_lacks(root: Path) -> None:
    config = root / "pyproject.toml"
    config.write_text(f'{CONFIG}beside = ["9.9.9"]\n', encoding="utf-8")
    before = pinned_files(root)
    # The pinned release is synced all the same.
    told = command("sync tea --all --no-execute", code=3)
    assert "'v9.9.9'" in told.err
    assert "tea@9.9.9" in told.out
    assert pinned_files(root) == before
    assert not Paths(root, "tea@9.9.9").lock.exists()
    command("memory verify -q")
    assert "tea@9.9.9" in command("status --release 9.9.9", code=3).err


def test_a_release_has_no_pin_to_move(root: Path) -> None:
    command("upgrade 1.1.0 --beside -q")
    line = "upgrade 1.2.0 tea@1.1.0"
    assert "has no pin of its own" in command(line, code=2).err
    assert "Name the upstream: tea." in command(f"{line} --beside", code=2).err
