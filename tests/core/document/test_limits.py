"""Bounds of messages and pages: what is beyond them stays English, and time grows as texts do.

Growth is told by the lines of Python that run. Patterns run within a call, so that theirs is told
by the CPU time of this process.
"""

from __future__ import annotations

import json
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any
from unittest.mock import Mock

import pytest
from corpus import msgids, page, translated
from msgspec.structs import replace
from notebooks import code, notebook_value, prose

from pipeline import limits
from pipeline.core.catalog.update import wanted_entries
from pipeline.core.checks.engine import fix_entry, run_checks, subjects_of
from pipeline.core.document.merge import grammar_of, merge, place_translations
from pipeline.core.document.message import Kind
from pipeline.core.document.reader import Document

LONG = "word " * (limits.MESSAGE_LENGTH // 5 + 1)
PATIENCE = 120  # seconds; what runs away takes hours


def left_in_english(document: Document) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for unit in document.units:
        found += unit.split.left_in_english
    return found


def in_chinese(document: Document) -> str:
    """The page with all its messages translated."""
    return merge(document, translated(document, lambda _: "译文")).data.decode()


TOO_LONG = {
    "a paragraph": f"{LONG}\n",
    "a heading": f"# {LONG}\n",
    "a list item": f"- {LONG}\n",
    "a table cell": f"| a |\n|---|\n| {LONG} |\n",
    "an image's text": f"![{LONG}](a.png)\n",
    "a block of HTML": f"<p>{LONG}</p>\n",
    "the title of a directive": f"```{{admonition}} {LONG}\nA note.\n```\n",
    "an option": f"```{{figure}} a.png\n:alt: {LONG}\n\nWords.\n```\n",
}


@pytest.mark.parametrize("text", TOO_LONG.values(), ids=TOO_LONG)
def test_a_block_that_is_too_long_stays_english_and_is_told(text: str) -> None:
    document = page(f"Before it.\n\n{text}\nBehind it.\n")
    assert LONG.strip() not in msgids(document)
    (found,) = left_in_english(document)
    assert found[0] in (3, 4, 5)
    assert "a block of 5,0" in found[1]
    assert in_chinese(document).count("译文") == len(msgids(document)) >= 2
    assert LONG.strip() in in_chinese(document)


def test_a_paragraph_of_rest_that_is_too_long_stays_english_and_is_told() -> None:
    document = page(f"Before it.\n\n{LONG}\n\nBehind it.\n", path="a.rst")
    assert msgids(document) == ["Before it.", "Behind it."]
    assert left_in_english(document) == [(3, limits.too_long_reason(len(LONG.strip())))]
    assert in_chinese(document) == f"译文\n\n{LONG}\n\n译文\n"


def test_the_payload_of_a_picture_does_not_count() -> None:
    picture = f"![A picture](data:image/png;base64,{'A' * 10_000})"
    document = page(f"Look at {picture} here.\n")
    assert len(msgids(document)) == 1
    assert not left_in_english(document)


@pytest.mark.parametrize("path", ["a.md", "a.rst"])
def test_titles_are_told_in_short(path: str) -> None:
    title = "long " * 200
    document = page(f"{title}\n{'=' * 1000}\n\nSome words.\n", path=path)
    heading, words = [message for _, message in document.messages()]
    assert heading.kind is Kind.HEADING
    assert heading.msgid == title.strip()
    assert words.headings == (title[: limits.TITLE_LENGTH],)


LINES = "\n" * (limits.PAGE_LINES + 1)


@pytest.mark.parametrize("path", ["a.md", "a.rst"])
@pytest.mark.parametrize("text", [f"Some words.\n{LINES}", f"Some words{' ' * limits.PAGE_LENGTH}"])
def test_a_page_that_is_too_long_stays_english_and_is_told(path: str, text: str) -> None:
    document = page(text, path=path)
    assert msgids(document) == []
    ((line, reason),) = left_in_english(document)
    assert line == 1
    assert reason.startswith("it has ")
    assert merge(document, {"Some words.": "译文"}).data.decode() == text


def test_a_notebook_that_is_too_long_stays_english_and_keeps_its_code() -> None:
    cells = code("x = 1"), prose("Some words."), prose(LINES)
    raw = json.dumps(notebook_value(*cells))
    document = page(raw, path="a.ipynb")
    assert msgids(document) == []
    assert document.code == ("x = 1",)
    assert len(left_in_english(document)) == 1
    assert merge(document, {"Some words.": "译文"}).data.decode() == raw


def nested(indentation: str, text: str, count: int = 30) -> str:
    return "".join(f"{indentation * depth}{text}\n\n" for depth in range(count))


# One level of each, again and again, to what is too deep.
TOO_DEEP = {
    "quotes": ("a.md", f"Before.\n\n{'> ' * 30}Words here.\n"),
    "lists": ("a.md", f"Before.\n\n{'- ' * 30}Words here.\n"),
    "quotes of reST": ("a.rst", nested("  ", "Words here.")),
    "lists of reST": ("a.rst", nested("  ", "- Words here.", 300)),
    "directives of reST": ("a.rst", nested("   ", ".. note:: Words.")),
}


@pytest.mark.parametrize(("path", "text"), TOO_DEEP.values(), ids=TOO_DEEP)
def test_what_is_nested_too_deeply_stays_english_and_is_told(path: str, text: str) -> None:
    document = page(text, path=path)
    assert "Words here." not in msgids(document)
    assert {reason for _, reason in left_in_english(document)} == {limits.TOO_DEEP}
    assert "Words" in in_chinese(document)


def test_a_parser_that_recurses_too_deeply_leaves_the_page_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit = sys.getrecursionlimit()
    # As if the pipeline were called from deep within something else.
    monkeypatch.setattr(limits, "NESTING", limit)
    document = page(nested("  ", "- Words here.", 300), path="a.rst")
    assert msgids(document) == []
    assert left_in_english(document) == [(1, limits.TOO_DEEP)]


@contextmanager
def little_room(calls: int) -> Iterator[None]:
    """Let functions call each other only so much deeper than here."""
    before = sys.getrecursionlimit()
    depth = len(list(traceback.walk_stack(None)))
    sys.setrecursionlimit(depth + calls)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def test_directives_that_recurse_too_deeply_leave_the_page_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page("Words.\n")  # loads what is needed, which goes deep as well
    monkeypatch.setattr(limits, "DIRECTIVES", 10_000)
    count = 150  # each is read by two functions at least
    text = "".join(f"{'`' * (count + 3 - depth)}{{note}}\n" for depth in range(count))
    with little_room(2 * count):
        document = page(f"{text}Some words.\n")
    assert msgids(document) == []
    assert left_in_english(document) == [(1, limits.TOO_DEEP)]


def test_a_merge_tries_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "TRIED_LENGTH", 0)
    monkeypatch.setattr(limits, "LEAST_TRIES", 16)
    blocks = "".join(f"<div>Words {number}.</div>\n\n" for number in range(50))
    document = page(f"Some words.\n\n{blocks}")
    # Each is a paragraph with inline HTML now, which only the page as a whole shows.
    texts = {"Some words.": "译文"} | {msgid: f"译文 {msgid}" for msgid in msgids(document)[1:]}
    grammar = grammar_of(document)
    read_back = Mock(side_effect=grammar.read_back)
    translations = dict(enumerate(texts.values()))
    split = document.units[0].split
    counted = replace(grammar, read_back=read_back)
    placed_unit = place_translations(counted, split, translations, {}, ())
    assert placed_unit is not None
    assert placed_unit.gave_up
    assert placed_unit.kept == {0}
    assert read_back.call_count <= limits.LEAST_TRIES + 1
    merged = merge(document, texts)
    assert merged.data.decode() == f"译文\n\n{blocks}"
    assert {rejected.refusal.code for rejected in merged.rejected} == {"G105"}


