"""The search of built sites, in a real Chromium: from a server and from a folder."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING, Any

import pytest
from folders import write_tree
from places import ROOT
from search_truth import Asked, random_names, random_parts, texts_of
from servers import served
from site_builds import SITES, get_site
from site_chromium import PHONE, Open, Reader, readers, violations

from pipeline.site.extension.theme import words_script
from pipeline.site.search.index import files_of
from pipeline.site.search.pieces import Block, SearchedPage, searched_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

# Questions about the docs of JAX, how many they are, how many may go without a right page among
# the first results, and how many results these are. The weights were chosen by the first three
# files; by the others they were measured.
QUESTIONS = [
    ("questions.csv", 40, 2, 3),
    ("more_questions.csv", 80, 9, 3),
    ("developed_questions.csv", 245, 9, 3),
    ("unseen_questions.csv", 40, 3, 3),
    ("outside_questions.csv", 60, 9, 3),
    # Names of functions that are words as well, and what people ask who come from PyTorch.
    ("frameworks_questions.csv", 50, 3, 3),
    # What functions do, in Chinese: the weights of objects were chosen by them.
    ("reference_questions.csv", 60, 6, 3),
    # Names of the reference, half of them abbreviated, or parts of names, in any case.
    ("reference_names.csv", 200, 5, 1),
]
MOST_BYTES = 300_000  # that a query takes, letter by letter and with excerpts
_FIND = """async (query) => {
  const { results } = await jzSearch.find(query);
  const names = (results) => results.map(({ page }) => page.name);
  return { all: names(results), exact: names(results.filter(({ isPart }) => !isPart)) };
}"""
DIALOG = "#pst-search-dialog"
RESULT = ".jz-found li"
EXCERPT = f"{RESULT} p"


@pytest.fixture(scope="session", params=SITES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built site."""
    return get_site(request.param, tmp_path_factory).folder


@pytest.fixture(scope="session")
def texts(folder: Path) -> dict[str, str]:
    return texts_of(folder)


@pytest.fixture
def in_folder(folder: Path, browser: Browser) -> Iterator[Open]:
    """Makes readers who read the site from the folder that it lies in."""
    with readers(browser, f"{folder.as_uri()}/") as new:
        yield new


@pytest.fixture
def on_server(folder: Path, browser: Browser) -> Iterator[Open]:
    """Makes readers who read the site from a server."""
    with served(folder) as address, readers(browser, address) as new:
        yield new


def find(page: Page, query: str) -> dict[str, list[str]]:
    """The names of the pages for a query, best first. ``exact`` have all of it."""
    found: dict[str, list[str]] = page.evaluate(_FIND, query)
    return found


def misses(page: Page, asked: list[Asked]) -> dict[str, set[str]]:
    """The pages that queries do not find, by query."""
    missed: dict[str, set[str]] = {}
    for one in asked:
        missed[one.query] = {*one.pages}.difference(find(page, one.query)["exact"])
    return {query: pages for query, pages in missed.items() if pages}


def questions_about(texts: dict[str, str], name: str) -> list[tuple[str, set[str]]]:
    """The questions in a file with their right pages; skips the test if a site lacks them."""
    with Path(__file__).with_name(name).open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    questions = [(row["question"], {*row["pages"].split()}) for row in rows]
    # Sites without a reference have the guides only.
    if any(pages.isdisjoint(texts) for _, pages in questions):
        pytest.skip("the questions are about the docs of JAX")
    return questions


def type_in_dialog(page: Page, query: str) -> None:
    page.keyboard.press("Control+k")
    page.locator(f"{DIALOG} input[name=q]").press_sequentially(query, delay=60)
    # Until then there are results for its first letters.
    page.wait_for_function(
        "(query) => [...document.querySelectorAll('.jz-found li mark')].some("
        "(mark) => mark.textContent.toLowerCase() === query.toLowerCase())",
        arg=query,
    )


# — what is found —————————————————————————————————


def test_every_part_of_a_chinese_word_finds_all_its_pages(
    in_folder: Open, texts: dict[str, str]
) -> None:
    parts = random_parts(texts, 500)
    assert len(parts) > 400
    assert misses(in_folder().open("search.html"), parts) == {}


