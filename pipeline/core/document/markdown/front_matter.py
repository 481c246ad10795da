"""Translatable front matter: a page's title, and other values that readers see.

The YAML between the two rules comes in, and the span of each such value goes out. A translation is
quoted where needed, so that all other YAML keeps its meaning. A value that cannot be replaced
safely has a ``problem`` instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.token import Token

from pipeline.core.document.message import Kind
from pipeline.reading import Dialect

# Keys that themes and layouts show; for MyST, keys of its own tools.
_COMMON = {"title": Kind.PAGE_TITLE, "description": Kind.FRONT_MATTER}
_WITH_SUBTITLE = {**_COMMON, "subtitle": Kind.FRONT_MATTER}
KEYS: dict[Dialect, dict[str, Kind]] = {
    Dialect.COMMONMARK: _COMMON,
    Dialect.MKDOCS: _COMMON,
    Dialect.MYST: {**_WITH_SUBTITLE, "short_title": Kind.FRONT_MATTER},
}
KINDS = frozenset((Kind.PAGE_TITLE, Kind.FRONT_MATTER))
_NAMES = "|".join(dict.fromkeys(key for keys in KEYS.values() for key in keys))
# Most front matter has none of these keys, and then no YAML parser is needed.
_MAYBE = re.compile(rf"""(?:^|[{{,])[ ]*["']?(?:{_NAMES})["']?[ \t]*:""", re.MULTILINE)
_STRING = "tag:yaml.org,2002:str"
_BLOCKS = ("|", ">")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontValue:
    """A value's span ``[start, end)`` in the YAML, quotes included, and its ``text``.

    ``quote`` is its quotation mark, or empty. ``problem`` is why it must stay English.
    """

    kind: Kind
    start: int
    end: int
    text: str = ""
    quote: str = ""
    problem: str = ""


def may_hold_words(text: str) -> bool:
    """Return False if no front matter in ``text`` can have a translatable value."""
    return bool(_MAYBE.search(text))


def front_values(source: str, dialect: Dialect) -> Iterator[FrontValue]:
    """Yield the translatable values of front matter in order.

    ``source`` is the YAML between the rules. Invalid YAML yields one value, with a problem.
    """
    if not may_hold_words(source):
        return
    import yaml  # imported only for pages that need it

    keys = KEYS[dialect]
    try:
        root = yaml.compose(source, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        problem = "its front matter is not valid YAML"
        yield FrontValue(kind=Kind.FRONT_MATTER, start=0, end=0, problem=problem)
        return
    if not isinstance(root, yaml.MappingNode):
        return
    for key, value in root.value:
        kind = keys.get(str(key.value)) if isinstance(key, yaml.ScalarNode) else None
        # Skip numbers, dates and lists.
        if (
            kind is None
            or not isinstance(value, yaml.ScalarNode)
            or value.tag != _STRING
        ):
            continue
        start = value.start_mark.index
        # A block scalar extends to the next key: exclude the white space after its last line.
        end = start + len(source[start : value.end_mark.index].rstrip())
        yield _front_value(
            kind,
            (start, end),
            source[start:end],
            value.value.strip(),
            is_flow=bool(root.flow_style),
        )


def _front_value(
    kind: Kind, span: tuple[int, int], written: str, text: str, *, is_flow: bool
) -> FrontValue:
    """Return the value with this source and parsed ``text``, with its quotes or its problem."""
    start, end = span
    mark = written[:1]
    header = written.partition("\n")[0]
    problem = ""
    if "\n" in text:
        problem = "its lines would have to stay lines"
    elif is_flow or mark in ("&", "!", "*"):
        problem = "how it is written is not read here"
    elif mark in _BLOCKS and "#" in header:
        problem = "a comment stands in it"
    if problem:
        return FrontValue(kind=kind, start=start, end=end, text=text, problem=problem)
    # A block scalar is replaced by one quoted line.
    quote = mark if mark in ("'", '"') else ""
    if mark in _BLOCKS:
        quote = "'"
    return FrontValue(kind=kind, start=start, end=end, text=text, quote=quote)


def written(text: str, quote: str) -> str:
    """Return ``text`` as a YAML value, quoted if necessary.

    ``quote`` is the quotation mark of the English. Without one, ``a: b`` becomes ``'a: b'``.
    """
    if quote == '"':
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if not quote and _is_plain(text):
        return text
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def without_words(source: str, dialect: Dialect) -> str:
    """Return front matter without its translatable values."""
    parts: list[str] = []
    at = 0
    for value in front_values(source, dialect):
        if not value.problem:
            parts.append(source[at : value.start])
            at = value.end
    return "".join([*parts, source[at:]])


def yaml_of(token: Token, lines: list[str]) -> str:
    """Return the YAML of the front matter token of a text with these lines."""
    assert token.map is not None
    first, last = token.map
    return "\n".join(lines[first + 1 : last - 1])


def _is_plain(text: str) -> bool:
    """Return whether YAML parses the unquoted ``text`` as exactly this string."""
    import yaml

    try:
        return bool(yaml.safe_load(f"a: {text}\n") == {"a": text})
    # An impossible date raises ValueError.
    except (yaml.YAMLError, ValueError):
        return False
