"""Random damage to files: lost or doubled bytes, other types, huge numbers, deep nesting.

Changes are drawn from a ``random.Random``, so the same seed gives the same file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

# What may come into a text anywhere: marks of all formats that are read, and odd characters.
PIECES = (
    *("\n", "\r", "\t", "\0", "\x85", "\u2028", "\ufeff", "\ud800", "\\"),
    *'"¦\'¦{¦}¦[¦]¦[[¦,¦:¦=¦#¦#~ ¦#| ¦#, fuzzy\n¦msgid ¦msgstr ¦msgstr ""\n'.split("¦"),
    *'msgctxt "x"\n¦msgid_plural "x"\n¦⟦0⟧¦⟦9⟧¦-1¦1e999¦null'.split("¦"),
    *"true¦| a ¦.. x::\n".split("¦"),
    *("```{note}\n", "> " * 200, f"⟦{'9' * 5_000}⟧"),
    *(5_000 * repeated for repeated in ("9", "[", '{"a":', "a")),
)
# What may stand in the place of any value of JSON.
VALUES: tuple[Any, ...] = (
    *json.loads('[null, true, -1, 0, 3.5, "", "a", "../../a", "\\ud800", [], {}]'),
    *([[]], [None], {"a": 1}, 10**400, "a" * 5_000),
)


def _cut(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    return data[:start] + data[start + random.randrange(1, 200) :]


def _end(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _double(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    piece = data[start : start + random.randrange(1, 300)]
    at = random.randrange(len(data) + 1)
    return data[:at] + piece * random.choice((1, 1, 2, 300)) + data[at:]


def _insert(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    piece = random.choice(PIECES).encode("utf-8", "surrogatepass")
    return data[:at] + piece + data[at:]


def _flip(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.randrange(1, 6)):
        if changed:
            changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _lines(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    random.shuffle(lines)
    return b"\n".join(lines)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container in a JSON value, with each of its keys or indexes."""
    found: list[tuple[Any, Any]] = []
    containers = [value]
    while containers:
        container = containers.pop()
        keys: list[Any] = []
        if isinstance(container, dict):
            keys = list(container)
        elif isinstance(container, list):
            keys = list(range(len(container)))
        for key in keys:
            found.append((container, key))
            containers.append(container[key])
    return found


def _value(data: bytes, random: Random) -> bytes:
    """Replace a random value in JSON. From other files, remove a piece."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return _cut(data, random)
    places = _places(value)
    if not places:
        return json.dumps(random.choice(VALUES)).encode()
    container, key = random.choice(places)
    if isinstance(container, dict) and random.random() < 0.2:
        del container[key]
    else:
        container[key] = random.choice(VALUES)
    return json.dumps(value, indent=random.choice((None, 1))).encode()


_CHANGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    *(_cut, _end, _double, _insert, _insert, _flip, _lines),
    *(_value, _value, _value),
)


def mutated(data: bytes, random: Random) -> bytes:
    """Return ``data`` with one to three random changes."""
    for _ in range(random.randrange(1, 4)):
        data = random.choice(_CHANGES)(data, random)
    return data
