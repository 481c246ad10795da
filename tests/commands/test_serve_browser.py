"""The workbench in a real Chromium, by keyboard. Skipped where there is no browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from branch_project import NAME, Clone
from msgspec import Struct
from msgspec.structs import replace
from processes import until
from servers import served
from site_chromium import PATIENCE, REASON, violations
from workbench import Workbench, emptied, on_a_port, waiting, workbench_of

from pipeline.adapters.files import hold_lock
from pipeline.core.document.prose import atoms_of
from pipeline.entries import Entry

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Route

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(bool(REASON), reason=REASON),
]
OPEN = "#editor:not([hidden])"
ENGLISH = "document.querySelector('#english').textContent"
TOLD = "document.querySelector('#told').textContent"
SCRIPT = "<img src=x onerror='top.harm=1'><script>top.harm=1</script>"


class Desk(Struct, frozen=True):
    """A page of the browser that shows the workbench, and the files behind it."""

    bench: Workbench
    page: Page
    address: str
    said: list[str]

    def open(self, name: str) -> None:
        """Open a page of the docs, and wait for its messages."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}#{name}")
        self.page.wait_for_selector("#queue-list button")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def edit(self, number: int) -> None:
        """Open the editor of a message as a click on the page does."""
        self.page.frame_locator("#frame").locator(f'[data-block="{number}"]').first.click()
        self.page.wait_for_selector(OPEN)

    def type(self, text: str) -> None:
        self.press("Control+a")
        self.page.keyboard.insert_text(text)

    def shown(self, number: int) -> str:
        """What the page shows of a message."""
        place = self.page.frame_locator("#frame").locator(f'[data-block="{number}"]')
        return place.first.inner_text()

    def text(self, selector: str) -> str:
        """What an element shows."""
        return self.page.locator(selector).inner_text()

    def wait(self, selector: str) -> None:
        self.page.wait_for_selector(selector)

    def expect(self, expression: str) -> None:
        """Wait until something holds in the page, which evaluates no strings by itself."""
        assert until(lambda: self.page.evaluate(expression), seconds=PATIENCE / 1000), expression


@pytest.fixture
def desk(project: Path, browser: Browser) -> Iterator[Desk]:
    yield from desk_of(workbench_of(project), browser)


def desk_of(bench: Workbench, browser: Browser) -> Iterator[Desk]:
    """A page of the browser on a workbench."""
    with on_a_port(bench) as address:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        said: list[str] = []
        page.on("pageerror", lambda error: said.append(str(error)))

        def heard(message: ConsoleMessage) -> None:
            if message.type == "error":
                said.append(message.text)

        page.on("console", heard)
        yield Desk(bench, page, address, said)
        context.close()


def test_a_page_from_empty_to_whole_by_keyboard_alone(desk: Desk) -> None:
    wanted = {entry.msgid: entry.msgstr for entry in desk.bench.catalog("faq").entries}
    emptied(desk.bench, "faq")
    desk.open("faq")
    desk.press("2", "Enter")  # the open ones, and the first of them
    for _ in range(len(wanted)):
        desk.wait(OPEN)
        desk.expect("document.activeElement.id === 'text' && !document.activeElement.value")
        english = desk.text("#english")
        desk.page.keyboard.insert_text(wanted[english])
        desk.press("Control+Enter")
        moved = f"{ENGLISH} !== {json.dumps(english)}"
        desk.expect(f"{moved} || document.querySelector('#editor').hidden")
    desk.wait("#queue:not([hidden])")
    saved = {entry.msgid: entry.msgstr for entry in desk.bench.catalog("faq").entries}
    assert saved == wanted
    done, all_ = re.findall(r"\d+", desk.text("#progress"))
    assert done == all_
    assert desk.said == []


