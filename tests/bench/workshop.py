"""The scratch folder of a bench.

It has a project of ours, upstream's docs in it, and an upstream of our own where a paragraph can be
edited.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.measure import Contender, run_contender

PROJECT = Path(__file__).resolve().parent.parent.parent
PIPELINE = (sys.executable, "-m", "pipeline")
LOCALE = "zh_CN"
VARIABLE = "JAX_DOCS_UPSTREAM"
BRANCH = "main"
WORD = "新"  # at the end of a changed translation, as often as it was changed
Prepare = Callable[[int], None]  # gets the number of the round

_GIT = (
    *"git -c user.name=bench -c user.email=bench@example.invalid".split(),
    *"-c commit.gpgsign=false".split(),
)
_FENCES = ("```", "~~~", ":::")
_PROSE = re.compile(r"[A-Za-z][^\n]{39,}[a-z.]")
_CONFIGURATION = """\
[dependency-groups]
jax = ["jax=={jax}", "jaxlib=={jax}"]

[tool.pipeline]
locales = ["{locale}"]

[tool.pipeline.upstreams.{name}]
url = "{url}"
ref = "{ref}"
docs = "docs"
"""


def freeze_code(folder: Path) -> None:
    """Let every child run a copy of the package, in ``folder``.

    An edit halfway through a bench must not change what is measured.
    """
    for package in (PROJECT / "pipeline", PROJECT / "tests" / "bench"):
        shutil.copytree(
            package, folder / package.name, ignore=shutil.ignore_patterns("__pycache__")
        )
    os.environ["PYTHONPATH"] = str(folder)


def run(folder: Path, *command: str) -> None:
    """Run something that is not measured. Raises CommandError."""
    run_contender(Contender(name="", commands=(command,), folder=folder))


def fill(catalogs: Path) -> None:
    """Translate every entry of every catalogue below a folder, with stand-ins."""
    run(catalogs.parent, sys.executable, "-m", "bench.catalogs", "fill", str(catalogs))


def change_translation(catalog: Path, number: int) -> None:
    """Change one translation of a catalogue, in every round to another one."""
    command = (sys.executable, "-m", "bench.catalogs", "change", str(catalog))
    run(catalog.parent, *command, WORD * number)


class Root(Struct, frozen=True):
    """A project of ours, in a scratch folder, with one upstream called ``name``."""

    path: Path
    name: str

    @classmethod
    def real(cls, path: Path) -> Root:
        """With the project's own configuration: the upstream ``jax``."""
        path.mkdir(parents=True)
        shutil.copy(PROJECT / "pyproject.toml", path)
        return cls(path, "jax")

    @classmethod
    def scratch(cls, path: Path, *, url: Path, ref: str, jax: str) -> Root:
        """With an upstream of our own, called ``docs``."""
        path.mkdir(parents=True)
        text = _CONFIGURATION.format(
            jax=jax, locale=LOCALE, name="docs", url=url.as_posix(), ref=ref
        )
        (path / "pyproject.toml").write_text(text, encoding="utf-8")
        return cls(path, "docs")

    @property
    def docs(self) -> Path:
        return self.path / "upstream" / self.name

    @property
    def catalogs(self) -> Path:
        return self.catalogs_in(LOCALE)

    def catalogs_in(self, locale: str) -> Path:
        return self.path / "translations" / locale / self.name

    def built(self, locale: str) -> Path:
        """What was made of the pages: ``merged``, ``executed``, ``html``."""
        return self.path / "build" / locale / self.name

    def command(self, verb: str, *options: str) -> tuple[str, ...]:
        return (*PIPELINE, verb, self.name, *options)

    def run(self, verb: str, *options: str) -> None:
        run(self.path, *self.command(verb, *options))

    def contender(self, name: str, verb: str, *options: str, **fields: Any) -> Contender:
        """A command of ours under measurement. ``fields`` are further ones of the contender."""
        command = self.command(verb, *options)
        return Contender(name=name, commands=(command,), folder=self.path, **fields)

    def forget(self) -> None:
        """As after a first pull: no catalogues, no memory, nothing built; the git cache stays."""
        remove(self.path / "translations")
        build = self.path / "build"
        remove_all(made for made in build.glob("*") if made.name != "cache")
        self.forget_caches()

    def forget_caches(self) -> None:
        """Remove what is cached, but for the git cache."""
        for cached in (self.path / "build" / "cache").glob("*"):
            if cached.name != "git":
                remove(cached)


def make_upstream(folder: Path, docs: Path) -> None:
    """A git repository at ``folder`` with one commit: ``docs`` in its folder ``docs``."""
    shutil.copytree(docs, folder / "docs")
    run(folder, *_GIT, "init", "--quiet", f"--initial-branch={BRANCH}")
    (folder / ".git" / "info" / "exclude").write_text("/.printed\n", encoding="utf-8")
    commit(folder)


def commit(folder: Path) -> None:
    """Commit whatever was edited in the upstream at ``folder``."""
    run(folder, *_GIT, "add", "--all", "--force", "docs")
    run(folder, *_GIT, "commit", "--quiet", "--allow-empty", "--message=bench")


def copy_pages(docs: Path, target: Path, *suffixes: str) -> None:
    """Copy the files whose names end so, and nothing else."""
    for page in (path for suffix in suffixes for path in docs.rglob(f"*{suffix}")):
        copy = target / page.relative_to(docs)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, copy)


def page_to_edit(docs: Path) -> str:
    """The Markdown page of median size that can be edited.

    It has a paragraph to edit, and no notebook has the same name.
    """
    pages = [
        page
        for page in docs.rglob("*.md")
        if not page.with_suffix(".ipynb").exists()
        and edit_paragraph(page.read_text(encoding="utf-8"), 1)
    ]
    pages.sort(key=lambda page: (page.stat().st_size, page))
    if not pages:
        raise FileNotFoundError(f"no Markdown page with a paragraph below {docs}")
    return pages[len(pages) // 2].relative_to(docs).as_posix()


def edit_paragraph(text: str, number: int) -> str:
    """``text`` with a few words added to the first line of its first paragraph.

    Fences do not count; empty if there is no paragraph.
    """
    lines = text.split("\n")
    is_open = lines[0] == "---" or lines[0].startswith(_FENCES)  # front matter, or code
    for index, line in enumerate(lines[1:], 1):
        if line.lstrip().startswith(_FENCES) or (line == "---" and is_open):
            is_open = not is_open
        if not is_open and not lines[index - 1].strip() and _PROSE.fullmatch(line):
            words = line.split(" ")
            words.insert(len(words) // 2, f"(edited {number})")
            return "\n".join((*lines[:index], " ".join(words), *lines[index + 1 :]))
    return ""


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def remove_all(paths: Iterable[Path]) -> None:
    for path in paths:
        remove(path)