def test_every_name_and_part_of_one_finds_all_its_pages(
    in_folder: Open, texts: dict[str, str]
) -> None:
    names = random_names(texts, 200)
    assert len(names) == 200
    assert sum("." in name.query for name in names) > 3
    assert misses(in_folder().open("search.html"), names) == {}


def test_the_title_of_a_page_in_either_language_finds_it_first(in_folder: Open) -> None:
    page = in_folder().open("search.html")
    rows = page.evaluate(
        "async () => (await jzSearch.open()).pages.map((one) => [one.name, one.title, one.english])"
    )
    titles = [title for row in rows for title in {row[1], row[2]} if title]
    assert len(titles) > 10
    below: dict[str, list[str]] = {}
    for name, *both in rows:
        for title in filter(None, both):
            # Of pages of the same name one is first.
            first = find(page, title)["exact"][: titles.count(title) + 1]
            if name not in first:
                below[title] = [name, *first]
    assert below == {}


@pytest.mark.parametrize(("name", "count", "most", "among"), QUESTIONS)
def test_newcomers_find_a_right_page_among_the_first_results(
    in_folder: Open, texts: dict[str, str], name: str, count: int, most: int, among: int
) -> None:
    questions = questions_about(texts, name)
    assert len(questions) == count
    page = in_folder().open("search.html")
    lost: dict[str, list[str]] = {}
    for question, pages in questions:
        first = find(page, question)["all"][:among]
        if pages.isdisjoint(first):
            lost[question] = first
    assert len(lost) <= most, lost


def test_an_english_term_finds_what_has_its_rendering_only(
    in_folder: Open, texts: dict[str, str]
) -> None:
    page = in_folder().open("search.html")
    synonyms = page.evaluate(
        "async () => [...(await jzSearch.open()).words].filter(([word]) => /^[a-z]+$/.test(word))"
    )
    lost: dict[str, set[str]] = {}
    looked_at = 0
    # mac, which readers mean by macos, stands in machine as well.
    chinese = [(word, others[0]) for word, others in synonyms if not others[0].isascii()]
    for word, rendering in chinese[:60]:
        wanted = {name for name, text in texts.items() if rendering in text}
        looked_at += len(wanted)
        lost[word] = wanted.difference(find(page, word)["exact"])
    assert looked_at
    assert {word: pages for word, pages in lost.items() if pages} == {}


def test_what_is_not_translated_says_so_and_counts_less(on_server: Open) -> None:
    scores = """async () => {
      const { results } = await jzSearch.find("JAX");
      return results.map(({ page, score }) => [page.name, score]);
    }"""
    reader = on_server()
    page = reader.open("search.html")
    before = dict(page.evaluate(scores))
    # The same site with its first page in English.
    name = next(iter(before))
    row = re.compile(rf'(\["{re.escape(name)}",.*?),1,(\d+,\[)')
    page.route(
        "**/_search/index.js",
        lambda route: route.fulfill(
            body=row.sub(r"\1,0,\2", route.fetch().text(), count=1),
            content_type="text/javascript",
        ),
    )
    page = reader.open("search.html?q=JAX")
    page.locator(EXCERPT).first.wait_for()
    after = dict(page.evaluate(scores))
    assert after[name] < before[name]
    assert {**after, name: 0} == {**before, name: 0}
    more = page.locator("button.jz-found-more")
    while more.is_visible():
        shown = page.locator(RESULT).count()
        more.click()
        page.locator(RESULT).nth(shown).wait_for()
    item = page.locator(RESULT, has=page.locator(f"a[href^='./{name}.html']"))
    assert item.locator(".jz-found-en").all_inner_texts() == ["EN"]


# — results while typing ——————————————————————————


