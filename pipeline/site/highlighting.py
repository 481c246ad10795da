"""Code in colours, without marks on what has none: half of the marks that Pygments makes say nothing but the colour of all text."""

from __future__ import annotations

from typing import Any

from pygments.formatters import HtmlFormatter
from pygments.token import Name, Punctuation, Whitespace
from sphinx.highlighting import PygmentsBridge

PLAIN = frozenset((Name, Name.Namespace, Punctuation, Whitespace))  # of the colour of all text, in both styles of the theme


class LeanFormatter(HtmlFormatter[str]):
    """Pygments' own, but for ``PLAIN``."""

    def _get_css_classes(self, ttype: Any) -> str:
        return "" if ttype in PLAIN else super()._get_css_classes(ttype)  # type: ignore[misc, no-any-return]


def setup_highlighting() -> None:
    """Let Sphinx use it."""
    PygmentsBridge.html_formatter = LeanFormatter
