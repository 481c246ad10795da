"""Pages that include others, read as a reader does: one site of a tea house, built once.

Its repository has news, a snippet and code beside the docs; its ``conf.py`` leaves pages out and
says what the copy button leaves out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest
from folders import write_tree
from repositories import init_repository
from servers import served
from site_chromium import Reader
from site_projects import SiteProject

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

CONFIGURATION = """
[tool.pipeline.upstreams.tea]
url = "english"
docs = "docs"
page-url = "https://example.org/docs/{path}"
[[tool.pipeline.upstreams.tea.partly]]
pages = ["_outside/NEWS"]
sections = 2
reason = "it grows for ever"
[tool.pipeline.upstreams.tea.site]
title = "Tea"
"""
CODE = {
    "doctest": (
        ">>> def brew():\n...   return 1\n...\n>>> brew()\n1\n\n>>> print('a')\na",
        "def brew():\n  return 1\n\nbrew()\n\nprint('a')",
    ),
    "console": (
        "$ cat << EOF > a.py\nx = 1\nEOF\n$ ls \\\n    -l\ntotal 0\n$ sh -c '\npwd'",
        "cat << EOF > a.py\nx = 1\nEOF\nls \\\n    -l\nsh -c '\npwd'",
    ),
    "late": ("import tea\n>>> tea.brew()\n1", "import tea\ntea.brew()"),
    "plain": ("x = 1\n...\nprint(x)  # $ 3", "x = 1\n...\nprint(x)  # $ 3"),
}
_LANGUAGES = {"console": "console"}
ENGLISH: Mapping[str, str] = {
    "NEWS.md": (
        "# News of the house\n\nSee the [kettle](docs/kettle.md) and the [terms](LICENSE).\n\n"
        "## Three\n\n* A kettle was bought.\n\n## Two\n\n* A pot was mended.\n\n"
        "## One\n\n* The house was opened.\n"
    ),
    "SNIPPET.rst": "Words that nobody wants,\non two lines.\n\nShared words about water.\n",
    "brew.py": 'def brew(): return "tea"\n',
    "docs/conf.py": (
        'exclude_patterns = ["README.md", "parts"]\n'
        'copybutton_prompt_text = r">>> |\\.\\.\\. |\\$ "\ncopybutton_prompt_is_regexp = True\n'
    ),
    "docs/README.md": "# Read me\n",
    "docs/parts/steam.md": (
        "# Steam\n\nA first line that\ngoes on.\n\nSteam is hot.\n\n<!-- end -->\n\nThe end.\n"
    ),
    "docs/index.md": "# Tea\n\n```{toctree}\nnews\nkettle\nrest\n```\n",
    "docs/news.md": "```{include} ../NEWS.md\n```\n",
    "docs/kettle.md": (
        "# Kettle\n\nSee [the file](README.md).\n\n```{include} parts/steam.md\n:start-line: 4\n"
        ":end-before: <!-- end -->\n```\n\n```{literalinclude} ../brew.py\n```\n\n"
        + "".join(
            f"```{_LANGUAGES.get(name, 'python')}\n{shown}\n```\n\n"
            for name, (shown, _) in CODE.items()
        )
    ),
    "docs/rest.rst": ("Rest\n====\n\n.. include:: ../SNIPPET.rst\n   :start-after: lines.\n"),
}
CHINESE = {
    "News of the house": "茶馆新闻",
    "See the [kettle](docs/kettle.md) and the [terms](LICENSE).": (
        "见[水壶](docs/kettle.md)和[条款](LICENSE)。"
    ),
    "A kettle was bought.": "买了水壶。",
    "Words that nobody wants, on two lines.": "没人要的话。",
    "Shared words about water.": "关于水的话。",
    "A first line that goes on.": "第一行。",
    "Steam is hot.": "蒸汽很热。",
}


@pytest.fixture(scope="module")
def tea(tmp_path_factory: pytest.TempPathFactory) -> SiteProject:
    """The project with its site, built by the commands that people type."""
    root = tmp_path_factory.mktemp("tea")
    ignored = "build/\nupstream/*/\ntranslations/zh_CN/\n"
    files = {f"english/{path}": text for path, text in ENGLISH.items()}
    write_tree(root, {"pyproject.toml": CONFIGURATION, ".gitignore": ignored, **files})
    project = SiteProject(root, "tea")
    project.run("pull")
    project.run("split")
    project.translate(CHINESE)
    project.run("build", "--no-execute")
    init_repository(root)
    project.commit("Translate")
    project.run("site", "--no-execute")
    return project


def article(project: SiteProject, page: str) -> str:
    html = project.read(f"{page}.html")
    return html.partition('<article class="bd-article">')[2].partition("</article>")[0]


def test_what_a_page_includes_is_there_in_both_languages(tea: SiteProject) -> None:
    news = article(tea, "news")
    assert "<p" in news
    assert "买了水壶。</p>" in news
    assert "A kettle was bought.</p>" in news
    assert "译自" in news
    # The line is of the whole page, and no second one stands in it.
    assert news.count("本页译自") == 0
    assert "已译 70 %" in news
    assert "_outside" not in news


def test_what_is_older_is_english_and_said_to_be(tea: SiteProject) -> None:
    news = article(tea, "news")
    before, told, after = news.partition('<p class="jz-rest">')
    assert told
    assert "The house was opened" not in before
    assert '<h2 lang="en">One' in after
    assert '<p lang="en">The house was opened.</p>' in after
    assert "较早的内容保留英文，约 5 词" in before
    # Nobody is asked to translate it.
    assert "jz-block" not in after


def test_links_lead_from_where_the_included_file_lies(tea: SiteProject) -> None:
    news = article(tea, "news")
    assert news.count('href="kettle.html"') == 2
    assert news.count('href="https://example.org/docs/../LICENSE"') == 2
    assert '<a href="https://example.org/docs/../NEWS.md">../NEWS.md</a>' in news


def test_bounds_are_those_of_the_english(tea: SiteProject) -> None:
    kettle, rest = article(tea, "kettle"), article(tea, "rest")
    assert "蒸汽很热。" in kettle
    assert "The end." not in kettle.rpartition("jz-since")[0] + kettle.partition("</details>")[2]
    assert "第一行" not in kettle.partition("</details>")[2]
    assert "关于水的话。" in rest
    assert "没人要的话。" not in rest.partition("</details>")[2]
    assert "brew" in kettle


def test_what_is_no_page_is_nowhere_listed(tea: SiteProject) -> None:
    pages = {path.relative_to(tea.site).as_posix() for path in tea.site.rglob("*.html")}
    upstreams = pages - {"404.html", "glossary-zh.html", "progress.html", "search.html"}
    assert upstreams == {"index.html", "kettle.html", "news.html", "rest.html"}
    rows = json.loads(tea.read("progress.json"))["pages"]
    assert {row["page"] for row in rows} == {"index", "kettle", "news", "rest"}
    assert "README" not in tea.read("llms.txt")
    # A link to one leads to upstream's file.
    assert 'href="https://example.org/docs/README.md"' in article(tea, "kettle")


def test_what_pages_include_is_proved_too(tea: SiteProject) -> None:
    told = tea.run("verify-site", str(tea.site))
    assert "7 of 7 pages were reproduced from the two commits" in told
    page = "build/site/tea/_outside/NEWS.md"
    tea.change(page, "docs/kettle", "docs/pot")
    told = tea.run("verify-site", str(tea.site), code=1)
    assert "6 of 7 pages were reproduced" in told
    tea.change(page, "docs/pot", "docs/kettle")


@pytest.mark.browser
def test_what_a_reader_copies_runs(tea: SiteProject, browser: Browser) -> None:
    with served(tea.site) as address:
        reader = Reader(browser, address, permissions=["clipboard-read"])
        page = reader.open("kettle.html")
        texts: list[str] = []
        for button in page.locator(".copybtn").all():
            button.click()
            texts.append(page.evaluate("navigator.clipboard.readText()"))
        reader.close()
    # The first is the file that the page includes.
    assert texts[1:] == [expected for _, expected in CODE.values()]
