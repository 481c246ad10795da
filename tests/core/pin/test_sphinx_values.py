"""Plain data in a ``conf.py``: read, never run."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.core.pin.sphinx_values import has_substitutions, sphinx_values

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


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, False),
        ({"myst_enable_extensions": ["dollarmath"]}, False),
        ({"myst_enable_extensions": ["substitution"]}, True),
        ({"myst_enable_extensions": "substitution"}, False),
        ({"myst_substitutions": {"a": "b"}}, True),
        ({"myst_substitutions": {}}, False),
        ({"myst_substitutions": ["a"]}, False),
    ],
)
def test_whether_myst_is_told_to_look_for_substitutions(
    values: dict[str, object], expected: bool
) -> None:
    assert has_substitutions(values) is expected
