"""Sites for tests: built ones, and those in the folders that JAX_DOCS_SITE names.

Two sites are built: that of the sample, and that of the sample in a repository that also has the
files of upstream's own Sphinx site.
"""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from filelock import FileLock
from folders import copy_project, write_file
from in_process import run_in
from inventories import inventory
from repositories import git, init_repository
from site_html import Site

from pipeline.config.reader import REPOSITORY_VARIABLE
from pipeline.paths import Paths

# Folders of built sites in their projects, …/build/site/NAME, separated as in PATH.
VARIABLE = "JAX_DOCS_SITE"
OURS = ("sample", "repository")
NAMES = (*OURS, *filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)))
# Sites to test how pages behave on. The pages of "repository" are those of "sample", except for its
# home page and links to English pages: tests of these use all sites.
SITES = tuple(name for name in NAMES if name != "repository")
NEEDED = "myst_nb sphinx_book_theme sphinx_copybutton sphinx_design".split()
NEEDED += ["sphinx-mathjax-offline"]
ENGLISH = "http://127.0.0.1:9/english/"  # nobody answers there
RAW_INCLUDE = """
```{raw} html
:file: hero.html
```

A sentence that nobody has translated yet, with {download}`a picture <images/keys.png>` in it.
"""
# What is laid out by a style sheet, and run by a tool, that no site of ours has.
UPSTREAMS_OWN = {
    "hero.html": '<div class="hero"><img src="images/keys.png"><h2>Fast and tidy</h2></div>\n',
    "conf.py": (
        'raise SystemExit("nobody runs this")\n'
        'rediraffe_redirects = {"old/arrays.md": "arrays.md", "gone.md": "missing.md"}\n'
    ),
}
LACKING = [name for name in NEEDED if find_spec(name) is None]


def get_site(name: str, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Return one of the two built sites, or the site in the folder ``name``.

    A site is built once in a run of pytest, even if several processes run tests.
    """
    if name not in OURS:
        return Site(Path(name).resolve())
    if LACKING:
        pytest.skip(f"not installed: {', '.join(LACKING)}")
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    project = shared / f"{name}-site"
    with FileLock(f"{project}.lock"):
        if not project.exists():
            _build(project, in_repository=name == "repository")
    return Site(project / "build" / "site" / "sample")


def _build(project: Path, *, in_repository: bool) -> None:
    unfinished = project.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    copy_project(unfinished)
    if in_repository:
        _move_to_repository(unfinished)
    for words in (("pull", "sample"), ("site", "sample", "--no-execute")):
        done = run_in(unfinished, *words, **{REPOSITORY_VARIABLE: "us/docs"})
        assert done.returncode == 0, done.stderr
    unfinished.rename(project)


def _move_to_repository(project: Path) -> None:
    """Move the sample to a repository with a hero, a ``conf.py`` and an inventory."""
    docs = project / "english" / "docs"
    docs.parent.mkdir()
    (project / "upstream" / "sample").rename(docs)
    for path, text in UPSTREAMS_OWN.items():
        (docs / path).write_text(text, encoding="utf-8")
    index = docs / "index.md"
    # Behind the title: after the attribution nothing else may stand between the two.
    english = index.read_text(encoding="utf-8")
    before, title, after = english.partition("# A small tour of JAX\n")
    index.write_text(f"{before}{title}{RAW_INCLUDE}{after}", encoding="utf-8")
    init_repository(docs.parent)
    git(docs.parent, "add", ".")
    git(docs.parent, "commit", "-q", "-m", "all")
    git(docs.parent, "tag", "v1")
    configuration = project / "pyproject.toml"
    text = configuration.read_text(encoding="utf-8")
    place = 'url = "english"\nref = "v1"\ndocs = "docs"'
    text = text.replace('url = "upstream/sample"', place)
    title = 'title = "JAX 小导览"'
    text = text.replace(title, f'{title}\nenglish-url = "{ENGLISH}"')
    configuration.write_text(text, encoding="utf-8")
    known = inventory("jax.jit py:function 1 api.html#$ -")
    write_file(Paths(project, "sample").inventory, known)
