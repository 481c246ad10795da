"""Records of a check: the subject that it looks at, the problem that it finds, and its rule.

A check takes a :class:`Subject`, one finished translation, and yields a :class:`Problem` for each
thing that is wrong with it. Checks are pure functions: they read no file and change nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pipeline.core.checks.masked import SentencePair, masked, sentence_pairs
from pipeline.core.checks.parsed import Parsed, parse
from pipeline.core.document.guard import Refusal
from pipeline.core.document.markdown import guard
from pipeline.core.document.message import Kind, Markup, Message
from pipeline.entries import Entry
from pipeline.findings import Severity, Span

_KINDS = frozenset(kind.value for kind in Kind)
# Blocks that need not be sentences.
TITLES = frozenset(
    (
        Kind.HEADING,
        Kind.TABLE_CELL,
        Kind.TITLE,
        Kind.TERM,
        Kind.CAPTION,
        Kind.IMAGE,
        Kind.PAGE_TITLE,
        Kind.FRONT_MATTER,
    )
)
_RST_FILE = re.compile(r"\.(?:rst|rest)(?::\d*)?$|:docstring$|:docstring of\b")
_MARKDOWN_FILE = re.compile(r"\.(?:md|markdown|myst|ipynb)(?::\d*)?$")
# ``code``, :role:`x`, `words`_; and [words](target), {role}`x`, a fence
_RST_SIGN = re.compile(r"``[^`]+``|:[\w.+:-]+:`|`__?(?!\w)")
_MARKDOWN_SIGN = re.compile(r"\]\(|\{[\w.+:-]+\}`|```")
# What stands behind the kind of a message that is no plain Markdown.
_MARKUP_NOTES = {f" ({Markup.RST})": Markup.RST}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a message stands: in what block, of which language, under which titles."""

    kind: Kind = Kind.PARAGRAPH
    markup: Markup = Markup.MARKDOWN
    section: str = ""  # the titles around it in one line, as `Message.section` has them


def read_place(entry: Entry, usual_markup: Markup = Markup.MARKDOWN) -> Place:
    """Return the place of an entry's message, from its first note.

    :func:`pipeline.core.catalog.update.wanted_entries` writes that note, in the format
    ``KIND[ (MARKUP)][ · SECTION]``::

        #. list item · Install › With pip
        #. paragraph (reST)

    The markup is left out for Markdown, the section at the top of a page. An entry that another
    tool wrote has no such note; it counts as a paragraph in the usual language.
    """
    note = entry.notes[0] if entry.notes else ""
    block, _, section = note.partition(" · ")
    markup = Markup.MARKDOWN if block in _KINDS else usual_markup
    word = block
    for mark, marked in _MARKUP_NOTES.items():
        if block.endswith(mark):
            word, markup = block.removesuffix(mark), marked
    return Place(
        kind=Kind(word) if word in _KINDS else Kind.PARAGRAPH,
        markup=markup,
        section=section,
    )


def markup_of_references(entry: Entry) -> Markup | None:
    """Return the markup of the files that an entry is from; None if its ``#:`` name no known file.

    Sphinx writes ``../guide.rst:12``, ``guide.md:3``, and ``a.py:docstring of a.f:1``.
    """
    for reference in entry.references:
        if _RST_FILE.search(reference):
            return Markup.RST
        if _MARKDOWN_FILE.search(reference):
            return Markup.MARKDOWN
    return None


def usual_markup_of(entries: Sequence[Entry]) -> Markup:
    """Return what most entries of a catalogue are marked up in, by ``#:`` or by their English.

    Some platforms leave the ``#:`` out. Markdown if there is no sign.
    """
    counts = Counter(filter(None, map(markup_of_references, entries)))
    if not counts:
        for entry in entries:
            counts[Markup.RST] += bool(_RST_SIGN.search(entry.msgid))
            counts[Markup.MARKDOWN] += bool(_MARKDOWN_SIGN.search(entry.msgid))
    return (
        Markup.RST if counts[Markup.RST] > counts[Markup.MARKDOWN] else Markup.MARKDOWN
    )


