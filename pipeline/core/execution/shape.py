"""Repair of malformed notebooks: drops parts whose types would make Jupyter's libraries fail.

``sanitized`` takes the value of a notebook's JSON and returns a sound value: one in which every
part has the type that the format requires. Code runs from the sound value, and pages show it;
upstream's file is not changed. Readers may notice a dropped output, so ``faults_of`` returns a
fault for each one.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Container, Mapping, Sequence
from typing import Any

from msgspec import Struct

CELL_TYPES = ("code", "markdown", "raw")
# Minor version for notebooks without one: the last version of the format without ids.
_MINOR = 4
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONE_SURROGATE = "has a lone surrogate, which is not a character; readers see � instead"
_STREAMS = ("stdout", "stderr")
_BUNDLES = ("display_data", "execute_result")
# MIME types of binary data, which notebooks store as base64. SVG is the only image that is text.
_BYTES = re.compile(r"(?:image/(?!svg\+xml)|audio/|video/|application/pdf\b)")
# Fields of ``kernelspec`` and ``language_info`` that must be strings.
_NAMES = frozenset(
    ("name", "display_name", "language", "file_extension", "mimetype", "pygments_lexer")
)
# Metadata that MyST-NB and nbconvert read as objects.
_OBJECTS = frozenset(("execution", "jupyter", "myst", "mystnb", "render"))
_WIDGET = "application/vnd.jupyter.widget-view+json"
_WIDGETS = "application/vnd.jupyter.widget-state+json"
_JSON = re.compile(r"application/(?:[^;]*\+)?json\b")


class Outputs(Struct, frozen=True):
    """Sound outputs of a cell, and the faults of its other outputs."""

    sound: list[dict[str, Any]]
    faults: tuple[str, ...] = ()


class Fault(Struct, frozen=True, kw_only=True):
    """Loss that readers may notice."""

    cell: int  # counts all cells, from 1; 0 means that the fault is in no cell
    text: str


def sanitized(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return the notebook without parts of wrong types. ``read_json`` must have accepted it."""
    minor = notebook.get("nbformat_minor")
    # Only notebooks of format 4 have cells, so ignore a wrong number.
    version = {"nbformat": 4} if "nbformat" in notebook else {}
    return {
        **notebook,
        **version,
        "cells": list(map(_cell, notebook["cells"])),
        "metadata": _metadata(object_in(notebook, "metadata")),
        "nbformat_minor": minor if _is_count(minor) else _MINOR,
    }


def faults_of(notebook: Mapping[str, Any]) -> tuple[Fault, ...]:
    """Return the faults of a notebook, from its value before ``sanitized``."""
    faults: list[Fault] = []
    if _has_lone_surrogate({**notebook, "cells": []}):
        faults.append(Fault(cell=0, text=_LONE_SURROGATE))
    for number, cell in enumerate(notebook["cells"], 1):
        if _has_lone_surrogate(cell):
            faults.append(Fault(cell=number, text=_LONE_SURROGATE))
        if cell.get("cell_type") == "code":
            outputs = sound_outputs(cell.get("outputs"))
            faults += (Fault(cell=number, text=text) for text in outputs.faults)
    return tuple(faults)


def sound_outputs(outputs: object) -> Outputs:
    """Return the sound ones of a code cell's ``outputs``, and the faults of the others."""
    if not isinstance(outputs, list):
        what = f"has outputs that are {_name(outputs)}, not a list"
        return Outputs([], () if outputs is None else (what,))
    sound: list[dict[str, Any]] = []
    faults: list[str] = []
    for output in outputs:
        made = _output(output, faults)
        if made is not None:
            sound.append(made)
    return Outputs(sound, tuple(dict.fromkeys(faults)))