def test_what_has_an_error_is_saved_and_stays_with_a_word(desk: Desk) -> None:
    entries = desk.bench.catalog("faq").entries
    msgid = next(entry.msgid for entry in entries if "`" in entry.msgid)
    emptied(desk.bench, "faq")
    desk.open("faq")
    # The first "next" is about the first open message, on which the page opens.
    desk.press("n", "Enter")
    desk.expect(f"{ENGLISH} === {json.dumps(entries[0].msgid)}")
    number = desk.page.evaluate(
        "(msgid) => [...document.querySelectorAll('#queue-list .words')]"
        ".findIndex((words) => words.textContent === msgid)",
        msgid,
    )
    desk.press("Escape", *["j"] * number, "Enter")
    desk.expect(f"{ENGLISH} === {json.dumps(msgid)}")
    desk.page.keyboard.insert_text("没有代码了")
    desk.press("Control+Enter")
    desk.expect(f"{TOLD}.includes('已保存，但有错误')")
    desk.expect(f"{ENGLISH} === {json.dumps(msgid)}")
    assert desk.bench.entry("faq", msgid).msgstr == "没有代码了"
    assert "1 条没有进入页面" in desk.text("#progress")
    desk.press("Alt+ArrowDown")
    desk.expect(f"{ENGLISH} !== {json.dumps(msgid)}")
    assert desk.said == []


def test_a_save_says_that_it_has_ended_before_the_page_is_there(desk: Desk) -> None:
    emptied(desk.bench, "faq")
    desk.open("faq")
    desk.press("n", "Enter")
    desk.type("存成草稿")
    # The page is asked for and does not come.
    desk.page.route("**/body", lambda route: None)
    desk.press("Alt+d")
    desk.expect(f"{TOLD} === '已存为草稿'")
    desk.page.wait_for_timeout(1_500)
    assert desk.page.evaluate(TOLD) == "已存为草稿"


def test_what_is_typed_shows_on_the_page_at_once(desk: Desk) -> None:
    desk.open("faq")
    desk.edit(1)
    desk.type("正在**打字**")
    desk.page.frame_locator("#frame").locator('[data-block="1"] strong').wait_for()
    assert desk.shown(1) == "正在打字"
    desk.press("Escape")
    desk.wait("#queue:not([hidden])")
    desk.expect(
        "document.querySelector('#frame').contentDocument"
        ".querySelector('[data-block=\"1\"]').textContent !== '正在打字'"
    )
    # What was typed is still there.
    desk.edit(1)
    assert desk.page.locator("#text").input_value() == "正在**打字**"


def test_fuzzy_findings_fix_atoms_and_filters(desk: Desk) -> None:
    entries = desk.bench.catalog("arrays").entries
    entry = next(one for one in entries if len(atoms_of(one.msgid)) > 1)
    old = f"{entry.msgid} Once more."
    desk.bench.write("arrays", replace(entry, fuzzy=True, previous=old))
    desk.open("arrays")
    desk.press("3")  # the fuzzy ones
    assert desk.page.locator("#queue-list button").count() == 1
    desk.press("j", "Enter")
    desk.wait("#diff del")
    assert "Once more" in desk.text("#diff")
    desk.type("用JAX写**注意：**不要 ")
    desk.wait("#findings .error")
    first, second = list(dict.fromkeys(atoms_of(entry.msgid)))[:2]
    desk.press("Alt+1", "Alt+a")
    assert desk.page.locator("#text").input_value().endswith(first + second)
    desk.press("Alt+x")
    desk.expect("document.querySelector('#text').value.includes('**注意**：')")
    desk.press("Alt+d")
    desk.expect("document.querySelector('#state').classList.contains('s-draft')")
    assert desk.bench.entry("arrays", entry.msgid).fuzzy
    desk.page.locator("#text").focus()
    desk.type(entry.msgstr)
    desk.press("Control+Enter")
    desk.wait("#queue:not([hidden])")
    assert desk.bench.entry("arrays", entry.msgid).is_finished
    desk.press("1", "/")
    desk.page.keyboard.insert_text(entry.msgstr[:6])
    assert desk.page.locator("#queue-list button").count() < len(entries)


def test_a_file_edited_elsewhere_comes_in_and_conflicts_are_shown(desk: Desk) -> None:
    desk.open("faq")
    entry = desk.bench.catalog("faq").entries[1]
    desk.bench.write("faq", replace(entry, msgstr="别处改的"))
    desk.expect(
        "document.querySelector('#frame').contentDocument?.body?.textContent?.includes('别处改的')"
    )
    desk.edit(1)
    desk.type("我写的")
    desk.bench.write("faq", replace(entry, msgstr="别处又改"))
    desk.wait("#conflict:not([hidden])")
    assert desk.text("#theirs") == "别处又改"
    assert desk.page.locator("#text").input_value() == "我写的"
    assert violations(desk.page) == []
    desk.page.locator("#keep-mine").focus()
    desk.press("Enter")
    desk.expect("document.querySelector('#conflict').hidden")
    desk.expect(f"!{TOLD}.includes('…')")
    assert desk.bench.entry("faq", entry.msgid).msgstr == "我写的"


