"""What a page asks to be translated, as blank entries of a catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.core.document.message import UNWRITABLE, Markup, Message
from pipeline.core.document.reader import Document, messages_with_code
from pipeline.entries import Entry

CODE = "code: "  # what a note begins with that shows a line of code


def wanted_entries(page: str, documents: Sequence[Document]) -> tuple[Entry, ...]:
    """The entries that a page needs, in page order, each once; a jupytext pair gives one list.

    The first note says what kind of block it is, and under which headings it stands: ``paragraph ·
    Pytrees``. Others show the code that it leads to: ``code: tree = {"a": 1}``.
    """
    entries: dict[str, Entry] = {}
    for document in documents:
        for message, code in messages_with_code(document):
            if message.msgid not in entries:
                entries[message.msgid] = Entry(
                    msgid=message.msgid,
                    notes=(_note(message), *(f"{CODE}{line}" for line in code)),
                    references=(page,),
                )
    return tuple(entries.values())


def without_code(entry: Entry) -> Entry:
    """An entry without the notes that show code."""
    shown = entry.notes_with(CODE)
    if not shown:
        return entry
    notes = tuple(note for note in entry.notes if note not in shown)
    return replace(entry, notes=notes)


def _note(message: Message) -> str:
    """What kind of block a message is, in which mark-up, and under which headings.

    ``paragraph · Pytrees``, or in reStructuredText ``paragraph (reST) · Pytrees``.
    """
    kind = str(message.kind)
    if message.markup is not Markup.MARKDOWN:
        kind = f"{kind} ({message.markup})"
    if not message.section:
        return kind
    # A heading may hold line breaks and odd characters, and a comment may not.
    section = UNWRITABLE.sub("?", message.section)
    return " ".join(f"{kind} · {section}".split())
