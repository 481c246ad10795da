"""``verify-site`` on a small site: as it was built, changed by others, old, and on other things."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from in_process import Told, command
from published_project import CONFIGURATION, translate
from repositories import commit_release, git
from servers import served

from pipeline.site.manifest import digest_of_file

pytestmark = pytest.mark.slow  # all look at a site that Sphinx makes

CLEAN, RAN = "_downloads/clean/lamp.ipynb", "_downloads/lamp.ipynb"
RST = "_downloads/source/rest.rst"
OUTPUT = '{"output_type": "stream", "name": "stdout", "text": "x"}'


class Copy:
    """A copy of a site that a test may change, with the project that it was built in."""

    def __init__(self, project: Path, folder: Path) -> None:
        self.project = project
        self.folder = folder

    def verify(self, address: Path | str = "", *options: str, code: int = 0) -> Told:
        config = self.project / "pyproject.toml"
        site = address or self.folder
        return command("verify-site", site, "--config", config, *options, code=code)

    @property
    def manifest(self) -> Any:
        return json.loads((self.folder / "freshness.json").read_bytes())

    def write_manifest(self, value: Any) -> None:
        (self.folder / "freshness.json").write_text(json.dumps(value), "utf-8")

    def change(self, path: str, old: str, new: str, *, carefully: bool = True) -> None:
        """Change a file; ``carefully``, also what the site says of it."""
        file = self.folder / path
        text = file.read_text("utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), "utf-8")
        if carefully:
            self.tell(path)

    def tell(self, path: str) -> None:
        """Let the site tell of a file as it is now."""
        value = self.manifest
        name = path.removeprefix("_downloads/clean/").removeprefix("_downloads/source/")
        page = name.removeprefix("_downloads/").rpartition(".")[0]
        (row,) = (row for row in value["pages"] if row["page"] == page)
        row["files"][path] = digest_of_file((self.folder / path).read_bytes())
        self.write_manifest(value)

    def add_executed(self) -> None:
        """A notebook with outputs, as a build that runs code publishes it."""
        notebook = json.loads((self.folder / CLEAN).read_bytes())
        cell = next(c for c in notebook["cells"] if c["cell_type"] == "code")
        output = {"output_type": "stream", "name": "stdout", "text": "42\n"}
        cell |= {"outputs": [output], "execution_count": 1}
        (self.folder / RAN).write_text(json.dumps(notebook, ensure_ascii=False), "utf-8")
        self.tell(RAN)


@pytest.fixture
def site(tmp_path: Path, published: Path) -> Copy:
    folder = shutil.copytree(published, tmp_path / "copy", symlinks=True)
    shutil.copytree(folder / "project/build/site/lamps", tmp_path / "site")
    found = Copy(folder / "project", tmp_path / "site")
    found.add_executed()
    return found


def test_a_site_as_it_was_built_is_proved(site: Copy) -> None:
    said = site.verify("", "-v").out
    assert "3 of 3 pages were reproduced from the two commits" in said
    assert "✓ lamp.ipynb" in said
    assert "✗" not in said


def test_an_old_site_is_proved(site: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Upstream, the pin and the translations have moved since."""
    monkeypatch.chdir(site.project)
    index = "# Lamps\n\nOther words.\n"
    commit_release(site.project.parent / "english", "v2", {"docs/index.md": index})
    command("upgrade v2 --no-execute -q")
    translate(site.project, "index", Lamps="灯具")
    command("build --no-execute -q")
    git(site.project, "add", "-A")
    git(site.project, "commit", "-qm", "Upgrade")
    shutil.rmtree(site.project / "build")
    (site.project / "pyproject.toml").write_text(f"{CONFIGURATION}# edited\n")
    with served(site.folder) as address:
        told = site.verify(address, "--json").json
    assert (told["exit_code"], told["upstream"], told["ref"]) == (0, "lamps", "v1")
    assert (len(told["pages"]), told["missing"]) == (3, [])
    # Verifying writes nothing here.
    assert not (site.project / "build").exists()
    # The server is gone by now.
    assert "cannot be read" in site.verify(address, code=3).err


@pytest.mark.parametrize(
    ("path", "old", "new", "told"),
    [
        # One character of a cell of code, in each place that has it.
        (CLEAN, "on(6)", "on(7)", f"✗ lamp.ipynb\n    {CLEAN}, cell 3: line 1 is"),
        (RAN, "on(6)", "on(7)", f"{RAN}, cell 3"),
        ("index.md", "import lamp", "import lump", "index.md: line"),
        # A link, in prose and outside it; and prose itself.
        ("index.md", "(lamp.ipynb)", "(lump.ipynb)", "(lump.ipynb)"),
        (RST, ":doc:`", ":dac:`", "✗ rest.rst"),
        (RAN, "词语", "字语", f"{RAN}, cell 2"),
        # What is only in the clean notebook.
        (
            CLEAN,
            '"outputs": []',
            '"outputs": [{}]',
            "has fields that a notebook cannot have",
        ),
        (CLEAN, '"outputs": []', f'"outputs": [{OUTPUT}]', "has outputs"),
        (CLEAN, '"metadata": {', '"metadata": {"a": 1, ', f"    {CLEAN}"),
    ],
)
def test_a_forged_file(site: Copy, path: str, old: str, new: str, told: str) -> None:
    site.change(path, old, new)
    said = site.verify(code=1).out
    assert told in said
    assert "2 of 3 pages" in said


