"""Converter of TOML tables to records, with messages about invalid values.

msgspec does the conversion. Its errors are turned into messages for people: they name the file and
the key, describe the expected value, and suggest a correction. The end of the module defines the
types of values that several tables share.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import fields

from pipeline.errors import ConfigError, did_you_mean

# The type names of msgspec, in words for people.
_WORDS = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "object": "a table",
    "str": "a string",
}
_ITEMS = {int: "whole numbers", str: "strings"}
_UNIONS = (Union, UnionType)
_EXPECTED = re.compile(r"Expected `([^`]+)`(?: ([<>]=) (\d+))?")
_REPR = reprlib.Repr()
_REPR.maxstring = 100
# One step of a path in an error of msgspec, such as ``$.upstreams[...].skip[0]``: a field, some
# value of a table, or an element of a list.
_STEP = re.compile(r"\.([\w-]+)|\[(\.\.\.|\d+)\]")


class Table(
    Struct,
    frozen=True,
    kw_only=True,
    rename="kebab",
    forbid_unknown_fields=True,
):
    """Base class of the records for tables. In TOML, keys are written with dashes.

    A field may have a ``msgspec.Meta``: its ``title`` describes the expected value in error
    messages, and its ``description`` is the hint, which says how to correct the value.
    """


_Kind = TypeVar("_Kind", bound=Table)


class ValidationError(ValueError):
    """Error for values that are valid on their own but not together.

    ``key`` is the key to change; it is empty if the error concerns the whole table.
    """

    def __init__(self, what: str, *, key: str = "", hint: str) -> None:
        super().__init__(what)
        self.key = key
        self.hint = hint


def matching(pattern: str, title: str, hint: str, *, is_secret: bool = False) -> msgspec.Meta:
    """Return a constraint: a string must match ``pattern`` from beginning to end.

    In errors, ``title`` describes the expected value, and ``hint`` says how to correct it. Errors
    never show the value of a secret.
    """
    return msgspec.Meta(
        pattern=rf"\A(?:{pattern})\Z",
        title=title,
        description=hint,
        extra={"is_secret": is_secret},
    )


def read_table(values: Mapping[str, Any], kind: type[_Kind], *, name: str, where: str) -> _Kind:
    """Return ``values`` as a record of ``kind``, or raise ConfigError.

    ``name`` is the table's full name (``tool.pipeline``), ``where`` its file.
    """
    try:
        # Convert a list with one element: every error of msgspec then has a path.
        return msgspec.convert([values], list[kind])[0]  # type: ignore[valid-type]
    except msgspec.ValidationError as error:
        what, hint = _explain(error, _Place(name, values, kind))
        raise ConfigError(what, where=where, hint=hint) from error


class _Place(NamedTuple):
    """A value in the configuration, with its full name and its expected type."""

    name: str
    value: Any
    kind: Any


def _walk(path: str, place: _Place) -> _Place:
    """Return the place at the end of a path such as ``.upstreams[...].skip[0]``."""
    for field, position in _STEP.findall(path):
        name, value, kind = place.name, place.value, _plain(place.kind)
        if field:
            place = _Place(f"{name}.{field}", value.get(field), _kinds(kind)[field])
        elif position == "...":  # msgspec does not name the key
            _, kind = get_args(kind)
            key = next(key for key, item in value.items() if not _fits(item, kind))
            place = _Place(f"{name}.{key}", value[key], kind)
        else:
            item = value[int(position)]
            place = _Place(f"{name}[{position}]", item, get_args(kind)[0])
    return place


def _explain(error: msgspec.ValidationError, root: _Place) -> tuple[str, str]:
    """Return message and hint for an error of msgspec: ``Expected `int` - at `$[0].jobs```."""
    cause = error.__cause__
    if isinstance(cause, ValidationError):
        path = str(error).removeprefix(f"{cause} - at `$[0]")
        key = f".{cause.key}" if cause.key else ""
        return f"{_walk(path, root).name}{key} {cause}", cause.hint
    text, _, path = str(error).rpartition(" - at ")
    place = _walk(path.partition("$[0]")[2], root)
    if path.startswith("`key`"):
        kind, _ = get_args(_plain(place.kind))
        key = next(key for key in place.value if not _fits(key, kind))
        place = _Place(f"a key of {place.name}", key, kind)
    _, _, key = text.removesuffix("`").partition("`")
    if text.startswith("Object contains unknown"):
        known = list(_kinds(place.kind))
        hint = f"{did_you_mean(key, known)}Known keys: {', '.join(known)}."
        return f"unknown key {key!r} in [{place.name}]", hint
    if text.startswith("Object missing"):
        return f"{place.name}.{key} is missing", _hint(_kinds(place.kind)[key])
    if text.startswith("Invalid enum value"):
        known = list(map(str, _plain(place.kind)))
        hint = f"{did_you_mean(place.value, known)}Known: {', '.join(known)}."
        return f"{place.name} is {place.value!r}, which is not known", hint
    meta = _meta(place.kind)
    if meta.min_length and not place.value:
        return f"{place.name} is empty", _hint(place.kind)
    what = f"{place.name} must be {meta.title or _in_words(text, place.kind)}"
    if not (meta.extra or {}).get("is_secret"):
        what += f", not {_shown(place.value)}"
    return what, _hint(place.kind)


def _kinds(kind: Any) -> dict[str, Any]:
    """Return the keys of a table with the types of their values."""
    return {field.encode_name: field.type for field in fields(_plain(kind))}


def _hint(kind: Any) -> str:
    """Return the hint for a value that does not have the type ``kind``."""
    return _meta(kind).description or "Correct the value and run again."


def _meta(kind: Any) -> msgspec.Meta:
    """Return the ``Meta`` in ``Annotated[str, Meta(…)]``, or in a union of such a type and None."""
    kinds = get_args(kind) if get_origin(kind) in _UNIONS else (kind,)
    for one in kinds:
        for meta in getattr(one, "__metadata__", ()):
            return meta  # type: ignore[no-any-return]
    return msgspec.Meta()


def _in_words(text: str, kind: Any) -> str:
    """Return the expected type in words: ``a whole number of at least 1``."""
    expected = _EXPECTED.match(text)
    assert expected  # messages of all other forms were handled before
    names, bound, limit = expected.groups()
    words = [_WORDS[name] for name in names.split(" | ") if name != "null"]
    wanted = " or ".join(words)
    if wanted.endswith(_WORDS["array"]):
        item = _plain(get_args(_plain(kind))[0])
        wanted += f" of {_ITEMS.get(item, 'tables')}"
    if bound:
        wanted += f" of at {'least' if bound == '>=' else 'most'} {limit}"
    return wanted


def _plain(kind: Any) -> Any:
    """Return a type without annotations; of a union, the last member that is not None."""
    origin = get_origin(kind)
    if origin is Annotated:
        return _plain(get_args(kind)[0])
    if origin in _UNIONS:
        return _plain([one for one in get_args(kind) if one is not NoneType][-1])
    return kind


def _fits(value: object, kind: Any) -> bool:
    """Return whether a value has the given type."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _shown(value: object) -> str:
    """Return a value for an error message, shortened if it is long or deeply nested."""
    try:
        return _REPR.repr(value)
    except ValueError:  # a number with thousands of digits
        return "that number"


