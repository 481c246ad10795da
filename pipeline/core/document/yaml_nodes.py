"""YAML of upstream's as nodes, which are read and never made into objects.

So no tag is obeyed: a value with one that is not YAML's own (``!ENV``, ``!!python/name:…``) counts
as not there. Aliases may make a circle, or a few lines stand for millions: who goes down counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

LENGTH = 200_000  # characters of a file: reading them takes seconds
_TAGS = frozenset(
    f"tag:yaml.org,2002:{kind}"
    for kind in ("str", "int", "float", "bool", "timestamp", "map", "seq")
)


def composed(text: str) -> Any:
    """Return the node of a document of YAML; None if it is empty.

    Raises ValueError for a text that is too long, or is not YAML.
    """
    import yaml  # only few docs need it

    if len(text) > LENGTH:
        raise ValueError(
            f"it has {len(text):,} characters, of which at most {LENGTH:,} are read"
        )
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"it is not valid YAML: {error}") from error


def pairs(node: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a mapping that are texts, with their values; none of what is none."""
    if _kind(node) == "mapping":
        for key, value in node.value:
            if name := text_of(key):
                yield name, value


def listed(node: Any) -> Sequence[Any]:
    """Return the nodes of a list; none of what is no list."""
    return node.value if _kind(node) == "sequence" else ()


def text_of(node: Any) -> str:
    """Return the text of a value; empty if it is none."""
    return node.value.strip() if _kind(node) == "scalar" else ""


def value_of(node: Any, key: str) -> Any:
    """Return the value of a key; None if a node has no such key."""
    return dict(pairs(node)).get(key)


def _kind(node: Any) -> str:
    """Return what a node is: mapping, sequence or scalar; empty for one with a tag of its own."""
    return node.id if node is not None and node.tag in _TAGS else ""
