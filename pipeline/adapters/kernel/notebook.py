"""Conversion of notebooks: parsed from MyST, formatted by nbformat."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from pipeline.errors import InputError

# Modules of jupytext that only a Jupyter server needs. Importing these two takes as long as
# importing the rest of jupytext. If they are None in sys.modules, Python does not import them but
# reports them as missing, and jupytext works without them.
_FOR_SERVERS = ("jupytext.sync_contentsmanager", "jupytext.async_contentsmanager")


def notebook_from_myst(text: str) -> dict[str, Any]:
    """Parse a notebook in MyST; return a dictionary in nbformat's form. Raises ValueError."""
    jupytext = _jupytext()
    try:
        notebook = jupytext.reads(text, fmt="md:myst")
    except Exception as error:  # jupytext raises whatever its parsers raise
        raise ValueError(str(error).split("\n")[0] or type(error).__name__) from error
    for cell in notebook.cells:
        cell.pop("id", None)  # random
    return dict(notebook)


def _jupytext() -> Any:
    """Return jupytext, imported without its modules for servers."""
    modules: dict[str, Any] = sys.modules
    for name in _FOR_SERVERS:
        modules.setdefault(name, None)
    import jupytext

    return jupytext


def notebook_text(notebook: Mapping[str, Any]) -> str:
    """Return a notebook as text in nbformat's format; equal values give equal text.

    The notebook is not validated here. Raises InputError if nbformat cannot write it.
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
