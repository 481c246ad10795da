"""Notebooks whose parts have other types than the format demands: with real kernels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kernel_project import Project

from pipeline.adapters.kernel.notebook import notebook_text
from pipeline.core.execution.result import Status
from pipeline.errors import InputError

pytestmark = pytest.mark.kernel


def notebook(**fields: Any) -> dict[str, Any]:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "# Title"},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": "print(6 * 7)"},
    ]
    return {
        "cells": cells,
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 4,
        **fields,
    }


def with_code(**fields: Any) -> dict[str, Any]:
    """A notebook whose code cell has other parts."""
    odd = notebook()
    odd["cells"][1].update(fields)
    return odd


ODD = {
    "metadata": notebook(metadata="a"),
    "kernelspec": notebook(metadata={"kernelspec": "a", "language_info": 5}),
    "minor": notebook(nbformat_minor="a"),
    "cell-metadata": with_code(metadata="a"),
    "outputs": with_code(outputs="a"),
    "data": with_code(outputs=[{"output_type": "display_data", "data": "a"}]),
}


@pytest.mark.slow
def test_odd_parts_of_a_notebook_keep_no_page_from_running(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for name, value in ODD.items():
        project.add(f"{name}.ipynb", json.dumps(value))
    executed = project.run()
    assert {run.page: run.status for run in executed.executions} == dict.fromkeys(
        ODD, Status.PASSED
    )


def test_a_notebook_that_cannot_be_written_is_an_error() -> None:
    odd = notebook()
    odd["cells"][0]["attachments"] = {"a.png": "b"}
    with pytest.raises(InputError, match="nbformat cannot write the notebook"):
        notebook_text(odd)
