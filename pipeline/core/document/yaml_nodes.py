"""YAML nodes: upstream's YAML is parsed to nodes and never converted to Python objects.

Therefore no tag is ever executed. A value with a custom tag (``!ENV``, ``!!python/name:…``) counts
as missing. YAML aliases may form a cycle or expand without limit, so callers must limit the depth
and the number of the nodes that they read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pipeline.limits import YAML_LENGTH

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
