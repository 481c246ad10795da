"""``exclude_patterns``: which pages upstream's own site leaves out."""

from __future__ import annotations

import time

import pytest

from pipeline.core.pin.exclusion import excluded_pages, read_exclude_patterns
from pipeline.core.pin.lock import SourceFile, pages_of

PATHS = (
    "README.md",
    "a/b/deep.md",
    "a/README.rst",
    "notes/pair.ipynb",
    "notes/pair.md",
    "notes/lone.md",
    "x1.md",
    "x[1].md",
)


def excluded(*patterns: str) -> list[str]:
    files = [SourceFile(path=path, blob="") for path in PATHS]
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
def test_a_pattern_leaves_pages_out_as_sphinx_does(
    pattern: str, expected: list[str]
) -> None:
    assert excluded(pattern) == expected


def test_both_documents_of_a_pair_have_to_be_left_out() -> None:
    assert excluded("notes/pair.md", "notes/*.ipynb") == ["notes/pair"]


def test_a_pattern_without_end_takes_no_time() -> None:
    start = time.process_time()
    assert excluded("**a" * 300, "*a*" * 300) == []
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('exclude_patterns = ["a", 3, "b*"]', ("docs/a", "docs/b*")),
        ('exclude_patterns = ("a",)', ("docs/a",)),
        ('exclude_patterns = "a"', ()),
        ("exclude_patterns = find()", ()),
        ("", ()),
    ],
)
def test_patterns_are_read_as_data(code: str, expected: tuple[str, ...]) -> None:
    assert read_exclude_patterns(code, below="docs/") == expected
