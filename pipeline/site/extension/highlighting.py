"""Code in colours, without marks on what has none.

Half of the marks that Pygments makes say nothing but the colour of all text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from ipython_pygments_lexers import IPython3Lexer, IPythonTracebackLexer
from myst_nb.core.lexers import AnsiColorLexer
from pygments.formatters import HtmlFormatter
from pygments.token import Name, Punctuation, Text, Whitespace
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

# Of the colour of all text, in both styles of the theme.
PLAIN = frozenset((Name, Name.Namespace, Punctuation, Whitespace))
# Of notebooks. By their names Pygments looks for them in all packages, in each of our processes.
LEXERS = (IPython3Lexer, IPythonTracebackLexer, AnsiColorLexer)


class LeanFormatter(HtmlFormatter[str]):
    """Pygments' own, for which ``PLAIN`` is mere text."""

    # Of each style: the classes of kinds of words, and the rules of classes.
    ttype2class: Any
    class2style: Any
    _sheets: ClassVar[dict[Any, tuple[Any, Any]]] = {}

    def _create_stylesheet(self) -> None:
        """Make it once for a style, not for every block of code that is written."""
        if self.style not in self._sheets:
            super()._create_stylesheet()  # type: ignore[misc]
            self._sheets[self.style] = self.ttype2class, self.class2style
        self.ttype2class, self.class2style = self._sheets[self.style]

    def format(self, tokensource: Iterable[tuple[Any, str]], outfile: Any) -> None:
        """Write the tokens to the file."""
        super().format(_without_plain(tokensource), outfile)


def _without_plain(tokens: Iterable[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
    """Each token with its kind; those that look as all text does are text."""
    for kind, words in tokens:
        # Text has no mark in HTML.
        yield (Text if kind in PLAIN else kind), words


def setup_highlighting(app: Sphinx) -> None:
    """Let Sphinx use it, and know the lexers of notebooks."""
    PygmentsBridge.html_formatter = LeanFormatter
    for lexer in LEXERS:
        for name in lexer.aliases:
            app.add_lexer(name, lexer)
    # What it makes of its patterns is made once, before there are other processes.
    IPython3Lexer()