@pytest.mark.parametrize("query", ["变换", "函数变换", "jit", "jax.numpy"])
def test_results_come_while_one_types_for_few_bytes(
    on_server: Open, folder: Path, query: str
) -> None:
    reader = on_server()
    page = reader.open("index.html")
    before = set(reader.asked)
    type_in_dialog(page, query)
    assert re.fullmatch(
        r"找到 \d+ 个页面。", page.locator(f"{DIALOG} .jz-found-status").inner_text()
    )
    page.wait_for_load_state("networkidle")
    files = [name for name in reader.files() if name.startswith("_search/")]
    assert 0 < sum((folder / name).stat().st_size for name in files) < MOST_BYTES
    # No page is fetched for its words.
    assert not {url for url in set(reader.asked) - before if ".html" in url}
    assert (reader.said, reader.refused, reader.foreign()) == ([], [], [])


def test_the_search_works_in_a_folder(in_folder: Open) -> None:
    reader = in_folder()
    page = reader.open("index.html")
    page.locator(".search-button-field:visible").first.click()
    page.locator(f"{DIALOG} input[name=q]").press_sequentially("变换")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?*")
    page.locator(EXCERPT).first.wait_for()
    assert page.locator("#search-results input, form input[name=q] >> nth=-1").count()
    page.locator(f"{RESULT} a").first.click()
    page.wait_for_url(lambda url: "search.html" not in url)
    assert "变换" in page.locator("article").inner_text()
    assert page.locator("article .jz-match").count()
    assert (reader.said, reader.refused, reader.foreign()) == ([], [], [])


def test_the_address_of_the_results_says_what_was_asked_for(on_server: Open) -> None:
    page = on_server().open("search.html?q=变换")
    page.locator(EXCERPT).first.wait_for()
    field = page.locator("main input[name=q]")
    assert field.input_value() == "变换"
    field.fill("jit")
    page.wait_for_url("**/search.html?q=jit")
    field.fill("")
    page.wait_for_url(lambda url: url.endswith("search.html"))
    assert page.locator(RESULT).count() == 0


def test_the_last_query_counts_however_late_the_others_answer(on_server: Open) -> None:
    reader = on_server()
    page = reader.open("search.html")
    page.evaluate(
        """() => {
          const [field] = document.querySelectorAll("main input[name=q]");
          for (const query of ["变", "变换", "鸑鷟"]) {
            field.value = query;
            field.form.dispatchEvent(new SubmitEvent("submit", { cancelable: true }));
          }
        }"""
    )
    page.get_by_text("没有找到").wait_for()
    page.wait_for_load_state("networkidle")
    assert page.locator(RESULT).count() == 0


def test_nothing_is_looked_for_while_one_types_on(on_server: Open) -> None:
    page = on_server().open("search.html")
    page.evaluate(
        """() => {
          window.told = [];
          const status = document.querySelector("#search-results .jz-found-status");
          const note = () => told.push(status.textContent);
          new MutationObserver(note).observe(status, { childList: true });
        }"""
    )
    compose = """([query, isComposing]) => {
      const [field] = document.querySelectorAll("main input[name=q]");
      field.value = query;
      field.dispatchEvent(isComposing
        ? new InputEvent("input", { isComposing })
        : new CompositionEvent("compositionend"));
    }"""
    # A word is chosen, and the next one begins at once.
    page.evaluate(compose, ["变换", False])
    page.evaluate(compose, ["变换han", True])
    page.wait_for_timeout(1_000)
    assert page.evaluate("told") == []
    page.evaluate(compose, ["变换函数", False])
    page.locator(EXCERPT).first.wait_for()
    assert len(page.evaluate("told")) == 1


def test_a_question_in_one_breath_finds_pages_with_its_words(in_folder: Open) -> None:
    page = in_folder().open("search.html?q=怎么做函数变换呢")
    page.locator(EXCERPT).first.wait_for()
    status = page.locator("#search-results .jz-found-status")
    assert re.match(r"找到 \d+ 个页面。", status.inner_text())
    by_words = {*find(page, "怎么做函数变换呢")["exact"]}
    assert {*find(page, "函数变换")["exact"]} <= by_words
    # Nothing has all of this: what comes close is said to do so.
    page.locator("main input[name=q]").fill("怎么做函数变换和鸑鷟呢")
    page.get_by_text("没有同时符合的页面").wait_for()
    assert page.locator(RESULT).count() > 1


