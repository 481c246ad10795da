"""Two releases on one site, built once: the pinned one at its root, the other in a folder below.

The tea house has a new page ``pot`` in 0.11.0, without ``cup``. Its notebook ``brew`` has changed
and cannot run there. ``kettle`` and the notebook ``steep`` are as before, so they are built once.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from msgspec import Struct
from notebooks import code, notebook, prose
from repositories import commit_release, init_repository
from site_html import Site
from site_projects import SiteProject, words_of

pytestmark = pytest.mark.slow

CONFIGURATION = """
[dependency-groups]
tea = ["tea==0.10.2"]
[tool.pipeline.upstreams.house]
url = "english"
ref = "v{version}"
docs = "docs"
package = "Tea"
beside = ["0.11.0"]
[tool.pipeline.upstreams.house.site]
title = "Tea"
url = "https://tea.example/"
"""
INDEX = "# Tea\n\n```{{toctree}}\nkettle\nbrew\nways/steep\ncosy\n{page}\n```\n"
STORED = {"output_type": "stream", "name": "stdout", "text": "stored upstream"}
KETTLE = "# Kettle\n\nWater boils in the kettle.\n"
POT = """# A pot

It is full. See [](kettle.md), and {{doc}}`/{page}`.
"""
# The text of the page stays, and the picture on it does not.
COSY = "# A cosy\n\n![It is warm.](cosy.svg)\n"
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="9"/>'


def brewing(text: str, title: str) -> str:
    cell = code("brew()", outputs=[STORED])
    return notebook(prose(text), cell, title=f"# {title}")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site of both releases."""
    root = tmp_path_factory.mktemp("releases")
    english = init_repository(root / "english")
    for tag, page in (("v0.10.2", "cup"), ("v0.11.0", "pot")):
        (english / "docs" / "cup.md").unlink(missing_ok=True)
        commit_release(
            english,
            tag,
            {
                "docs/index.md": INDEX.format(page=page),
                "docs/kettle.md": KETTLE,
                "docs/ways/steep.ipynb": brewing("It takes a while.", "Steep"),
                "docs/brew.ipynb": brewing(f"For a {page}.", "Brew"),
                "docs/cosy.md": COSY,
                "docs/cosy.svg": PICTURE.format(len(tag) + len(page) + ord(page[0])),
                f"docs/{page}.md": POT.format(page=page),
            },
        )
    project = SiteProject(root, "house")
    project.write("pyproject.toml", CONFIGURATION)
    project.run("pull", "house", "--all")
    project.run("site", "house", "--all", "--no-execute")
    return project.site


def page(site: Path, name: str) -> BeautifulSoup:
    return BeautifulSoup((site / f"{name}.html").read_bytes(), "lxml")


HOME = "https://tea.example"
BESIDE = "这里是 Tea 0.11.0 的文档，不是稳定版。"
SAME = "Tea 0.11.0 的这一页与此相同"


class Leads(Struct, frozen=True, kw_only=True):
    """What a page says of the other release."""

    other: str  # where its link to the other release leads
    canonical: str
    line: str = ""  # on top
    same: str = ""  # under the title


PAGES = {
    "kettle": Leads(other="0.11.0/index.html", canonical=f"{HOME}/kettle.html", same=SAME),
    "ways/steep": Leads(
        other="../0.11.0/index.html",
        canonical=f"{HOME}/ways/steep.html",
        same=f"{SAME}，但代码未在其上运行",
    ),
    "brew": Leads(other="0.11.0/brew.html", canonical=f"{HOME}/brew.html"),
    "cosy": Leads(other="0.11.0/cosy.html", canonical=f"{HOME}/cosy.html"),
    "cup": Leads(other="0.11.0/index.html", canonical=f"{HOME}/cup.html"),
    "0.11.0/brew": Leads(
        other="../brew.html",
        canonical=f"{HOME}/brew.html",
        line=f"{BESIDE} 到 Tea 0.10.2 的同一页",
    ),
    "0.11.0/pot": Leads(
        other="../index.html",
        canonical=f"{HOME}/0.11.0/pot.html",
        line=f"{BESIDE} 到 Tea 0.10.2 的首页，那里没有这一页",
    ),
}
every_page = pytest.mark.parametrize("name", PAGES)


@every_page
def test_each_page_leads_to_itself_in_the_other_release(site: Path, name: str) -> None:
    (link,) = page(site, name).select(".jz-releases a")
    assert link["href"] == PAGES[name].other
    assert ((site / name).parent / PAGES[name].other).is_file()
    (this,) = page(site, name).select(".jz-releases [aria-current]")
    releases = ["Tea 0.10.2", "Tea 0.11.0"]
    shown = [this.get_text(), link.get_text()]
    assert shown == (releases[::-1] if name.startswith("0.11.0") else releases)


