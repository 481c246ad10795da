"""How the site looks and behaves, in a real Chromium: pages made by hand inside the real theme.

Skipped where there is no browser.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from folders import write_tree
from places import ROOT
from site_chromium import PHONE, Reader, violations

# --- handmade pages: the markup of translated blocks, inside real pages of the theme

SITE = ROOT / "pipeline" / "site"
ARTICLE = '<article class="bd-article">'
DATA = Path(__file__).parent / "data" / "look"
TITLE = """<section id="long">
<h1 class="jz-block jz-translated" data-jz="0" data-jz-edit="0">
<span class="jz-zh">长长的一页</span>
<span class="jz-en" lang="en" data-jz-for="0">A long page</span></h1>
"""
PARAGRAPH = """
<p class="jz-block jz-translated" data-jz="{0}" data-jz-edit="{0}">{1}</p>
<p class="jz-en" lang="en" data-jz-for="{0}">{2}</p>
"""


def long() -> str:
    """Return a page that is long enough to scroll."""
    chinese = "把数组交给变换，变换把函数变成另一个函数。" * 3
    english = "Hand the array to the transformation: the function is another one. " * 3
    numbers = range(100, 130)
    texts = [PARAGRAPH.format(number, chinese, english) for number in numbers]
    return "".join([TITLE, *texts, "</section>"])


def build(folder: Path, progress: str) -> Path:
    """Build the pages ``reading``, ``untranslated`` and ``progress`` with Sphinx.

    Return the folder of the HTML files, which is below ``folder``.
    """
    reading, untranslated, conf = (
        (DATA / name).read_text("utf-8")
        for name in ("reading.html", "untranslated.html", "conf.txt")
    )
    # The title, the anchor of the only section, and the text of each page.
    pages = {
        "reading": ("读一页", "blocks", reading),
        "long": ("长长的一页", "long", long()),
        "untranslated": ("Nothing yet", "nothing", untranslated),
        "progress": ("翻译进度", "pages", progress),
    }
    contents = "".join(f"   {name}\n" for name in pages)
    files = {
        "conf.py": conf.replace("SITE_FOLDER", repr(str(SITE))),
        "index.rst": f"首页\n====\n\n.. toctree::\n\n{contents}",
    }
    for name, (title, _, _) in pages.items():
        body = f"{title}\n{'=' * 20}\n\nBODY\n\n各种块\n{'-' * 20}\n"
        files[f"{name}.rst"] = body
    write_tree(folder / "source", files)
    words = "-m sphinx -q -b html source html".split()
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = (sys.executable, *words)
    subprocess.run(command, check=True, capture_output=True, env=path, cwd=folder)
    for name, (_, anchor, body) in pages.items():
        page = folder / "html" / f"{name}.html"
        before, begin, rest = page.read_text("utf-8").partition(ARTICLE)
        _, end, after = rest.partition("</article>")
        made = "".join((before, begin, body, end, after))
        page.write_text(made.replace('href="#id2"', f'href="#{anchor}"'), "utf-8")
    return folder / "html"


# --- tests

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Locator, Page

pytestmark = pytest.mark.browser
FACTS = ("page", "words", "fuzzy", "translated", "untranslated", "group", "title")
PAGES = (
    ("reading", 480, 0, 160, 320, "notebooks", "把函数变成另一个函数"),
    ("untranslated", 300, 0, 0, 300, "notebooks", "Nothing yet"),
    ("index", 120, 0, 120, 0, "入门", "首页"),
    ("empty", 0, 0, 0, 0, "入门", "没有字的一页"),
    ("partly", 900, 90, 450, 360, "入门", "Half of it <b>& more</b>"),
)
_FORMULA = (
    '<span class="math notranslate nohighlight"><span style="display: inline-block; width: '
    '90px">f</span></span>'
)
LONG_NAME = "jax.experimental.a_name_that_is_longer_than_the_line_of_a_phone"
MORE = f"""<nav class="contents local"><ul><li>
<a class="reference internal" href="#blocks">各种块</a></li></ul></nav>
<p id="formula">函数（{_FORMULA}），它的导数记作另一个函数。</p>
<p id="code">调用
<code class="docutils literal notranslate"><span class="pre">{LONG_NAME}</span></code>，再看
<a class="github reference external" href="https://github.com/example/example">example/example</a>。</p>
<dl class="field-list simple" id="fields"><dt class="field-odd">参数</dt><dd class="field-odd">
<p>见 {LONG_NAME}。</p><div class="highlight"><pre>{LONG_NAME * 3}</pre></div></dd></dl>
"""
PROGRESS: dict[str, Any] = {
    "title": "样例",
    "release": "0.10.2",
    "commit": "0123456789ab",
    "date": "2026-06-15",
    "words": 1800,
    "fuzzy": 90,
    "translated": 730,
    "untranslated": 980,
    "pages": [dict(zip(FACTS, facts, strict=True), url=f"{facts[0]}.html") for facts in PAGES],
    "next": ["partly", "reading", "gone"],
    "contributors": [
        {"name": "林一", "messages": 1200},
        {"name": "<i>Ann</i>", "messages": 3},
    ],
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built pages."""
    from pipeline.site.extension.own_pages import to_body

    folder = build(tmp_path_factory.mktemp("look"), to_body(PROGRESS, "zh_CN"))
    page = (folder / "reading.html").read_text(encoding="utf-8")
    section = '<section id="blocks">'
    more = page.replace(section, f"{MORE}{section}")
    (folder / "more.html").write_text(more, encoding="utf-8")
    return folder