def test_nothing_is_said_of_signs_and_of_nothing(in_folder: Open) -> None:
    page = in_folder().open("search.html")
    for query in ("", " ", "。", "_", "(", "\\", "a" * 5_000, "*.*", "[x"):
        assert isinstance(find(page, query)["exact"], list)
    assert find(page, "。") == {"all": [], "exact": []}


def test_what_is_asked_for_is_never_run(in_folder: Open) -> None:
    page = in_folder().open("search.html")
    field = page.locator("main input[name=q]")
    field.fill("变换 <img src=x onerror='window.hit=1'>")
    page.locator("#search-results .jz-found-status:not(:empty)").wait_for()
    page.wait_for_timeout(300)
    assert page.evaluate("window.hit") is None
    assert page.locator("#search-results img").count() == 0


def test_an_index_that_is_not_loaded_is_told_and_asked_for_again(
    on_server: Open,
) -> None:
    reader = on_server()
    page = reader.open("search.html")
    page.route("**/_search/**", lambda route: route.abort())
    field = page.locator("main input[name=q]")
    field.fill("变换")
    page.get_by_text("搜索索引无法载入").wait_for()
    page.unroute("**/_search/**")
    field.fill("变换 ")
    page.locator(EXCERPT).first.wait_for()


def test_results_move_nothing_when_they_come(on_server: Open) -> None:
    reader = on_server(viewport=PHONE, has_touch=True, is_mobile=True)
    page = reader.open("search.html")
    page.add_init_script(
        """window.moved = 0;
        new PerformanceObserver((list) => {
          for (const { value, hadRecentInput } of list.getEntries())
            if (!hadRecentInput) window.moved += value;
        }).observe({ type: "layout-shift", buffered: true });"""
    )
    # Excerpts come late, each at its own time.
    delays = iter(range(100, 10_000, 150))

    def late(route: Any) -> None:
        page.wait_for_timeout(next(delays))
        route.continue_()

    page.route("**/_search/pages/**", late)
    page.goto(f"{page.url}?q=变换")
    page.locator(EXCERPT).first.wait_for()
    page.wait_for_timeout(500)
    assert page.locator(RESULT).count() > 1
    assert page.evaluate("window.moved") <= 0.05


# — for everyone —————————————————————————————————


def test_keys_go_through_the_results_and_back(in_folder: Open) -> None:
    page = in_folder().open("index.html")
    type_in_dialog(page, "变换")
    focused = "document.activeElement.closest('li, input')?.matches('{}') ?? false"
    for key, place in (
        ("ArrowUp", "input"),
        ("ArrowDown", "li:first-child"),
        ("ArrowDown", "li:nth-child(2)"),
        ("ArrowUp", "li:first-child"),
        ("ArrowUp", "input"),
        ("ArrowDown", "li:first-child"),
    ):
        page.keyboard.press(key)
        assert page.evaluate(focused.format(place))
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "index.html" not in url or "highlight" in url)
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    assert not page.locator(DIALOG).is_visible()


def test_more_results_are_a_key_away(in_folder: Open, texts: dict[str, str]) -> None:
    query = next(one.query for one in random_parts(texts, 500) if len(one.pages) > 8)
    page = in_folder().open(f"search.html?q={query}")
    page.locator(EXCERPT).first.wait_for()
    assert page.locator(RESULT).count() == 8
    page.locator("button.jz-found-more").press("Enter")
    page.locator(f"{RESULT}:nth-child(9)").wait_for()
    assert page.evaluate("document.activeElement.closest('li')?.matches(':nth-child(9)')")


def show(reader: Reader, where: str, query: str = "变换") -> Page:
    """Open the results of a query in the dialog, or on their page."""
    if where == "dialog":
        page = reader.open("index.html")
        type_in_dialog(page, "变换")
    else:
        page = reader.open(f"search.html?q={query}")
    page.locator(EXCERPT).first.wait_for()
    return page


