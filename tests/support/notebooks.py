"""Notebooks for tests, as JSON values and as text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

Cell = dict[str, Any]


def code(source: str | list[str], *tags: str, outputs: Sequence[Cell] = ()) -> Cell:
    """A code cell with ``tags``, as one that has not run unless it has ``outputs``."""
    return {
        "cell_type": "code",
        "source": source,
        "metadata": {"tags": list(tags)},
        "outputs": list(outputs),
        "execution_count": 1 if outputs else None,
    }


def prose(source: str | list[str], **fields: Any) -> Cell:
    """A Markdown cell, with more ``fields`` if it needs them (``attachments``)."""
    return {"cell_type": "markdown", "source": source, "metadata": {}, **fields}


def notebook_value(*cells: Cell, minor: int = 4, **metadata: Any) -> dict[str, Any]:
    """A notebook of ``cells`` with ``metadata``, as ``json.loads`` would give it."""
    return {
        "cells": list(cells),
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": minor,
    }


def notebook(*cells: Cell, title: str = "# Title", **metadata: Any) -> str:
    """The text of a notebook: a cell of prose with its ``title``, then ``cells``."""
    return json.dumps(notebook_value(prose(title), *cells, **metadata))
