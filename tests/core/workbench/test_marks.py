"""Marks around messages: found again in HTML, and without any effect on what is rendered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from places import ROOT

from pipeline.adapters.html.images import PageFolder
from pipeline.adapters.html.myst import markdown_html
from pipeline.adapters.html.rst import rst_html
from pipeline.core.document.reader import Document, read_document
from pipeline.core.workbench.marks import (
    MarkedHtml,
    marked_text,
    read_marks,
    without_marks,
)

SAMPLES = sorted(
    path
    for suffix in ("md", "rst", "ipynb")
    for path in (ROOT / "upstream" / "sample").rglob(f"*.{suffix}")
)


def render(document: Document, text: str) -> str:
    """A text of the document as the preview shows it."""
    if document.path.endswith(".rst"):
        return rst_html(text, folder=PageFolder(Path()))
    return markdown_html(text, folder=PageFolder(Path()))


def marked(source: str, path: str = "page.md") -> MarkedHtml:
    """The HTML of a page, with its messages marked."""
    document = read_document(path, source.encode())
    split = document.units[0].split
    return read_marks(render(document, marked_text(split.text, split.messages)))


def without_elements(html: str) -> str:
    """HTML without the elements and attributes that the marks have become."""
    ours: list[bool] = []  # of the spans that are open
    parts: list[str] = []
    for part in re.split(r"(</?span\b[^>]*>)", html):
        if part.startswith("<span"):
            ours.append("data-block" in part)
        is_ours = part.startswith(("<span", "</span")) and ours[-1]
        if not is_ours:
            parts.append(re.sub(r' data-block="\d+"', "", part))
        if part.startswith("</span"):
            ours.pop()
    return "".join(parts)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_marks_change_nothing_but_what_they_mark(path: Path) -> None:
    document = read_document(path.name, path.read_bytes())
    for unit in document.units:
        text, messages = unit.split.text, unit.split.messages
        html = read_marks(render(document, marked_text(text, messages))).html
        assert "⁅" not in html
        plain = render(document, text)
        # A title that links name has a target before it, which takes its anchor.
        html = without_elements(html).replace('<span id="four-rules"></span>', "")
        assert html.replace('id="four-rules-1"', 'id="four-rules"') == plain


@pytest.mark.parametrize(
    ("source", "inner"),
    [
        ("# Tea\n\nUse *all*.\n", {0: "Tea", 1: "Use <em>all</em>."}),
        ("- one thing\n- two things\n", {0: "one thing", 1: "two things"}),
        ("**Mind** the `gap`\n", {0: "<strong>Mind</strong> the <code>gap</code>"}),
        ("Hot <br> tea\n", {0: "Hot <br> tea"}),
        ("| A head |\n| --- |\n| a cell |\n", {0: "A head", 1: "a cell"}),
        (":::{note} A title\nThe body.\n:::\n", {0: "A title", 1: "The body."}),
        ("<p>Some <b>words</b></p>\n", {0: "Some <b>words</b>"}),
    ],
)
def test_each_message_has_its_html(source: str, inner: dict[int, str]) -> None:
    assert marked(source).inner == inner


def test_the_anchor_of_a_heading_stays() -> None:
    assert 'id="hot-tea"' in marked("# Hot tea\n").html


def test_titles_of_rest_keep_their_lines() -> None:
    html = marked("===\nTea\n===\n\nPot\n---\n\n*Warm* it.\n", "page.rst")
    assert html.inner == {0: "Tea", 1: "Pot", 2: "<em>Warm</em> it."}


def test_an_image_is_the_element_of_its_text() -> None:
    found = marked("![A pot of tea](pot.png)\n")
    assert '<img data-block="0" src="pot.png" alt="A pot of tea"' in found.html
    assert 0 not in found.inner


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("<div>Some words</div> and more words\n", "page.md"),
        ("<p>Some words\n", "page.md"),
        (
            "+---------+------+\n| A cell  | over |\n| of tea  | two  |\n+---------+------+\n",
            "page.rst",
        ),
    ],
)
def test_what_cannot_be_marked_stays_as_it_is(source: str, path: str) -> None:
    document = read_document(path, source.encode())
    split = document.units[0].split
    text = marked_text(split.text, split.messages)
    assert without_elements(read_marks(render(document, text)).html) == render(
        document, source
    )


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>⁂†⁅a</p><p>b⁆†⁂</p>", "<p>a</p><p>b</p>"),  # in two elements
        ("<p>⁂†⁅a</p>", "<p>a</p>"),  # never ends
        ("<p>a⁆†⁂</p>", "<p>a</p>"),  # never begins
        ("</p></p>⁂†⁅a⁆†⁂", '</p></p><span data-block="0">a</span>'),
        ("<!-- ⁂†⁅a⁆†⁂ -->", "<!-- a -->"),
        ('<a title="⁆†⁂">a</a>', '<a title="">a</a>'),
        ("<hr/>⁂‡†⁅a⁆‡†⁂", '<hr/><span data-block="2">a</span>'),
        # The first pair is ours.
        ("⁂†⁅a⁆†⁂ ⁂†⁅b⁆†⁂", '<span data-block="0">a</span> b'),
        ("⁂†⁅a ⁂†⁅ b⁆†⁂", '<span data-block="0">a  b</span>'),
    ],
)
def test_odd_marks_are_removed(html: str, expected: str) -> None:
    assert read_marks(html).html == expected


def test_marks_can_be_taken_out() -> None:
    split = read_document("page.md", b"# Tea\n\nUse *all*.\n").units[0].split
    text = marked_text(split.text, split.messages, first=100)
    assert text != split.text
    assert without_marks(text) == split.text
