"""Files of upstream's whose names some system cannot hold: each is told, the others are pulled."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from folders import read_tree
from repositories import DOCS, init_repository
from runs import run_at

from pipeline.adapters.files import remove_tree
from pipeline.commands.pull import pull
from pipeline.errors import InputError
from pipeline.report.result import RunResult
from pipeline.stages.pull.stage import read_pulled

PAGE = b"# Page\n"
GOOD = ("index.md", "guide/console.md", "guide/图.md", "data/a b.csv")
BAD = {
    "aux.md": "device on Windows",
    "guide/COM1.ipynb": "device on Windows",
    "con/page.md": "device on Windows",
    "C:evil.md": "which Windows reserves",
    "guide/a|b.md": "which Windows reserves",
    "guide/a\\b.md": "which Windows reserves",
    "a\x1b[31m.md": "a control character",
    "a\nb.md": "a control character",
    "b\udcff.md": "not UTF-8",
    "folder./page.md": "which Windows drops",
    "guide/image?.png": "which Windows reserves",
}
DEEP = "d/" * 1500
LONG = "/".join(["n" * 200] * 25)  # more than any system takes as one path


def write_files(root: Path, paths: list[str]) -> None:
    """Write ``PAGE`` to each path; level by level, for some are too long as a whole."""
    for path in paths:
        *folders, name = path.split("/")
        place = os.open(root, os.O_RDONLY)
        for folder in folders:
            with suppress(FileExistsError):
                os.mkdir(folder, dir_fd=place)
            below = os.open(folder, os.O_RDONLY, dir_fd=place)
            os.close(place)
            place = below
        file = os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=place)
        os.write(file, PAGE)
        os.close(file)
        os.close(place)


def commit_files(repository: Path, paths: list[str]) -> None:
    """Commit ``PAGE`` under each path, which need not be possible on this machine."""
    stream = b"blob\nmark :1\ndata %d\n%s\n" % (len(PAGE), PAGE)
    stream += b"commit refs/heads/main\ncommitter a <a@b> 1700000000 +0000\ndata 1\nx\n"
    for path in paths:
        quoted = path.replace("\\", "\\\\").replace("\n", "\\n")
        stream += b'M 100644 :1 "docs/%s"\n' % os.fsencode(quoted)
    command = ["git", "-C", str(repository), "fast-import", "--quiet", "--force"]
    subprocess.run(command, input=stream, check=True)


@pytest.fixture(scope="module", params=["folder", "git", "url"])
def pulled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[RunResult, Path]]:
    """What ``pull`` says, and the checkout."""
    root = tmp_path_factory.mktemp("names")
    paths = [*GOOD, *BAD, f"{DEEP}deep.md", f"{LONG}/long.md"]
    origin = root / "origin"
    if request.param == "folder":
        (origin / "docs").mkdir(parents=True)
        write_files(origin / "docs", paths)
    else:
        commit_files(init_repository(origin), paths)
    url = f"file://{origin}" if request.param == "url" else str(origin)
    (root / "project").mkdir()
    run = run_at(root / "project", url=url, ref="main", docs=DOCS)
    first = pull(run, ref=None)
    # The second run finds nothing to do, and says the same.
    again = pull(run, ref=None)
    assert (again.changes, again.findings) == ((), first.findings)
    assert read_pulled(run) == first.lock
    yield first, run.paths.docs
    remove_tree(origin)  # pytest cannot


Pulled = tuple[RunResult, Path]


def test_every_other_file_is_pulled(pulled: Pulled) -> None:
    assert read_tree(pulled[1]) == dict.fromkeys(GOOD, PAGE)


def test_each_is_a_finding_that_names_it_and_the_rule(pulled: Pulled) -> None:
    found = {one.where: one for one in pulled[0].findings}
    assert len(found) == len(BAD) + 2
    for path, rule in BAD.items():
        escaped = path.encode("unicode_escape").decode("ascii")
        where = path if path.isprintable() and "\\" in path else escaped
        assert rule in found[where].text
        assert found[where].is_error == (not path.endswith(".png"))
        assert found[where].exit_code == InputError.exit_code


def test_what_lies_too_deep_is_a_finding_too(pulled: Pulled) -> None:
    rules = {one.text.partition(": ")[2]: one for one in pulled[0].findings}
    deep = rules["it lies more than 100 folders deep"]
    long = rules["the path is longer than 800 bytes"]
    assert deep.where.startswith("d/d/d/")
    assert long.where.startswith("nnn")
    # A folder that is too deep is named itself: nothing looks into it.
    assert deep.where.endswith(("/deep.md", "/"))
    assert max(len(deep.where), len(long.where)) < 200
    assert deep.is_error
    assert long.is_error
