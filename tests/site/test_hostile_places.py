"""Every place where a text of somebody else goes, in a browser: it arrives as text.

Titles, messages, terms, notes and names of translators show markup in this project (see
``hostile_texts``). ``PLACES`` says where each of them has to be seen, letter by letter; beside that
no page may have run anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

import pytest
from hostile_texts import (
    ADDRESS,
    IMAGE,
    MARKDOWN,
    NOTE,
    SCRIPT,
    TERM,
    TRANSLATOR,
    make_project,
    translate,
)
from in_process import run_in
from servers import served
from site_chromium import Reader

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.kernel,
    pytest.mark.browser,
]

SITE = "site/sample/"
PREVIEW = "zh_CN/sample/html/"
# What a browser would have made of a text that arrived as markup.
_RUNS = """() => {
  const all = [...document.querySelectorAll("*")];
  const told = (element, name) => `${element.tagName} ${name}`;
  return {
    hit: window.hit ?? null,
    images: document.querySelectorAll('img[src="x"]').length,
    scripts: [...document.scripts].filter((one) => /window\\.hit/.test(one.text)).length,
    handlers: all.flatMap((one) => [...one.attributes]
      .filter((own) => own.name.startsWith("on") && /hit/.test(own.value))
      .map((own) => told(one, own.name))),
    addresses: all.flatMap((one) => [...one.attributes]
      .filter((own) => /^(href|src|action|data|formaction)$/.test(own.name))
      .filter((own) => /^\\s*javascript:(window|c)/i.test(own.value))
      .map((own) => told(one, own.value))),
  };
}"""
_NOTHING: dict[str, object] = {
    "hit": None,
    "images": 0,
    "scripts": 0,
    "handlers": [],
    "addresses": [],
}


class Place(NamedTuple):
    """Where a text has to be seen: on which page, in which element, perhaps in an attribute."""

    page: str
    selector: str
    text: str
    attribute: str = ""


PLACES = {
    # a page
    "name of the tab": Place(f"{SITE}pots.html", "title", f"锅具 {IMAGE}"),
    "heading": Place(f"{SITE}pots.html", "h1 > .jz-zh", f"锅具 {IMAGE}"),
    "heading in English": Place(f"{SITE}pots.html", "h1 > .jz-en", f"Pots {IMAGE}"),
    "heading of reST": Place(f"{SITE}lids.html", "h1 > .jz-zh", f"锅盖 {IMAGE}"),
    "heading of a section": Place(f"{SITE}pots.html", "h2 > .jz-zh", f"把手 {SCRIPT}"),
    "heading for print": Place(f"{SITE}pots.html", ".onlyprint h1", f"锅具 {IMAGE}"),
    "paragraph": Place(f"{SITE}index.html", "p.jz-translated", f"水壶 {SCRIPT} 在唱"),
    "address in a paragraph": Place(f"{SITE}index.html", "p.jz-translated", ADDRESS),
    "code in a paragraph": Place(f"{SITE}index.html", "p.jz-translated code", IMAGE),
    "paragraph in English": Place(f"{SITE}index.html", "p.jz-en", f"kettle {SCRIPT}"),
    "paragraph of reST": Place(f"{SITE}lids.html", "p.jz-translated", f"配 {SCRIPT}"),
    "untranslated": Place(
        f"{SITE}pots.html", "p.jz-english", f"translated this {IMAGE}"
    ),
    "fuzzy": Place(f"{SITE}pots.html", "p.jz-fuzzy", f"把手会变烫 {SCRIPT}"),
    "title of a note": Place(f"{SITE}lids.html", ".admonition-title", f"小心 {IMAGE}"),
    "head of a table": Place(f"{SITE}pots.html", "th .jz-zh", f"锅 {IMAGE}"),
    "cell of a table": Place(f"{SITE}pots.html", "td .jz-zh", f"小 {SCRIPT}"),
    "code cell": Place(f"{SITE}tables.html", ".cell_input pre", IMAGE),
    "output": Place(f"{SITE}tables.html", ".cell_output pre", IMAGE),
    "caption of the contents": Place(
        f"{SITE}index.html", ".toctree-wrapper .caption-text", f"Rooms {IMAGE}"
    ),
    "contents": Place(f"{SITE}index.html", ".toctree-wrapper a", f"锅具 {IMAGE}"),
    # around a page
    "navigation": Place(f"{SITE}index.html", ".bd-docs-nav a", f"锅具 {IMAGE}"),
    "caption in the navigation": Place(
        f"{SITE}index.html", ".bd-docs-nav .caption-text", f"Rooms {IMAGE}"
    ),
    "contents of the page": Place(
        f"{SITE}pots.html", ".page-toc a .jz-zh, .bd-toc-nav a .jz-zh", f"把手 {SCRIPT}"
    ),
    "next page": Place(f"{SITE}index.html", ".prev-next-title", f"锅具 {IMAGE}"),
    "relation": Place(f"{SITE}index.html", "link[rel=next]", f"锅具 {IMAGE}", "title"),
    # terms
    "term": Place(f"{SITE}pots.html", ".jz-term", TERM, "data-jz-title"),
    "glossary, term": Place(f"{SITE}glossary-zh.html", ".jz-glossary td", TERM),
    "glossary, note": Place(f"{SITE}glossary-zh.html", ".jz-glossary td", NOTE),
    # progress
    "progress, what is next": Place(
        f"{SITE}progress.html", ".jz-next a", f"锅具 {IMAGE}"
    ),
    "progress, table": Place(f"{SITE}progress.html", ".jz-table a", f"锅具 {IMAGE}"),
    "progress, people": Place(f"{SITE}progress.html", ".jz-people span", TRANSLATOR),
    # search
    "search, title": Place(
        f"{SITE}search.html?q=锅具", "#search-results li > a", f"锅具 {IMAGE}"
    ),
    "search, section": Place(
        f"{SITE}search.html?q={quote(f'把手 {SCRIPT}')}",
        "#search-results li > a",
        f"把手 {SCRIPT}",
    ),
    "search, context": Place(
        f"{SITE}search.html?q=水壶", "#search-results li p", f"水壶 {SCRIPT}"
    ),
    "search, what was asked for": Place(
        f"{SITE}search.html?q={quote(IMAGE)}",
        ".bd-search-container input[name=q]",
        IMAGE,
        "value",
    ),
    # previews
    "previews, list": Place(f"{PREVIEW}index.html", "td a", f"锅具 {IMAGE}"),
    "preview, name of the tab": Place(f"{PREVIEW}pots.html", "title", IMAGE),
    "preview, heading": Place(f"{PREVIEW}pots.html", "main h1", f"锅具 {IMAGE}"),
    "preview, paragraph": Place(f"{PREVIEW}index.html", "td a", f"厨房 {IMAGE}"),
    "preview of reST": Place(f"{PREVIEW}lids.html", "main h1", f"锅盖 {IMAGE}"),
    "preview of a notebook": Place(
        f"{PREVIEW}tables.html", "main h1", f"桌子 {SCRIPT} {MARKDOWN}"
    ),
    # the report of a run
    "report, title": Place("report.html", ".title", f"锅具 {IMAGE}"),
    "report, words to search": Place(
        "report.html", "#page-pots", f"锅具 {IMAGE}", "data-words"
    ),
}


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder ``build`` of the hostile project: site, previews and report."""
    root = tmp_path_factory.mktemp("hostile") / "project"
    make_project(root)
    for words in (
        ("sync", "sample", "--no-execute"),
        ("build", "sample"),
        ("site", "sample", "--show-fuzzy"),
    ):
        done = run_in(root, *words)
        assert done.returncode == 0, done.stderr
        if words[0] == "sync":
            translate(root)
    return root / "build"


