"""Checks of terminology (M5, M710).

The glossary says what is agreed on. What it does not say must at least be the same everywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipeline.core.checks.masked import HAN
from pipeline.core.checks.model import Find, Problem, Subject
from pipeline.core.document import prose
from pipeline.core.document.message import Markup
from pipeline.core.glossary.glossary import (
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


class Reader:
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


def missing_terms(reader: Reader) -> Find:
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
                hint=_rendering_hint(term, term.note),
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


def avoided_renderings(reader: Reader) -> Find:
    """A function that finds renderings in a translation that the glossary wants avoided."""

    def find(subject: Subject) -> Iterator[Problem]:
        for misuse in reader.read(subject).misuses:
            term, avoided = misuse.term, misuse.avoided
            yield Problem(
                text=f"“{avoided.text}” is not how “{term.english}” is rendered",
                hint=_rendering_hint(term, avoided.note or term.note),
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


def _rendering_hint(term: Term, note: str) -> str:
    """What to write for a term, with what the glossary notes of it.

    ``Write “张量” or “Tensor”. 指多维数组.``
    """
    choices = " or ".join(f"“{rendering.text}”" for rendering in term.renderings)
    hint = f"Write {choices}."
    if note:
        hint += f" {note.rstrip('.')}."
    return hint


# M503: what is the same in English.
def find_inconsistent(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Entries with the same English whose translations differ in words: those that are fewer.

    If ``Note`` is ``注意`` twice and ``备注`` once, the one is told. Case and the mark at the end
    do not count. A msgctxt says that a translation differs on purpose.
    """
    groups: dict[str, list[int]] = {}
    for index, subject in enumerate(subjects):
        if subject.entry.context is None and _HAN.search(subject.msgstr):
            groups.setdefault(_compared_phrase(subject.msgid), []).append(index)
    for group in groups.values():
        if len(group) > 1:
            yield from _differing_phrases(subjects, group)


def _differing_phrases(
    subjects: Sequence[Subject], group: Sequence[int]
) -> Iterator[Problem]:
    """The entries of a group that say something else than most of it.

    ``group`` are numbers of ``subjects``, two at least. Of two that differ the first is usual.
    """
    words = {index: _compared_words(subjects[index].msgstr) for index in group}
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


def _compared_phrase(msgid: str) -> str:
    """What two msgids must have in common for their translations to be compared.

    ``**Note**:`` and ``note`` are both ``note``.
    """
    if "*" in msgid or "_" in msgid:
        msgid = _EMPHASIS.sub("", msgid)
    return _ENDS.sub("", msgid).casefold()


def _compared_words(msgstr: str) -> str:
    """What two translations of one phrase must have in common.

    ``张量（tensor）。`` and ``张 量`` are both ``张量``.
    """
    return _ENDS.sub("", as_plain(msgstr).bare)


def _short(text: str) -> str:
    """The beginning of a text, to be quoted in a sentence."""
    if len(text) <= _LONGEST_QUOTE:
        return text
    return f"{text[:_LONGEST_QUOTE]}…"


_ENGLISH_WORD = re.compile(r"[a-z]+")
# What may differ in Chinese, too. A term has its English in brackets where it is new.
_UNCOMPARED = re.compile(rf"[（(][A-Za-z -]+[）)]|[（(]|[^{HAN}A-Za-z（(]+")
_LEAST_WORDS = 4  # shorter ones are rendered by what stands around them
_LONGEST_SENTENCE = 60  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """A sentence in one of the entries."""

    index: int  # of the entry
    chinese: str
    words: str  # the Chinese without what may differ: punctuation, numbers and code


def find_alike(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Sentences whose English differs from others' in case, punctuation, numbers and code only.

    Those that are rendered in other words than most of their like. Entries whose whole English is
    the same are told by M503.
    """
    groups: dict[str, list[_Sentence]] = {}
    for index, subject in enumerate(subjects):
        for key, sentence in _sentences(index, subject):
            groups.setdefault(key, []).append(sentence)
    for key, group in groups.items():
        if len({sentence.words for sentence in group}) > 1:
            yield from _differing_sentences(key, group, subjects)


def _sentences(index: int, subject: Subject) -> Iterator[tuple[str, _Sentence]]:
    """The sentences of an entry, each with its English words."""
    if subject.entry.context is not None or not _HAN.search(subject.msgstr):
        return
    for pair in subject.sentences:
        words = _ENGLISH_WORD.findall(pair.english)
        if len(words) >= _LEAST_WORDS:
            chinese = pair.chinese
            yield (
                " ".join(words),
                _Sentence(
                    index=index, chinese=chinese, words=_UNCOMPARED.sub("", chinese)
                ),
            )


def _differing_sentences(
    key: str, group: Sequence[_Sentence], subjects: Sequence[Subject]
) -> Iterator[Problem]:
    """The sentences of a group that say something else than most of it."""
    usual_words, _ = Counter(sentence.words for sentence in group).most_common(1)[0]
    usual = next(sentence for sentence in group if sentence.words == usual_words)
    there = subjects[usual.index]
    for sentence in group:
        here = subjects[sentence.index]
        if sentence.words == usual_words or here.msgid == there.msgid:
            continue
        yield Problem(
            text=(
                f"“{_short_sentence(key)}” is “{_short_sentence(sentence.chinese)}” here, "
                f"but “{_short_sentence(usual.chinese)}” in {there.page}"
            ),
            hint="Translate both alike, or give one a msgctxt if they differ on purpose.",
            index=sentence.index,
        )


def _short_sentence(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _LONGEST_SENTENCE else f"{text[:_LONGEST_SENTENCE]}…"