class FolderReader(Reader):
    """A reader of pages in their folder: the site works without a server."""

    def open(self, path: str) -> Page:
        """Open the page ``path``, without its suffix."""
        return super().open(f"{path}.html")


@pytest.fixture
def reader(browser: Browser, site: Path, request: pytest.FixtureRequest) -> Iterator[Reader]:
    """A reader at a desktop; ``windows`` makes others."""
    options = getattr(request, "param", {})
    reader = FolderReader(browser, f"{site.as_uri()}/", **options)
    yield reader
    reader.close()


def windows(**options: dict[str, Any]) -> pytest.MarkDecorator:
    """Return the mark of a test whose readers have these options, by the name of the case."""
    return pytest.mark.parametrize("reader", options.values(), indirect=True, ids=list(options))


phone = windows(phone={"viewport": PHONE, "has_touch": True, "is_mobile": True})
desktop_and_phone = windows(desktop={}, phone={"viewport": PHONE})


def view(page: Page) -> str:
    return str(page.evaluate("document.documentElement.dataset.jzView"))


def seen(page: Page, selector: str) -> bool:
    return page.locator(selector).first.is_visible()


def choose(page: Page, name: str) -> None:
    page.locator(".jz-toggle label", has_text=name).click()


def style(place: Locator, name: str) -> Any:
    return place.evaluate("(one, name) => getComputedStyle(one)[name]", name)


def box_of(place: Locator) -> FloatRect:
    box = place.bounding_box()
    assert box is not None
    return box


def test_opens_in_chinese_and_says_nothing(reader: Reader) -> None:
    page = reader.open("reading")
    assert view(page) == "zh"
    assert seen(page, "[data-jz='1']")
    assert not page.locator(".jz-en:visible").count()
    assert page.locator(".jz-toggle input:checked").input_value() == "zh"
    assert reader.said == []
    assert all(url.startswith("file:") for url in reader.asked)
    # That is for its page only.
    assert not any("/progress." in url for url in reader.asked)


def test_each_of_three_views_shows_its_languages(reader: Reader) -> None:
    page = reader.open("reading")
    choose(page, "双语")
    assert seen(page, "[data-jz='1']")
    english = page.locator(".bd-article .jz-en")
    assert all(one.is_visible() for one in english.all())
    choose(page, "English")
    assert not seen(page, "[data-jz='1']")
    assert not seen(page, "[data-jz='4'] .jz-zh")
    assert seen(page, "[data-jz='4'] .jz-en")
    assert seen(page, "[data-jz='2']"), "what is not translated is English as well"
    assert page.locator("article").inner_text().count("变换") == 0
    choose(page, "中文")
    assert not page.locator(".bd-article .jz-en:visible").count()


