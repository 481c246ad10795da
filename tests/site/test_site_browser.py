"""Built sites, read in a real Chromium. Skipped where there is no browser."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from msgspec import Struct
from servers import served
from site_builds import NAMES, SITES, get_site
from site_chromium import DESKTOP, PHONE, Open, Reader, readers, violations
from site_html import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

PAGE = 400_000  # bytes of the HTML of a page
SHARED = 355_000  # bytes of what a page of text shares with others, but for images
PACKED = 200_000  # bytes that travel, of any page of text
_INLINE_IMAGE = re.compile(rb"data:image/[^\"')]+")
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico")
# What a page would run if it stood there after all.
_HOSTILE = (
    "<script>document.title = 1</script><b id=hostile onclick='document.title = 2'>b</b>"
    "<script src='https://example.org/x.js'></script><script src='_static/search.js'></script>"
)
_LOOK = """() => {
  const article = document.querySelector(".bd-article") ?? document.body;
  const math = [...article.querySelectorAll(".math")];
  return {
    formulas: math.length,
    unset: math.filter((one) => !one.querySelector("mjx-container, math")).map(
      (one) => one.textContent),
    wrong: [...article.querySelectorAll("mjx-merror, [data-mjx-error]")].map(
      (one) => one.getAttribute("data-mjx-error") ?? one.textContent),
    lost: [...document.images].filter((one) => one.complete && !one.naturalWidth).map(
      (one) => one.src),
    lang: document.documentElement.lang,
  };
}"""


class Seen(Struct, frozen=True, kw_only=True):
    """What there was to see on a page."""

    said: list[str]
    foreign: list[str]
    refused: list[str]
    files: list[str]
    facts: dict[str, Any]


class Visit(Struct, frozen=True, dict=True):
    """A site on its server, and the browser to read it with."""

    site: Site
    browser: Browser
    address: str

    @cached_property
    def seen(self) -> Mapping[str, Seen]:
        """Every page of the site, opened once."""
        reader = Reader(self.browser, self.address)
        # As if each page were the first one that somebody visits: fonts above all.
        session = reader.context.new_cdp_session(reader.page)
        session.send("Network.enable")
        session.send("Network.setCacheDisabled", {"cacheDisabled": True})
        found: dict[str, Seen] = {}
        for path in self.site.pages:
            facts = reader.open(path).evaluate(_LOOK)
            found[path] = Seen(
                said=[*reader.said],
                foreign=reader.foreign(),
                refused=[*reader.refused],
                files=reader.files(),
                facts=facts,
            )
        reader.close()
        return found

    def weight(self, path: str) -> tuple[int, int]:
        """Bytes that a first visit takes: of what pages share, and of all as servers pack it.

        Images do not count.
        """
        seen = self.seen[path].files
        names = {path, *(file for file in seen if not file.endswith(_IMAGES))}
        files = {
            name: _INLINE_IMAGE.sub(b"", (self.site.folder / name).read_bytes()) for name in names
        }
        shared = sum(len(data) for name, data in files.items() if name != path)
        return shared, sum(len(gzip.compress(data, 6)) for data in files.values())

    def texts(self) -> list[str]:
        """The pages without formulas, the longest first."""
        found = [
            path
            for path, seen in self.seen.items()
            if not seen.facts["formulas"] and path != "search.html"
        ]
        return sorted(found, key=lambda path: -(self.site.folder / path).stat().st_size)

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """A page of each kind that the site has."""
        wanted = {
            "notebook": ("jz-translated", "cell_output", "math", "jz-term"),
            "table": ("jz-translated", "table"),
            "note": ("jz-translated", "admonition"),
            "english": ("jz-english",),
            "reference": ("jz-api",),
        }
        found = {kind: next(self.site.having(*classes), "") for kind, classes in wanted.items()}
        found["notebook"] = found["notebook"] or next(
            self.site.having("jz-translated", "cell_input")
        )
        texts = self.site.having("jz-translated", "jz-term", without="cell")
        found["text"] = next(texts)
        for name in ("index", "search", "progress", "glossary-zh"):
            found[name] = f"{name}.html"
        return {kind: path for kind, path in found.items() if path}


@pytest.fixture(scope="session", params=SITES)
def visit(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    browser: Browser,
) -> Iterator[Visit]:
    site = get_site(request.param, tmp_path_factory)
    with served(site.folder) as address:
        yield Visit(site, browser, address)


@pytest.fixture
def reader(visit: Visit) -> Iterator[Open]:
    """Makes readers with nothing remembered."""
    with readers(visit.browser, visit.address) as new:
        yield new


def bad(visit: Visit, what: Callable[[Seen], object]) -> dict[str, object]:
    """What is wrong, by page."""
    return {path: found for path, seen in visit.seen.items() if (found := what(seen))}


# — every page ———————————————————————————————————

every_site = pytest.mark.parametrize("visit", NAMES, indirect=True)


@every_site
def test_pages_load_all_that_they_ask_for_from_here_in_silence(visit: Visit) -> None:
    assert bad(visit, lambda seen: seen.said) == {}
    assert bad(visit, lambda seen: seen.foreign) == {}
    assert bad(visit, lambda seen: seen.refused + seen.facts["lost"]) == {}
    # A font of icons weighs a hundred thousand bytes, for the few that the sprite has.
    assert bad(visit, lambda seen: [one for one in seen.files if "/fa-" in one]) == {}
    kinds = visit.kinds.values()
    assert {visit.seen[path].facts["lang"] for path in kinds} == {"zh-CN"}


@every_site
def test_a_page_runs_its_own_scripts_and_no_others(visit: Visit) -> None:
    one = Reader(visit.browser, visit.address, bypass_csp=False)
    for path in visit.kinds.values():
        one.said.clear()
        one.page.goto(visit.address + path)
        one.page.locator("html[data-jz-view=zh]").wait_for(state="attached")
        assert _not_of_playwright(one) == [], path
    one.page.route(
        "**/index.html",
        lambda route: route.fulfill(
            body=route.fetch().text().replace("</article>", _HOSTILE + "</article>")
        ),
    )
    one.page.goto(visit.address + "index.html")
    one.page.locator("#hostile").click()
    said = _not_of_playwright(one)
    assert len(said) == 4, said
    assert all("Content Security Policy" in words for words in said)
    one.close()


def _not_of_playwright(reader: Reader) -> list[str]:
    """What a reader heard, but for Playwright's own strings, which it tries to run."""
    return [words for words in reader.said if "Evaluating a string" not in words]


