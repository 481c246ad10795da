"""Marks around messages: found again in HTML, and without any effect on what is rendered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from places import ROOT

from pipeline.adapters.html.images import PageFolder
from pipeline.adapters.html.myst import markdown_html
from pipeline.adapters.html.rst import rst_html
from pipeline.core.document.reader import Document, Unit, read_document
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
    shown = rst_html if document.path.endswith(".rst") else markdown_html
    return shown(text, folder=PageFolder(Path()))


def marked(source: str, path: str = "page.md") -> MarkedHtml:
    """The HTML of a page, with its messages marked."""
    document = read_document(path, source.encode())
    return marked_unit(document, document.units[0])


def marked_unit(document: Document, unit: Unit) -> MarkedHtml:
    text = marked_text(unit.split.text, unit.split.messages)
    return read_marks(render(document, text))


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
        html = marked_unit(document, unit).html
        assert "⁅" not in html
        # A title that links name has a target before it, which takes its anchor.
        html = without_elements(html).replace('<span id="four-rules"></span>', "")
        plain = render(document, unit.split.text)
        assert html.replace('id="four-rules-1"', 'id="four-rules"') == plain


@pytest.mark.parametrize(
    ("source", "inner"),
    [
        ("# Tea\n\nUse *all*.\n", ["Tea", "Use <em>all</em>."]),
        ("- one thing\n- two things\n", ["one thing", "two things"]),
        ("**Mind** the `gap`\n", ["<strong>Mind</strong> the <code>gap</code>"]),
        ("Hot <br> tea\n", ["Hot <br> tea"]),
        ("| A head |\n| --- |\n| a cell |\n", ["A head", "a cell"]),
        (":::{note} A title\nThe body.\n:::\n", ["A title", "The body."]),
        ("<p>Some <b>words</b></p>\n", ["Some <b>words</b>"]),
    ],
)
def test_each_message_has_its_html(source: str, inner: list[str]) -> None:
    assert marked(source).inner == dict(enumerate(inner))


def test_titles_of_rest_keep_their_lines() -> None:
    html = marked("===\nTea\n===\n\nPot\n---\n\n*Warm* it.\n", "page.rst")
    assert html.inner == {0: "Tea", 1: "Pot", 2: "<em>Warm</em> it."}


def test_the_anchor_of_a_heading_stays() -> None:
    assert 'id="hot-tea"' in marked("# Hot tea\n").html


def test_an_image_is_the_element_of_its_text() -> None:
    found = marked("![A pot of tea](pot.png)\n")
    assert '<img data-block="0" src="pot.png" alt="A pot of tea"' in found.html
    assert 0 not in found.inner


TABLE = """\
+---------+------+
| A cell  | over |
| of tea  | two  |
+---------+------+
"""


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("<div>Some words</div> and more words\n", "page.md"),
        ("<p>Some words\n", "page.md"),
        (TABLE, "page.rst"),
    ],
)
def test_what_cannot_be_marked_stays_as_it_is(source: str, path: str) -> None:
    plain = render(read_document(path, source.encode()), source)
    assert without_elements(marked(source, path).html) == plain


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
