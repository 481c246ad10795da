"""Two releases on one site, built once: the pinned one at its root, the other in a folder below.

The tea house has a new page ``pot`` in 0.11.0, without ``cup``. Its notebook ``brew`` has changed
and cannot run there. ``kettle`` and the notebook ``steep`` are as before, so they are built once.
"""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import pytest
from bs4 import BeautifulSoup
from in_process import run_in
from notebooks import code, notebook, prose
from repositories import commit_release, init_repository

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
    (root / "pyproject.toml").write_text(CONFIGURATION, encoding="utf-8")
    for words in (
        ("pull", "house", "--all"),
        ("site", "house", "--all", "--no-execute"),
    ):
        done = run_in(root, *words)
        assert done.returncode == 0, done.stderr
    return root / "build" / "site" / "house"


def page(site: Path, name: str) -> BeautifulSoup:
    return BeautifulSoup((site / name).read_bytes(), "lxml")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("brew.html", {"Tea 0.11.0": "0.11.0/brew.html"}),
        ("cosy.html", {"Tea 0.11.0": "0.11.0/cosy.html"}),
        ("cup.html", {"Tea 0.11.0": "0.11.0/index.html"}),
        ("kettle.html", {"Tea 0.11.0": "0.11.0/index.html"}),
        ("ways/steep.html", {"Tea 0.11.0": "../0.11.0/index.html"}),
        ("0.11.0/brew.html", {"Tea 0.10.2": "../brew.html"}),
        ("0.11.0/pot.html", {"Tea 0.10.2": "../index.html"}),
    ],
)
def test_each_page_leads_to_the_same_page_of_the_other_release(
    site: Path, name: str, other: dict[str, str]
) -> None:
    links = page(site, name).select(".jz-releases a")
    assert {link.get_text(): link["href"] for link in links} == other
    for address in other.values():
        assert ((site / name).parent / address).is_file()
    (this,) = page(site, name).select(".jz-releases [aria-current]")
    assert this.get_text() not in other


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("brew.html", None),
        ("kettle.html", None),
        (
            "0.11.0/brew.html",
            "这里是 Tea 0.11.0 的文档，不是稳定版。 到 Tea 0.10.2 的同一页",
        ),
        (
            "0.11.0/pot.html",
            "这里是 Tea 0.11.0 的文档，不是稳定版。 到 Tea 0.10.2 的首页，那里没有这一页",
        ),
    ],
)
def test_a_line_on_top_says_which_release_is_not_the_stable_one(
    site: Path, name: str, line: str | None
) -> None:
    lines = page(site, name).select(".bd-header-announcement__content")
    assert [" ".join(one.get_text().split()) for one in lines] == (
        [line] if line else []
    )


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("kettle.html", "https://tea.example/kettle.html"),
        ("cup.html", "https://tea.example/cup.html"),
        ("0.11.0/brew.html", "https://tea.example/brew.html"),
        ("0.11.0/pot.html", "https://tea.example/0.11.0/pot.html"),
    ],
)
def test_the_canonical_address_is_the_stable_one_if_there_is_one(
    site: Path, name: str, address: str
) -> None:
    links = page(site, name).select('link[rel="canonical"], link[hreflang="zh-CN"]')
    assert {str(link["href"]) for link in links} == {address}


def test_outputs_of_a_release_that_cannot_run_are_those_of_upstream(
    site: Path,
) -> None:
    pinned, beside = page(site, "brew.html"), page(site, "0.11.0/brew.html")
    assert "stored upstream" not in pinned.get_text()
    assert "stored upstream" in beside.get_text()
    (line,) = beside.select(".jz-fresh")
    assert "代码未在 Tea 0.11.0 上运行 · 运行结果是上游文档中所存的" in line.get_text()


def test_each_release_has_its_own_search_index_and_files_for_programs(
    site: Path,
) -> None:
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


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("kettle.html", "Tea 0.11.0 的这一页与此相同"),
        ("ways/steep.html", "Tea 0.11.0 的这一页与此相同，但代码未在其上运行"),
        ("brew.html", ""),
        ("cosy.html", ""),
        ("0.11.0/brew.html", ""),
    ],
)
def test_a_page_says_which_release_has_the_same_page(
    site: Path, name: str, line: str
) -> None:
    (fresh,) = page(site, name).select(".jz-fresh")
    said = [part for part in fresh.get_text().split(" · ") if "与此相同" in part]
    assert said == ([line] if line else [])
    marks = page(site, name).select(".jz-releases small")
    assert any("本页相同" in mark.get_text() for mark in marks) == bool(line)
    for link in fresh.select("a[href*='0.11.0/']"):
        assert ((site / name).parent / str(link["href"])).is_file()


def test_equal_pages_are_built_once_and_their_addresses_lead_there(site: Path) -> None:
    release = site / "0.11.0"
    for name, target in (("kettle", "../kettle"), ("ways/steep", "../../ways/steep")):
        file = release / f"{name}.html"
        link = page(site, f"0.11.0/{name}.html").select_one("a[href]")
        assert link
        assert link["href"] == f"{target}.html"
        assert len(file.read_bytes()) < 1000
        assert not file.with_suffix(".md").exists()
    assert list((release / "_downloads").rglob("*.ipynb")) == [
        release / "_downloads" / "clean" / "brew.ipynb"
    ]
    assert not (release / "_static" / "mathjax").exists()
    read = site.parents[1] / "zh_CN" / "house@0.11.0" / "doctrees"
    assert {file.stem for file in read.rglob("*.doctree")} == {
        *("index", "brew", "cosy", "pot")
    }
    addresses = (release / "sitemap.xml").read_text(encoding="utf-8")
    assert "brew.html" in addresses
    assert "kettle.html" not in addresses


def test_links_of_a_release_lead_to_the_pages_that_it_shares(site: Path) -> None:
    for name, address in (("pot", "../kettle.html"), ("index", "../ways/steep.html")):
        found = page(site, f"0.11.0/{name}.html")
        body = found.select_one("article")
        assert body
        for links in (body.select("a"), found.select("nav.bd-links a")):
            assert address in [link.get("href") for link in links]
    # Everything that pages name is there, from wherever they lie.
    for file in sorted(site.rglob("*.html")):
        for link in page(site, str(file.relative_to(site))).select("a[href], img[src]"):
            target = str(link.get("href") or link.get("src")).partition("#")[0]
            path = unquote(target.partition("?")[0])
            if path and "://" not in path and not path.startswith("data:"):
                assert (file.parent / path).is_file(), f"{file}: {target}"


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