# `words`_, name_ and :term:`words`, without a target of their own.
_PHRASE_REFERENCE = re.compile(r"(?<![`:\w])`(?P<name>[^`<>]+)`_(?!_)")
_WORD_REFERENCE = re.compile(
    r"(?<![`:\w.-])(?P<name>[A-Za-z0-9]+(?:[-._+:][A-Za-z0-9]+)*)_(?![\w_`])"
)
_TERM_ROLE = re.compile(r":(?:std:)?term:`(?P<name>[^`<>]+)`")
_ANNOUNCES = "::"


def as_english_is_read(msgid: str) -> str:
    """Return the English without a final ``::``: Sphinx adds the literal block's mark by itself."""
    return msgid[:-1] if msgid.endswith(_ANNOUNCES) else msgid


def as_sphinx_reads(msgid: str, msgstr: str) -> str:
    """Return a translation with the targets of its English where it has translated names.

    With "See `the guide`_ on a :term:`lamp`.":

        "见 `指南`_ 中的 :term:`灯`。"  ->  "见 `指南 <the guide_>`_ 中的 :term:`灯 <lamp>`。"
    """
    msgstr = _with_targets(
        msgstr,
        _PHRASE_REFERENCE,
        [*_names_in(_PHRASE_REFERENCE, msgid), *_names_in(_WORD_REFERENCE, msgid)],
        "`{} <{}_>`_",
    )
    msgstr = _with_targets(
        msgstr, _TERM_ROLE, _names_in(_TERM_ROLE, msgid), ":term:`{} <{}>`"
    )
    if msgid.endswith(_ANNOUNCES) and msgstr.endswith(_ANNOUNCES):
        return msgstr[:-1]
    return msgstr


def _names_in(pattern: re.Pattern[str], text: str) -> list[str]:
    """Return what a text names, in order."""
    return [match["name"] for match in pattern.finditer(text)]


def _with_targets(
    msgstr: str, pattern: re.Pattern[str], names: list[str], written: str
) -> str:
    """Return ``msgstr`` with a target of the English, in order, for each translated name."""
    ours = _names_in(pattern, msgstr)
    known = {name.lower() for name in names}
    orphans: Iterator[str] = iter([name for name in names if name not in ours])

    def titled(match: re.Match[str]) -> str:
        """Return a name with its target; as it is if the English has it, or names nothing more."""
        if match["name"].lower() in known:
            return match[0]
        target = next(orphans, "")
        return written.format(match["name"], target) if target else match[0]

    return pattern.sub(titled, msgstr)


_ONE_LESS = {
    Severity.ERROR: Severity.WARNING,
    Severity.WARNING: Severity.NOTE,
    Severity.NOTE: Severity.NOTE,
}