def with_sound_ids(cells: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the cells with valid, unique ids. Wrong ids are replaced: ``cell-0``, ``cell-1``."""
    # Collect valid ids first, so that no new id is equal to one of them.
    texts = [cell["id"] for cell in cells if isinstance(cell.get("id"), str)]
    given = set(filter(_ID.fullmatch, texts))
    seen: set[str] = set()
    sound: list[dict[str, Any]] = []
    for index, cell in enumerate(cells):
        own = str(cell.get("id"))
        if own not in given or own in seen:
            own = f"cell-{index}"
            while own in given or own in seen:
                own += "-"
        seen.add(own)
        sound.append({**cell, "id": own})
    return sound


def object_in(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the JSON object in the field ``name`` of ``value``, or an empty one.

    Old and hand-written notebooks may have null or a string in the field.
    """
    field = value.get(name)
    return field if isinstance(field, dict) else {}


def is_text(value: object) -> bool:
    """Return whether a value is what a notebook allows as text: a string, or a list of strings."""
    if isinstance(value, list):
        return all(isinstance(line, str) for line in value)
    return isinstance(value, str)


def _cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Return a cell without parts of wrong types."""
    kind = cell.get("cell_type")
    metadata = _typed(object_in(cell, "metadata"), _OBJECTS, dict)
    if "tags" in metadata:
        metadata["tags"] = _tags(metadata["tags"])
    sound = {"source": "", **cell, "metadata": metadata}
    if kind not in CELL_TYPES:
        # A cell of an unknown type becomes a raw cell, which never runs.
        sound["cell_type"] = kind = "raw"
    if "attachments" in cell:
        bundles = object_in(cell, "attachments").items()
        sound["attachments"] = {
            name: {media: data for media, data in bundle.items() if is_text(data)}
            for name, bundle in bundles
            if isinstance(bundle, dict)
        }
    if kind == "code":
        # ``faults_of`` reports dropped outputs.
        sound["outputs"] = sound_outputs(cell.get("outputs")).sound
        if "execution_count" in cell and not _is_count(cell["execution_count"]):
            sound["execution_count"] = None
    return sound


def _tags(tags: object) -> list[str]:
    """Return the tags that are strings."""
    if not isinstance(tags, list):
        return []
    return [tag for tag in tags if isinstance(tag, str)]


def _metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return a notebook's metadata with valid kernel, language and widgets."""
    sound = _typed(metadata, _OBJECTS, dict)
    for name in ("kernelspec", "language_info", "widgets"):
        sound.pop(name, None)
    if isinstance(metadata.get("kernelspec"), dict):
        kernel = _typed(metadata["kernelspec"], _NAMES, str)
        name = kernel.get("name") or "python3"
        sound["kernelspec"] = {"display_name": name, **kernel, "name": name}
    language = _typed(object_in(metadata, "language_info"), _NAMES, str)
    if "name" in language:
        sound["language_info"] = language
    widgets = object_in(metadata, "widgets")
    if "state" in object_in(widgets, _WIDGETS):
        sound["widgets"] = widgets
    return sound


def _typed(value: Mapping[str, Any], names: Container[str], kind: type) -> dict[str, Any]:
    """Return ``value`` without the fields in ``names`` that are not of the type ``kind``."""
    return {
        name: field for name, field in value.items() if name not in names or isinstance(field, kind)
    }


def _output(output: object, faults: list[str]) -> dict[str, Any] | None:
    """Return a sound output, or None if it cannot be shown; append its faults to ``faults``."""
    kind = output.get("output_type") if isinstance(output, dict) else None
    if not isinstance(output, dict) or kind not in ("stream", "error", *_BUNDLES):
        faults.append(f"has an output of an unknown kind: {_name(kind)}")
        return None
    if kind == "stream":
        return _stream(output, faults)
    if kind == "error":
        return _error(output)
    return _bundle(output, faults)


def _stream(output: Mapping[str, Any], faults: list[str]) -> dict[str, Any] | None:
    if not is_text(output.get("text", "")):
        faults.append("has a stream whose text is not text")
        return None
    name = output.get("name")
    named = name if name in _STREAMS else _STREAMS[0]
    return {"output_type": "stream", "name": named, "text": output.get("text", "")}


def _error(output: Mapping[str, Any]) -> dict[str, Any]:
    """Return the output of an exception; convert values of wrong types to strings."""
    lines = output.get("traceback")
    if not isinstance(lines, list):
        lines = [lines] if lines else []
    return {
        "output_type": "error",
        "ename": str(output.get("ename", "")),
        "evalue": str(output.get("evalue", "")),
        "traceback": list(map(str, lines)),
    }


def _bundle(output: Mapping[str, Any], faults: list[str]) -> dict[str, Any] | None:
    """Return an output without the MIME types whose data cannot be shown; None if none is left."""
    sound: dict[str, Any] = {}
    for media, data in object_in(output, "data").items():
        fault = _fault_in(media, data)
        if fault:
            faults.append(f"has an output of the type {media!r} that {fault}")
        else:
            sound[media] = data
    if not isinstance(output.get("data", {}), dict):
        faults.append(f"has an output whose data are {_name(output['data'])}, not an object")
    if not sound:
        return None
    # The metadata may have an object for each MIME type, such as the width of an image.
    metadata = _typed(object_in(output, "metadata"), sound, dict)
    kind = output["output_type"]
    made = {"output_type": kind, "data": sound, "metadata": metadata}
    if kind == "execute_result":
        count = output.get("execution_count")
        made["execution_count"] = count if _is_count(count) else None
    return made


def _fault_in(media: str, data: object) -> str:
    """Return what is wrong with data of the MIME type ``media``, or ""."""
    if media == _WIDGET:
        has_model = isinstance(data, dict) and isinstance(data.get("model_id"), str)
        return "" if has_model else "does not name the model of a widget"
    if _JSON.match(media):
        return ""
    if not is_text(data):
        return f"is {_name(data)}, not text"
    if _BYTES.match(media) and not _is_base64(data):
        return "is not base64"
    return ""


def _is_base64(data: Any) -> bool:
    text = data if isinstance(data, str) else "".join(data)
    try:
        return bool(base64.b64decode("".join(text.split()), validate=True))
    except (binascii.Error, ValueError):  # ValueError: not ASCII
        return False


def _is_count(value: object) -> bool:
    """Return whether a value is an integer of at least 0; ``True`` does not count."""
    return type(value) is int and value >= 0


def _has_lone_surrogate(value: object) -> bool:
    """Return whether any string or key in a value has a lone surrogate."""
    if isinstance(value, str):
        return _SURROGATE.search(value) is not None
    if isinstance(value, dict):
        return any(map(_has_lone_surrogate, (*value, *value.values())))
    if isinstance(value, list):
        return any(map(_has_lone_surrogate, value))
    return False


def _name(value: object) -> str:
    """Return a description of a value for messages: ``a number``; a string is quoted."""
    names = {dict: "an object", list: "a list", bool: "true or false", str: repr(value)}
    return names.get(type(value), "nothing" if value is None else "a number")
