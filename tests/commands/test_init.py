"""init: a project of one's own, from an empty folder to a site, and what it refuses."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from cases import read_tables
from folders import read_tree, write_tree
from in_process import command
from places import ROOT
from published_project import translate
from repositories import commit_release, init_repository

from pipeline.adapters.installed import Origin, origin_of
from pipeline.commands.init import FILES
from pipeline.config.reader import read_settings
from pipeline.config.settings import Upstream
from pipeline.folders import WHOLE, Folders

CASES = read_tables(__file__)
DOCS = read_tree(Path(__file__).parent / "data" / "lamps")
NAMED = "init --name lamps --url {} --docs docs"
HOSTED = "https://github.com/example/lamps"
INIT = f"{NAMED.format('../lamps')} --from someone/docs-pipeline@v1"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, beside a repository with English docs. It is the current folder."""
    commit_release(init_repository(tmp_path / "lamps"), "v1", DOCS)
    folder = tmp_path / "own"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def upstream_of(project: Path) -> Upstream:
    return read_settings(project / "pyproject.toml", environ={}).upstream(None)


def test_the_project_can_be_configured_read_and_synced(own: Path) -> None:
    command(INIT)
    upstream = upstream_of(own)
    assert (upstream.name, upstream.url) == ("lamps", "../lamps")
    assert (upstream.docs.names, upstream.package) == (("docs",), "")
    settings = read_settings(own / "pyproject.toml", environ={})
    assert settings.locales == ("zh_CN",)
    command("sync --no-execute -q")
    assert (own / "translations/zh_CN/lamps/wiring.po").is_file()
    command("check -q")


def test_the_pipeline_is_a_dependency_at_the_state_that_was_named(own: Path) -> None:
    command(INIT, "--package", "Lamp_Kit==1.2.0")
    groups = tomllib.loads((own / "pyproject.toml").read_text())["dependency-groups"]
    assert groups == {
        "pipeline": [
            "jax-docs-zh[docs] @ git+https://github.com/someone/docs-pipeline@v1",
            {"include-group": "lamp-kit"},
        ],
        "lamp-kit": ["Lamp_Kit==1.2.0"],
    }
    upstream = upstream_of(own)
    assert (upstream.package, upstream.version) == ("Lamp_Kit", "1.2.0")
    assert upstream.ref == "v1.2.0"


def test_the_workflow_calls_ours_with_what_they_ask_for(own: Path) -> None:
    command(INIT)
    workflow = yaml.safe_load((own / ".github/workflows/docs.yml").read_text())
    for job in workflow["jobs"].values():
        place, _, ref = job["uses"].partition("@")
        assert ref == "v1"
        path = ROOT / place.removeprefix("someone/docs-pipeline/")
        called = yaml.safe_load(path.read_text())
        inputs = called[True]["workflow_call"]["inputs"]
        assert set(job["with"]) <= set(inputs)
        needed: dict[str, str] = {}
        for part in called["jobs"].values():
            needed |= part["permissions"]
        assert job["permissions"] == needed
    # A page that fails stops nothing: what is published does not wait for the check.
    assert "needs" not in workflow["jobs"]["publish"]
    assert workflow["jobs"]["publish"]["if"] == "${{ github.ref == 'refs/heads/main' }}"


def test_a_second_run_writes_nothing_and_says_what_is_there(own: Path) -> None:
    command(INIT)
    before = read_tree(own)
    told = command(INIT, "--json")
    assert json.loads(told.out) == {"files": sorted(before, key=_order), "written": []}
    assert "there already: pyproject.toml\n" in told.err
    assert "nothing to write" in told.err
    assert read_tree(own) == before


def _order(name: str) -> int:
    names = [*FILES]
    return names.index(name) if name in names else len(names)


def test_nothing_is_overwritten(own: Path) -> None:
    write_tree(own, {"README.md": "Mine.\n", ".gitignore": "mine\n"})
    told = command(INIT, code=2).err
    assert read_tree(own) == {"README.md": b"Mine.\n", ".gitignore": b"mine\n"}
    assert "these files exist with other content: README.md, .gitignore;" in told
    # In the way of a file may also be a folder.
    write_tree(own, {"pyproject.toml/x": ""})
    command(INIT, code=2)


def test_a_full_disk_leaves_no_half_of_a_project(own: Path) -> None:
    (own / "translations").write_text("a file where the glossary's folder should be")
    command(INIT, code=70)
    assert list(read_tree(own)) == ["translations"]