@pytest.fixture(scope="module")
def reader(build: Path, browser: Browser) -> Iterator[Reader]:
    with served(build) as address:
        reader = Reader(browser, address)
        yield reader
        reader.close()


def texts(page: Page, place: Place) -> list[str]:
    """What stands in all elements of a place, once there are any."""
    found = page.locator(place.selector)
    found.first.wait_for(state="attached")
    if place.attribute == "value":
        return [found.first.input_value()]
    if place.attribute:
        return [one.get_attribute(place.attribute) or "" for one in found.all()]
    return [text or "" for text in found.all_text_contents()]


@pytest.mark.parametrize("path", dict.fromkeys(place.page for place in PLACES.values()))
def test_texts_arrive_as_text(reader: Reader, path: str) -> None:
    page = reader.open(path)
    changed: dict[str, list[str]] = {}
    for name, place in PLACES.items():
        if place.page == path:
            seen = [" ".join(text.split()) for text in texts(page, place)]
            if not any(place.text in text for text in seen):
                changed[name] = seen
    assert changed == {}
    assert page.evaluate(_RUNS) == _NOTHING


def test_the_tooltip_of_a_term_shows_it_as_text(reader: Reader) -> None:
    page = reader.open(f"{SITE}pots.html")
    page.locator(".jz-term").first.focus()
    assert page.locator("#jz-tip").text_content() == TERM
    assert page.evaluate(_RUNS) == _NOTHING


def test_no_page_runs_anything(build: Path, reader: Reader) -> None:
    pages = [path.relative_to(build).as_posix() for path in build.rglob("*.html")]
    pages = [path for path in sorted(pages) if "_static" not in path]
    assert len(pages) > 12
    for path in pages:
        page = reader.open(path)
        page.wait_for_timeout(100)  # for an image that cannot be loaded to say so
        assert page.evaluate(_RUNS) == _NOTHING, path
        assert not reader.foreign(), path