BOXES = {"dialog": DIALOG, "page": ".bd-search-container"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("where", BOXES)
def test_axe_finds_nothing_in_results(in_folder: Open, scheme: str, where: str) -> None:
    page = show(in_folder(color_scheme=scheme, reduced_motion="reduce"), where)
    page.wait_for_timeout(300)
    assert violations(page, BOXES[where]) == []


@pytest.mark.parametrize("where", BOXES)
def test_results_fit_a_phone(in_folder: Open, where: str) -> None:
    reader = in_folder(viewport=PHONE, has_touch=True, is_mobile=True)
    page = show(reader, where, "jax.numpy")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    wide = page.evaluate(
        """() => [...document.querySelectorAll(".jz-found li *")]
          .filter((one) => one.getBoundingClientRect().right > innerWidth).length"""
    )
    assert wide == 0


# — an index of a few words ———————————————————————

_PAGE = """<!doctype html><html lang="zh-CN" data-content_root="./"><meta charset="utf-8">
<form class="bd-search" action="#"><input name="q"></form><div id="search-results"></div>
<script src="words.js"></script><script src="search.js"></script>
<script src="search-box.js"></script></html>"""


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Reader]:
    """A reader of all these pages, which remember nothing."""
    reader = Reader(browser, "")
    yield reader
    reader.close()


Pages = dict[str, list[str | Block]]
Tiny = Callable[..., "Page"]


@pytest.fixture
def tiny(tmp_path: Path, reader: Reader) -> Iterator[Tiny]:
    """Makes the page of results of a site with these pages: their names, their texts by line.

    The end of a name is the title. A line may be a block, to be more than text. ``readings`` say
    how terms are read.
    """
    reader.said.clear()
    numbers = count()

    def new(
        pages: Pages,
        synonyms: list[Any] | None = None,
        readings: dict[str, str] | None = None,
    ) -> Page:
        folder = tmp_path / f"{next(numbers)}"
        searched: dict[str, SearchedPage] = {}
        for name, lines in pages.items():
            title = Block(text=name.rpartition("/")[2], anchor="top")
            blocks = (one if isinstance(one, Block) else Block(text=one) for one in lines)
            searched[name] = searched_page([title, *blocks], is_translated=True)
        files = files_of(searched, synonyms or [], readings or {}, package="jax")
        write_tree(folder / "_search", {f"{name}.js": files[name] for name in files})
        for name in ("search.js", "search-box.js"):
            copyfile(ROOT / "pipeline" / "site" / "static" / name, folder / name)
        (folder / "words.js").write_text(words_script("zh_CN"), encoding="utf-8")
        (folder / "search.html").write_text(_PAGE, encoding="utf-8")
        assert reader.said == []
        return reader.open(f"{folder.as_uri()}/search.html")

    yield new
    assert reader.said == []


def test_letters_that_stand_apart_are_taken_from_the_results(tiny: Tiny) -> None:
    page = tiny({"apart": ["它们都在，我们可以走"], "together": ["它们可以走"]})
    assert sorted(find(page, "它们可")["exact"]) == ["apart", "together"]
    page.locator("input[name=q]").fill("它们可")
    page.get_by_text("找到 1 个页面。").wait_for()
    assert page.locator(f"{RESULT} a").all_inner_texts() == ["together"]


def test_the_beginning_of_a_word_is_enough_while_it_is_typed(tiny: Tiny) -> None:
    page = tiny({"long": ["kettles.boiling"], "whole": ["kettle"], "no": ["pot"]})
    assert find(page, "kettle")["exact"] == ["whole", "long"]
    for query in ("kettles.boi", "KETTLES.BOILING()"):
        assert find(page, query)["exact"] == ["long"]
    assert find(page, "ket")["exact"] == ["long", "whole"]


def test_an_entry_is_found_on_whichever_shelf_it_stands(tiny: Tiny) -> None:
    words = [f"word{number}" for number in range(4_000)]
    page = tiny({"many": words, "rare": ["𠀀𠀁", "\ufa0e\ufa0f", "一"]})
    assert page.evaluate("async () => (await jzSearch.open()).firsts.length") > 2
    for word in (*words[::400], words[-1]):
        assert "many" in find(page, word)["exact"]
    for word in ("𠀀𠀁", "𠀁", "\ufa0e\ufa0f", "一"):
        assert find(page, word)["exact"] == ["rare"]
    assert find(page, "aaa")["exact"] == find(page, "zzz")["exact"] == []