@pytest.mark.parametrize("contents", ["nav.page-toc a[href='#blocks']", "nav.contents a"])
def test_contents_follow_the_view(reader: Reader, contents: str) -> None:
    page = reader.open("more")
    link = page.locator(contents)
    for name, words in (
        ("中文", "各种块"),
        ("双语", "各种块"),
        ("English", "All kinds of blocks"),
    ):
        choose(page, name)
        assert link.inner_text() == words


def test_no_toggle_where_there_is_nothing_to_choose(reader: Reader) -> None:
    assert seen(reader.open("reading"), ".jz-toggle")
    assert not seen(reader.open("untranslated"), ".jz-toggle")
    assert not seen(reader.open("progress"), ".jz-toggle")


def test_the_key_goes_round_but_not_while_typing(reader: Reader) -> None:
    page = reader.open("reading")
    views = []
    for _ in range(3):
        page.keyboard.press("b")
        views.append(view(page))
    assert views == ["both", "en", "zh"]
    assert page.locator("[role=status]").inner_text() == "中文"
    page.keyboard.press("Control+b")
    page.locator("#note").fill("")
    page.locator("#note").press_sequentially("abba")
    assert page.locator("#note").input_value() == "abba"
    assert view(page) == "zh"


def test_arrow_keys_in_the_toggle(reader: Reader) -> None:
    page = reader.open("reading")
    page.locator(".jz-toggle [value=zh]").focus()
    page.keyboard.press("ArrowRight")
    assert view(page) == "both"
    assert page.evaluate("document.activeElement.value") == "both"


def test_the_view_is_remembered_before_the_first_paint(reader: Reader) -> None:
    choose(reader.open("reading"), "双语")
    page = reader.context.new_page()
    page.add_init_script(
        "document.addEventListener('readystatechange', () => { window.early ??= "
        "document.documentElement.dataset.jzView; });"
    )
    page.route(
        "**/site.js*", lambda route: route.abort()
    )  # the views need no script but the one in the head
    page.goto(reader.page.url)
    assert page.evaluate("window.early") == "both"
    assert seen(page, ".bd-article .jz-en")


def test_tabs_agree(reader: Reader) -> None:
    one, other = reader.open("reading"), reader.context.new_page()
    other.goto(f"{reader.address}untranslated.html")
    choose(one, "English")
    other.wait_for_function("document.documentElement.dataset.jzView === 'en'")
    assert other.locator(".jz-toggle input:checked").input_value() == "en"


@pytest.mark.parametrize(
    "refusal",
    [
        "Storage.prototype.setItem = () => { throw new DOMException('full'); };",
        (
            "Object.defineProperty(window, 'localStorage', { configurable: true, "
            "get() { throw new DOMException('denied'); } });"
        ),
    ],
    ids=["full", "denied"],
)
def test_works_without_storage(reader: Reader, refusal: str) -> None:
    reader.context.add_init_script(refusal)
    page = reader.open("reading")
    assert reader.said == []
    page.evaluate("window.onerror = (text) => { window.failed = text; }")
    choose(page, "双语")
    assert view(page) == "both"
    assert page.evaluate("window.failed") is None


@windows(without={"java_script_enabled": False})
def test_without_scripts_there_is_chinese_and_no_dead_control(reader: Reader) -> None:
    page = reader.open("reading")
    assert seen(page, "[data-jz='1']")
    assert not seen(page, ".jz-toggle")
    assert not seen(page, "[data-jz='4'] .jz-en")


@desktop_and_phone
def test_what_is_read_stays_where_it_is(reader: Reader) -> None:
    page = reader.open("long")
    page.locator("[data-jz='112']").evaluate(
        "(block) => scrollTo({ top: block.getBoundingClientRect().top + scrollY - 100, "
        "behavior: 'instant' })"
    )
    for name, selector in (
        ("双语", "[data-jz='112']"),
        ("English", "[data-jz-for='112']"),
        ("中文", "[data-jz='112']"),
    ):
        choose(page, name)
        top = box_of(page.locator(selector))["y"]
        assert top == pytest.approx(100, abs=2), name