@pytest.mark.parametrize(("fewer", "gave_up"), [(0, False), (1, True)])
def test_merge_gives_up_only_if_a_try_is_left_out(
    monkeypatch: pytest.MonkeyPatch, fewer: int, gave_up: bool
) -> None:
    monkeypatch.setattr(limits, "TRIED_LENGTH", 0)
    # The bad one is the last of four: all, the first half, all, the third alone, the fourth alone.
    monkeypatch.setattr(limits, "LEAST_TRIES", 5 - fewer)
    document = page("One.\n\nTwo.\n\nThree.\n\n<div>Four.</div>\n")
    texts = {0: "一。", 1: "二。", 2: "三。", 3: "四。<div>"}
    split = document.units[0].split
    placed_unit = place_translations(grammar_of(document), split, texts, {}, ())
    assert placed_unit is not None
    assert (placed_unit.kept, placed_unit.gave_up) == (frozenset({0, 1, 2}), gave_up)


# Shapes of pages by a number: twice as much makes the page twice as long.
MARKDOWN: dict[str, Callable[[int], str]] = {
    "paragraphs": lambda count: "Some words.\n\n" * count,
    "lines": lambda count: "Some words.\n" * count,
    "headings": lambda count: "# Some words\n\n" * count,
    "linked headings": lambda count: "".join(
        f"[words](#some-words-{number})\n\n# Some words {number}\n\n" for number in range(count)
    ),
    "list items": lambda count: "- Some words.\n" * count,
    "quote marks": lambda count: ">" * count + " Some words.\n",
    "markers of lists": lambda count: "- " * count + "Some words.\n",
    "quotes of growing depth": lambda count: "".join(
        f"{'>' * (number % 30)} Some words.\n" for number in range(count)
    ),
    "rows": lambda count: "| a | b |\n|---|---|\n" + "| words | words |\n" * count,
    "definitions": lambda count: "Words\n: Some words.\n\n" * count,
    "definitions of one term": lambda count: "Words\n" + ": Some words.\n" * count,
    "footnotes": lambda count: "[^a]: Some words.\n" * count,
    "link definitions": lambda count: "[a]: b\n" * count,
    "open link definitions": lambda count: "[a]:\n" * count,
    "open fences": lambda count: "```{note}\nSome words.\n" * count,
    "open colon fences": lambda count: ":::{note}\nSome words.\n" * count,
    "open formulas": lambda count: "$$ a\n" * count,
    "open comments": lambda count: "<!-- a\n" * count,
    "blocks of HTML": lambda count: "<div>Some words.</div>\n\n" * count,
    "open tags": lambda count: '<div a="\n\n' * count,
    "images": lambda count: "![Some words](a.png)\n\n" * count,
    "targets": lambda count: "(a)=\n" * count,
    "block breaks": lambda count: "+++ {}\n" * count,
}
RST: dict[str, Callable[[int], str]] = {
    "paragraphs": lambda count: "Some words.\n\n" * count,
    "sections": lambda count: "Some words\n==========\n\n" * count,
    "list items": lambda count: "* Some words.\n" * count,
    "definitions": lambda count: "words\n   Some words.\n" * count,
    "directives": lambda count: ".. note:: Some words.\n\n" * count,
    "unknown directives": lambda count: ".. x::\n\n   Words.\n\n" * count,
    "rows of a simple table": lambda count: (
        "=====  =====\n" + "words  words\n" * count + "=====  =====\n"
    ),
    "rows of a grid": lambda count: "+-----+\n" + "|words|\n+-----+\n" * count,
    "rows of CSV": lambda count: ".. csv-table::\n\n" + '   "words", words\n' * count,
    "glossary": lambda count: ".. glossary::\n\n" + "   words\n     Some.\n" * count,
    "footnotes": lambda count: ".. [1] Some words.\n" * count,
    "targets": lambda count: ".. _a:\n" * count,
    "literal blocks": lambda count: "Words::\n\n  code\n\n" * count,
    "lines of wrong depth": lambda count: "".join(
        f"{' ' * (number % 7)}Words.\n" for number in range(count)
    ),
}
# What a message is made of, again and again: openings that nothing closes, and long words.
PIECES = (
    "a|a-|a.|`|`` a |$|$a|[|[a|](|![|<|<a |<!--|<http:|{{|{a}`|\\begin{a}|*a |**a |_a |~~a |（|“|"
    "1,|1.|a@|a.b@|&a|http://|www.a,|\\(|:a|:a:`|_`|`a <|a_ |a:b|中a|中 a|**a**中|data:|[^|[^a|"
    '\\text{|<img alt="|5s |[]('
).split("|")


