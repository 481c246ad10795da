"""Makers of notebooks for tests, as JSON values and as text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

Cell = dict[str, Any]


def code(source: str | list[str], *tags: str, outputs: Sequence[Cell] = ()) -> Cell:
    """Return a code cell with ``tags``. Without ``outputs``, the cell has not run."""
    return {
        "cell_type": "code",
        "source": source,
        "metadata": {"tags": list(tags)},
        "outputs": list(outputs),
        "execution_count": 1 if outputs else None,
    }


def prose(source: str | list[str], **fields: Any) -> Cell:
    """Return a Markdown cell. ``fields`` are further fields, such as ``attachments``."""
    return {"cell_type": "markdown", "source": source, "metadata": {}, **fields}


def display(data: dict[str, Any], **metadata: Any) -> Cell:
    """Return an output that shows ``data``, given by media type."""
    return {"output_type": "display_data", "data": data, "metadata": metadata}


def notebook_value(*cells: Cell, minor: int = 4, **metadata: Any) -> dict[str, Any]:
    """Return a notebook with ``cells`` and ``metadata``, as ``json.loads`` would."""
    return {
        "cells": list(cells),
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": minor,
    }


def notebook(*cells: Cell, title: str = "# Title", **metadata: Any) -> str:
    """Return the text of a notebook: a Markdown cell with the ``title``, then ``cells``."""
    return json.dumps(notebook_value(prose(title), *cells, **metadata))
