"""Addresses of our own pages: others than the usual ones where upstream has a page of that name.

The theme asks for a page called ``search``, and Sphinx lists pages called ``search`` or
``genindex`` as its own. Here the first leads to ours, and the second to upstream's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.std import StandardDomain
from sphinx.environment import BuildEnvironment

from pipeline.site.names import SEARCH


def setup(app: Sphinx) -> None:
    """Connect what templates are told, after those who need the way to upstream's pages."""
    app.connect("html-page-context", give_addresses, priority=600)
    app.connect("env-before-read-docs", list_upstreams)


def give_addresses(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    document: nodes.document | None,
) -> None:
    """Give templates ``jz_own``, and let the theme's search lead to our page of results."""
    own = app.config.jz_site["own_pages"]
    context["jz_own"] = own
    context["pathto"] = partial(_path_to, context["pathto"], own[SEARCH])


def _path_to(pathto: Any, search: str, name: str, *args: Any, **options: Any) -> str:
    """Return the way to a page; the theme's ``search`` is ours."""
    path: str = pathto(search if name == SEARCH else name, *args, **options)
    return path


def list_upstreams(app: Sphinx, env: BuildEnvironment, pages: Sequence[str]) -> None:
    """Let contents list upstream's pages that have names of Sphinx's own pages."""
    for page in env.found_docs & StandardDomain._virtual_doc_names.keys():
        del StandardDomain._virtual_doc_names[page]
