"""What programs read of a site: its map, Markdown twins, freshness, the index of the search."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from folders import write_tree
from notebooks import code, notebook_value, prose
from site_plans import site_at
from workshop import Workshop

from pipeline.core.pin.lock import SourceFile
from pipeline.core.results import PageResult
from pipeline.site.exports import page_as_markdown
from pipeline.site.manifest import digest_of_file

HOME = "https://us.example.org/docs"


@pytest.mark.slow
def test_programs_find_a_map_and_the_pages_as_markdown(built: Workshop) -> None:
    places = ElementTree.fromstring(built.read("sitemap.xml"))
    found = [place.text for place in places.iter() if place.tag.endswith("loc")]
    assert f"{HOME}/guide.html" in found
    assert len(found) == len(set(found)) == len(built.pages())
    assert f"Sitemap: {HOME}/sitemap.xml" in built.read("robots.txt")
    listed = built.read("llms.txt")
    assert f"- [指南]({HOME}/guide.md)" in listed
    for address in re.findall(rf"\({HOME}/([^)]+)\)", listed):
        assert (built.target / address).is_file(), address
    assert "# 活计" in built.read("work.md")
    assert "```python\nprint(1 < 2)\n```" in built.read("work.md")
    assert built.read("card.md").startswith("# 卡片\n")
    assert "一物。" in built.read("card.md")


@pytest.mark.slow
def test_pages_have_their_titles_and_chapters_are_named_once(tmp_path: Path) -> None:
    parts = "".join(
        f"```{{toctree}}\n:caption: {caption}\n{page}\n```\n\n"
        for caption, page in (("Tools", "saw"), ("Stores", "hall"), ("Tools", "file"))
    )
    # A page that is but put together from what was not pulled.
    news = "```{include} ../NEWS.md\n```\n"
    files = {"index.md": f"# The guide\n\n{parts}", "news.md": news}
    for page in ("saw", "hall", "file", "left_over"):
        files[f"{page}.md"] = f"# The {page}\n\nIt is here.\n"
    workshop = Workshop.of(tmp_path, files)
    workshop.build()
    rows = json.loads(workshop.read("progress.json"))["pages"]
    titles = {row["page"]: row["title"] for row in rows}
    assert titles["left_over"] == "The left_over"
    assert titles["news"] == "News"
    chapters = re.findall("^## (.*)", workshop.read("llms.txt"), re.MULTILINE)
    assert chapters == ["文档", "Tools", "Stores"]
    # Whoever proves a site looks for upstream's document there.
    assert workshop.read("news.md") == news
    for page in titles:
        assert workshop.html(page).count('name="viewport"') == 1


@pytest.mark.slow
def test_programs_find_how_fresh_pages_are_and_the_changes(built: Workshop) -> None:
    told = json.loads(built.read("freshness.json"))
    assert told["upstream"]["commit"] == "f" * 40
    pages = {page["page"]: page for page in told["pages"]}
    assert set(pages) == {page.page for page in built.pages()}
    notebooks = {"_downloads/work.ipynb", "_downloads/clean/work.ipynb"}
    assert set(pages["work"]["files"]) == {*notebooks, "work.md"}
    source = "_downloads/source/card.rst"
    assert set(pages["card"]["files"]) == {source, "card.md"}
    assert (built.target / source).read_bytes() == built.merged("card.rst").read_bytes()
    for page in pages.values():
        assert sum(page["counts"].values()) >= len(page["blocks"])
        for path, digest in page["files"].items():
            assert digest_of_file((built.target / path).read_bytes()) == digest
    # The project of this test is no repository: the feed has no entry, and is one.
    feed = ElementTree.fromstring(built.read("atom.xml"))
    assert feed.findall("{http://www.w3.org/2005/Atom}entry") == []
    assert 'type="application/atom+xml"' in built.html("guide")
    assert 'href="atom.xml"' in built.html("guide")


@pytest.mark.slow
def test_what_is_not_there_leads_to_the_same_english_address(built: Workshop) -> None:
    page = built.html("404")
    assert 'href="https://docs.example.org/en/"' in page
    assert f'new URL("{HOME}/", location.href)' in page
    assert "没有这个页面" in page


@pytest.mark.slow
def test_pages_of_our_own(built: Workshop) -> None:
    assert '<td lang="en">gradient</td><td>梯度</td>' in built.html("glossary-zh")
    pages = json.loads(built.read("progress.json"))["pages"]
    assert [page["page"] for page in pages][:3] == ["index", "guide", "work"]
    assert "翻译进度" in built.html("progress")
    assert "url=guide.html" in built.html("old")


@pytest.mark.slow
def test_the_search_has_the_words_of_every_page(built: Workshop) -> None:
    assert not (built.target / "searchindex.js").exists()
    folder = built.target / "_search"
    entries = "".join(path.read_text(encoding="utf-8") for path in (folder / "entries").iterdir())
    # Of a translation, of its English beside it, of code, and of a name with its module.
    for entry in ("梯度", "正文", "workshop", ".lamp.on"):
        assert f'"{entry}":"' in entries
    for page in ("index", "guide", "broken", "glossary-zh"):
        assert f'["{page}","' in built.read("_search/index.js")
    assert '["second-part","' in built.read("_search/pages/guide.0.js")


R = {"name": "ir", "display_name": "R", "language": "R"}
ODD = {"name": "odd", "display_name": "Odd", "language": "a`b\nc"}


@pytest.mark.parametrize(
    ("source", "kernel", "shown"),
    [
        ("x = 1", {}, "```python\nx = 1\n```"),
        ('"""\n```\na\n```\n"""', {}, '````python\n"""\n```\na\n```\n"""\n````'),
        ("# `````", {}, "``````python\n# `````\n``````"),
        ("x <- 1", R, "```r\nx <- 1\n```"),
        ("x", ODD, "```\nx\n```"),
    ],
)
def test_code_of_a_twin_is_in_a_fence_of_its_language(
    source: str, kernel: dict[str, str], shown: str, tmp_path: Path
) -> None:
    metadata: dict[str, Any] = {"kernelspec": kernel} if kernel else {}
    notebook = notebook_value(prose("# 茶"), code(source), prose("水"), **metadata)
    file = SourceFile(path="guide.ipynb", blob="0" * 40)
    site = site_at(tmp_path)
    write_tree(site.paths.merged("zh_CN"), {file.path: json.dumps(notebook)})
    page = PageResult(page="guide", files=(file,))
    assert page_as_markdown(site, page) == f"# 茶\n\n{shown}\n\n水\n"
