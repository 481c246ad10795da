"""Formulas become MathML, and whatever their words are, nothing but MathML."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("latex2mathml", reason="the extra preview is not installed")

from hypothesis import given
from hypothesis import strategies as st

from pipeline.adapters.html.formulas import formula_mathml
from pipeline.adapters.html.sanitizer import sanitize

_PAYLOADS = (
    "<script/src=a.js></script>",
    "<script>f()</script>",
    '<img/src="x"onerror="f()">',
    '< img/src="x"onerror="f()">',
    "<meta/http-equiv=refresh content=0>",
    "</math><svg/onload=f()>",
    "&lt;script&gt;f()&lt;/script&gt;",
    "&#60;img src=x onerror=f()&#62;",
    '"onload="f()',
)
_PLACES = (
    r"\text{%s}", r"\mbox{%s}", r"\operatorname{%s}", r"\mathrm{%s}", r"\colorbox{red}{%s}",
    r"\color{%s}x", r"\fbox{%s}", r"\tag{%s}", r"\unicode{%s}", r"\rule{%s}{1em}", "x_{%s}",
    r"\begin{array}{%s}a\end{array}", "%s",
)  # fmt: skip


@pytest.mark.parametrize("payload", _PAYLOADS)
def test_words_of_formula_are_text(payload: str) -> None:
    for place in _PLACES:
        for latex in (place % payload, place % payload.replace("/", " ")):
            _assert_only_mathml(formula_mathml(latex, is_block=True))


@given(st.text(alphabet=r"\{}<>&#;\"'=/x0 $^_imgscrptonel", max_size=40))
def test_any_text_is_mathml_or_nothing(latex: str) -> None:
    _assert_only_mathml(formula_mathml(rf"\text{{{latex}}}", is_block=False))
    _assert_only_mathml(formula_mathml(latex, is_block=False))


def test_words_that_look_like_markup_are_shown() -> None:
    html = formula_mathml(r"a \text{ <b> &amp; } c", is_block=False)
    assert "&lt;b&gt;" in html
    assert "&amp;amp;" in html
    assert formula_mathml(r"\unicode{x3c}script", is_block=False).count("&lt;") == 1


def test_characters_by_number_are_characters() -> None:
    assert "<mo>≤</mo>" in formula_mathml(r"a \leq b", is_block=False)
    assert "<mo>&lt;</mo>" in formula_mathml("a < b", is_block=False)


@pytest.mark.parametrize(
    "latex",
    [
        *(r"\unheardof", r"\frac{1", "{", "x_", "a & b", r"\unicode{x110000}0"),
        r"\begin{gather} a & b \\ c \end{gather}",
    ],
)
def test_not_understood_is_nothing_or_harmless(latex: str) -> None:
    assert "\\" not in formula_mathml(latex, is_block=False)
    assert "<mi>&amp;</mi>" not in formula_mathml(latex, is_block=False)


def _assert_only_mathml(html: str) -> None:
    """Assert that nothing is lost by another reading, and that all tags are MathML's."""
    assert sanitize(html).html == html
    tags = set(re.findall(r"</?([^\s>/]+)", html))
    assert tags <= {"math", "none", "semantics"} | {tag for tag in tags if tag.startswith("m")}
    assert not {"meta", "map", "main", "mark", "menu"} & tags