def test_several_words_may_stand_anywhere_on_a_page(tiny: Tiny) -> None:
    page = tiny({"both": ["茶叶" * 1_000, "kettle 水壶"], "one": ["茶叶"], "other": ["水壶"]})
    for query in ("茶叶 水壶", "怎么 茶叶 水壶 呢", "在 茶叶 里 水壶", "茶叶的 和水壶"):
        assert find(page, query)["exact"] == ["both"], query
        # Pages with a part of it come after those with all.
        assert find(page, query)["all"] == ["both", "one", "other"], query


def test_small_words_are_not_loaded_where_the_others_do_not_meet(tiny: Tiny) -> None:
    # So many entries that the pairs of letters stand in files of their own.
    others = [f"{chr(0x4E00 + number)}{chr(0x9F00 - number)}" for number in range(6_000)]
    page = tiny({"tea": ["茶叶"], "pot": ["茶壶怎么办"], "others": others})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    file = page.evaluate(
        """async () => {
          const { firsts } = await jzSearch.open();
          return `entries/${firsts.findLastIndex((first) => first <= "怎么")}.js`;
        }"""
    )
    assert find(page, "茶叶怎么办")["all"][0] == "tea"
    assert asked
    assert not any(file in url for url in asked)
    # Where they meet, all of it is looked for.
    assert find(page, "茶壶怎么办")["all"][0] == "pot"
    assert any(file in url for url in asked)


def test_synonyms_lead_both_ways_and_count_less(tiny: Tiny) -> None:
    synonyms = [(["tea pot", "泡茶器"], ["茶壶"])]
    pages = {"chinese": ["一把茶壶"], "english": ["one tea pot"], "no": ["tea", "pot"]}
    page = tiny(pages, synonyms)
    assert find(page, "tea pot")["exact"] == ["english", "chinese", "no"]
    assert find(page, "茶壶")["exact"][0] == "chinese"
    assert "english" in find(page, "茶壶")["exact"]
    assert find(page, "泡茶器")["exact"] == ["chinese"]


def test_a_name_finds_what_explains_it_by_any_name_of_its_module(tiny: Tiny) -> None:
    named = Block(text="tea.steam.whistle", names=("tea.steam.whistle",))
    pages = {"guide": ["st.whistle"] * 3, "names": [named], "other": ["tea.steam"]}
    page = tiny(pages, [(["st"], ["tea.steam"])])
    for query in ("st.whistle", "tea.steam.whistle", "st.whistle()"):
        assert find(page, query)["exact"][0] == "names", query
    assert find(page, "st.whistle")["exact"] == ["names", "guide"]


def test_what_code_printed_hardly_counts(tiny: Tiny) -> None:
    printed = Block(text="1.26 ms", is_aside=True)
    pages = {"timed": ["茶叶", printed], "other": ["水"], "versions": ["茶叶 1.26"]}
    page = tiny(pages)
    assert find(page, "茶叶 1.26")["exact"] == ["versions", "timed"]


def test_a_word_is_marked_where_it_begins(tiny: Tiny) -> None:
    page = tiny({"tea": ["steam, 泡tea, my_tea and teapots"]})
    page.locator("input[name=q]").fill("tea")
    page.locator(EXCERPT).first.wait_for()
    marked = page.locator(f"{EXCERPT}").first.inner_html()
    assert marked.startswith("steam, 泡<mark>tea</mark>, my_<mark>tea</mark> and")


def test_an_excerpt_begins_with_a_whole_word(tiny: Tiny) -> None:
    # Thirty letters before the word stands the middle of another one.
    page = tiny({"tea": [f"{'old ' * 9}\\mathbb R^n 到 \\mathbb R 的映射，它从二十个茶壶来"]})
    page.locator("input[name=q]").fill("茶壶")
    page.locator(EXCERPT).first.wait_for()
    assert page.locator(EXCERPT).first.inner_text().startswith("… R^n 到")


