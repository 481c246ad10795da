"""Marks that are bound to their line or place, as the site and the previews show them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bound_marks import KINDS, put, rows
from bs4 import BeautifulSoup, Tag
from catalog_files import edit_catalog
from folders import write_tree
from msgspec.structs import replace
from notebooks import notebook, prose
from site_projects import SiteProject

from pipeline.entries import Entry
from pipeline.reading import Dialect

CONFIGURATION = """
[tool.pipeline]
locales = ["zh_CN"]
[tool.pipeline.upstreams.docs]
url = "src"
docs = "docs"
markdown = "{0}"
[tool.pipeline.upstreams.docs.site]
myst-extensions = ["attrs_inline", "attrs_block"]
"""
# What a kind looks like. The others are only words.
ELEMENTS = {
    "alert": ".admonition.note",
    "alert of several paragraphs": ".admonition.warning li",
    "attributes above": "#pear.red",
    "attributes below": "p.red",
    "attributes of a heading": "#pear",
    "attributes of a link": ".red",
    "glossary": "dl dd",
    "glossary with a comment at its end": "dl dd",
    "CSV": "table td",
    "CSV with semicolons": "table td",
    "CSV of reST": "table td",
}
# The parts of samples that readers do not see.
MARKS = re.compile(r"\[!|\{[.#:]|:(?:header|delim|widths):|a comment|```|::")


def is_shown(kind: str, place: str) -> bool:
    """Return whether Sphinx knows a kind in its place."""
    if kind == "margin of reST":  # a directive of the theme, for the margin of the page
        return place == "page"
    return kind != "folded callout"  # known to plugins of MkDocs only


def pages(dialect: Dialect) -> dict[str, tuple[str, str]]:
    """Return the text of each page, by its path, with the kind on it."""
    found: dict[str, tuple[str, str]] = {}
    for kind, format_name, place in rows():
        is_rst = format_name == "rst"
        is_other = format_name != dialect and not (is_rst and dialect is Dialect.MYST)
        if is_other or not is_shown(kind, place):
            continue
        text = put(KINDS[kind].text, format_name, place)
        path = f"page{len(found)}"
        if is_rst:
            found[f"{path}.rst"] = (f"Title\n=====\n\n{text}", kind)
        elif place == "cell":
            found[f"{path}.ipynb"] = (notebook(prose(f"# Title\n\n{text}")), kind)
        else:
            found[f"{path}.md"] = (f"# Title\n\n{text}", kind)
    return found


def content(path: Path) -> Tag:
    """Return the page's article without what the pipeline has added at its head."""
    page = BeautifulSoup(path.read_text("utf-8"), "html.parser")
    article = page.select_one("article, main")
    assert article
    for added in article.select("h1, .jz-fresh, .jz-downloads"):
        added.decompose()
    return article


def translated(entry: Entry) -> Entry:
    return replace(entry, msgstr=f"译 {entry.msgid}")


@pytest.mark.slow
# CommonMark has no mark that the other two lack.
@pytest.mark.parametrize("dialect", [Dialect.MYST, Dialect.MKDOCS])
def test_the_site_and_previews_show_every_mark_in_every_place(
    tmp_path: Path, dialect: Dialect
) -> None:
    all_pages = pages(dialect)
    docs = {f"src/docs/{path}": text for path, (text, _) in all_pages.items()}
    configuration = CONFIGURATION.format(dialect)
    files = {"pyproject.toml": configuration, "src/docs/index.md": "# Home\n"}
    write_tree(tmp_path, files | docs)
    project = SiteProject(tmp_path, "docs")
    project.run("sync", "--no-execute")
    for path in (tmp_path / "translations" / "zh_CN").rglob("*.po"):
        edit_catalog(path, translated)
    project.run("build", "--no-execute")
    project.run("site", "--no-execute")
    for name, (text, kind) in all_pages.items():
        page = Path(name).with_suffix(".html")
        preview = content(tmp_path / "build/zh_CN/docs/html" / page)
        article = content(project.site / page)
        for shown in (preview, article):
            words = re.sub(r"\s+", "", shown.text)
            assert words.count("译") >= len(KINDS[kind].words), text
            assert not MARKS.search(words), text
            assert not ELEMENTS.get(kind) or shown.select(ELEMENTS[kind]), text
        ids = [str(tag["id"]) for tag in article.select("[id]")]
        assert len(ids) == len(set(ids)), text
        blocks = article.select(".jz-translated")
        assert len(blocks) == len(KINDS[kind].words), text
        english = article.select(".jz-en")
        kept = article.select("dt.jz-en")  # a term's English, which is a term as well
        assert len(english) >= len(blocks) - len(kept), text
