"""Parser of outlines: files that list the pages of the docs in order.

MkDocs uses ``mkdocs.yml``, Jupyter Book ``_toc.yml``, and MyST ``myst.yml``. :func:`read_outline`
takes the text of such a file and returns a tree of items. The number and the depth of the items are
limited.

YAML is parsed to nodes and never converted to Python objects, so no tag is ever executed. A value
with a custom tag (``!ENV``, ``!!python/name:…``) counts as missing. YAML aliases may form a cycle
or expand without limit, so readers must limit the depth and the number of nodes.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pipeline.errors import InputError
from pipeline.folders import Folders
from pipeline.limits import OUTLINE_DEPTH, OUTLINE_ITEMS, YAML_LENGTH

# The names of outline files, in the order of preference if a folder has several.
NAMES = ("_toc.yml", "myst.yml", "mkdocs.yml", "mkdocs.yaml")
# The keys of an entry's title, target and items in the different formats.
_TITLES = ("title", "caption", "part", "header")
_TARGETS = ("file", "url", "glob", "pattern")
_PATTERNS = ("glob", "pattern")
_LISTS = ("parts", "subtrees", "chapters", "sections", "entries", "items", "children")


class Item(Struct, frozen=True, kw_only=True):
    """A page, a URL or a pattern of pages. An item without a target is a group of items."""

    title: str = ""
    target: str = ""  # as written in the file
    is_pattern: bool = False
    items: tuple[Item, ...] = ()


class Outline(Struct, frozen=True, kw_only=True):
    """The items of the docs, in order."""

    items: tuple[Item, ...]
    root: str = ""  # the first page; empty if the file names none
    folder: str = ""  # the folder, as written, that the targets are relative to


def outline_places(docs: Folders) -> list[str]:
    """Return the paths at which a repository may have the outline, the most probable one first.

    These are all names in the root folder of the docs, then in the folder above, and so on.
    """
    folders = PurePosixPath(docs.root, "x").parents
    return [str(folder / name) for folder in folders for name in NAMES]


def outline_place(paths: Container[str], docs: Folders) -> str:
    """Return the path of the outline among the pulled ``paths``, or "" if there is none."""
    places = outline_places(docs)
    return next((place for place in places if docs.pulled_path_of(place) in paths), "")


def read_outline(text: str, *, name: str, where: str) -> Outline | None:
    """Return the outline in the text of the file ``name``, or None if it has none.

    Raises InputError if the text is too long, nested too deeply, or not YAML.
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
        # The older format is a list, and its first entry is the root page.
        root, items = items[0].target, (*items[0].items, *items[1:])
    return Outline(items=items, root=root) if items else None


class _Reader(Struct, kw_only=True):
    """Reader of lists of entries, limited to ``OUTLINE_ITEMS`` items."""

    where: str  # the file, for errors
    is_nav: bool = False  # whether entries have the form of MkDocs: ``Title: page.md``
    count: int = 0  # number of items so far

    def items(self, node: Any, depth: int = 0) -> tuple[Item, ...]:
        """Return the items of a list node, or nothing for another kind of node.

        Raises InputError if there are too many items, or they are nested too deeply.
        """
        items: list[Item] = []
        for entry in listed(node):
            self.count += 1
            if self.count > OUTLINE_ITEMS or depth > OUTLINE_DEPTH:
                bounds = f"{OUTLINE_ITEMS:,} entries, or more than {OUTLINE_DEPTH} levels"
                raise _unread(f"it has more than {bounds}", self.where)
            items += self._read(entry, depth + 1)
        return tuple(items)

    def below(self, node: Any, depth: int = 0) -> tuple[Item, ...]:
        """Return the items of all lists in an entry. Raises InputError like :meth:`items`."""
        found: list[Item] = []
        for name, value in pairs(node):
            if name in _LISTS:
                found += self.items(value, depth)
        return tuple(found)

    def _read(self, entry: Any, depth: int) -> Iterator[Item]:
        """Yield the items of one entry, or nothing if it has no known key."""
        if target := text_of(entry):
            yield Item(target=target)
        elif self.is_nav:
            for title, value in pairs(entry):
                item = Item(title=title, target=text_of(value), items=self.items(value, depth))
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
    """Return the items in groups: a title without a target becomes a group of the pages after it.

    Older books have ``- header: Basics`` in the list, followed by the pages of this part.
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
    """Return the text of the first of ``names`` that has a text, or "" if none has."""
    return next((parts[name] for name in names if parts.get(name)), "")


def _unread(problem: str, where: str) -> InputError:
    return InputError(
        f"the order of the pages cannot be read: {problem}",
        where=where,
        hint="Correct the file. Until then, pages are listed by name.",
    )


_TAGS = frozenset(
    f"tag:yaml.org,2002:{kind}"
    for kind in ("str", "int", "float", "bool", "timestamp", "map", "seq")
)


def composed(text: str) -> Any:
    """Return the root node of a YAML document, or None if it is empty.

    Raises ValueError if the text is too long or not YAML.
    """
    import yaml  # imported only for docs that need it

    if len(text) > YAML_LENGTH:
        raise ValueError(
            f"it has {len(text):,} characters, but at most {YAML_LENGTH:,} are allowed"
        )
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"it is not valid YAML: {error}") from error


def pairs(node: Any) -> Iterator[tuple[str, Any]]:
    """Yield the (key, value node) pairs of a mapping node; skip keys that are not text.

    Yield nothing for another kind of node.
    """
    if _kind(node) == "mapping":
        for key, value in node.value:
            if name := text_of(key):
                yield name, value


def listed(node: Any) -> Sequence[Any]:
    """Return the items of a sequence node, or nothing for another kind of node."""
    return node.value if _kind(node) == "sequence" else ()


def text_of(node: Any) -> str:
    """Return the stripped text of a scalar node, or "" for another kind of node."""
    return node.value.strip() if _kind(node) == "scalar" else ""


def value_of(node: Any, key: str) -> Any:
    """Return the value node of a key, or None if the node has no such key."""
    return dict(pairs(node)).get(key)


def _kind(node: Any) -> str:
    """Return "mapping", "sequence" or "scalar", or "" for None and nodes with a custom tag."""
    return node.id if node is not None and node.tag in _TAGS else ""
