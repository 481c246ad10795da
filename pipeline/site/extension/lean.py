"""What would be loaded or done for nothing, before Sphinx loads its extensions: left out.

A site of one changed page is for the most part what Sphinx needs to begin.
"""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from docutils import nodes, utils
from sphinx.application import Sphinx

# How MyST-NB runs code, which it never does here; what it would do it with takes long to load, a
# data base and the clients of kernels among it.
_CLIENTS = {
    "myst_nb.core.execute.cache": "NotebookClientCache",
    "myst_nb.core.execute.direct": "NotebookClientDirect",
    "myst_nb.core.execute.inline": "NotebookClientInline",
}
# What asks every node of a page, by a call for each, whether it is a component of some kind.
_OF_COMPONENTS = ("sphinx_design.aside", "sphinx_design.dropdown", "sphinx_design.tabs")


def setup(app: Sphinx) -> None:
    """Leave out what Sphinx and its extensions would do to every page to no end."""
    # No process that reads or writes pages looks for garbage in what was there before it.
    for event in ("env-before-read-docs", "env-check-consistency"):
        app.connect(event, _keep_all)
    _describe_no_page()
    # Pages have none of docutils' own style sheets, which would be looked for again for each page.
    utils.get_stylesheet_list = lambda settings: []
    # Of each event there is: what it is called with is written down, and thrown away.
    logging.getLogger("sphinx.sphinx.events").setLevel(logging.INFO)
    for transform in app.registry.post_transforms:
        if transform.__module__ in _OF_COMPONENTS:
            _run_where_needed(transform)


def _describe_no_page() -> None:
    """Let the theme make no description of a page: nothing shows it; ours is in ``about``."""
    theme: Any = import_module("sphinx_book_theme")
    known = theme.add_metadata_to_page

    def add_metadata(
        app: Sphinx, page: str, template: str, context: dict[str, Any], document: Any
    ) -> None:
        """As the theme does, for a page that has no document to describe."""
        known(app, page, template, context, None)

    theme.add_metadata_to_page = add_metadata


def _run_where_needed(transform: Any) -> None:
    """Let a transform of components look only through pages that have some."""
    run = transform.run

    def run_if_any(self: Any, **options: Any) -> None:
        page = vars(self.document)
        if "jz_has_components" not in page:
            containers = self.document.findall(nodes.container)
            page["jz_has_components"] = any(map(_is_component, containers))
        if page["jz_has_components"]:
            run(self, **options)

    transform.run = run_if_any


def _is_component(node: nodes.Element) -> bool:
    """Whether sphinx-design has made a node."""
    return "design_component" in node


def _keep_all(*_: Any) -> None:
    """Look no more for what is dead among all that there is."""
    gc.freeze()


def leave_out(*, beside_others: bool) -> None:
    """Load MyST-NB without what it does not need here.

    Extensions of the docs, if there are any ``beside_others``, find all that they need.
    """
    # Doctrees live till they are written: to look for what died among them costs a tenth of a
    # build. Some hundred pages end before that; of thousands memory stays bounded.
    gc.set_threshold(5_000_000, 10, 1000)
    for name, client in _CLIENTS.items():
        sys.modules.setdefault(name, _stand_in(name, **{client: None}))
    # CSS selectors of the parser of HTML, what fetches, and the stemmers of Sphinx's own search.
    for name in ("soupsieve", "sphinx.util.requests", "snowballstemmer"):
        _load_when_used(name)
    _load_theme_without_requests()
    if not beside_others:
        _load_without_proofs()
        # A builder that follows links.
        linkcheck = "sphinx.builders.linkcheck"
        sys.modules.setdefault(linkcheck, _stand_in(linkcheck, setup=_set_up_nothing))
    # MyST-NB makes cells of text, of no kinds but those that there are.
    cells: Any = import_module("nbformat.v4.nbbase")
    cells.validate = _trust
    # The settings of documents are equal, and made for each as if it were a command line.
    markdown: Any = import_module("myst_parser.mdit_to_docutils.base")
    settings = cache(markdown.get_default_settings)
    markdown.get_default_settings = lambda *parts: copy(settings(*parts))
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


def _set_up_nothing(_: Sphinx) -> dict[str, bool]:
    """In the place of an extension: it hinders no processes beside each other."""
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _load_theme_without_requests() -> None:
    """Load the theme, which would fetch a list of versions if there were one to choose from."""
    _load_when_used("requests")
    errors = ("ConnectionError", "HTTPError", "RetryError")
    stand_in = _stand_in("requests.exceptions", **dict.fromkeys(errors, OSError))
    with _in_place_of(stand_in):
        import_module("pydata_sphinx_theme")


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
    """There is none: pages are not run."""


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
    """A module with some values."""
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
