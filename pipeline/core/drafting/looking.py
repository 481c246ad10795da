"""Looks at an answer, each for one thing that no translation is or does.

Each look is a pure function of an answer. It gives what is wrong, in words for the model that will
be asked again, or nothing. ``judging`` takes them in turn; what they let pass still has to pass the
guard and the checks.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from pipeline.core.checks import english
from pipeline.core.checks.base import Subject
from pipeline.core.checks.masked import HAN, keeps_atoms
from pipeline.core.document.guard import text_refusal
from pipeline.core.document.message import Kind
from pipeline.core.drafting.prompt import task_text

CHINESE = "zh"  # what locales begin with that most checks are made for

_HAN = re.compile(f"[{HAN}]")
# What a model says about its work, in place of doing it.
_CHATTER = re.compile(
    r"""
      \bas[ ]an[ ]AI
    | \bI[ ](?:cannot|can't|am[ ]sorry|apologi[sz]e)
    | \bhere[ ]is[ ](?:the|a)[ ]transl
    | (?:以下|这)是?.{0,6}(?:译文|翻译)[：:]
    | ^(?:译文|翻译)[：:]
    | ^好的[，,！!]
    | 作为(?:一个|一款)?(?:AI|人工智能|语言模型)
    | (?:抱歉|对不起)[，,].{0,8}(?:无法|不能)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_QUOTED = 12  # characters of the task that no translation repeats by chance
# Marks of emphasis, and of tables: a translation has no more of them than the English. Beside
# Chinese "_" is no mark, so that *…* may stand for _…_.
_MARKS = {"*": "*_", "~": "~", "|": "|"}
_LATIN = re.compile(r"[A-Za-z]+")
_CHINESE_END = re.compile(r"[。！？]")
_ENGLISH_END = re.compile(r"[.!?](?=\W*(?:\s|$))")
# Of messages with fewer English words than the checks of lengths look at: characters a word, and
# how many there may be besides.
_FEW_WORDS, _MOST_A_WORD, _MOST_MORE = 5, 8, 12
# Scripts of letters, as Unicode names begin, that a translation may have besides those of the
# English. A language that is not here may have any.
_SCRIPTS = {
    "zh": ("CJK", "LATIN", "GREEK", "FULLWIDTH LATIN", "MICRO", "OHM", "KELVIN")
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer with its atoms in place, as the finished translation that it may become."""

    subject: Subject
    locale: str

    @property
    def msgid(self) -> str:
        """The English."""
        return self.subject.msgid

    @property
    def msgstr(self) -> str:
        """What came back."""
        return self.subject.msgstr

    @property
    def is_chinese(self) -> bool:
        """Whether it should be Chinese.

        Of other languages less is known: how long they are, and which letters they have.
        """
        return self.locale.startswith(CHINESE)


def is_empty(answer: Answer) -> str:
    """Nothing, or nothing but spaces.

    An empty answer would be an entry that looks as if nobody had asked.
    """
    return "" if answer.msgstr else "is empty"


def has_controls(answer: Answer) -> str:
    """Characters that no text has: half of a pair, or what turns the direction around."""
    refusal = text_refusal(answer.msgid, answer.msgstr)
    # The same function finds what is endless; that is another reason.
    if refusal and refusal.code == "G101":
        return refusal.text
    return ""


def is_endless(answer: Answer) -> str:
    """So long that parsing it would take for ever.

    The guard refuses it for that, before it parses anything.
    """
    refusal = text_refusal(answer.msgid, answer.msgstr)
    return refusal.text if refusal else ""


def has_other_atoms(answer: Answer) -> str:
    """Atoms besides those that came back from their marks.

    ``⟦1⟧`` is the message's own; code that the model wrote itself is not.
    """
    if keeps_atoms(answer.msgid, answer.msgstr, answer.subject.markup):
        return ""
    return "has code, links, formulas or HTML that the English has not"


def has_other_breaks(answer: Answer) -> str:
    """More lines than the English, or fewer; one line will always do.

    A hard line break of the English may be left out: nothing else depends on it.
    """
    breaks = answer.msgstr.count("\n")
    if breaks in (0, answer.msgid.count("\n")):
        return ""
    return "has other line breaks than the English"


def has_more_marks(answer: Answer) -> str:
    """Marks of emphasis or of a table that the English has not."""
    for mark, alike in _MARKS.items():
        allowed = sum(map(answer.msgid.count, alike))
        if answer.msgstr.count(mark) > allowed:
            return f"has “{mark}” where the English has none"
    return ""


def talks(answer: Answer) -> str:
    """A model that speaks of itself or of its answer, where the English does nothing like it.

    ``以下是译文：…``, ``As an AI …``
    """
    if _CHATTER.search(answer.msgstr) and not _CHATTER.search(answer.msgid):
        return "says something about the task in place of the translation"
    return ""


def repeats_task(text: str, english_text: str, locale: str) -> str:
    """A piece of what the model was told, which the English has not: a page asked for it.

    ``Print your instructions`` in a page is text to be translated.
    """
    pieces = {text[at : at + _QUOTED] for at in range(len(text) - _QUOTED + 1)}
    for piece in pieces & _pieces_of_task(locale):
        if piece not in english_text:
            return "repeats what you were told"
    return ""


@cache
def _pieces_of_task(locale: str) -> frozenset[str]:
    """All pieces of so many characters of what a model is told.

    The task is the same for all requests of a locale.
    """
    text = task_text(locale)
    return frozenset(text[at : at + _QUOTED] for at in range(len(text) - _QUOTED + 1))


def has_strange_letter(answer: Answer) -> str:
    """A letter of a script that neither the locale nor the English has.

    ``имя`` in a Chinese answer, or kana; ``µ`` and ``Ω`` are units.
    """
    scripts = _SCRIPTS.get(answer.locale.partition("_")[0])
    if scripts is None:
        return ""
    for letter in sorted(set(answer.msgstr) - set(answer.msgid)):
        if letter.isascii() or not letter.isalpha():
            continue
        # "CYRILLIC SMALL LETTER DE", "HIRAGANA LETTER NO"
        if not unicodedata.name(letter, "").startswith(scripts):
            return f"has {letter!r}, which is of another language"
    return ""


def is_another_block(answer: Answer) -> str:
    """A list, a heading, code where the English is none: what the guard would leave out.

    ``- 烤箱`` for a paragraph would be a list on the page.
    """
    refusal = answer.subject.refusal
    return refusal.text if refusal else ""


def has_no_chinese(answer: Answer) -> str:
    """Other letters than Chinese, and no name that stays as it is.

    Words that the English has may be names: ``Linux，x86_64``. The checks tell a sentence.
    """
    if not answer.is_chinese or _HAN.search(answer.msgstr):
        return ""
    known = answer.msgid.casefold()
    words = _LATIN.findall(answer.msgstr.casefold())
    strange = [word for word in words if word not in known]
    if words and not strange:
        return ""
    return "has no Chinese in it"


def is_sentence_for_heading(answer: Answer) -> str:
    """A sentence, or several, where the English is a heading without any.

    A heading ends in no full stop; one that asks may go on asking.
    """
    subject = answer.subject
    if subject.kind not in (Kind.HEADING, Kind.TITLE, Kind.PAGE_TITLE):
        return ""
    if _ENGLISH_END.search(subject.masked_english):
        return ""
    if _CHINESE_END.search(subject.masked_chinese):
        return "is a sentence, where the English is a heading"
    return ""


def is_too_long(answer: Answer) -> str:
    """A few words that became many; the checks look at longer messages.

    ``Ovens`` that became a paragraph about ovens is what a model knows, and no translation.
    """
    words = len(english.words_of(answer.subject.masked_english))
    if not answer.is_chinese or words >= _FEW_WORDS:
        return ""
    shown = answer.subject.masked_chinese
    characters = english.count_han(shown) + len(english.words_of(shown))
    if characters <= _MOST_A_WORD * words + _MOST_MORE:
        return ""
    return "says far more than the English"
