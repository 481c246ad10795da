"""core/catalog/counts: messages and words of a page by state."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest
from report_results import status_text, upgrade_text
from repositories import DOCS

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


def lock(*paths: str, ref: str = "v1", version: str = "1.0.0") -> Lock:
    files = tuple(
        SourceFile(path=path, blob=blob_id(path.encode() if ref == "v1" else b""))
        for path in sorted(paths)
    )
    return Lock(
        url="u",
        ref=ref,
        commit=ref.encode().hex().ljust(40, "0"),
        date="",
        version=version,
        package="JAX",
        docs=DOCS,
        files=files,
    )


def one(before: dict[str, str], after: dict[str, str]) -> tuple[PageChange, ...]:
    return compare_pages(
        [page(*item) for item in before.items()],
        [page(*item) for item in after.items()],
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": "One thing."}, {"a": "One thing."}, ()),
        ({"a": "One thing.\nAnd more."}, {"a": "One thing. And\nmore."}, ()),
        (
            {"a": "One thing."},
            {"a": "One thing.\n\nQuite another one."},
            (PageChange(page="a", added=1, words=3),),
        ),
        (
            {"a": "It is a big thing."},
            {"a": "It is a big wing."},
            (PageChange(page="a", changed=1, words=5),),
        ),
        (
            {"a": "One thing.\n\nTwo."},
            {"a": "One thing."},
            (PageChange(page="a", dropped=1),),
        ),
        (
            {},
            {"a": "One thing."},
            (PageChange(page="a", appeared=True, added=1, words=2),),
        ),
        ({"a": "One thing."}, {}, (PageChange(page="a", vanished=True, dropped=1),)),
    ],
    ids=["same", "wrapped anew", "new", "changed", "dropped", "appeared", "vanished"],
)
def test_what_became_of_the_text_is_counted_by_page(
    before: dict[str, str], after: dict[str, str], expected: tuple[PageChange, ...]
) -> None:
    assert one(before, after) == expected


def test_each_old_message_is_changed_into_one_only() -> None:
    changes = one(
        {"a": "It is a big thing."}, {"a": "It is a big wing.\n\nIt is a big ring."}
    )
    assert changes == (PageChange(page="a", changed=1, added=1, words=10),)


def test_text_that_comes_from_another_page_is_neither_new_nor_gone() -> None:
    changes = one(
        {"a": f"Here.\n\n{LONG}", "b": "There."},
        {"a": "Here.", "b": f"There.\n\n{LONG}"},
    )
    assert changes == (PageChange(page="b", moved=1),)


def test_a_message_that_both_documents_of_a_page_have_counts_once() -> None:
    new = page("a", "One thing.")
    pair = SplitPage(page=new.page, documents=new.documents * 2)
    assert compare_pages([], [pair]) == compare_pages([], [new])


def test_a_page_under_another_name() -> None:
    cell = "\n```{code-cell}\nrun(1)\n```\n"
    changes = one(
        {"old": f"{FRONT}{LONG}\n{cell}"},
        {"new": f"{FRONT}{LONG}\n{cell.replace('1', '2')}"},
    )
    assert changes == (
        PageChange(page="new", appeared=True, renamed_from="old", code_changed=True),
        PageChange(page="old", vanished=True),
    )


@pytest.mark.parametrize(("code", "changed"), [("run(1)", False), ("run(2)", True)])
def test_a_page_whose_code_changed_says_so(code: str, changed: bool) -> None:
    pages = [
        f"{FRONT}One thing.\n\n```{{code-cell}}\n{source}\n```\n"
        for source in ("run(1)", code)
    ]
    assert [
        change.code_changed
        for change in one({"a": pages[0]}, {"a": pages[1] + "\nMore."})
    ] == [changed]


def test_a_page_that_cannot_be_read_has_no_text() -> None:
    unreadable = replace(page("a", "One thing."), documents=())
    assert compare_pages([unreadable], [page("a", "One thing.")]) == (
        PageChange(page="a", added=1, words=2),
    )


def test_only_pages_that_differ_are_looked_at() -> None:
    before, after = (
        lock("a.md", "b.ipynb", "b.md", "c.png"),
        lock("b.ipynb", "b.md", "d.md"),
    )
    assert changed_pages(before, after) == ("a", "d")
    assert changed_pages(before, lock("a.md", "b.md", "b.ipynb", ref="v2")) == (
        "a",
        "b",
    )


def test_fuzzy_messages_by_class() -> None:
    entries = (
        Entry(
            msgid="One two",
            msgstr="x",
            fuzzy=True,
            notes=("paragraph", "fuzzy: rewording: [-a-]"),
        ),
        Entry(msgid="Three", msgstr="x", fuzzy=True, notes=("fuzzy: mark-up",)),
        Entry(msgid="Four five six", msgstr="x", fuzzy=True, notes=("a person's own",)),
        Entry(msgid="Empty", fuzzy=True),
        Entry(msgid="Old", msgstr="x", fuzzy=True, obsolete=True),
        Entry(msgid="Done", msgstr="x", notes=("fuzzy: numbers: left over",)),
    )
    result = count_catalog(PageResult(page="a"), Catalog(entries=entries))
    assert list(result.classes.items()) == [
        ("mark-up", 1),
        ("rewording", 1),
        (OTHER, 1),
    ]
    assert result.fuzzy_words == 6


def test_trivial_classes_come_first() -> None:
    assert CLASSES[: len(ChangeClass)] == tuple(ChangeClass)
    assert list(
        in_order({"zebra": 1, "rewording": 2, "punctuation": 3, "numbers": 0, OTHER: 1})
    ) == [
        "punctuation",
        "rewording",
        OTHER,
        "zebra",
    ]


def test_a_catalogue_is_settled_if_no_update_would_replace_anything() -> None:
    done = Entry(msgid="Tea.", msgstr="茶。")
    waiting = replace(done, fuzzy=True)
    gone = Entry(msgid="Gone.", obsolete=True)
    assert is_settled(Catalog(entries=(done, waiting, gone)))
    assert not is_settled(Catalog(entries=(done, Entry(msgid="New."))))
    machine = Machine(model="m", prompt=1, date="2026-05-01")
    draft = replace(waiting, notes=(machine.note("茶。"),))
    assert not is_settled(Catalog(entries=(done, draft)))


RESULT = RunResult(
    name="x",
    lock=lock("a.md", ref="v2", version="2.0.0"),
    pages={
        "zh_CN": (
            PageResult(
                page="a",
                messages=10,
                words=100,
                translated=6,
                translated_words=60,
                fuzzy=3,
                fuzzy_words=25,
                classes={"mark-up": 2, "rewording": 1},
                update=UpdateCounts(
                    kept=5,
                    carried=1,
                    fuzzy={"mark-up": 2, "rewording": 1},
                    new=1,
                    obsolete=4,
                ),
            ),
            PageResult(
                page="b",
                messages=2,
                words=8,
                translated=2,
                translated_words=8,
                update=UpdateCounts(kept=2),
            ),
            PageResult(page="n", messages=1, words=8, update=UpdateCounts(new=1)),
        )
    },
    comparison=Comparison(
        before=lock("a.md"),
        after=lock("a.md", ref="v2", version="2.0.0"),
        commits=(3, 0),
        pages=(
            PageChange(
                page="a", added=1, changed=3, dropped=2, words=33, code_changed=True
            ),
            PageChange(page="gone", vanished=True, dropped=1),
            PageChange(page="n", appeared=True, renamed_from="o", added=1, words=8),
            PageChange(page="o", vanished=True),
        ),
    ),
)


def rows(text: str) -> dict[str, list[str]]:
    """First word of a line → its cells."""
    cells = (
        [cell for cell in line.split("  ") if cell.strip()] for line in text.split("\n")
    )
    return {
        line[0].strip(): [cell.strip() for cell in line[1:]] for line in cells if line
    }


def test_table_of_an_upgrade() -> None:
    said = upgrade_text(RESULT, Screen(width=160))
    table = rows(said)
    assert "x · zh_CN · v1 (7631000, JAX 1.0.0) → v2 (7632000, JAX 2.0.0)\n" in said
    assert table["a"] == [
        "5",
        "1",
        "2 mark-up, 1 rewording",
        "1",
        "4",
        "40",
        "3 changed, 1 new, 2 dropped, code changed",
    ]
    assert table["n"] == ["1", "8", "renamed from o, 1 new"]
    assert (table["gone"], table["o"]) == (["vanished, 1 dropped"], ["renamed"])
    assert table["3 pages"] == [
        "7",
        "1",
        "2 mark-up, 1 rewording",
        "2",
        "4",
        "48",
        "1 code changed",
    ]
    assert "b" not in table
    assert "1 more pages stay as they are" in said
    assert (
        "pages that vanished: 1 (gone)\npages that were renamed: 1 (o → n)\n"
        "pages whose code changed: 1 (a)\n"
    ) in said
    assert "pages that appeared" not in said
    assert rows(upgrade_text(RESULT, Screen(width=160), verbose=True))["b"] == ["2"]


def test_table_of_the_status() -> None:
    said = status_text(replace(RESULT, lists_all=True), Screen(width=160))
    table = rows(said)
    assert table["3 pages"] == ["8 (61 %)", "3", "2", "68", "25", "23"]
    assert (
        "what to do next:\n  fuzzy, mark-up: 2 (a 2)\n  fuzzy, rewording: 1 (a 1)\n"
        "  untranslated: 2\n"
    ) in said
    assert "behind v2: 3 commits\n" in said
    assert table["4 pages"] == ["3", "2", "3", "41"]


@pytest.mark.parametrize(
    ("commits", "text"),
    [
        ((1, 0), "behind v2: 1 commit\n"),
        ((0, 7), "behind v2: 0 commits, and 7 that are only in the pin\n"),
        (
            None,
            "behind v2: by an unknown number of commits (the history is not here)\n",
        ),
    ],
)
def test_the_distance_to_another_ref_is_told_in_commits(
    commits: tuple[int, int] | None, text: str
) -> None:
    assert RESULT.comparison
    result = replace(RESULT, comparison=replace(RESULT.comparison, commits=commits))
    assert text in status_text(result, Screen(width=160))


def test_nothing_to_translate_and_nothing_behind() -> None:
    assert RESULT.comparison
    done = PageResult(page="a", messages=1, words=1, translated=1, translated_words=1)
    result = replace(
        RESULT,
        pages=MappingProxyType({"zh_CN": (done,)}),
        comparison=replace(RESULT.comparison, pages=(), commits=(2, 0)),
    )
    said = status_text(result, Screen(width=160))
    assert "words to do" not in said
    assert "read what the checks note" in said
    assert "behind v2: 2 commits; the docs are the same\n" in said
    assert "pages stay" in upgrade_text(result, Screen(width=160))
    assert upgrade_text(replace(result, comparison=None), Screen(width=160)) == ""


def test_names_of_pages_do_not_drive_the_terminal() -> None:
    assert RESULT.comparison
    hostile = PageChange(page="\x1b[31m[red]a", appeared=True, added=1)
    result = replace(RESULT, comparison=replace(RESULT.comparison, pages=(hostile,)))
    for text in (status_text, upgrade_text):
        said = text(result, Screen(width=160))
        assert "\x1b" not in said
        assert "\\x1b[31m[red]a" in said
