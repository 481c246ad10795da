"""core/catalog/counts: messages and words of a page by state."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from report_results import LOCK, status_text, upgrade_text

from pipeline.core.catalog.change_class import ChangeClass
from pipeline.core.catalog.commit_diff import (
    Comparison,
    PageChange,
    changed_pages,
    compare_pages,
)
from pipeline.core.catalog.counts import (
    CLASSES,
    OTHER,
    count_catalog,
    in_order,
    is_settled,
)
from pipeline.core.catalog.origins import Machine
from pipeline.core.document.reader import SplitPage, read_document
from pipeline.core.pin.lock import Lock, Page, SourceFile, blob_id
from pipeline.core.results import PageResult, UpdateCounts
from pipeline.entries import Catalog, Entry
from pipeline.report.result import RunResult
from pipeline.report.value import Screen

LONG = "These are enough words to tell one page from any other page."
FRONT = "---\nkernelspec:\n  name: python3\n---\n\n"


def page(name: str, text: str) -> SplitPage:
    data = text.encode()
    file = SourceFile(path=f"{name}.md", blob=blob_id(data))
    return SplitPage(
        page=Page(name=name, files=(file,)), documents=(read_document(file.path, data),)
    )


def lock(*paths: str, version: int = 1) -> Lock:
    """A lock of these files, which are others in each version."""
    files = tuple(
        SourceFile(path=path, blob=blob_id(f"{path} {version}".encode())) for path in sorted(paths)
    )
    return replace(
        LOCK,
        ref=f"v{version}",
        commit=f"{version}" * 40,
        version=f"{version}.0.0",
        files=files,
    )


def changes(before: dict[str, str], after: dict[str, str]) -> tuple[PageChange, ...]:
    old, new = ([page(*item) for item in texts.items()] for texts in (before, after))
    return compare_pages(old, new)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("One thing.", "One thing.", {}),
        ("One thing.\nAnd more.", "One thing. And\nmore.", {}),
        ("One thing.", "One thing.\n\nQuite another one.", {"added": 1, "words": 3}),
        ("It is a big thing.", "It is a big wing.", {"changed": 1, "words": 5}),
        # Each old message is changed into one only.
        (
            "It is a big thing.",
            "It is a big wing.\n\nIt is a big ring.",
            {"changed": 1, "added": 1, "words": 10},
        ),
        ("One thing.\n\nTwo.", "One thing.", {"dropped": 1}),
        (None, "One thing.", {"appeared": True, "added": 1, "words": 2}),
        ("One thing.", None, {"vanished": True, "dropped": 1}),
    ],
    ids="same|wrapped anew|new|changed|two alike|dropped|appeared|vanished".split("|"),
)
def test_what_became_of_the_text_is_counted_by_page(
    before: str | None, after: str | None, expected: dict[str, Any]
) -> None:
    old, new = ({"a": text} if text else {} for text in (before, after))
    found = (PageChange(page="a", **expected),) if expected else ()
    assert changes(old, new) == found


def test_text_that_comes_from_another_page_is_neither_new_nor_gone() -> None:
    before = {"a": f"Here.\n\n{LONG}", "b": "There."}
    after = {"a": "Here.", "b": f"There.\n\n{LONG}"}
    assert changes(before, after) == (PageChange(page="b", moved=1),)


def test_a_message_that_both_documents_of_a_page_have_counts_once() -> None:
    new = page("a", "One thing.")
    pair = SplitPage(page=new.page, documents=new.documents * 2)
    assert compare_pages([], [pair]) == compare_pages([], [new])


def with_code(code: str, text: str = LONG) -> str:
    return f"{FRONT}{text}\n\n```{{code-cell}}\n{code}\n```\n"


def test_a_page_under_another_name() -> None:
    found = changes({"old": with_code("run(1)")}, {"new": with_code("run(2)")})
    assert found == (
        PageChange(page="new", appeared=True, renamed_from="old", code_changed=True),
        PageChange(page="old", vanished=True),
    )


@pytest.mark.parametrize(("code", "changed"), [("run(1)", False), ("run(2)", True)])
def test_a_page_whose_code_changed_says_so(code: str, changed: bool) -> None:
    (change,) = changes({"a": with_code("run(1)")}, {"a": with_code(code) + "\nMore."})
    assert change.code_changed is changed


def test_a_page_that_cannot_be_read_has_no_text() -> None:
    unreadable = replace(page("a", "One thing."), documents=())
    found = compare_pages([unreadable], [page("a", "One thing.")])
    assert found == (PageChange(page="a", added=1, words=2),)


def test_only_pages_that_differ_are_looked_at() -> None:
    before = lock("a.md", "b.ipynb", "b.md", "c.png")
    assert changed_pages(before, lock("b.ipynb", "b.md", "d.md")) == ("a", "d")
    after = lock("a.md", "b.md", "b.ipynb", version=2)
    assert changed_pages(before, after) == ("a", "b")


def test_fuzzy_messages_by_class() -> None:
    def fuzzy(msgid: str, *notes: str) -> Entry:
        return Entry(msgid=msgid, msgstr="x", fuzzy=True, notes=notes)

    entries = (
        fuzzy("One two", "paragraph", "fuzzy: rewording: [-a-]"),
        fuzzy("Three", "fuzzy: mark-up"),
        fuzzy("Four five six", "a person's own"),
        Entry(msgid="Empty", fuzzy=True),
        replace(fuzzy("Old"), obsolete=True),
        Entry(msgid="Done", msgstr="x", notes=("fuzzy: numbers: left over",)),
    )
    result = count_catalog(PageResult(page="a"), Catalog(entries=entries))
    expected = {"mark-up": 1, "rewording": 1, OTHER: 1}
    assert list(result.classes.items()) == list(expected.items())
    assert result.fuzzy_words == 6


def test_trivial_classes_come_first() -> None:
    assert CLASSES[: len(ChangeClass)] == tuple(ChangeClass)
    counts = {"zebra": 1, "rewording": 2, "punctuation": 3, "numbers": 0, OTHER: 1}
    assert list(in_order(counts)) == ["punctuation", "rewording", OTHER, "zebra"]


def test_a_catalogue_is_settled_if_no_update_would_replace_anything() -> None:
    done = Entry(msgid="Tea.", msgstr="茶。")
    waiting = replace(done, fuzzy=True)
    gone = Entry(msgid="Gone.", obsolete=True)
    assert is_settled(Catalog(entries=(done, waiting, gone)))
    assert not is_settled(Catalog(entries=(done, Entry(msgid="New."))))
    machine = Machine(model="m", prompt=1, date="2026-05-01")
    draft = replace(waiting, notes=(machine.note("茶。"),))
    assert not is_settled(Catalog(entries=(done, draft)))


FUZZY = {"mark-up": 2, "rewording": 1}
PAGES = (
    PageResult(
        page="a",
        messages=10,
        words=100,
        translated=6,
        translated_words=60,
        fuzzy=3,
        fuzzy_words=25,
        classes=FUZZY,
        update=UpdateCounts(kept=5, carried=1, fuzzy=FUZZY, new=1, obsolete=4),
    ),
    # A page without an update has kept everything.
    PageResult(page="b", messages=2, words=8, translated=2, translated_words=8),
    PageResult(page="n", messages=1, words=8, update=UpdateCounts(new=1)),
)
CHANGES = (
    PageChange(page="a", added=1, changed=3, dropped=2, words=33, code_changed=True),
    PageChange(page="gone", vanished=True, dropped=1),
    PageChange(page="n", appeared=True, renamed_from="o", added=1, words=8),
    PageChange(page="o", vanished=True),
)
AFTER = lock("a.md", version=2)
COMPARISON = Comparison(before=lock("a.md"), after=AFTER, commits=(3, 0), pages=CHANGES)


def text_of(shown: Callable[..., str], *, verbose: bool = False, **compared: Any) -> str:
    """The report of a run with all these pages and changes, or with others."""
    result = RunResult(
        name="x",
        lock=AFTER,
        pages={"zh_CN": PAGES},
        comparison=replace(COMPARISON, **compared),
        lists_all=True,
    )
    return shown(result, Screen(width=160), verbose=verbose)


def rows(text: str) -> dict[str, list[str]]:
    """First word of a line → its cells."""
    found = (re.split("  +", line.strip()) for line in text.split("\n"))
    return {name: cells for name, *cells in found}


def test_table_of_an_upgrade() -> None:
    text = text_of(upgrade_text)
    assert "x · zh_CN · v1 (1111111, JAX 1.0.0) → v2 (2222222, JAX 2.0.0)\n" in text
    table, fuzzy = rows(text), "2 mark-up, 1 rewording"
    happened = "3 changed, 1 new, 2 dropped, code changed"
    assert table["a"] == ["5", "1", fuzzy, "1", "4", "40", happened]
    assert table["n"] == ["1", "8", "renamed from o, 1 new"]
    assert (table["gone"], table["o"]) == (["vanished, 1 dropped"], ["renamed"])
    sums = ["7", "1", fuzzy, "2", "4", "48", "1 code changed"]
    assert table["3 pages"] == sums
    assert "b" not in table
    assert "no change: 1 other page (-v lists them)" in text
    assert (
        "pages that vanished: 1 (gone)\npages that were renamed: 1 (o → n)\n"
        "pages whose code changed: 1 (a)\n"
    ) in text
    assert "pages that appeared" not in text
    assert rows(text_of(upgrade_text, verbose=True))["b"] == ["2"]


def test_table_of_the_status() -> None:
    text = text_of(status_text)
    table = rows(text)
    assert table["3 pages"] == ["8 (61 %)", "3", "2", "68", "25", "23"]
    assert (
        "what to do next:\n  fuzzy, mark-up: 2 (a 2)\n  fuzzy, rewording: 1 (a 1)\n"
        "  untranslated: 2\n"
    ) in text
    assert table["4 pages"] == ["3", "2", "3", "41"]


@pytest.mark.parametrize(
    ("commits", "text"),
    [
        ((1, 0), "1 commit\n"),
        ((3, 0), "3 commits\n"),
        ((0, 7), "0 commits, and 7 that are only in the pin\n"),
        (None, "by an unknown number of commits (the history is not here)\n"),
    ],
)
def test_distance_to_another_ref(commits: tuple[int, int] | None, text: str) -> None:
    assert f"behind v2: {text}" in text_of(status_text, commits=commits)


def test_nothing_behind() -> None:
    assert "3 commits; the docs are the same\n" in text_of(status_text, pages=())
    assert "no change: 2 other pages" in text_of(upgrade_text, pages=())


def test_without_a_comparison_there_is_no_report_of_an_upgrade() -> None:
    result = RunResult(name="x", lock=AFTER, pages={"zh_CN": PAGES})
    assert upgrade_text(result, Screen(width=160)) == ""


@pytest.mark.parametrize("shown", [status_text, upgrade_text])
def test_names_of_pages_do_not_drive_the_terminal(shown: Callable[..., str]) -> None:
    hostile = PageChange(page="\x1b[31m[red]a", appeared=True, added=1)
    text = text_of(shown, pages=(hostile,))
    assert "\x1b" not in text
    assert "\\x1b[31m[red]a" in text
