"""The report about a copy."""

from __future__ import annotations

from pipeline.core.adoption.candidates import Version
from pipeline.core.adoption.result import AdoptedCopy, AdoptResult, CodeCell, Row, State
from pipeline.core.pin.lock import Page
from pipeline.errors import InputError
from pipeline.findings import Finding
from pipeline.report.adoption import adoption_text, version_text

HOSTILE = "<script>alert(1)</script>\x1b[31m"


def version(number: int, until: str = "") -> Version:
    return Version(
        page=Page(name="ovens", files=()),
        first=str(number) * 40,
        last=str(number) * 40,
        since=f"2026-0{number}-01T00:00:00+00:00",
        until=until,
    )


def copy(**fields: object) -> AdoptedCopy:
    values: dict[str, object] = {
        "file": "a.md",
        "form": "Markdown",
        "page": "ovens",
        "version": version(1, "2026-02-01"),
        "as_good": (version(1, "2026-02-01"),),
        **fields,
    }
    return AdoptedCopy(**values)  # type: ignore[arg-type]


def text_of(*copies: AdoptedCopy, width: int = 80, **fields: object) -> str:
    result = AdoptResult(name="docs", locale="zh_CN", ref="v1", copies=copies, **fields)  # type: ignore[arg-type]
    return adoption_text(result, width=width)


def test_hostile_words_stay_words() -> None:
    rows = (Row(state=State.DOUBTFUL, english=HOSTILE, copy=HOSTILE, place=HOSTILE),)
    cells = (CodeCell(place=HOSTILE, broken=HOSTILE, is_altered=True),)
    assert "\x1b" not in text_of(copy(file=HOSTILE, rows=rows, cells=cells))


def test_what_was_taken_is_doubtful_and_was_left() -> None:
    rows = (
        Row(state=State.EQUAL, english="a", pin="a"),
        Row(state=State.CHANGED, english="b", pin="c"),
        Row(state=State.DOUBTFUL, english="d", place="line 7"),
        Row(state=State.MISSING, english="e"),
    )
    cells = (
        CodeCell(place="line 3", is_altered=True),
        CodeCell(place="line 9", is_strange=True),
    )
    text = text_of(copy(rows=rows, cells=cells), width=200)
    assert "2 suggestions, 1 of them for English that has changed" in text
    assert "1 doubtful, and not adopted; 1 missing" in text
    assert "doubtful: line 7" in text
    assert "altered: line 3" in text
    assert "not upstream's: line 9" in text


def test_versions_in_words() -> None:
    assert version_text(copy()) == "2026-01-01 (1111111111) to 2026-02-01 (1111111111)"
    assert version_text(copy(release="v1")).endswith(", first in v1")
    two = copy(as_good=(version(1, "2026-02-01"), version(2)), release="v2")
    assert version_text(two) == "2026-01-01 (1111111111) to today, such as v2"
    assert version_text(copy(version=None)) == ""


def test_long_lists_are_cut_and_counted() -> None:
    cells = tuple(CodeCell(place=f"cell {n}", broken="broken") for n in range(7))
    text = text_of(copy(cells=cells))
    assert text.count(": broken") == 5
    assert "… and 2 more cells that cannot run" in text


def test_a_narrow_terminal_and_a_refusal() -> None:
    finding = Finding.of(InputError("is binary", where="a.md", hint="Save it as text."))
    text = text_of(copy(), findings=(finding,), width=40)
    assert max(map(len, text.split("\n"))) <= 40
    assert "a.md: is binary" in text
    assert "Save it as text." in text