@desktop_and_phone
def test_nothing_jumps_while_the_page_loads(reader: Reader) -> None:
    reader.context.add_init_script(
        "window.shift = 0; new PerformanceObserver((list) => { for (const one of "
        "list.getEntries()) window.shift += one.value; })"
        ".observe({ type: 'layout-shift', buffered: true });"
    )
    page = reader.open("reading")
    page.wait_for_timeout(300)
    assert page.evaluate("window.shift") < 0.01


@phone
def test_a_tap_on_the_mark_shows_the_english_of_its_block(reader: Reader) -> None:
    page = reader.open("reading")
    for number in (1, 4, 6, 7, 10):
        mark = page.locator(f"[data-jz='{number}'] > .jz-mark")
        english = page.locator(f"[data-jz-for='{number}']")
        assert mark.get_attribute("aria-expanded") == "false"
        assert page.locator(f"#{mark.get_attribute('aria-controls')}").count() == 1
        mark.tap()
        assert english.is_visible()
        assert mark.get_attribute("aria-expanded") == "true"
        assert seen(page, f"[data-jz='{number}'] > .jz-edit")
        mark.tap()
        assert not english.is_visible()
    box = box_of(page.locator("[data-jz='1'] > .jz-mark"))
    assert min(box["width"], box["height"]) >= 24
    assert box["x"] + box["width"] <= PHONE["width"]


@phone
def test_a_name_longer_than_the_line_breaks(reader: Reader) -> None:
    page = reader.open("more")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    code = page.locator("#code code")
    assert code.evaluate("(code) => code.getClientRects().length") > 1
    assert code.inner_text() == LONG_NAME
    assert page.locator("#fields p").inner_text() == f"见 {LONG_NAME}。"


@phone
def test_the_marks_of_cells_take_no_room(reader: Reader) -> None:
    page = reader.open("reading")
    heights = "(row) => row.getBoundingClientRect().height"
    before = page.locator("thead tr").evaluate(heights)
    page.locator("thead .jz-mark").evaluate_all(
        "(marks) => { for (const mark of marks) mark.remove(); }"
    )
    assert page.locator("thead tr").evaluate(heights) == before
    choose(page, "双语")
    assert not page.locator(":is(td, th) :is(.jz-mark, .jz-edit):visible").count()


@phone
def test_a_table_grown_too_wide_can_be_scrolled_by_keyboard(reader: Reader) -> None:
    page = reader.open("reading")
    page.locator("td .jz-en").evaluate(
        "(english, name) => { english.textContent = name; }", LONG_NAME
    )
    box = page.locator(".pst-scrollable-table-container")
    state = "(box) => [box.scrollWidth > box.clientWidth, box.tabIndex]"
    assert box.evaluate(state) == [False, -1]
    choose(page, "双语")
    assert box.evaluate(state) == [True, 0]


def test_marks_stay_with_their_formula(reader: Reader) -> None:
    page = reader.open("more")
    tops = """(width) => {
      const line = document.querySelector("#formula");
      line.style.width = `${width}px`;
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      const found = {};
      for (let text = walker.nextNode(); text; text = walker.nextNode()) {
        for (const sign of "（），") {
          const at = text.data.indexOf(sign);
          if (at < 0) continue;
          const range = document.createRange();
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          found[sign] = range.getBoundingClientRect().top;
        }
      }
      return new Set(Object.values(found)).size;
    }"""
    assert {page.evaluate(tops, width) for width in range(130, 230, 4)} == {1}
    text = page.locator("#formula").text_content()
    assert text == "函数（f），它的导数记作另一个函数。"


def test_icons_need_no_font(reader: Reader) -> None:
    page = reader.open("more")
    page.wait_for_timeout(200)
    assert [url for url in reader.asked if "/webfonts/" in url] == []
    icon = page.locator(".fa-bars").first.evaluate(
        "(icon) => [getComputedStyle(icon, '::before').maskImage.slice(0, 26), "
        "getComputedStyle(icon, '::before').width]"
    )
    assert icon[0] == 'url("data:image/svg+xml,<s'
    assert float(icon[1].removesuffix("px")) > 10


