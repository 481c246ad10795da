"""What pages include from outside of the docs folder: pulled by the door of all that is pulled."""

from __future__ import annotations

import io
import tomllib
from pathlib import Path

import pytest
from folders import read_tree, write_tree
from msgspec import structs
from repositories import DOCS, commit_release, git, init_repository
from runs import run_at

from pipeline import limits
from pipeline.core.pin.lock import Included, Lock
from pipeline.log import Log
from pipeline.run import Run
from pipeline.stages.pull.stage import pull, read_at, read_pulled

DATA = Path(__file__).parent / "data" / "inclusion.toml"
TABLE = tomllib.loads(DATA.read_text(encoding="utf-8"))
FILES = {path: text.encode() for path, text in TABLE["files"].items()}
HOSTILE: str = TABLE["hostile"]
OUTSIDE = ["NEWS.md", "OTHER.rst", "code/notes.md", "code/oven.py", "more/OLD.md"]


@pytest.fixture
def output() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def plain(tmp_path: Path, output: io.StringIO) -> Run:
    """A run whose upstream is the folder ``origin``."""
    (tmp_path / "project").mkdir()
    run = run_at(tmp_path / "project", url=str(tmp_path / "origin"), docs=DOCS)
    return structs.replace(run, log=Log(stream=output, environ={}))


def outside(run: Run) -> dict[str, bytes]:
    """Return what was pulled from outside of the docs folder, by its place."""
    return read_tree(run.paths.docs / "_outside")


@pytest.fixture(params=["plain", "local", "remote"])
def run(request: pytest.FixtureRequest, tmp_path: Path, plain: Run) -> Run:
    origin = tmp_path / "origin"
    if request.param == "plain":
        write_tree(origin, FILES)
        return plain
    init_repository(origin)
    commit_release(origin, "v1", FILES)
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    scheme = "" if request.param == "local" else "file://"
    upstream = structs.replace(plain.upstream, url=f"{scheme}{origin}")
    return structs.replace(plain, upstream=upstream)


def check(lock: Lock) -> None:
    """Assert that a lock says what there is to say of ``FILES``."""
    assert lock.included == (
        Included(page="_outside/NEWS", within=("news",)),
        Included(page="_outside/OTHER", within=("deep/page",)),
        Included(page="_outside/more/OLD", within=("news",)),
        Included(page="parts/part", within=("guide",)),
    )
    assert lock.excluded == ("README", "_outside/code/notes", "parts/lone")


def test_what_pages_include_is_pulled(run: Run, output: io.StringIO) -> None:
    lock = pull(run)
    check(lock)
    assert outside(run) == {place: FILES[place] for place in OUTSIDE}
    told = "not published as pages, because upstream's conf.py excludes them: README, parts/lone\n"
    assert output.getvalue().count(told) == 1
    assert read_pulled(run) == lock
    # Of a checkout that is whole nothing is asked again.
    assert pull(run) == lock
    assert set(read_at(run).documents) >= {"_outside/NEWS.md", "news.md"}


@pytest.mark.parametrize("is_git", [False, True])
def test_nothing_comes_from_outside(is_git: bool, tmp_path: Path, plain: Run) -> None:
    origin = tmp_path / "origin"
    write_tree(tmp_path, {"secret.md": "secret", "away/secret.md": "secret"})
    hidden = {".hidden.md": b"secret", "folder.md/a.md": b"a"}
    if is_git:
        init_repository(origin)
    write_tree(origin, {"docs/a.md": HOSTILE, **hidden})
    (origin / "link.md").symlink_to("../secret.md")
    (origin / "linked").symlink_to("../away")
    if is_git:
        git(origin, "add", "-A")
        git(origin, "commit", "-q", "-m", "all")
    assert [file.path for file in pull(plain).files] == ["a.md"]
    assert read_tree(plain.paths.docs) == {"a.md": HOSTILE.encode()}


def test_a_root_that_is_a_link_may_be_one(tmp_path: Path, plain: Run) -> None:
    write_tree(tmp_path / "real", FILES)
    (tmp_path / "origin").symlink_to("real")
    check(pull(plain))


def test_what_is_too_large_or_too_many_is_left_out(
    tmp_path: Path, plain: Run, output: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "INCLUDED_BYTES", 20)
    monkeypatch.setattr(limits, "INCLUDED_FILES", 2)
    includes = "\n".join(f"```{{include}} ../{name}.md\n```" for name in "abc")
    files = {"docs/x.md": includes, "a.md": "a" * 30, "b.md": "b", "c.md": "c"}
    write_tree(tmp_path / "origin", files)
    pull(plain)
    assert outside(plain) == {"b.md": b"b"}
    assert "_outside/a.md: too large to be included, left out" in output.getvalue()


def test_files_that_include_each_other_come_to_an_end(
    tmp_path: Path, plain: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "INCLUDED_READINGS", 2)
    files = {
        "docs/x.md": "```{include} ../a.md\n```\n",
        "a.md": "```{include} ../b.md\n```\n```{include} ../a.md\n```\n",
        "b.md": "```{include} ../a.md\n```\n```{include} ../c.md\n```\n",
        "c.md": "```{include} ../d.md\n```\n",
        "d.md": "words",
    }
    write_tree(tmp_path / "origin", files)
    pull(plain)
    assert sorted(outside(plain)) == ["a.md", "b.md", "c.md"]


def test_upstreams_folder_of_that_name_is_refused(tmp_path: Path, plain: Run) -> None:
    files = {
        "docs/_outside/a.md": "# A\n",
        "docs/x.md": "# X\n\n```{include} ../b.md\n```\n",
        "b.md": "# B\n",
    }
    write_tree(tmp_path / "origin", files)
    lock = pull(plain)
    assert [page.name for page in lock.pages] == ["_outside/b", "x"]
    (refused,) = lock.refused
    assert refused.path == "_outside/a.md"
    assert "is kept for files from outside of the docs" in refused.rule


def test_a_local_clone_may_lack_the_file(tmp_path: Path, plain: Run) -> None:
    origin = init_repository(tmp_path / "origin")
    commit_release(origin, "v1", FILES)
    blob = git(origin, "rev-parse", "v1:NEWS.md")
    # Loose objects lie in a folder by the first two digits.
    (origin / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    lock = pull(plain)
    assert "NEWS.md" not in outside(plain)
    assert not any("news" in one.within for one in lock.included)
