"""Formulas without dollar signs, as notebooks may have them: ``\\begin{align}`` at the start of a paragraph."""

from __future__ import annotations

from collections.abc import Callable

from markdown_it import MarkdownIt
from mdit_py_plugins.amsmath import amsmath_plugin
from myst_parser.parsers import mdit


def setup_formulas() -> None:
    """Let MyST read them, but not a line of another formula that begins so: that one ends no paragraph."""
    mdit.amsmath_plugin = _amsmath  # type: ignore[attr-defined]  # it is imported there


def _amsmath(md: MarkdownIt, *, renderer: Callable[[str], str] | None = None) -> None:
    amsmath_plugin(md, renderer=renderer)
    begin = next(rule.fn for rule in md.block.ruler.__rules__ if rule.name == "amsmath")
    md.block.ruler.at("amsmath", begin, {"alt": []})