def test_a_damaged_catalogue_is_shown_until_it_is_mended(desk: Desk) -> None:
    path = desk.bench.path("faq")
    good = path.read_bytes()
    path.write_bytes(good + b"<<<<<<< ours\n")
    desk.page.goto(f"{desk.address}#faq")
    trouble = desk.page.locator("#trouble:not([hidden])")
    trouble.wait_for()
    line = good.count(b"\n") + 1
    assert f"faq.po:{line}" in trouble.inner_text()
    path.write_bytes(good)
    desk.wait("#queue-list button")
    assert desk.page.locator("#trouble").is_hidden()


def test_a_run_at_work_is_told(desk: Desk) -> None:
    desk.open("faq")
    desk.edit(1)
    desk.type("等一等")
    with hold_lock(desk.bench.run.paths.run_lock, on_wait=lambda: None):
        desk.press("Control+Enter")
        desk.expect(f"{TOLD}.includes('sync')")
    desk.expect(f"!{TOLD}.includes('sync')")
    assert "等一等" in desk.bench.path("faq").read_text("utf-8")


def test_pages_help_and_language_by_keyboard(desk: Desk) -> None:
    desk.page.goto(desk.address)
    desk.wait("#page-list button")
    assert violations(desk.page) == []
    desk.page.locator("#search").fill("vmap")
    assert desk.page.locator("#page-list li:not([hidden])").count() == 1
    desk.press("Enter", "Enter")
    desk.wait("#queue-list button")
    assert desk.text("#name") == "guides/vmap"
    desk.press("l")
    assert desk.page.locator("html").get_attribute("lang") == "en"
    assert "Help" in desk.text("#help-open")
    desk.press("?")
    assert desk.page.locator("#help").is_visible()
    assert violations(desk.page) == []
    desk.press("Escape")
    desk.press("j", "Enter")
    desk.wait(OPEN)
    desk.page.wait_for_timeout(500)
    assert violations(desk.page) == []


def test_keys_count_at_once_when_the_help_is_closed(desk: Desk) -> None:
    """Its button has the focus until the browser draws again."""
    desk.open("faq")
    desk.page.evaluate(
        """() => {
          const help = document.querySelector("#help");
          document.activeElement.blur();
          help.showModal();
          const button = document.activeElement;
          help.close();
          for (const key of ["j", "Enter"])
            button.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        }"""
    )
    desk.wait(OPEN)
    assert desk.said == []


def test_script_in_every_field_is_text(desk: Desk) -> None:
    entries = desk.bench.catalog("faq").entries
    hostile = replace(
        entries[1],
        msgstr=SCRIPT,
        fuzzy=True,
        previous=SCRIPT,
        comments=(SCRIPT,),
        notes=(*entries[1].notes, SCRIPT),
    )
    desk.bench.write("faq", hostile, replace(entries[2], msgstr=SCRIPT))
    document = desk.bench.run.paths.docs / "faq.md"
    document.write_text(document.read_text("utf-8") + f"\n\n{SCRIPT}\n\nLast words.\n")
    desk.bench.desk.files_changed([desk.bench.run.paths.lock])
    desk.open("faq")
    desk.edit(1)
    desk.wait("#notes li")
    desk.type(SCRIPT)
    desk.wait("#findings .error")
    desk.press("l")
    assert desk.page.evaluate("window.harm") is None
    assert desk.page.locator("#right script, #right img").count() == 0
    assert SCRIPT in desk.text("#notes")


def test_a_hostile_page_reads_and_writes_nothing(desk: Desk, tmp_path: Path) -> None:
    entry = desk.bench.catalog("faq").entries[1]
    seen = {"msgid": entry.msgid, "msgstr": entry.msgstr}
    seen_json = json.dumps({**seen, "context": None, "fuzzy": False})
    folder = tmp_path / "hostile"
    folder.mkdir()
    html = (Path(__file__).parent / "data" / "hostile.html").read_text("utf-8")
    (folder / "index.html").write_text(html.replace("SEEN", seen_json))
    before = desk.bench.path("faq").read_bytes()
    with served(folder) as site:
        desk.page.goto(f"{site}index.html#{desk.address}")
        assert until(lambda: desk.page.evaluate("window.isDone"), seconds=20)
        results = desk.page.evaluate("window.results")
    # Some browsers send a request whose answer may not be read, and the server refuses it.
    assert results.pop("blind") in ("opaque", "refused")
    assert set(results.values()) <= {"refused", ""}
    assert len(results) == 5
    assert desk.bench.path("faq").read_bytes() == before


