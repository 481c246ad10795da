"""The main flow of the workbench in Debian's Firefox, by keyboard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from site_firefox import CONTROL, NO_FIREFOX, Firefox, firefox
from workbench import Workbench, emptied, on_a_port, workbench_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(bool(NO_FIREFOX), reason=NO_FIREFOX),
]
ENTER, ESCAPE, ALT = "\ue007", "\ue00c", "\ue00a"
EDITOR = "!document.querySelector('#editor').hidden"


@pytest.fixture(scope="session")
def fox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox(tmp_path_factory.mktemp("firefox")) as browser:
        yield browser


@pytest.fixture
def bench(project: Path) -> Workbench:
    return workbench_of(project)


@pytest.fixture
def address(bench: Workbench) -> Iterator[str]:
    with on_a_port(bench) as address:
        yield address


def open_page(fox: Firefox, address: str, page: str) -> None:
    fox.open("about:blank")
    fox.open(f"{address}#{page}")
    fox.wait_for("document.querySelector('#queue-list button') !== null")


def text_of(fox: Firefox, selector: str) -> str:
    return str(fox.ask(f"document.querySelector({json.dumps(selector)}).textContent"))


def test_a_page_is_translated(fox: Firefox, bench: Workbench, address: str) -> None:
    page = "guides/vmap"
    wanted = {entry.msgid: entry.msgstr for entry in bench.catalog(page).entries}
    emptied(bench, page)
    open_page(fox, address, page)
    fox.press("2", ENTER)
    for number in range(len(wanted)):
        fox.wait_for(
            f"{EDITOR} && document.activeElement.id === 'text' && !document.activeElement.value"
        )
        english = text_of(fox, "#english")
        if number == 0:
            fox.press(*wanted[english])
        else:  # like pasting: each key takes Firefox long
            text = json.dumps(wanted[english])
            fox.ask(f"document.execCommand('insertText', false, {text})")
        fox.press(ENTER, holding=CONTROL)
        moved = f"document.querySelector('#english').textContent !== {json.dumps(english)}"
        fox.wait_for(f"{moved} || !({EDITOR})")
    fox.wait_for("!document.querySelector('#queue').hidden")
    assert {one.msgid: one.msgstr for one in bench.catalog(page).entries} == wanted
    assert fox.said == []


def test_mending_and_review(fox: Firefox, bench: Workbench, address: str) -> None:
    entry = bench.catalog("faq").entries[1]
    bench.write("faq", replace(entry, fuzzy=True, previous=f"{entry.msgid} Once more."))
    open_page(fox, address, "faq")
    fox.press("3", "j", ENTER)
    fox.wait_for("document.querySelector('#diff del') !== null")
    assert "Once more" in text_of(fox, "#diff")
    fox.press("a", holding=CONTROL)
    fox.press(*"用JAX写**注意：**不要")
    fox.wait_for("document.querySelector('#findings .error') !== null")
    fox.press("x", holding=ALT)
    fox.wait_for("document.querySelector('#text').value.includes('**注意**：')")
    bench.write("faq", replace(entry, msgstr="别处又改"))
    fox.wait_for("!document.querySelector('#conflict').hidden")
    assert text_of(fox, "#theirs") == "别处又改"
    fox.ask("document.querySelector('#keep-mine').focus()")
    fox.press(ENTER)
    fox.wait_for("document.querySelector('#conflict').hidden")
    fox.wait_for("!document.querySelector('#told').textContent.includes('…')")
    assert "**注意**：" in bench.entry("faq", entry.msgid).msgstr
    bench.write("faq", replace(entry, fuzzy=True, previous=f"{entry.msgid} Once more."))
    open_page(fox, address, "faq")
    fox.press("r")
    fox.wait_for("document.activeElement.id === 'review-card'")
    fox.press("x")
    is_empty = "!document.querySelector('#review-empty').hidden"
    fox.wait_for(is_empty)
    assert bench.entry("faq", entry.msgid).msgstr == ""
    fox.press("u")
    fox.wait_for(f"!({is_empty})")
    fox.press("a")
    fox.wait_for(is_empty)
    assert bench.entry("faq", entry.msgid).is_finished
    assert fox.said == []


FILTERS = ("all", "open", "fuzzy", "draft", "findings")
LISTED = (
    "[...document.querySelectorAll('#queue-list button .words')].map((words) => words.textContent)"
)
PRESSED = "document.querySelector('#filters [aria-pressed=true]').dataset.filter"


def test_each_filter_lists_what_it_is_named_for(
    fox: Firefox, bench: Workbench, address: str
) -> None:
    fuzzy, draft, broken, empty, *others = bench.catalog("faq").entries
    told = f"{broken.msgstr}<b>"
    bench.write(
        "faq",
        replace(fuzzy, fuzzy=True, previous=f"{fuzzy.msgid} Once more."),
        replace(draft, fuzzy=True, previous=draft.msgid),
        replace(broken, msgstr=told),
        replace(empty, msgstr=""),
    )
    begun = [fuzzy.msgstr, draft.msgstr, told, empty.msgid]
    wanted = {
        "all": begun + [entry.msgstr for entry in others],
        "open": begun,
        "fuzzy": [fuzzy.msgstr],
        "draft": [draft.msgstr],
        "findings": [told],
    }
    open_page(fox, address, "faq")
    fox.wait_for(f"{LISTED}.length === {len(wanted['all'])}")
    # What checks have found of the page comes in when the page is there.
    shown = "document.querySelector('#filters [data-filter=findings]').textContent"
    fox.wait_for(f"{shown}.includes(' 1')")
    for number, name in enumerate(FILTERS, 1):
        fox.press(str(number))
        assert fox.ask(PRESSED) == name
        assert fox.ask(LISTED) == wanted[name], name
    # By mouse in the same way, and the button counts what it leads to.
    for name in reversed(FILTERS):
        fox.click(f"#filters [data-filter={name}]")
        assert fox.ask(PRESSED) == name
        assert fox.ask(LISTED) == wanted[name], name
        button = text_of(fox, f"#filters [data-filter={name}]")
        assert f" {len(wanted[name])}" in button
    # A search narrows what a filter lists, until it is left.
    fox.ask("document.activeElement.blur()")
    fox.press("2", "/")
    fox.press(*draft.msgstr)
    fox.wait_for(f"{LISTED}.length === 1")
    assert fox.ask(LISTED) == [draft.msgstr]
    fox.press(ESCAPE)
    assert fox.ask(LISTED) == wanted["open"]
    assert fox.said == []
