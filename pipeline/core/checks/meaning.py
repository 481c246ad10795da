"""M7: words that turn the meaning of a sentence round, or leave a part of it out.

In go finished Chinese translations. Each is compared with its English, sentence by sentence where
both have as many: a word such as "not" or "only" is said as often in both. What is told is a guess
by words, so that nothing here keeps a message from being built. The words are those of
``meaning.toml``; ``docs/checks-of-meaning.md`` has how many defects are found by them, and how
often they are wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.core.checks import english
from pipeline.core.checks.alike import ALIKE
from pipeline.core.checks.base import Check, Find, PageCheck, Problem, Rule, Subject
from pipeline.core.checks.meaning_words import (
    EXAMPLE,
    IF,
    MUST,
    NEGATION,
    ONLY,
    OPPOSITES,
    THAT_IS,
    Opposites,
    Shared,
)
from pipeline.core.checks.omissions import find_omission
from pipeline.core.checks.sentences import Pair
from pipeline.core.checks.slips import find_slip
from pipeline.core.checks.swaps import find_swap
from pipeline.findings import Severity

_LONGEST = 24  # characters of a quotation
_BLANK = "＿"  # stands for a word that is not to be counted again


def _find_unshared(words: Shared) -> Find:
    """A check for words that are said more often in one of the two languages."""

    def find(subject: Subject) -> Iterator[Problem]:
        for pair in _sentences_of(subject):
            text = _compare(words, pair)
            if text and not english.is_kept(subject.masked_english):
                yield Problem(text=text, hint=words.hint)

    return find


def _compare(words: Shared, pair: Pair) -> str:
    """What is to be told of a sentence; nothing if both languages say the same."""
    if not any(map(f"{pair.english} {pair.chinese}".__contains__, words.signs)):
        return ""  # looking for a few strings is quick, and settles most sentences
    theirs = words.english.findall(pair.english)
    ours = words.chinese.findall(pair.chinese)
    if ours:  # looking for idioms takes longer, and most sentences have none
        ours = words.chinese.findall(words.idioms.sub(_BLANK, pair.chinese))
    surplus = len(ours) - len(theirs)
    if surplus > 0 and surplus > _count_reasons(words, pair):
        return f"adds {words.what}: it says {_quoted(ours)}"
    if surplus < 0 and -surplus > _count_stand_ins(words, pair):
        return f"lacks {words.what}: the English says {_quoted(theirs)}"
    return ""


def _count_reasons(words: Shared, pair: Pair) -> int:
    """How many English words of another kind may be the reason for the Chinese ones."""
    return len(words.english_too.findall(words.english.sub(_BLANK, pair.english)))


def _count_stand_ins(words: Shared, pair: Pair) -> int:
    """How many Chinese words of another kind may stand for the English ones."""
    count = len(words.chinese_too.findall(pair.chinese))
    return max(0, count - len(words.english_of_too.findall(pair.english)))


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{word[:_LONGEST].strip()}”" for word in dict.fromkeys(words))


def _find_turned(subject: Subject) -> Iterator[Problem]:
    """A word in whose place its opposite stands: said less often, and the opposite more often."""
    chinese = subject.masked_chinese
    for words in OPPOSITES:
        if not any(map(chinese.__contains__, words.signs)):
            continue
        for pair in _sentences_of(subject):
            first, second = _surplus(words, 0, pair), _surplus(words, 1, pair)
            if first * second < 0:
                yield _turned(words, pair, lost=0 if first < 0 else 1)


def _find_omission(subject: Subject) -> Iterator[Problem]:
    return find_omission(subject, _sentences_of(subject))


def _surplus(words: Opposites, side: int, pair: Pair) -> int:
    """How much more often the Chinese says one of two opposites than the English."""
    ours = words.chinese[side].findall(pair.chinese)
    return len(ours) - len(words.english[side].findall(pair.english))


def _turned(words: Opposites, pair: Pair, *, lost: int) -> Problem:
    theirs = words.english[lost].findall(pair.english)
    ours = words.chinese[1 - lost].findall(pair.chinese)
    return Problem(
        text=f"says {_quoted(ours)} where the English says {_quoted(theirs)}",
        hint="See whether the one stands where its opposite should.",
    )


def _sentences_of(subject: Subject) -> tuple[Pair, ...]:
    """The sentences to compare: none of a text that is not translated."""
    return subject.sentences if english.count_han(subject.masked_chinese) else ()


def _warning(find: Find, *, code: str, name: str) -> Check:
    return Check(code=code, name=name, severity=Severity.WARNING, find=find)


CHECKS: tuple[Check, ...] = (
    _warning(_find_unshared(NEGATION), code="M701", name="other negations"),
    _warning(_find_unshared(ONLY), code="M702", name="lost or added “only”"),
    _warning(_find_unshared(MUST), code="M703", name="lost or added “must”"),
    _warning(_find_unshared(IF), code="M704", name="lost condition"),
    _warning(_find_unshared(EXAMPLE), code="M705", name="lost or added “for example”"),
    _warning(_find_unshared(THAT_IS), code="M706", name="lost or added “that is”"),
    _warning(_find_turned, code="M707", name="the opposite"),
    # In one of a hundred good translations that its words were not counted in, it finds a gap.
    Check(code="M708", name="lost clause", severity=Severity.NOTE, find=_find_omission),
    _warning(find_slip, code="M709", name="slip of the keyboard"),
    # Of a hundred swaps it finds 28, and it tells of one in 600 good translations.
    Check(
        code="M711",
        name="code in the wrong place",
        severity=Severity.NOTE,
        find=find_swap,
    ),
)
# These compare the entries of all pages.
ACROSS_CHECKS: tuple[PageCheck, ...] = (ALIKE,)
RULES: tuple[Rule, ...] = (*CHECKS, *ACROSS_CHECKS)
