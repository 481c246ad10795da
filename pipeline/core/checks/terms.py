"""M5: terminology.

What is agreed on stands in the glossary; what is not must at least be the same everywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipeline.core.checks.base import Check, Find, PageCheck, Problem, Rule, Subject
from pipeline.core.document import prose
from pipeline.core.document.message import Markup
from pipeline.core.glossary.terms import (
    Glossary,
    Mention,
    Misuse,
    Plain,
    Term,
    as_plain,
)
from pipeline.findings import Severity

_HAN = re.compile(f"[{prose.CJK}]")
_EMPHASIS = re.compile(r"\*+|(?<![^\W_])_+|_+(?![^\W_])")
_ENDS = re.compile(r"[\s.,:;!?。，：；！？、…]+$")
_LONGEST_WORD = 80
_WORD_BEFORE = re.compile(r"[A-Za-z]+ $")
_WORD_BEHIND = re.compile(r" [A-Za-z]+")
_LONGEST_QUOTE = 40  # characters
_MOST_PAGES = 3  # named as those that have another translation


# M501, M502: what the glossary says.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What a glossary sees in one translation."""

    mentions: tuple[Mention, ...]
    misuses: tuple[Misuse, ...]
    plain: Plain


class _Reader:
    """A glossary that reads translations.

    Both checks look at an entry one after the other, so that what it sees in the last few is kept.
    """

    def __init__(self, glossary: Glossary) -> None:
        self._glossary = glossary
        self._read = lru_cache(maxsize=64)(self._read_anew)

    def read(self, subject: Subject) -> _Reading:
        """What the glossary sees in a translation; kept until some 60 others were read."""
        return self._read(subject.msgid, subject.msgstr, subject.markup)

    def _read_anew(self, msgid: str, msgstr: str, markup: Markup) -> _Reading:
        mentions = self._glossary.mentions(msgid, markup)
        return _Reading(
            mentions=mentions,
            misuses=tuple(self._glossary.misuses(mentions, msgstr, markup)),
            plain=as_plain(msgstr),
        )


def checks_of(glossary: Glossary) -> tuple[Check, ...]:
    """The checks that need a glossary."""
    reader = _Reader(glossary)
    return (
        Check(
            code="M501",
            name="a term without its rendering",
            severity=Severity.WARNING,
            find=_missing_terms(reader),
        ),
        Check(
            code="M502",
            name="a rendering to be avoided",
            severity=Severity.WARNING,
            find=_avoided_renderings(reader),
        ),
    )


def _missing_terms(reader: _Reader) -> Find:
    """A function that finds terms of the English whose rendering a translation lacks."""

    def find(subject: Subject) -> Iterator[Problem]:
        if not _HAN.search(subject.msgstr):
            return  # not translated at all, which other checks tell
        for mention in _lacking(reader.read(subject)):
            term = mention.term
            if _is_kept(mention, subject.msgstr):
                continue
            yield Problem(
                text=f"has no “{term.renderings[0].text}” for “{mention.words}”",
                hint=_hint(term, term.note),
                is_minor=term.weight is Severity.NOTE,
            )

    return find


def _lacking(reading: _Reading) -> Iterator[Mention]:
    """The first mention of each term whose rendering must be there and is not."""
    # Of a term whose rendering is one to be avoided the other check tells.
    told = {misuse.term for misuse in reading.misuses}
    for mention in _first_mentions(reading.mentions):
        term = mention.term
        if term.weight is None or term in told:
            continue
        if not term.is_rendered_in(reading.plain):
            yield mention


def _first_mentions(mentions: Sequence[Mention]) -> list[Mention]:
    """The first mention of each term, in the order of their last mentions.

    Of ``array``, ``tensor`` and again ``array``: the ``tensor``, then the first ``array``.
    """
    firsts = {mention.term: mention for mention in reversed(mentions)}
    return list(reversed(firsts.values()))


