"""Commits that the memory names, and upstreams that have others: a bundle, a filtered mirror."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from memory_project import FIRST, RELEASES, Project
from repositories import git, make_origin

from pipeline.core.memory.file import REFS
from pipeline.findings import Finding
from pipeline.stages.pull.stage import pull, read_pulled
from pipeline.stages.update.verification import Restamped, restamp_memory


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same releases, in commits with other ids."""
    before = {"v0": {"guide.md": "# An older page\n"}}
    folder = tmp_path_factory.mktemp("upstream") / "mirror"
    return make_origin(folder, before | RELEASES)


@pytest.fixture
def project(tmp_path: Path, stored: Project) -> Project:
    """A project whose catalogues of v1 are translated and stored."""
    return stored.copy(tmp_path / "project")


def restamp(project: Project) -> Restamped:
    return restamp_memory(project.run, read_pulled(project.run))


def commit(repository: Path, ref: str) -> str:
    return git(repository, "rev-parse", ref)


def test_the_ref_of_the_header_serves_where_the_commit_cannot_be_had(
    project: Project, mirror: Path
) -> None:
    copy = Project(project.root, str(mirror))
    copy.clone()
    assert copy.sync("v2").codes == []
    # With its previous English, which stands at v1 only.
    entry = copy.entry("guide", "three drawers")
    assert entry.fuzzy
    assert entry.previous is not None
    assert "two drawers" in entry.previous
    assert copy.verify() == ()


def test_commits_of_notes_are_known_by_their_refs_too(
    project: Project, origin: Path, mirror: Path
) -> None:
    project.sync("v2")
    project.sync("v3")
    assert f"seen: {commit(origin, 'v1')}" in project.text("guide")
    refs = f'"{REFS}: {commit(origin, "v1")}=v1'
    assert refs in project.text("guide")
    before = project.trees
    copy = Project(project.root, str(mirror))
    copy.clone()
    assert copy.sync("v3").codes == []
    assert copy.trees == before
    assert copy.verify() == ()


def test_a_memory_without_refs_stays_as_it_is(project: Project, origin: Path) -> None:
    """One that was written before refs were kept: nothing changes in it by itself."""
    project.sync("v2")
    text = re.sub(rf'"{REFS}: [^"]*"\n', "", project.text("guide"))
    assert text != project.text("guide")
    project.memory("guide").write_text(text, "utf-8")
    project.clone()
    project.sync("v2")
    project.translate("guide", "Glue", "胶水")
    project.sync("v2")
    assert REFS not in project.text("guide")
    assert "胶水" in project.text("guide")


def test_a_ref_that_is_another_page_by_now_does_not_serve(project: Project) -> None:
    other = {"guide.md": FIRST["guide.md"].replace("Glue dries", "Glue always dries")}
    releases = {"v1": FIRST | other, "v2": RELEASES["v2"]}
    copy = project.moved_to("moved", releases)
    copy.clone()
    pull(copy.run, ref="v2")
    (finding,) = restamp(copy).findings
    assert finding.code == "memory-commit-unknown"
    assert finding.where == "translations/memory/zh_CN/docs/guide.po:1"
    assert copy.sync("v2").codes == ["memory-not-recovered"]


def test_restamping_names_the_commits_that_are_here(
    project: Project, origin: Path, mirror: Path
) -> None:
    project.sync("v2")
    before = project.trees
    copy = Project(project.root, str(mirror))
    copy.sync("v2")
    assert copy.trees == before
    result = restamp(copy)
    assert result.findings == ()
    assert sorted(result.changes) == [
        f"translations/memory/zh_CN/docs/{page}" for page in before[1]
    ]
    # Nothing but the commits has changed, and all of them have.
    expected = {}
    for page, data in before[1].items():
        for ref in ("v1", "v2"):
            data = data.replace(  # noqa: PLW2901
                commit(origin, ref).encode(), commit(mirror, ref).encode()
            )
        expected[page] = data
    assert copy.trees == (before[0], expected)
    assert restamp(copy).changes == ()
    # Catalogues and memory agree as before, in both upstreams.
    assert copy.sync("v2").changes == []
    assert copy.verify() == ()
    back = Project(project.root, str(origin))
    back.clone()
    assert back.sync("v2").codes == []
    assert back.trees == (before[0], expected)


def test_restamping_leaves_known_commits_and_reports_others(project: Project) -> None:
    assert restamp(project) == Restamped()
    before = project.trees
    releases = {"v9": {"guide.md": "# Another page\n"}}
    copy = project.moved_to("elsewhere", releases)
    pull(copy.run, ref="v9")
    found: tuple[Finding, ...] = restamp(copy).findings
    assert [finding.code for finding in found] == ["memory-commit-unknown"] * 3
    assert "no ref here has the same page" in found[0].text
    assert "v1" in found[0].hint
    assert copy.trees[1] == before[1]


@pytest.mark.parametrize("ref", ["--upload-pack=touch x", "../../x", "v1;x", "{}"])
def test_a_ref_from_a_stranger_is_only_ever_a_name(
    project: Project, mirror: Path, ref: str
) -> None:
    text = project.text("guide")
    text = text.replace("X-Upstream-Ref: v1", f"X-Upstream-Ref: {ref}")
    project.memory("guide").write_text(text, "utf-8")
    copy = Project(project.root, str(mirror))
    copy.clone()
    assert copy.sync("v2").codes == ["memory-not-recovered"]
    assert not (project.root / "x").exists()
