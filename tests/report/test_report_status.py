"""``status`` on a terminal: which pages it lists, in which order, in how many columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from catalog_files import edit_catalog
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from report_results import RESULT, result_of, run_text, status_text

from pipeline.cli import main
from pipeline.core.catalog.commit_diff import PageChange
from pipeline.core.results import PageResult
from pipeline.packages import how_to_run
from pipeline.report.status import in_order_of_need
from pipeline.report.terminal import table_text
from pipeline.report.upgrade import overview_lines
from pipeline.report.value import Screen, Table

Speech = pytest.CaptureFixture[str]
LONG = "notebooks/a_page_with_a_very_long_name_as_some_of_them_have"


def page(name: str, *, words: int = 10, done: int = 0) -> PageResult:
    """A page of two messages of so many ``words`` together, of which so many are ``done``."""
    return PageResult(
        page=name,
        messages=2,
        words=words,
        translated=2 if done == words else 1,
        translated_words=done,
    )


def test_what_is_near_the_first_page_comes_first_and_then_what_is_short() -> None:
    pages = [
        page("far", words=1),
        page("done", words=5, done=5),
        page("long", words=90),
        page("begun", words=90, done=60),
        page("same-b", words=40),
        page("same-a", words=40),
        page("index", words=99),
        page("nowhere", words=1),
    ]
    near = {"index": 0, "long": 1, "begun": 1, "same-b": 1, "same-a": 1, "far": 2}
    names = [page.page for page in in_order_of_need(pages, near)]
    assert names == ["index", "begun", "same-b", "same-a", "long", "far", "nowhere"]


def test_the_next_ten_pages_are_listed_and_the_sums_are_of_all() -> None:
    pages = [page(f"p{number:02}", words=number + 1) for number in range(12)]
    text = status_text(result_of(*pages), Screen(width=80))
    assert "10 of 12 pages to translate" in text
    assert [word for word in text.split() if word.startswith("p0")] == [
        f"p{number:02}" for number in range(10)
    ]
    assert "12 pages" in text
    assert "p10" not in text
    whole = status_text(result_of(*pages, lists_all=True), Screen(width=80))
    assert "p11" in whole


def test_a_finished_translation_says_so() -> None:
    text = status_text(result_of(page("a", done=10)), Screen(width=80))
    assert "every page is translated (--every-page lists them)" in text


@pytest.mark.parametrize("width", [60, 80, 100, 140, 200])
@pytest.mark.parametrize("shown", [status_text, run_text])
def test_no_line_is_too_long_and_no_name_is_lost(width: int, shown: object) -> None:
    pages = [page(LONG), page("guide/short", words=123456)]
    result = result_of(*pages, lists_all=True, findings=())
    text = shown(result, Screen(width=width))  # type: ignore[operator] # either of them
    table = text.partition("what to do next")[0].partition("docs v2 (")[0]
    assert max(map(len, table.split("\n"))) <= width
    assert LONG in "".join(line.split()[0] for line in table.split("\n") if line.strip())
    assert "guide/short" in table  # short names are not cut up


@given(st.integers(1, 80), st.integers(1, 80), st.integers(30, 120))
def test_no_letter_is_lost_where_two_columns_of_words_are_too_wide(
    name: int, words: int, width: int
) -> None:
    table = Table(
        title="t",
        headings=("page", "what happened"),
        rows=[["n" * name, "w" * words]],
        footer=["", ""],
        words=frozenset(("page", "what happened")),
    )
    text = table_text(table, Screen(width=width))
    assert max(map(len, text.split("\n"))) <= width
    _, _, body = text.partition("─\n")
    assert (body.count("n"), body.count("w")) == (name, words)


WIDTHS = st.lists(st.integers(1, 30), min_size=2, max_size=6)


@given(WIDTHS, st.integers(40, 200))
def test_columns_are_left_out_for_want_of_room(widths: list[int], width: int) -> None:
    """With room for all, all are there; where not, those that are spare go in their order."""
    headings = tuple(chr(ord("a") + number) for number in range(len(widths)))
    table = Table(
        title="t",
        headings=headings,
        rows=[["x" * size for size in widths]],
        footer=["" for _ in headings],
        words=frozenset(),
        spare=headings[1:],
    )
    heads = table_text(table, Screen(width=width)).split("\n")[2].split()
    assert "".join(headings).endswith("".join(heads[1:]))
    assert heads[0] == "a"
    if sum(widths) + 3 * len(widths) - 1 <= width:
        assert heads == list(headings)


def test_status_lists_what_comes_next(synced: Path, capsys: Speech) -> None:
    """The sample's pages: one that the index leads to comes before one that is further."""
    folder = synced / "translations" / "zh_CN" / "sample"
    for name in ("guides/vmap", "faq"):
        edit_catalog(folder / f"{name}.po", lambda entry: replace(entry, msgstr=""))
    assert main(["status", "sample"]) == 0
    text = capsys.readouterr().out
    assert "2 pages to translate" in text
    assert " grad " not in text
    for options in (["--every-page"], ["--pages", "grad"]):
        assert main(["status", "sample", *options]) == 0
        assert " grad " in capsys.readouterr().out


def test_when_all_is_translated_it_says_what_there_is_to_do_then() -> None:
    text = status_text(result_of(page("a", done=10)), Screen(width=80))
    head = text.partition("docs v2 (")[0]
    # No head of a table without a row below it.
    assert "page  " not in head
    assert "─" not in head
    for command in ("check docs -v", "review COMMIT", "upgrade latest docs --dry-run"):
        assert how_to_run(*command.split()) in head
    lock = replace(RESULT.lock, ref="")
    of_folder = result_of(page("a", done=10), lock=lock)
    assert "upgrade" not in status_text(of_folder, Screen(width=80))


def test_long_lists_of_pages_are_cut_where_asked() -> None:
    changes = [PageChange(page=f"p{n}", code_changed=True) for n in range(4)]
    (cut,) = overview_lines(changes, most=2)
    assert cut == "pages whose code changed: 4 (p0, p1 and 2 more)"
    assert overview_lines(changes)[0].endswith("(p0, p1, p2, p3)")


def test_what_is_left_to_translate_comes_before_all_else() -> None:
    text = status_text(result_of(page("a"), page("b", done=10)), Screen(width=80))
    assert "what to do next:\n  untranslated: 1\ndocs v2" in text


def test_status_writes_nothing_and_does_not_say_that_it_did(project: Path, capsys: Speech) -> None:
    main(["pull", "sample"])
    capsys.readouterr()
    page = project / "translations" / "zh_CN" / "sample" / "faq.po"
    page.unlink()
    for command in ("status", "split"):
        assert main([command, "sample"]) == 0
        told = capsys.readouterr().err
        words = "1 file would be written" if command == "status" else "1 file written"
        assert words in told
        assert "1 files" not in told
        assert page.exists() is (command == "split")
