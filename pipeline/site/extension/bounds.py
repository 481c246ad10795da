"""The part of a file that a page includes, where the file is translated.

``start-line`` and its kin count lines and look for words, in English. The bounds are found in
upstream's file, and become lines of the translated one.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from pipeline.adapters import files
from pipeline.core.document.landing import Landed, landings_from_json
from pipeline.core.document.message import Message
from pipeline.core.document.reader import read_document
from pipeline.errors import PipelineError
from pipeline.reading import Dialect, Reading

_LINES = ("start-line", "end-line")
_WORDS = ("start-after", "end-before")


def translated_bounds(env: Any, file: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of an include directive for the translation of ``file``.

    They are as they were if it has none, or if upstream's file lacks the words.
    """
    if options.keys().isdisjoint((*_LINES, *_WORDS)):
        return options
    path = file.relative_to(env.srcdir).as_posix()
    try:
        english = files.read_bytes(Path(env.config.jz_site["docs"], path))
        where = Path(env.config.jz_site["blocks"], f"{path}.json")
        landings = landings_from_json(files.read_bytes(where), where=str(where))
        reading = Reading(dialect=Dialect(env.config.jz_site["dialect"]))
        document = read_document(path, english, reading)
    except PipelineError:
        return options
    splits = [unit.split for unit in document.units]
    messages = [
        *chain.from_iterable((*split.messages, *split.rest) for split in splits)
    ]
    bounds = bounds_in(document.raw, options)
    if bounds is None or len(messages) != len(landings):
        return options
    rest = {key: value for key, value in options.items() if key not in _LINES + _WORDS}
    moved = (moved_line(line, messages, landings) for line in bounds)
    return {**rest, **dict(zip(_LINES, moved, strict=True))}


def bounds_in(text: str, options: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the lines of ``text`` that an include directive takes: the first, and that behind all.

    Both count from 0. None if the words are not there.
    """
    lines = text.splitlines()
    first, last, _ = slice(options.get("start-line"), options.get("end-line")).indices(
        len(lines)
    )
    body = "\n".join(lines[first:last])
    start, end = 0, len(body)
    if words := options.get("start-after"):
        start = body.find(words) + len(words)
        if words not in body:
            return None
    if words := options.get("end-before"):
        end = body.find(words, start)
        if end < 0:
            return None
    # What is left of a line beside the words is no line of its own.
    begin = (
        first + body.count("\n", 0, start) + (1 if options.get("start-after") else 0)
    )
    until = first + body.count("\n", 0, end)
    return begin, until if options.get("end-before") else last


def moved_line(line: int, messages: list[Message], landings: tuple[Landed, ...]) -> int:
    """Return which line of the translation a line of upstream's file has become.

    Lines move by as much as the last message above has.
    """
    moved = 0
    for message, landing in zip(messages, landings, strict=True):
        if message.last_line <= line:
            moved = landing.last_line - message.last_line
    return line + moved
