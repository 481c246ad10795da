"""Formulas without dollar signs, as notebooks may have them.

They are paragraphs that begin with ``\\begin{align}``.
"""

from __future__ import annotations

from collections.abc import Callable

from markdown_it import MarkdownIt
from mdit_py_plugins.amsmath import amsmath_plugin
from myst_parser.parsers import mdit


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
