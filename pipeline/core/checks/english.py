"""Is this still English? What is told apart from names and terms by words that have nothing of either."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from pipeline.core.checks.masked import HAN, OPEN, WORD
from pipeline.core.checks.masked import URL as LINK

# Words that are always translated: in a name or a term that stays English there is hardly one, in a sentence every third is.
_ORDINARY = frozenset(
    """
    a about above across after again against all along already also although always an and another any are as at back be because been
    before being below better between both but by can cannot could did different do does doing done down during each either else enough
    even every everything example examples few find first follow following for from gets getting give given gives had has have here how
    however if important in inside instead into introduction is it its itself just keep know last later less let like limitations long
    look made main make makes making many may mean means might more most much must need needs never new next no not note nothing now of
    often on once one only option options or other others otherwise our out outside over overview own part parts please possible problem
    problems put question questions rather read requirements result results same see several should show shown shows simple since so some
    something still such summary take takes than that the their them then there therefore these they thing things this those though
    through thus to together too under until up upon us usage use used useful user users uses using usually very want was way ways we
    well were what when where whether which while who whole whose why will with within without work working works would write writing
    written wrong yet you your background motivation appendix conclusion details installation installing advanced basics common
    differences support supported available change changes build building run running start started step steps time
    """.split()
)
# A word, or (so that no part of it is taken for one) a name such as x_0, a.b, f(.
_TOKEN = re.compile(r"([A-Za-z]+(?:['’-][A-Za-z]+)*)(?![\w(@/\\]|[.-]\w)|[\w@/\\.-]+")
_HAN = re.compile(f"[{HAN}]")
# Two plain words side by side, or one with an ending that names hardly have; beside CamelCase it may be a name even so.
_PHRASE = re.compile(r"(?<![\w.@/-])[A-Za-z][a-z]{2,} [a-z]{4,}(?![\w(@/-]|\.\w)")
_ENDING = re.compile(
    r"(?<![\w.@/-])(?!Hugging)[A-Za-z][a-z]{2,}(?:tion|ment|ness|ance|ence|ity|ing)s?(?![\w(@/-]|\.\w)"
)
_CAMEL = re.compile(r"[a-z][A-Z]")
_YEAR = re.compile(r"\d+")
# What stays English: who owns it and under which terms, and entries of a bibliography, told by two of their signs.
_OWNED = re.compile(
    r"^\W*(?:copyright\b|licen[sc]ed under)|©|SPDX|all rights reserved|(?-i:\bthe License\b)",
    re.IGNORECASE,
)
_CITED = re.compile(
    r"\b(?:et al\b|arXiv\b|proceedings\b|doi\b|pp\.|vol\.|author\s*=|title\s*=|year\s*=|(?:19|20)\d\d\b)|@\w+\{",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"[（(《“\"「『‘][^（(《“\"「『‘）)》”\"」』’]*[）)》”\"」』’]")
_SEVERAL = re.compile(
    r"(?:[A-Za-z]+[^A-Za-z]+){2}[A-Za-z]"
)  # three words at least: with fewer a run is never told of
_RUN = re.compile(rf"[A-Za-z][A-Za-z0-9 ,.;:'’{OPEN}{WORD}{LINK}-]*[A-Za-z.]")
LEAST_WORDS, LEAST_ORDINARY, LEAST_COPIED = (
    4,
    2,
    3,
)  # of a run inside Chinese; of one that is copied


def is_kept(text: str) -> bool:
    """Whether a masked text is of a kind that is not translated: licence lines, entries of a bibliography."""
    return (
        bool(_OWNED.search(text))
        or len({_YEAR.sub("year", match.lower()) for match in _CITED.findall(text)}) > 1
    )


@lru_cache(maxsize=64)
def words_of(text: str) -> tuple[str, ...]:
    """The English words of a masked text. Names such as ``x_0``, ``a.b`` and ``f(`` are none."""
    return tuple(filter(None, _TOKEN.findall(text)))


def ordinary(words: Sequence[str], *, lower: bool = False) -> int:
    """How many of the words are always translated; with ``lower`` those with a capital do not count."""
    return sum(re.split("['’]", word if lower else word.lower())[0] in _ORDINARY for word in words)


@lru_cache(maxsize=64)
def count_han(text: str) -> int:
    """How many Chinese characters a text has."""
    return len(_HAN.findall(text))


@lru_cache(maxsize=64)
def is_english(text: str) -> bool:
    """Whether a masked text is plain English: hardly any Chinese in it, but words that no name consists of."""
    words = words_of(text)
    characters = count_han(text)
    if not words or characters * 4 > len(words):
        return False
    count = ordinary(words)
    return count > 1 or (count == 1 and len(words) <= 2) or (not characters and _is_plain(text))


def _is_plain(text: str) -> bool:
    return bool(_PHRASE.search(text)) or (bool(_ENDING.search(text)) and not _CAMEL.search(text))


def is_phrase(text: str) -> bool:
    """Whether a masked text looks like words of a sentence rather than like a name: enough of a hint if it is a copy."""
    words = words_of(text)
    return (
        len(words) >= LEAST_COPIED
        and ordinary(words) > 0
        and sum(word.islower() for word in words) > 1
    )


def english_runs(text: str, msgid: str) -> Iterator[tuple[int, int]]:
    """Where a masked Chinese text has English words in a row that ought to be Chinese, or a phrase of the masked msgid.

    Quotations and names in brackets are left out.
    """
    text = _BRACKETED.sub(
        lambda match: match[0] if _HAN.search(match[0]) else "（" * len(match[0]), text
    )
    for match in filter(lambda match: _SEVERAL.match(match[0]), _RUN.finditer(text)):
        copied = f" {' '.join(words_of(msgid))} "
        words = words_of(match[0])
        is_long = len(words) >= LEAST_WORDS and ordinary(words, lower=True) >= LEAST_ORDINARY
        if is_long or (is_phrase(match[0]) and f" {' '.join(words)} " in copied):
            yield match.span()
