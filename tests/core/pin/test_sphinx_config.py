"""core/pin/sphinx_config: values of a conf.py, and the pages that it excludes."""

from __future__ import annotations

import time
from typing import Any

import pytest

from pipeline.core.pin.lock import SourceFile, pages_of
from pipeline.core.pin.sphinx_config import (
    excluded_pages,
    has_substitutions,
    read_exclude_patterns,
    sphinx_values,
)

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
def test_only_literals_are_values(code: str, expected: dict[str, Any]) -> None:
    assert sphinx_values(code) == expected


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("extensions", [], False),
        ("myst_enable_extensions", ["dollarmath"], False),
        ("myst_enable_extensions", ["substitution"], True),
        ("myst_enable_extensions", "substitution", False),
        ("myst_substitutions", {"a": "b"}, True),
        ("myst_substitutions", {}, False),
        ("myst_substitutions", ["a"], False),
    ],
)
def test_myst_looks_for_substitutions(name: str, value: object, expected: bool) -> None:
    assert has_substitutions({name: value}) is expected


PATHS = (
    "README.md a/b/deep.md a/README.rst notes/pair.ipynb notes/pair.md notes/lone.md x1.md x[1].md"
)


def excluded(*patterns: str) -> list[str]:
    files = [SourceFile(path=path, blob="") for path in PATHS.split()]
    return list(excluded_pages(pages_of(files), patterns))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("README.md", ["README"]),
        ("readme.md", []),
        ("*/README.*", ["a/README"]),
        ("**/README.*", ["a/README"]),
        ("**README.*", ["README", "a/README"]),
        ("a", ["a/README", "a/b/deep"]),
        ("a/*", ["a/README", "a/b/deep"]),
        ("a/*.md", []),
        ("a/**.md", ["a/b/deep"]),
        # It chooses one document of a pair, and drops a page that has no other.
        ("notes/*.md", ["notes/lone"]),
        ("x?.md", ["x1"]),
        ("x?", []),
        ("a?README.rst", []),
        ("x[0-9].md", ["x1"]),
        ("x[1z].md", ["x1"]),
        ("x[!0-9].md", []),
        ("x[[]1].md", ["x[1]"]),
        ("[!x]otes", ["notes/lone", "notes/pair"]),
        ("a[!b]README.rst", []),
        ("x[", []),
        ("", []),
    ],
)
def test_patterns_exclude_pages_as_in_sphinx(pattern: str, expected: list[str]) -> None:
    assert excluded(pattern) == expected


def test_both_documents_of_a_pair_have_to_be_left_out() -> None:
    assert excluded("notes/pair.md", "notes/*.ipynb") == ["notes/pair"]


def test_a_pattern_without_end_takes_no_time() -> None:
    start = time.process_time()
    assert excluded("**a" * 300, "*a*" * 300) == []
    assert time.process_time() - start < 1


def test_patterns_are_read_as_data() -> None:
    for value in ('["a", 3, "b*"]', '("a", "b*")'):
        found = read_exclude_patterns(f"exclude_patterns = {value}", below="docs/")
        assert found == ("docs/a", "docs/b*")
    for code in ('exclude_patterns = "a"', "exclude_patterns = find()", ""):
        assert read_exclude_patterns(code, below="docs/") == ()
