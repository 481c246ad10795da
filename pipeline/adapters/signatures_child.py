"""Runs by itself: names as JSON on stdin, what their objects say of themselves on stdout.

It imports what it is asked about, and must not import anything of ours.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import sys
from typing import Any

_LONGEST = 400  # characters of a signature
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # other in every process
_ROLE = re.compile(r":[\w:]+:`~?([^`<]+?)(?:\s*<[^>`]*>)?`|``([^`]+)``|`([^`]+)`_{0,2}")


def described(name: str) -> tuple[str, str]:
    """The signature of an object, and the first line of its docstring."""
    found = _find(name)
    # A number has the docstring of its type, which says nothing of it.
    if not callable(found) and not inspect.ismodule(found):
        return "", ""
    first = (inspect.getdoc(found) or "").strip().split("\n")[0]
    line = _ROLE.sub(lambda match: match[1] or match[2] or match[3], first)
    return _signature(found), line.strip()


def _signature(found: Any) -> str:
    """``(x, axis=None)``: without types, which take more room than all else."""
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return ""  # a module, or written in another language
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
    ]
    shown = signature.replace(
        parameters=parameters, return_annotation=inspect.Signature.empty
    )
    text = _ADDRESS.sub("", str(shown))
    return text if len(text) <= _LONGEST else "(…)"


def _find(name: str) -> Any:
    """The object of a name: ``jax.numpy.sin`` is in a module that may have to be imported."""
    first, *rest = name.split(".")
    found: Any = importlib.import_module(first)
    path = first
    for part in rest:
        path = f"{path}.{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            found = importlib.import_module(path)
    return found


def main() -> None:
    """Answer, whatever those modules print on being imported."""
    answer = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    found: dict[str, tuple[str, str]] = {}
    for name in json.load(sys.stdin):
        try:
            found[name] = described(name)
        # Modules raise anything on being imported; one must not stop the others.
        except BaseException:  # noqa: BLE001, S112
            continue
    json.dump(found, answer)
    answer.close()


if __name__ == "__main__":
    main()
