"""`upgrade --beside`, and the commands that then work on the release."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cases import read_tables
from folders import read_tree
from repositories import commit_release, init_repository
from wheels import make_index

from pipeline.cli import main
from pipeline.paths import Paths

CASES = read_tables(__file__)

Speech = pytest.CaptureFixture[str]

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
    words = "sync --no-execute -q --config".split()
    assert main([*words, config, "--upstream", str(origin)]) == 0
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


def test_latest_is_the_release_that_waits_for_its_package(
    root: Path, capsys: Speech
) -> None:
    before = pinned_files(root)
    words = ["upgrade", "latest", "--beside", "--summary", "summary.md"]
    assert main([*words, "--dry-run"]) == 0
    assert (root / "pyproject.toml").read_text(encoding="utf-8") == CONFIG
    assert not Paths(root, "tea@1.2.0").lock.exists()
    (root / "summary.md").unlink()
    assert main(words) == 0
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    assert text == f'{CONFIG}beside = ["1.2.0"]\n'
    summary = (root / "summary.md").read_text(encoding="utf-8")
    assert summary.split("\n")[0] == "# Show beside tea v1.0.0 the release v1.2.0"
    assert "skipped: no Tea 1.2.0 can be installed here" in summary
    assert Paths(root, "tea@1.2.0").lock.is_file()
    assert pinned_files(root) == before
    capsys.readouterr()
    # A second run has nothing to show, so a workflow does not go on.
    (root / "summary.md").unlink()
    assert main(words) == 0
    assert not (root / "summary.md").exists()
    assert "there is no release to add beside the pin" in capsys.readouterr().err


def test_commands_work_on_one_release_or_on_all(root: Path, capsys: Speech) -> None:
    assert main(["upgrade", "1.1.0", "--beside", "-q"]) == 0
    memory = read_tree(Paths(root, "tea").memories("zh_CN"))
    assert set(memory) == {"index.po", "pot.po"}
    for words in (
        ["sync", "tea@1.1.0", "--no-execute"],
        ["sync", "--release", "1.1.0", "--no-execute"],
        ["sync", "tea", "--all", "--no-execute"],
        ["status", "--release", "1.1.0"],
        ["check", "--release", "1.1.0"],
        ["memory", "verify", "--release", "1.1.0"],
        ["memory", "verify", "tea"],
    ):
        assert main([*words, "-q"]) == 0, words
    assert read_tree(Paths(root, "tea").memories("zh_CN")) == memory
    capsys.readouterr()
    assert main(["sync", "--release", "1.1.0"]) == 0
    assert "no code runs: Tea 1.1.0 is not installed" in capsys.readouterr().err


def test_the_day_that_the_package_is_there(root: Path) -> None:
    assert main(["upgrade", "1.1.0", "--beside", "-q"]) == 0
    assert main(["upgrade", "1.1.0", "--no-execute", "-q"]) == 0
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    assert text == CONFIG.replace("1.0.0", "1.1.0")
    assert main(["memory", "verify", "-q"]) == 0


@pytest.mark.parametrize(
    ("words", "code", "told"),
    CASES["a_release_that_is_not_there"],
)
def test_a_release_that_is_not_there(
    root: Path, words: list[str], code: int, told: str, capsys: Speech
) -> None:
    before = read_tree(root / "translations")
    assert main(words) == code
    assert told in capsys.readouterr().err
    assert read_tree(root / "translations") == before
    assert (root / "pyproject.toml").read_text(encoding="utf-8") == CONFIG


def test_a_configured_release_that_upstream_lacks(root: Path, capsys: Speech) -> None:
    config = root / "pyproject.toml"
    config.write_text(f'{CONFIG}beside = ["9.9.9"]\n', encoding="utf-8")
    before = pinned_files(root)
    # The pinned release is synced all the same.
    assert main(["sync", "tea", "--all", "--no-execute"]) == 3
    told = capsys.readouterr()
    assert "'v9.9.9'" in told.err
    assert "tea@9.9.9" in told.out
    assert pinned_files(root) == before
    assert not Paths(root, "tea@9.9.9").lock.exists()
    assert main(["memory", "verify", "-q"]) == 0
    assert main(["status", "--release", "9.9.9"]) == 3
    assert "tea@9.9.9" in capsys.readouterr().err


def test_a_release_has_no_pin_to_move(root: Path, capsys: Speech) -> None:
    assert main(["upgrade", "1.1.0", "--beside", "-q"]) == 0
    capsys.readouterr()
    for words, told in (
        (["upgrade", "1.2.0", "tea@1.1.0"], "has no pin of its own"),
        (["upgrade", "1.2.0", "tea@1.1.0", "--beside"], "Name the upstream: tea."),
    ):
        assert main(words) == 2
        assert told in capsys.readouterr().err
