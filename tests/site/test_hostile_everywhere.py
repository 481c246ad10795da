"""Payloads in the configuration, in pages, catalogues, the glossary and git: none of them is live.

One project is made with all of them, and what it publishes is parsed: site, previews, reports,
feed, twins, and the answers of the workbench.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from catalog_files import edit_catalog
from folders import write_tree
from hostile_config import as_toml, configuration
from live_html import (
    ADDRESS,
    ATTRIBUTES,
    ELEMENT,
    LINK,
    PAYLOAD,
    QUOTES,
    REBUILT,
    live_in,
)
from markdown_it import MarkdownIt
from msgspec.structs import replace
from notebooks import Cell, code, display, notebook_value, prose
from repositories import git
from site_projects import SiteProject
from workbench import ask, workbench_of

from pipeline.entries import Entry
from pipeline.site.progress import SiteSummary, front_page

pytestmark = pytest.mark.slow

FRONT_MATTER, OUTPUTS = "matter", "outputs"
# No name that a file may have on any system has < or a quotation mark.
ODD_NAME = "a' title=live onx=1 & 'x"
VALUE = json.dumps(PAYLOAD, ensure_ascii=False)
QUOTED = PAYLOAD.replace("<", "\\<").replace("[", "\\[")
PAGES = {
    "plain.md": f"# Plain\n\nSome {QUOTED} words, and a kettle.\n",
    f"{ODD_NAME}.md": "# Odd\n\nSome words.\n",
    "rest.rst": "Rest\n====\n\nSome words, and a kettle.\n",
    f"{FRONT_MATTER}.md": f"""---
title: {VALUE}
author: {VALUE}
date: {VALUE}
myst:
  html_meta:
    description: {VALUE}
    "property=og:title": {VALUE}
    keywords: {VALUE}
  substitutions: {{word: {VALUE}}}
jupytext: {{notebook_metadata_filter: {VALUE}}}
other: {VALUE}
---
# Matter