def is_told(desk: Desk, words: str) -> None:
    desk.expect(f"document.querySelector('#review-told').textContent.includes({words!r})")


def is_shown(desk: Desk, english: str) -> None:
    told = json.dumps(english)
    desk.expect(
        f"document.querySelector('#review-english').textContent === {told}"
        " && !document.querySelector('#review').hidden"
    )


def test_a_reviewer_accepts_rejects_and_undoes_by_keyboard(desk: Desk) -> None:
    fuzzy, draft, adopted = waiting(desk.bench, "faq", kinds=3)
    waiting(desk.bench, "grad", kinds=3)
    desk.page.goto(desk.address)
    desk.wait("#page-list button")
    desk.press("r")  # from the list: all pages
    is_shown(desk, fuzzy.msgid)
    assert desk.text("#review-count") == "1 / 6"
    desk.wait("#review-diff del")
    desk.expect("document.activeElement.id === 'review-card'")
    assert violations(desk.page) == []
    desk.press("a")
    is_told(desk, "已接受，还有 5 条")
    is_shown(desk, draft.msgid)
    assert desk.bench.entry("faq", fuzzy.msgid).is_finished
    desk.press("u")
    is_told(desk, "已撤销")
    is_shown(desk, fuzzy.msgid)
    assert desk.bench.entry("faq", fuzzy.msgid).fuzzy
    desk.press("j", "x")
    is_shown(desk, adopted.msgid)
    assert desk.bench.entry("faq", draft.msgid).msgstr == ""
    assert desk.said == []


def test_a_reviewer_edits_goes_on_to_the_next_page_and_undoes(desk: Desk) -> None:
    *_, adopted = waiting(desk.bench, "faq", kinds=3)
    (other, *_) = waiting(desk.bench, "grad", kinds=3)
    desk.open("faq")
    desk.press("r")
    desk.expect("document.querySelector('#review-count').textContent === '1 / 3'")
    desk.press("t", "j", "j")  # all pages, and the third one of them
    is_shown(desk, adopted.msgid)
    desk.expect("document.querySelector('#review-notes').textContent !== ''")
    desk.press("e")
    desk.wait(OPEN)
    desk.expect("document.activeElement.id === 'text'")
    desk.type("审校时改过的译文")
    desk.press("Control+Enter")
    # The next one is on another page, which opens by itself.
    is_shown(desk, other.msgid)
    assert desk.bench.entry("faq", adopted.msgid).msgstr == "审校时改过的译文"
    desk.expect("document.querySelector('#name').textContent === 'grad'")
    desk.press("u")
    is_shown(desk, adopted.msgid)
    again = desk.bench.entry("faq", adopted.msgid)
    assert replace(again, line=adopted.line) == adopted
    desk.press("t")  # this page only
    desk.expect("document.querySelector('#review-count').textContent === '3 / 3'")
    for left in (2, 1, 0):
        desk.press("x")
        is_told(desk, f"已拒绝，还有 {left} 条")
    assert desk.text("#review-empty") == "没有等待审校的译文了。"
    assert violations(desk.page) == []
    desk.press("Escape")
    desk.wait("#queue:not([hidden])")
    assert desk.said == []


def test_a_review_accepts_no_errors_and_shows_what_others_wrote(desk: Desk) -> None:
    fuzzy, *_ = waiting(desk.bench, "faq", kinds=3)
    broken = replace(fuzzy, msgstr="一\n\n二")
    desk.bench.write("faq", broken)
    desk.open("faq")
    desk.press("r")
    is_shown(desk, fuzzy.msgid)
    desk.press("a")
    is_told(desk, "不能接受")
    desk.wait("#review-findings .error")
    assert desk.bench.entry("faq", fuzzy.msgid).msgstr == "一\n\n二"
    desk.press("l")
    assert desk.text("#accept").startswith("Accept")
    desk.bench.write("faq", replace(fuzzy, msgstr="别处改的"))
    desk.expect("document.querySelector('#review-text').textContent === '别处改的'")
    assert violations(desk.page) == []
    desk.press("a")
    is_told(desk, "accepted, 2 to go")
    assert desk.bench.entry("faq", fuzzy.msgid).msgstr == "别处改的"


