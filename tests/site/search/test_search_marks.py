"""Marks of what was looked for, on the page that a result leads to, in a real Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING

import pytest
from places import ROOT
from site_chromium import PHONE, Reader

from pipeline.site.extension.theme import words_script

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

_SCRIPTS = ("search.js", "search-marks.js")
_PAGE = """<!doctype html><html lang="en" data-content_root="./"><meta charset="utf-8">
<nav>tea pot <a href="#">tea</a></nav><div id="searchbox"></div>
<article class="bd-article"><p class="jz-fresh">tea pot of today</p>{}</article>
<script src="words.js"></script><script src="search.js"></script>
<script src="search-marks.js"></script></html>"""
_FILLER = '<div style="height: 3000px">water</div>'
MARK = ".jz-match"

Open = Callable[..., "Page"]


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Reader]:
    reader = Reader(browser, "", viewport=PHONE)
    yield reader
    reader.close()


@pytest.fixture
def show(tmp_path: Path, reader: Reader) -> Iterator[Open]:
    """Opens a page with this text, as a result for ``words`` leads to it."""
    reader.said.clear()

    def opened(text: str, words: str, anchor: str = "") -> Page:
        for name in _SCRIPTS:
            copyfile(ROOT / "pipeline" / "site" / "static" / name, tmp_path / name)
        (tmp_path / "words.js").write_text(words_script("de"), encoding="utf-8")
        (tmp_path / "page.html").write_text(_PAGE.format(text), encoding="utf-8")
        assert reader.said == []
        reader.page.goto("about:blank")  # nothing is scrolled yet
        return reader.open(f"{tmp_path.as_uri()}/page.html?highlight={words}{anchor}")

    yield opened
    assert reader.said == []


def marked(page: Page) -> list[str]:
    return page.locator(MARK).all_inner_texts()


def is_seen(page: Page, selector: str) -> bool:
    box = page.locator(selector).first.bounding_box()
    return box is not None and 0 <= box["y"] <= PHONE["height"]


@pytest.mark.parametrize(
    ("text", "words", "marks"),
    [
        ("<p>Tea, my_tea, teapot, steam</p>", "tea", ["Tea", "tea", "tea"]),
        ("<p>泡<a href='#'>茶</a>，泡茶</p>", "泡茶", ["泡", "茶", "泡茶"]),
        (
            "<pre><span>jar</span><span>.</span><span>tea</span>()</pre>",
            "jar.tea",
            ["jar", ".", "tea"],
        ),
        ("<table><tr><td>tea<td>pot</table>", "tea%20pot", ["tea", "pot"]),
        # Two lines are no word.
        ("<ul><li>te</li><li>a</li></ul>", "tea", []),
        ("<h2>tea<a class=headerlink>tea</a></h2>", "tea", ["tea"]),
        ("<p>tea<button>tea</button><math>tea</math></p>", "tea", ["tea"]),
        ("<p>tea.pot te+a (tea</p>", "%28tea%20te%2Ba", ["tea", "te", "a", "tea"]),
        ("<p>tea</p>", "%20", []),
    ],
)
def test_all_of_it_is_marked_in_the_text_alone(
    show: Open, text: str, words: str, marks: list[str]
) -> None:
    page = show(text, words)
    assert marked(page) == marks
    assert page.locator("nav mark, .jz-fresh mark").count() == 0
    assert page.locator(".jz-unmark").count() == int(bool(marks))
    # Who copies the address wants the page.
    assert "highlight" not in page.url


def test_the_row_of_a_name_is_marked_that_shows_only_its_end(show: Open) -> None:
    rows = "".join(
        f'<tr><td><p data-jz-name="{name}"><a href="#"><code>{name[-5:]}</code></a></p></td>'
        "<td>words</td></tr>"
        for name in ("jar.tea.where", "jar.pot.where", "jar.awhere")
    )
    page = show(f"{_FILLER}<p>where</p>{_FILLER}<table>{rows}</table>", "tea.where")
    assert page.locator("tr.jz-match-row").count() == 1
    assert marked(page) == ["where"]
    assert is_seen(page, f"tr {MARK}")
    # By its end alone both are meant, and the row comes before the text.
    page = show(f"{_FILLER}<p>where</p>{_FILLER}<table>{rows}</table>", "where")
    assert page.locator("tr.jz-match-row").count() == 2
    assert is_seen(page, f"tr {MARK}")


def test_the_first_mark_of_the_part_is_scrolled_to(show: Open) -> None:
    text = f"<p>tea</p>{_FILLER}<section id=part><h2>Part</h2>{_FILLER}<p>tea</p></section>"
    page = show(text, "tea", "#part")
    assert is_seen(page, f"section {MARK}")
    assert is_seen(show(text, "tea"), MARK)
    # What cannot be seen is nothing to scroll to.
    hidden = f"<p hidden>tea</p>{_FILLER}<p class=shown>tea</p>"
    assert is_seen(show(hidden, "tea"), f".shown {MARK}")


@pytest.mark.parametrize("way", ["button", "key"])
def test_marks_are_taken_away(show: Open, way: str) -> None:
    page = show('<ul><li data-jz-name="a.tea">tea</li></ul><p>tea</p>', "tea")
    button = page.locator(".jz-unmark")
    assert button.inner_text() == "Hide the marks"
    if way == "button":
        button.click()
    else:
        page.keyboard.press("Escape")
    assert page.locator(f"{MARK}, .jz-match-row, .jz-unmark").count() == 0
    assert page.locator("article p:last-child").inner_html() == "tea"


@pytest.mark.parametrize(
    "words",
    ["%3Cimg%20src=x%20onerror=hit()%3E", "(((((", "%5C", "a%20" * 2_000, "tea#%E0%A4"],
)
def test_an_address_may_say_anything(show: Open, words: str) -> None:
    page = show("<p>&lt;img src=x onerror=hit()&gt; tea</p>", words)
    assert page.locator("img").count() == 0
    assert page.locator("article > p:last-child").inner_text().endswith("tea")
