"""Project in git with a site of its last commit, beside the repository with its English."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path

from catalog_files import edit_catalog
from folders import write_tree
from msgspec.structs import replace
from notebooks import code, notebook, prose
from repositories import commit_release, git, init_repository

from pipeline.cli import main
from pipeline.entries import Entry

DOCS = {
    "docs/index.md": "# Lamps\n\nSee [the lamp](lamp.ipynb).\n\n```python\nimport lamp\n```\n",
    "docs/lamp.ipynb": notebook(prose("Some words."), code("lamp.on(6)")),
    "docs/rest.rst": "Rest\n====\n\nSee :doc:`index`.\n",
}
CONFIGURATION = """\
[tool.pipeline.upstreams.lamps]
url = "../english"
ref = "v1"
docs = "docs"
"""
IGNORED = "build/\nupstream/lamps/\nupstream/.*\ntranslations/zh_CN/\n"


def translate(project: Path, page: str, **texts: str) -> None:
    """Put a translation into each entry that begins with a word."""

    def translated(entry: Entry) -> Entry:
        return replace(entry, msgstr=texts.get(entry.msgid.split(" ")[0], entry.msgstr))

    catalog = project / "translations" / "zh_CN" / "lamps" / f"{page}.po"
    edit_catalog(catalog, translated)


def publish(folder: Path) -> None:
    """Make ``project/`` and ``english/`` in a folder; build the project's site."""
    commit_release(init_repository(folder / "english"), "v1", DOCS)
    project = init_repository(folder / "project")
    write_tree(project, {"pyproject.toml": CONFIGURATION, ".gitignore": IGNORED})
    with chdir(project):
        assert main(["sync", "--no-execute", "-q"]) == 0
        translate(project, "index", Lamps="灯", See="见[灯](lamp.ipynb)。")
        translate(project, "lamp", Some="一些词语。")
        assert main(["build", "--no-execute", "-q"]) == 0
        git(project, "add", "-A")
        git(project, "commit", "-qm", "Translate")
        assert main(["site", "--no-execute", "-q"]) == 0
