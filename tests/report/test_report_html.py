"""The report for people: one HTML file, and what GitHub shows of a run."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib import resources
from itertools import pairwise

import pytest
from bs4 import BeautifulSoup
from cases import read_tables
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from report_results import (
    ERROR,
    FAILED,
    FAILURE,
    LOCK,
    PAGE_A,
    PAGE_B,
    PAGE_C,
    PASSED,
    RESULT,
    result_of,
)
from strict_html import strict_html, words_in

from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import SourceFile
from pipeline.core.results import PageResult
from pipeline.report.colours import pieces, source_pieces
from pipeline.report.failure_advice import advice, whose
from pipeline.report.json import (
    Previous,
    RunChanges,
    compare_runs,
    read_previous,
    run_json,
)
from pipeline.report.page import LISTED, to_html, to_summary
from pipeline.report.result import RunResult

CASES = read_tables(__file__)

PARTIAL = Execution(
    page="d",
    status=Status.PARTIAL,
    reason="accelerator: code cell 3",
    cells=2,
    total=6,
    note="in interpret mode",
)
BUSY = result_of(
    replace(PAGE_A, execution=replace(PASSED, cell_seconds=(0.5, 1.0, 0.0, 1.0))),
    replace(PAGE_B, page="b", execution=FAILED),
    replace(PAGE_C, code_cells=3),
    PageResult(page="d", title="Concepts", messages=3, code_cells=6, execution=PARTIAL),
    PageResult(
        page="e",
        execution=Execution(
            page="e", status=Status.PASSED, cells=1, total=1, seconds=1.0, cached=True
        ),
    ),
    PageResult(page="f"),
)
CLEAN = result_of(replace(PAGE_A, findings=()))


def read(result: RunResult, previous: Previous | None = None) -> BeautifulSoup:
    return strict_html(to_html(result, previous=previous).decode("utf-8"))


def test_the_file_needs_no_other() -> None:
    page = read(BUSY)
    assert not page.select("link, [src]")
    assert "url(" not in str(page)
    assert "@import" not in str(page)
    (policy,) = page.select("meta[http-equiv]")
    (script,) = page.select("script")
    digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy["content"]
    assert str(policy["content"]).startswith("default-src 'none'")


@pytest.mark.parametrize("result", [BUSY, RunResult(name="docs", lock=LOCK)], ids=["busy", "empty"])
def test_every_link_leads_somewhere_and_ids_are_unique(result: RunResult) -> None:
    page = read(result)
    ids = [str(tag["id"]) for tag in page.select("[id]")]
    assert len(ids) == len(set(ids))
    links = page.select('a:not([href^="https://"])')
    assert {link["href"] for link in links} <= {f"#{name}" for name in ids}
    labelled = page.select("[aria-labelledby]")
    assert {label for tag in labelled for label in str(tag["aria-labelledby"]).split()} <= set(ids)


def test_the_commit_is_linked_where_upstream_is_on_github() -> None:
    lock = replace(LOCK, url="https://github.com/jax-ml/jax.git")
    commit = f'a[href="https://github.com/jax-ml/jax/commit/{LOCK.commit}"]'
    assert read(replace(RESULT, lock=lock)).select(commit)
    assert not read(RESULT).select('a:not([href^="#"])')


def test_it_tells_the_whole_run() -> None:
    text = words_in(read(BUSY))
    for said in (
        "1 notebook failed, 1 error to look at",
        "JAX 1.2.3",
        "Docs at v2",
        *("2 of 5 passed", "1 partly", "1 failed", "1 skipped", "9 of 19 executed"),
        "64 % of 17 messages",
        "ValueError : bad value",
        "Whose problem the page's own code",
        "1 notebook came from the cache",
        "in interpret mode",
        "accelerator: needs a TPU",
        "no code",
    ):
        assert said in text, said


def test_a_clean_run_says_so() -> None:
    page = read(CLEAN)
    assert "The notebook passed" in page.text
    assert not page.select("#failed")
    in_part = result_of(PageResult(page="d", execution=PARTIAL))
    assert "No notebook failed" in read(in_part).text


def test_a_reader_without_eyes_or_mouse_can_use_it() -> None:
    page = read(BUSY)
    assert page.select("html[lang=en]")
    titles = page.select("span.title")
    assert {title.get("lang") for title in titles} == {"zh-CN", "en"}
    headings = [int(tag.name[1]) for tag in page.select("h1, h2, h3, h4, h5, h6")]
    assert headings[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(headings))
    for unnamed in (
        "th:not([scope=col], [scope=row])",
        "div.scroll:not([tabindex])",
        ":is(input, select, form):not([aria-label])",
    ):
        assert not page.select(unnamed), unnamed
    assert "prefers-reduced-motion" in STYLES


TEMPLATES = resources.files("pipeline.report") / "templates"
STYLES = (TEMPLATES / "report.css").read_text("utf-8")
TEXTS = ("text", "muted", "accent", "passed", "partial", "failed", "skipped", "plain")
CODE = ("red", "green", "yellow", "blue", "magenta", "cyan", "grey")


def colours(dark: bool) -> dict[str, str]:
    """Return the colours of a theme by name, each as six digits."""
    light, night = re.findall(r":root\{(.*?)\}", STYLES, re.S)
    found = re.findall(r"--([a-z-]+):#([0-9a-f]+)", night if dark else light)
    return {
        name: value if len(value) == 6 else "".join(2 * digit for digit in value)
        for name, value in found
    }


def brightness(colour: str) -> float:
    parts = [part / 255 for part in bytes.fromhex(colour)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_is_legible(dark: bool) -> None:
    """WCAG 2 AA: 4.5 to 1."""
    theme = colours(dark)
    pairs = [(text, ground) for text in TEXTS for ground in ("back", "card", "soft")]
    pairs += [(text, f"{text}-soft") for text in TEXTS[3:]]
    pairs += [(text, "soft") for text in CODE]
    pairs += [("text", ground) for ground in ("mark", "passed-soft", "failed-soft")]
    bright = {name: brightness(colour) for name, colour in theme.items()}
    poor = []
    for text, ground in pairs:
        dim, light = sorted((bright[text], bright[ground]))
        if light / dim < 4.5:
            poor.append((text, ground, light / dim))
    assert poor == []


# --- colours of terminals and of code


@pytest.mark.parametrize(("text", "expected"), CASES["colours_become_classes"])
def test_colours_become_classes(text: str, expected: list[list[str]]) -> None:
    assert list(map(list, pieces(text))) == expected


def test_a_colour_with_more_digits_than_a_number_has_is_none() -> None:
    assert pieces(f"\x1b[{'1' * 5000}mx") == [("x", "")]


@given(st.text(alphabet="\x1b[]0123456789;:mKab\x07\\ \n", max_size=80))
def test_any_terminal_text_gives_visible_pieces(text: str) -> None:
    found = pieces(text)
    assert all(piece and "\x1b" not in piece for piece, _ in found)
    names = {name for _, style in found for name in style.split()}
    assert all(f".{name}" in STYLES for name in names if name not in ("fg-black", "fg-white")), (
        names
    )


def test_source_is_coloured_and_complete() -> None:
    source = "# note\n@jit\ndef f(x):\n    return 'a' * len(x) + 0.5\n\n"
    found = source_pieces(source)
    assert "".join(text for text, _ in found) == source
    assert {
        ("# note", "comment"),
        ("@jit", "name"),
        ("def", "keyword"),
        ("f", "name"),
        ("'a'", "string"),
        ("0.5", "number"),
    } <= set(found)


@given(st.text(max_size=60))
def test_any_source_is_taken(source: str) -> None:
    assert len("".join(text for text, _ in source_pieces(source))) >= len(
        source.replace("\r\n", "\n").replace("\r", "\n")
    )


# --- since the last run


def changed(**states: Execution | None) -> RunResult:
    runs = {
        "a": PASSED,
        "guides/[b]": replace(FAILED, page="guides/[b]"),
        "c": PAGE_C.execution,
    } | states
    pages = (PAGE_A, PAGE_B, PAGE_C)
    return result_of(*(replace(page, execution=runs[page.page]) for page in pages))


def previous(result: RunResult) -> Previous | None:
    return read_previous(run_json(result))


def changes(before: RunResult, now: RunResult) -> RunChanges:
    found = compare_runs(previous(before), now)
    assert found is not None
    return found


def test_two_equal_runs_differ_in_nothing() -> None:
    assert changes(changed(), changed()).is_nothing
    assert "Nothing changed" in read(changed(), previous=previous(changed())).text


def test_no_page_is_said_to_have_passed_again_that_did_not_run() -> None:
    cached = replace(PASSED, cached=True)
    failed = replace(FAILED, page="guides/[b]", cached=True)
    of_cache = changed(a=cached, **{"guides/[b]": failed})
    without_code = replace(RESULT, pages={})
    said = {
        "every notebook ended as in the last run": changed(),
        "no code had to run again": of_cache,
        "no code was run": without_code,
    }
    for words, result in said.items():
        text = read(result, previous=previous(result)).text
        assert f"Nothing changed: {words}, the same messages are translated." in text
        assert "from 1, among the code cells" in text


def test_a_run_of_all_pages_after_one_of_a_few_is_no_leap() -> None:
    """What the last run did not look at was translated before: "1 → 14 (+13)" is no news."""
    few = result_of(PAGE_B, only=("guides/*",))
    assert changes(few, changed()).progress == {}
    moved = replace(changed(), lock=replace(LOCK, ref="v3"))
    assert changes(few, moved).pages == {}
    # A page that is new since a run of all pages did begin at 0.
    whole = changes(replace(few, only=()), moved)
    assert whole.progress == {"zh_CN": (1, 11)}
    assert whole.pages == {"appeared": ("a", "c")}


def test_what_pages_do_now() -> None:
    in_part = changed(c=replace(PARTIAL, page="c"))
    failing = changed(a=replace(FAILED, page="a"))
    better = {"pass now": ("a",), "run only in part now": ("c",)}
    assert changes(failing, in_part).pages == better
    worse = {"fail now": ("a",), "are skipped now": ("c",)}
    assert changes(in_part, failing).pages == worse


def test_pages_that_were_not_run_last_time_are_not_news() -> None:
    assert changes(changed(a=None, c=None), changed()).is_nothing


def test_more_is_translated_and_upstream_moved() -> None:
    names = ("a", "c", "new")
    there = tuple(SourceFile(path=f"{name}.md", blob="0" * 40) for name in names)
    lock = replace(LOCK, ref="v3", commit="cd" * 20, version="1.3.0", files=there)
    pages = (replace(PAGE_A, translated=9), PageResult(page="new", translated=4))
    now = result_of(*pages, lock=lock)
    found = changes(RESULT, now)
    before, after = "v2 (ababababab), JAX 1.2.3", "v3 (cdcdcdcdcd), JAX 1.3.0"
    assert found.upstream == (before, after)
    assert found.pages == {"appeared": ("new",), "vanished": ("guides/[b]",)}
    assert found.progress == {"zh_CN": (10, 13)}
    text = read(now, previous=previous(RESULT)).text
    assert "10 → 13 messages (+3)" in text
    assert "Vanished" in text


@pytest.mark.parametrize(
    "odd",
    [
        b"",
        b"\xff",
        b"[" * 100_000,
        b"null",
        b'{"upstream": null}',
        b'{"upstream": {"name": "other"}}',
        run_json(replace(RESULT, name="other")),
        run_json(RESULT).replace(b'"page": "a"', b'"page": 3'),
    ],
)
def test_what_is_no_report_of_this_upstream_is_not_compared(odd: bytes) -> None:
    before = read_previous(odd)
    assert compare_runs(before, RESULT) is None
    assert "Since the last run" not in read(RESULT, previous=before).text


# --- whose problem, and what to do


@pytest.mark.parametrize(("exception", "message", "blame", "said"), CASES["advice"])
def test_advice(exception: str, message: str, blame: str, said: str) -> None:
    failure = replace(FAILURE, exception=exception, message=message, blame=blame)
    assert said in advice(replace(FAILED, failure=failure))


def test_advice_about_a_document_that_cannot_be_read() -> None:
    broken = replace(FAILED, failure=None, cells=0, reason="a.ipynb: is not valid JSON")
    assert whose(broken) == "the document"
    assert "Ask upstream to correct it" in advice(broken)
    text = read(result_of(PageResult(page="b", execution=broken))).text
    assert "is not valid JSON" in text


# --- Markdown for GitHub


def test_the_summary_counts_pages_and_names_what_changed() -> None:
    text = to_summary(BUSY, previous=previous(changed()))
    assert text.startswith("### docs v2\n\nJAX 1.2.3, commit <code>ababababab</code>\n")
    assert "| zh&#95;CN | 6 | 11 of 17 (64 %) | 2 | 4 | 3 |" in text
    assert "| partial&#58; accelerator | 1 | 2 | 6 |" in text
    assert "| **all** | 5 | 9 | 19 |" in text
    assert (
        "| <code>b</code> | 3 | <code>ValueError</code>: bad value | the page's own code |" in text
    )
    assert "(atom-lost) | Put it back. |" in text
    assert "- fail now: <code>b</code>" not in text  # it was not run last time
    assert "report.html" in text


def test_summary_tells_what_changed() -> None:
    before = previous(changed(a=replace(FAILED, page="a")))
    now = replace(changed(), lock=replace(LOCK, ref="v3"))
    text = to_summary(now, previous=before)
    assert (
        "Since the last run:\n\n- v2 (ababababab), JAX 1.2.3 → v3 (ababababab), JAX 1.2.3\n"
        "- pass now: <code>a</code>\n"
    ) in text


def test_summary_of_a_clean_run_is_short() -> None:
    text = to_summary(CLEAN)
    assert "failed" not in text
    assert "error" not in text
    assert len(text.split("\n")) < 20


def test_long_lists_are_cut() -> None:
    pages = tuple(
        PageResult(
            page=f"p{number}",
            findings=(replace(ERROR, where=f"{number}"),),
            execution=replace(FAILED, page=f"p{number}"),
        )
        for number in range(LISTED + 7)
    )
    text = to_summary(result_of(*pages))
    assert text.count("… and 7 more") == 2
    huge = replace(FAILED, failure=replace(FAILURE, message="x" * 10**6))
    text = to_summary(result_of(PageResult(page="b", execution=huge)))
    assert len(text) < 3000
