"""Hostile translations bring nothing into a page: no element, no attribute, no address.

A browser's parser reads what comes out for readers, reviewers and translators. It finds what it
finds with harmless translations, and nothing else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hostile_translations import COLLECT, attacks, harmless, make_project, translate
from repositories import git, init_repository
from site_builds import LACKING
from site_chromium import REASON
from workbench import workbench_of

from pipeline.cli import main

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(bool(REASON), reason=REASON),
    pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}"),
]
# How many translations, and which: for longer runs by hand.
WANTED = int(os.environ.get("JAX_DOCS_HOSTILE_TRANSLATIONS", "600"))
SEED = int(os.environ.get("JAX_DOCS_HOSTILE_SEED", "1"))
BLOCKS = 6
BY_BLOCK = 50  # messages, about, of one block in three documents
# What differs with every translation, and leads nowhere else: anchors, versions, digests.
_OWN = re.compile(r"\d[\d.]*%|#.*|[?&](?:v|digest|title|body)=[^=]*")


def elements(page: Page, html: str) -> set[str]:
    """Return what a browser finds in the text of a page."""
    return {_OWN.sub("#", name) for name in page.evaluate(COLLECT, html)}


def outputs(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the HTML of everything that people read."""
    build = root / "build"
    for path in sorted(build.rglob("*.html")):
        name = path.relative_to(build).as_posix()
        if "_static" not in name:
            yield name, path.read_text("utf-8")
    workbench = workbench_of(root)
    with workbench.client() as client:
        for path in sorted((build / "zh_CN" / "sample" / "html").glob("*.html")):
            if path.stem != "index":
                yield f"serve {path.stem}", client.get(f"frame/{path.stem}").text


def built(root: Path, page: Page) -> dict[str, set[str]]:
    """Build, review and show everything; return what a browser finds, by output."""
    for command in ("build", "site"):
        assert main([command, "sample", "--no-execute", "-q"]) in (0, 1)
    assert main(["review", "HEAD", "-q"]) in (0, 1)
    return {name: elements(page, html) for name, html in outputs(root)}


@pytest.fixture(scope="module")
def parser(browser: Browser) -> Iterator[Page]:
    """A page that is empty, and runs nothing of what it parses."""
    page = browser.new_page()
    yield page
    page.close()


def test_a_browser_finds_nothing_new(
    parser: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    pages = max(1, WANTED // (BLOCKS * BY_BLOCK))
    make_project(root, pages, BLOCKS)
    monkeypatch.chdir(root)
    assert main(["sync", "sample", "--no-execute", "-q"]) in (0, 1)
    init_repository(root)
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "before")
    english = built(root, parser)
    count = translate(root, harmless)
    assert count >= WANTED * 0.8
    chinese = built(root, parser)
    translate(root, attacks(SEED))
    found = built(root, parser)
    # Some of them are words, and were taken.
    taken = [html for name, html in outputs(root) if "sample/" in name]
    assert any("图 onx=1" in html for html in taken)
    assert found.keys() == chinese.keys()
    new = [
        f"{name}: {more}"
        for name in found
        for more in sorted(found[name] - english[name] - chinese[name])
    ]
    assert not new, "\n".join(new)
