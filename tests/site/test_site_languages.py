"""A site of any language: words of its own table, English where there is none, Chinese nowhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from notebooks import code, notebook, prose
from site_chromium import DESKTOP, PHONE, Reader, readers
from workshop import Workshop

from pipeline.config.settings import SitePolicy

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

_HAN = re.compile(r"[\u3001-\u303f\u4e00-\u9fff\uff01-\uff5e]")
_LINES = "\n".join(["light"] * 90)
_FILES = {
    "index.md": "# Lamps\n\nHow lamps work, and how long they last.\n\n"
    "```{toctree}\n:caption: Guides\n\noil\ngas\nnotes\n```\n\n"
    "::::{grid} 2\n:::{grid-item}\n{octicon}`rocket` Guides\n:::\n:::{grid-item}\n"
    "{octicon}`light-bulb` Guides\n:::\n::::\n",
    "oil.md": "# Oil\n\nAn oil lamp burns for a night.\n\n- [ ] a wick\n\n"
    "| part | price |\n|---|---|\n| wick | 2 |\n\n"
    f"| wick |{' a_long_name_of_a_wick |' * 9}\n|---|{'---|' * 9}\n\n"
    f"<table><tr>{'<td>a_long_name_of_a_wick</td>' * 9}</tr></table>\n\n"
    f"```\n{_LINES}\n```\n\n```\n{'light ' * 90}\n```\n",
    "gas.rst": "Gas\n===\n\nA gas lamp burns for a week.\n\n.. image:: gone.png\n",
    "notes.ipynb": notebook(prose("A lamp in code."), code("light = 1"), title="# Notes"),
}
_POLICY = SitePolicy(
    title="Lamps",
    url="https://lamps.example/",
    english_url="https://en.lamps.example/",
    repository_url="https://example.org/lamps",
)
_GERMAN = {
    "Lamps": "Lampen",
    "How lamps work, and how long they last.": "Wie Lampen brennen.",
    "Guides": "Leitfäden",
    "Oil": "Öl",
    "{octicon}`rocket` Guides": "{octicon}`rocket` Anleitung",
    "{octicon}`light-bulb` Guides": "{octicon}`light-bulb` Licht",
    "a wick": "ein Docht",
    "part": "Teil",
}


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site in a language that has no table, with some blocks translated."""
    root = tmp_path_factory.mktemp("german")
    workshop = Workshop.of(root, _FILES, package="", locale="de", translations=_GERMAN)
    workshop.build(_POLICY, page_url="https://example.org/{path}")
    return workshop.target


def read(site: Path, name: str) -> str:
    return (site / name).read_text(encoding="utf-8")


def test_no_word_of_a_german_site_is_chinese(german: Path) -> None:
    ours = [
        path
        for path in german.rglob("*")
        if path.suffix in (".html", ".js", ".css", ".txt", ".xml", ".json", ".md")
        # Of others: what they bring speaks many languages.
        and path.name != "copybutton.js"
        and "mathjax" not in path.parts
    ]
    assert {"404.html", "words.js", "all.css", "atom.xml"} <= {path.name for path in ours}
    for path in ours:
        html = path.read_text(encoding="utf-8")
        # Comments of our scripts have examples.
        words = re.sub(r"^\s*//.*| // .*", "", html, flags=re.MULTILINE)
        assert _HAN.findall(words) == [], path


def test_the_switch_names_the_language_itself(german: Path) -> None:
    page = read(german, "oil.html")
    assert 'value="zh" autocomplete="off"><span>Deutsch</span>' in page
    assert 'aria-label="Language" title="Press b to switch"' in page


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("404.html", '<html lang="en"'),
        ("404.html", "<h1>Page not found</h1>"),
        ("llms.txt", "> Translation of the docs of demo, made from v1."),
        ("llms.txt", "## Leitfäden\n\n- [Öl](https://lamps.example/oil.md)\n"),
        ("progress.html", "</strong> of the text is translated</p>"),
        ("progress.html", '<a href="oil.html">Öl</a>'),
        ("glossary-de.html", "<h1>Glossary</h1>"),
        ("oil.html", 'href="glossary-de.html"'),
        ("oil.html", "50 % translated"),
        ("_static/words.js", '"translate": "Translate this paragraph"'),
        ("_static/styles/all.css", '--jz-said-fuzzy: "check"'),
    ],
)
def test_what_has_no_german_is_english(german: Path, name: str, words: str) -> None:
    assert words in read(german, name)


def test_the_picture_of_another_language_is_not_shown(german: Path) -> None:
    assert "og:image" not in read(german, "index.html")
    assert not (german / "glossary-zh.html").exists()


def test_a_page_that_is_not_there_has_a_search_and_the_chapters(german: Path) -> None:
    page = read(german, "404.html")
    assert '<form action="https://lamps.example/search.html" role="search">' in page
    assert '<input type="search" name="q" aria-label="Search">' in page
    assert '<nav aria-label="Main navigation"><ul><li lang="de">' in page
    assert '<a href="https://lamps.example/oil.html">Leitfäden</a></li></ul>' in page


# — what a browser makes of it —————————————————————


Open = Callable[..., "Page"]