def test_english_in_bold_places_is_not_bold(reader: Reader) -> None:
    page = reader.open("reading")
    choose(page, "双语")
    weights = page.locator(
        ".bd-article :is(th, dt, h1, h2, .admonition-title) .jz-en"
    ).evaluate_all("(all) => all.map((e) => getComputedStyle(e).fontWeight)")
    assert set(weights) == {"400"}


def test_marks_and_pencils_by_keyboard(reader: Reader) -> None:
    page = reader.open("reading")
    mark = page.locator("[data-jz='6'] > .jz-mark")
    mark.focus()
    page.keyboard.press("Enter")
    assert seen(page, "[data-jz-for='6']")
    page.keyboard.press("Tab")
    pencil = page.locator("[data-jz='6'] > .jz-edit")
    assert pencil.evaluate("(link) => link === document.activeElement")
    page.wait_for_timeout(200)
    assert (style(pencil, "opacity"), style(pencil, "outlineStyle")) == ("1", "solid")


def test_the_pencil_shows_under_the_pointer(reader: Reader) -> None:
    page = reader.open("reading")
    pencil = page.locator("[data-jz='7'] > .jz-edit")
    assert style(pencil, "opacity") == "0"
    page.locator("[data-jz='7']").hover()
    page.wait_for_timeout(200)
    assert style(pencil, "opacity") == "1"
    box = box_of(pencil)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=10)
    page.wait_for_timeout(200)
    assert style(pencil, "opacity") == "1", "it can be reached"


@pytest.mark.parametrize("way", ["hover", "focus", "tap"])
@windows(touch={"has_touch": True})
def test_the_tooltip_of_a_term(reader: Reader, way: str) -> None:
    page = reader.open("reading")
    term, tip = page.locator(".jz-term"), page.locator("#jz-tip")
    assert term.get_attribute("title") is None, "or there are two"
    getattr(term, way)()
    assert tip.inner_text() == "transformation"
    assert term.get_attribute("aria-describedby") == "jz-tip"
    above, below = sorted((box_of(tip), box_of(term)), key=lambda box: box["y"])
    assert above["y"] + above["height"] <= below["y"]
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    assert term.get_attribute("aria-describedby") is None


def test_the_tooltip_can_be_pointed_at_and_goes_when_left(reader: Reader) -> None:
    page = reader.open("reading")
    page.locator(".jz-term").hover()
    page.locator("#jz-tip").hover()
    page.wait_for_timeout(400)
    assert seen(page, "#jz-tip")
    page.mouse.move(5, 5)
    page.wait_for_timeout(400)
    assert not seen(page, "#jz-tip")


def label(page: Page, number: int) -> str:
    content = "(block) => getComputedStyle(block, '::after').content"
    return str(page.locator(f"[data-jz='{number}']").evaluate(content))


def test_english_and_fuzzy_blocks_say_so(reader: Reader) -> None:
    page = reader.open("reading")
    assert [label(page, number) for number in (1, 2, 3)] == ["none", '"未译"', '"待核"']
    # A page without any translation says so once, at the top.
    assert label(reader.open("untranslated"), 1) == "none"


def test_emphasis_is_dots_below_han_and_italics_for_letters(reader: Reader) -> None:
    page = reader.open("reading")
    styles = page.locator("[data-jz='1'] em").evaluate_all(
        "(all) => all.map((em) => [em.textContent, getComputedStyle(em).fontStyle, "
        "getComputedStyle(em).textEmphasisStyle])"
    )
    assert styles == [["重点", "normal", "dot"], ["pytree", "italic", "none"]]
    assert style(page.locator("[data-jz='1']"), "fontSynthesisStyle") == "none"


def test_print_shows_the_view_without_controls(reader: Reader) -> None:
    page = reader.open("reading")
    choose(page, "双语")
    page.emulate_media(media="print")
    assert seen(page, "[data-jz='1']")
    assert seen(page, "[data-jz-for='1']")
    for control in (".jz-toggle", ".jz-mark", ".jz-edit", ".jz-downloads"):
        assert not page.locator(f"{control}:visible").count(), control


