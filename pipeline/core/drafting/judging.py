"""What may be kept of an answer: it is hostile until proven to be a translation.

In go a question and the text that came back, out comes a msgstr or the reason why not. What is kept
has passed the guard and every check that keeps a translation from readers. The invariant: a
judged msgstr has the atoms and the markup of its message, and is in the language asked for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache

from pipeline.core.checks import english, guarded, run, terms
from pipeline.core.checks.base import Check, Problem, Subject
from pipeline.core.checks.blocking import BLOCKING
from pipeline.core.checks.masked import HAN, keeps_atoms
from pipeline.core.document.message import Kind
from pipeline.core.document.refusal import text_refusal
from pipeline.core.drafting.masking import LostMarksError, unmask
from pipeline.core.drafting.prompt import task_text
from pipeline.core.drafting.questions import Question
from pipeline.core.glossary.terms import Glossary
from pipeline.entries import Entry
from pipeline.findings import Severity


class Reason(StrEnum):
    """Why an answer was refused, as tables count it."""

    NO_ANSWER = "no answer"
    ATOMS = "code, links or formulas changed"
    MARKUP = "markup or lines that the English has not"
    LANGUAGE = "another language"
    UNTRANSLATED = "not translated"
    HEADING = "a heading as a paragraph"
    LENGTH = "too long or too short"
    CHATTER = "talks about the task"
    CHARACTERS = "control characters"
    OTHER = "other mistakes"
    SHIFTED = "a translation of another message"
    PAGE = "would change the page"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why an answer is not used: a class for tables, and words for the model."""

    reason: Reason
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What became of an answer: a msgstr, or a refusal.

    ``doubts`` are what checks warn of: the question is put once more, and the better answer kept.
    """

    msgstr: str = ""
    refusal: Refusal | None = None
    doubts: tuple[str, ...] = ()


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
_SENTENCE_END = re.compile(r"[。！？]")
_ENGLISH_END = re.compile(r"[.!?](?=\W*(?:\s|$))")
_CHINESE = "zh"  # what locales begin with that the checks are made for
_MARKS = (
    "*~|"  # of emphasis, of tables: a translation has no more of them than the English
)
_QUOTED = 12  # characters of the task that no translation repeats by chance
# Of messages with fewer English words than the checks of lengths look at.
_FEW_WORDS, _MOST_A_WORD, _MOST_MORE = 5, 8, 12

# What a check has found, by the beginning of its code.
_REASONS = {
    "G101": Reason.CHARACTERS,
    "G106": Reason.LENGTH,
    "M2": Reason.ATOMS,
    "M301": Reason.UNTRANSLATED,
    "M302": Reason.UNTRANSLATED,
    "M307": Reason.LENGTH,
    "G": Reason.MARKUP,
    "M1": Reason.MARKUP,
    "": Reason.OTHER,
}
# Warnings with which no draft is kept. The others may be right: they are doubts.
_REFUSED = ("M301", "M302", "M307")
# Scripts of letters, as Unicode names begin, that a translation may have besides those of the
# English.
_SCRIPTS = {
    "zh": ("CJK", "LATIN", "GREEK", "FULLWIDTH LATIN", "MICRO", "OHM", "KELVIN")
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Judges the answers of one locale."""

    locale: str
    glossary: Glossary | None = None
    checks: tuple[Check, ...] = field(default=run.CHECKS)

    @classmethod
    def of(cls, locale: str, glossary: Glossary | None) -> Judge:
        """A judge that knows the terms of ``glossary`` as well."""
        checks = run.CHECKS
        if not locale.startswith(_CHINESE):
            # The other checks know how long Chinese is, and how it is written.
            return cls(locale=locale, checks=(*guarded.CHECKS, *BLOCKING))
        if glossary:
            checks = (*checks, *terms.checks_of(glossary))
        return cls(locale=locale, glossary=glossary, checks=checks)

    def judge(self, question: Question, answer: str) -> Judged:
        """What may be kept of the answer to a question."""
        if _repeats_task(answer, question.masked.text, self.locale):
            return _refused(Reason.CHATTER, "repeats what you were told")
        try:
            msgstr = unmask(answer.strip(), question.masked)
        except LostMarksError as error:
            return _refused(Reason.ATOMS, str(error))
        refusal = self._refusal(question, msgstr)
        if refusal:
            return Judged(refusal=refusal)
        # Spaces and punctuation need no judgement, and no second call.
        mended = run.fix_entry(_subject(question, msgstr), self.checks)
        return self._checked(question, mended)

    def _checked(self, question: Question, msgstr: str) -> Judged:
        """The verdict of guard and checks, on a text that looks like a translation."""
        problems = list(_problems(_subject(question, msgstr), self.checks))
        for problem in problems:
            if problem.severity is Severity.ERROR or problem.code in _REFUSED:
                return _refused(_reason(problem.code), _told(problem))
        warnings = [
            problem for problem in problems if problem.severity is Severity.WARNING
        ]
        return Judged(msgstr=msgstr, doubts=tuple(map(_told, warnings)))

    def _refusal(self, question: Question, msgstr: str) -> Refusal | None:
        """What is wrong with an answer as a whole, whatever its markup: the first rule counts."""
        entry, markup = question.entry, question.place.markup
        if not msgstr:
            return Refusal(reason=Reason.NO_ANSWER, text="is empty")
        # First of all: what cannot be shown cannot be parsed either.
        if unfit := text_refusal(entry.msgid, msgstr):
            return Refusal(reason=_reason(unfit.code), text=unfit.text)
        if not keeps_atoms(entry.msgid, msgstr, markup):
            text = "has code, links, formulas or HTML that the English has not"
            return Refusal(reason=Reason.ATOMS, text=text)
        if "\n" in msgstr and msgstr.count("\n") != entry.msgid.count("\n"):
            text = "has other line breaks than the English"
            return Refusal(reason=Reason.MARKUP, text=text)
        added = _added_marks(msgstr, entry.msgid)
        if added:
            text = f"has “{added}” where the English has none"
            return Refusal(reason=Reason.MARKUP, text=text)
        if _talks(msgstr, entry.msgid):
            text = "says something about the task in place of the translation"
            return Refusal(reason=Reason.CHATTER, text=text)
        if letter := _strange_letter(msgstr, entry.msgid, self.locale):
            text = f"has {letter!r}, which is of another language"
            return Refusal(reason=Reason.LANGUAGE, text=text)
        subject = _subject(question, msgstr)
        # Before anything is mended: what escapes a mark makes a sentence of a heading.
        if refused := subject.refusal:
            return Refusal(reason=_reason(refused.code), text=refused.text)
        if self._has_no_chinese(subject):
            return Refusal(reason=Reason.UNTRANSLATED, text="has no Chinese in it")
        if _is_paragraph_for_heading(subject):
            text = "is a sentence, where the English is a heading"
            return Refusal(reason=Reason.HEADING, text=text)
        if self.locale.startswith(_CHINESE) and _is_too_long(subject):
            text = "says far more than the English"
            return Refusal(reason=Reason.LENGTH, text=text)
        return None

    def _has_no_chinese(self, subject: Subject) -> bool:
        """Whether a text is in other letters than Chinese, and no name that stays as it is."""
        if not self.locale.startswith(_CHINESE) or _HAN.search(subject.msgstr):
            return False
        # Only what is left just as it was can be a name: the checks tell it from a sentence.
        if subject.msgstr.strip().casefold() == subject.msgid.strip().casefold():
            return False
        return not english.is_kept(subject.masked_english)


