"""Paths in any form: where a command runs, and how its paths are written, changes no result."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import chdir
from pathlib import Path

import pytest
from folders import copy_project, read_tree
from in_process import run_in
from msgspec import Struct
from repositories import git

from pipeline.commands import serve
from pipeline.commands.serve.desk import Desk
from pipeline.run import Run

COMMANDS = {
    "build": "build sample --no-execute",
    "sync": "sync sample --no-execute",
    "status": "status sample",
    "check": "check",
    "check a folder": "check translations/zh_CN/sample",
    "check a file": "check translations/zh_CN/sample/arrays.po",
    "memory": "memory verify sample",
    "cache": "cache verify",
    "export": "export sample --to build/exported",
    "import a folder": "import --name sample translations/zh_CN/sample",
    "import a file": "import --name sample translations/zh_CN/sample/arrays.po",
    "upgrade": "upgrade latest sample --dry-run",
    "review": "review HEAD",
    "adopt": "adopt --dry-run upstream/sample/arrays.md sample",
    "draft": "draft sample --stub",
    "init": "init build/own --name lamps --url https://example.org/lamps "
    "--from someone/docs@v1 --json",
    "serve": "serve sample translations/zh_CN/sample/arrays.po",
}

SITE = {
    "site": "site lamps --no-execute",
    "verify-site": "verify-site build/site/lamps",
}


PLACE = re.compile("(translations|upstream|build)/")


class Form(Struct, frozen=True):
    """A place for the project, a folder to run in, and the spelling of a path from there."""

    root: Path
    folder: Path
    spell: Callable[[Path], str]


def spell_absolute(path: Path) -> str:
    return str(path)


def spell_plain(path: Path) -> str:
    return os.path.relpath(path)


def spell_with_slash(path: Path) -> str:
    return f"./{os.path.relpath(path)}{'/' if path.is_dir() else ''}"


def named(root: Path, name: str) -> Form:
    moved = root.with_name(name)
    root.rename(moved)
    return Form(moved, moved, spell_absolute)


def linked(root: Path) -> Form:
    link = root.with_name("link")
    link.symlink_to(root, target_is_directory=True)
    return Form(link, link, spell_absolute)


def inside_link(root: Path) -> Form:
    """A folder that is reached by a link from elsewhere, so that ".." leads to another place."""
    link = root.with_name("link")
    link.symlink_to(root / "translations", target_is_directory=True)
    return Form(root, link, spell_absolute)


def worktree(root: Path) -> Form:
    other = root.with_name("tree")
    git(root, "worktree", "add", "-q", str(other))
    for folder in ("translations", "build", "upstream"):
        shutil.copytree(root / folder, other / folder, dirs_exist_ok=True)
    return Form(other, other, spell_plain)


FORMS: dict[str, Callable[[Path], Form]] = {
    "absolute": lambda root: Form(root, root.parent, spell_absolute),
    "parent": lambda root: Form(root, root.parent, spell_plain),
    "subfolder": lambda root: Form(root, root / "translations", spell_plain),
    "beside": lambda root: Form(root, root / "translations" / "zh_CN", spell_with_slash),
    "spaces": lambda root: named(root, " my  docs"),
    "NFC": lambda root: named(root, "中文 \u00e9"),
    "NFD": lambda root: named(root, "中文 e\u0301"),
    "link": linked,
    "inside a link": inside_link,
    "worktree": worktree,
}


def results(form: Form, commands: Mapping[str, str]) -> dict[str, tuple[int, str]]:
    """Return the exit code and the output of every command, without the form's own paths."""
    found: dict[str, tuple[int, str]] = {}
    for name, line in commands.items():
        with chdir(form.folder), pytest.MonkeyPatch.context() as patch:
            spelled = [
                form.spell(form.root / word) if PLACE.match(word) else word for word in line.split()
            ]
            config = form.spell(form.root / "pyproject.toml")
            patch.setattr(serve, "_serve", show_first)
            ended = run_in(form.folder, *spelled, "--config", config)
        # Long lines are wrapped, also inside a path with spaces.
        text = " ".join(ended.stdout.split())
        text = re.sub(r"[0-9.]+ s\b", "… s", text)
        # Some messages leave out the "./" of a path.
        normal = map(os.path.normpath, spelled)
        for path in (*spelled, *normal, str(form.root), str(form.root.resolve())):
            text = text.replace(" ".join(path.split()), "…") if "/" in path else text
        found[name] = (ended.returncode, text)
    return found


def show_first(_: Run, make: Callable[[], Desk], *__: object, **___: object) -> None:
    """Print the page that the browser would open, instead of serving until interrupted."""
    desk = make()
    print(desk._first, desk.frame(desk._first).count("data-block"))


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One synced page of the sample in a repository of git: to be copied, not changed."""
    root = tmp_path_factory.mktemp("plain") / "project"
    copy_project(root)
    kept = re.compile(r"/(arrays\.|images/|src/|glossary/|sample\.)")
    for path in (*(root / "upstream").rglob("*"), *(root / "translations").rglob("*")):
        if path.is_file() and not kept.search(path.as_posix()):
            path.unlink()
    assert run_in(root, "sync", "sample", "--no-execute").returncode == 0
    git(root, "init", "-q")
    git(root, "add", "--all")
    git(root, "commit", "-qm", "All")
    return root


@pytest.fixture
def copied(plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(plain, tmp_path / "project", symlinks=True))


@pytest.fixture(scope="session")
def expected(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    root = tmp_path_factory.mktemp("expected") / "project"
    shutil.copytree(plain, root, symlinks=True)
    return results(Form(root, root, spell_plain), COMMANDS)


@pytest.mark.parametrize("form", FORMS)
def test_any_form_of_path(form: str, copied: Path, expected: dict[str, tuple[int, str]]) -> None:
    made = FORMS[form](copied)
    before = read_tree(made.root / "translations")
    assert results(made, COMMANDS) == expected
    assert read_tree(made.root / "translations") == before


@pytest.fixture(scope="session")
def expected_site(
    published: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, tuple[int, str]], dict[str, bytes]]:
    folder = tmp_path_factory.mktemp("expected-site")
    shutil.copytree(published, folder, symlinks=True, dirs_exist_ok=True)
    root = folder / "project"
    return site_results(Form(root, root, spell_plain))


def site_results(form: Form) -> tuple[dict[str, tuple[int, str]], dict[str, bytes]]:
    """Build and verify a site; return what is printed, and the files of the site."""
    shutil.rmtree(form.root / "build")
    found = results(form, SITE)
    return found, read_tree(form.root / "build" / "site")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["subfolder", "spaces", "NFD", "link", "worktree"])
def test_a_site_is_the_same_from_a_path_in_any_form(
    form: str,
    published: Path,
    expected_site: tuple[dict[str, tuple[int, str]], dict[str, bytes]],
    tmp_path: Path,
) -> None:
    shutil.copytree(published, tmp_path, symlinks=True, dirs_exist_ok=True)
    printed, files = site_results(FORMS[form](tmp_path / "project"))
    assert {name: code for name, (code, _) in printed.items()} == dict.fromkeys(SITE, 0)
    assert (printed, files) == expected_site
