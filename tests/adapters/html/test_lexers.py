"""The lexer of notebooks where IPython, which has the one that most of them name, is not there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pipeline.adapters.html import notebook as adapter
from pipeline.adapters.html.images import PageFolder

CELL: dict[str, object] = {
    "cell_type": "code",
    "id": "a",
    "metadata": {},
    "source": "import jax",
    "outputs": [],
    "execution_count": None,
}


@pytest.mark.parametrize(
    "language",
    [
        {},
        {"name": "ipython3"},
        {"name": "python", "pygments_lexer": "ipython2"},
        {"name": "python", "pygments_lexer": "ipython3"},
    ],
    ids=str,
)
def test_nothing_is_warned_of_where_ipython_is_missing(
    language: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Both as in the environment of ``nox -s serve``: warnings are errors here.
    monkeypatch.setitem(sys.modules, "IPython.lib.lexers", None)
    monkeypatch.setattr(adapter, "_has_ipython", lambda: False)
    notebook = {
        "cells": [CELL],
        "metadata": {"language_info": language},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    folder = PageFolder.of(tmp_path, "page")
    html = adapter.notebook_html(notebook, folder=folder).html
    assert '<span class="kn">import</span>' in html