Some words.
""",
}
MEDIA = (
    *("text/plain", "text/html", "text/markdown", "text/latex", "image/svg+xml"),
    *("application/javascript", "application/json"),
)


def outputs() -> list[Cell]:
    """Return outputs of every kind whose texts are payloads."""
    streams = ("stdout", "stderr")
    return [
        *({"output_type": "stream", "name": name, "text": PAYLOAD} for name in streams),
        {
            "output_type": "error",
            "ename": PAYLOAD,
            "evalue": PAYLOAD,
            "traceback": [PAYLOAD],
        },
        *(
            display({media: PAYLOAD}, **{media: {"width": PAYLOAD, "alt": PAYLOAD}})
            for media in MEDIA
        ),
    ]


def outputs_page(*, ran: bool) -> str:
    """Return a notebook, as upstream has it or as it is when it ran."""
    value = notebook_value(
        prose("# Outputs\n\nWords."),
        code("1 + 1", outputs=outputs() if ran else ()),
        title=PAYLOAD,
        authors=[{"name": PAYLOAD}],
        kernelspec={"name": "python3", "display_name": PAYLOAD},
    )
    return json.dumps(value)


class Built(SiteProject, frozen=True):
    """The project when everything is made, and what ``review`` shows."""

    review: str

    @property
    def pages(self) -> dict[str, str]:
        """Every HTML page by its path, and the list of pages for programs as HTML."""
        build = self.root / "build"
        pages = {
            path.relative_to(build).as_posix(): path.read_text("utf-8")
            for path in sorted(build.rglob("*.html"))
            if "_static" not in path.parts and "site-src" not in path.parts
        }
        # Some tools show it as HTML.
        return {**pages, "llms.txt": MarkdownIt().render(self.read("llms.txt"))}


def translate(root: Path) -> None:
    """Translate what has a kettle, and sign all catalogues."""
    header = {
        "Last-Translator": f"{PAYLOAD} <li@example.org>",
        "PO-Revision-Date": "2026-01-02 03:04+0800",
    }
    for path in (root / "translations" / "zh_CN" / "sample").rglob("*.po"):
        edit_catalog(path, translated, header)


def translated(entry: Entry) -> Entry:
    if "kettle" not in entry.msgid:
        return entry
    return replace(entry, msgstr=entry.msgid.replace("and a kettle", "和水壶"))


def glossary_text() -> str:
    """Return a glossary with a payload in every cell; a term may have 100 letters."""
    head = ["source", "target", "context", "translator_comments"]
    tricks = (ELEMENT, QUOTES, REBUILT, ATTRIBUTES, ADDRESS, LINK)
    rows = [[trick, trick, "", PAYLOAD] for trick in tricks]
    text = StringIO()
    csv.writer(text).writerows([head, *rows, ["words", "词<b title=live>", "", PAYLOAD]])
    return text.getvalue()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    root = tmp_path_factory.mktemp("everywhere") / "project"
    project = SiteProject(root, "sample")
    names = "\n".join(f"/{path.rpartition('.')[0]}" for path in PAGES)
    index = f"# Index\n\n```{{toctree}}\n:caption: {PAYLOAD}\n{names}\noutputs\n```\n"
    files = {**PAGES, "index.md": index, f"{OUTPUTS}.ipynb": outputs_page(ran=False)}
    write_tree(root / "upstream" / "sample", files)
    project.write("pyproject.toml", as_toml(configuration()))
    project.write("translations/glossary/zh_CN.csv", glossary_text())
    project.write(".gitignore", "/build/\n/translations/zh_CN/\n/upstream/\n")
    git(root, "init", "-q", "-b", "x<b-title=live>'y")
    git(root, "config", "user.name", PAYLOAD)
    git(root, "config", "user.email", "'><b-title=live>@example.org")
    project.commit(PAYLOAD)
    project.run("sync", "sample", "--no-execute")
    project.commit(PAYLOAD)
    translate(root)
    project.run("sync", "sample", "--no-execute")
    executed = f"build/zh_CN/sample/executed/{OUTPUTS}.ipynb"
    project.write(executed, outputs_page(ran=True))
    project.commit(PAYLOAD)
    project.run("build", "sample", "--no-execute", code=7)
    project.run("site", "sample", "--no-execute", "--show-fuzzy")
    project.run("review", "HEAD~1")
    review = (root / "build" / "review.html").read_text("utf-8")
    return Built(root, "sample", review)


def test_nothing_is_live_on_any_page(built: Built) -> None:
    live = {path: live_in(html) for path, html in built.pages.items()}
    assert len(live) > 12
    # HTML that code has printed is shown as HTML: bold words of it are bold, and do nothing.
    bold = {"<b title='live'>", "<i title='live'>"}
    for path in ("site/sample/outputs.html", "zh_CN/sample/html/outputs.html"):
        live[path] = [mark for mark in live[path] if mark not in bold]
    assert {path: marks for path, marks in live.items() if marks} == {}


def test_payloads_did_arrive(built: Built) -> None:
    pages = built.pages
    for path in ("site/sample/plain.html", "zh_CN/sample/html/plain.html"):
        assert "&lt;b title=live&gt;" in pages[path]
    assert "&lt;b title=live&gt;" in pages["site/sample/glossary-zh.html"]
    assert "&lt;b title=live&gt;" in pages["site/sample/progress.html"]


def test_review_has_nothing_live(built: Built) -> None:
    assert "kettle" in built.review
    assert live_in(built.review) == []


def test_the_feed_has_words_only(built: Built) -> None:
    feed = ElementTree.fromstring(built.read("atom.xml"))
    title = feed.find("{http://www.w3.org/2005/Atom}title")
    assert title is not None
    assert title.text == PAYLOAD
    assert all(not key.startswith("on") for one in feed.iter() for key in one.attrib)
    for link in feed.iter("{http://www.w3.org/2005/Atom}link"):
        assert not link.get("href", "").startswith("javascript:")


def answers(built: Built) -> Iterator[str]:
    """Yield what the workbench shows as HTML: itself, pages, and messages as they are typed."""
    workbench = workbench_of(built.root)
    with workbench.client() as client:
        yield client.get("").text
        for row in ask(client, "pages"):
            page = row["page"]
            if page in (FRONT_MATTER, OUTPUTS):
                continue
            yield workbench.desk.frame(page)
            yield ask(client, "body", page=page)["html"]
            for block in ask(client, "page", page=page)["blocks"]:
                of = {"page": page, "number": block["number"], "msgid": block["msgid"]}
                msgstr = f"{block['msgid']} {QUOTED}"
                yield ask(client, "preview", **of, msgstr=msgstr)["html"] or ""


def test_the_workbench_shows_nothing_live(built: Built) -> None:
    shown = list(answers(built))
    assert len(shown) > 5
    assert [live_in(html) for html in shown] == [[] for _ in shown]


def test_the_page_of_all_sites_has_nothing_live() -> None:
    progress = {"translated": 1, "words": 2, "title": PAYLOAD, "release": PAYLOAD}
    site = SiteSummary(name="x", title=PAYLOAD, progress=progress)
    assert live_in(front_page([site], locale="zh_CN")) == []
    assert ELEMENT not in front_page([site], locale="zh_CN")
