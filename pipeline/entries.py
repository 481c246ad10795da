"""Records of catalogues (``.po`` files) and their entries, shared by the PO adapter and the core.

Texts in a record are plain: escapes such as ``\\n`` are decoded. Records are immutable; a change
makes a copy (``msgspec.structs.replace``).
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

# Header fields of a new catalogue, until a translator's program replaces them. The date is fixed,
# because the real date would change the file on every run.
NEUTRAL_DATE = "1970-01-01 00:00+0000"
GENERATOR = "jax-docs-zh"

# gettext's separator of msgctxt and msgid, in keys that consist of both.
_CONTEXT_END = "\4"


class Entry(Struct, frozen=True, kw_only=True):
    """One entry of a catalogue: a message and its translation.

    ``line`` is the line where the entry starts in its file, from 1. It is 0 if the entry does not
    come from a file.
    """

    msgid: str
    msgstr: str = ""
    fuzzy: bool = False
    # The old msgid that a fuzzy msgstr translates (``#| msgid``).
    previous: str | None = None
    context: str | None = None  # msgctxt
    obsolete: bool = False
    comments: tuple[str, ...] = ()  # translator comments, ``# ``
    notes: tuple[str, ...] = ()  # extracted comments, ``#. ``
    references: tuple[str, ...] = ()  # page names, ``#: ``
    flags: tuple[str, ...] = ()  # flags other than fuzzy
    # Plural forms occur only in catalogues of programs. An entry with plural forms has no
    # ``msgstr``.
    plural: str | None = None  # msgid_plural
    forms: tuple[str, ...] = ()  # msgstr[0], msgstr[1] …
    previous_plural: str | None = None
    line: int = 0

    @property
    def is_finished(self) -> bool:
        """Return whether the entry has a translation that is not fuzzy.

        This may be true of an obsolete entry, whose message is no longer on the page.
        """
        return self.msgstr != "" and not self.fuzzy

    @property
    def is_translated(self) -> bool:
        """Return whether the entry is finished and not obsolete, so that it may be published."""
        return self.is_finished and not self.obsolete

    @property
    def needs_review(self) -> bool:
        """Return whether a person must confirm the translation before it may be published.

        A fuzzy entry without a msgstr does not count. It is untranslated.
        """
        return self.fuzzy and self.msgstr != "" and not self.obsolete

    @property
    def source_text(self) -> str:
        """Return the English that the msgstr translates.

        This is the msgid, unless the entry is fuzzy and has an older msgid in ``#| msgid``. In an
        entry of the translation memory, both are digests of the English.
        """
        if self.fuzzy and self.previous:
            return self.previous
        return self.msgid

    def notes_with(self, prefix: str | tuple[str, ...]) -> tuple[str, ...]:
        """Return the notes that begin with a prefix, or with one of several, in order.

        ``"seen: "`` finds the note ``seen: 1f0c… guide/start``.
        """
        if not self.notes:
            return ()  # the common case in a memory
        return tuple([note for note in self.notes if note.startswith(prefix)])

    def notes_without(self, prefix: str | tuple[str, ...]) -> tuple[str, ...]:
        """Return the notes that begin with none of some prefixes, in order."""
        return tuple(note for note in self.notes if not note.startswith(prefix))


class Catalog(Struct, frozen=True, kw_only=True):
    """The catalogue of one page: header, the comment above the header, entries in page order."""

    header: Mapping[str, str] = field(default_factory=dict)
    comment: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()

    @property
    def live(self) -> tuple[Entry, ...]:
        """Return the entries that are not obsolete."""
        return tuple(entry for entry in self.entries if not entry.obsolete)

    @property
    def live_texts(self) -> tuple[str, ...]:
        """Return the msgids of the entries that are not obsolete."""
        return tuple(entry.msgid for entry in self.live)


def translations_of(catalog: Catalog) -> dict[str, str]:
    r"""Return the finished translations of a catalogue by msgid.

    An entry with a msgctxt has gettext's key, ``context \4 msgid``. If no entry without msgctxt has
    the same msgid, the first entry with a msgctxt is stored under the plain msgid as well::

        msgctxt "menu", msgid "Open", msgstr "打开"  ->  {"menu\4Open": "打开", "Open": "打开"}
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