@dataclass(frozen=True)
class Subject:
    """A translated entry under check: live, finished, with a msgstr. ``page`` names the catalogue.

    Whatever several checks want to know of it is worked out once, when the first one asks.
    """

    entry: Entry
    page: str = ""
    # What it is marked up in, if the entry does not say.
    usual_markup: Markup = Markup.MARKDOWN
    # Whether it is of another project, whose tools read more than ours do.
    is_of_others: bool = False

    @property
    def msgid(self) -> str:
        """The English."""
        return self.entry.msgid

    @property
    def msgstr(self) -> str:
        """The translation."""
        return self.entry.msgstr

    @cached_property
    def place(self) -> Place:
        """Where the message stands, as far as the entry says."""
        return read_place(self.entry, self.usual_markup)

    @cached_property
    def kind(self) -> Kind:
        """What block the message is."""
        return self.place.kind

    @cached_property
    def markup(self) -> Markup:
        """What language the message is marked up in, as the checks read it."""
        return self.place.markup

    @cached_property
    def refusal(self) -> Refusal | None:
        """Why the guard leaves the translation out; None if it does not."""
        english, chinese = self._as_read
        markup = self.place.markup
        message = Message(
            msgid=english, kind=self.kind, start=0, end=0, line=0, markup=markup
        )
        if markup is not Markup.RST:
            return guard.refusal(message, chinese)
        # docutils is slow to import, and most catalogues need none of it.
        from pipeline.core.document.rst import guard as rst_guard

        return rst_guard.refusal(message, chinese)

    @cached_property
    def english(self) -> Parsed:
        """The msgid, parsed in the place where it stands."""
        return self.read(self._as_read[0])

    @cached_property
    def chinese(self) -> Parsed:
        """The msgstr, parsed in the place where it will stand."""
        return self.read(self._as_read[1])

    @cached_property
    def is_in_place(self) -> bool:
        """Whether the translation stands as the right block.

        In another block all of its markup may mean something else.
        """
        return self.chinese.blocks == self.english.blocks

    @cached_property
    def has_all_atoms(self) -> bool:
        """Whether the atoms are those of the English."""
        return self.chinese.atoms == self.english.atoms

    @cached_property
    def masked_english(self) -> str:
        """The msgid with stand-ins for all that is not prose."""
        return masked(self.msgid, self.markup)

    @cached_property
    def masked_chinese(self) -> str:
        """The msgstr with stand-ins for all that is not prose. Positions are the same."""
        return masked(self.msgstr, self.markup)

    @cached_property
    def sentences(self) -> tuple[SentencePair, ...]:
        """The sentences, masked, each with its translation."""
        return sentence_pairs(self.masked_english, self.masked_chinese)

    @cached_property
    def _as_read(self) -> tuple[str, str]:
        """English and translation as the tools read them that put them in place."""
        if not self.is_of_others or self.markup is not Markup.RST:
            return self.msgid, self.msgstr
        english = as_english_is_read(self.msgid)
        return english, as_sphinx_reads(self.msgid, self.msgstr)

    def read(self, text: str) -> Parsed:
        """Return another text, parsed in the same place."""
        return parse(text, self.kind, self.markup)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with one msgstr.

    The function that finds it fills in the first fields. ``text`` says what is wrong, in one line;
    ``hint`` says what to do; ``spans`` mark the words. ``fix`` is the whole msgstr with this
    mended, if that needs no judgement: once rendered, it may differ in white space and punctuation
    only.

    The last fields say under which rule and where it was found. :meth:`Rule.stamp` fills them in:
    the function that finds a problem knows neither.
    """

    text: str
    hint: str
    spans: tuple[Span, ...] = ()
    fix: str | None = None
    is_minor: bool = False  # it weighs one step less than its rule says
    index: int = 0  # which entry of the page it is about

    page: str = ""
    code: str = ""
    name: str = ""
    severity: Severity = Severity.WARNING


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What is looked for, under a code that never changes its meaning."""

    code: str
    name: str  # a few words, lower case: "bold or italics that do not show"
    severity: Severity

    def stamp(self, problem: Problem, *, page: str = "", index: int = 0) -> Problem:
        """Return ``problem`` as one of this rule, about the entry number ``index`` of ``page``."""
        severity = _ONE_LESS[self.severity] if problem.is_minor else self.severity
        return replace(
            problem,
            page=page,
            index=index,
            code=self.code,
            name=self.name,
            severity=severity,
        )


Find = Callable[[Subject], Iterator[Problem]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Rule):
    """A rule about one entry."""

    find: Callable[[Subject], Iterable[Problem]]

    def look(self, subject: Subject) -> Iterator[Problem]:
        """Yield the problems of one entry, each with its code."""
        for problem in self.find(subject):
            yield self.stamp(problem, page=subject.page)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCheck(Rule):
    """A rule about all entries of a page together. Each problem says by ``index`` whose it is."""

    find: Callable[[Sequence[Subject]], Iterable[Problem]]


def by_markup(markdown: Find, rst: Find) -> Find:
    """Return one function for both languages, which chooses by the markup of the message."""

    def find(subject: Subject) -> Iterator[Problem]:
        if subject.markup is Markup.RST:
            return rst(subject)
        return markdown(subject)

    return find
