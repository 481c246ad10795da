"""Every page as Sphinx sees it.

No message that its own extractor finds is missed without a reason, and Chinese brings no warning.
Needs Sphinx and JAX_DOCS_UPSTREAM. Directives of extensions that need JAX or a browser are stubs
that show nothing.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polib
import pytest
from repositories import Repository

from pipeline.core.document.merge import PageExtras, merge
from pipeline.core.document.message import Kind
from pipeline.core.document.reader import read_document
from pipeline.core.document.rst.blocks import has_words
from pipeline.core.document.rst.inline import marks
from pipeline.core.document.rst.splitter import split_rst

pytestmark = pytest.mark.realdocs

RELEASE = "jax-v0.10.2"
CONFIGURATION = """
import docutils.parsers.rst

class Any(dict):
    def __bool__(self):
        return True

    def __getitem__(self, name):
        return str

class Stub(docutils.parsers.rst.Directive):
    optional_arguments = 100
    has_content = True
    option_spec = Any()

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
    "it announces a literal block; our message ends in one colon": lambda theirs, ours: (
        theirs.endswith("::") and theirs[:-1] in ours
    ),
    "it announces a literal block behind its end": lambda theirs, ours: (
        theirs.endswith(" ::") and theirs[:-3] in ours
    ),
    "our title keeps the role before it": lambda theirs, ours: any(
        msgid.startswith(":") and msgid.endswith(f"` {theirs}") for msgid in ours
    ),
}


@pytest.fixture(scope="module")
def pages(repository: Repository) -> dict[str, str]:
    """Text of every page of reStructuredText in the release, by name."""
    rows = repository.git("ls-tree", "-r", RELEASE, "--", "docs").decode().split("\n")
    blobs = {row.partition("\t")[2]: row.split()[2] for row in rows if row.endswith(".rst")}
    texts = repository.read(list(blobs.values()))
    return {
        path.removeprefix("docs/").removesuffix(".rst"): data.decode()
        for path, (_, data) in zip(blobs, texts, strict=True)
    }


@pytest.fixture(scope="module")
def templates(
    repository: Repository,
    pages: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, list[str]]:
    """What Sphinx finds on each page."""
    root = tmp_path_factory.mktemp("sphinx")
    run_sphinx("gettext", root, pages, others(repository, pages))
    return {name: _msgids(root / "_out" / f"{name}.pot") for name in pages}


def others(repository: Repository, pages: dict[str, str]) -> dict[str, str]:
    """Stand-ins for the pages that are no reST.

    With them, tables of contents that name those pages are complete.
    """
    names = {path.removeprefix("docs/").rpartition(".")[0] for path in repository.pages_at(RELEASE)}
    return dict.fromkeys(sorted(names - pages.keys()), "X\n=\n")


def run_sphinx(builder: str, root: Path, *texts: dict[str, str]) -> list[str]:
    """Build pages into ``root/_out``; the warnings, without places."""
    for name, text in ((name, text) for some in texts for name, text in some.items()):
        (root / f"{name}.rst").parent.mkdir(parents=True, exist_ok=True)
        (root / f"{name}.rst").write_text(text, encoding="utf-8")
    (root / "conf.py").write_text(CONFIGURATION, encoding="utf-8")
    words = f"-m sphinx -q -b {builder}".split()
    command = (sys.executable, *words, str(root), str(root / "_out"))
    plain = {**os.environ, "NO_COLOR": "1"}
    said = subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True, env=plain).stderr
    lines = said.replace(str(root), "").split("\n")
    return [
        re.sub(r"^(/[^:]*):(?:\d+:)?", r"\1:", line)
        for line in lines
        if ": WARNING: " in line or ": ERROR: " in line
    ]


def _msgids(path: Path) -> list[str]:
    return [entry.msgid for entry in polib.pofile(str(path))] if path.exists() else []


def filled(name: str, text: str) -> str:
    """A page with Chinese right up to every mark in place of its words."""
    document = read_document(f"{name}.rst", text.encode())
    words = {
        message.msgid: _filler(message.msgid, number)
        for number, (_, message) in enumerate(document.messages())
    }
    merged = merge(document, words, PageExtras(attribution="译自`此页 <https://example.org>`__。"))
    assert [one.message.msgid for one in merged.rejected] == []
    assert merged.translated == len(document.units[0].split.messages)
    return merged.data.decode()


def _filler(msgid: str, number: int) -> str:
    return f"第{number}条译文" + "".join(
        f"{msgid[mark.start : mark.end]}译文" for mark in marks(msgid)
    )


def test_chinese_gives_sphinx_nothing_new_to_complain_of(
    repository: Repository, pages: dict[str, str], tmp_path: Path
) -> None:
    chinese = {name: filled(name, text) for name, text in pages.items()}
    before, after = (
        Counter(run_sphinx("dummy", tmp_path / which, some, others(repository, pages)))
        for which, some in (("english", pages), ("chinese", chinese))
    )
    print(
        f"{RELEASE}: {sum(before.values())} warnings in English, {sum(after.values())} in Chinese"
    )
    assert after - before == Counter()


def test_every_message_of_sphinx_is_found_or_explained(
    pages: dict[str, str], templates: dict[str, list[str]]
) -> None:
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
            found = [why for why, holds in EXPLAINED.items() if holds(theirs, ours)]
            reasons[found[0] if found else "missed"] += 1
            if not found:
                missing.append((name, theirs))
    print(f"{RELEASE}: {len(pages)} pages, {total} messages of Sphinx': {dict(reasons)}")
    assert missing == []
    assert total > 500


def test_what_sphinx_does_not_find_is_a_title_with_a_role(
    pages: dict[str, str], templates: dict[str, list[str]]
) -> None:
    for name, text in pages.items():
        for message in split_rst(text).messages:
            forms = {message.msgid, f"{message.msgid}:", f"{message.msgid} ::"}
            if forms.isdisjoint(templates[name]):
                assert message.kind is Kind.TITLE, (name, message.msgid)
                assert message.msgid.startswith(":"), (name, message.msgid)
