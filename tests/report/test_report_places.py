"""Every place of a report where a text of somebody else goes: a parser finds it there as text.

Titles, names of pages, findings and failures hold what browsers, GitHub, terminals or parsers act
on. What is read in a browser, ``report.html`` too, is looked at in ``tests/site``.
"""

from __future__ import annotations

import io
import json
import os
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout
from html.parser import HTMLParser

import pytest
from hostile_texts import ADDRESS, IMAGE, MARKDOWN, SCRIPT
from live_html import PAYLOAD, live_in
from markdown_it import MarkdownIt
from msgspec.structs import replace
from report_results import (
    ERROR,
    FAILED,
    FAILURE,
    LOCK,
    PAGE_A,
    PAGE_B,
    run_text,
    status_text,
    upgrade_text,
)

from pipeline.commands.console import print_text
from pipeline.core.catalog.commit_diff import Comparison
from pipeline.core.execution.result import Execution, Status
from pipeline.core.results import PageResult
from pipeline.findings import Finding, Severity
from pipeline.log import command_message, printable
from pipeline.report.check import check_text, render
from pipeline.report.json import Previous, read_previous, run_json
from pipeline.report.junit import to_junit
from pipeline.report.page import to_html, to_summary
from pipeline.report.result import CheckResult, RunResult
from pipeline.report.upgrade import upgrade_summary
from pipeline.report.value import Screen

ANSI = "\x1b[31mred\x1b[0m \x1b]8;;https://evil.example\x07link\x1b]8;;\x07 \x9b2J \r\b"
COMMAND = "a\n::error file=b::c\n::set-output name=d::e %0A::f"
TABLE = "a | b | `c` | <details> | ![d](e) | [f]: g | # h"
XML = "]]><!-- a --><![CDATA[b &amp; &c; </testcase> \ufffe \ud800"
TEXTS = {
    "image": IMAGE,
    "script": SCRIPT,
    "address": ADDRESS,
    "Markdown": MARKDOWN,
    "table": TABLE,
    "commands": COMMAND,
    "terminal": ANSI,
    "XML": XML,
    "every trick": PAYLOAD,
    "template": "{{ 7 * 7 }} {% raw %} {0} %s ${a} \\](b)",
}
WORD = "kettle"  # stands behind each text, to be found wherever the text has come to


def finding(text: str) -> Finding:
    return replace(
        ERROR,
        where=f"{text}:7",
        text=text,
        hint=text,
        page=text,
        name=text,
        file=of_a_file(text),
        line=7,
        section=text,
        msgid=text,
        msgstr=text,
    )


def of_a_file(text: str) -> str:
    """``text`` as Python reads it from the name of a file: what is no UTF-8 is escaped."""
    return os.fsdecode(text.encode("utf-8", "surrogatepass"))


def page(text: str) -> PageResult:
    failure = replace(FAILURE, source=text, exception=text, message=text, traceback=text)
    execution = replace(FAILED, page=text, reason=text, failure=failure, note=text)
    told = (finding(text),)
    return replace(PAGE_B, page=text, title=text, findings=told, execution=execution)


def of_a_lock(text: str) -> str:
    """What of ``text`` a lock or a pin can hold: one line, no control characters."""
    return " ".join(re.sub("[^ -~]", " ", text).split())


def result(text: str) -> RunResult:
    text = f"{text} {WORD}"
    told = of_a_lock(text)
    lock = replace(LOCK, ref=told, version=told, url=told)
    others = [
        replace(PAGE_A, page=f"{status}{text}", execution=execution)
        for status in Status
        for execution in [Execution(page=text, status=status, reason=text, cached=True)]
    ]
    return RunResult(
        name="docs",
        lock=lock,
        pages={"zh_CN": (page(text), PAGE_A, *others)},
        findings=(finding(text),),
        comparison=Comparison(before=lock, after=lock, pages=()),
        lists_all=True,
    )


def previous(text: str) -> Previous | None:
    """The run before, with a page that has vanished since."""
    text = text.replace("\ud800", "")  # which JSON refuses
    before = result(text)
    gone = replace(PAGE_A, page=f"gone {text}")
    return read_previous(run_json(replace(before, pages={"zh_CN": (gone,)})))


def check_result(text: str) -> CheckResult:
    text = f"{text} {WORD}"
    findings = (finding(text),)
    return CheckResult(findings=findings, files=1, entries=1, diffs=f"+{text}\n")


