"""What a run says: plain lines in a pipe, folds on GitHub, bars on a terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO

import pytest

from pipeline.log import NORMAL, QUIET, VERBOSE, Log, printable

PLAIN: Mapping[str, str] = {}
GITHUB = {"CI": "true", "GITHUB_ACTIONS": "true"}


class Terminal(StringIO):
    """A stream that a person watches."""

    def isatty(self) -> bool:
        return True


def spoken(level: int, environ: Mapping[str, str], stream: StringIO | None = None) -> str:
    """What a small run says, with the seconds taken out."""
    stream = stream or StringIO()
    log = Log(level, stream=stream, environ=environ)
    with log.step("sync"):
        with log.step("pull") as step:
            step.result = "v1 → v2"
        log.note("a note")
        log.detail("a detail")
        log.warn("100 % odd")
        with log.progress("execute", total=2) as advance:
            advance(1, "one: passed")
            advance()
    return re.sub(r"\[\d+\.\d s\]", "[s]", stream.getvalue())


def test_without_a_terminal_each_step_is_a_plain_line() -> None:
    assert spoken(NORMAL, PLAIN).split("\n") == [
        "  pull       v1 → v2  [s]",
        "a note",
        "warning: 100 % odd",
        "  execute 1/2  one: passed",
        "sync       done  [s]",
        "",
    ]


def test_verbose_tells_details_and_quiet_warnings_only() -> None:
    assert "a detail\n" in spoken(VERBOSE, PLAIN)
    assert spoken(QUIET, PLAIN) == "warning: 100 % odd\n"
    assert spoken(QUIET, GITHUB) == "::warning::100 %25 odd\n"


def test_github_folds_the_outermost_step() -> None:
    lines = spoken(NORMAL, GITHUB).split("\n")
    assert lines[0] == "::group::sync"
    assert lines[-3:] == ["::endgroup::", "sync       done  [s]", ""]
    assert len([line for line in lines if "group" in line]) == 2


def test_terminal_shows_colours_and_a_bar() -> None:
    said = spoken(NORMAL, PLAIN, Terminal())
    assert "\x1b[33mwarning: 100 % odd\x1b[0m\n" in said
    assert re.search(r"execute .*━.* \S*2/2", said)
    assert "one: passed" in said
    assert "\x1b[?25h" in said  # the cursor is back


def test_lines_go_above_a_bar() -> None:
    stream = Terminal()
    log = Log(VERBOSE, stream=stream, environ=PLAIN)
    with log.progress("pull", total=None) as advance:
        log.warn("[red]markup[/red] \x1b[2J")
        advance(0.5, "[bold]receiving[/bold]")
    assert "warning: [red]markup[/red] \\x1b[2J" in stream.getvalue()
    assert "  [bold]receiving[/bold]" in stream.getvalue()


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"CI": "1"}, {"TERM": "dumb"}])
def test_no_colours_where_they_are_not_wanted(environ: Mapping[str, str]) -> None:
    stream = Terminal()
    Log(stream=stream, environ=environ).warn("odd")
    assert stream.getvalue() == "warning: odd\n"


def test_failing_step_says_so() -> None:
    stream = StringIO()
    log = Log(stream=stream, environ=PLAIN)
    with pytest.raises(ValueError, match="bug"), log.step("pull") as step:
        step.result = "half of it"
        raise ValueError("bug")
    assert stream.getvalue() == "pull       half of it, failed  [0.0 s]\n"


def test_speaks_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    Log(environ=PLAIN).note("hello")
    assert capsys.readouterr() == ("", "hello\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("中文, é and\ttabs\n", "中文, é and\ttabs\n"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\rb\x00\x9b", "a\\rb\\x00\\x9b"),
        ("\u202egnp.exe \u2028 \ud800", "\\u202egnp.exe \\u2028 \\ud800"),
    ],
)
def test_control_characters_are_shown_and_not_sent(text: str, shown: str) -> None:
    assert printable(text) == shown
