"""What is so of JAX alone is configuration, but for its tags and the picture of its site."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import ROOT

PACKAGE = ROOT / "pipeline"
JAX = re.compile(r"\bjax\b(?!-docs-zh)", re.IGNORECASE)
# A comment in the languages of the site: they have no other use for these words.
COMMENTS = re.compile(r"(?sm)/\*.*?\*/|//[^\n]*|\{#.*?#\}|<!--.*?-->|^\s*# [^\n]*")
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef)


def code_of(path: Path) -> str:
    """A file of the package without comments and docstrings."""
    text = path.read_bytes().decode("utf-8", "replace")  # some are pictures
    if path.suffix != ".py":
        return COMMENTS.sub("", text)
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, _WITH_DOCSTRING) and ast.get_docstring(node) is not None:
            node.body[0] = ast.Pass()
    return ast.unparse(tree)


def files() -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


@pytest.mark.slow
def test_no_code_of_the_pipeline_knows_jax() -> None:
    found = [
        path.relative_to(PACKAGE).as_posix()
        for path in files()
        if JAX.search(code_of(path))
    ]
    assert found == ["core/pin/requirement.py", "site/extension/theme.py"]
