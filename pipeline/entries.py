"""Catalogues as records: what the adapter reads and writes as PO, and what the core works on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a catalogue. ``line`` is the 1-based line where it starts in the file read, or 0."""

    msgid: str
    msgstr: str = ""
    fuzzy: bool = False
    previous: str | None = None  # the msgid that a fuzzy msgstr was written for (``#| msgid``)
    context: str | None = None  # msgctxt
    obsolete: bool = False
    comments: tuple[str, ...] = ()  # translator comments, ``# ``
    notes: tuple[str, ...] = ()  # extracted comments, ``#. ``
    references: tuple[str, ...] = ()  # ``#: ``, page names
    flags: tuple[str, ...] = ()  # other flags than fuzzy
    line: int = 0

    @property
    def is_translated(self) -> bool:
        """Whether the translation may be shown to readers."""
        return bool(self.msgstr) and not self.fuzzy and not self.obsolete


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The catalogue of one page: header fields, the comment above them, entries in page order."""

    header: Mapping[str, str] = field(default_factory=dict)
    comment: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
