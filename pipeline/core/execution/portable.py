"""Outputs that are alike wherever they were made: names of files without the folders of one machine and the number of one process."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_FOLDER = r"(?:/[\w.+@~-]+)*"
_PLACES = (
    (
        re.compile(rf"{_FOLDER}/nb-\w{{8}}/p-\w{{8}}(?=/)"),
        "",
    ),  # the scratch folder of a run: its "/tmp" is the kernel's
    (re.compile(r"(?<=/ipykernel)_\d+(?=/)"), ""),
    (re.compile(rf"{_FOLDER}/(?:site|dist)-packages(?=/)"), "site-packages"),
    (re.compile(rf"{_FOLDER}/lib/(python3\.\d+)(?=/)"), r"lib/\1"),
    (re.compile(rf"{_FOLDER}/(pipeline/adapters/kernel/\w+\.py)\b"), r"\1"),
)


def portable_outputs(outputs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Outputs of a cell, as nbformat has them; only what is text changes."""
    return [_output(output) for output in outputs]


def _output(output: Mapping[str, Any]) -> dict[str, Any]:
    found = {
        key: portable(value) if key in ("text", "traceback", "evalue") else value
        for key, value in output.items()
    }
    if "data" in output:
        found["data"] = {
            kind: portable(data) if kind.startswith("text/") else data
            for kind, data in output["data"].items()
        }
    return found


def portable(text: Any) -> Any:
    """A text, or the lines of one; whatever else it is stays."""
    if isinstance(text, list):
        return [portable(line) for line in text]
    if isinstance(text, str) and "/" in text:
        for place, instead in _PLACES:
            text = place.sub(instead, text)
    return text