class _Tags(HTMLParser):
    """The elements of a page, in their order, and the names of their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


def assert_github_shows_text(markdown: str, plain: str) -> None:
    """The elements are those of a report of ``plain`` texts; no link, mention or reference."""
    gfm = MarkdownIt("gfm-like", {"html": True}).disable("linkify")
    html = gfm.render(markdown)
    assert WORD in html
    assert _Tags(html).found == _Tags(gfm.render(plain)).found
    # GitHub makes links of these in the source, before it reads Markdown.
    for text in ("@d", "#7", "://"):
        assert text not in markdown
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", markdown)


def assert_terminal_shows_text(text: str) -> None:
    """Nothing that a terminal acts on, and no line that GitHub's log takes for a command.

    It is looked at as commands print it.
    """
    screen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    with redirect_stdout(screen):
        print_text(text)
    screen.seek(0)
    text = screen.read()
    assert WORD in text
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
    assert not re.search("^::", text, re.MULTILINE)


def assert_xml_holds(data: bytes, text: str) -> None:
    root = ET.fromstring(data)
    known = {"testsuites", "testsuite", "testcase", "failure", "skipped", "properties"}
    known |= {"property", "system-out", "system-err", "error"}
    assert {element.tag for element in root.iter()} <= known
    values = [value for element in root.iter() for value in element.attrib.values()]
    values += [element.text or "" for element in root.iter()]
    assert any(WORD in value for value in values)
    if text in (IMAGE, SCRIPT, MARKDOWN):
        assert any(text in value for value in values)


def assert_github_log(text: str, *, count: int) -> None:
    """One command a finding, whose message and properties say just what they were given."""
    lines = text.removesuffix("\n").split("\n")
    assert len(lines) == count
    assert all(re.match(r"::(?:error|warning|notice) file=", line) for line in lines)
    assert not re.search("[\x00-\x1f\x7f-\x9f]", "".join(lines))


# Where texts go, and what is proved of each place.
PLACES: dict[str, Callable[[str], None]] = {
    "summary of a run": lambda text: assert_github_shows_text(
        to_summary(result(text), previous=previous(text)),
        to_summary(result("plain"), previous=previous("plain")),
    ),
    "summary of an upgrade": lambda text: assert_github_shows_text(
        upgrade_summary(result(text)), upgrade_summary(result("plain"))
    ),
    "text of a run": lambda text: assert_terminal_shows_text(
        run_text(result(text), Screen(width=200), verbose=True)
    ),
    "status": lambda text: assert_terminal_shows_text(
        status_text(result(text), Screen(width=200), verbose=True)
    ),
    "text of an upgrade": lambda text: assert_terminal_shows_text(
        upgrade_text(result(text), Screen(width=200))
    ),
    "text of check": lambda text: assert_terminal_shows_text(
        check_text(check_result(text), Screen(width=80))
    ),
    "annotations": lambda text: assert_github_log(
        render(check_result(text), "github", Screen()), count=1
    ),
    "JUnit": lambda text: assert_xml_holds(to_junit(result(text)), text),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_text_arrives_as_text(place: Callable[[str], None], text: str) -> None:
    place(text)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_json_and_sarif_hold_the_text_itself(text: str) -> None:
    report = json.loads(run_json(result(text)))
    whole = f"{text} {WORD}"
    row = report["locales"]["zh_CN"]["pages"][0]
    assert (row["page"], row["title"]) == (whole, whole)
    assert row["findings"][0]["text"] == whole
    told = json.loads(render(check_result(text), "json", Screen()))
    assert told["mistakes"][0]["msgstr"] == whole
    sarif = json.loads(render(check_result(text), "sarif", Screen()))
    (found,) = sarif["runs"][0]["results"]
    assert found["properties"]["msgstr"] == whole
    # The middle of a link is escaped, so that it is none.
    assert not re.search(r"(?<!\\)(?:\\\\)*\]\(", found["message"]["text"])
    message = found["message"]["text"].replace("\\](", "](")
    assert message.startswith(whole.replace("\\](", "]("))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_report_of_a_run_has_no_element_of_a_text(text: str) -> None:
    html = to_html(result(text), previous=previous(text)).decode()
    plain = to_html(result("plain"), previous=previous("plain")).decode()
    found, expected = Counter(_Tags(html).found), Counter(_Tags(plain).found)
    # A text of several lines is shown in one more of ours.
    assert found.keys() <= {*expected, ("code", ()), ("pre", ())}
    assert found["script", ()] == expected["script", ()] == 1
    assert live_in(html) == []
    assert WORD in html
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", html)


def test_a_line_of_the_log_begins_no_command() -> None:
    assert "\n" not in command_message(COMMAND)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", printable(ANSI))


def test_every_severity_is_a_command() -> None:
    for severity in Severity:
        told = replace(finding(COMMAND), severity=severity)
        text = render(CheckResult(findings=(told,)), "github", Screen(), level=1)
        assert_github_log(text, count=1)
