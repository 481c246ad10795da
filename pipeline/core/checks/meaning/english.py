"""M301 to M303: what is still English, and not a name or a term that stays.

Words that are hardly ever part of a name separate the two: "the", "example", "should".
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import resources
from typing import Any

from pipeline.core.checks.masked import HAN, OPEN, URL, WORD
from pipeline.core.checks.model import Problem, Subject
from pipeline.core.document.message import Kind
from pipeline.findings import Span


def read_words(name: str) -> dict[str, Any]:
    """Return a table of words of this folder, ``NAME.toml``, which explains its keys."""
    path = resources.files(__package__) / f"{name}.toml"
    return tomllib.loads(path.read_text("utf-8"))


_WORDS = read_words("english")
_ORDINARY = frozenset(_WORDS["ordinary"].split())
_ANSWERS = frozenset(_WORDS["answers"].split())
_ORGANISATIONS = frozenset(_WORDS["organisations"].split())
_WITHIN_NAMES = frozenset(_WORDS["within_names"].split())
_NAMES_AND_KEYWORDS = frozenset((*_WORDS["proper_names"], *_WORDS["keywords"]))
# A word, or (so that no part of it is taken for one) a name such as x_0, a.b, f(.
_TOKEN = re.compile(r"([A-Za-z]+(?:['’-][A-Za-z]+)*)(?![\w(@/\\]|[.-]\w)|[\w@/\\.-]+")
_HAN = re.compile(f"[{HAN}]")
# Two plain words side by side.
_PHRASE = re.compile(r"(?<![\w.@/-])[A-Za-z][a-z]{2,} [a-z]{4,}(?![\w(@/-]|\.\w)")
# A word with an ending that names hardly have; beside CamelCase it may be a name even so.
_ENDINGS = "tion|ment|ness|ance|ence|ity|ing"
_ENDING = re.compile(
    rf"(?<![\w.@/-])(?!Hugging)[A-Za-z][a-z]{{2,}}(?:{_ENDINGS})s?(?![\w(@/-]|\.\w)"
)
_CAMEL = re.compile(r"[a-z][A-Z]")
_YEAR = re.compile(r"\d+")
# What stays English: who owns it and under which terms, and entries of a bibliography, known by two
# of their signs.
_OWNED = re.compile(
    r"""
      ^\W*(?:copyright\b|licen[sc]ed[ ]under)
    | © | SPDX | all[ ]rights[ ]reserved | (?-i:\bthe[ ]License\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CITED = re.compile(
    r"""
      \b(?: et[ ]al\b | arXiv\b | proceedings\b | doi\b | pp\. | vol\.
         | author\s*= | title\s*= | year\s*= | (?:19|20)\d\d\b )
    | @\w+\{
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OPENERS, _CLOSERS = '（(《“"「『‘', '）)》”"」』’'
_BRACKETED = re.compile(rf"[{_OPENERS}][^{_OPENERS}{_CLOSERS}]*[{_CLOSERS}]")
# Three words at least: a shorter run is never reported.
_SEVERAL = re.compile(r"(?:[A-Za-z]+[^A-Za-z]+){2}[A-Za-z]")
_RUN = re.compile(rf"[A-Za-z][A-Za-z0-9 ,.;:'’{OPEN}{WORD}{URL}-]*[A-Za-z.]")
# Of a run inside Chinese: how many words, and how many of them ordinary.
_LEAST_WORDS, _LEAST_ORDINARY = 4, 2
_LEAST_COPIED = 3  # words of a run that is copied


def is_kept(text: str) -> bool:
    """Return whether a masked text is not to be translated: licence lines, bibliographies.

    "Copyright 2020 …"; "Smith et al. Proceedings of …, 2019"
    """
    if _OWNED.search(text):
        return True
    # Two years are one sign: both count as "year".
    signs = {_YEAR.sub("year", sign.lower()) for sign in _CITED.findall(text)}
    return len(signs) > 1


@lru_cache(maxsize=64)
def words_of(text: str) -> tuple[str, ...]:
    """Return the English words of a masked text, without names: ``x_0``, ``a.b``, ``f(``."""
    return tuple(filter(None, _TOKEN.findall(text)))


def count_ordinary(words: Sequence[str]) -> int:
    """Return how many of the words are always translated; they are compared as they are written.

    What stands behind an apostrophe is left out: "it's" counts as "it".
    """
    count = 0
    for word in words:
        count += re.split("['’]", word)[0] in _ORDINARY
    return count


@lru_cache(maxsize=64)
def count_han(text: str) -> int:
    """Return how many Chinese characters a text has."""
    return len(_HAN.findall(text))


@lru_cache(maxsize=64)
def is_english(text: str) -> bool:
    """Return whether a masked text is plain English.

    It has hardly any Chinese then, but words that no name consists of: "See the guide",
    "Overview", "Sharded matrices", but not "NumPy" or "Flax NNX".
    """
    words = words_of(text)
    characters = count_han(text)
    if not words or characters * 4 > len(words):
        return False
    ordinary = count_ordinary([word.lower() for word in words])
    # "See the guide" has two; "Overview" has one, which is enough for so short a text.
    least = 1 if len(words) <= 2 else 2
    if ordinary >= least:
        return True
    return not characters and _is_plain(text)


def _is_plain(text: str) -> bool:
    """Return whether a text without ordinary words looks like a sentence and not like a name.

    ``Sharded matrices`` has two plain words. ``Documentation`` has the ending of a word, but
    beside CamelCase it may be part of a name.
    """
    if _PHRASE.search(text):
        return True
    return bool(_ENDING.search(text)) and not _CAMEL.search(text)


def is_name_or_keyword(text: str) -> bool:
    """Return whether a masked text that is a copy of the English may well stay as it is.

    not in                              keywords of a language
    timeout                             one word in lower case: the name of a parameter
    Example Software Foundation         a name, by its last word
    """
    text = text.strip()
    if text in _NAMES_AND_KEYWORDS:
        return True
    words = words_of(text)
    if len(words) == 1:
        return text == words[0] and text.islower() and text not in _ANSWERS
    if not words or words[-1] not in _ORGANISATIONS:
        return False
    return all(word.istitle() or word in _WITHIN_NAMES for word in words)


def is_phrase(text: str) -> bool:
    """Return whether a masked text looks like words of a sentence rather than like a name.

    If it is a copy of the English, that is enough to say that it ought to be Chinese:
    "using several devices", but not "Ahead of Time".
    """
    words = words_of(text)
    if len(words) < _LEAST_COPIED:
        return False
    if not count_ordinary([word.lower() for word in words]):
        return False
    return sum(map(str.islower, words)) > 1


def english_runs(text: str, msgid: str) -> Iterator[Span]:
    """Yield where a masked Chinese text has English words in a row that ought to be Chinese.

    That is a run of ordinary words, or a phrase of the masked msgid. Quotations and names in
    brackets are left out: ``即时编译（just in time）``.
    """
    text = _BRACKETED.sub(_without_names, text)
    for run in _RUN.finditer(text):
        if _SEVERAL.match(run[0]) and _ought_to_be_chinese(run[0], msgid):
            yield run.span()


def _ought_to_be_chinese(run: str, msgid: str) -> bool:
    """Return whether a run of English words looks left over, and not like a name or a term.

    Words with a capital do not count as ordinary: they may be part of a name.
    """
    words = words_of(run)
    if len(words) >= _LEAST_WORDS and count_ordinary(words) >= _LEAST_ORDINARY:
        return True
    return is_phrase(run) and _is_part(words, words_of(msgid))


def _without_names(match: re.Match[str]) -> str:
    """Return what stands in brackets if there is Chinese in it, else something that is no word.

    It is as long: ``（用 JAX）`` -> ``（用 JAX）``, ``（JAX）`` -> ``（（（（（``
    """
    if _HAN.search(match[0]):
        return match[0]
    return "（" * len(match[0])


def _is_part(words: Sequence[str], of: Sequence[str]) -> bool:
    """Return whether words stand in a longer text in the same order, without others in between.

    ``["the", "guide"]`` in ``["see", "the", "guide"]``, but not in ``["the", "long", "guide"]``
    """
    return f" {' '.join(words)} " in f" {' '.join(of)} "


def find_english(subject: Subject) -> Iterator[Problem]:
    """Find a translation that is in English, in other words than the message."""
    if _is_copy(subject) or not is_english(subject.masked_chinese):
        return
    if is_kept(subject.masked_english):
        return
    yield _untranslated_problem(subject, "M301", text="is left in English")


def find_copied(subject: Subject) -> Iterator[Problem]:
    """Find a translation that is the message itself, unless that is a name: JAX, NumPy."""
    if not _is_copy(subject) or _HAN.search(subject.msgid):
        return
    if is_kept(subject.masked_english):
        return
    shown = subject.masked_chinese
    if subject.kind is not Kind.HEADING and is_name_or_keyword(shown):
        return
    # Of a copy less is enough to know that it is no name.
    if is_english(shown) or is_phrase(shown):
        yield _untranslated_problem(subject, "M302", text="is the English itself")


def find_untranslated_part(subject: Subject) -> Iterator[Problem]:
    """Find English words in a translation that is Chinese otherwise: ``数组 is used by 函数 这里``.

    M301 reports what is English as a whole.
    """
    shown = subject.masked_chinese
    if not _HAN.search(shown) or is_english(shown):
        return
    spans = tuple(english_runs(shown, subject.masked_english))
    if spans and not is_kept(subject.masked_english):
        words = "”, “".join(subject.msgstr[start:end] for start, end in spans)
        yield Problem(
            text=f"has English left in it: “{words}”",
            hint="Translate these words too.",
            spans=spans,
        )


def _is_copy(subject: Subject) -> bool:
    """Return whether the translation is the English, letter by letter."""
    return subject.msgstr.strip() == subject.msgid.strip()


def _untranslated_problem(subject: Subject, code: str, text: str) -> Problem:
    """Return the problem of a message that the check ``code`` takes for untranslated."""
    msgstr = subject.msgstr
    return Problem(
        text=text,
        hint=(
            "Translate it, or say in a translator comment why it stays English "
            f"(# pipeline: ignore={code} because …)."
        ),
        # All of it but the white space at its edges.
        spans=((len(msgstr) - len(msgstr.lstrip()), len(msgstr.rstrip())),),
    )