@pytest.mark.parametrize(("path", "old", "new"), [(RAN, "42", "43"), ("index.md", "灯", "火")])
def test_another_file_than_was_built(site: Copy, path: str, old: str, new: str) -> None:
    """Also outputs, which are no one's but the run's: their digest is all there is."""
    site.change(path, old, new, carefully=False)
    told = f"{path}: is not the file that freshness.json lists"
    assert told in site.verify(code=1).out


@pytest.mark.parametrize("path", [CLEAN, RAN, RST, "index.md"])
def test_a_missing_file_is_told(site: Copy, path: str) -> None:
    (site.folder / path).unlink()
    assert f"{path}: is missing" in site.verify(code=1).out


def test_what_cannot_be_read_is_told_and_stops_no_other(site: Copy) -> None:
    (site.folder / CLEAN).write_bytes(b"{")
    (site.folder / "index.md").write_bytes(b"\xff")
    for path in (CLEAN, "index.md"):
        site.tell(path)
    said = site.verify(code=1).out
    assert "index.md: line 1 is" in said
    assert "1 of 3 pages" in said


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"files": {}}, "lamp.ipynb: cannot be downloaded from the site"),
        ({"blob": "0" * 40}, "lamp.ipynb: is no document of this commit"),
        ({"source": "lump.md"}, "lump.md: is no document of this commit"),
    ],
)
def test_wrong_facts_about_a_page(site: Copy, facts: dict[str, object], told: str) -> None:
    value = site.manifest
    assert value["pages"][1]["page"] == "lamp"
    value["pages"][1] |= facts
    site.write_manifest(value)
    assert told in site.verify(code=1).out


def test_a_part_of_a_site_is_proved_and_says_that_it_is_one(site: Copy) -> None:
    value = site.manifest
    del value["pages"][0]
    site.write_manifest(value)
    assert "1 page of the commit not on the site" in site.verify().out


@pytest.mark.parametrize(
    ("key", "value", "code", "told"),
    [
        ("locale", "xx", 2, "which its project does not configure"),
        ("project", "e" * 40, 2, "git knows no commit 'eeee"),
        ("project", "--help", 4, "names no commit"),
        ("project", "", 4, "was built from uncommitted files"),
        ("upstream", {"name": "x", "ref": "", "commit": ""}, 2, "does not configure"),
        (
            "upstream",
            {"name": "lamps", "ref": "v9", "commit": "e" * 40},
            1,
            "was made from lamps at eeeeeeeeeeee, but commit",
        ),
    ],
)
def test_a_site_of_other_commits_or_another_project(
    site: Copy, key: str, value: object, code: int, told: str
) -> None:
    site.write_manifest({**site.manifest, key: value})
    assert told in site.verify(code=code).err


def test_a_commit_that_anybody_may_have_made_is_not_taken(site: Copy) -> None:
    git(site.project, "checkout", "-qb", "side")
    git(site.project, "commit", "-qm", "Side", "--allow-empty")
    commit = git(site.project, "rev-parse", "HEAD")
    git(site.project, "checkout", "-q", "main")
    site.write_manifest({**site.manifest, "project": commit})
    assert "is not in the history of what is checked out" in site.verify(code=2).err


def test_uncommitted_files(site: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(site.project)
    assert len(site.manifest["project"]) == 40
    (site.project / "pyproject.toml").write_text(f"{CONFIGURATION}# edited\n")
    command("site --no-execute -q")
    freshness = site.project / "build/site/lamps/freshness.json"
    assert json.loads(freshness.read_bytes())["project"] == ""
    git(site.project, "commit", "-qam", "Edit")
    command("site --no-execute -q")
    site.verify(str(freshness.parent))


def test_what_is_no_site_of_ours(site: Copy, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    told = site.verify(tmp_path / "empty", code=4).err
    assert "has no freshness.json: it is not a site of this pipeline" in told
    (site.folder / "freshness.json").write_text("<html>", "utf-8")
    assert "freshness.json: is not the manifest of a site" in site.verify(code=4).err
    told = site.verify(tmp_path / "gone", code=2).err
    assert "neither a folder nor a web address" in told


def test_english_that_cannot_be_had(site: Copy) -> None:
    """The proof is against upstream's own files, and not against what the site says of them."""
    shutil.rmtree(site.project.parent / "english")
    assert "does not exist" in site.verify(code=3).err
