"""``verify-site`` on the sample's site: as it was built, changed by others, and on other things."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from servers import FileHandler, served
from site_builds import get_site

from pipeline.cli import main
from pipeline.site.published import digest_of_file

pytestmark = pytest.mark.slow  # all look at a site that Sphinx makes

CLEAN, RAN = "_downloads/clean/arrays.ipynb", "_downloads/arrays.ipynb"
RST = "_downloads/source/reference.rst"
Speech = pytest.CaptureFixture[str]
Notebook = dict[str, Any]


class Copy:
    """A copy of a site that a test may change, with the project that it was built in."""

    def __init__(self, project: Path, folder: Path) -> None:
        self.project = project
        self.folder = folder

    def verify(self, address: str = "", *options: str) -> int:
        config = str(self.project / "pyproject.toml")
        site = address or str(self.folder)
        return main(["verify-site", site, "--config", config, *options])

    @property
    def manifest(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            (self.folder / "freshness.json").read_bytes()
        )
        return found

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
        (self.folder / RAN).write_text(
            json.dumps(notebook, ensure_ascii=False), "utf-8"
        )
        self.tell(RAN)


@pytest.fixture
def site(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Copy:
    built = get_site("sample", tmp_path_factory).folder
    shutil.copytree(built, tmp_path / "site")
    found = Copy(built.parents[2], tmp_path / "site")
    found.add_executed()
    return found


def test_a_site_as_it_was_built_is_proved(site: Copy, capsys: Speech) -> None:
    assert site.verify("", "-v") == 0
    said = capsys.readouterr().out
    assert "only prose differs from upstream in 9 of 9 pages" in said
    assert "✓ arrays.ipynb: code, links and all else but prose are upstream's" in said
    assert "so has the executed one" in said
    assert "✗" not in said


def test_a_site_on_a_server_is_proved(site: Copy, capsys: Speech) -> None:
    with served(site.folder) as address:
        assert site.verify(address, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["exit_code"], told["upstream"], told["missing"]) == (0, "sample", [])
    assert len(told["pages"]) == 9
    assert all(page["proved"] for page in told["pages"])


@pytest.mark.parametrize(
    ("path", "old", "new", "told"),
    [
        # One character of a cell of code, in each place that has it.
        (CLEAN, "arange(6.0)", "arange(7.0)", "✗ arrays.ipynb\n    arrays.ipynb, cell"),
        (RAN, "arange(6.0)", "arange(7.0)", f"{RAN}, cell"),
        ("guides/vmap.md", "import jax\n", "import jaz\n", "“import jaz”"),
        # A link, in prose and outside it.
        (CLEAN, "(grad.ipynb)", "(gred.ipynb)", "(gred.ipynb)"),
        (RST, ":doc:`", ":dac:`", "✗ reference.rst"),
        # What is only in the clean notebook, or not the same in both.
        (CLEAN, '"outputs": []', '"outputs": [{}]', "has outputs"),
        (RAN, "副本", "副夲", f"{RAN}, cell"),
    ],
)
def test_who_changes_a_file_and_hides_it_is_found_out(
    site: Copy, capsys: Speech, path: str, old: str, new: str, told: str
) -> None:
    site.change(path, old, new)
    assert site.verify() == 1
    said = capsys.readouterr().out
    assert told in said
    assert "in 8 of 9 pages" in said


@pytest.mark.parametrize(
    ("path", "old", "new"), [(RAN, "42", "43"), ("arrays.md", "数组", "数祖")]
)
def test_a_file_that_is_not_the_one_that_was_built_is_found(
    site: Copy, capsys: Speech, path: str, old: str, new: str
) -> None:
    """Also outputs, which are no one's but the run's: their digest is all there is."""
    site.change(path, old, new, carefully=False)
    assert site.verify() == 1
    told = f"{path}: is not the file that freshness.json tells of"
    assert told in capsys.readouterr().out


@pytest.mark.parametrize("path", [CLEAN, RAN, RST, "faq.md"])
def test_a_missing_file_is_told(site: Copy, capsys: Speech, path: str) -> None:
    (site.folder / path).unlink()
    assert site.verify() == 1
    assert f"{path}: is missing" in capsys.readouterr().out


def test_what_cannot_be_read_is_told_and_stops_no_other(
    site: Copy, capsys: Speech
) -> None:
    (site.folder / CLEAN).write_bytes(b"{")
    (site.folder / "faq.md").write_bytes(b"\xff")
    for path in (CLEAN, "faq.md"):
        site.tell(path)
    assert site.verify() == 1
    said = capsys.readouterr().out
    assert "faq.md:1: is not UTF-8" in said
    assert "in 7 of 9 pages" in said


def _drop_file(value: Any) -> None:
    del value["pages"][1]["files"][CLEAN]


def _other_blob(value: Any) -> None:
    value["pages"][1]["blob"] = "0" * 40


def _other_source(value: Any) -> None:
    value["pages"][1]["source"] = "arrays.md"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_drop_file, "arrays.ipynb: cannot be downloaded from the site"),
        (_other_blob, "arrays.ipynb: was made of another version of the document"),
        (_other_source, "arrays.md: is no document of this commit"),
    ],
)
def test_pages_that_the_site_tells_wrong_things_of(
    site: Copy, capsys: Speech, change: Callable[[Any], None], told: str
) -> None:
    value = site.manifest
    assert value["pages"][1]["page"] == "arrays"
    change(value)
    site.write_manifest(value)
    assert site.verify() == 1
    assert told in capsys.readouterr().out


def test_a_part_of_a_site_is_proved_and_says_that_it_is_one(
    site: Copy, capsys: Speech
) -> None:
    value = site.manifest
    del value["pages"][0]
    site.write_manifest(value)
    assert site.verify() == 0
    assert "1 page of the commit not on the site" in capsys.readouterr().out


def test_of_many_differences_some_are_shown(site: Copy, capsys: Speech) -> None:
    file = site.folder / CLEAN
    text = file.read_text("utf-8").replace('"outputs": []', '"outputs": [{}]')
    file.write_text(text, "utf-8")
    site.tell(CLEAN)
    assert site.verify() == 1
    assert "    and " in capsys.readouterr().out


def test_a_site_of_another_commit_is_not_looked_at(site: Copy, capsys: Speech) -> None:
    value = site.manifest
    value["upstream"] |= {"commit": "e" * 40, "ref": "v9"}
    site.write_manifest(value)
    assert site.verify() == 1
    said = capsys.readouterr().err
    assert "was made of v9 at eeeeeeeeeeee, and here is" in said
    assert "nothing was proved" in said


@pytest.mark.parametrize("key", ["locale", "name"])
def test_a_site_of_another_project(site: Copy, capsys: Speech, key: str) -> None:
    value = site.manifest
    (value if key == "locale" else value["upstream"])[key] = "xx"
    site.write_manifest(value)
    assert site.verify() == 2
    assert "which are not configured here" in capsys.readouterr().err


def test_what_is_no_site_of_ours(site: Copy, tmp_path: Path, capsys: Speech) -> None:
    (tmp_path / "empty").mkdir()
    assert site.verify(str(tmp_path / "empty")) == 4
    assert "has no freshness.json: it is no site of this project" in (
        capsys.readouterr().err
    )
    (site.folder / "freshness.json").write_text("<html>", "utf-8")
    assert site.verify() == 4
    assert "freshness.json: does not tell of a site" in capsys.readouterr().err
    assert site.verify(str(tmp_path / "gone")) == 2
    assert "neither a folder nor an address" in capsys.readouterr().err


def test_a_server_that_does_not_answer(site: Copy, capsys: Speech) -> None:
    class Sorry(FileHandler):
        def do_GET(self) -> None:  # noqa: N802 - http.server calls it so
            self.send_error(503)

    with served(site.folder, Sorry) as address:
        assert site.verify(address) == 3
    assert "freshness.json: answers 503" in capsys.readouterr().err
    assert site.verify(address) == 3
    assert "cannot be read" in capsys.readouterr().err


def test_english_that_was_not_pulled(
    site: Copy, tmp_path: Path, capsys: Speech
) -> None:
    """The proof is against upstream's own files, and not against what the site says of them."""
    shutil.copy(site.project / "pyproject.toml", tmp_path)
    assert Copy(tmp_path, site.folder).verify() == 3
    assert "nothing has been pulled yet from 'sample'" in capsys.readouterr().err
