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
from pipeline.core.checks.model import Problem, Subject
from pipeline.core.document import prose
from pipeline.core.document.message import Markup
from pipeline.core.glossary.glossary import (
    Glossary,
    Mention,
    Misuse,
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
_LONGEST_PHRASE, _LONGEST_SENTENCE = 40, 60  # characters that are quoted
_ENGLISH_WORD = re.compile(r"[a-z]+")
# What may differ in Chinese, too. A term has its English in brackets where it is new.
_UNCOMPARED = re.compile(rf"[（(][A-Za-z -]+[）)]|[（(]|[^{HAN}A-Za-z（(]+")
_LEAST_WORDS = 4  # shorter sentences are rendered by what stands around them
_MOST_PAGES = 3  # named as those that have another translation


# M501, M502: what the glossary says.


class Reader:
    """A glossary that reads translations.

    Both checks look at an entry one after the other, so that its readings of the last few entries
    are cached.
    """

    def __init__(self, glossary: Glossary) -> None:
        self._glossary = glossary
        self._read = lru_cache(maxsize=64)(self._read_anew)

    def find_missing(self, subject: Subject) -> Iterator[Problem]:
        """Find terms of the English whose rendering a translation lacks."""
        if not _HAN.search(subject.msgstr):
            return  # not translated at all, which other checks report
        mentions, misuses = self._read(subject.msgid, subject.msgstr, subject.markup)
        # M502 reports a term whose rendering is one to be avoided.
        reported = {misuse.term for misuse in misuses}
        plain = as_plain(subject.msgstr)
        for mention in _first_mentions(mentions):
            term = mention.term
            if term.weight is None or term in reported or term.is_rendered_in(plain):
                continue
            if _is_kept(mention, subject.msgstr):
                continue
            yield Problem(
                text=f"has no “{term.renderings[0].text}” for “{mention.words}”",
                hint=_rendering_hint(term, term.note),
                is_minor=term.weight is Severity.NOTE,
            )

    def find_avoided(self, subject: Subject) -> Iterator[Problem]:
        """Find renderings in a translation that the glossary wants avoided."""
        _, misuses = self._read(subject.msgid, subject.msgstr, subject.markup)
        for misuse in misuses:
            term, avoided = misuse.term, misuse.avoided
            yield Problem(
                text=f"“{avoided.text}” is not how “{term.english}” is rendered",
                hint=_rendering_hint(term, avoided.note or term.note),
                spans=misuse.spans,
            )

    def _read_anew(
        self, msgid: str, msgstr: str, markup: Markup
    ) -> tuple[tuple[Mention, ...], tuple[Misuse, ...]]:
        mentions = self._glossary.mentions(msgid, markup)
        return mentions, tuple(self._glossary.misuses(mentions, msgstr, markup))


def _first_mentions(mentions: Sequence[Mention]) -> list[Mention]:
    """Return the first mention of each term, in the order of their last mentions.

    Of ``array``, ``tensor`` and again ``array``: the ``tensor``, then the first ``array``.
    """
    firsts = {mention.term: mention for mention in reversed(mentions)}
    return list(reversed(firsts.values()))


def _is_kept(mention: Mention, msgstr: str) -> bool:
    """Return whether the term is part of a name that is left in English.

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
    """Return what to write for a term, with what the glossary notes of it.

    ``Write “张量” or “Tensor”. 指多维数组.``
    """
    choices = " or ".join(f"“{rendering.text}”" for rendering in term.renderings)
    hint = f"Write {choices}."
    if note:
        hint += f" {note.rstrip('.')}."
    return hint


# M503, M710: what is the same in English.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rendered:
    """A phrase or sentence of one of the entries, with its translation."""

    index: int  # of the entry
    english: str
    chinese: str
    words: str  # the Chinese without what may differ


def find_inconsistent(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Find entries with the same English that are translated in other words than most of them.

    If ``Note`` is ``注意`` twice and ``备注`` once, it reports the latter. Case and the mark at the
    end do not count.
    """
    groups: dict[str, list[_Rendered]] = {}
    for index, subject in _comparable(subjects):
        rendered = _Rendered(
            index=index,
            english=subject.msgid,
            chinese=subject.msgstr,
            words=_ENDS.sub("", as_plain(subject.msgstr).bare),
        )
        groups.setdefault(_compared_phrase(subject.msgid), []).append(rendered)
    for group in groups.values():
        usual, unusual = _split_usual(group)
        found = sorted({subjects[rendered.index].page for rendered in usual})
        pages = ", ".join(found[:_MOST_PAGES])
        for rendered in unusual:
            yield _unlike_problem(rendered, usual[0], pages, _LONGEST_PHRASE)


def find_alike(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Find sentences that are translated in other words than most of their like.

    Their English differs in case, punctuation, numbers and code only. M503 reports entries whose
    whole English is the same.
    """
    groups: dict[str, list[_Rendered]] = {}
    for index, subject in _comparable(subjects):
        for pair in subject.sentences:
            words = _ENGLISH_WORD.findall(pair.english)
            if len(words) < _LEAST_WORDS:
                continue
            rendered = _Rendered(
                index=index,
                english=" ".join(words),
                chinese=pair.chinese.strip(),
                words=_UNCOMPARED.sub("", pair.chinese),
            )
            groups.setdefault(rendered.english, []).append(rendered)
    for group in groups.values():
        usual, unusual = _split_usual(group)
        there = subjects[usual[0].index]
        for rendered in unusual:
            if subjects[rendered.index].msgid != there.msgid:
                yield _unlike_problem(rendered, usual[0], there.page, _LONGEST_SENTENCE)


def _comparable(subjects: Sequence[Subject]) -> Iterator[tuple[int, Subject]]:
    """Yield the translated entries, by number, whose translation does not differ on purpose.

    A msgctxt says that it does.
    """
    for index, subject in enumerate(subjects):
        if subject.entry.context is None and _HAN.search(subject.msgstr):
            yield index, subject


def _split_usual(
    group: Sequence[_Rendered],
) -> tuple[list[_Rendered], list[_Rendered]]:
    """Split a group into those with the usual translation, and others. A tie goes to the first."""
    counts = Counter(rendered.words for rendered in group)
    usual_words, _ = counts.most_common(1)[0]
    usual = [rendered for rendered in group if rendered.words == usual_words]
    return usual, [rendered for rendered in group if rendered.words != usual_words]


def _unlike_problem(
    rendered: _Rendered, usual: _Rendered, pages: str, longest: int
) -> Problem:
    """Return the problem of a translation that differs from the usual one on ``pages``."""
    english = _shorten(rendered.english, longest)
    here, there = _shorten(rendered.chinese, longest), _shorten(usual.chinese, longest)
    return Problem(
        text=f"“{english}” is “{here}” here, but “{there}” in {pages}",
        hint="Translate both alike, or give one a msgctxt if they differ on purpose.",
        index=rendered.index,
    )


def _shorten(text: str, longest: int) -> str:
    """Return the beginning of a text, to be quoted in a sentence."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def _compared_phrase(msgid: str) -> str:
    """Return what two msgids must have in common for their translations to be compared.

    ``**Note**:`` and ``note`` are both ``note``.
    """
    if "*" in msgid or "_" in msgid:
        msgid = _EMPHASIS.sub("", msgid)
    return _ENDS.sub("", msgid).casefold()
