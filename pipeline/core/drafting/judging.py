"""What may be kept of an answer: it is hostile until proven to be a translation.

In go a question and the text that came back, out comes a msgstr or the reason why not. What is kept
has passed the guard and every check that keeps a translation from readers. The invariant: a
judged msgstr has the atoms and the markup of its message, and is in the language asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from pipeline.core.checks import run, terms
from pipeline.core.checks.base import Check, Problem, Subject
from pipeline.core.checks.sets import SIMPLIFIED, checks_of
from pipeline.core.drafting import looking
from pipeline.core.drafting.looking import Answer
from pipeline.core.drafting.masking import LostMarksError, unmask
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
    # These two show only when all drafts of a page are there: see ``accepting``.
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

    @property
    def is_good(self) -> bool:
        """Whether nothing speaks against the answer.

        Then it is not asked for a second time.
        """
        return self.refusal is None and not self.doubts


# What is looked at before any check, in this order: what cannot be shown cannot be parsed, and
# what breaks the block would be looked at as another block. Each says what is wrong, or nothing.
_LOOKS = (
    (Reason.NO_ANSWER, looking.is_empty),
    (Reason.CHARACTERS, looking.has_controls),
    (Reason.LENGTH, looking.is_endless),
    (Reason.ATOMS, looking.has_other_atoms),
    (Reason.MARKUP, looking.has_other_breaks),
    (Reason.MARKUP, looking.has_more_marks),
    (Reason.CHATTER, looking.talks),
    (Reason.LANGUAGE, looking.has_strange_letter),
    # Before anything is mended: what escapes a mark makes a sentence of a heading.
    (Reason.MARKUP, looking.is_another_block),
    (Reason.UNTRANSLATED, looking.has_no_chinese),
    (Reason.HEADING, looking.is_sentence_for_heading),
    (Reason.LENGTH, looking.is_too_long),
)
# What a check has found, by the beginning of its code; the first one that fits.
_REASONS = {
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Judges the answers of one locale."""

    locale: str
    checks: tuple[Check, ...] = field(default=SIMPLIFIED.checks)

    @classmethod
    def of(cls, locale: str, glossary: Glossary | None) -> Judge:
        """A judge that knows the terms of ``glossary`` as well."""
        checks = checks_of(locale).checks
        if glossary is not None:
            checks = (*checks, *terms.checks_of(glossary))
        return cls(locale=locale, checks=checks)

    def judge(self, question: Question, text: str) -> Judged:
        """What may be kept of the answer to a question."""
        told = looking.repeats_task(text, question.masked.text, self.locale)
        if told:
            return _refused(Reason.CHATTER, told)
        try:
            msgstr = unmask(text.strip(), question.masked)
        except LostMarksError as error:
            return _refused(Reason.ATOMS, str(error))
        answer = Answer(subject=_subject(question, msgstr), locale=self.locale)
        for reason, look in _LOOKS:
            wrong = look(answer)
            if wrong:
                return _refused(reason, wrong)
        # Spaces and punctuation need no judgement, and no second call.
        return self._checked(question, run.fix_entry(answer.subject, self.checks))

    def _checked(self, question: Question, msgstr: str) -> Judged:
        """The verdict of guard and checks, on a text that looks like a translation.

        Errors refuse it, warnings are doubts, and notes are for people who want to know all.
        """
        subject = _subject(question, msgstr)
        problems: list[Problem] = []
        # One entry alone: ``accepting`` looks at the page.
        for check in self.checks:
            problems += check.look(subject)
        for problem in problems:
            if problem.severity is Severity.ERROR or problem.code in _REFUSED:
                return _refused(_reason(problem.code), _told(problem))
        warnings = (found for found in problems if found.severity is Severity.WARNING)
        return Judged(msgstr=msgstr, doubts=tuple(map(_told, warnings)))


def finished(question: Question, msgstr: str) -> Entry:
    """The entry of a question as it would be with this translation, confirmed."""
    return replace(question.entry, msgstr=msgstr, fuzzy=False, previous=None)


def better(first: Judged, second: Judged) -> Judged:
    """The one of two verdicts that leaves less to a person.

    Of two that are as good the first one is kept: it saw the page with more around it.
    """
    if second.refusal:
        return first
    if not first.refusal and len(first.doubts) <= len(second.doubts):
        return first
    return second


def _subject(question: Question, msgstr: str) -> Subject:
    """A translation as checks look at it: as if a person had confirmed it.

    They have nothing to say of what is fuzzy.
    """
    return Subject(finished(question, msgstr), question.page)


def _refused(reason: Reason, text: str) -> Judged:
    """The verdict that an answer is not used, with what the model is told."""
    return Judged(refusal=Refusal(reason=reason, text=text))


def _told(problem: Problem) -> str:
    """What a check says, as a model can make use of it."""
    return f"{problem.text}. {problem.hint}"


def _reason(code: str) -> Reason:
    """The class of what a check has found: of the first beginning of a code that fits.

    ``M204`` → ``Reason.ATOMS``; the empty beginning fits all.
    """
    fitting = filter(code.startswith, _REASONS)
    return _REASONS[next(fitting)]
