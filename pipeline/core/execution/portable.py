"""Outputs that are alike wherever they were made.

Names of files lose the folders of one machine and the number of one process. Only texts change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_FOLDER = r"(?:/[\w.+@~-]+)*"
# What stands in an output, and what stands there instead.
_PLACES = (
    # The scratch folder of a run, "/home/me/build/nb-a1b2c3d4/p-e5f6g7h8/tmp": its "/tmp" is the
    # kernel's.
    (re.compile(rf"{_FOLDER}/nb-\w{{8}}/p-\w{{8}}(?=/)"), ""),
    # "/tmp/ipykernel_4711/1.py": the number is that of the process.
    (re.compile(r"(?<=/ipykernel)_\d+(?=/)"), ""),
    (re.compile(rf"{_FOLDER}/(?:site|dist)-packages(?=/)"), "site-packages"),
    # The standard library, wherever Python is installed.
    (re.compile(rf"{_FOLDER}/lib/(python3\.\d+)(?=/)"), r"lib/\1"),
    # Our own code in a traceback.
    (re.compile(rf"{_FOLDER}/(pipeline/adapters/kernel/[\w/-]+\.py)\b"), r"\1"),
)
# The fields of an output that nbformat fills with text.
_TEXTS = ("text", "traceback", "evalue")


def portable_outputs(outputs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Outputs of a cell, as nbformat has them; only what is text changes.

    What came in stays as it is: the values are copies.
    """
    return [_output(output) for output in outputs]


def portable(text: Any) -> Any:
    """A text, or the lines of one; whatever else it is stays.

    ``/home/me/.venv/lib/python3.11/site-packages/jax/_src/api.py`` →
    ``site-packages/jax/_src/api.py``
    """
    if isinstance(text, list):
        return [portable(line) for line in text]
    # Most texts are short and name no file.
    if not isinstance(text, str) or "/" not in text:
        return text
    for place, instead in _PLACES:
        text = place.sub(instead, text)
    return text


def _output(output: Mapping[str, Any]) -> dict[str, Any]:
    """One output. It has its texts in fields, or under ``data`` by MIME type."""
    changed = dict(output)
    for name in _TEXTS:
        if name in output:
            changed[name] = portable(output[name])
    if "data" in output:
        # Images are base64, in which a slash means nothing.
        changed["data"] = dict(output["data"])
        for kind, data in output["data"].items():
            if kind.startswith("text/"):
                changed["data"][kind] = portable(data)
    return changed
