"""Formulas set when the site is built, and those that are left to MathJax."""

from __future__ import annotations

from pathlib import Path

import pytest
from sphinx.cmd.build import main as sphinx

from pipeline.adapters.html.formulas import formula_mathml
from pipeline.site.extension.content.figures import title_math

_CONF = """
extensions = [
    "sphinx.ext.mathjax",
    "pipeline.site.extension.content.figures",
]
html_math_renderer = "mathml"
html_theme = "basic"
"""
_PAGE = r"""
Formulas
========

Inline :math:`x^2 < 1`, and :math:`\unheardof{x}`.

.. math::
   :label: first

   a &= b \\
   c &= d

.. math::

   a = 1

   b = 2

.. math::
   :nowrap:

   \begin{align} p &= q \end{align}

See :eq:`first`.
"""


@pytest.mark.parametrize(
    ("latex", "found"),
    [
        (r"x^2", "<msup><mi>x</mi><mn>2</mn></msup>"),
        (r"a < b", "&lt;"),
        (r"\frac{1}{2}", "<mfrac>"),
        (
            r"\begin{array} {r|rr} \hline a & b \\ c & d \end{array}",
            'columnlines="solid',
        ),
        (r"\{\begin{eqnarray} a &=& b \\ c &=& d \end{eqnarray}", "<mtable"),
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "<mtable"),
        ("a \\\nb", "<mtext>&nbsp;</mtext>"),
        (r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}", "<mtable"),
    ],
)
def test_what_is_understood_is_mathml(latex: str, found: str) -> None:
    assert found in formula_mathml(latex, is_block=False)
    assert found in title_math(latex)


def test_block_is_displayed() -> None:
    assert 'display="block"' in formula_mathml("x", is_block=True)
    assert 'display="inline"' in formula_mathml("x", is_block=False)


@pytest.mark.slow
def test_pages_have_mathml_and_mathjax_where_it_is_needed(tmp_path: Path) -> None:
    (tmp_path / "conf.py").write_text(_CONF, encoding="utf-8")
    (tmp_path / "index.rst").write_text(_PAGE, encoding="utf-8")
    assert sphinx(["-q", str(tmp_path), str(tmp_path / "html")]) == 0
    html = (tmp_path / "html" / "index.html").read_text(encoding="utf-8")
    assert html.count("<math ") == 4
    # Two lines are two rows, with or without an environment of their own.
    formulas = html.split("<math ")[2:]
    assert [formula.count("<mtr") for formula in formulas] == [2, 2, 1]
    assert r"\(\unheardof{x}\)" in html
    assert html.count('<span class="eqno">(1)') == 1
    assert 'href="#equation-first"' in html
