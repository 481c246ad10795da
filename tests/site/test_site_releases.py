"""Two releases on one site, built once: the pinned one at its root, the other in a folder below.

The tea house has a new page ``pot`` in 0.11.0, without ``cup``; its notebook cannot run there.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from in_process import run_in
from notebooks import code, notebook, prose
from repositories import commit_release, init_repository
from site_builds import LACKING

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}"),
]

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
INDEX = "# Tea\n\n```{{toctree}}\nkettle\nbrew\n{page}\n```\n"
STORED = {"output_type": "stream", "name": "stdout", "text": "stored upstream"}
KETTLE = "# Kettle\n\nWater boils in the kettle.\n"
BREW = notebook(
    prose("It takes a while."), code("brew()", outputs=[STORED]), title="# Brew"
)


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
                "docs/brew.ipynb": BREW,
                f"docs/{page}.md": f"# A {page}\n\nIt is full.\n",
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
    return BeautifulSoup((site / name).read_text(encoding="utf-8"), "lxml")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("kettle.html", {"Tea 0.11.0": "0.11.0/kettle.html"}),
        ("cup.html", {"Tea 0.11.0": "0.11.0/index.html"}),
        ("0.11.0/kettle.html", {"Tea 0.10.2": "../kettle.html"}),
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
        ("kettle.html", None),
        (
            "0.11.0/kettle.html",
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
        ("0.11.0/kettle.html", "https://tea.example/kettle.html"),
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
