"""Put translations in the place of messages: output = gaps + translations, by position."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.core.document import prose
from pipeline.core.document.message import Kind, Message
from pipeline.core.myst.split import Split


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``[start, end)`` of a text by ``text``; an insertion has ``start == end``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A text with translations in it, and where each message and each insertion has come to lie."""

    text: str
    edits: tuple[Edit, ...]
    spans: tuple[tuple[int, int], ...]  # of every message of the split, translated or not
    inserted: tuple[tuple[int, int], ...]
    kept_terms: frozenset[int] = frozenset()  # messages whose English stands below, by index


def translation_lines(msgstr: str) -> list[str]:
    """The lines of a translation; white space around it means nothing."""
    return msgstr.strip().split("\n")


def to_markdown(message: Message, msgstr: str, *, line_end: str = "\n") -> str:
    """What stands in the document for ``msgstr``: hard breaks, container prefixes and data URIs are back."""
    lines = translation_lines(prose.show_payloads(msgstr, message.payloads))
    parts = [lines[0]]
    for number, line in enumerate(lines[1:]):
        mark = ""
        if message.kind is not Kind.HTML:
            mark = message.breaks[min(number, len(message.breaks) - 1)] if message.breaks else "\\"
        parts += [mark, line_end, message.prefix, line]
    return "".join(parts)


def line_end_of(text: str) -> str:
    """The line end that ``text`` uses, by its first one."""
    match = re.search(r"\r\n?|\n", text)
    return match[0] if match else "\n"


def place(split: Split, translations: Mapping[int, str], insertions: Sequence[Edit] = ()) -> Placed:
    """Put ``translations`` (by index of the message) and ``insertions`` into the split text."""
    line_end = line_end_of(split.text)
    edits = list(insertions)
    for index, msgstr in translations.items():
        message = split.messages[index]
        edits.append(
            Edit(message.start, message.end, to_markdown(message, msgstr, line_end=line_end))
        )
    edits.sort(key=lambda edit: (edit.start, edit.end))
    return Placed(
        text=splice(split.text, edits),
        edits=tuple(edits),
        spans=tuple(_moved(split.messages, edits)),
        inserted=tuple(_inserted(edits)),
    )


def splice(text: str, edits: Sequence[Edit]) -> str:
    """Apply sorted, non-overlapping edits."""
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    parts.append(text[at:])
    return "".join(parts)


def _moved(messages: Sequence[Message], edits: Sequence[Edit]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    shift, next_edit = 0, 0
    for message in messages:
        while (
            next_edit < len(edits)
            and edits[next_edit].end <= message.start
            and edits[next_edit].start < message.end
        ):
            edit = edits[next_edit]
            shift += len(edit.text) - (edit.end - edit.start)
            next_edit += 1
        start = message.start + shift
        if next_edit < len(edits) and (edits[next_edit].start, edits[next_edit].end) == (
            message.start,
            message.end,
        ):
            spans.append((start, start + len(edits[next_edit].text)))
        else:
            spans.append((start, message.end + shift))
    return spans


def _inserted(edits: Sequence[Edit]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    shift = 0
    for edit in edits:
        if edit.start == edit.end:
            spans.append((edit.start + shift, edit.start + shift + len(edit.text)))
        shift += len(edit.text) - (edit.end - edit.start)
    return spans
