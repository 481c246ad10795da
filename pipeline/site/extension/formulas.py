"""Formulas without dollar signs, as notebooks may have them.

They are paragraphs that begin with ``\\begin{align}``, or stand within one, below its words.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.amsmath import amsmath_plugin
from myst_parser.parsers import mdit

_FORMULA = re.compile(
    r"\\begin\{(align|alignat|eqnarray|equation|flalign|gather|multline)(\*?)\}"
    r".*?\\end\{\1\2\}",
    re.DOTALL,
)


def setup_formulas() -> None:
    """Let MyST read them."""
    mdit.amsmath_plugin = _amsmath  # type: ignore[attr-defined]  # it is imported there


def _amsmath(md: MarkdownIt, *, renderer: Callable[[str], str] | None = None) -> None:
    """The plugin, but no formula ends a paragraph.

    A line of another formula, between dollar signs, may begin with ``\\begin`` as well.
    """
    amsmath_plugin(md, renderer=renderer)
    begin = next(rule.fn for rule in md.block.ruler.__rules__ if rule.name == "amsmath")
    # ``alt`` has the blocks that it ends.
    md.block.ruler.at("amsmath", begin, {"alt": []})
    md.inline.ruler.before("escape", "amsmath", _in_paragraph)


def _in_paragraph(state: StateInline, silent: bool) -> bool:
    """A formula within a paragraph: the same token as one that is a block."""
    match = _FORMULA.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        token = state.push("amsmath", "math", 0)
        token.content, token.map = match[0], [0, 0]
        # A number would want a label, of which MyST makes another one with each build.
        token.meta = {"environment": match[1], "numbered": "*"}
    state.pos = match.end()
    return True