@every_site
def test_formulas_are_typeset(visit: Visit) -> None:
    assert sum(seen.facts["formulas"] for seen in visit.seen.values()) > 5
    assert bad(visit, lambda seen: seen.facts["unset"] + seen.facts["wrong"]) == {}


@every_site
def test_no_page_is_heavy(visit: Visit) -> None:
    sizes = {
        path: len(_INLINE_IMAGE.sub(b"", (visit.site.folder / path).read_bytes()))
        for path in visit.seen
    }
    assert {path: size for path, size in sizes.items() if size >= PAGE} == {}


@every_site
def test_a_page_of_text_travels_light(visit: Visit) -> None:
    texts = visit.texts()
    chosen = {*texts[:12], *(path for path in visit.kinds.values() if path in texts)}
    weights = {path: visit.weight(path) for path in chosen}
    assert len(weights) > 3
    heavy = {
        path: (shared, packed)
        for path, (shared, packed) in weights.items()
        if shared >= SHARED or packed >= PACKED
    }
    assert heavy == {}


# — reading in two languages —————————————————————


def view(page: Page) -> str:
    return str(page.evaluate("document.documentElement.dataset.jzView"))


@pytest.mark.parametrize(
    "kind", ["notebook", "text", "table", "progress", "glossary-zh", "reference"]
)
def test_a_phone_scrolls_down_only(visit: Visit, reader: Open, kind: str) -> None:
    if kind not in visit.kinds:
        pytest.skip("the site has no such page")
    page = reader(viewport=PHONE, has_touch=True, is_mobile=True).open(visit.kinds[kind])
    for _ in range(3):
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width == PHONE["width"], view(page)
        page.keyboard.press("b")


def test_the_theme_can_be_chosen_and_dark_is_dark(visit: Visit, reader: Open) -> None:
    page = reader().open(visit.kinds["text"])
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "light"
    page.locator(".theme-switch-button:visible").first.click()
    page.locator(".theme-change-button[data-mode=dark]:visible").click()
    assert page.evaluate(theme) == "dark"
    page.reload()
    assert page.evaluate(theme) == "dark"
    lights = """(name) => Math.max(...getComputedStyle(document.body)[name]
      .match(/[\\d.]+/g).slice(0, 3).map(Number))"""
    assert page.evaluate(lights, "backgroundColor") < 60
    assert page.evaluate(lights, "color") > 150


