"""Translatable front matter: the title of a page, and other values that readers see.

Front matter is the YAML between the two ``---`` lines at the start of a page.
:func:`front_values` returns the span of each value with words. If a value cannot be replaced
safely, its ``problem`` says why. :func:`written` quotes a translation where YAML requires it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it.token import Token
from msgspec import Struct

from pipeline.core.document.message import Kind
from pipeline.reading import Dialect

# The keys whose values themes show to readers.
_COMMON = {"title": Kind.PAGE_TITLE, "description": Kind.FRONT_MATTER}
_WITH_SUBTITLE = {**_COMMON, "subtitle": Kind.FRONT_MATTER}
KEYS: dict[Dialect, dict[str, Kind]] = {
    Dialect.COMMONMARK: _COMMON,
    Dialect.MKDOCS: _COMMON,
    Dialect.MYST: {**_WITH_SUBTITLE, "short_title": Kind.FRONT_MATTER},
}
KINDS = frozenset((Kind.PAGE_TITLE, Kind.FRONT_MATTER))
_NAMES = "|".join(dict.fromkeys(key for keys in KEYS.values() for key in keys))
# A fast filter. Front matter without a match has none of these keys, so no YAML parser is needed.
_MAYBE = re.compile(rf"""(?:^|[{{,])[ ]*["']?(?:{_NAMES})["']?[ \t]*:""", re.MULTILINE)
_STRING = "tag:yaml.org,2002:str"
_BLOCKS = ("|", ">")


class FrontValue(Struct, frozen=True, kw_only=True):
    """A value with words: its position, and its text."""

    kind: Kind
    start: int  # offset in the YAML, including the quotation mark
    end: int
    text: str = ""  # the parsed value
    quote: str = ""  # the quotation mark for a translation; empty if the value has none
    problem: str = ""  # why the value must stay English; empty if it is translatable


def may_hold_words(text: str) -> bool:
    """Return whether front matter in ``text`` may have a translatable value.

    This is a fast filter. If it returns False, there is none.
    """
    return bool(_MAYBE.search(text))


def front_values(source: str, dialect: Dialect) -> Iterator[FrontValue]:
    """Yield the values with words in front matter, in order.

    ``source`` is the YAML between the ``---`` lines. For invalid YAML, yield one value with a
    problem.
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
        if kind is None or not isinstance(value, yaml.ScalarNode) or value.tag != _STRING:
            continue
        start = value.start_mark.index
        # For the parser, a block scalar ends at the next key. Exclude the white space before it.
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
    """Return the record of a value.

    ``written`` is its source and ``text`` its parsed text. ``is_flow`` means that the whole front
    matter is in braces.
    """
    start, end = span
    mark = written[:1]
    header = written.partition("\n")[0]
    problem = ""
    if "\n" in text:
        problem = "its line breaks would be lost"
    elif is_flow or mark in ("&", "!", "*"):
        problem = "its syntax is not supported"
    elif mark in _BLOCKS and "#" in header:
        problem = "it contains a comment"
    # A translation replaces a block scalar by a single line in quotation marks.
    quote = mark if mark in ("'", '"') else ""
    if mark in _BLOCKS:
        quote = "'"
    return FrontValue(kind=kind, start=start, end=end, text=text, quote=quote, problem=problem)


def written(text: str, quote: str) -> str:
    """Return ``text`` as a YAML value, in quotation marks if necessary.

    ``quote`` is the quotation mark of the English, or empty. If it is empty, ``a: b`` becomes
    ``'a: b'``, because ``: `` would start a mapping.
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
    """Return the YAML of a front matter token. ``lines`` are the lines of the page."""
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