def work_on(path: str, text: str) -> None:
    """Read, merge and check a page, as a build does."""
    document = page(text, path=path)
    texts = translated(document, lambda msgid: f"{msgid} 译文")
    merge(document, texts)
    entries = [
        replace(entry, msgstr=texts[entry.msgid]) for entry in wanted_entries("a", [document])
    ]
    subjects = subjects_of(entries, "a")
    run_checks({"a": subjects})
    for subject in subjects:
        fix_entry(subject)


def steps(work: Callable[[], None]) -> int:
    """How many lines of Python ``work`` runs."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


SHAPES = {
    f"{path} {name}": (path, shape)
    for path, shapes in (("a.md", MARKDOWN), ("a.rst", RST))
    for name, shape in shapes.items()
}


@pytest.mark.slow
@pytest.mark.parametrize(("path", "shape"), SHAPES.values(), ids=SHAPES)
def test_steps_grow_as_a_page_does(path: str, shape: Callable[[int], str]) -> None:
    work_on(path, shape(80))  # loads and compiles whatever the shape needs
    small, middle, large = (
        steps(lambda count=count: work_on(path, shape(count)))  # type: ignore[misc]
        for count in (20, 40, 80)
    )
    # What the second half adds is twice what the first one did; a square would add four times.
    assert large - middle < 2.5 * (middle - small) + 1_000


@contextmanager
def patience() -> Iterator[None]:
    """Fail after ``PATIENCE`` seconds, also within a pattern's search."""

    def fail(*_: object) -> None:
        raise AssertionError(f"not done after {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def seconds_for(path: str, text: str) -> float:
    """The CPU time that a page takes; fails if it takes very long."""
    began = time.process_time()
    with patience():
        work_on(path, text)
    return time.process_time() - began


@pytest.mark.slow
@pytest.mark.parametrize("path", ["a.md", "a.rst"])
@pytest.mark.parametrize("piece", PIECES)
def test_time_grows_no_faster_than_the_square_of_a_message(path: str, piece: str) -> None:
    """So the longest one takes seconds: it is two and a half times as long as the second."""
    lengths = (100, limits.MESSAGE_LENGTH // 5, limits.MESSAGE_LENGTH * 2 // 5)
    _, once, twice = (
        seconds_for(path, f"Words {piece * (length // len(piece))}\n") for length in lengths
    )
    # A cube would take eight times as long. What is done at once is left to chance.
    assert twice < 6 * once + 1


@pytest.mark.parametrize("path", ["a.md", "a.rst"])
def test_a_word_without_end_is_left_alone(path: str) -> None:
    # The pages that took more than 20 seconds had such a word, and an address behind it.
    text = f"The {'a' * 9_000} of https://docs.example\n"
    with patience():
        work_on(path, text)
    assert msgids(page(text, path=path)) == []