@pytest.fixture
def pages(german: Path, browser: Browser) -> Iterator[Open]:
    """Opens pages in windows of any size."""
    with readers(browser, f"{german.as_uri()}/") as new:
        made: list[Reader] = []

        def opened(name: str, **window: Any) -> Page:
            made.append(new(**window))
            return made[-1].open(name)

        yield opened
        assert [reader.said for reader in made] == [[] for _ in made]


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 360, 390, 768])
def test_a_phone_has_the_link_to_english(pages: Open, width: int) -> None:
    page = pages("oil.html", viewport={"width": width, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    controls = page.locator(".bd-header-article :is(.sidebar-toggle, .jz-toggle, a, .btn)")
    boxes = [one.bounding_box() for one in controls.all() if one.is_visible()]
    edges = [(box["x"], box["x"] + box["width"]) for box in boxes if box]
    assert page.locator(".jz-to-english").is_visible()
    assert all(end <= start for (_, end), (start, _) in pairwise(edges)), edges


@pytest.mark.browser
@pytest.mark.parametrize("window", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_no_mark_lies_on_the_next_column(pages: Open, window: dict[str, int]) -> None:
    page = pages("index.html", viewport=window)
    mark = page.locator(".sd-col .jz-mark").first.bounding_box()
    icons = page.locator(".sd-col svg:visible").all()
    beside = icons[-1].bounding_box()
    assert mark
    assert beside
    assert mark["y"] < beside["y"] + beside["height"]  # in one row
    assert mark["x"] + mark["width"] <= beside["x"]


@pytest.mark.browser
def test_what_was_looked_for_is_marked_in_the_text_alone(pages: Open) -> None:
    page = pages("oil.html?highlight=oil%20gas", viewport=DESKTOP)
    assert page.locator(".jz-unmark").inner_text() == "Hide the marks"
    mark = page.locator(".bd-article p > .jz-match:visible").first
    mark.wait_for()
    line = "(mark) => getComputedStyle(mark).textDecorationLine"
    assert mark.evaluate(line) == "underline"
    assert page.locator("body :not(.bd-article *) > mark").count() == 0
    assert page.locator(".jz-fresh mark").count() == 0


@pytest.mark.browser
def test_long_code_may_go_on_on_the_next_sheet(pages: Open) -> None:
    page = pages("oil.html", viewport=DESKTOP)
    page.emulate_media(media="print")
    breaks = page.locator(".bd-article pre").first.evaluate(
        "(code) => { const all = []; for (let one = code; one.closest('article');"
        " one = one.parentElement) all.push(getComputedStyle(one).breakInside);"
        " return all; }"
    )
    assert set(breaks) == {"auto"}


# — navigation in the language of the view ———————————————


def test_the_navigation_has_both_languages_on_every_page(german: Path) -> None:
    both = '<span class="jz-zh">Öl</span><span class="jz-en" lang="en">Oil</span>'
    page = read(german, "gas.html")
    assert f'href="oil.html">{both}</a>' in page
    assert f'<p class="prev-next-title">{both}</p>' in page
    # What stands between quotation marks is in one language.
    assert '<link rel="prev" title="Öl" href="oil.html"' in page
    # A title that is not translated stands there once.
    assert re.search(r'href="gas.html"[^>]*>Gas<', read(german, "oil.html"))


@pytest.mark.browser
def test_the_english_view_has_english_navigation(pages: Open) -> None:
    page = pages("gas.html", viewport=DESKTOP)
    around = page.locator(".bd-sidebar-primary, .prev-next-area")
    assert [text.count("Öl") for text in around.all_inner_texts()] == [1, 1]
    page.keyboard.press("b")
    assert "Oil" not in "".join(around.all_inner_texts()), "there is no room for both"
    page.keyboard.press("b")
    assert [text.count("Oil") for text in around.all_inner_texts()] == [1, 1]
    assert not re.search("Öl|Lampen", "".join(around.all_inner_texts()))


# — what the marks and links to English mean —————————————————


def test_each_view_says_what_it_shows(german: Path) -> None:
    page = read(german, "oil.html")
    for words in ("the translation only", "each paragraph in both", "the English only"):
        assert re.search(rf'<label title="Show {words}[^"]*&#10;Press b to switch">', page)


def test_the_link_to_the_original_is_no_mark(german: Path) -> None:
    link = re.search(r'<a class="jz-header-link jz-to-english".*?</a>', read(german, "oil.html"))
    assert link
    assert link[0].endswith("><span>Original</span></a>")
    assert "on the English site" in link[0]


@pytest.mark.browser
def test_the_foot_of_a_page_explains_its_marks(pages: Open) -> None:
    page = pages("oil.html", viewport=DESKTOP)
    legend = page.locator(".jz-legend")
    assert legend.inner_text() == "EN: the link leads to a page in English."
    page.locator(".jz-lang:not(.jz-legend *)").evaluate_all(
        "(marks) => { for (const mark of marks) mark.remove(); }"
    )
    assert not legend.is_visible(), "there is nothing to explain"


# — what is wider than a phone ———————————————————————


@pytest.mark.browser
def test_what_scrolls_says_so_and_the_keyboard_reaches_it(pages: Open) -> None:
    page = pages("oil.html", viewport=PHONE)
    page.wait_for_function("document.querySelectorAll('.bd-article [tabindex=\"0\"]')")
    boxes = page.locator(".bd-article :is(pre, table, .pst-scrollable-table-container)")
    wide = boxes.evaluate_all(
        """(boxes) => boxes.filter((box) => box.scrollWidth > box.clientWidth)
          .map((box) => [box.localName, getComputedStyle(box).backgroundAttachment])"""
    )
    shadows = "local, local, scroll, scroll"
    assert wide == [[kind, shadows] for kind in ("div", "table", "pre")]
    reached = boxes.evaluate_all(
        """(boxes) => boxes.filter((box) => box.localName !== "pre")
          .map((box) => [box.scrollWidth > box.clientWidth, box.tabIndex === 0])"""
    )
    assert all(is_wide == is_reached for is_wide, is_reached in reached), reached
