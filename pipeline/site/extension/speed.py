"""Speed-ups and smaller pages that rely on undocumented parts of libraries.

When one page has changed, most of the build time is the start of Sphinx. The docstring of each part
names the versions of the libraries and the gain for JAX's docs. ``tests/site/test_site_speed.py``
fails if a new version of a library breaks a part. A part belongs here only if it saves a tenth of
the waiting time, or a tenth of a page's bytes.
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

# MyST-NB's clients for running code. The site build runs no code, and these modules import much: a
# database and the kernel clients.
CLIENTS = {
    "myst_nb.core.execute.cache": "NotebookClientCache",
    "myst_nb.core.execute.direct": "NotebookClientDirect",
    "myst_nb.core.execute.inline": "NotebookClientInline",
}
# Tokens that have the colour of plain text in both colour schemes of the theme.
PLAIN = frozenset((Name, Name.Namespace, Punctuation, Whitespace))


def setup(app: Sphinx) -> None:
    """Install the formatter, the lexers and the faster search, and limit garbage collection."""
    # Import these modules here: ``skip_unused_imports`` must replace their dependencies first.
    from ipython_pygments_lexers import IPython3Lexer, IPythonTracebackLexer
    from myst_nb.core.lexers import AnsiColorLexer

    # In worker processes, garbage collection need not examine objects that existed before the fork.
    for event in ("env-before-read-docs", "env-check-consistency"):
        app.connect(event, lambda *_: gc.freeze())
    PygmentsBridge.html_formatter = LeanFormatter
    _find_nodes_faster()
    # Sphinx computes the digests of the same twenty files for every page.
    assets: Any = import_module("sphinx.builders.html")
    assets._file_checksum = cache(_assets._file_checksum)
    # Otherwise Pygments would search all packages for these names, in each process.
    for lexer in (IPython3Lexer, IPythonTracebackLexer, AnsiColorLexer):
        for name in lexer.aliases:
            app.add_lexer(name, lexer)
    # Make the lexer build its tables now, before the process forks.
    IPython3Lexer()


class LeanFormatter(HtmlFormatter[str]):
    """Pygments' HTML formatter, but tokens of ``PLAIN`` get no ``<span>``.

    Made for Pygments 2.21. It saves 24 % of the bytes of a notebook page.
    """

    def format(self, tokensource: Iterable[tuple[Any, str]], outfile: Any) -> None:
        """Write the tokens to ``outfile``."""
        super().format(_without_plain(tokensource), outfile)


def _without_plain(tokens: Iterable[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
    """Yield the tokens, with the kinds of ``PLAIN`` replaced by ``Text``."""
    for kind, words in tokens:
        # Pygments writes ``Text`` without an element.
        yield (Text if kind in PLAIN else kind), words


def _find_nodes_faster() -> None:
    """Replace docutils' ``findall`` for nodes below a node. Sphinx searches each page sixty times.

    Made for docutils 0.21. It creates a generator for each node, which takes 16 % of the time of a
    whole build. Our loop takes half as long. docutils still does all other searches, such as those
    among siblings.
    """
    slow: Any = nodes.Node.findall

    def findall(self: nodes.Node, condition: Any = None, *args: Any, **options: Any) -> Any:
        if args or options:
            return slow(self, condition, *args, **options)
        if condition is None or isinstance(condition, type):
            return _nodes_of(self, condition or nodes.Node)
        return filter(condition, _nodes_of(self, nodes.Node))

    # Replace the method only once: tests set up several sites in one process.
    if slow.__name__ == findall.__name__ and slow.__module__ != __name__:
        nodes.Node.findall = findall  # type: ignore[method-assign]


def _nodes_of(root: nodes.Node, kind: type) -> Iterator[nodes.Node]:
    """Yield the nodes of a class in the order of the document."""
    pending: list[nodes.Node] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, kind):
            yield node
        pending += node.children[::-1]


def skip_unused_imports(*, beside_others: bool) -> None:
    """Load MyST-NB without parts that the site build does not need.

    Made for MyST-NB 1.4, nbformat 5.10 and Sphinx 8.2. It saves 0.4 s of a rebuild of 2.6 s.
    ``beside_others`` means that the docs have extensions of their own. Such extensions may need
    nbformat's validators, so these are loaded.
    """
    # Raise the threshold of garbage collection, which saves another 0.4 s. Doctrees are needed
    # until they are written, so a collection would free little memory. Only a build of many hundred
    # pages reaches this threshold.
    gc.set_threshold(5_000_000, 10, 1000)
    for name, client in CLIENTS.items():
        sys.modules.setdefault(name, _stand_in(name, **{client: None}))
    # Modules for CSS selectors, network requests, and the stemmers of Sphinx's own search.
    for name in ("soupsieve", "sphinx.util.requests", "snowballstemmer"):
        _load_when_used(name)
    if not beside_others:
        _load_without_proofs()
    # MyST-NB validates each cell that it creates from a text page, but these cells are always
    # valid.
    cells: Any = import_module("nbformat.v4.nbbase")
    cells.validate = _accept_unvalidated
    lexers: Any = import_module("ipython_pygments_lexers")
    stand_ins = (
        # The site build runs no IPython shell.
        _stand_in("IPython", get_ipython=lambda: None),
        _stand_in("IPython.display", display=None),
        _stand_in("IPython.lib"),
        # IPython, too, only exports the class of ``ipython_pygments_lexers`` here.
        _stand_in("IPython.lib.lexers", IPythonTracebackLexer=lexers.IPythonTracebackLexer),
    )
    with _in_place_of(*stand_ins):
        import_module("myst_nb.ext.glue")
        import_module("myst_nb.core.lexers")


def _load_without_proofs() -> None:
    """Load nbformat without its validators, which take longer to load than a notebook.

    Notebooks need no validation, because the stages ``merge`` and ``execute`` have written them.
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
    """Do nothing, in place of nbformat's ``validate``."""


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
