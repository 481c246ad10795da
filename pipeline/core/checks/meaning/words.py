"""M701 to M707, M709, M311: words that change the meaning of a sentence, and typing mistakes.

Words such as "not" and "only" must occur equally often in a sentence and its translation.
``words.toml`` lists these words and documents its keys. ``docs/checks-of-meaning.md`` gives the
rates of detection and of false alarms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from pipeline.core.checks.masked import CLOSE, HAN, OPEN, SentencePair
from pipeline.core.checks.meaning.untranslated import count_han, is_kept
from pipeline.core.checks.model import Find, Problem, Subject
from pipeline.tables import read_table

_NEVER = re.compile(r"(?!)")
_LOOKING_AROUND = re.compile(r"\(\?[^)]*\)")


class Shared(Struct, frozen=True, kw_only=True):
    """Words of one meaning, such as negations, which must occur equally often in both languages."""

    what: str  # their name in messages, with an article: "a negation"
    hint: str
    usual: str  # the most common Chinese word
    english: re.Pattern[str]
    chinese: re.Pattern[str]
    # Words that may have this meaning. They can explain why one language has more of the words:
    # "avoid" is a reason for 不 in the translation.
    english_too: re.Pattern[str] = _NEVER
    chinese_too: re.Pattern[str] = _NEVER
    # Other English words that `chinese_too` may translate.
    english_of_too: re.Pattern[str] = _NEVER
    # Chinese phrases that contain a word of `chinese` and do not count.
    idioms: re.Pattern[str] = _NEVER


class Opposites(Struct, frozen=True, kw_only=True):
    """Two words of opposite meaning, such as "input" and "output", in both languages."""

    # A Chinese text without any of these strings has neither word.
    signs: tuple[str, ...]
    english: tuple[re.Pattern[str], re.Pattern[str]]
    chinese: tuple[re.Pattern[str], re.Pattern[str]]


def _compile_shared(table: dict[str, Any]) -> Shared:
    """Return the record for one of the tables ``shared`` in ``words.toml``."""
    prefixed = table.pop("prefixed", {}).items()
    for prefix, stems in prefixed:  # "un" and "able" match "unable", with any ending
        table["english"] += rf" {prefix}(?:{'|'.join(stems.split())})\w*"
    for key, words in table.items():
        if key.startswith("english"):
            table[key] = _english_pattern(words)
        elif key.startswith(("chinese", "idioms")):
            table[key] = _chinese_pattern(words)
    return Shared(**table)


def _compile_opposites(table: dict[str, Any]) -> Opposites:
    """Return the record for one of the tables ``opposites`` in ``words.toml``."""
    english, contrary_english = map(_english_pattern, table["english"])
    chinese, contrary_chinese = map(_chinese_pattern, table["chinese"])
    return Opposites(
        signs=tuple(_LOOKING_AROUND.sub("", " ".join(table["chinese"])).split()),
        english=(english, contrary_english),
        chinese=(chinese, contrary_chinese),
    )


def _english_pattern(words: str) -> re.Pattern[str]:
    """Return a pattern for any of ``words``, or one that matches any text if there are none."""
    if not words:
        return re.compile("")
    alternatives = "|".join(words.split()).replace("_", r"\s+")
    return re.compile(rf"\b(?:{alternatives})(?![a-z])")


def _chinese_pattern(words: str) -> re.Pattern[str]:
    """Return a pattern for any of ``words``."""
    return re.compile("|".join(words.split()))


_TABLES = read_table(__name__, "words")
SHARED = {name: _compile_shared(table) for name, table in _TABLES["shared"].items()}
OPPOSITES = tuple(map(_compile_opposites, _TABLES["opposites"]))
_LONGEST = 24  # characters of a quotation
_BLANK = "＿"  # replaces a word that must not be counted again


def _find_unshared(words: Shared) -> Find:
    """Return a check that reports ``words`` if only one language has them, or has more of them."""

    def find(subject: Subject) -> Iterator[Problem]:
        for pair in translated_sentences(subject):
            text = _compare_sentence(words, pair)
            if text and not is_kept(subject.masked_english):
                yield Problem(text=text, hint=words.hint)

    return find


def _compare_sentence(words: Shared, pair: SentencePair) -> str:
    """Return a message about the difference in a sentence pair, or "" if there is none."""
    theirs = words.english.findall(pair.english)
    ours = words.chinese.findall(pair.chinese)
    if ours:  # only then search for idioms, which is slow
        ours = words.chinese.findall(words.idioms.sub(_BLANK, pair.chinese))
    surplus = len(ours) - len(theirs)
    if surplus > 0:
        # The additional Chinese words may translate words of `english_too`.
        others = words.english.sub(_BLANK, pair.english)
        if surplus > len(words.english_too.findall(others)):
            return f"adds {words.what}: it says {_quoted_words(ours)}"
    if surplus < 0 and -surplus > _count_stand_ins(words, pair):
        return f"lacks {words.what}: the English says {_quoted_words(theirs)}"
    return ""


def _count_stand_ins(words: Shared, pair: SentencePair) -> int:
    """Return the number of words of ``chinese_too`` that may translate the English words."""
    count = len(words.chinese_too.findall(pair.chinese))
    return max(0, count - len(words.english_of_too.findall(pair.english)))


def _quoted_words(words: Sequence[str]) -> str:
    return ", ".join(f"“{word[:_LONGEST].strip()}”" for word in dict.fromkeys(words))


find_negation, find_only = map(_find_unshared, (SHARED["negation"], SHARED["only"]))
find_must, find_if = map(_find_unshared, (SHARED["must"], SHARED["if"]))
find_example = _find_unshared(SHARED["example"])
find_that_is = _find_unshared(SHARED["that_is"])


def find_opposite(subject: Subject) -> Iterator[Problem]:
    """Report a word replaced by its opposite: one occurs less often, the other more often."""
    chinese = subject.masked_chinese
    for words in OPPOSITES:
        if not any(map(chinese.__contains__, words.signs)):
            continue  # the common case
        for pair in translated_sentences(subject):
            first, second = _surplus(words, 0, pair), _surplus(words, 1, pair)
            if first * second < 0:
                yield _turned_problem(words, pair, lost=0 if first < 0 else 1)


def _surplus(words: Opposites, side: int, pair: SentencePair) -> int:
    """Return how much more often the Chinese has one of two opposites than the English.

    ``side`` is 0 for the first opposite and 1 for the second one.
    """
    ours = words.chinese[side].findall(pair.chinese)
    return len(ours) - len(words.english[side].findall(pair.english))


def _turned_problem(words: Opposites, pair: SentencePair, *, lost: int) -> Problem:
    theirs = words.english[lost].findall(pair.english)
    ours = words.chinese[1 - lost].findall(pair.chinese)
    return Problem(
        text=f"says {_quoted_words(ours)} where the English says {_quoted_words(theirs)}",
        hint="Check whether the translation has the opposite by mistake.",
    )


def translated_sentences(subject: Subject) -> tuple[SentencePair, ...]:
    """Return the sentence pairs of an entry, or none if its translation has no Chinese."""
    return subject.sentences if count_han(subject.masked_chinese) else ()


_ROWS = [row.split(":") for row in _TABLES["slips"]["words"].split()]
_SLIP = re.compile("|".join(pattern for pattern, _ in _ROWS))
_MEANT = {_LOOKING_AROUND.sub("", pattern): right for pattern, right in _ROWS}


def find_typo(subject: Subject) -> Iterator[Problem]:
    """Report typing mistakes: sequences of Chinese characters that are not words."""
    for match in _SLIP.finditer(subject.masked_chinese):
        yield Problem(
            text=f"“{match[0]}” is a slip of the keyboard",
            hint=f"Write “{_MEANT[match[0]]}”.",
            spans=(match.span(),),
        )


_MARKS_BETWEEN = f"[{OPEN}{CLOSE}]*[ ]?[{OPEN}{CLOSE}]*"
_DOUBLES = _TABLES["doubled"]
_DOUBLED_WORDS = rf"""
      (?!{_DOUBLES["may_be_twice"]})([{HAN}])(?!\2)
      (?=.{{1,5}}[{OPEN}{CLOSE} ]*\2)  # fails quickly: few characters occur again
      ([{HAN}]{{1,5}})(?<!的){_MARKS_BETWEEN}\2\3
    """
_DOUBLED_LATIN = rf"""
      (?<![\w.-])(?P<latin>[A-Za-z]{{2,}})(?=[ ]){_MARKS_BETWEEN}(?P=latin)(?![\w.-])
    """
_DOUBLED = re.compile(f"{_DOUBLES['character']} | {_DOUBLED_WORDS} | {_DOUBLED_LATIN}", re.VERBOSE)


def find_doubled(subject: Subject) -> Iterator[Problem]:
    """Report doubled words: ``的的``, ``数组数组``, ``the the``.

    Doubled Latin words are correct if the English has them as well: "had had".
    """
    spans = [
        match.span()
        for match in _DOUBLED.finditer(subject.masked_chinese)
        if not match["latin"] or match[0] not in subject.msgid
    ]
    if spans:
        words = "”, “".join(subject.msgstr[start:end] for start, end in spans)
        yield Problem(
            text=f"repeats words: “{words}”",
            hint="Delete one of the two.",
            spans=tuple(spans),
        )
