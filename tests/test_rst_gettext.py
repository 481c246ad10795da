"""The messages of every page compared with those that Sphinx' own extractor finds: none is missed without a reason.

Needs Sphinx and JAX_DOCS_UPSTREAM. Directives of extensions that need JAX or a browser are stubs that show nothing.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polib
import pytest
from corpus import Repository

from pipeline.core.rst.split import split_rst
from pipeline.core.rst.worth import has_words
from pipeline.model import Kind

pytest.importorskip("sphinx", reason="Sphinx is not installed: it is what we compare with")
pytest.importorskip("sphinx_design", reason="sphinx-design is not installed: upstream's pages are laid out with it")
pytestmark = pytest.mark.realdocs

RELEASE = "jax-v0.10.2"
CONFIGURATION = """
import docutils.parsers.rst

class Stub(docutils.parsers.rst.Directive):
    optional_arguments = 100
    has_content = True
    option_spec = type("Any", (dict,), {"__bool__": lambda self: True, "__getitem__": lambda self, name: str})()

    def run(self):
        return []

def setup(app):
    for name in '''autosummary automodule autofunction autoclass automethod autoexception autodata
        list_config_options mermaid tagged-block testcode testoutput'''.split():
        app.add_directive(name, Stub)

extensions = ["sphinx_design", "sphinx.ext.mathjax"]
gettext_compact = False
root_doc = "index"
"""

# Why Sphinx has a message and we have none of the same text.
EXPLAINED: dict[str, Callable[[str, set[str]], bool]] = {
    "names and code only": lambda theirs, ours: not has_words(theirs),
    "it announces a literal block; our message ends in one colon": lambda theirs, ours: theirs.endswith("::") and theirs[:-1] in ours,
    "it announces a literal block behind its end": lambda theirs, ours: theirs.endswith(" ::") and theirs[:-3] in ours,
    "our title keeps the role before it": lambda theirs, ours: any(
        msgid.startswith(":") and msgid.endswith(f"` {theirs}") for msgid in ours
    ),
}


@pytest.fixture(scope="module")
def repository(jax_docs_upstream: str, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    path = tmp_path_factory.mktemp("upstream") / "docs.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", jax_docs_upstream, str(path)], check=True)
    return Repository(path)


@pytest.fixture(scope="module")
def pages(repository: Repository) -> dict[str, str]:
    """Text of every page of reStructuredText in the release, by name."""
    rows = repository.git("ls-tree", "-r", RELEASE, "--", "docs").decode().split("\n")
    blobs = {row.partition("\t")[2]: row.split()[2] for row in rows if row.endswith(".rst")}
    texts = repository.read(list(blobs.values()))
    return {path.removeprefix("docs/").removesuffix(".rst"): data.decode() for path, (_, data) in zip(blobs, texts, strict=True)}


@pytest.fixture(scope="module")
def templates(repository: Repository, pages: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What Sphinx finds on each page."""
    root = tmp_path_factory.mktemp("sphinx")
    others = {path.removeprefix("docs/").rpartition(".")[0] for path in repository.pages_at(RELEASE)} - pages.keys()
    for name, text in pages.items():
        (root / f"{name}.rst").parent.mkdir(parents=True, exist_ok=True)
        (root / f"{name}.rst").write_text(text, encoding="utf-8")
    for name in others:  # so that tables of contents that name them are complete
        (root / f"{name}.rst").parent.mkdir(parents=True, exist_ok=True)
        (root / f"{name}.rst").write_text("X\n=\n", encoding="utf-8")
    (root / "conf.py").write_text(CONFIGURATION, encoding="utf-8")
    out = root / "_out"
    subprocess.run([sys.executable, "-m", "sphinx", "-b", "gettext", "-Q", str(root), str(out)], check=True)
    return {name: _msgids(out / f"{name}.pot") for name in pages}


def _msgids(path: Path) -> list[str]:
    return [entry.msgid for entry in polib.pofile(str(path))] if path.exists() else []


def test_every_message_of_sphinx_is_found_or_explained(pages: dict[str, str], templates: dict[str, list[str]]) -> None:
    reasons: Counter[str] = Counter()
    missing: list[tuple[str, str]] = []
    total = 0
    for name, text in pages.items():
        ours = {message.msgid for message in split_rst(text).messages}
        for theirs in templates[name]:
            total += 1
            if theirs in ours:
                reasons["the same"] += 1
                continue
            why = next((reason for reason, holds in EXPLAINED.items() if holds(theirs, ours)), None)
            reasons[why or "missed"] += 1
            if why is None:
                missing.append((name, theirs))
    print(f"{RELEASE}: {len(pages)} pages, {total} messages of Sphinx': {dict(reasons)}")
    assert missing == []
    assert total > 500


def test_what_sphinx_does_not_find_is_a_title_with_a_role(pages: dict[str, str], templates: dict[str, list[str]]) -> None:
    for name, text in pages.items():
        for message in split_rst(text).messages:
            if not {message.msgid, f"{message.msgid}:", f"{message.msgid} ::"} & set(templates[name]):
                assert message.kind is Kind.TITLE, (name, message.msgid)
                assert message.msgid.startswith(":"), (name, message.msgid)
