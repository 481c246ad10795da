"""Outlines of other tools: what is read of them, and what nobody obeys or waits for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pipeline.core.document.outline import Item, outline_place, read_outline
from pipeline.errors import InputError
from pipeline.folders import Folders
from pipeline.limits import OUTLINE_DEPTH, OUTLINE_ITEMS, YAML_LENGTH


def rows(items: Sequence[Item], depth: int = 0) -> list[str]:
    """A line for each item, such as ``-title > page`` for a page below another item."""
    found: list[str] = []
    for item in items:
        target = f"*{item.target}" if item.is_pattern else item.target
        name = " > ".join(filter(None, (item.title, target)))
        found += [f"{'-' * depth}{name}", *rows(item.items, depth + 1)]
    return found


def read(name: str, text: str) -> Any:
    outline = read_outline(text, name=name, where=name)
    return outline and (outline.folder, outline.root, rows(outline.items))


DATA = Path(__file__).parent / "data" / "outline"
NAV = (DATA / "mkdocs.yml").read_text(encoding="utf-8")
BOOK = (DATA / "toc.yml").read_text(encoding="utf-8")
OLD = (DATA / "old_toc.yml").read_text(encoding="utf-8")
MYST = """\
project:
  toc:
    - file: index.md
    - title: Group
      children:
        - file: a.md
        - pattern: more/*.md
"""


KETTLES = [
    "index.md",
    "Boil > b.md",
    "Parts",
    "-part/lid.md",
    "-2024",
    "--News > x://y/",
]
BOOKS = ["First", "-Another > a", "--b", "", "-*more/*", "-Out > https://example.org/"]
OLD_BOOKS = ["a", "Basics", "-b", "-c", "Later", "-d", "e"]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("mkdocs.yml", NAV, ("pages", "", KETTLES)),
        ("mkdocs.yaml", "nav: [a.md]", ("docs", "", ["a.md"])),
        ("_toc.yml", BOOK, ("", "intro", BOOKS)),
        ("_toc.yml", OLD, ("", "intro", OLD_BOOKS)),
        ("_toc.yml", "- part: A\n  chapters: [{file: a}]\n", ("", "", ["A", "-a"])),
        ("myst.yml", MYST, ("", "index.md", ["Group", "-a.md", "-*more/*.md"])),
        # Nothing that could be an order.
        ("mkdocs.yml", "site_name: Kettles\n", None),
        ("mkdocs.yml", "nav:\n  a: b.md\n", None),
        ("mkdocs.yml", "nav: !ENV [A]\n", None),
        ("mkdocs.yml", "", None),
        ("_toc.yml", "root: intro\n", None),
        ("_toc.yml", "[]", None),
        ("myst.yml", "version: 1\n", None),
    ],
)
def test_order_is_read_as_data(name: str, text: str, expected: Any) -> None:
    assert read(name, text) == expected


TOO_MANY = f"more than {OUTLINE_ITEMS:,} entries"
# Each list has the one before it nine times: 9 ** 7 entries.
LAUGHS = "".join(
    f"{name}: &{name}\n" + f"  - x: *{below}\n" * 9
    for below, name in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nav: [", "it is not valid YAML"),
        ("nav: \x00", "it is not valid YAML"),
        ("[" * 1000, "it is not valid YAML"),
        ("#" * (YAML_LENGTH + 1), f"{YAML_LENGTH + 1:,} characters"),
        ("nav: &a\n  - round: *a\n", f"more than {OUTLINE_DEPTH} levels"),
        (f"a: &a\n  - x: a.md\n{LAUGHS}nav: *h\n", TOO_MANY),
        ("nav:\n" + "  - a.md\n" * (OUTLINE_ITEMS + 1), TOO_MANY),
    ],
)
def test_what_cannot_be_read_is_told(text: str, told: str) -> None:
    problem = "the order of the pages cannot be read"
    with pytest.raises(InputError, match=problem) as caught:
        read("mkdocs.yml", text)
    assert told in caught.value.what
    assert caught.value.where == "mkdocs.yml"


@pytest.mark.parametrize(
    ("folders", "paths", "place"),
    [
        (("docs",), ["_outside/mkdocs.yml"], "mkdocs.yml"),
        (("docs",), ["_outside/mkdocs.yml", "_toc.yml"], "docs/_toc.yml"),
        (("a/b",), ["_outside/mkdocs.yml", "_outside/a/_toc.yml"], "a/_toc.yml"),
        ((".",), ["mkdocs.yml"], "mkdocs.yml"),
        (("docs", "examples"), ["_outside/myst.yml"], "myst.yml"),
        (("docs",), ["sub/mkdocs.yml"], ""),
    ],
)
def test_nearest_file_counts(folders: tuple[str, ...], paths: list[str], place: str) -> None:
    assert outline_place(paths, Folders(folders)) == place
