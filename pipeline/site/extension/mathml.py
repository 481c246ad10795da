"""Formulas as MathML, made when the site is built: browsers set them without a script.

A formula that is not understood is left to MathJax, which then is loaded for its page.
"""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.mathjax import html_visit_displaymath, html_visit_math
from sphinx.util.math import get_node_equation_number

from pipeline.adapters.html.formulas import formula_mathml


def setup(app: Sphinx) -> None:
    """Let Sphinx use it; formulas for MathJax keep the marks that it looks for."""
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(_visit_math, None),
        block_renderers=(_visit_block, None),
    )


def _visit_math(self: Any, node: nodes.math) -> None:
    """``<span class="math jz-mathml"><math>…</math></span>``."""
    html = formula_mathml(node.astext(), is_block=False)
    if not html:
        html_visit_math(self, node)
    self.body.append(self.starttag(node, "span", "", CLASS="math jz-mathml"))
    self.body.append(f"{html}</span>")
    raise nodes.SkipNode


def _visit_block(self: Any, node: nodes.math_block) -> None:
    """``<div class="math jz-mathml">``, with the number of the formula if it has one."""
    html = formula_mathml(_on_lines(node.astext()), is_block=True)
    if not html:
        html_visit_displaymath(self, node)
    self.body.append(self.starttag(node, "div", CLASS="math jz-mathml"))
    if node["number"]:
        number = get_node_equation_number(self, node)
        self.body.append(f'<span class="eqno">({number})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(f"{html}</div>\n")
    raise nodes.SkipNode


def _on_lines(latex: str) -> str:
    """A formula whose lines an environment sets below each other, as Sphinx has it for MathJax.

    A blank line is the end of a line, as ``\\\\`` is; what has an environment needs no other.
    """
    lines = [line.strip() for line in latex.split("\n\n") if line.strip()]
    text = r" \\ ".join(lines)
    if r"\\" in text and r"\begin" not in text:
        return rf"\begin{{aligned}}{text}\end{{aligned}}"
    return text


def title_math(latex: str) -> str:
    """A formula in a title, which is on every page: no script is loaded for it."""
    html = formula_mathml(latex, is_block=False) or escape(latex)
    return f'<span class="math jz-mathml">{html}</span>'
