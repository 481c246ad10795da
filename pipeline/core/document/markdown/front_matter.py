"""Words in the front matter of a page: its title, and what else of it is shown to readers.

In goes the YAML between the two rules, out comes where the words of each such value stand. YAML
says what the value is; a translation is written in quotes where it needs them, so that all else is
read as before. A value that cannot be replaced in that way has a problem instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.token import Token

from pipeline.core.document.message import Kind
from pipeline.reading import Dialect

# What themes and layouts show; of MyST that is what its own tools know.
_COMMON = {"title": Kind.PAGE_TITLE, "description": Kind.FRONT_MATTER}
_WITH_SUBTITLE = {**_COMMON, "subtitle": Kind.FRONT_MATTER}
KEYS: dict[Dialect, dict[str, Kind]] = {
    Dialect.COMMONMARK: _COMMON,
    Dialect.MKDOCS: _COMMON,
    Dialect.MYST: {**_WITH_SUBTITLE, "short_title": Kind.FRONT_MATTER},
}
KINDS = frozenset((Kind.PAGE_TITLE, Kind.FRONT_MATTER))
_NAMES = "|".join(dict.fromkeys(key for keys in KEYS.values() for key in keys))
# Most front matter has no such key: then nobody needs a reader of YAML.
_MAYBE = re.compile(rf"""(?:^|[{{,])[ ]*["']?(?:{_NAMES})["']?[ \t]*:""", re.MULTILINE)
_STRING = "tag:yaml.org,2002:str"
_BLOCKS = ("|", ">")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontValue:
    """A value: ``[start, end)`` of the YAML, with its quotes. ``text`` is what it says.

    ``quote`` is the mark of its quotes, or nothing. ``problem`` says why it has to stay.
    """

    kind: Kind
    start: int
    end: int
    text: str = ""
    quote: str = ""
    problem: str = ""


def may_hold_words(text: str) -> bool:
    """False if no front matter in ``text`` has a value that is shown."""
    return bool(_MAYBE.search(text))


def front_values(source: str, dialect: Dialect) -> Iterator[FrontValue]:
    """The values that are shown of some front matter, in their order.

    ``source`` is the YAML without the rules around it. YAML that cannot be read has one value,
    with the problem.
    """
    if not may_hold_words(source):
        return
    import yaml  # only few pages need it

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
        # A number or a date is none, and nobody reads a list as a title.
        if (
            kind is None
            or not isinstance(value, yaml.ScalarNode)
            or value.tag != _STRING
        ):
            continue
        start = value.start_mark.index
        # A block of text ends where the next key begins: its last line ends before.
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
    """A value as it is written, which says ``text``."""
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
    # Of a block, one line in quotes is left.
    quote = "'" if mark in _BLOCKS else mark if mark in ("'", '"') else ""
    return FrontValue(kind=kind, start=start, end=end, text=text, quote=quote)


def written(text: str, quote: str) -> str:
    """``text`` as a value of YAML, in quotes if it has to be.

    ``quote`` is the mark that the English has. ``a: b`` without any is ``'a: b'``.
    """
    if quote == '"':
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if not quote and _is_plain(text):
        return text
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def without_words(source: str, dialect: Dialect) -> str:
    """Front matter without the values that may be translated."""
    parts: list[str] = []
    at = 0
    for value in front_values(source, dialect):
        if not value.problem:
            parts.append(source[at : value.start])
            at = value.end
    return "".join([*parts, source[at:]])


def yaml_of(token: Token, lines: list[str]) -> str:
    """The YAML of the front matter that a parser has found in ``lines``."""
    assert token.map is not None
    first, last = token.map
    return "\n".join(lines[first + 1 : last - 1])


def _is_plain(text: str) -> bool:
    """Whether YAML reads ``text`` without quotes as just that text."""
    import yaml

    try:
        return bool(yaml.safe_load(f"a: {text}\n") == {"a": text})
    # A date that is none is a ValueError.
    except (yaml.YAMLError, ValueError):
        return False
