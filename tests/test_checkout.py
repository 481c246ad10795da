"""What no file may name: what lies beside the checkout on a machine; and JAX, in code.

What is so of JAX alone is configuration, but for its tags and the picture of its site.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
from pathlib import Path

import pytest
from places import ROOT, UPSTREAM_VARIABLE

# It looks for a bundle of the real docs there, and does without.
MAY_LOOK = {".ci/run"}
# A folder beside the checkout, or one of this kind of machine. Pieces, so that this file has none.
BESIDE = re.compile(r"\.\./" + r"shared\b|(?<![\w.}])/" + r"work/")
JAX = re.compile(r"\bjax\b(?!-docs-zh)", re.IGNORECASE)
# A comment in the languages of the site: they have no other use for these words.
COMMENTS = re.compile(r"(?sm)/\*.*?\*/|//[^\n]*|\{#.*?#\}|<!--.*?-->|^\s*# [^\n]*")
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef)


def tracked_files() -> list[str]:
    """Every file of the project that git has, or that is about to be added."""
    listed = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    found = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip("not a checkout of git")
    return [name for name in found.stdout.split("\0") if (ROOT / name).is_file()]


def test_no_file_refers_to_what_lies_beside_the_checkout() -> None:
    found = {
        name
        for name in tracked_files()
        if BESIDE.search((ROOT / name).read_bytes().decode("utf-8", "replace"))
    }
    assert found == MAY_LOOK


@pytest.mark.parametrize(
    ("line", "is_beside"),
    [
        ("cp ../" + "shared/upstream/docs.bundle .", True),
        ('"/' + 'work/main"', True),
        ("see ../../../" + "shared", True),
        ("https://example.org/" + "work/", False),
        ("../shared_ptr", False),
        ("build/work/", False),
    ],
)
def test_what_refers_to_a_place_beside_the_checkout(line: str, is_beside: bool) -> None:
    assert bool(BESIDE.search(line)) is is_beside


def test_a_test_that_is_not_of_the_real_docs_does_not_see_them() -> None:
    assert UPSTREAM_VARIABLE not in os.environ


@pytest.mark.realdocs
@pytest.mark.usefixtures("jax_docs_upstream")
def test_a_test_of_the_real_docs_sees_them() -> None:
    assert os.environ[UPSTREAM_VARIABLE]


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


@pytest.mark.slow
def test_no_code_of_the_pipeline_knows_jax() -> None:
    files = [ROOT / name for name in tracked_files() if name.startswith("pipeline/")]
    found = [path.name for path in files if JAX.search(code_of(path))]
    assert found == ["requirement.py", "theme.py"]