def test_a_name_that_is_a_word_finds_what_explains_it_before_prose(tiny: Tiny) -> None:
    names = Block(text="tea.where tea.whereas", names=("tea.where", "tea.whereas"))
    prose: list[str | Block] = ["where " * 9, Block(text="where", anchor="where")]
    page = tiny({"prose": prose, "more": prose, "names": [names]})
    for query in ("where", "tea.where", "where 怎么用", "怎么用 where"):
        assert find(page, query)["all"][0] == "names", query
    # The end of a longer name is no name.
    assert find(page, "tea")["all"][0] == "names"
    assert find(page, "where prose")["all"][0] == "prose"


def documented(name: str, summary: str = "") -> list[str | Block]:
    """The blocks of an object's page below its title."""
    return [
        Block(text=name, anchor=name, names=(name,)),
        Block(text=f"{name}(x)"),
        Block(text=summary, is_summary=True),
    ]


# Other pages, so that the words of the tests are rare.
FILLER: Pages = {
    **{f"filler {at}": ["水"] for at in range(40)},
    **{f"api/filler.{at}": documented(f"filler.{at}") for at in "abcdefghi"},
}


def test_a_name_finds_its_object_before_lists_and_titles(tiny: Tiny) -> None:
    names = ("tea.where", "tea.cup.Where", "tea.tin.where", "tea.scan")
    pages: Pages = {
        "where": ["where " * 9],
        "names": [Block(text=" ".join(names), names=names)],
        "guide": ["where", "ct.Where", "tea.tin.where"],
        **{f"api/{name}": documented(name) for name in names},
    }
    page = tiny(pages, [(["ct"], ["tea.cup"])])
    for query, first in (
        # Guides mention it most; the spelling decides before that.
        ("where", "tea.tin.where"),
        ("WHERE", "tea.tin.where"),
        ("Where", "tea.cup.Where"),
        ("cup.where", "tea.cup.Where"),
        ("ct.where()", "tea.cup.Where"),
        ("Tea.Where", "tea.where"),
        ("tea.where 怎么用", "tea.where"),
        ("SCAN", "tea.scan"),
    ):
        assert find(page, query)["all"][0] == f"api/{first}", query
    found = find(page, "where")["all"]
    # The page with this title follows, then guides and the other objects.
    assert found[1] == "where"
    assert {*found[2:]} == {"api/tea.where", "api/tea.cup.Where", "guide", "names"}


def test_a_question_finds_an_object_by_its_summary(tiny: Tiny) -> None:
    pages: Pages = {
        "guide": ["茶"],
        "api/tea.boil": documented("tea.boil", "把水烧开。"),
        "api/tea.cool": [*documented("tea.cool"), "把水烧开。"],
    }
    page = tiny(pages)
    assert find(page, "烧开")["all"] == ["api/tea.boil", "api/tea.cool"]


def test_guides_stand_between_objects_while_they_match(tiny: Tiny) -> None:
    pages: Pages = {
        **{f"guide {at}": ["把水烧开"] for at in range(3)},
        **{f"api/tea.{at}": documented(f"tea.{at}", "把水烧开。") for at in "abc"},
        **FILLER,
    }
    page = tiny(pages)
    are_objects = [name.startswith("api/") for name in find(page, "烧开")["all"]]
    assert are_objects == [True, False, False, True, False, True]
    # A name is looked up, and then learnt about.
    names: Pages = {
        **{f"guide {at}": ["boil"] for at in range(3)},
        **{f"api/tea.{at}.boil": documented(f"tea.{at}.boil") for at in "ab"},
    }
    found = find(tiny(names), "boil")["all"]
    are_objects = [name.startswith("api/") for name in found]
    assert are_objects == [True, False, False, True, False]


def test_a_guide_comes_before_objects_if_its_heading_has_the_query_or_it_explains_why(
    tiny: Tiny,
) -> None:
    pages: Pages = {
        "茶": [Block(text="烧开", anchor="boil"), *["先把水壶灌满" * 300] * 20],
        **{f"guide {at}": ["把水烧开"] for at in range(3)},
        **{f"api/tea.{at}": documented(f"tea.{at}", "把水烧开。") for at in "ab"},
        **FILLER,
    }
    found = find(tiny(pages), "烧开")["all"]
    assert found[:2] == ["茶", "api/tea.a"]
    assert not any(name.startswith("api/") for name in found[2:4])
    del pages["茶"]
    page = tiny(pages)
    for query, place in (("怎么烧开", 0), ("为什么烧开", 3), ("Why 烧开", 3)):
        found = find(page, query)["all"]
        assert [name.startswith("api/") for name in found].index(True) == place, query


