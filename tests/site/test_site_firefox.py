"""Built sites in Firefox and WebKitGTK: what was wrong there once, and what readers do everywhere.

Nothing of a page is bent for these tests: its policy holds, as it does for readers. Skipped in a
browser that is not there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from servers import served
from site_builds import NAMES, SITES, get_site
from site_chromium import DESKTOP, PHONE
from site_firefox import CONTROL, NO_FIREFOX, TAB, Firefox, firefox
from site_webkit import NO_WEBKIT, WebKit, webkit

pytestmark = pytest.mark.browser

LACKING = {"firefox": NO_FIREFOX, "webkit": NO_WEBKIT}  # why a browser is not there

Window = Firefox | WebKit
every_site = pytest.mark.parametrize("folder", NAMES, indirect=True)
OURS = ("index.html", "search.html?q=jit", "progress.html", "glossary-zh.html")
VIEW = "document.documentElement.dataset.jzView"
THEME = "document.documentElement.dataset.theme"
SHOWN_ENGLISH = (
    "[...document.querySelectorAll('.bd-article .jz-en')].filter("
    "(one) => one.checkVisibility()).length"
)
NO_STORAGE = """() => Object.defineProperty(window, "localStorage", {
  configurable: true,
  get() { throw new DOMException("denied"); },
})"""


@pytest.fixture(scope="session", params=LACKING)
def window(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Window]:
    """One window of each browser for all tests: to start one takes seconds."""
    name: str = request.param
    if LACKING[name]:
        pytest.skip(LACKING[name])
    folder = tmp_path_factory.mktemp(name)
    with firefox(folder) if name == "firefox" else webkit(folder) as browser:
        yield browser


@pytest.fixture(scope="module", params=SITES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built site."""
    return get_site(request.param, tmp_path_factory).folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """A server for it."""
    with served(folder) as address:
        yield address


@pytest.fixture
def page(window: Window, folder: Path, address: str) -> Iterator[Window]:
    """A page of text, as somebody sees it who was never there."""
    window.resize(**DESKTOP)
    window.open(address)
    window.ask("localStorage.clear()")
    window.open(f"{address}{text_page(folder)}")
    yield window
    window.ask("localStorage.clear()")


def text_page(folder: Path) -> str:
    """A page with terms and blocks that are translated."""
    wanted = ('class="jz-term"', "jz-translated", "jz-en")
    for path in sorted(folder.glob("*.html")):
        html = path.read_text(encoding="utf-8")
        if path.stem != "index" and all(word in html for word in wanted):
            return path.name
    raise AssertionError("the site has no such page")


@every_site
def test_the_console_stays_empty(window: Window, folder: Path, address: str) -> None:
    if not window.hears:
        pytest.skip("nothing tells what its pages say")
    said: dict[str, list[str]] = {}
    for name in (*OURS, text_page(folder)):
        window.open(f"{address}{name}")
        # What comes after the page is loaded: results, a map.
        window.ask("new Promise((go) => setTimeout(go, 200))")
        said[name] = [*window.said]
    assert {name for name in said if said[name]} == set(), said


def test_the_whole_sprite_of_icons_is_there(page: Window) -> None:
    size = page.ask(
        """(async () => {
          const icon = [...document.querySelectorAll(".fa-bars")][0];
          const image = new Image();
          image.src = getComputedStyle(icon, "::before").maskImage.slice(5, -2)
            .replaceAll('\\\\"', '"');
          await image.decode();
          return [image.naturalWidth, image.naturalHeight];
        })()"""
    )
    assert size[0] > 20 * size[1] > 0


def test_chinese_and_english_are_of_one_stack_of_fonts(page: Window) -> None:
    page.press("b")
    fonts = page.ask(
        """["p.jz-translated", ".jz-en"].map((selector) => getComputedStyle(
          document.querySelector(`.bd-article ${selector}`)).fontFamily)"""
    )
    chinese, english = fonts
    # Chinese has one font before them, of a few signs.
    assert chinese.endswith(english)


def test_underlines_of_terms_are_there(page: Window) -> None:
    lines = page.ask(
        """(() => {
          const style = getComputedStyle(document.querySelector(".bd-article .jz-term"));
          return [style.textDecorationLine, style.textDecorationStyle];
        })()"""
    )
    assert lines == ["underline", "dotted"]