def test_the_glossary_has_every_term_of_a_page(visit: Visit, reader: Open) -> None:
    one = reader()
    page = one.open(visit.kinds["text"])
    titles = "(all) => all.map((one) => one.dataset.jzTitle)"
    terms = set(page.locator(".jz-term").evaluate_all(titles))
    assert terms
    listed = one.open("glossary-zh.html").locator("article table").inner_text()
    assert {term for term in terms if term not in listed} == set()


def test_a_pencil_fills_in_an_issue_when_it_is_used(visit: Visit, reader: Open) -> None:
    if visit.site.name != "sample":
        pytest.skip("its pencils may lead elsewhere")
    one = reader()
    page = one.open("arrays.html")
    block = page.locator("p.jz-translated", has=page.locator(".jz-edit")).first
    pencil = block.locator(".jz-edit")
    assert pencil.get_attribute("title") == "改进这段译文"
    pencil.focus()
    address = urlsplit(pencil.get_attribute("href") or "")
    fields = {key: value for key, (value,) in parse_qs(address.query).items()}
    assert (address.netloc, address.path) == ("github.com", "/us/docs/issues/new")
    assert (fields["template"], fields["page"]) == ("translation.yml", page.url)
    chinese, english, number = fields["text"].split("\n\n")
    assert re.fullmatch(r"中文：.*[\u4e00-\u9fff].*", chinese)
    assert "¶" not in chinese
    assert re.fullmatch(r"英文：[^\u4e00-\u9fff]{10,}", english)
    assert re.fullmatch(r"编号：[0-9a-f]{10,}", number)
    assert one.foreign() == []


# — finding and taking ———————————————————————————


def test_a_notebook_can_be_downloaded(visit: Visit, reader: Open, tmp_path: Path) -> None:
    page = reader().open(visit.kinds["notebook"])
    name = visit.kinds["notebook"]
    shown = "".join(visit.site.pages[name].code)
    links = page.locator("a.jz-download").all()
    assert links
    for link in links:
        with page.expect_download() as taken:
            link.click()
        assert taken.value.suggested_filename == f"{Path(name).stem}.ipynb"
        taken.value.save_as(tmp_path / "taken.ipynb")
        cells = json.loads((tmp_path / "taken.ipynb").read_bytes())["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        assert any("".join(cell["source"]).strip() in shown for cell in code)


# — for everyone

KINDS = (
    *("index", "notebook", "text", "table", "note", "english", "reference", "search"),
    *("results", "progress", "glossary-zh", "about", "404"),
)
LOOKED_AT = [
    *((site, kind) for site in SITES for kind in KINDS),
    *(("repository", kind) for kind in ("index", "text")),
]


@every_site
def test_the_changes_open_without_a_script(visit: Visit, reader: Open) -> None:
    with_news = (
        path
        for path in visit.site.pages
        if 'class="jz-since"' in (visit.site.folder / path).read_text(encoding="utf-8")
    )
    path = next(with_news, None)
    if path is None:
        pytest.skip("all of the site is translated")
    page = reader(java_script_enabled=False).open(path)
    news = page.locator(".jz-since")
    assert not news.locator("p").first.is_visible()
    news.locator("summary").click()
    assert news.locator("p").first.is_visible()


@pytest.mark.parametrize(
    "screen",
    [
        {"color_scheme": "light", "viewport": DESKTOP},
        {"color_scheme": "dark", "viewport": PHONE},
    ],
    ids=["desktop light", "phone dark"],
)
@pytest.mark.parametrize(("visit", "kind"), LOOKED_AT, indirect=["visit"])
def test_axe_finds_nothing(
    visit: Visit, reader: Open, kind: str, screen: Mapping[str, Any]
) -> None:
    found = {**visit.kinds, "results": "search.html?q=变换", "404": "404.html"}
    if (visit.site.folder / "about.html").is_file():
        found["about"] = "about.html"
    if kind not in found:
        pytest.skip("the site has no such page")
    page = reader(reduced_motion="reduce", **screen).open(found[kind])
    if kind == "results":
        page.locator("#search-results li").first.wait_for()
    page.keyboard.press("b")
    page.evaluate("for (const news of document.querySelectorAll('.jz-since')) news.open = true")
    assert violations(page) == []
