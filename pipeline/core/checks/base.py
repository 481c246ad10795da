"""What a check is given and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pipeline.core.checks.masked import masked
from pipeline.core.checks.parsed import Parsed, parse
from pipeline.core.document.message import Kind, Markup, Message
from pipeline.core.myst import guard
from pipeline.core.myst.guard import Refusal
from pipeline.entries import Entry
from pipeline.findings import Severity

Span = tuple[int, int]  # of a msgstr, in characters
_KINDS = frozenset(kind.value for kind in Kind)
_MARKUP = f" ({Markup.RST})"  # behind the kind, in the note of a message that is no Markdown


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
        word = self._place.removesuffix(_MARKUP)
        return Kind(word) if word in _KINDS else Kind.PARAGRAPH

    @cached_property
    def markup(self) -> Markup:
        """What it is marked up in, from the same note; Markdown if that does not tell."""
        return Markup.RST if self._place.endswith(_MARKUP) else Markup.MARKDOWN

    @property
    def _place(self) -> str:
        return self.entry.notes[0].partition(" · ")[0] if self.entry.notes else ""

    @cached_property
    def refusal(self) -> Refusal | None:
        """Why the guard leaves it out, if it does."""
        message = Message(
            msgid=self.msgid, kind=self.kind, start=0, end=0, line=0, markup=self.markup
        )
        if self.markup is not Markup.RST:
            return guard.refusal(message, self.msgstr)
        from pipeline.core.rst import guard as rst_guard

        return rst_guard.refusal(message, self.msgstr)

    @cached_property
    def english(self) -> Parsed:
        """The msgid, parsed in the place where it stands."""
        return self.read(self.msgid)

    @cached_property
    def chinese(self) -> Parsed:
        """The msgstr, parsed in the place where it will stand."""
        return self.read(self.msgstr)

    @cached_property
    def is_in_place(self) -> bool:
        """Whether the translation stands as the right block: in another one all of its markup may mean something else."""
        return self.chinese.blocks == self.english.blocks

    @cached_property
    def has_all_atoms(self) -> bool:
        """Whether the atoms are those of the English."""
        return self.chinese.atoms == self.english.atoms

    @cached_property
    def masked_english(self) -> str:
        """The msgid with stand-ins for what is no prose."""
        return masked(self.msgid, self.markup)

    @cached_property
    def masked_chinese(self) -> str:
        """The msgstr with stand-ins for what is no prose, as long as it is."""
        return masked(self.msgstr, self.markup)

    def read(self, text: str) -> Parsed:
        """Another text in that place."""
        return parse(text, self.kind, self.markup)


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


Find = Callable[[Subject], Iterator[Problem]]


def by_markup(markdown: Find, rst: Find) -> Find:
    """Looks at each message by what it is marked up in."""

    def find(subject: Subject) -> Iterator[Problem]:
        return rst(subject) if subject.markup is Markup.RST else markdown(subject)

    return find


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