def test_focus_is_seen_on_the_toggle_of_the_navigation(page: Window) -> None:
    if not page.is_in_front:
        pytest.skip("in a window behind others nothing has the focus")
    page.resize(**PHONE)
    # Who was on the keyboard last sees where the focus is.
    page.press(TAB)
    page.ask("document.querySelector('.primary-toggle').focus()")
    outline = page.ask("getComputedStyle(document.querySelector('.primary-toggle:focus')).outline")
    assert "solid" in outline
    assert "0px" not in outline


def test_the_view_is_chosen_and_remembered(page: Window) -> None:
    assert (page.ask(VIEW), page.ask(SHOWN_ENGLISH)) == ("zh", 0)
    page.click(".jz-toggle label:nth-of-type(2)")
    assert page.ask(VIEW) == "both"
    assert page.ask(SHOWN_ENGLISH) > 0
    page.open(page.ask("location.href"))
    assert page.ask(VIEW) == "both"
    page.press("b")
    assert page.ask(VIEW) == "en"


def test_without_storage_pages_work(page: Window) -> None:
    with page.before_each(NO_STORAGE):
        page.open(page.ask("location.href"))
        page.click(".jz-toggle label:nth-of-type(2)")
        assert page.ask(VIEW) == "both"
        assert page.said == []
    page.open(page.ask("location.href"))


def test_the_theme_is_chosen_and_remembered(page: Window) -> None:
    page.click(".theme-switch-button")
    page.click(".theme-change-button[data-mode=dark]")
    assert page.ask(THEME) == "dark"
    page.open(page.ask("location.href"))
    assert page.ask(THEME) == "dark"


def test_bars_within_a_dark_page_are_not_white(page: Window) -> None:
    """Those of the navigation, for one."""
    if not page.ask('CSS.supports("scrollbar-color", "auto")'):
        pytest.skip("this browser draws bars by its own lights")
    thumb, track = page.ask(
        """(() => {
          document.documentElement.dataset.theme = "dark";
          const navigation = document.querySelector(".bd-sidebar-primary");
          const { scrollbarColor } = getComputedStyle(navigation);
          return scrollbarColor.match(/rgba?\\([^)]*\\)/g);
        })()"""
    )
    assert track == "rgba(0, 0, 0, 0)"
    assert thumb == page.ask(
        """(() => {
          const muted = document.body.appendChild(document.createElement("p"));
          muted.style.color = "var(--pst-color-text-muted)";
          return getComputedStyle(muted).color;
        })()"""
    )


def test_results_come_while_one_types(page: Window) -> None:
    page.press("k", holding=CONTROL)
    page.wait_for("document.activeElement.matches('dialog[open] input')")
    page.press(*"函数")
    page.wait_for("document.querySelector('dialog .jz-found li p mark')")
    marks = page.ask(
        "[...document.querySelectorAll('dialog .jz-found li p mark')].map((one) => one.innerText)"
    )
    assert "函数" in marks
    assert page.said == []
    page.open(page.ask("document.querySelector('dialog .jz-found li a').href"))
    assert "函数" in page.ask("document.querySelector('article').innerText")
    assert page.said == []


def test_a_site_in_a_folder_is_searched(window: Window, folder: Path) -> None:
    window.open(f"{folder.as_uri()}/search.html?q=jit")
    window.wait_for("document.querySelector('#search-results li p mark')")
    assert window.said == []


def test_a_pencil_leads_to_an_issue_that_is_filled_in(page: Window) -> None:
    if not page.ask("[...document.links].some((one) => one.href.includes('/us/docs'))"):
        pytest.skip("its pencils may lead elsewhere")
    pencil = "document.querySelector('p.jz-translated .jz-edit')"
    # Without a window Firefox has no mouse to point at things with.
    page.ask(f"void {pencil}.dispatchEvent(new PointerEvent('pointerenter'))")
    link = urlsplit(page.ask(f"{pencil}.href"))
    fields = parse_qs(link.query)
    assert link.netloc == "github.com"
    assert "中文：" in fields["text"][0]


@every_site
@pytest.mark.parametrize("name", ["index.html", "progress.html", "pallas/gpu/reference.html"])
def test_pages_fit_phones(window: Window, folder: Path, address: str, name: str) -> None:
    if not (folder / name).is_file():
        pytest.skip("the site has no such page")
    window.resize(**PHONE)
    window.open(f"{address}{name}")
    # Beside it there is a bar to scroll.
    widths = "(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])"
    found, room = window.ask(f"{widths}(document.documentElement)")
    assert found == room
