"""A plain folder as upstream: its links lead to nothing that is pulled."""

from __future__ import annotations

from pathlib import Path

import pytest
from folders import read_tree, write_tree
from repositories import DOCS
from runs import run_at

from pipeline.errors import UpstreamError
from pipeline.folders import Folders
from pipeline.run import Run
from pipeline.stages.pull.stage import pull


def run_from(root: Path, docs: Folders = DOCS) -> Run:
    """Return a run whose upstream is the folder ``plain`` of ``root``."""
    (root / "project").mkdir()
    return run_at(root / "project", url=str(root / "plain"), docs=docs)


@pytest.mark.parametrize("name", ["docs", "a/docs"])
@pytest.mark.parametrize("target", ["secrets", "chain"])
def test_a_folder_that_is_a_link_out_is_refused(
    name: str, target: str, tmp_path: Path
) -> None:
    write_tree(tmp_path / "secrets", {"secret.md": "# Secret\n"})
    (tmp_path / "chain").symlink_to(tmp_path / "secrets")
    place = tmp_path / "plain" / name
    place.parent.mkdir(parents=True)
    place.symlink_to(tmp_path / target)
    run = run_from(tmp_path, Folders((name,)))
    with pytest.raises(UpstreamError, match="as a link to a folder elsewhere"):
        pull(run)
    assert not list(run.settings.root.rglob("secret*"))


def test_a_link_to_another_folder_of_the_upstream_is_followed(tmp_path: Path) -> None:
    write_tree(tmp_path / "plain", {"text/a.md": "# A\n"})
    (tmp_path / "plain" / "docs").symlink_to("text")
    run = run_from(tmp_path)
    pull(run)
    assert list(read_tree(run.paths.docs)) == ["a.md"]


def test_links_in_the_folder_are_left_out(tmp_path: Path) -> None:
    write_tree(tmp_path / "secrets", {"secret.md": "# Secret\n"})
    docs = tmp_path / "plain" / "docs"
    write_tree(docs, {"a.md": "# A\n"})
    (docs / "b.md").symlink_to(tmp_path / "secrets" / "secret.md")
    (docs / "c.md").symlink_to("b.md")
    (docs / "folder").symlink_to(tmp_path / "secrets")
    (docs / "circle").symlink_to("circle")
    run = run_from(tmp_path)
    pull(run)
    assert list(read_tree(run.paths.docs)) == ["a.md"]
