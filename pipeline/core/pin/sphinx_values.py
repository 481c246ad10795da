"""Plain data in a Sphinx ``conf.py``: what upstream's own site is configured with.

The file is code. It is parsed, never run: a value that is computed counts as not there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

SUBSTITUTION = "substitution"  # as MyST calls its extension
_UNREADABLE = (SyntaxError, TypeError, ValueError, MemoryError, RecursionError)


def sphinx_values(code: str) -> dict[str, Any]:
    """Return the values that a ``conf.py`` gives to names, as far as they are literals.

    The last one counts; ``+=`` adds to it. ``a = ["x"]`` and ``a += ["y"]`` → ``{"a": ["x", "y"]}``
    """
    try:
        body = ast.parse(code).body
    except _UNREADABLE:
        return {}
    values: dict[str, Any] = {}
    for statement in body:
        match statement:
            case ast.Assign(targets=[*targets], value=value):
                values |= dict.fromkeys(_names(targets), _literal(value))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                values[name] = _literal(value)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                values[name] = _sum(values.get(name), _literal(value))
    return {name: value for name, value in values.items() if value is not None}


def has_substitutions(values: Mapping[str, Any]) -> bool:
    """Return whether MyST is told to put values in the place of ``{{ name }}``."""
    extensions = values.get("myst_enable_extensions")
    is_enabled = isinstance(extensions, list) and SUBSTITUTION in extensions
    substitutions = values.get("myst_substitutions")
    return is_enabled or (isinstance(substitutions, dict) and bool(substitutions))


def _names(targets: list[ast.expr]) -> Iterator[str]:
    """Yield the plain names among the targets of an assignment."""
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id


def _literal(value: ast.expr) -> Any:
    """Return the value of a literal, or of several with ``+`` between them; else None."""
    try:
        return _value(value)
    except _UNREADABLE:
        return None


def _value(value: ast.expr) -> Any:
    """Return the value of a literal. Raises one of ``_UNREADABLE`` for what is none."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return _sum(_literal(value.left), _literal(value.right))
    return ast.literal_eval(value)


def _sum(left: Any, right: Any) -> Any:
    """Return two lists or texts as one; of lists what is known if only one of them is."""
    if left is None or right is None:
        known = right if left is None else left
        return known if isinstance(known, list) else None
    try:
        return left + right
    except _UNREADABLE:
        return None
