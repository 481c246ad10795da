"""What a published site says of itself, read with care."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipeline.errors import InputError
from pipeline.site.manifest import read_manifest

PAGE = {"page": "a/b", "source": "a/b.ipynb", "blob": "0" * 40, "files": {}}
SITE = {
    "schema": 1,
    "locale": "zh_CN",
    "project": "a" * 40,
    "upstream": {"name": "demo", "ref": "v1", "commit": "f" * 40, "version": "1"},
    "pages": [PAGE],
    "title": "what else there is",
}


def read(**changes: Any) -> Any:
    return read_manifest(json.dumps({**SITE, **changes}).encode(), where="x")


@pytest.mark.parametrize(
    ("source", "files", "document"),
    [
        ("a/b.ipynb", ["_downloads/clean/a/b.ipynb"], "_downloads/clean/a/b.ipynb"),
        ("a/b.md", ["a/b.md", "_downloads/clean/a/b.ipynb"], "a/b.md"),
        (
            "a/b.rst",
            ["a/b.md", "_downloads/source/a/b.rst"],
            "_downloads/source/a/b.rst",
        ),
        # Of reST the Markdown twin has the words alone.
        ("a/b.rst", ["a/b.md"], ""),
        ("a/b.ipynb", ["_downloads/a/b.ipynb"], ""),
        (
            "_api/lamps.dim.docstring",
            ["a/b.md", "_downloads/source/_api/lamps.dim.docstring"],
            "_downloads/source/_api/lamps.dim.docstring",
        ),
    ],
)
def test_the_file_that_proves_a_page(source: str, files: list[str], document: str) -> None:
    page = {**PAGE, "source": source, "files": dict.fromkeys(files, "sha256:0")}
    assert read(pages=[page]).pages[0].document == document


@pytest.mark.parametrize(
    "data", [b"", b"<html>", b"[]", b"\xff", b"{}", b"[" * 100_000, b'{"schema": "1"}']
)
def test_what_is_none_of_ours_is_malformed(data: bytes) -> None:
    with pytest.raises(InputError, match="is not the manifest of a site"):
        read_manifest(data, where="x")


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "a\\b", ""])
def test_a_path_that_leads_out_is_refused(path: str) -> None:
    for page in (
        {**PAGE, "page": path},
        {**PAGE, "source": path},
        {**PAGE, "files": {path: "x"}},
        {**PAGE, "included": [{**PAGE, "files": {path: "x"}}]},
    ):
        with pytest.raises(InputError, match="outside the site"):
            read(pages=[page])


def test_a_later_schema_is_not_guessed_at() -> None:
    with pytest.raises(InputError, match="schema 2"):
        read(schema=2)


def test_a_project_is_named_by_its_commit_or_not_at_all() -> None:
    assert read(project="").project == ""
    for other in ("--help", "main", "a" * 39):
        with pytest.raises(InputError, match="names no commit"):
            read(project=other)
