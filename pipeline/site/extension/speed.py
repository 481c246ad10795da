"""Speed-ups and smaller pages that rely on undocumented parts of libraries. All of them are here.

Building a site with one changed page mostly waits for Sphinx to start. Each part states the version
that it was made for and its gain on JAX's docs. ``tests/site/test_site_speed.py`` fails if a
library has changed. A part that saves less than a tenth of a wait, or of a page, does not belong
here.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from docutils import nodes
from pygments.formatters import HtmlFormatter
from pygments.token import Name, Punctuation, Text, Whitespace
from sphinx.application import Sphinx
from sphinx.builders.html import _assets
from sphinx.highlighting import PygmentsBridge

# MyST-NB's clients for running code. They are never used here and import much: a database and the
# kernel clients.
CLIENTS = {
    "myst_nb.core.execute.cache": "NotebookClientCache",
    "myst_nb.core.execute.direct": "NotebookClientDirect",
    "myst_nb.core.execute.inline": "NotebookClientInline",
}
# Tokens that have the colour of plain text in both styles of the theme.
PLAIN = frozenset((Name, Name.Namespace, Punctuation, Whitespace))


def setup(app: Sphinx) -> None:
    """Install the formatter and the lexers, and keep old objects from garbage collection."""
    # Imported late: ``skip_unused_imports`` must have replaced their dependencies first.
    from ipython_pygments_lexers import IPython3Lexer, IPythonTracebackLexer
    from myst_nb.core.lexers import AnsiColorLexer

    # Worker processes need not collect objects that existed before them.
    for event in ("env-before-read-docs", "env-check-consistency"):
        app.connect(event, _freeze_objects)
    PygmentsBridge.html_formatter = LeanFormatter
    _find_nodes_faster()
    # Every page looks up the digests of the same twenty files.
    assets: Any = import_module("sphinx.builders.html")
    assets._file_checksum = cache(_assets._file_checksum)
    # Otherwise Pygments would search all packages for these names, in each process.
    for lexer in (IPython3Lexer, IPythonTracebackLexer, AnsiColorLexer):
        for name in lexer.aliases:
            app.add_lexer(name, lexer)
    # Builds the lexer's tables once, before the process forks.
    IPython3Lexer()


class LeanFormatter(HtmlFormatter[str]):
    """Pygments' HTML formatter that writes ``PLAIN`` tokens as text.

    Made for Pygments 2.21. It saves 24 % of the bytes of a notebook page.
    """

    def format(self, tokensource: Iterable[tuple[Any, str]], outfile: Any) -> None:
        """Write the tokens to ``outfile``."""
        super().format(_without_plain(tokensource), outfile)


def _without_plain(tokens: Iterable[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
    """Yield the tokens, with those of ``PLAIN`` turned into text."""
    for kind, words in tokens:
        # Text tokens get no element in HTML.
        yield (Text if kind in PLAIN else kind), words


def _find_nodes_faster() -> None:
    """Replace docutils' search for nodes of a class. Sphinx searches each page about sixty times.

    Made for docutils 0.21, which descends with a generator for each node: 16 % of a whole build.
    This loop takes half of the time. Other searches (by condition, for siblings) stay docutils'.
    """
    slow: Any = nodes.Node.findall

    def findall(
        self: nodes.Node,
        condition: Any = None,
        include_self: bool = True,
        descend: bool = True,
        siblings: bool = False,
        ascend: bool = False,
    ) -> Iterator[nodes.Node]:
        is_usual = include_self and descend and not siblings and not ascend
        if is_usual and (condition is None or isinstance(condition, type)):
            return _nodes_of(self, condition or nodes.Node)
        found: Iterator[nodes.Node] = slow(
            self, condition, include_self, descend, siblings, ascend
        )
        return found

    # Only once: tests set up several sites in one process.
    if slow.__name__ == findall.__name__ and slow.__module__ != __name__:
        nodes.Node.findall = findall  # type: ignore[assignment, method-assign]


def _nodes_of(root: nodes.Node, kind: type) -> Iterator[nodes.Node]:
    """Yield the nodes of a class in the order of the document."""
    pending: list[nodes.Node] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, kind):
            yield node
        pending += node.children[::-1]


def _freeze_objects(*_: Any) -> None:
    """Exempt all existing objects from garbage collection."""
    gc.freeze()


def skip_unused_imports(*, beside_others: bool) -> None:
    """Load MyST-NB without parts that it does not need here. Saves 0.4 s of a rebuild of 2.6 s.

    Made for MyST-NB 1.4, nbformat 5.10 and Sphinx 8.2. With ``beside_others`` the docs have
    extensions of their own, which may need the validators of notebooks, so those stay.
    """
    # Doctrees live until they are written, so collecting garbage among them saves nothing: 0.4 s of
    # 2.6 s. A build of some hundred pages never reaches the threshold; larger builds stay bounded.
    gc.set_threshold(5_000_000, 10, 1000)
    for name, client in CLIENTS.items():
        sys.modules.setdefault(name, _stand_in(name, **{client: None}))
    # CSS selectors of the HTML parser, network requests, and stemmers of Sphinx's own search.
    for name in ("soupsieve", "sphinx.util.requests", "snowballstemmer"):
        _load_when_used(name)
    if not beside_others:
        _load_without_proofs()
    # MyST-NB creates only valid cells from text pages.
    cells: Any = import_module("nbformat.v4.nbbase")
    cells.validate = _accept_unvalidated
    lexers: Any = import_module("ipython_pygments_lexers")
    stand_ins = (
        _stand_in("IPython", get_ipython=_no_shell),
        _stand_in("IPython.display", display=None),
        _stand_in("IPython.lib"),
        # IPython exports the same class here.
        _stand_in(
            "IPython.lib.lexers", IPythonTracebackLexer=lexers.IPythonTracebackLexer
        ),
    )
    with _in_place_of(*stand_ins):
        import_module("myst_nb.ext.glue")
        import_module("myst_nb.core.lexers")


def _load_without_proofs() -> None:
    """Load nbformat without its validators. Loading them takes longer than reading a notebook.

    All notebooks here were written by merge or execute.
    """
    stand_ins = (
        _stand_in("fastjsonschema", JsonSchemaException=ValueError),
        _stand_in("jsonschema", Draft4Validator=None),
        _stand_in("jsonschema.exceptions", ErrorTree=None, ValidationError=ValueError),
    )
    with _in_place_of(*stand_ins):
        notebooks: Any = import_module("nbformat")
    notebooks.validate = _accept_unvalidated


def _accept_unvalidated(node: Any, ref: str | None = None) -> None:
    """Accept a notebook, or a part of one, without validation."""


def _no_shell() -> None:
    """Return None: there is no IPython shell, because pages are not run."""


def _load_when_used(name: str) -> None:
    """Defer loading a module until one of its attributes is read."""
    later = _stand_in(name)

    def attribute(wanted: str) -> Any:
        if sys.modules.get(name) is later:
            del sys.modules[name]
        return getattr(import_module(name), wanted)

    vars(later)["__getattr__"] = attribute
    sys.modules.setdefault(name, later)


def _stand_in(name: str, **values: Any) -> ModuleType:
    """Return a new module with the given attributes."""
    module = ModuleType(name)
    vars(module).update(values)
    return module


@contextmanager
def _in_place_of(*modules: ModuleType) -> Iterator[None]:
    """Provide stand-ins for modules that are not loaded yet; remove them at the end."""
    added = [module for module in modules if module.__name__ not in sys.modules]
    sys.modules.update((module.__name__, module) for module in added)
    try:
        yield
    finally:
        for module in added:
            del sys.modules[module.__name__]
