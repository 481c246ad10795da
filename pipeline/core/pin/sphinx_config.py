"""Reader of the settings in upstream's ``conf.py``, and of the pages that it excludes.

``conf.py`` is parsed, never executed; only literal values are read. ``exclude_patterns`` match the
same paths as in Sphinx. ``*`` and ``?`` match within a folder, ``**`` across folders, and a pattern
that matches a folder matches everything in it. Patterns are untrusted, so this module matches them
itself: a regular expression could take forever.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import accumulate
from typing import Any

from pipeline.core.pin.lock import Page, page_path
from pipeline.limits import SPHINX_PATTERNS

SUBSTITUTION = "substitution"  # name of MyST's extension
_UNREADABLE = (SyntaxError, TypeError, ValueError, MemoryError, RecursionError)


def sphinx_values(code: str) -> dict[str, Any]:
    """Return the literal values that the ``code`` of a ``conf.py`` assigns to names.

    The last assignment counts, and ``+=`` extends it: ``a = ["x"]`` and ``a += ["y"]`` →
    ``{"a": ["x", "y"]}``. The result is empty for invalid code.
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
    """Return whether the settings ``values`` make MyST replace ``{{ name }}`` by a value."""
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
    """Return the value of a literal or a sum of literals; None for anything else."""
    try:
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            return _sum(_literal(value.left), _literal(value.right))
        return ast.literal_eval(value)
    except _UNREADABLE:
        return None


def _sum(left: Any, right: Any) -> Any:
    """Return the sum of two lists or of two texts, or None if it is unknown.

    If one value is unknown (None) and the other one is a list, return this list.
    """
    if left is None or right is None:
        known = right if left is None else left
        return known if isinstance(known, list) else None
    try:
        return left + right
    except _UNREADABLE:
        return None


_KEY = "exclude_patterns"
_PIECE = re.compile(r"\*\*|\*|\?|\[!?\]?[^\]]*\]|[^*?\[]+|\[", re.DOTALL)


def read_exclude_patterns(code: str, *, below: str = "") -> tuple[str, ...]:
    """Return the exclude patterns in the ``code`` of a ``conf.py``; none without a literal list.

    ``below`` is the folder of the ``conf.py`` with a final slash, or "". It is put before each
    pattern.
    """
    patterns = sphinx_values(code).get(_KEY)
    if not isinstance(patterns, list | tuple):
        return ()
    texts = [pattern for pattern in patterns if isinstance(pattern, str)]
    return tuple(f"{below}{pattern}" for pattern in texts[:SPHINX_PATTERNS])


def excluded_pages(pages: Iterable[Page], patterns: Sequence[str]) -> Iterator[str]:
    """Yield the names of the pages that ``patterns`` exclude.

    A page of two documents is excluded only if both are. Upstream may exclude one document of a
    jupytext pair to choose the other.
    """
    pieces = list(map(_PIECE.findall, patterns))
    for page in pages:
        paths = [page_path(file.path) for file in page.files]
        if all(any(_is_in(path, one) for one in pieces) for path in paths):
            yield page.name


def _is_in(path: str, pattern: Sequence[str]) -> bool:
    """Return whether a pattern matches a path or one of its parent folders."""
    parts = path.split("/")
    return any(_matches(place, pattern) for place in accumulate(parts, "{}/{}".format))


def _matches(path: str, pattern: Sequence[str]) -> bool:
    """Return whether a pattern, given by its pieces, matches a whole path."""
    # Positions in the path at which the pieces so far can end.
    ends = {0}
    for piece in pattern:
        ends = set(_ends(path, piece, ends))
        if not ends:
            return False
    return len(path) in ends


def _ends(path: str, piece: str, starts: set[int]) -> Iterator[int]:
    """Yield the positions at which a piece can end if it begins at one of ``starts``."""
    if piece == "**":
        yield from range(min(starts), len(path) + 1)
        return
    for start in starts:
        if piece == "*":
            slash = path.find("/", start)
            yield from range(start, (len(path) if slash < 0 else slash) + 1)
        elif piece == "?" or (piece.startswith("[") and piece != "["):
            if start < len(path) and _is_one_of(path[start], piece):
                yield start + 1
        elif path.startswith(piece, start):
            yield start + len(piece)


def _is_one_of(letter: str, piece: str) -> bool:
    """Return whether ``?``, ``[a-c]`` or ``[!a-c]`` matches a character."""
    if letter == "/" and (piece == "?" or piece.startswith("[!")):
        return False
    return fnmatchcase(letter, piece)
