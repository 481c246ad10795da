"""Judge of a model's answers, which are untrusted.

``Judge.judge`` takes a question and the text of an answer, and returns a msgstr or a rejection. An
accepted msgstr has passed the guard (the safety check of every merge), and every check that can
keep a translation out of its page. It has the atoms and the markup of its message, and is in the
right language.

A page may contain an instruction for the model. A model that obeys it, or that repeats the task it
was given, uses words like "prompt" even in a short answer. A translation has such words only if the
English is about the same topic. ``judge.toml`` has the topics.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from itertools import chain

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.core.checks.engine import fix_entry
from pipeline.core.checks.masked import HAN, keeps_atoms
from pipeline.core.checks.meaning.untranslated import count_han, words_of
from pipeline.core.checks.model import Check, Subject
from pipeline.core.checks.table import SIMPLIFIED, checks_of, glossary_checks
from pipeline.core.document.guard import text_refusal
from pipeline.core.document.message import Kind
from pipeline.core.drafting.question import LostMarksError, Question, task_text, unmask
from pipeline.core.glossary.glossary import Glossary
from pipeline.entries import Entry
from pipeline.findings import Severity
from pipeline.tables import read_table

_HAN = re.compile(f"[{HAN}]")
_QUOTED = 12  # number of characters of the task that no translation repeats by chance
# Marks of emphasis and tables, each with the English marks that it may replace. A translation must
# not have more of a mark than the English has of all these marks. Next to Chinese, "_" does not
# work, so *…* may replace _…_.
_MARKS = {"*": "*_", "~": "~", "|": "|"}
_LATIN = re.compile(r"[A-Za-z]+")
_CHINESE_END = re.compile(r"[。！？]")
_ENGLISH_END = re.compile(r"[.!?](?=\W*(?:\s|$))")
# The checks of length skip short messages. So the judge limits translations of messages with fewer
# than _FEW_WORDS words: to _MOST_A_WORD characters for each word, plus _MOST_MORE characters.
_FEW_WORDS, _MOST_A_WORD, _MOST_MORE = 5, 8, 12
_HEADINGS = (Kind.HEADING, Kind.TITLE, Kind.PAGE_TITLE)
# By language: scripts that a translation may use, as prefixes of Unicode names. Letters in the
# English are allowed too. A language that is not listed may use any script.
_SCRIPTS = {"zh": ("CJK", "LATIN", "GREEK", "FULLWIDTH LATIN", "MICRO", "OHM", "KELVIN")}

# Warnings that reject a draft. Other warnings are only doubts, because they may be wrong.
_REFUSED = ("M301", "M302", "M307")


class Reason(StrEnum):
    """Reason of a rejection, as shown in tables."""

    NO_ANSWER = "no answer"
    ATOMS = "code, links or formulas changed"
    MARKUP = "markup or lines that the English lacks"
    LANGUAGE = "another language"
    UNTRANSLATED = "not translated"
    HEADING = "a heading as a paragraph"
    LENGTH = "too long or too short"
    CHATTER = "talks about the task"
    CHARACTERS = "control characters"
    OTHER = "other mistakes"
    # ``drafts`` finds these two, because they depend on all drafts of a page.
    SHIFTED = "a translation of another message"
    PAGE = "would change the page"


class Judged(Struct, frozen=True, kw_only=True):
    """Verdict on an answer: a msgstr or a rejection."""

    msgstr: str = ""
    refused: Reason | None = None
    fault: str = ""  # reason of a rejection, as a sentence for the model
    # Warnings of checks. The question is asked again, and the better answer is used.
    doubts: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        """Return whether the answer is accepted without doubts."""
        return self.refused is None and not self.doubts


# Reasons by prefix of the code of a check's finding; the first match counts.
_REASONS = {
    "M2": Reason.ATOMS,
    "M301": Reason.UNTRANSLATED,
    "M302": Reason.UNTRANSLATED,
    "M307": Reason.LENGTH,
    "G": Reason.MARKUP,
    "M1": Reason.MARKUP,
    "": Reason.OTHER,
}


class Judge(Struct, frozen=True, kw_only=True):
    """Judge of the answers of one locale."""

    locale: str
    checks: tuple[Check, ...] = field(default=SIMPLIFIED.checks)

    @classmethod
    def of(cls, locale: str, glossary: Glossary | None) -> Judge:
        """Return a judge that also checks the terms of ``glossary``."""
        checks = checks_of(locale).checks
        if glossary is not None:
            checks = (*checks, *glossary_checks(glossary))
        return cls(locale=locale, checks=checks)

    def judge(self, question: Question, text: str) -> Judged:
        """Return the verdict on ``text``, the answer to ``question``.

        An error of the guard or of a check rejects the answer. Warnings become doubts, and notes
        are ignored.
        """
        if repeats_task(text, question.masked.text, self.locale):
            return Judged(refused=Reason.CHATTER, fault="repeats what you were told")
        try:
            msgstr = unmask(text.strip(), question.masked)
        except LostMarksError as error:
            return Judged(refused=Reason.ATOMS, fault=str(error))
        # Check the entry as if a person had confirmed it, because checks ignore fuzzy entries.
        subject = Subject(finished(question, msgstr), question.page)
        found = next(_faults(subject, self.locale), None)
        if found:
            return Judged(refused=found[0], fault=found[1])
        # Fix spaces and punctuation here; they are not worth a second request.
        msgstr = fix_entry(subject, self.checks)
        subject = Subject(finished(question, msgstr), question.page)
        # Only check this entry; ``drafts`` checks the page.
        problems = list(chain.from_iterable(check.look(subject) for check in self.checks))
        doubts: list[str] = []
        for problem in problems:
            sentence = f"{problem.text}. {problem.hint}"
            if problem.severity is Severity.ERROR or problem.code in _REFUSED:
                start = next(filter(problem.code.startswith, _REASONS))
                return Judged(refused=_REASONS[start], fault=sentence)
            if problem.severity is Severity.WARNING:
                doubts.append(sentence)
        return Judged(msgstr=msgstr, doubts=tuple(doubts))


def finished(question: Question, msgstr: str) -> Entry:
    """Return the entry of a question with ``msgstr`` as a confirmed translation."""
    return replace(question.entry, msgstr=msgstr, fuzzy=False, previous=None)


def better(first: Judged, second: Judged) -> Judged:
    """Return the better of two verdicts: an accepted answer, or the one with fewer doubts.

    If neither is better, return the first one, because its request showed more of the page.
    """
    if second.refused:
        return first
    if not first.refused and len(first.doubts) <= len(second.doubts):
        return first
    return second


def repeats_task(text: str, english_text: str, locale: str) -> bool:
    """Return whether an answer quotes the task of the model.

    A page may ask a model to do that. A quotation that is also in the English is allowed.
    """
    quoted = _pieces_of(text) & _pieces_of_task(locale)
    return any(piece not in english_text for piece in quoted)


@cache  # the task is the same for all requests of a locale
def _pieces_of_task(locale: str) -> frozenset[str]:
    return _pieces_of(task_text(locale))


def _pieces_of(text: str) -> frozenset[str]:
    """Return all substrings of a text with ``_QUOTED`` characters."""
    return frozenset(text[at : at + _QUOTED] for at in range(len(text) - _QUOTED + 1))


def _faults(subject: Subject, locale: str) -> Iterator[tuple[Reason, str]]:
    """Yield the faults that checks do not find, each with a sentence for the model.

    The caller uses the first fault, so the order matters.
    """
    msgid, msgstr = subject.msgid, subject.msgstr
    is_chinese = locale.startswith("zh")
    if not msgstr:
        yield Reason.NO_ANSWER, "is empty"
    # The text has characters such as lone surrogates, or is too long to be parsed.
    if refusal := text_refusal(msgid, msgstr):
        is_unseen = refusal.code == "G101"
        yield Reason.CHARACTERS if is_unseen else Reason.LENGTH, refusal.text
    yield from _markup_faults(subject)
    if words := _task_words(msgid, msgstr):
        fault = f"says something about the task ({words}), which the English does not"
        yield Reason.CHATTER, fault
    if letter := _strange_letter(subject, locale):
        yield Reason.LANGUAGE, f"has {letter!r}, which is of another language"
    # Test this before searching headings for sentences: an escaped mark may make a heading look
    # like one.
    if subject.refusal:
        yield Reason.MARKUP, subject.refusal.text
    if not subject.is_in_place:
        yield Reason.MARKUP, f"would turn the {subject.kind} into another block"
    if is_chinese and not _HAN.search(msgstr) and not _has_only_names(msgid, msgstr):
        yield Reason.UNTRANSLATED, "has no Chinese in it"
    if subject.kind in _HEADINGS and _is_sentence(subject):
        yield Reason.HEADING, "is a sentence, where the English is a heading"
    if is_chinese and _is_too_long(subject):
        yield Reason.LENGTH, "says far more than the English"


def _markup_faults(subject: Subject) -> Iterator[tuple[Reason, str]]:
    """Yield a fault for atoms, line breaks and marks that the English does not have."""
    msgid, msgstr = subject.msgid, subject.msgstr
    # The model may have written code itself, instead of copying a mark (⟦1⟧).
    if not keeps_atoms(msgid, msgstr, subject.markup):
        yield Reason.ATOMS, "has code, links, formulas or HTML that the English lacks"
    # A translation may drop all hard line breaks.
    if msgstr.count("\n") not in (0, msgid.count("\n")):
        yield Reason.MARKUP, "has other line breaks than the English"
    for mark, alike in _MARKS.items():
        if msgstr.count(mark) > sum(map(msgid.count, alike)):
            yield Reason.MARKUP, f"has “{mark}” where the English has none"


def _strange_letter(subject: Subject, locale: str) -> str:
    """Return a letter of a script that neither the locale nor the English uses, or "".

    In a Chinese answer, this may be a letter of ``имя``, or kana. ``µ`` and ``Ω`` are allowed,
    because they are units.
    """
    # Unicode names start with the script: "CYRILLIC SMALL LETTER DE", "HIRAGANA LETTER NO".
    scripts = _SCRIPTS.get(locale.partition("_")[0])
    if scripts is None:
        return ""
    for letter in sorted(set(subject.msgstr) - set(subject.msgid)):
        name = unicodedata.name(letter, "")
        if letter.isalpha() and not letter.isascii() and not name.startswith(scripts):
            return letter
    return ""


def _has_only_names(msgid: str, msgstr: str) -> bool:
    """Return whether all Latin words of an answer occur in the English: ``Linux，x86_64``.

    This is also true for a sentence that was left in English, which the checks find.
    """
    known = msgid.casefold()
    words = _LATIN.findall(msgstr.casefold())
    return bool(words) and all(word in known for word in words)


def _is_sentence(subject: Subject) -> bool:
    """Return whether the Chinese has the punctuation of a sentence, but the English does not."""
    is_english_sentence = _ENGLISH_END.search(subject.masked_english)
    return not is_english_sentence and bool(_CHINESE_END.search(subject.masked_chinese))


def _is_too_long(subject: Subject) -> bool:
    """Return whether the translation of a few words is much too long.

    For example, a model may explain ``Ovens`` in a paragraph instead of translating it. Checks find
    long translations of longer messages.
    """
    words = len(words_of(subject.masked_english))
    shown = subject.masked_chinese
    length = count_han(shown) + len(words_of(shown))
    return words < _FEW_WORDS and length > _MOST_A_WORD * words + _MOST_MORE


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# For each topic: patterns for its words in an answer, and for the topic in the English.
_TOPICS = [
    (_any_of(topic["answer"]), _any_of(topic["english"]))
    for topic in read_table(__name__, "judge").values()
]


def _task_words(english: str, answer: str) -> str:
    """Return words of the answer about a topic that the English does not have, or ""."""
    for of_answer, of_english in _TOPICS:
        found = of_answer.search(answer)
        # English such as "Call ChatGPT" has the topic as well, because a pattern for answers finds
        # it.
        has_topic = of_english.search(english) or of_answer.search(english)
        if found and not has_topic:
            return found[0]
    return ""
