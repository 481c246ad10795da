"""What ``check`` found, in its four shapes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cases import read_tables
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len

from pipeline.commands.check import FORMATS
from pipeline.findings import Finding, Severity
from pipeline.log import NORMAL, QUIET, VERBOSE
from pipeline.report.check import check_text, render, summary_line, to_github, to_sarif
from pipeline.report.findings import excerpt
from pipeline.report.json import check_json
from pipeline.report.result import CheckResult
from pipeline.report.value import Screen

CASES = read_tables(__file__)
DATA = Path(__file__).parent / "data"

BOLD = Finding(
    code="M102",
    name="bold or italics that do not show",
    severity=Severity.ERROR,
    file="translations/zh_CN/docs/trees.po",
    line=123,
    text="`**注意：**` is shown with its stars",
    hint="Move the colon out of the bold.",
    page="trees",
    section="Trees › Leaves",
    msgid="**Note:** leaves fall.",
    msgstr="**注意：**叶子会落。",
    spans=((0, 7),),
    fixed="**注意**：叶子会落。",
)
SPACE = Finding(
    code="M401",
    name="no space between Chinese and Latin",
    severity=Severity.WARNING,
    file="translations/zh_CN/docs/trees.po",
    line=130,
    text="no space in `用JAX`",
    hint="Put one in.",
    page="trees",
    msgid="Use JAX.",
    msgstr="用JAX。",
    spans=((0, 2),),
    fixed="用 JAX。",
)
TASTE = Finding(
    code="M409",
    name="a matter of taste",
    severity=Severity.NOTE,
    file="translations/zh_CN/docs/roots.po",
    line=7,
    text="fine, but",
    hint="",
    page="roots",
    msgid="Roots",
    msgstr="根",
)
RESULT = CheckResult(findings=(BOLD, SPACE, TASTE), files=2, entries=40)


def text_of(
    result: CheckResult, *, width: int = 80, colour: bool = False, level: int = NORMAL
) -> str:
    return check_text(result, Screen(width=width, colour=colour), level=level)


def found(*findings: Finding, **fields: Any) -> CheckResult:
    return CheckResult(findings=findings, **fields)


# --- text ----------------------------------------------------------------------------------------


def test_text_tells_place_words_and_way_out() -> None:
    assert text_of(RESULT) == (DATA / "check.txt").read_text("utf-8")


def test_notes_only_if_asked_for() -> None:
    block = "translations/zh_CN/docs/roots.po:7: note M409 a matter of taste\n  根\n  fine, but\n\n"
    assert block in text_of(RESULT, level=VERBOSE)
    assert "M409" not in text_of(RESULT)


def test_quiet_leaves_only_errors_and_warnings() -> None:
    text = text_of(replace(RESULT, diffs="-甲\n+乙\n"), level=QUIET)
    assert text.startswith(BOLD.file)
    assert text.endswith("用 JAX。\n\n")
    assert text_of(found(files=1, entries=1), level=QUIET) == ""


def test_colours_mark_the_words() -> None:
    text = text_of(replace(RESULT, diffs="@@ -1 +1 @@\n-甲\n+乙\n"), colour=True)
    assert "  \x1b[4;31m**注意：**\x1b[0m叶子会落。\n" in text
    assert "  \x1b[4;33m用J\x1b[0mAX。\n" in text
    assert "**注意\x1b[4;32m**：\x1b[0m叶子会落。\n" in text
    assert "\x1b[31m-甲\x1b[0m\n\x1b[32m+乙\x1b[0m\n" in text
    assert "»" not in text


def test_what_was_mended_comes_first() -> None:
    diffs = "--- a/x.po\n+++ b/x.po\n-甲\n+乙\n"
    assert text_of(found(files=1, entries=3, diffs=diffs, written=("x.po",))) == (
        f"{diffs}\nno mistakes in 3 entries of 1 catalogue; 1 file corrected\n"
    )


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (found(files=9, entries=205), "no mistakes in 205 entries of 9 catalogues"),
        (
            found(files=1, entries=1, silenced=2),
            "no mistakes in 1 entry of 1 catalogue; 2 silenced",
        ),
        (
            found(BOLD, BOLD, files=1, entries=2),
            "2 errors in 2 entries of 1 catalogue; --fix corrects 2",
        ),
        (
            found(TASTE, files=1, entries=2),
            "1 note in 2 entries of 1 catalogue; -v shows the notes",
        ),
        (
            found(files=3, entries=2, written=("a", "b")),
            "no mistakes in 2 entries of 3 catalogues; 2 files corrected",
        ),
    ],
)
def test_the_last_line_counts(result: CheckResult, line: str) -> None:
    assert summary_line(result) == line
    assert text_of(result).endswith(f"{line}\n")


def test_a_mistake_of_the_file_itself_has_no_words() -> None:
    severity, line = Severity.WARNING, "the header lacks Language"
    header = replace(TASTE, severity=severity, text=line, hint="Add it.", msgid="", msgstr="")
    shown = text_of(found(header)).split("\n")
    assert shown[1:3] == [f"  {line}", "  → Add it."]


@pytest.mark.parametrize(("before", "after", "shown"), CASES["what_a_fix_changes_is_marked"])
def test_what_a_fix_changes_is_marked(before: str, after: str, shown: str) -> None:
    mistake = replace(SPACE, msgstr=before, fixed=after, spans=())
    text = text_of(found(mistake), colour=True)
    assert f"--fix makes it: \x1b[0m{shown}\n" in text


@pytest.mark.parametrize("colour", [False, True])
def test_what_a_page_says_does_not_drive_the_terminal(colour: bool) -> None:
    evil = "\x1b[2J甲\r\x07\u202e乙\u200b\ud800"
    mistake = replace(
        BOLD,
        msgstr=evil,
        fixed=f"{evil}!",
        text=evil,
        hint=evil,
        section=evil,
        name=evil,
        file=f"a{evil}.po",
        spans=((0, 1),),
    )
    result = found(mistake, diffs=f"+{evil}\n")
    text = text_of(result, width=200, colour=colour)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text) if colour else text
    assert re.findall(r"[^\n -~\u4e00-\u9fff»«→…]", plain.replace("\u200b", "")) == []
    marked = "\\x1b" if colour else "»\\x1b«"
    words = f"  {marked}[2J甲\\r\\x07\\u202e乙\\u200b\\ud800"
    assert plain.split("\n")[4] == words


def test_line_breaks_of_a_msgstr_are_shown() -> None:
    broken = replace(SPACE, msgstr="甲\n乙", fixed=None, spans=((2, 3),))
    assert "\n  甲⏎»乙«\n" in text_of(found(broken))


# --- the words around ----------------------------------------------------------------------------

LONG = "".join(f"第{number}句话。" for number in range(1, 60))


@pytest.mark.parametrize(
    ("spans", "width", "shown"),
    [
        ([], 16, "第1句话。第2句…"),
        ([(0, 3)], 16, "[第1句]话。第2…"),
        ([(300, 303)], 30, "…句话。第52[句话。]第53句话。…"),
        ([(len(LONG) - 1, len(LONG))], 16, "…话。第59句话[。]"),
        ([(0, len(LONG))], 20, "[第1句话。…9句话。]"),
        ([(3, 4), (300, 301)], 32, "第1句[话]。第2句…。第52[句]话。第…"),
        (
            [(0, 1), (100, 101), (200, 201), (300, 301), (310, 311)],
            24,
            "[第]1句…。第[1]9…话[。]第3…",
        ),
    ],
)
def test_an_excerpt_has_what_is_marked(
    spans: list[tuple[int, int]], width: int, shown: str
) -> None:
    pieces = excerpt(LONG, spans, width)
    text = "".join(f"[{piece}]" if marked else piece for piece, marked in pieces)
    assert text == shown


def test_what_fits_is_shown_whole() -> None:
    assert excerpt("用JAX。", [(0, 2)], 7) == [("用J", True), ("AX。", False)]
    assert excerpt("", [], 7) == []


TEXT = st.text(st.sampled_from("ab 甲乙。\n\u200b\u0301👩") | st.characters(), max_size=120)


@given(
    TEXT,
    st.lists(st.tuples(st.integers(0, 120), st.integers(0, 30)), max_size=5),
    st.integers(14, 60),
)
def test_an_excerpt_is_never_wider_than_asked_and_leaves_nothing_out_without_a_sign(
    text: str, places: list[tuple[int, int]], width: int
) -> None:
    spans = [(start, start + length) for start, length in places]
    pieces = excerpt(text, spans, width)
    shown = "".join(piece for piece, _ in pieces)
    assert cell_len(shown) <= max(width, 14)
    assert "\n" not in shown
    assert [marked for _, marked in pieces] == [
        number % 2 == bool(pieces[0][1]) for number in range(1, len(pieces) + 1)
    ]
    if "…" not in shown:
        assert len(shown) >= len(text)


# --- JSON and annotations ------------------------------------------------------------------------


def test_json_holds_everything() -> None:
    record = check_json(replace(RESULT, silenced=4, written=("a.po",), diffs="+甲\n"))
    assert record == (DATA / "check.json").read_bytes()


def test_annotations_are_what_github_reads() -> None:
    text = (DATA / "check-github.txt").read_text("utf-8")
    assert to_github(RESULT, verbose=True) == text
    without_notes, _, notes = text.partition("::notice")
    assert notes
    assert to_github(RESULT) == without_notes


def test_github_annotations_are_escaped() -> None:
    mistake = replace(
        TASTE,
        severity=Severity.ERROR,
        file="a,b:c%.po",
        name="x: y, 5%",
        text="1%\n2\r\x1b, a: b::c",
        line=0,
    )
    assert to_github(found(mistake)) == (
        "::error file=a%2Cb%3Ac%25.po,line=1,title=M409 x%3A y%2C 5%25::1%25%0A2\\r\\x1b, a: b::c\n"
    )


# --- SARIF ---------------------------------------------------------------------------------------


def results_of(*findings: Finding) -> list[dict[str, Any]]:
    (run,) = to_sarif(found(*findings))["runs"]
    results: list[dict[str, Any]] = run["results"]
    return results


ODD_PATH = replace(BOLD, file="页/a b%.po", line=0)


def test_sarif_has_what_the_standard_demands() -> None:
    assert to_sarif(RESULT) == json.loads((DATA / "check.sarif").read_bytes())


@pytest.mark.parametrize("result", [CheckResult(), RESULT, found(ODD_PATH)])
def test_sarif_is_what_the_official_schema_describes(result: CheckResult) -> None:
    reason = "needs pydantic-sarif, whose classes are made from the official schema"
    model = pytest.importorskip("pydantic_sarif.model", reason=reason)
    model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate(to_sarif(result))


def test_sarif_paths_are_uris() -> None:
    (result,) = results_of(ODD_PATH)
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == "%E9%A1%B5/a%20b%25.po"


def test_a_rule_weighs_what_the_worst_of_its_results_weighs() -> None:
    note = replace(BOLD, severity=Severity.NOTE)
    for findings in ((BOLD, note), (note, BOLD)):
        (rule,) = to_sarif(found(*findings))["runs"][0]["tool"]["driver"]["rules"]
        assert rule["defaultConfiguration"]["level"] == "error"


def _fingerprints(*mistakes: Finding) -> list[str]:
    return [one["partialFingerprints"]["entry/v1"] for one in results_of(*mistakes)]


def test_fingerprints_stay_when_lines_move_and_tell_all_else_apart() -> None:
    first = _fingerprints(BOLD, SPACE)
    moved = replace(BOLD, line=500, spans=((2, 9),), msgstr=f"前面{BOLD.msgstr}")
    assert _fingerprints(moved, SPACE) == first
    changes = ({"code": "M103"}, {"msgid": "x"}, {"file": "b"}, {"spans": ()})
    other = [replace(BOLD, **change) for change in changes]
    apart = _fingerprints(BOLD, BOLD, *other)
    assert apart[0] == first[0]
    assert len(set(apart)) == 6


# --- choice --------------------------------------------------------------------------------------


def test_render_has_every_format() -> None:
    texts = {form: render(RESULT, form, Screen(), level=NORMAL) for form in FORMATS}
    assert texts["text"] == check_text(RESULT, Screen(width=140))
    assert texts["json"] == check_json(RESULT).decode()
    assert json.loads(texts["sarif"]) == to_sarif(RESULT)
    assert texts["github"] == to_github(RESULT)
    assert "M409" in render(RESULT, "github", Screen(), level=VERBOSE)


# --- several findings about one entry ------------------------------------------------------------


def test_what_findings_about_an_entry_share_is_shown_once() -> None:
    lost = replace(BOLD, code="M201", text="lacks `f`", hint="", spans=(), fixed=None)
    glued = replace(BOLD, code="M401", text="lacks a space", spans=((7, 9),))
    text = (DATA / "check-entry.txt").read_text("utf-8")
    result = found(BOLD, lost, glued, SPACE, files=1, entries=2)
    assert text_of(result).startswith(f"{text}\n")


def test_a_finding_whose_marks_find_no_room_shows_its_own() -> None:
    marked = (replace(BOLD, spans=((at, at + 1),), text=str(at), fixed=None) for at in range(4))
    lines = text_of(found(*marked)).split("\n")
    assert [line for line in lines if "»" in line] == [
        "  »*«*注意：**叶子会落。",
        "  *»*«注意：**叶子会落。",
        "  **»注«意：**叶子会落。",
        "  **注»意«：**叶子会落。",
    ]
