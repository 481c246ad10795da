"""Charts of Mermaid are drawn in a process of their own; what comes of them runs nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from pipeline.adapters import charts
from pipeline.adapters.charts import draw_chart
from pipeline.adapters.html.images import PageFolder
from pipeline.adapters.html.myst import markdown_html
from pipeline.adapters.html.rst import rst_html
from pipeline.errors import InputError

pytest.importorskip("mmdr", reason="the dependency group web is not installed")

FLOW = "flowchart LR\n  A[烤箱] -->|heat| B{ready?}\n"
BARS = """---
displayMode: compact
---
gantt
    title Two ovens
    axisFormat %
    section Left
    bake :a, 0, 1000s
    section Right
    bake :b, after a, 2000s
"""
# What a stranger may write to have it run or fetched; ``@`` is a word of theirs.
HOSTILE = (
    'flowchart LR\nA@{img: "https://evil.example/x.png", label: "x"}\n',
    'flowchart LR\nA-->B\nclick A "javascript:hit()"\nclick B call hit()\n',
    'flowchart LR\nA["<img src=x onerror=hit()>"]-->B["</text></svg><script>hit()</script>"]',
    (
        '%%{init: {"securityLevel": "loose", "htmlLabels": true, "fontFamily": "x;} * {fill: '
        'url(//evil.example/f)", "themeCSS": "@import url(//evil.example/a.css);"}}%%\n'
        "flowchart LR\nA --> B\n"
    ),
    'sequenceDiagram\nlinks A: {"x": "javascript:hit()"}\nA->>B: <script>hit()</script>',
    'gantt\ndateFormat X\nsection a\nx :a, 1, 2\nclick a href "javascript:hit()"',
    "flowchart LR\nA-->B\nstyle A fill:url(https://evil.example/f)\n",
)
RUNS = re.compile(rb"<script|<foreign|\son\w+\s*=|javascript:|evil|<image[^>]* href", re.IGNORECASE)


@pytest.mark.parametrize("source", [FLOW, BARS])
def test_a_chart_is_drawn_for_light_pages_and_dark_ones(source: str) -> None:
    chart = draw_chart(source)
    assert chart.dark
    assert chart.light.startswith(b"<svg")
    assert chart.light != chart.dark
    assert 100 < chart.width < 2000
    words = ("烤箱", "ready?") if source == FLOW else ("Two ovens", "Left", "bake")
    for word in words:
        assert word in chart.light.decode()
        assert word in chart.dark.decode()


OWN = (
    "classDef hot fill:#f96\n",
    "  style A fill:#f96\n",
    '%%{init: {"theme": "forest"}}%%',
)


@pytest.mark.parametrize("own", OWN)
def test_a_chart_with_colours_of_its_own_is_drawn_once(own: str) -> None:
    chart = draw_chart(f"{FLOW}{own}")
    assert chart.dark is None


def test_no_shape_is_lost_to_its_shadow() -> None:
    # A filter without what it does would hide what it is of.
    chart = draw_chart(f'{FLOW}%%{{init: {{"look": "neo"}}}}%%')
    assert b"feDropShadow" in chart.light


@pytest.mark.parametrize("source", HOSTILE)
def test_a_drawing_runs_and_fetches_nothing(source: str) -> None:
    chart = draw_chart(source)
    for drawing in (chart.light, chart.dark or b""):
        found = [match[0] for match in RUNS.finditer(drawing)]
        # A link of a chart leads somewhere only where it is opened by itself.
        assert found == []


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "No Mermaid diagram type detected"),
        ("flowchart LR\n A -->", "unexpected end of input"),
        ("flowchart LR\n" + "\n".join(f"A{n}-->A{n + 1}" for n in range(3000)), "limit"),
        ("---\n" + "[" * 100_000 + "\n---\n" + FLOW, "nesting"),
    ],
)  # fmt: skip
def test_a_chart_that_cannot_be_drawn_says_why(source: str, reason: str) -> None:
    with pytest.raises(InputError, match=f"Mermaid chart cannot be drawn: .*{reason}"):
        draw_chart(source)


def test_a_chart_that_takes_long_is_given_up() -> None:
    with pytest.raises(InputError, match="it takes more than 0 s"):
        draw_chart(FLOW, seconds=0.001)


@pytest.mark.parametrize(
    ("child", "reason"),
    [
        ("import os; os.abort()", "the process that draws it ended with -"),
        ('print(\'{"drawings": ["<p>", ""]}\')', "its drawing is not SVG"),
    ],
)
def test_native_code_that_ends_its_process_ends_no_other(
    child: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(charts, "_CHILD", child)
    with pytest.raises(InputError, match=reason):
        draw_chart(FLOW)


def test_without_the_library_its_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    without = f"import sys; sys.modules['mmdr'] = None; {charts._CHILD.lstrip()}"
    monkeypatch.setattr(charts, "_CHILD", without)
    with pytest.raises(InputError, match="Install the package mmdr"):
        draw_chart(FLOW)


def test_a_preview_shows_the_text_of_a_chart(tmp_path: Path) -> None:
    folder = PageFolder(tmp_path)
    rest = ".. mermaid::\n\n   flowchart LR\n     A --> B\n"
    for html in (
        rst_html(rest, folder=folder),
        markdown_html("```{mermaid}\nflowchart LR\n  A --> B\n```\n", folder=folder),
    ):
        text = BeautifulSoup(html, "html.parser").get_text()
        assert "flowchart LR\n  A --> B" in text
