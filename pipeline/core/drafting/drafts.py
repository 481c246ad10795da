"""Drafts of a page: checks all of them together, and puts them into the catalogue.

Two drafts may each be valid alone and break the page together. So ``refused_together`` merges the
page as a build would do if all drafts were confirmed. ``apply`` makes entries with drafts fuzzy. It
leaves out drafts of entries that somebody has edited since the request.

``AnswerStore`` has the model's answers by question, and their verdicts. A reply answers a batch of
questions. It must be one JSON object with a string for each id. If an answer is missing or invalid,
only its own question is affected. An accepted answer is never requested again. Answers are judged
by the current rules, even if they were stored long ago.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.core.catalog.origins import STATES, Machine
from pipeline.core.checks.meaning.misplaced import find_shifted
from pipeline.core.checks.model import Subject
from pipeline.core.document.merge import merge
from pipeline.core.document.reader import Document
from pipeline.core.drafting.judge import Judge, Judged, Reason, better, finished
from pipeline.core.drafting.question import Name, Question
from pipeline.entries import Catalog, Entry, translations_of
from pipeline.errors import GuardError

# Questions of a page, each with the msgstr of its draft.
Answered = Mapping[Name, tuple[Question, str]]


class Draft(Struct, frozen=True, kw_only=True):
    """Draft for an entry."""

    before: Entry  # the entry when the draft was requested
    msgstr: str
    origin: Machine  # model, prompt and date, for the note


def refused_together(
    page: str,
    documents: Sequence[Document],
    entries: Sequence[Entry],
    answered: Answered,
) -> dict[Name, Reason]:
    """Return the drafts in ``answered`` that must not be used beside the others, with the reasons.

    ``documents`` and ``entries`` are those of the page named ``page``.
    """
    refused = dict.fromkeys(_shifted(page, entries, answered), Reason.SHIFTED)
    # Leave out the rejected drafts from the merge.
    others = {name: one for name, one in answered.items() if name not in refused}
    return refused | dict.fromkeys(_breaking(documents, entries, others), Reason.PAGE)


def _shown(entries: Sequence[Entry], answered: Answered) -> list[Entry]:
    """Return the entries of the page that readers would see if all drafts were confirmed."""
    shown: list[Entry] = []
    for entry in entries:
        draft = answered.get((entry.context, entry.msgid))
        # Readers do not see fuzzy entries without a draft.
        if draft:
            shown.append(finished(*draft))
        elif entry.is_translated:
            shown.append(entry)
    return shown


def _shifted(page: str, entries: Sequence[Entry], answered: Answered) -> Iterator[Name]:
    """Yield the drafts that translate another message of the page."""
    shown = _shown(entries, answered)
    for problem in find_shifted([Subject(entry, page) for entry in shown]):
        entry = shown[problem.index]
        # Ignore translations of people, which ``check`` reports.
        if (entry.context, entry.msgid) in answered:
            yield entry.context, entry.msgid


def _breaking(
    documents: Sequence[Document], entries: Sequence[Entry], answered: Answered
) -> list[Name]:
    """Return the drafts that a merge of the page's documents rejects."""
    if not answered:
        return []
    translations = translations_of(Catalog(entries=tuple(_shown(entries, answered))))
    rejected: set[str] = set()  # msgids; entries of all contexts are rejected
    # Merge both documents of a jupytext pair, because a draft may break only one of them.
    for document in documents:
        try:
            merged = merge(document, translations)
        except GuardError:
            # This is a bug of the pipeline. It is unknown which draft causes it, so reject all.
            return list(answered)
        rejected.update(one.message.msgid for one in merged.rejected)
    return [name for name in answered if name[1] in rejected]


def apply(catalog: Catalog, drafts: Mapping[Name, Draft]) -> tuple[Catalog, int]:
    """Put ``drafts`` into their entries; return the catalogue and the number of drafts used."""
    entries: list[Entry] = []
    count = 0
    for entry in catalog.entries:
        draft = drafts.get((entry.context, entry.msgid))
        # Skip the draft if somebody has edited the entry since the request.
        if draft is None or entry.obsolete or _work_of(entry) != _work_of(draft.before):
            entries.append(entry)
        else:
            entries.append(drafted(entry, draft))
            count += 1
    return replace(catalog, entries=tuple(entries)), count