def _avoided_renderings(reader: _Reader) -> Find:
    """A function that finds renderings in a translation that the glossary wants avoided."""

    def find(subject: Subject) -> Iterator[Problem]:
        for misuse in reader.read(subject).misuses:
            term, avoided = misuse.term, misuse.avoided
            yield Problem(
                text=f"“{avoided.text}” is not how “{term.english}” is rendered",
                hint=_hint(term, avoided.note or term.note),
                spans=misuse.spans,
            )

    return find


def _is_kept(mention: Mention, msgstr: str) -> bool:
    """Whether the term is part of a name that is left in English.

    Then a word beside it stands in the translation as well: of ``Tensor Core`` both words do,
    although ``tensor`` has a rendering.
    """
    names = []
    near = max(mention.start - _LONGEST_WORD, 0)
    if before := _WORD_BEFORE.search(mention.text, near, mention.start):
        names.append(f"{before[0]}{mention.words}")
    if behind := _WORD_BEHIND.match(mention.text, mention.end):
        names.append(f"{mention.words}{behind[0]}")
    return any(name.removesuffix("s") in msgstr for name in names)


def _hint(term: Term, note: str) -> str:
    """What to write for a term, with what the glossary notes of it.

    ``Write “张量” or “Tensor”. 指多维数组.``
    """
    choices = " or ".join(f"“{rendering.text}”" for rendering in term.renderings)
    hint = f"Write {choices}."
    if note:
        hint += f" {note.rstrip('.')}."
    return hint


# M503: what is the same in English.


def inconsistent(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Entries with the same English whose translations differ in words: those that are fewer.

    If ``Note`` is ``注意`` twice and ``备注`` once, the one is told. Case and the mark at the end
    do not count. A msgctxt says that a translation differs on purpose.
    """
    groups: dict[str, list[int]] = {}
    for index, subject in enumerate(subjects):
        if subject.entry.context is None and _HAN.search(subject.msgstr):
            groups.setdefault(_phrase(subject.msgid), []).append(index)
    for group in groups.values():
        if len(group) > 1:
            yield from _differing(subjects, group)


def _differing(subjects: Sequence[Subject], group: Sequence[int]) -> Iterator[Problem]:
    """The entries of a group that say something else than most of it.

    ``group`` are numbers of ``subjects``, two at least. Of two that differ the first is usual.
    """
    words = {index: _words(subjects[index].msgstr) for index in group}
    usual_words, _ = Counter(words.values()).most_common(1)[0]
    usual = [subjects[index] for index in group if words[index] == usual_words]
    pages = ", ".join(sorted({subject.page for subject in usual})[:_MOST_PAGES])
    there = _short(usual[0].msgstr)
    for index in group:
        if words[index] == usual_words:
            continue
        phrase, here = _short(subjects[index].msgid), _short(subjects[index].msgstr)
        yield Problem(
            text=f"“{phrase}” is “{here}” here, but “{there}” in {pages}",
            hint="Translate both alike, or give one a msgctxt if they differ on purpose.",
            index=index,
        )


def _phrase(msgid: str) -> str:
    """What two msgids must have in common for their translations to be compared.

    ``**Note**:`` and ``note`` are both ``note``.
    """
    if "*" in msgid or "_" in msgid:
        msgid = _EMPHASIS.sub("", msgid)
    return _ENDS.sub("", msgid).casefold()


def _words(msgstr: str) -> str:
    """What two translations of one phrase must have in common.

    ``张量（tensor）。`` and ``张 量`` are both ``张量``.
    """
    return _ENDS.sub("", as_plain(msgstr).bare)


def _short(text: str) -> str:
    """The beginning of a text, to be quoted in a sentence."""
    if len(text) <= _LONGEST_QUOTE:
        return text
    return f"{text[:_LONGEST_QUOTE]}…"


INCONSISTENT = PageCheck(
    code="M503",
    name="two translations of one phrase",
    severity=Severity.NOTE,
    find=inconsistent,
)
RULES: tuple[Rule, ...] = (*checks_of(Glossary()), INCONSISTENT)
