"""Plain data in a ``conf.py``: read, never run."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.core.pin.sphinx_values import sphinx_values

CASES: dict[str, dict[str, Any]] = {
    "a = ['x']\na += ['y']": {"a": ["x", "y"]},
    "a: str = r'>>> |\\$ '": {"a": ">>> |\\$ "},
    "a: str": {},
    "a = b = 1": {"a": 1, "b": 1},
    "a = 1\na = 2": {"a": 2},
    "a = 'x'\na = call()": {},
    "a = ['x'] + names()": {"a": ["x"]},
    "a = names()\na += ['y']": {"a": ["y"]},
    "a = 'x' + word": {},
    "a = 'x' 'y' + 'z'": {"a": "xyz"},
    "a = ['x'] + 'y'": {},
    "a.b = 1\na[0] = 1\nc, d = 1, 2": {},
    "if True:\n  a = 1": {},
    "a = __import__('os').system('true')": {},
    "a = {[]}": {},
    "a = (": {},
    "a = 1" + " + 1" * 9000: {},
    "a = " + "[" * 9000: {},
    "\0": {},
}


@pytest.mark.parametrize(("code", "expected"), CASES.items())
def test_literals_are_values_and_nothing_else_is(
    code: str, expected: dict[str, Any]
) -> None:
    assert sphinx_values(code) == expected
