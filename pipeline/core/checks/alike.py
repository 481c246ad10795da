"""M710: sentences that are all but equal in English, and translated in other words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.core.checks.base import PageCheck, Problem, Subject
from pipeline.core.checks.masked import HAN
from pipeline.findings import Severity

_ENGLISH_WORD = re.compile(r"[a-z]+")
# What may differ in Chinese, too. A term has its English in brackets where it is new.
_NO_WORD = re.compile(rf"[（(][A-Za-z -]+[）)]|[（(]|[^{HAN}A-Za-z（(]+")
_HAN = re.compile(f"[{HAN}]")
_LEAST_WORDS = 4  # shorter ones are rendered by what stands around them
_LONGEST_QUOTE = 60  # characters


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
            yield from _differing(key, group, subjects)


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
                    index=index, chinese=chinese, words=_NO_WORD.sub("", chinese)
                ),
            )


def _differing(
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
                f"“{_short(key)}” is “{_short(sentence.chinese)}” here, "
                f"but “{_short(usual.chinese)}” in {there.page}"
            ),
            hint="Translate both alike, or give one a msgctxt if they differ on purpose.",
            index=sentence.index,
        )


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"


ALIKE = PageCheck(
    code="M710",
    name="two translations of one sentence",
    severity=Severity.NOTE,
    find=find_alike,
)
