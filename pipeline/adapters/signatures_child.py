"""Stand-alone script: reads names as JSON on stdin, writes signatures and docs to stdout.

It imports the named objects, and must not import anything of the pipeline.
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
# Python's representation of objects without a literal form; the address differs per process.
_OBJECT = re.compile(
    r"<(?:class '(?:[\w.]*\.)?(?P<class>\w+)'"
    r"|function (?:[\w.<>]*\.)?(?P<function>\w+|<lambda>) at 0x\w+"
    r"|(?P<member>[\w.]+): [^<>]+"
    r"|[\w.]+ object(?: at 0x\w+)?)>"
)
_EMPTY = ("", "--")  # "--" ends a signature in C
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
# Roles are replaced by their text. Formulas are kept, because the site renders them.
_ROLE = re.compile(
    r"(?P<formula>:math:`[^`]+`)"
    r"|:[\w:]+:`~?(?P<name>[^`<]+?)(?:\s*<[^>`]*>)?`"
    r"|``(?P<code>[^`]+)``|`(?P<words>[^`]+)`_{0,2}"
)


def described(name: str) -> tuple[str, str]:
    """Return the signature of an object and the first line of its docstring."""
    found = _find(name)
    written, line = _doc(found, name.rpartition(".")[2])
    signature = _signature(found) if callable(found) else ""
    return signature or _shown(written), line


def _doc(found: Any, name: str) -> tuple[str, str]:
    """Return the signature at the start of a docstring, and the first line after it."""
    doc = inspect.getdoc(found) or ""
    # A docstring inherited from the type does not describe the object, such as a number.
    if not isinstance(found, type) and doc == inspect.getdoc(type(found)):
        return "", ""
    heads = tuple(f"{known}(" for known in (getattr(found, "__name__", name), name))
    signatures = []
    lines = [line.strip() for line in doc.strip().split("\n")]
    # Data classes have only a signature; compiled functions have one for each overload.
    while lines and (lines[0] in _EMPTY or lines[0].startswith(heads)):
        signatures.append(lines.pop(0))
    # Exactly one group has matched.
    line = _ROLE.sub(lambda match: match[str(match.lastgroup)], "".join(lines[:1]))
    signature = "".join(signatures[:1])
    return signature[signature.find("(") :], _without_addresses(line)


def _without_addresses(text: str) -> str:
    """Return ``text`` without object representations and addresses.

    ``<class 'jax.Array'>`` → ``Array``, ``<object object at 0x7f0c>`` → ``…``
    """
    return _ADDRESS.sub("", _OBJECT.sub(_name_of, text))


def _name_of(match: re.Match[str]) -> str:
    """Return the replacement of an object's representation: its name, if it has one."""
    return match["class"] or match["function"] or match["member"] or "…"


def _shown(signature: str) -> str:
    """Return a signature without addresses, or ``(…)`` if it is too long."""
    text = _without_addresses(signature)
    return text if len(text) <= _LONGEST else "(…)"


def _signature(found: Any) -> str:
    """Return a signature such as ``(x, axis=None)``, without types, which take too much room."""
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return ""  # a module, or an object implemented in another language
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
    ]
    shown = signature.replace(
        parameters=parameters, return_annotation=inspect.Signature.empty
    )
    return _shown(str(shown))


def _find(name: str) -> Any:
    """Return the object of a name; ``jax.numpy.sin`` is in a module that may need an import."""
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
    """Answer on stdout, whatever the imported modules print."""
    # Modules are never freed, and collecting garbage takes a sixth of the import time.
    gc.disable()
    answer = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    found: dict[str, tuple[str, str]] = {}
    for name in json.load(sys.stdin):
        try:
            found[name] = described(name)
        # A module may raise anything on import; one must not stop the others.
        except BaseException:  # noqa: BLE001, S112
            continue
    json.dump(found, answer)
    answer.close()


if __name__ == "__main__":
    main()
