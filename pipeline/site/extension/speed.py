"""Speed and weight from what other libraries do not promise to keep: all of it is here.

A site of one changed page is for the most part what Sphinx needs to begin. Each part says what it
was made for and what it saves on the docs of JAX; ``tests/site/test_site_lean.py`` fails when a
library has changed. What saves less than a tenth of a wait or of a page has no place here.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from pygments.formatters import HtmlFormatter
from pygments.token import Name, Punctuation, Text, Whitespace
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

# How MyST-NB runs code, which it never does here; what it would do it with takes long to load, a
# data base and the clients of kernels among it.
CLIENTS = {
    "myst_nb.core.execute.cache": "NotebookClientCache",
    "myst_nb.core.execute.direct": "NotebookClientDirect",
    "myst_nb.core.execute.inline": "NotebookClientInline",
}
# Of the colour of all text, in both styles of the theme.
PLAIN = frozenset((Name, Name.Namespace, Punctuation, Whitespace))


def setup(app: Sphinx) -> None:
    """Colour code without marks on plain words; look for no garbage in what stays."""
    # Loaded when what they would load is left out.
    from ipython_pygments_lexers import IPython3Lexer, IPythonTracebackLexer
    from myst_nb.core.lexers import AnsiColorLexer

    # No process that reads or writes pages looks for garbage in what was there before it.
    for event in ("env-before-read-docs", "env-check-consistency"):
        app.connect(event, _keep_all)
    PygmentsBridge.html_formatter = LeanFormatter
    # By their names Pygments would look for them in all packages, in each process.
    for lexer in (IPython3Lexer, IPythonTracebackLexer, AnsiColorLexer):
        for name in lexer.aliases:
            app.add_lexer(name, lexer)
    # What it makes of its patterns is made once, before there are other processes.
    IPython3Lexer()


class LeanFormatter(HtmlFormatter[str]):
    """Pygments' own, for which ``PLAIN`` is mere text.

    Made for Pygments 2.21. It saves 24 % of the bytes of a page that is a notebook.
    """

    def format(self, tokensource: Iterable[tuple[Any, str]], outfile: Any) -> None:
        """Write the tokens to the file."""
        super().format(_without_plain(tokensource), outfile)


def _without_plain(tokens: Iterable[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
    """Yield tokens; those that look like all text have the kind of text."""
    for kind, words in tokens:
        # Text has no mark in HTML.
        yield (Text if kind in PLAIN else kind), words


def _keep_all(*_: Any) -> None:
    """Look no more for what is dead among all that there is."""
    gc.freeze()


def leave_out(*, beside_others: bool) -> None:
    """Load MyST-NB without what it does not need here: 0.4 s of the 2.6 s from a word to the site.

    Made for MyST-NB 1.4, nbformat 5.10 and Sphinx 8.2. Extensions of the docs, if there are any
    ``beside_others``, find all that they need.
    """
    # Doctrees live till they are written, and to look for what died among them saves nothing: 0.4 s
    # of 2.6 s. Some hundred pages end before that; of thousands memory stays bounded.
    gc.set_threshold(5_000_000, 10, 1000)
    for name, client in CLIENTS.items():
        sys.modules.setdefault(name, _stand_in(name, **{client: None}))
    # CSS selectors of the parser of HTML, what fetches, and the stemmers of Sphinx's own search.
    for name in ("soupsieve", "sphinx.util.requests", "snowballstemmer"):
        _load_when_used(name)
    if not beside_others:
        _load_without_proofs()
    # MyST-NB makes cells of text, of no kinds but those that there are.
    cells: Any = import_module("nbformat.v4.nbbase")
    cells.validate = _trust
    lexers: Any = import_module("ipython_pygments_lexers")
    stand_ins = (
        _stand_in("IPython", get_ipython=_no_shell),
        _stand_in("IPython.display", display=None),
        _stand_in("IPython.lib"),
        # From there IPython has it, too.
        _stand_in(
            "IPython.lib.lexers", IPythonTracebackLexer=lexers.IPythonTracebackLexer
        ),
    )
    with _in_place_of(*stand_ins):
        import_module("myst_nb.ext.glue")
        import_module("myst_nb.core.lexers")


def _load_without_proofs() -> None:
    """Load what reads notebooks, without what proves them: that takes longer than to read one.

    Here all of them are of merge or execute.
    """
    stand_ins = (
        _stand_in("fastjsonschema", JsonSchemaException=ValueError),
        _stand_in("jsonschema", Draft4Validator=None),
        _stand_in("jsonschema.exceptions", ErrorTree=None, ValidationError=ValueError),
    )
    with _in_place_of(*stand_ins):
        notebooks: Any = import_module("nbformat")
    notebooks.validate = _trust


def _trust(node: Any, ref: str | None = None) -> None:
    """Find nothing wrong with a notebook, or a part of one."""


def _no_shell() -> None:
    """Return no shell: pages are not run."""


def _load_when_used(name: str) -> None:
    """Load a module when something of it is asked for."""
    later = _stand_in(name)

    def attribute(wanted: str) -> Any:
        if sys.modules.get(name) is later:
            del sys.modules[name]
        return getattr(import_module(name), wanted)

    vars(later)["__getattr__"] = attribute
    sys.modules.setdefault(name, later)


def _stand_in(name: str, **values: Any) -> ModuleType:
    """Return a module with some values."""
    module = ModuleType(name)
    vars(module).update(values)
    return module


@contextmanager
def _in_place_of(*modules: ModuleType) -> Iterator[None]:
    """Let imports find these modules, but those that are loaded already, for a while."""
    added = [module for module in modules if module.__name__ not in sys.modules]
    sys.modules.update((module.__name__, module) for module in added)
    try:
        yield
    finally:
        for module in added:
            del sys.modules[module.__name__]
