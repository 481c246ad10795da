"""M301 to M303: English in a translation, except names and terms that translators keep.

The checks recognize English by ordinary words, such as "the", "example" and "should". These are
hardly ever part of a name or a term.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from pipeline.core.checks.masked import HAN, OPEN, URL, WORD
from pipeline.core.checks.model import Problem, Subject
from pipeline.core.document.message import Kind
from pipeline.findings import Span
from pipeline.tables import read_table

_WORDS = read_table(__name__, "untranslated")
_ORDINARY = frozenset(_WORDS["ordinary"].split())
_ANSWERS = frozenset(_WORDS["answers"].split())
_ORGANISATIONS = frozenset(_WORDS["organisations"].split())
_WITHIN_NAMES = frozenset(_WORDS["within_names"].split())
_NAMES_AND_KEYWORDS = frozenset((*_WORDS["proper_names"], *_WORDS["keywords"]))
# The group matches a word. If the group is empty, the match is a name such as x_0, a.b, f(. A name
# is matched as a whole, so that no part of it counts as a word.
_TOKEN = re.compile(r"([A-Za-z]+(?:['’-][A-Za-z]+)*)(?![\w(@/\\]|[.-]\w)|[\w@/\\.-]+")
_HAN = re.compile(f"[{HAN}]")
# Two adjacent plain words.
_PHRASE = re.compile(r"(?<![\w.@/-])[A-Za-z][a-z]{2,} [a-z]{4,}(?![\w(@/-]|\.\w)")
# A word with an ending that names rarely have.
_ENDINGS = "tion|ment|ness|ance|ence|ity|ing"
_ENDING = re.compile(
    rf"(?<![\w.@/-])(?!Hugging)[A-Za-z][a-z]{{2,}}(?:{_ENDINGS})s?(?![\w(@/-]|\.\w)"
)
_CAMEL = re.compile(r"[a-z][A-Z]")
_YEAR = re.compile(r"\d+")
# Texts that translators keep in English: copyright and licence lines, and bibliographies.
# A bibliography is recognized by two matches of `_CITED`.
_OWNED = re.compile(_WORDS["owned"], re.IGNORECASE | re.VERBOSE)
_CITED = re.compile(_WORDS["cited"], re.IGNORECASE | re.VERBOSE)
_OPENERS, _CLOSERS = '（(《“"「『‘', '）)》”"」』’'
_BRACKETED = re.compile(rf"[{_OPENERS}][^{_OPENERS}{_CLOSERS}]*[{_CLOSERS}]")
# Matches at least three words, because shorter runs are never reported.
_SEVERAL = re.compile(r"(?:[A-Za-z]+[^A-Za-z]+){2}[A-Za-z]")
_RUN = re.compile(rf"[A-Za-z][A-Za-z0-9 ,.;:'’{OPEN}{WORD}{URL}-]*[A-Za-z.]")
# A run of English inside Chinese is reported if it has at least this many words, and at least this
# many ordinary words among them.
_LEAST_WORDS, _LEAST_ORDINARY = 4, 2
_LEAST_COPIED = 3  # minimum number of words of a run that occurs in the English text


def is_kept(text: str) -> bool:
    """Return whether a masked text is one that translators keep in English.

    These are licence lines and bibliographies: "Copyright 2020 …"; "Smith et al. Proceedings of
    …, 2019".
    """
    if _OWNED.search(text):
        return True
    # Several years count as one sign of a bibliography.
    signs = {_YEAR.sub("year", sign.lower()) for sign in _CITED.findall(text)}
    return len(signs) > 1


@lru_cache(maxsize=64)
def words_of(text: str) -> tuple[str, ...]:
    """Return the English words of a masked text, except names such as ``x_0``, ``a.b``, ``f(``."""
    return tuple(filter(None, _TOKEN.findall(text)))


def count_ordinary(words: Sequence[str]) -> int:
    """Return the number of ordinary words, which a translation never keeps.

    Compare case-sensitively, and ignore the part after an apostrophe: "it's" counts as "it".
    """
    count = 0
    for word in words:
        count += re.split("['’]", word)[0] in _ORDINARY
    return count


@lru_cache(maxsize=64)
def count_han(text: str) -> int:
    """Return the number of Chinese characters in a text."""
    return len(_HAN.findall(text))


@lru_cache(maxsize=64)
def is_english(text: str) -> bool:
    """Return whether a masked text is English.

    Such a text has hardly any Chinese characters, and it has words that do not belong to names.
    "See the guide", "Overview" and "Sharded matrices" are English; "NumPy" and "Flax NNX" are
    names.
    """
    words = words_of(text)
    characters = count_han(text)
    if not words or characters * 4 > len(words):
        return False
    ordinary = count_ordinary(list(map(str.lower, words)))
    # "See the guide" has two ordinary words. "Overview" has one, which suffices for a
    # text of one or two words.
    least = 1 if len(words) <= 2 else 2
    if ordinary >= least:
        return True
    return not characters and _is_plain(text)


def _is_plain(text: str) -> bool:
    """Return whether a text without ordinary words is probably not a name.

    ``Sharded matrices`` has two adjacent plain words. ``Documentation`` has an ending that names
    rarely have; beside CamelCase, such a word may still be part of a name.
    """
    if _PHRASE.search(text):
        return True
    return bool(_ENDING.search(text)) and not _CAMEL.search(text)


def is_name_or_keyword(text: str) -> bool:
    """Return whether a translation may equal the English ``text``, which is masked.

    These texts may stay English:

    not in                              keywords of a language
    timeout                             one word in lower case: the name of a parameter
    Example Software Foundation         a name, recognized by its last word
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
    """Return whether a masked text is probably a phrase and not a name.

    "using several devices" is a phrase, "Ahead of Time" is not. For a text that occurs in the
    English, this suffices to report it as untranslated.
    """
    words = words_of(text)
    if len(words) < _LEAST_COPIED:
        return False
    if not count_ordinary(list(map(str.lower, words))):
        return False
    return sum(map(str.islower, words)) > 1


def english_runs(text: str, msgid: str) -> Iterator[Span]:
    """Yield the positions of untranslated English in a masked Chinese text.

    Untranslated English is a run of words with ordinary words among them, or a phrase that occurs
    in the masked ``msgid``. Ignore English in brackets and quotes: ``即时编译（just in time）``.
    """
    text = _BRACKETED.sub(_without_names, text)
    for run in _RUN.finditer(text):
        if _SEVERAL.match(run[0]) and _ought_to_be_chinese(run[0], msgid):
            yield run.span()


def _ought_to_be_chinese(run: str, msgid: str) -> bool:
    """Return whether a run of English words is probably untranslated, and not a name or a term.

    Capitalized words do not count as ordinary, because they may be part of a name.
    """
    words = words_of(run)
    if len(words) >= _LEAST_WORDS and count_ordinary(words) >= _LEAST_ORDINARY:
        return True
    # Spaces around both texts, so that only whole words are found.
    return is_phrase(run) and f" {' '.join(words)} " in f" {' '.join(words_of(msgid))} "


def _without_names(match: re.Match[str]) -> str:
    """Return a bracketed text unchanged if it contains Chinese; otherwise hide its words.

    ``（用 JAX）`` -> ``（用 JAX）``, ``（JAX）`` -> ``（（（（（``. The length is unchanged.
    """
    if _HAN.search(match[0]):
        return match[0]
    return "（" * len(match[0])


def find_english(subject: Subject) -> Iterator[Problem]:
    """Report a translation in English that differs from the msgid. M302 reports copies."""
    if _is_copy(subject) or not is_english(subject.masked_chinese):
        return
    if is_kept(subject.masked_english):
        return
    yield _untranslated_problem(subject, "M301", text="is left in English")


def find_copied(subject: Subject) -> Iterator[Problem]:
    """Report a translation that equals the msgid, unless the msgid is a name such as NumPy."""
    if not _is_copy(subject) or _HAN.search(subject.msgid):
        return
    if is_kept(subject.masked_english):
        return
    shown = subject.masked_chinese
    if subject.kind is not Kind.HEADING and is_name_or_keyword(shown):
        return
    # For a copy, weaker evidence suffices.
    if is_english(shown) or is_phrase(shown):
        yield _untranslated_problem(subject, "M302", text="equals the English")


def find_untranslated_part(subject: Subject) -> Iterator[Problem]:
    """Report English words in a translation that is otherwise Chinese.

    ``数组 is used by 函数 这里``. M301 reports translations that are completely English.
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
    """Return whether the translation equals the English, except for outer white space."""
    return subject.msgstr.strip() == subject.msgid.strip()


def _untranslated_problem(subject: Subject, code: str, text: str) -> Problem:
    """Return the problem with a message that the check ``code`` considers untranslated."""
    msgstr = subject.msgstr
    return Problem(
        text=text,
        hint=(
            "Translate it, or say in a translator comment why it stays English "
            f"(# pipeline: ignore={code} because …)."
        ),
        # Leave out white space at the edges.
        spans=((len(msgstr) - len(msgstr.lstrip()), len(msgstr.rstrip())),),
    )
