"""Code in colours, without marks on what has none.

Half of the marks that Pygments makes say nothing but the colour of all text. To colour the code of
a site takes a tenth of the time that building it takes; code seldom changes, and is the same in
every locale. So it is kept, page by page, beside what else all sites of an upstream share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from ipython_pygments_lexers import IPython3Lexer, IPythonTracebackLexer
from myst_nb.core.lexers import AnsiColorLexer
from pygments.formatters import HtmlFormatter
from pygments.token import Name, Punctuation, Text, Whitespace
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config
from sphinx.highlighting import PygmentsBridge

from pipeline.adapters import files
from pipeline.adapters.memo import Memo, digest_of, versions_of
from pipeline.adapters.sphinx import PACKAGES

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


class KeepingHighlighter(PygmentsBridge):
    """Sphinx's own, which knows the code of a page as it was coloured for an earlier build."""

    def __init__(self, highlighter: PygmentsBridge) -> None:
        """Colour what is not known as ``highlighter`` does."""
        vars(self).update(vars(highlighter))
        # What decides how code looks, besides the code.
        code, style = Path(__file__).read_bytes(), repr(self.formatter_args)
        self._rules = digest_of(code, style, *versions_of(PACKAGES))
        # Of the page that is being written: what is known, and what it shows, by digest.
        self._known: Memo[str] | None = None
        self._shown: set[str] = set()

    @contextmanager
    def for_page(self, file: Path) -> Iterator[None]:
        """Know the code in ``file`` while a page is written, then let it hold the page's.

        Raises WriteError.
        """
        self._known, self._shown = Memo(file, str), set()
        yield
        self._known.keep_only(self._shown)
        self._known.save()
        self._known = None

    def highlight_block(
        self, source: str, lang: str, *arguments: Any, **options: Any
    ) -> str:
        """The HTML of a piece of code."""
        # Where it stands has no part in how it looks.
        asked = {name: options[name] for name in options if name != "location"}
        subject = digest_of(source, lang, repr(arguments), repr(sorted(asked.items())))
        self._shown.add(subject)
        html = self._known.recall(subject, self._rules) if self._known else None
        if html is None:
            html = super().highlight_block(source, lang, *arguments, **options)
            if self._known and self._known.can_hold(html):
                self._known.keep(subject, self._rules, html)
        return html


class ColouringHTMLBuilder(StandaloneHTMLBuilder):
    """Sphinx's, but the code of pages is kept as it was coloured."""

    def init_highlighter(self) -> None:
        """As Sphinx does."""
        super().init_highlighter()
        # Extensions of the docs may colour code in ways of their own, which change unseen.
        if not self.config.jz_site["extensions"]:
            self.highlighter = KeepingHighlighter(self.highlighter)

    def write_doc(self, docname: str, doctree: nodes.document) -> None:
        """As Sphinx does."""
        if not isinstance(self.highlighter, KeepingHighlighter):
            super().write_doc(docname, doctree)
            return
        file = _folder(self.config) / f"{docname}.json"
        with self.highlighter.for_page(file):
            super().write_doc(docname, doctree)


def _folder(config: Config) -> Path:
    """Where the code of pages is kept."""
    return Path(config.jz_site["cache"], "coloured")


def _forget_gone(app: Sphinx, problem: Exception | None) -> None:
    """Remove what is kept of pages that the docs have no more."""
    if problem is None:
        folder = _folder(app.config)
        wanted = {folder / f"{page}.json" for page in app.env.found_docs}
        found = folder.rglob("*.json")
        files.remove_files([path for path in found if path not in wanted])


def setup_highlighting(app: Sphinx) -> None:
    """Let Sphinx use it, and know the lexers of notebooks."""
    app.connect("build-finished", _forget_gone)
    PygmentsBridge.html_formatter = LeanFormatter
    for lexer in LEXERS:
        for name in lexer.aliases:
            app.add_lexer(name, lexer)
    # What it makes of its patterns is made once, before there are other processes.
    IPython3Lexer()
