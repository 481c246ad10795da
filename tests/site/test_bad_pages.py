"""One bad page stops no other: a folder of pages that were made to end a run, beside a good one.

Each is named in a finding, and what can be shown of it is shown, in the preview and on the site.
"""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from folders import write_tree
from in_process import run_in
from notebooks import code, display, notebook_value, prose
from site_projects import SiteProject

pytestmark = pytest.mark.slow

PROJECT = """\
[tool.pipeline]
locales = ["zh_CN", "ja"]
[tool.pipeline.upstreams.teas]
url = "docs"
[tool.pipeline.upstreams.teas.site]
title = "Teas"
url = "https://example.org/"
"""
NFC, NFD = "th\u00e9", "the\u0301"
ID = {"id": "a"}
TEA = prose("# Tea")
NAMED = {**TEA, **ID}
CODE = code("1")


def notebook(*cells: object, minor: object = 4, **parts: object) -> str:
    return json.dumps({**notebook_value(), "cells": cells, "nbformat_minor": minor} | parts)


def ran(*outputs: object) -> dict[str, object]:
    return {**CODE, "outputs": outputs}


# Pages that are made, in both forms, and what is said of each: a place, and words.
SHOWN = {
    # outputs
    "out/png.ipynb": (
        notebook(TEA, ran(display({"image/png": '"><b>x</b>'}))),
        ("out/png.ipynb, cell 2", "'image/png' that is not base64"),
    ),
    "out/odd.ipynb": (
        notebook(TEA, ran(5, {"output_type": "x"}, display({"a": [1]}))),
        ("out/odd.ipynb, cell 2", "an unknown kind"),
    ),
    "out/none.ipynb": (
        notebook(TEA, {**CODE, "outputs": {"a": 1}, "execution_count": "x"}),
        ("out/none.ipynb, cell 2", "outputs that are an object, not a list"),
    ),
    "out/bare.ipynb": (
        notebook(TEA, ran({"output_type": "display_data"}, {})),
        ("out/bare.ipynb, cell 2", "an unknown kind: nothing"),
    ),
    # half pairs of surrogates
    "half/code.ipynb": (
        notebook(prose("# Tea\n\nWords"), code("x = '\ud83d'")),
        ("half/code.ipynb, cell 2", "lone surrogate"),
    ),
    "half/prose.ipynb": (
        notebook(prose("# Tea \udc00\n\n- a\n- b \ud800\n\nWords"), code("x")),
        ("half/prose.ipynb, cell 1", "lone surrogate"),
    ),
    "half/table.ipynb": (
        notebook(prose("# Tea\n\n| a \ud800 | b |\n| - | - |\n| c | d |")),
        ("half/table.ipynb, cell 1", "lone surrogate"),
    ),
    "half/tags.ipynb": (
        notebook(TEA, {**CODE, "metadata": {"tags": ["\ud800"], "\ud801": 5}}),
        ("half/tags.ipynb, cell 2", "lone surrogate"),
    ),
    "half/about.ipynb": (
        notebook(TEA, metadata={"\ud800": "\ud801"}),
        ("half/about.ipynb", "lone surrogate"),
    ),
    # characters that no catalogue can hold
    "control/prose.md": (
        "# Tea \x04 pot\n\n- one \x04\n- two\n\n| a \x04 | b |\n|--|--|\n| c | d |\n",
        ("control/prose.md:1", "U+0004"),
    ),
    "control/line.rst": (
        "Tea \x04 pot\n=========\n\nWords \x04.\n",
        ("control/line.rst:1", "U+0004"),
    ),
    # ids, and what else a schema wants
    "id/null.ipynb": (notebook(NAMED, {**CODE, "id": None}, minor=5), None),
    "id/number.ipynb": (notebook(NAMED, {**CODE, "id": 7}, minor=5), None),
    "id/space.ipynb": (notebook(NAMED, {**CODE, "id": "a b"}, minor=5), None),
    "id/same.ipynb": (notebook(NAMED, {**CODE, **ID}, minor=5), None),
    "new.ipynb": (notebook(NAMED, minor=99), None),
    "old.ipynb": (notebook(NAMED, minor=-1), None),
    "bare.ipynb": (
        notebook({"cell_type": "markdown", "source": "# Tea"}, metadata=None),
        ("bare.ipynb", "no metadata object"),
    ),
    "theirs.ipynb": (
        notebook(TEA, {**CODE, "metadata": {"mystnb": 5}}, metadata={"mystnb": [1]}),
        None,
    ),
    "kind.ipynb": (
        notebook(TEA, {"cell_type": "heading", "source": "x"}),
        ("kind.ipynb", "cell 2 has the type 'heading'"),
    ),
    "header.md": (
        "---\njupytext: 5\n---\n\n# Tea\n\n```{code-cell}\n1\n```\n",
        ("header", "could not be rendered"),
    ),
    # names
    f"{NFD}/{NFD}.md": ("# Tea\n\nWords ![](dot.png)\n", None),
    f"{NFD}.rst": (f"Tea\n===\n\n:doc:`{NFC}/{NFC}`\n", None),
    "search.md": ("# Upstream's\n\n[away](Progress.rst)\n", None),
    "Progress.rst": ("Upstream's\n==========\n", None),
    "glossary-zh.md": ("# Upstream's\n", None),
    "genindex.md": ("# Upstream's\n", None),
    "_index.md": ("# Upstream's\n", None),
}
# Pages that are not made, or not everywhere.
LOST = {
    "cut.ipynb": ("{", ("cut.ipynb", "not valid JSON")),
    "list.ipynb": (
        notebook({**TEA, "source": ["# Tea", 5]}),
        ("list.ipynb", "the source of cell 1 has a line that is not a string"),
    ),
    f"{'x' * 201}.md": ("# Long\n", ("xxxx", "longer than 200 bytes")),
    f"{'x' * 245}.png": ("dot", ("xxxx", "longer than 200 bytes")),
    f"twin-{NFC}.md": ("# Twin\n", None),
    f"twin-{NFD}.md": ("# Other\n", ("twin-the\\u0301.md", "another file has this")),
    "404.md": ("# Not here\n", ("404", "its address belongs to the page that servers")),
    "ja/tea.md": ("# Tea\n", ("ja/tea", "its address belongs to the site in ja")),
    "x.lproj/tea.md": ("# Tea\n", ("x.lproj/tea", "Sphinx does not read")),
}
GOOD = {
    "good.md": "# Good\n\nGood words.\n",
    "index.md": "# Teas\n\n```{toctree}\ngood\nsearch\ngenindex\n```\n",
}


