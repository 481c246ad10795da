"""Checks of terminology (M5, M710).

M501 and M502 compare a translation with the glossary, which lists the agreed renderings of terms. A
rendering is the Chinese for a term. M503 and M710 compare translations with each other: equal
English should have equal translations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

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
_LONGEST_PHRASE, _LONGEST_SENTENCE = 40, 60  # maximum characters of a quotation
_ENGLISH_WORD = re.compile(r"[a-z]+")
# Parts in which two translations may differ: punctuation, numbers, and English in
# brackets, which translators add to the first mention of a term.
_UNCOMPARED = re.compile(rf"[（(][A-Za-z -]+[）)]|[（(]|[^{HAN}A-Za-z（(]+")
# Minimum words of a compared sentence. The translation of a shorter one depends on its
# context.
_LEAST_WORDS = 4
_MOST_PAGES = 3  # maximum number of pages that a message lists


# M501, M502: comparison with the glossary.


class GlossaryChecks:
    """The two checks that need the glossary.

    The engine runs both on an entry before the next entry, so the terms of recent entries are
    cached.
    """

    def __init__(self, glossary: Glossary) -> None:
        self._glossary = glossary
        self._read = lru_cache(maxsize=64)(self._read_anew)

    def find_missing(self, subject: Subject) -> Iterator[Problem]:
        """Report English terms whose rendering is missing from the translation."""
        if not _HAN.search(subject.msgstr):
            return  # other checks report untranslated entries
        mentions, misuses = self._read(subject.msgid, subject.msgstr, subject.markup)
        # M502 reports these terms: their rendering is one to avoid.
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
                is_downgraded=term.weight is Severity.NOTE,
            )

    def find_avoided(self, subject: Subject) -> Iterator[Problem]:
        """Report renderings that the glossary says to avoid."""
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
    """Return the first mention of each term, sorted by the last mention of the term.

    The mentions ``array``, ``tensor``, ``array`` give ``tensor``, then the first ``array``.
    """
    firsts = {mention.term: mention for mention in reversed(mentions)}
    return list(reversed(firsts.values()))


def _is_kept(mention: Mention, msgstr: str) -> bool:
    """Return whether the translation keeps a term in English as part of a name.

    In that case the translation contains the term together with the word before or after it. For
    example, a translation may keep ``Tensor Core``, although ``tensor`` has a rendering.
    """
    names = []
    near = max(mention.start - _LONGEST_WORD, 0)
    if before := _WORD_BEFORE.search(mention.text, near, mention.start):
        names.append(f"{before[0]}{mention.words}")
    if behind := _WORD_BEHIND.match(mention.text, mention.end):
        names.append(f"{mention.words}{behind[0]}")
    return any(name.removesuffix("s") in msgstr for name in names)


def _rendering_hint(term: Term, note: str) -> str:
    """Return a hint with the accepted renderings of a term and the note from the glossary.

    ``Write “张量” or “Tensor”. 指多维数组.``
    """
    choices = " or ".join(f"“{rendering.text}”" for rendering in term.renderings)
    hint = f"Write {choices}."
    if note:
        hint += f" {note.rstrip('.')}."
    return hint


# M503, M710: comparison of translations with each other.


class _Rendered(Struct, frozen=True, kw_only=True):
    """A phrase or sentence in an entry, with its translation."""

    index: int  # index of the entry
    english: str
    chinese: str
    words: str  # the part of `chinese` that is compared


def find_inconsistent(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Report entries that translate a text differently from most entries with the same English.

    If two entries translate ``Note`` as ``注意`` and one as ``备注``, report the third one. Ignore
    case and final punctuation.
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


def find_inconsistent_sentences(subjects: Sequence[Subject]) -> Iterator[Problem]:
    """Report sentences that are translated differently from most similar sentences.

    Sentences are similar if their English differs only in case, punctuation, numbers and code. Skip
    entries with the same complete English text, because M503 reports them.
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
    """Yield the entries to compare, with their indices: translated, and without a msgctxt.

    A msgctxt says that the translation differs from others on purpose.
    """
    for index, subject in enumerate(subjects):
        if subject.entry.context is None and _HAN.search(subject.msgstr):
            yield index, subject


def _split_usual(
    group: Sequence[_Rendered],
) -> tuple[list[_Rendered], list[_Rendered]]:
    """Split a group into its members with the most common translation, and the others.

    In case of a tie, the translation that occurs first counts as the most common one.
    """
    counts = Counter(rendered.words for rendered in group)
    usual_words, _ = counts.most_common(1)[0]
    usual = [rendered for rendered in group if rendered.words == usual_words]
    return usual, [rendered for rendered in group if rendered.words != usual_words]


def _unlike_problem(rendered: _Rendered, usual: _Rendered, pages: str, longest: int) -> Problem:
    """Return the problem with a translation that differs from the usual one on ``pages``.

    ``longest`` is the maximum length of a quotation, in characters.
    """
    english = _shorten(rendered.english, longest)
    here, there = _shorten(rendered.chinese, longest), _shorten(usual.chinese, longest)
    return Problem(
        text=f"“{english}” is “{here}” here, but “{there}” in {pages}",
        hint="Translate both alike, or give one a msgctxt if they differ on purpose.",
        index=rendered.index,
    )


def _shorten(text: str, longest: int) -> str:
    """Return a text for a quotation, truncated to ``longest`` characters."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def _compared_phrase(msgid: str) -> str:
    """Return a msgid without emphasis, final punctuation and case: ``**Note**:`` -> ``note``."""
    if "*" in msgid or "_" in msgid:
        msgid = _EMPHASIS.sub("", msgid)
    return _ENDS.sub("", msgid).casefold()
