"""The report about a copy: what a stranger wrote never becomes markup."""

from __future__ import annotations

import re

from pipeline.core.adoption.audit import CodeCell
from pipeline.core.adoption.history import Version
from pipeline.core.adoption.result import AdoptedCopy, AdoptResult, Row, State
from pipeline.core.pin.lock import Page
from pipeline.errors import InputError
from pipeline.findings import Finding
from pipeline.report.adoption import adoption_text, to_html, version_text

HOSTILE = "<script>alert(1)</script>\x1b[31m{{ 7 * 7 }}"


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
    rows = (
        Row(
            state=State.CHANGED,
            english=HOSTILE,
            copy=HOSTILE,
            pin=f"{HOSTILE} new",
            place=HOSTILE,
            score=0.5,
            msgstr="x",
        ),
        Row(state=State.EXTRA, copy=HOSTILE, avoided=(HOSTILE,)),
    )
    cells = (
        CodeCell(
            place=HOSTILE,
            diff=(f"-{HOSTILE}", f"+{HOSTILE}"),
            broken=HOSTILE,
            gone=(HOSTILE,),
        ),
    )
    page = to_html(copy(file=HOSTILE, rows=rows, cells=cells), is_audit=False).decode(
        "utf-8"
    )
    assert "<script" not in page
    assert "\x1b" not in page
    assert "{{ 7 * 7 }}" in page
    assert "default-src 'none'" in page
    links = re.findall(r"<[^>]*(?:href|src)=([^ >]*)", page)
    assert links == ['"#passages"']
    assert "\x1b" not in text_of(copy(file=HOSTILE, rows=rows, cells=cells))


def test_changes_of_the_english_are_marked() -> None:
    rows = (
        Row(
            state=State.CHANGED,
            english="Heat the oven to two",
            copy="加热",
            pin="Heat an oven to three",
            score=0.9,
        ),
    )
    page = to_html(copy(rows=rows), is_audit=True).decode("utf-8")
    assert '<span class="removed">the</span>' in page
    assert '<span class="added">three</span>' in page
    assert "Audit" in page
    equal = (
        Row(state=State.EQUAL, english="Heat", copy="加热", pin="Heat", score=0.9),
    )
    assert "as it was" in to_html(copy(rows=equal), is_audit=False).decode("utf-8")


def test_versions_in_words() -> None:
    assert version_text(copy()) == "2026-01-01 (1111111111) to 2026-02-01 (1111111111)"
    assert version_text(copy(release="v1")).endswith(", first in v1")
    two = copy(as_good=(version(1, "2026-02-01"), version(2)), release="v2")
    assert version_text(two) == "2026-01-01 (1111111111) to today, such as v2"
    assert version_text(copy(version=None)) == ""


def test_long_lists_are_cut_and_counted() -> None:
    cells = tuple(CodeCell(place=f"cell {n}", broken="broken") for n in range(7))
    rows = tuple(
        Row(state=State.EQUAL, english="a", pin="a", avoided=("oven: 炉子",))
        for _ in range(7)
    )
    text = text_of(copy(cells=cells, rows=rows))
    assert text.count(": broken") == 5
    assert "… and 2 more cells that cannot run" in text
    assert text.count("the glossary advises against oven: 炉子 (catalogue)") == 5
    assert "… and 2 more such renderings" in text


def test_a_narrow_terminal_and_a_refusal() -> None:
    finding = Finding.of(InputError("is binary", where="a.md", hint="Save it as text."))
    text = text_of(copy(), findings=(finding,), width=40)
    assert max(map(len, text.split("\n"))) <= 40
    assert "a.md: is binary" in text
    assert "Save it as text." in text
    assert "no sentence encoder" in text
    assert "no sentence encoder" not in text_of(copy(), encoder=True)
