"""Runs by itself: names as JSON on stdin, what their objects say of themselves on stdout.

It imports what it is asked about, and must not import anything of ours.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import json
import os
import re
import sys
from typing import Any

_LONGEST = 400  # characters of a signature
# How Python shows what has no other form: its address is another one in every process.
_OBJECT = re.compile(
    r"<(?:class '(?:[\w.]*\.)?(?P<class>\w+)'"
    r"|function (?:[\w.<>]*\.)?(?P<function>\w+|<lambda>) at 0x\w+"
    r"|(?P<member>[\w.]+): [^<>]+"
    r"|[\w.]+ object(?: at 0x\w+)?)>"
)
_EMPTY = ("", "--")  # the latter ends a signature in C
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
# Of a role its words are shown. A formula stays as it is written: who shows it knows how to set it.
_ROLE = re.compile(
    r"(?P<formula>:math:`[^`]+`)"
    r"|:[\w:]+:`~?(?P<name>[^`<]+?)(?:\s*<[^>`]*>)?`"
    r"|``(?P<code>[^`]+)``|`(?P<words>[^`]+)`_{0,2}"
)


def described(name: str) -> tuple[str, str]:
    """The signature of an object, and the first line of its docstring."""
    found = _find(name)
    written, line = _doc(found, name.rpartition(".")[2])
    signature = _signature(found) if callable(found) else ""
    return signature or _shown(written), line


def _doc(found: Any, name: str) -> tuple[str, str]:
    """A signature that a docstring begins with, and the first line that is none."""
    doc = inspect.getdoc(found) or ""
    # That of its type says nothing of an object: of a number, of a partial function.
    if not isinstance(found, type) and doc == inspect.getdoc(type(found)):
        return "", ""
    heads = tuple(f"{known}(" for known in (getattr(found, "__name__", name), name))
    signatures = []
    lines = [line.strip() for line in doc.strip().split("\n")]
    # Data classes have nothing else; compiled functions have a line for each overload.
    while lines and (lines[0] in _EMPTY or lines[0].startswith(heads)):
        signatures.append(lines.pop(0))
    # One of the groups has matched.
    line = _ROLE.sub(lambda match: match[str(match.lastgroup)], "".join(lines[:1]))
    signature = "".join(signatures[:1])
    return signature[signature.find("(") :], _without_addresses(line)


def _without_addresses(text: str) -> str:
    """``<class 'jax.Array'>`` → ``Array``, ``<object object at 0x7f0c>`` → ``…``"""
    return _ADDRESS.sub("", _OBJECT.sub(_name_of, text))


def _name_of(match: re.Match[str]) -> str:
    """What stands in the place of an object: its name, if it has one."""
    return match["class"] or match["function"] or match["member"] or "…"


def _shown(signature: str) -> str:
    """A signature as there is room for it."""
    text = _without_addresses(signature)
    return text if len(text) <= _LONGEST else "(…)"


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
    return _shown(str(shown))


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
    # What modules make stays: to look for garbage in it costs a sixth of importing them.
    gc.disable()
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