def finished(question: Question, msgstr: str) -> Entry:
    """The entry of a question as it would be with this translation, confirmed."""
    return replace(question.entry, msgstr=msgstr, fuzzy=False, previous=None)


def better(first: Judged, second: Judged) -> Judged:
    """The one of two verdicts that leaves less to a person."""
    if second.refusal or (
        not first.refusal and len(first.doubts) <= len(second.doubts)
    ):
        return first
    return second


def _subject(question: Question, msgstr: str) -> Subject:
    return Subject(finished(question, msgstr), question.page)


def _problems(subject: Subject, checks: Collection[Check]) -> Iterator[Problem]:
    for check in checks:
        yield from check.look(subject)


def _refused(reason: Reason, text: str) -> Judged:
    return Judged(refusal=Refusal(reason=reason, text=text))


def _told(problem: Problem) -> str:
    return f"{problem.text}. {problem.hint}"


def _reason(code: str) -> Reason:
    return next(_REASONS[prefix] for prefix in _REASONS if code.startswith(prefix))


def _added_marks(msgstr: str, msgid: str) -> str:
    """The first mark of markup that a text has more often than the English; empty if none."""
    for mark in _MARKS:
        if msgstr.count(mark) > msgid.count(mark):
            return mark
    return ""


def _talks(msgstr: str, msgid: str) -> bool:
    """Whether a model speaks of itself or of its answer, where the English does nothing like it."""
    return bool(_CHATTER.search(msgstr)) and not _CHATTER.search(msgid)


def _repeats_task(answer: str, english: str, locale: str) -> bool:
    """Whether an answer has a piece of what the model was told, and the English has not."""
    pieces = _pieces_of_task(locale)
    found = {answer[at : at + _QUOTED] for at in range(len(answer) - _QUOTED + 1)}
    return any(piece not in english for piece in found & pieces)


@cache
def _pieces_of_task(locale: str) -> frozenset[str]:
    text = task_text(locale)
    return frozenset(text[at : at + _QUOTED] for at in range(len(text) - _QUOTED + 1))


def _strange_letter(msgstr: str, msgid: str, locale: str) -> str:
    """The first letter of a script that neither the locale nor the English has; empty if none."""
    scripts = _SCRIPTS.get(locale.partition("_")[0])
    if scripts is None:
        return ""
    for letter in msgstr:
        if letter.isascii() or not letter.isalpha() or letter in msgid:
            continue
        if not unicodedata.name(letter, "").startswith(scripts):
            return letter
    return ""


def _is_paragraph_for_heading(subject: Subject) -> bool:
    if subject.kind not in (Kind.HEADING, Kind.TITLE):
        return False
    is_sentence = bool(_ENGLISH_END.search(subject.masked_english))
    return not is_sentence and bool(_SENTENCE_END.search(subject.masked_chinese))


def _is_too_long(subject: Subject) -> bool:
    """Whether a message of a few words became many; the checks look at longer ones."""
    words = len(english.words_of(subject.masked_english))
    if words >= _FEW_WORDS:
        return False
    shown = subject.masked_chinese
    characters = english.count_han(shown) + len(english.words_of(shown))
    return characters > _MOST_A_WORD * words + _MOST_MORE
