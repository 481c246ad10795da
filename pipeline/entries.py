"""Catalogues as records: what the PO adapter reads and writes, and what the core works on.

A record holds everything that a ``.po`` file says, as plain text without escapes. It never changes:
a new state is a changed copy (``dataclasses.replace``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# Every catalogue that we make starts with these two, until a translator's tool puts its own there.
# A real date would change the file on every run.
NEUTRAL_DATE = "1970-01-01 00:00+0000"
GENERATOR = "jax-docs-zh"

# What gettext puts between a msgctxt and its msgid where one text has to name both.
_CONTEXT_END = "\4"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a catalogue.

    ``line`` is the 1-based line where it starts in the file read, or 0.
    """

    msgid: str
    msgstr: str = ""
    fuzzy: bool = False
    # The msgid that a fuzzy msgstr was written for (``#| msgid``).
    previous: str | None = None
    context: str | None = None  # msgctxt
    obsolete: bool = False
    comments: tuple[str, ...] = ()  # translator comments, ``# ``
    notes: tuple[str, ...] = ()  # extracted comments, ``#. ``
    references: tuple[str, ...] = ()  # ``#: ``, page names
    flags: tuple[str, ...] = ()  # other flags than fuzzy
    # Of programs' catalogues only: prose has no plural forms. Such an entry has no ``msgstr``.
    plural: str | None = None  # msgid_plural
    forms: tuple[str, ...] = ()  # msgstr[0], msgstr[1] …
    previous_plural: str | None = None
    line: int = 0

    @property
    def is_finished(self) -> bool:
        """Whether the translation needs no person to look at it any more.

        An obsolete one may be finished, too: it was when its message went.
        """
        return self.msgstr != "" and not self.fuzzy

    @property
    def is_translated(self) -> bool:
        """Whether the translation may be shown to readers.

        It is finished, and the page still has its message.
        """
        return self.is_finished and not self.obsolete

    @property
    def is_waiting(self) -> bool:
        """Whether a person has to look at the translation before readers may see it.

        A fuzzy entry without a msgstr has nothing to look at: it is untranslated.
        """
        return self.fuzzy and self.msgstr != "" and not self.obsolete

    @property
    def written_for(self) -> str:
        """The English (in a memory: its digest) that the msgstr was written for.

        That is the msgid, but for a fuzzy msgstr of which ``#| msgid`` tells another.
        """
        if self.fuzzy and self.previous:
            return self.previous
        return self.msgid

    def notes_with(self, prefix: str | tuple[str, ...]) -> tuple[str, ...]:
        """The notes that begin with ``prefix``, or with one of several, in their order.

        ``"seen: "`` finds the note ``seen: 1f0c… guide/start``.
        """
        return tuple(note for note in self.notes if note.startswith(prefix))


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The catalogue of one page: header fields, the comment above them, entries in page order."""

    header: Mapping[str, str] = field(default_factory=dict)
    comment: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()


def translations_of(catalog: Catalog) -> dict[str, str]:
    """The finished translations of a catalogue by msgid: what readers may see.

    An entry with a msgctxt stands under gettext's key for it, ``context \\4 msgid``.
    The first such entry also serves the plain msgid if no entry without a context does:
    ``msgctxt "menu"``, ``msgid "Open"``, ``msgstr "打开"`` becomes
    ``{"menu\\4Open": "打开", "Open": "打开"}``.
    """
    with_context: dict[str, str] = {}
    plain: dict[str, str] = {}
    for entry in catalog.entries:
        if not entry.is_translated:
            continue
        if entry.context is None:
            plain[entry.msgid] = entry.msgstr
        else:
            with_context[f"{entry.context}{_CONTEXT_END}{entry.msgid}"] = entry.msgstr
            with_context.setdefault(entry.msgid, entry.msgstr)
    return with_context | plain