@every_page
def test_a_line_on_top_says_that_a_release_is_not_stable(site: Path, name: str) -> None:
    lines = page(site, name).select(".bd-header-announcement__content")
    line = PAGES[name].line
    assert [words_of(one) for one in lines] == ([line] if line else [])


@every_page
def test_the_canonical_address_is_the_stable_one(site: Path, name: str) -> None:
    links = page(site, name).select('link[rel="canonical"], link[hreflang="zh-CN"]')
    assert {link["href"] for link in links} == {PAGES[name].canonical}


def test_outputs_of_a_release_that_cannot_run_are_upstreams(site: Path) -> None:
    pinned, beside = page(site, "brew"), page(site, "0.11.0/brew")
    assert "stored upstream" not in pinned.get_text()
    assert "stored upstream" in beside.get_text()
    (line,) = beside.select(".jz-fresh")
    assert "代码未在 Tea 0.11.0 上运行 · 运行结果是上游文档中所存的" in line.get_text()


def test_each_release_has_its_own_index_and_sitemap(site: Path) -> None:
    for folder in (site, site / "0.11.0"):
        assert list((folder / "_search").iterdir())
        assert (folder / "sitemap.xml").is_file()
    robots = (site / "robots.txt").read_text(encoding="utf-8")
    assert "Sitemap: https://tea.example/0.11.0/sitemap.xml" in robots
    rows = json.loads((site / "switcher.json").read_bytes())
    assert [(row["version"], row["url"], row["preferred"]) for row in rows] == [
        ("0.10.2", "https://tea.example/", True),
        ("0.11.0", "https://tea.example/0.11.0/", False),
    ]


@every_page
def test_a_page_says_which_release_has_the_same_page(site: Path, name: str) -> None:
    (fresh,) = page(site, name).select(".jz-fresh")
    said = [part for part in fresh.get_text().split(" · ") if "与此相同" in part]
    same = PAGES[name].same
    assert said == ([same] if same else [])
    marks = page(site, name).select(".jz-releases small")
    assert any("本页相同" in mark.get_text() for mark in marks) == bool(same)
    for link in fresh.select("a[href*='0.11.0/']"):
        assert ((site / name).parent / str(link["href"])).is_file()


def test_equal_pages_are_built_once_and_their_addresses_lead_there(site: Path) -> None:
    release = site / "0.11.0"
    for name, target in (("kettle", "../kettle"), ("ways/steep", "../../ways/steep")):
        file = release / f"{name}.html"
        link = page(site, f"0.11.0/{name}").select_one("a[href]")
        assert link
        assert link["href"] == f"{target}.html"
        assert len(file.read_bytes()) < 1000
        assert not file.with_suffix(".md").exists()
    assert list((release / "_downloads").rglob("*.ipynb")) == [
        release / "_downloads" / "clean" / "brew.ipynb"
    ]
    assert not (release / "_static" / "mathjax").exists()
    read = site.parents[1] / "zh_CN" / "house@0.11.0" / "doctrees"
    assert {file.stem for file in read.rglob("*.doctree")} == {*("index", "brew", "cosy", "pot")}
    addresses = (release / "sitemap.xml").read_text(encoding="utf-8")
    assert "brew.html" in addresses
    assert "kettle.html" not in addresses


def test_links_of_a_release_lead_to_the_pages_that_it_shares(site: Path) -> None:
    for name, address in (("pot", "../kettle.html"), ("index", "../ways/steep.html")):
        found = page(site, f"0.11.0/{name}")
        body = found.select_one("article")
        assert body
        for links in (body.select("a"), found.select("nav.bd-links a")):
            assert address in [link.get("href") for link in links]
    assert list(Site(site).broken_links()) == []


def test_the_search_of_a_release_finds_the_pages_that_it_shares(site: Path) -> None:
    text = (site / "0.11.0" / "_search" / "index.js").read_text(encoding="utf-8")
    index = json.loads(text.partition(",")[2].removesuffix(")\n"))
    folders = {row[0]: row[6] if len(row) > 6 else "" for row in index["pages"]}
    assert folders["kettle"] == folders["ways/steep"] == "../"
    assert folders["pot"] == folders["brew"] == ""
    for name, folder in folders.items():
        pages = site / "0.11.0" / folder / "_search" / "pages"
        assert (pages / f"{name}.0.js").is_file()
    assert not (site / "0.11.0" / "_search" / "pages" / "kettle.0.js").exists()
