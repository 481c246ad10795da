"""What a check is given and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from pipeline.core.checks.parsed import Parsed, parse
from pipeline.model import Entry, Kind, Severity

Span = tuple[int, int]  # of a msgstr, in characters
_KINDS = frozenset(kind.value for kind in Kind)


@dataclass(frozen=True)
class Subject:
    """A translated entry under check: live, finished, with a msgstr. ``page`` names the catalogue."""

    entry: Entry
    page: str = ""

    @property
    def msgid(self) -> str:
        return self.entry.msgid

    @property
    def msgstr(self) -> str:
        return self.entry.msgstr

    @cached_property
    def kind(self) -> Kind:
        """What block it stands in, from the entry's first note; a paragraph if that does not tell."""
        word = self.entry.notes[0].partition(" · ")[0] if self.entry.notes else ""
        return Kind(word) if word in _KINDS else Kind.PARAGRAPH

    @cached_property
    def english(self) -> Parsed:
        """The msgid, parsed in the place where it stands."""
        return parse(self.msgid, self.kind)

    @cached_property
    def chinese(self) -> Parsed:
        """The msgstr, parsed in the place where it will stand."""
        return parse(self.msgstr, self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with one msgstr.

    ``text`` says what, in one line; ``hint`` what to do; ``spans`` mark the words. ``fix`` is the whole msgstr with this mended,
    if that needs no judgement: it may differ in white space and punctuation only, once rendered.
    """

    text: str
    hint: str
    spans: tuple[Span, ...] = ()
    fix: str | None = None
    severity: Severity | None = None  # if it weighs less or more than the check says


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Looks at one entry."""

    code: str
    name: str  # a few words, lower case: "bold or italics that do not show"
    severity: Severity
    find: Callable[[Subject], Iterable[Problem]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCheck:
    """Looks at all entries of a page together; gives the index of the entry with each problem."""

    code: str
    name: str
    severity: Severity
    find: Callable[[Sequence[Subject]], Iterable[tuple[int, Problem]]]