@windows(dark={"color_scheme": "dark"})
def test_dark_from_the_first_paint_but_white_on_paper(reader: Reader) -> None:
    page = reader.open("reading")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


@windows(still={"reduced_motion": "reduce"})
def test_nothing_moves_for_those_who_ask(reader: Reader) -> None:
    page = reader.open("reading")
    durations = page.evaluate(
        "[...document.querySelectorAll('.jz-toggle span, .jz-mark, .jz-edit')].map((e) => "
        "getComputedStyle(e).transitionDuration)"
    )
    assert set(durations) == {"0s"}


@windows(
    desktop_light={"color_scheme": "light"},
    phone_light={"color_scheme": "light", "viewport": PHONE},
    desktop_dark={"color_scheme": "dark"},
    phone_dark={"color_scheme": "dark", "viewport": PHONE},
)
@pytest.mark.parametrize("name", ["reading", "untranslated", "progress"])
def test_axe_finds_nothing(reader: Reader, name: str) -> None:
    page = reader.open(name)
    for key in ("", "b", "b") if name == "reading" else ("",):
        if key:
            page.keyboard.press(key)
        page.wait_for_timeout(200)  # until colours have faded over
        assert violations(page) == []


# — the progress page ————————————————————————————


def test_how_much_is_done_what_is_next_and_every_page(reader: Reader) -> None:
    page = reader.open("progress")
    assert "40%" in page.locator(".jz-share").inner_text()
    assert page.locator(".jz-next li").count() == 2
    listed = page.locator(".jz-table tbody a").evaluate_all(
        "(all) => all.map((link) => link.getAttribute('href'))"
    )
    assert {"reading.html", "untranslated.html", "index.html"} < set(listed)
    assert reader.said == []


def test_without_a_date_there_are_no_empty_brackets(reader: Reader) -> None:
    from pipeline.site.extension.own_pages import to_body

    assert "（）" not in to_body(PROGRESS | {"date": ""}, "zh_CN")
    date = reader.open("progress").locator(".jz-fresh time")
    assert date.inner_text() == "2026-06-15"
    assert style(date, "whiteSpace") == "nowrap"


@phone
def test_the_table_fits_a_phone(reader: Reader) -> None:
    page = reader.open("progress")
    page.locator(".jz-table tbody a").first.evaluate(
        f"(link) => {{ link.textContent = '{LONG_NAME}'; }}"
    )
    hidden = "(box) => box.scrollWidth - box.clientWidth"
    assert page.locator(".jz-scroll").evaluate(hidden) == 0


def test_the_table_sorts(reader: Reader) -> None:
    page = reader.open("progress")
    first = page.locator(".jz-table tbody tr small").first
    assert first.inner_text() == "reading"
    words = page.locator(".jz-table thead button", has_text="词数")
    words.click()
    assert first.inner_text() == "partly"
    words.click()
    assert first.inner_text() == "empty"
    assert page.locator("[aria-sort]").get_attribute("aria-sort") == "ascending"
    page.locator(".jz-table thead button", has_text="页面").click()
    assert first.inner_text() == "reading"


@windows(policy={"bypass_csp": False})
def test_from_a_folder_no_script_runs_but_ours(reader: Reader, site: Path) -> None:
    hit = "document.documentElement.dataset.hit = 1"
    script, evil = site / "_static" / "evil.js", site / "evil.html"
    script.write_text(hit, encoding="utf-8")
    live = (
        f'<script src="_static/evil.js"></script><script>{hit}</script>'
        f'<img src="_static/gone.png" alt="" onerror="{hit}">'
    )
    html = (site / "reading.html").read_text(encoding="utf-8")
    evil.write_text(html.replace("</article>", f"{live}</article>"), encoding="utf-8")
    page = reader.page
    page.goto(f"{reader.address}evil.html")
    # Made by a script of ours, which the first one has loaded.
    page.locator(".jz-status").wait_for(state="attached")
    assert not page.locator("html[data-hit]").count()
    refused = [words for words in reader.said if "Content Security Policy" in words]
    # A script may be refused when it is looked for ahead, and once more.
    assert len(refused) >= 3, reader.said
    script.unlink()
    evil.unlink()
