"""Records of the checks: subject, problem and rule.

A check takes a :class:`Subject`, which is one translated entry, and yields a :class:`Problem` for
each mistake in the translation. The checks are pure functions: they read no file and change
nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from pipeline.core.checks.masked import SentencePair, masked, sentence_pairs
from pipeline.core.checks.parsed import Parsed, parse
from pipeline.core.document.guard import Refusal
from pipeline.core.document.markdown import guard
from pipeline.core.document.message import Kind, Markup
from pipeline.entries import Entry
from pipeline.findings import Severity, Span

_KINDS = frozenset(kind.value for kind in Kind)
# Kinds of blocks whose text need not be a sentence.
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
# Signs of one markup language that the other one does not have. reST: ``code``, :role:`x`,
# `words`_. Markdown: [words](target), {role}`x`, a fence.
_RST_SIGN = re.compile(r"``[^`]+``|:[\w.+:-]+:`|`__?(?!\w)")
_MARKDOWN_SIGN = re.compile(r"\]\(|\{[\w.+:-]+\}`|```")
# In the note of a reST message, this suffix follows the kind of block.
_RST_NOTE = f" ({Markup.RST})"


class MessageContext(Struct, frozen=True, kw_only=True):
    """The context of a message: kind of block, markup language, enclosing headings."""

    kind: Kind = Kind.PARAGRAPH
    markup: Markup = Markup.MARKDOWN
    section: str = ""  # the headings in one line, as in `Message.section`


def read_place(entry: Entry, usual_markup: Markup = Markup.MARKDOWN) -> MessageContext:
    """Return the context of an entry's message, parsed from the first note (``#.``) of the entry.

    :func:`pipeline.core.catalog.update.wanted_entries` writes this note in the form
    ``KIND[ (MARKUP)][ · SECTION]``::

        #. list item · Install › With pip
        #. paragraph (reST)

    The note omits the markup if it is Markdown. It omits the section before the first heading of a
    page. An entry that another tool wrote has no such note: assume a paragraph in
    ``usual_markup``.
    """
    note = entry.notes[0] if entry.notes else ""
    block, _, section = note.partition(" · ")
    word = block.removesuffix(_RST_NOTE)
    markup = Markup.MARKDOWN if block in _KINDS else usual_markup
    if word != block:
        markup = Markup.RST
    return MessageContext(
        kind=Kind(word) if word in _KINDS else Kind.PARAGRAPH,
        markup=markup,
        section=section,
    )


def markup_of_references(entry: Entry) -> Markup | None:
    """Return the markup of the files that an entry references, or None if no file type is known.

    Sphinx writes references (``#:``) such as ``../guide.rst:12``, ``guide.md:3``, and
    ``a.py:docstring of a.f:1``.
    """
    for reference in entry.references:
        if _RST_FILE.search(reference):
            return Markup.RST
        if _MARKDOWN_FILE.search(reference):
            return Markup.MARKDOWN
    return None


def usual_markup_of(entries: Sequence[Entry]) -> Markup:
    """Return the markup of most entries of a catalogue, or Markdown in case of doubt.

    The types of the referenced files decide. Some translation platforms omit references (``#:``).
    For their catalogues, typical markup in the English texts decides.
    """
    counts = Counter(filter(None, map(markup_of_references, entries)))
    if not counts:
        for entry in entries:
            counts[Markup.RST] += bool(_RST_SIGN.search(entry.msgid))
            counts[Markup.MARKDOWN] += bool(_MARKDOWN_SIGN.search(entry.msgid))
    return Markup.RST if counts[Markup.RST] > counts[Markup.MARKDOWN] else Markup.MARKDOWN


# References whose words are also the target: `words`_, name_ and :term:`words`.
_PHRASE_REFERENCE = re.compile(r"(?<![`:\w])`(?P<name>[^`<>]+)`_(?!_)")
_WORD_REFERENCE = re.compile(
    r"(?<![`:\w.-])(?P<name>[A-Za-z0-9]+(?:[-._+:][A-Za-z0-9]+)*)_(?![\w_`])"
)
_TERM_ROLE = re.compile(r":(?:std:)?term:`(?P<name>[^`<>]+)`")
_ANNOUNCES = "::"


def english_for_sphinx(msgid: str) -> str:
    """Return an English text with a final ``::`` shortened to ``:``.

    A final ``::`` turns the next block into code. Sphinx handles the ``::`` itself, so the checks
    compare the paragraphs without it.
    """
    return msgid[:-1] if msgid.endswith(_ANNOUNCES) else msgid


def translation_for_sphinx(msgid: str, msgstr: str) -> str:
    """Return a translation as Sphinx inserts it: translated reference names get English targets.

    Sphinx assigns the English targets to the translated names in order. For the English text
    "See `the guide`_ on a :term:`lamp`.":

        "见 `指南`_ 中的 :term:`灯`。"  ->  "见 `指南 <the guide_>`_ 中的 :term:`灯 <lamp>`。"

    Shorten a final ``::`` to ``:``, as :func:`english_for_sphinx` does.
    """
    msgstr = _with_targets(
        msgstr,
        _PHRASE_REFERENCE,
        [*_names_in(_PHRASE_REFERENCE, msgid), *_names_in(_WORD_REFERENCE, msgid)],
        "`{} <{}_>`_",
    )
    msgstr = _with_targets(msgstr, _TERM_ROLE, _names_in(_TERM_ROLE, msgid), ":term:`{} <{}>`")
    if msgid.endswith(_ANNOUNCES) and msgstr.endswith(_ANNOUNCES):
        return msgstr[:-1]
    return msgstr


def _names_in(pattern: re.Pattern[str], text: str) -> list[str]:
    """Return the names in a text that match a pattern, in order."""
    return [match["name"] for match in pattern.finditer(text)]


def _with_targets(msgstr: str, pattern: re.Pattern[str], names: list[str], written: str) -> str:
    """Return ``msgstr`` with an English target for each translated name.

    ``pattern`` matches a reference without a separate target. ``names`` are the names in the
    English text, in order. ``written`` is the template for a reference with a target, such as
    ":term:`{} <{}>`".
    """
    ours = _names_in(pattern, msgstr)
    known = set(map(str.lower, names))
    # English names that the translation does not contain. They become the targets, in
    # order.
    orphans: Iterator[str] = iter([name for name in names if name not in ours])

    def titled(match: re.Match[str]) -> str:
        """Return a reference with the next English target.

        Return it unchanged if its name is English, or if no English target is left.
        """
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


class Subject(Struct, frozen=True, dict=True):
    """A translated entry to check; ``page`` is the name of its catalogue.

    The properties that several checks need are computed once, on first use.
    """

    entry: Entry
    page: str = ""
    # The markup to assume if the entry's note does not name one.
    usual_markup: Markup = Markup.MARKDOWN
    # Whether another tool inserts the translation into the page (Sphinx).
    is_foreign: bool = False

    @property
    def msgid(self) -> str:
        """The English text."""
        return self.entry.msgid

    @property
    def msgstr(self) -> str:
        """The translation."""
        return self.entry.msgstr

    @cached_property
    def place(self) -> MessageContext:
        """Return the context of the message, from the entry's note."""
        return read_place(self.entry, self.usual_markup)

    @cached_property
    def kind(self) -> Kind:
        """Return the kind of block of the message."""
        return self.place.kind

    @cached_property
    def markup(self) -> Markup:
        """Return the markup language in which the checks parse the message."""
        return self.place.markup

    @cached_property
    def refusal(self) -> Refusal | None:
        """Return the guard's reason to reject the translation, or None if the guard accepts it."""
        english, chinese = self._as_read
        if self.markup is not Markup.RST:
            return guard.refusal(english, self.kind, chinese)
        # docutils is slow to import, and most catalogues do not need it.
        from pipeline.core.document.rst import guard as rst_guard

        return rst_guard.refusal(english, self.kind, chinese)

    @cached_property
    def english(self) -> Parsed:
        """Return the msgid, parsed in its context."""
        return self.read(self._as_read[0])

    @cached_property
    def chinese(self) -> Parsed:
        """Return the msgstr, parsed in its context."""
        return self.read(self._as_read[1])

    @cached_property
    def is_in_place(self) -> bool:
        """Return whether a parser finds the same blocks in the translation as in the English.

        If the blocks differ, markup in the translation may have another meaning.
        """
        return self.chinese.blocks == self.english.blocks

    @cached_property
    def has_all_atoms(self) -> bool:
        """Return whether the translation has the same atoms as the English, equally often."""
        return self.chinese.atoms == self.english.atoms

    @cached_property
    def masked_english(self) -> str:
        """Return the msgid with each character of markup and atoms replaced by a stand-in.

        See :func:`pipeline.core.checks.masked.masked`.
        """
        return masked(self.msgid, self.markup)

    @cached_property
    def masked_chinese(self) -> str:
        """Return the msgstr with each character of markup and atoms replaced by a stand-in.

        The length is unchanged, so a position in the masked text is also valid in the msgstr.
        """
        return masked(self.msgstr, self.markup)

    @cached_property
    def sentences(self) -> tuple[SentencePair, ...]:
        """Return the sentences of the masked texts in pairs: English and translation."""
        return sentence_pairs(self.masked_english, self.masked_chinese)

    @cached_property
    def _as_read(self) -> tuple[str, str]:
        """Return both texts in the form in which they are parsed.

        The pipeline parses both texts unchanged. Sphinx changes reST before it parses the text; see
        :func:`translation_for_sphinx`.
        """
        if not self.is_foreign or self.markup is not Markup.RST:
            return self.msgid, self.msgstr
        english = english_for_sphinx(self.msgid)
        return english, translation_for_sphinx(self.msgid, self.msgstr)

    def read(self, text: str) -> Parsed:
        """Parse another text in the context of this message, such as a corrected translation."""
        return parse(text, self.kind, self.markup)


class Problem(Struct, frozen=True, kw_only=True):
    """One mistake in one msgstr.

    The check function sets the fields of the first group. ``text`` describes the mistake in one
    line, and ``hint`` says how to correct it. ``spans`` are the positions of the wrong words in the
    msgstr. ``fix`` is the complete corrected msgstr, or None if a person must decide. A fix changes
    only white space and punctuation of the rendered text.

    :meth:`Rule.stamp` sets the fields of the second group: the page and the rule. The check
    function does not know them.
    """

    text: str
    hint: str
    spans: tuple[Span, ...] = ()
    fix: str | None = None
    is_downgraded: bool = False  # one level below the severity of the rule
    index: int = 0  # index of the entry on the page

    page: str = ""
    code: str = ""
    name: str = ""
    severity: Severity = Severity.WARNING


class Rule(Struct, frozen=True, kw_only=True):
    """Identity of a check: code, name and severity. The meaning of a code never changes."""

    code: str
    name: str  # a few words, lower case: "bold or italics that do not show"
    severity: Severity

    def stamp(self, problem: Problem, *, page: str = "", index: int = 0) -> Problem:
        """Return ``problem`` with the fields of this rule, and the entry's page and index."""
        severity = _ONE_LESS[self.severity] if problem.is_downgraded else self.severity
        return replace(
            problem,
            page=page,
            index=index,
            code=self.code,
            name=self.name,
            severity=severity,
        )


Find = Callable[[Subject], Iterator[Problem]]


class Check(Rule, frozen=True, kw_only=True):
    """A rule whose function examines one entry at a time."""

    find: Callable[[Subject], Iterable[Problem]]

    def look(self, subject: Subject) -> Iterator[Problem]:
        """Yield the problems of one entry, with this rule's code, name and severity."""
        for problem in self.find(subject):
            yield self.stamp(problem, page=subject.page)


class PageCheck(Rule, frozen=True, kw_only=True):
    """A rule whose function compares many entries, of one page or of several pages.

    The ``index`` of each problem identifies its entry.
    """

    find: Callable[[Sequence[Subject]], Iterable[Problem]]


def by_markup(markdown: Find, rst: Find) -> Find:
    """Return a check that calls ``markdown`` or ``rst``, depending on the markup of the message."""

    def find(subject: Subject) -> Iterator[Problem]:
        if subject.markup is Markup.RST:
            return rst(subject)
        return markdown(subject)

    return find