def test_names_of_other_frameworks_find_ours_but_never_back(tiny: Tiny) -> None:
    names = ("jax.numpy.where", "jax.numpy.expand_dims", "jax.nn.relu")
    listed = Block(text=" ".join(names), names=names)
    page = tiny({"prose": ["where torch unsqueeze"], "names": [listed]})
    for query in (
        *("torch.where", "tf.where", "torch.nn.functional.relu"),
        *("x.unsqueeze", "torch.unsqueeze"),
    ):
        assert find(page, query)["all"][0] == "names", query
    assert find(page, "expand_dims")["all"] == ["names"]
    assert set(find(page, "torch 的 unsqueeze")["exact"]) == {"names", "prose"}
    assert find(page, "torch")["all"] == ["prose"]


def test_an_argument_finds_the_page_on_the_name_that_it_belongs_to(tiny: Tiny) -> None:
    owned = Block(text="hot_plates", owner="boil", arguments=("hot_plates",))
    text: list[str | Block] = ["hot_plates"]
    # Of so many pages two neighbours are as early as each other.
    others: Pages = {f"page {at}": ["水"] for at in range(20)}
    page = tiny({"early": text, "boil": text, **others, "names": [owned]})
    assert find(page, "hot_plates")["all"] == ["boil", "early", "names"]


def test_a_slip_or_a_reading_is_asked_back(tiny: Tiny) -> None:
    names = ("tea.kettle", "tea.hot_plates", "tea.kettles_on")
    listed = Block(text="tea.kettle tea.hot_plates tea.kettles_on", names=names)
    readings = {
        "水壶": "shui hu",
        "水壶架": "shui hu jia",
        "热水壶圈": "re shui hu quan",
    }
    page = tiny({"names": [listed, "水壶"]}, readings=readings)
    for query, meant in (
        ("ketlte", ["kettle"]),
        ("tea.ketlte", ["tea.kettle"]),
        ("ketlte 水", ["kettle 水"]),
        ("hotplates", ["hot_plates"]),
        ("shuihu", ["水壶"]),
        ("shui hu", ["水壶"]),
        ("shuih", ["水壶", "水壶架", "热水壶圈"]),
        ("shuihuo", ["水壶"]),
        ("rshq", ["热水壶圈"]),
        ("huquan", ["热水壶圈"]),
        ("kettle", []),
        ("zz", []),
        ("qwqwqwqw", []),
        ("鸑鷟", []),
        ("__proto__", []),
    ):
        find_meant = "async (query) => (await jzSearch.find(query)).meant"
        found = page.evaluate(find_meant, query)
        assert found[: len(meant) or None] == meant, query


def test_what_may_have_been_meant_is_a_link_to_its_results(tiny: Tiny) -> None:
    name = "tea.kettle"
    page = tiny({"names": [Block(text=name, names=(name,))]}, readings={"水": "shui"})
    page.locator("input[name=q]").fill("ketlte")
    link = page.locator("#search-results .jz-found-meant a")
    link.wait_for()
    assert page.get_by_text("您是不是要找：").is_visible()
    assert link.all_inner_texts() == ["kettle"]
    assert (link.get_attribute("href") or "").endswith("?q=kettle")
    link.click()
    page.locator(EXCERPT).first.wait_for()
    assert page.locator("input[name=q]").input_value() == "kettle"
    assert link.count() == 0


def test_nothing_in_what_may_have_been_meant_is_run(tiny: Tiny) -> None:
    live = "<img src=x onerror=hit()>水"
    page = tiny({"names": ["水"]}, readings={live: "huo shui"})
    page.locator("input[name=q]").fill("huoshui")
    link = page.locator("#search-results .jz-found-meant a")
    link.wait_for()
    assert link.inner_text() == live
    assert page.locator("#search-results img").count() == 0