class Built(SiteProject, frozen=True):
    """A project with its site, and all that the runs had to say."""

    codes: set[int]
    lines: tuple[str, ...]

    @property
    def preview(self) -> Path:
        return self.root / "build" / "zh_CN" / "teas" / "html"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    root = tmp_path_factory.mktemp("teas")
    pages = {path: text for path, (text, _) in (SHOWN | LOST).items()}
    write_tree(root / "docs", {**pages, **GOOD, f"{NFD}/dot.png": "dot"})
    (root / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    synced = run(root, "sync")
    # A terminal gets the first of them only.
    report = json.loads((root / "build" / "report.json").read_bytes())
    rows = [*report["findings"]]
    for page in report["locales"]["zh_CN"]["pages"]:
        rows += page["findings"]
    # As a run of an older version has left it.
    bad = ran(display({"image/png": "no"}))
    executed = root / "build" / "zh_CN" / "teas" / "executed" / "id" / "null.ipynb"
    executed.parent.mkdir(parents=True)
    executed.write_text(notebook(TEA, bad), encoding="utf-8")
    done = run(root, "site")
    lines = [
        *(f"[{row['code']}] {row['where']}: {row['text']}" for row in rows),
        *done.stdout.split("\n"),
        *done.stderr.split("\n"),
    ]
    return Built(root, "teas", {synced.returncode, done.returncode}, tuple(lines))


def run(root: Path, verb: str) -> CompletedProcess[str]:
    return run_in(root, verb, "teas", "--no-execute", "-v")


def page_of(path: str) -> str:
    return path.rpartition(".")[0].replace(NFD, NFC)


def test_good_pages_are_made(built: Built) -> None:
    assert "Good words." in (built.site / "good.html").read_text("utf-8")
    assert "Good words." in (built.site / "ja" / "good.html").read_text("utf-8")
    assert "Good words." in (built.preview / "good.html").read_text("utf-8")
    catalogs = built.root / "translations" / "zh_CN" / "teas"
    assert (catalogs / "good.po").is_file()
    # Of pages that have something to translate beside what is bad, too.
    assert (catalogs / "half" / "code.po").is_file()
    assert built.codes <= {4, 7}


def test_bad_pages_are_shown(built: Built) -> None:
    missing = []
    for path in SHOWN:
        page = page_of(path)
        html = "__index" if page == "_index" else page
        for place, name in (
            (built.site, page),
            (built.site / "ja", page),
            (built.preview, html),
        ):
            if not (place / f"{name}.html").is_file():
                missing.append(f"{place}/{name}")
    assert not missing


def test_bad_pages_are_named(built: Built) -> None:
    for path, (_, told) in (SHOWN | LOST).items():
        if told is not None:
            where, words = told
            assert any(where in row and words in row for row in built.lines), path


def test_what_readers_do_not_miss_is_not_told(built: Built) -> None:
    told = [line for line in built.lines if "[notebook-fault]" in line]
    for path, (_, words) in SHOWN.items():
        if words is None:
            assert not any(path in line for line in told), path


def test_a_page_that_sphinx_fails_on_shows_its_source(built: Built) -> None:
    assert any("id/null: Error: Incorrect padding" in line for line in built.lines)
    html = (built.site / "id" / "null.html").read_text("utf-8")
    assert "Incorrect padding" in html
    assert "# Tea" in html


def test_upstreams_pages_keep_their_addresses(built: Built) -> None:
    for place in (built.site, built.site / "ja"):
        for page in ("search", "Progress", "glossary-zh", "genindex"):
            assert "Upstream" in (place / f"{page}.html").read_text("utf-8")
        index = (place / "index.html").read_text("utf-8")
        assert 'action="search-site.html"' in index
        assert 'href="progress-site.html"' in index
        glossary = "glossary-ja" if place.name == "ja" else "glossary-zh-site"
        assert f'href="{glossary}.html"' in index
        # In the contents, under upstream's titles.
        assert 'href="search.html"' in index
        assert 'href="genindex.html"' in index
        assert "search-results" in (place / "search-site.html").read_text("utf-8")
        assert "progress.css" in (place / "progress-site.html").read_text("utf-8")
        assert "jz-glossary" in (place / f"{glossary}.html").read_text("utf-8")
        assert "Not here" not in (place / "404.html").read_text("utf-8")
    sitemap = (built.site / "sitemap.xml").read_text("utf-8")
    assert "https://example.org/search.html" in sitemap
    assert "404" not in sitemap
    assert "Not here" in (built.preview / "404.html").read_text("utf-8")
    assert (built.preview / "_index.html").is_file()


def test_of_twins_the_one_in_nfc_is_shown(built: Built) -> None:
    assert "Twin" in (built.site / f"twin-{NFC}.html").read_text("utf-8")
    html = (built.site / NFC / f"{NFC}.html").read_text("utf-8")
    assert "dot.png" in html
    link = (built.site / f"{NFC}.html").read_text("utf-8")
    assert f"{NFC}/{NFC}.html" in link or "th%C3%A9/th%C3%A9.html" in link


def test_a_page_is_not_written_over_the_site_in_another_language(built: Built) -> None:
    assert not (built.site / "ja" / "tea.html").exists()
    assert (built.site / "ja" / "ja" / "tea.html").is_file()
