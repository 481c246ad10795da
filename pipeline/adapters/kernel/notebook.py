"""Notebooks as values: read from MyST, written as nbformat writes them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from pipeline.errors import InputError

# What jupytext serves notebooks to Jupyter with: loading it takes as long as all the rest. Python
# calls a module that is None missing, and jupytext goes without.
_FOR_SERVERS = ("jupytext.sync_contentsmanager", "jupytext.async_contentsmanager")


def notebook_from_myst(text: str) -> dict[str, Any]:
    """Convert a MyST notebook to the plain value of a notebook. Raises ValueError."""
    jupytext = _jupytext()
    try:
        notebook = jupytext.reads(text, fmt="md:myst")
    except Exception as error:  # jupytext raises whatever its parsers raise
        raise ValueError(str(error).split("\n")[0] or type(error).__name__) from error
    for cell in notebook.cells:
        cell.pop("id", None)  # random
    return dict(notebook)


def _jupytext() -> Any:
    """jupytext, without what it has for servers."""
    modules: dict[str, Any] = sys.modules
    for name in _FOR_SERVERS:
        modules.setdefault(name, None)
    import jupytext

    return jupytext


def notebook_text(notebook: Mapping[str, Any]) -> str:
    """Return a notebook as nbformat writes it. The same value gives the same text.

    Raises InputError for a notebook that nbformat cannot write: it looks at no types before.
    """
    import nbformat
    from nbformat.v4 import nbjson

    try:
        text: str = nbjson.writes(nbformat.from_dict(dict(notebook)))  # type: ignore[no-untyped-call]
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise InputError(
            f"nbformat cannot write the notebook ({type(error).__name__}: {error})",
            hint="Open it in Jupyter and save it, or take it from upstream again.",
        ) from error
    return text + "\n"
