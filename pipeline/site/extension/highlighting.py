"""Code in colours, without marks on what has none: half of the marks that Pygments makes say nothing but the colour of all text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pygments.formatters import HtmlFormatter
from pygments.token import Name, Punctuation, Text, Whitespace
from sphinx.highlighting import PygmentsBridge

PLAIN = frozenset(
    (Name, Name.Namespace, Punctuation, Whitespace)
)  # of the colour of all text, in both styles of the theme


class LeanFormatter(HtmlFormatter[str]):
    """Pygments' own, for which ``PLAIN`` is mere text."""

    def format(self, tokensource: Iterable[tuple[Any, str]], outfile: Any) -> None:
        """Write the tokens to the file."""
        super().format(
            ((Text if kind in PLAIN else kind, words) for kind, words in tokensource), outfile
        )


def setup_highlighting() -> None:
    """Let Sphinx use it."""
    PygmentsBridge.html_formatter = LeanFormatter