MOST = 1_000_000_000  # upper limit of every number: seconds, MiB, processes

Natural = Annotated[int, Meta(ge=0, le=MOST)]
Positive = Annotated[int, Meta(ge=1, le=MOST)]
Amount = Annotated[float, Meta(ge=0, le=MOST)]

Text = Annotated[str, Meta(min_length=1)]
Texts = Annotated[tuple[str, ...], Meta(min_length=1)]
Reason = Annotated[
    str,
    Meta(
        min_length=1,
        description="Give a reason, so that later readers know whether it still applies.",
    ),
]
# A name that is also the name of a folder or a file.
Name = Annotated[
    str,
    matching("[A-Za-z0-9][A-Za-z0-9_-]*", "a name", "Use letters, digits, - and _."),
]
# A version. It is also the name of a folder.
Release = Annotated[
    str,
    matching(r"(?a:\d+(\.\w+)*)", "a version", "Write it like 0.11.0, without a v."),
]
Locale = Annotated[
    str,
    matching(
        "[a-z]{2,3}(_[A-Z][A-Za-z]+)?",
        "a locale",
        "Write it as gettext does, e.g. zh_CN.",
    ),
]
# A URL that a page may link to, absolute or relative to the site. Schemes that run code
# (javascript:) are excluded, and so are characters that would end the HTML attribute.
Address = Annotated[
    str,
    matching(
        r"(?a:(?:https?://|(?![\w+.-]*:))[^\s\x00-\x1f<>\"'`\\]*)",
        "an address that a page may link to",
        "Write one that begins with https://, without quotes, spaces, < and >.",
    ),
]
SiteAddress = Annotated[
    str,
    matching(
        r"https?://[^\s/<>\"?#]+/(?:[^\s<>\"?#]*/)?",
        "the address of a site",
        "Write the address of its first page: https://…/, with a slash at the end.",
    ),
]
Host = Annotated[
    str,
    matching(
        r"(?a:[\w.-]+(?::\d+)?)",
        "a host",
        "Write only the name of the host, without https:// and slashes.",
    ),
]
Variable = Annotated[
    str,
    matching(
        "[A-Za-z_][A-Za-z0-9_]*",
        "the name of an environment variable",
        "Use letters, digits and _.",
    ),
]
