"""The outline of docs that keep it in a file of its own: mkdocs, and books of Jupyter's and MyST's.

The text of a ``mkdocs.yml``, ``_toc.yml`` or ``myst.yml`` goes in, a tree of items comes out.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from pipeline.core.document.yaml_nodes import (
    composed,
    listed,
    pairs,
    text_of,
    value_of,
)
from pipeline.errors import InputError
from pipeline.folders import Folders

# Files that hold an outline; of several in one folder the first counts.
NAMES = ("_toc.yml", "myst.yml", "mkdocs.yml", "mkdocs.yaml")
MOST_ITEMS = 5_000  # an alias of YAML may stand for many items
DEEPEST = 12
# What the formats call the parts of an entry.
_TITLES = ("title", "caption", "part", "header")
_TARGETS = ("file", "url", "glob", "pattern")
_PATTERNS = ("glob", "pattern")
_LISTS = ("parts", "subtrees", "chapters", "sections", "entries", "items", "children")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A page, an address or a pattern of pages; without a target it is a group of items."""

    title: str = ""
    target: str = ""  # as it is written
    is_pattern: bool = False
    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The items of docs, in their order."""

    items: tuple[Item, ...]
    root: str = ""  # the page to begin with; empty if the file names none
    folder: str = ""  # where targets count from, as the file calls it


def outline_places(docs: Folders) -> list[str]:
    """Return the places in a repository where docs may have their outline, the likeliest first."""
    folders = PurePosixPath(docs.root, "x").parents
    return [str(folder / name) for folder in folders for name in NAMES]


def outline_place(paths: Container[str], docs: Folders) -> str:
    """Return the place of the outline of docs, by the paths of what was pulled; empty for none."""
    places = outline_places(docs)
    return next((place for place in places if docs.pulled_path_of(place) in paths), "")


def read_outline(text: str, *, name: str, where: str) -> Outline | None:
    """Return the outline that the file ``name`` holds; None if it holds none.

    Raises InputError for a file that is too large, or is not YAML.
    """
    try:
        document = composed(text)
    except ValueError as error:
        raise _unread(str(error), where) from error
    if name.startswith("mkdocs"):
        reader = _Reader(where=where, is_nav=True)
        items = reader.items(value_of(document, "nav"))
        folder = text_of(value_of(document, "docs_dir")) or "docs"
        return Outline(items=items, folder=folder) if items else None
    if name == "myst.yml":
        document = value_of(value_of(document, "project"), "toc")
    reader = _Reader(where=where)
    root = text_of(value_of(document, "root"))
    items = reader.below(document) if root else _grouped(reader.items(document))
    if not root and items and items[0].target:
        # A list begins with the page that the book begins with.
        root, items = items[0].target, (*items[0].items, *items[1:])
    return Outline(items=items, root=root) if items else None


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Reads lists of entries, up to a number of items."""

    where: str  # the file, as people read it
    is_nav: bool = False  # entries are as mkdocs has them: ``Title: page.md``
    count: int = 0

    def items(self, node: Any, depth: int = 0) -> tuple[Item, ...]:
        """Return the items of a list; none of what is no list. Raises InputError."""
        items: list[Item] = []
        for entry in listed(node):
            self.count += 1
            if self.count > MOST_ITEMS or depth > DEEPEST:
                bounds = (
                    f"{MOST_ITEMS:,} entries, or more than {DEEPEST} levels of them"
                )
                raise _unread(f"it has more than {bounds}", self.where)
            items += self._read(entry, depth + 1)
        return tuple(items)

    def below(self, node: Any, depth: int = 0) -> tuple[Item, ...]:
        """Return the items of all lists that an entry has. Raises InputError."""
        found: list[Item] = []
        for name, value in pairs(node):
            if name in _LISTS:
                found += self.items(value, depth)
        return tuple(found)

    def _read(self, entry: Any, depth: int) -> Iterator[Item]:
        """Yield the item of an entry of a list; none if it says nothing that is known."""
        if target := text_of(entry):
            yield Item(target=target)
        elif self.is_nav:
            for title, value in pairs(entry):
                item = Item(
                    title=title, target=text_of(value), items=self.items(value, depth)
                )
                if item.target or item.items:
                    yield item
        else:
            parts = {name: text_of(value) for name, value in pairs(entry)}
            item = Item(
                title=_first(parts, _TITLES),
                target=_first(parts, _TARGETS),
                is_pattern=any(map(parts.get, _PATTERNS)),
                items=self.below(entry, depth),
            )
            if item != Item():
                yield item


def _grouped(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return the items with the pages behind a mere title as its group.

    Older books have ``- header: Basics`` in the list, and its pages behind it.
    """
    groups: list[Item] = []
    is_open = False
    for item in items:
        if is_open and item.target:
            groups[-1] = replace(groups[-1], items=(*groups[-1].items, item))
        else:
            groups.append(item)
            is_open = not (item.target or item.items)
    return tuple(groups)


def _first(parts: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the first text that there is under one of the names."""
    return next((parts[name] for name in names if parts.get(name)), "")


def _unread(problem: str, where: str) -> InputError:
    return InputError(
        f"the order of the pages is not read: {problem}",
        where=where,
        hint="Pages are listed by their names until the file is mended.",
    )