def drafted(entry: Entry, draft: Draft) -> Entry:
    """Return ``entry`` with a draft: fuzzy, with a note that names the model."""
    # Remove notes about the state of the old translation ("fuzzy: numbers: …"). Other notes stay.
    notes = entry.notes_without(STATES)
    return replace(
        entry,
        msgstr=draft.msgstr,
        fuzzy=True,
        previous=entry.msgid,
        notes=(*notes, draft.origin.note(draft.msgstr)),
    )


def _work_of(entry: Entry) -> tuple[object, ...]:
    """Return the parts of an entry that people edit.

    The pipeline writes notes, references and line numbers, so an update may have changed them.
    """
    words = (entry.msgstr, entry.fuzzy, entry.previous)
    return (*words, entry.comments, entry.flags)


_ATTEMPTS = (1, 2)  # numbers of the attempts at a question
# Some models write their reasoning first; some put the JSON into a fence.
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"\A\s*```\w*\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)

Answer = str | Judged  # the text of an answer, or a rejection if the reply has none


class Verdict(Struct, frozen=True, kw_only=True):
    """State of a question."""

    attempt: int  # number of the next attempt; 0 if the question is not asked again
    judged: Judged = field(default_factory=Judged)
    # First answer and its fault, for the second attempt.
    refused: tuple[str, str] = ("", "")


class AnswerStore(Struct, kw_only=True):
    """Answers of one locale, with their judge."""

    judge: Judge
    # By key of the question and number of the attempt.
    _answers: dict[tuple[str, int], Answer] = field(default_factory=dict)
    _judged: dict[tuple[str, int], Judged] = field(default_factory=dict)

    def add(self, questions: Mapping[str, str], text: str, *, attempt: int) -> None:
        """Add the ``text`` of a reply; ``questions`` maps the ids in it to keys of questions."""
        for name, answer in read_reply(text, questions.keys()).items():
            key = (questions[name], attempt)
            # If two batches have asked the same question, keep the first answer with a text.
            if not isinstance(self._answers.get(key), str):
                self._answers[key] = answer
                self._judged.pop(key, None)

    def verdict(self, question: Question) -> Verdict:
        """Return the state of a question; judge answers that have not been judged yet."""
        judged: list[Judged] = []
        for attempt in _ATTEMPTS:
            key = (question.key, attempt)
            if key not in self._answers:
                break
            if key not in self._judged:
                answer = self._answers[key]
                if isinstance(answer, str):
                    answer = self.judge.judge(question, answer)
                self._judged[key] = answer
            judged.append(self._judged[key])
        match judged:
            case []:
                return Verdict(attempt=1)
            # Both attempts have been made, so the question is not asked again.
            case [first, second]:
                return Verdict(attempt=0, judged=better(first, second))
        (first,) = judged
        if first.is_good:
            return Verdict(attempt=0, judged=first)
        reason = first.fault or " ".join(first.doubts)
        answer = self._answers[question.key, 1]
        said = answer if isinstance(answer, str) else ""
        # ``judged`` may have an answer with doubts. A caller that cannot ask again may use it.
        return Verdict(attempt=2, judged=first, refused=(said, reason))


class _Object(list[tuple[str, object]]):
    """JSON object as a list of pairs, because a dict would drop duplicate keys."""


def read_reply(text: str, ids: Collection[str]) -> dict[str, Answer]:
    """Return, for each of ``ids``, its answer in the ``text`` of a reply.

    A missing answer is a rejection with the reason. Other keys in the reply are ignored.
    """
    pairs = _pairs_of(text)
    if pairs is None:
        return dict.fromkeys(ids, _none("the reply is not one JSON object"))
    counts = Counter(name for name, _ in pairs)
    values = dict(pairs)
    answers: dict[str, Answer] = {}
    for name in ids:
        value = values.get(name)
        if counts[name] > 1:
            answers[name] = _none("the reply answers it twice")
        elif name not in values:
            answers[name] = _none("the reply has no answer for it")
        elif isinstance(value, str):
            answers[name] = value
        else:
            answers[name] = _none("the answer is not a string")
    return answers


def _none(text: str) -> Judged:
    return Judged(refused=Reason.NO_ANSWER, fault=text)


def _pairs_of(text: str) -> _Object | None:
    """Return the pairs of a JSON object; None if the text is not exactly one object.

    Reasoning before the object, and a fence around it, are ignored.
    """
    text = _THOUGHTS.sub("", text, count=1)
    fenced = _FENCE.match(text)
    try:
        value = json.loads(fenced[1] if fenced else text, object_pairs_hook=_Object)
    # ValueError: also raised for a number with thousands of digits.
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, _Object) else None
