"""Notebooks as values: read from MyST, written as nbformat writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def notebook_from_myst(text: str) -> dict[str, Any]:
    """Convert a MyST notebook to the plain value of a notebook. Raises ValueError."""
    import jupytext

    try:
        notebook = jupytext.reads(text, fmt="md:myst")
    except Exception as error:  # jupytext raises whatever its parsers raise
        raise ValueError(str(error).split("\n")[0] or type(error).__name__) from error
    for cell in notebook.cells:
        cell.pop("id", None)  # random
    return dict(notebook)


def notebook_text(notebook: Mapping[str, Any]) -> str:
    """A notebook as nbformat writes it. The same value gives the same text."""
    import nbformat
    from nbformat.v4 import nbjson

    text: str = nbjson.writes(nbformat.from_dict(dict(notebook)))  # type: ignore[no-untyped-call]
    return text + "\n"
