"""Built sites, as files. No browser is needed.

Every link leads somewhere, nothing comes from elsewhere, code is upstream's.
"""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from site_builds import NAMES, get_site
from site_code import upstream_code
from site_html import Site

FORMULA = re.compile(r"\$\$|\$[^\s$](?:[^$\n]*[^\s$])?\$|\\\(|\\\[|\\begin\{")

pytestmark = pytest.mark.slow  # the first makes the site of the sample


@pytest.fixture(scope="session", params=NAMES)
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Site:
    return get_site(request.param, tmp_path_factory)


def test_every_link_leads_somewhere(site: Site) -> None:
    assert len(site.pages) > 5
    assert list(site.broken_links()) == []


def test_no_id_occurs_twice(site: Site) -> None:
    twice = {
        path: [name for name, count in Counter(html.ids).items() if count > 1]
        for path, html in site.pages.items()
    }
    assert {path: names for path, names in twice.items() if names} == {}


def test_nothing_is_loaded_from_another_machine(site: Site) -> None:
    assert list(site.remote_loads()) == []
    sheets = "".join(
        path.read_text(encoding="utf-8") for path in site.folder.rglob("*.css")
    )
    assert (
        re.findall(r"(?:@import\s+[\"']?|url\(\s*[\"']?)(?:https?:)?//[^)\"']+", sheets)
        == []
    )


def test_one_sheet_and_no_script_hold_up_a_page(site: Site) -> None:
    for path in site.pages:
        html = (site.folder / path).read_text(encoding="utf-8")
        sheets = re.findall(r"<link\b[^>]*rel=\"stylesheet\"[^>]*>", html)
        own = [sheet for sheet in sheets if "styles/all.css?v=" not in sheet]
        assert len(sheets) - len(own) <= 1, path
        # The progress page brings one of its own.
        assert len(own) == html.count("_static/progress.css"), path
        # The first script loads the others when the page has been read.
        assert re.findall(r"<script\b[^>]*\bsrc=", html) == [], path


def test_code_is_upstreams(site: Site) -> None:
    root = site.folder.parents[2]
    if not (root / "upstream" / f"{site.name}.lock").is_file():
        pytest.skip("the documents that this site was made of are not beside it")
    expected = upstream_code(root, site.name)
    assert sum(len(code.blocks) for code in expected.values()) > 20
    found = {
        page: list(code.differences(site.pages[f"{page}.html"].code))
        for page, code in expected.items()
    }
    assert {
        page: differences for page, differences in found.items() if differences
    } == {}


def test_no_formula_is_left_as_it_was_written(site: Site) -> None:
    left = {
        path: FORMULA.findall("".join(html.prose)) for path, html in site.pages.items()
    }
    assert {path: formulas for path, formulas in left.items() if formulas} == {}


def test_every_page_says_how_fresh_it_is(site: Site) -> None:
    progress = json.loads((site.folder / "progress.json").read_bytes())
    pages = {row["url"] for row in progress["pages"]}
    assert pages <= set(site.pages)
    assert pages - set(site.having("jz-fresh")) == set()


# Upstream's cells may have none.
@pytest.mark.filterwarnings("ignore:Cell is missing an id field")
def test_a_notebook_can_be_downloaded_with_its_outputs_and_without(site: Site) -> None:
    nbformat = pytest.importorskip("nbformat")
    files = sorted((site.folder / "_downloads").rglob("*.ipynb"))
    assert len(files) >= 5
    for file in files:
        notebook = nbformat.reads(file.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(notebook)
        if "clean" in file.relative_to(site.folder).parts:
            assert not any(
                cell.get("outputs") or cell.get("execution_count")
                for cell in notebook.cells
                if cell.cell_type == "code"
            ), file