@pytest.mark.parametrize(
    ("words", "exit_code", "told"),
    [
        (["init"], 2, "init needs to know the URL of the repository"),
        (["init", "--url", "../lamps"], 2, "init needs to know a short name"),
        (["init", "--url", "../lamps", "--name", "a"], 2, "--from"),
        ([NAMED, "--from", "nowhere"], 2, "Write it as OWNER/NAME@REF"),
        *(([INIT, *more], *rest) for more, *rest in CASES["words_that_make_no_project"]),
    ],
)
def test_words_that_make_no_project_write_nothing(
    words: list[str],
    exit_code: int,
    told: str,
    own: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert told in command(*words, code=exit_code).err
    assert read_tree(own) == {}


class Terminal(io.StringIO):
    """Answers that somebody types."""

    def isatty(self) -> bool:
        return True


def test_docs_may_lie_in_several_folders(own: Path) -> None:
    words = f"--name lamps --url {HOSTED} --from someone/docs-pipeline@v1"
    command(f"init {words} --docs a/docs --docs a/examples")
    upstream = upstream_of(own)
    assert upstream.docs == Folders(("a/docs", "a/examples"))
    assert upstream.page_url == f"{HOSTED}/blob/{{commit}}/a/{{path}}"
    for docs in ("/examples", "docs/api"):
        told = command(f"init other {words} --docs docs --docs {docs}", code=2).err
        assert "--docs cannot be used: " in told
    assert not Path("other").exists()


def test_a_terminal_is_asked(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Terminal("../lamps\n\nlamps\nsomeone/docs-pipeline@v1\n")
    monkeypatch.setattr(sys, "stdin", answers)
    asked = command("init").err
    assert "The folder of the docs in the repository [.]: " in asked
    assert upstream_of(own).docs == WHOLE


@pytest.mark.parametrize("title", ['a "b" \\ c', "x\n[tool]\ny = 1", "%{url} ${{ x }}"])
def test_words_stay_words_in_the_files(title: str, own: Path) -> None:
    command(INIT, "--title", title)
    upstream = upstream_of(own)
    assert upstream.site.title == " ".join(title.split())


TAGGED = {"commit_id": "12ab", "requested_revision": "v2"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            '{"url": "https://github.com/a/b.git", "vcs_info": {"commit_id": "12ab"}}',
            Origin(repository="a/b", ref="12ab"),
        ),
        (
            json.dumps({"url": "https://github.com/a/b", "vcs_info": TAGGED}),
            Origin(repository="a/b", ref="v2"),
        ),
        ('{"url": "https://github.com/a/b/x.whl", "archive_info": {}}', None),
        ('{"url": "file:///a/b", "dir_info": {"editable": true}}', None),
        ('{"url": "https://example.org/a/b", "vcs_info": {"commit_id": "1"}}', None),
        ("{}", None),
    ],
)
def test_the_installer_tells_the_origin(text: str, found: Origin | None) -> None:
    assert origin_of(text) == found


# --- the how-to, in an environment that has nothing but the installed package


@pytest.mark.kernel
@pytest.mark.slow
def test_from_an_empty_folder_to_a_site_with_one_translated_page(own: Path) -> None:
    """The steps of docs/your-own-docs.md, with the package as pip installs it."""
    if shutil.which("uv") is None:
        pytest.skip("uv makes the environment, in seconds")
    scratch = own.parent
    run_program("uv", "build", "--wheel", "--out-dir", str(scratch), str(ROOT))
    (wheel,) = scratch.glob("*.whl")
    run_program("uv", "venv", "--python", sys.executable, str(scratch / "venv"))
    python = scratch / "venv" / "bin" / "python"
    constraints = ("--constraint", str(ROOT / "constraints.txt"))
    install = ("uv", "pip", "install", "--python", str(python), *constraints)
    run_program(*install, f"jax-docs-zh[docs] @ {wheel.as_uri()}")
    program = (str(python.with_name("jax-docs-zh")),)
    steps = how_to()
    assert next(steps) == NAMED.format(HOSTED).split()
    run_program(*program, *INIT.split())
    for words in steps:
        run_program(*program, *words)
        if words == ["sync"]:
            lines = {"Wiring": "接线", "Two": "每盏灯都接有两根电线。"}
            translate(own, "wiring", **lines)
    page = (own / "build" / "site" / "lamps" / "wiring.html").read_text("utf-8")
    assert "每盏灯都接有两根电线。" in page
    assert ">23\n<" in page  # what its code printed
    assert "JAX" not in page
    assert "passed 1/1" in run_program(*program, "build")
    # Hints name what is there: no nox, no checkout.
    (own / "upstream" / "lamps.lock").unlink()
    ended = subprocess.run(
        [*program, "build"], capture_output=True, text=True, check=False, env=plain()
    )
    assert "jax-docs-zh pull lamps" in ended.stderr


def how_to() -> Iterator[list[str]]:
    """The commands of the how-to, in its order, without the name of the program."""
    text = (ROOT / "docs" / "your-own-docs.md").read_text("utf-8")
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        for line in block.split("\n"):
            words = shlex.split(line.removeprefix("$ "))
            if words[:1] == ["jax-docs-zh"]:
                yield words[1:]


def plain() -> dict[str, str]:
    """The environment without a way to the checkout."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run_program(*command: str) -> str:
    """Run a command that must succeed, outside of the checkout; return what it printed."""
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=plain())
    assert ended.returncode == 0, f"{command}: {ended.stdout}{ended.stderr}"
    return ended.stdout
