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
from servers import served
from site_chromium import Reader
from site_projects import SiteProject

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.kernel, pytest.mark.browser]

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


POTS, HANDLE = f"锅具 {IMAGE}", f"把手 {SCRIPT}"


class Place(NamedTuple):
    """Where a text has to be seen: in which element of a page, perhaps in an attribute."""

    selector: str
    text: str
    attribute: str = ""


PLACES = {
    f"{SITE}pots.html": [
        Place("title", POTS),
        Place("h1 > .jz-zh", POTS),
        Place("h1 > .jz-en", f"Pots {IMAGE}"),
        Place("h2 > .jz-zh", HANDLE),
        Place(".onlyprint h1", POTS),
        Place("p.jz-english", f"translated this {IMAGE}"),
        Place("p.jz-fuzzy", f"把手会变烫 {SCRIPT}"),
        Place("th .jz-zh", f"锅 {IMAGE}"),
        Place("td .jz-zh", f"小 {SCRIPT}"),
        Place(".page-toc a .jz-zh, .bd-toc-nav a .jz-zh", HANDLE),
        Place(".jz-term", TERM, "data-jz-title"),
    ],
    f"{SITE}lids.html": [
        Place("h1 > .jz-zh", f"锅盖 {IMAGE}"),
        Place("p.jz-translated", f"配 {SCRIPT}"),
        Place(".admonition-title", f"小心 {IMAGE}"),
    ],
    f"{SITE}index.html": [
        Place("p.jz-translated", f"水壶 {SCRIPT} 在唱"),
        Place("p.jz-translated", ADDRESS),
        Place("p.jz-translated code", IMAGE),
        Place("p.jz-en", f"kettle {SCRIPT}"),
        Place(".toctree-wrapper .caption-text", f"Rooms {IMAGE}"),
        Place(".toctree-wrapper a", POTS),
        Place(".bd-docs-nav a", POTS),
        Place(".bd-docs-nav .caption-text", f"Rooms {IMAGE}"),
        Place(".prev-next-title", POTS),
        Place("link[rel=next]", POTS, "title"),
    ],
    f"{SITE}tables.html": [
        Place(".cell_input pre", IMAGE),
        Place(".cell_output pre", IMAGE),
    ],
    f"{SITE}glossary-zh.html": [
        Place(".jz-glossary td", TERM),
        Place(".jz-glossary td", NOTE),
    ],
    f"{SITE}progress.html": [
        Place(".jz-next a", POTS),
        Place(".jz-table a", POTS),
        Place(".jz-people span", TRANSLATOR),
    ],
    f"{SITE}search.html?q=锅具": [Place("#search-results li > a", POTS)],
    f"{SITE}search.html?q={quote(HANDLE)}": [Place("#search-results li > a", HANDLE)],
    f"{SITE}search.html?q=水壶": [Place("#search-results li p", f"水壶 {SCRIPT}")],
    f"{SITE}search.html?q={quote(IMAGE)}": [
        Place(".bd-search-container input[name=q]", IMAGE, "value")
    ],
    f"{PREVIEW}index.html": [Place("td a", POTS), Place("td a", f"厨房 {IMAGE}")],
    f"{PREVIEW}pots.html": [Place("title", IMAGE), Place("main h1", POTS)],
    f"{PREVIEW}lids.html": [Place("main h1", f"锅盖 {IMAGE}")],
    f"{PREVIEW}tables.html": [Place("main h1", f"桌子 {SCRIPT} {MARKDOWN}")],
    "report.html": [Place(".title", POTS), Place("#page-pots", POTS, "data-words")],
}


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder ``build`` of the hostile project: site, previews and report."""
    project = SiteProject(tmp_path_factory.mktemp("hostile") / "project", "sample")
    make_project(project.root)
    project.run("sync", "sample", "--no-execute")
    translate(project.root)
    project.run("build", "sample")
    project.run("site", "sample", "--show-fuzzy")
    return project.root / "build"


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


@pytest.mark.parametrize("path", PLACES)
def test_texts_arrive_as_text(reader: Reader, path: str) -> None:
    page = reader.open(path)
    changed: dict[Place, list[str]] = {}
    for place in PLACES[path]:
        seen = [" ".join(text.split()) for text in texts(page, place)]
        if not any(place.text in text for text in seen):
            changed[place] = seen
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