def test_an_answer_from_before_a_decision_brings_nothing_back(desk: Desk) -> None:
    """What waits is asked for when files change, and a decision is made in the meantime."""
    fuzzy, draft, adopted = waiting(desk.bench, "faq", kinds=3)
    desk.open("faq")
    desk.press("r")
    is_shown(desk, fuzzy.msgid)
    desk.wait("#review-diff del")
    held = held_when_changed(desk, "waiting", replace(adopted, msgstr="别处改的"))
    older = held.fetch()
    desk.press("x")
    is_told(desk, "已拒绝，还有 2 条")
    held.fulfill(response=older)
    pause(desk)
    desk.press("x")
    is_told(desk, "已拒绝，还有 1 条")
    assert desk.bench.entry("faq", draft.msgid).msgstr == ""
    desk.expect("document.querySelector('#review-text').textContent === '别处改的'")
    assert desk.said == []


def test_an_answer_about_the_page_before_changes_nothing(desk: Desk) -> None:
    """A page is asked for when its file changes, and another one is opened in the meantime."""
    desk.open("faq")
    entry = desk.bench.catalog("faq").entries[1]
    held = held_when_changed(desk, "page", replace(entry, msgstr="别处改的"))
    desk.page.locator("#list").click()
    desk.page.locator("#page-list button", has_text="grad").click()
    desk.expect("document.querySelector('#name').textContent === 'grad'")
    older = held.fetch()
    held.fulfill(response=older)
    desk.page.wait_for_timeout(500)
    assert desk.text("#name") == "grad"


def held_when_changed(desk: Desk, action: str, entry: Entry) -> Route:
    """Change an entry of the page "faq"; the first request of the browser for ``action`` then.

    It has no answer yet. Later requests have theirs.
    """
    held: list[Route] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    desk.page.route(f"**/api/{action}", hold_first)
    desk.bench.write("faq", entry)
    assert until(lambda: held or pause(desk), seconds=PATIENCE / 1000)
    return held[0]


def pause(desk: Desk) -> bool:
    """Let the browser's requests come in for a moment; False, as nothing is known of them."""
    desk.page.wait_for_timeout(50)
    return False


@pytest.fixture
def changed(
    begun: Clone, tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Desk]:
    """``serve --review`` on a branch that has translated one message, and changed another."""
    monkeypatch.delenv("GITHUB_BASE_REF", raising=False)
    clone = begun.copy(tmp_path / "project")
    clone.branch("work")
    clone.translate("cellar", "lamp", "楼梯旁挂着一盏灯")
    clone.store("yard/shed", "saw", "雨会弄坏锯子")
    yield from desk_of(workbench_of(clone.root, NAME, base="main"), browser)


def test_the_changes_of_a_branch_are_reviewed_by_keyboard_alone(changed: Desk) -> None:
    new, old = (
        next(one for one in changed.bench.catalog(page).entries if word in one.msgid)
        for page, word in (("cellar", "lamp"), ("yard/shed", "saw"))
    )
    files = [changed.bench.path(page) for page in ("cellar", "yard/shed")]
    before = [path.read_bytes() for path in files]
    changed.page.goto(changed.address)
    is_shown(changed, new.msgid)  # without a key: that is what it was started for
    assert changed.text("#review-count") == "1 / 2"
    changed.press("a")
    is_told(changed, "已接受，还有 1 条")
    is_shown(changed, old.msgid)
    assert [path.read_bytes() for path in files] == before
    changed.wait("#review-text del")
    assert changed.text("#review-change") == ("译文改过 · Li Lei, 2026-01-02")
    changed.expect("document.activeElement.id === 'review-card'")
    changed.expect("document.querySelector('#name').textContent === 'yard/shed'")
    assert violations(changed.page) == []
    changed.press("x")
    is_told(changed, "已拒绝，还有 0 条")
    rejected = changed.bench.entry("yard/shed", old.msgid)
    assert rejected.msgstr.startswith("yard/shed：译文")
    changed.press("u")
    is_told(changed, "已撤销")
    is_shown(changed, old.msgid)
    assert changed.bench.entry("yard/shed", old.msgid).msgstr == "雨会弄坏锯子"
    changed.press("u")
    is_shown(changed, new.msgid)
    changed.page.reload()
    is_shown(changed, new.msgid)
    assert changed.said == []
