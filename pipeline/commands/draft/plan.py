"""Plan of drafting for one locale: the questions to the model, and the answers already stored.

A *question* is one entry to translate. Several questions are sent together as a *batch*. The input
is catalogues and stored replies. The output is pages with their questions, and the batches still to
be sent. This module sends and writes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from pipeline.adapters.chat import read_replies
from pipeline.adapters.memo import Memo
from pipeline.commands.check.checker import read_terms
from pipeline.core.catalog.matcher import Text, find_similar
from pipeline.core.drafting.batch import (
    Batch,
    Plan,
    RequestSettings,
    batches_of,
    estimate,
)
from pipeline.core.drafting.drafts import AnswerStore
from pipeline.core.drafting.judge import Judge
from pipeline.core.drafting.question import Question
from pipeline.core.drafting.selection import Model, Selected, select
from pipeline.core.pin.lock import Page
from pipeline.entries import Catalog, Entry
from pipeline.run import Run

_SIMILAR = 2  # finished translations shown as examples for one message


class LocaleWork(Struct, frozen=True, kw_only=True):
    """Questions of one locale by page, and the values that its requests need."""

    run: Run
    locale: str
    settings: RequestSettings
    replies: Path  # folder of the stored replies
    made_with: Memo[dict[str, str]]  # the glossary rows that each draft was made with
    answers: AnswerStore
    selected: Selected
    # For each msgid to translate, examples: pairs of (English, translation), where the English is
    # similar.
    examples: Mapping[str, Sequence[tuple[str, str]]]
    pages: list[PageWork] = field(default_factory=list)

    def plan(self) -> Plan:
        """Return the plan to show to the user: counts, and the estimated tokens."""
        questions = [question for work in self.pages for question in work.questions]
        # Build all batches now, so that the estimate is based on the exact texts to be sent.
        batches = [batch for work in self.pages for batch in work.due()]
        terms = sum(question.term != "" for question in questions)
        asked = sum(len(batch.questions) for batch in batches)
        prompt_tokens, reply_tokens = estimate(batches)
        return Plan(
            locale=self.locale,
            entries=len(questions),
            words=sum(question.words for question in questions),
            pages=sum(bool(work.questions) for work in self.pages),
            by_why=dict(Counter(str(question.why) for question in questions)),
            terms=terms,
            known=len(questions) - terms - asked,
            batches=len(batches),
            prompt_tokens=prompt_tokens,
            reply_tokens=reply_tokens,
            left_alone=self.selected.left_alone,
            stale=self.selected.stale,
        )


class PageWork(Struct, kw_only=True, eq=False):
    """Page with its questions, and their state while the answers arrive."""

    locale: LocaleWork
    page: Page
    entries: tuple[Entry, ...]  # live ones, in page order
    questions: tuple[Question, ...]
    # Keys of questions whose request failed. This run does not send them again, but the next run
    # does.
    given_up: set[str] = field(default_factory=set)

    def due(self) -> Iterator[Batch]:
        """Yield the batches to send now. Questions that were never asked come first.

        Then come the questions whose answer was rejected. Each of them is asked once more, with the
        reason of the rejection.
        """
        locale = self.locale
        waiting: dict[int, list[Question]] = {1: [], 2: []}
        refused: dict[str, tuple[str, str]] = {}
        for question in self.questions:
            if question.key in self.given_up or question.term:
                continue
            verdict = locale.answers.verdict(question)
            if verdict.attempt:
                waiting[verdict.attempt].append(question)
                refused[question.key] = verdict.refused
        for attempt, questions in waiting.items():
            yield from batches_of(
                locale.settings,
                self.entries,
                questions,
                attempt=attempt,
                examples=locale.examples,
                refused=refused,
            )


def plan_locale(
    run: Run,
    pages: Sequence[Page],
    catalogs: Mapping[str, Catalog],
    *,
    locale: str,
    limit: int | None = None,
) -> LocaleWork:
    """Return the work for ``pages``, with at most ``limit`` entries that need a model.

    ``catalogs`` are all up-to-date catalogues of the locale.
    """
    policy = run.settings.draft
    glossary = read_terms(run.paths.glossaries(locale))
    made_with = Memo(run.paths.memo(locale, "drafts"), dict[str, str])
    judge = Judge.of(locale, glossary)
    model = Model(name=policy.model, judge=judge, glossary=glossary)
    names = [page.name for page in pages]
    selected = select(catalogs, names, model=model, made_with=dict(made_with.items()))
    answers = AnswerStore(judge=judge)
    # Load all stored replies, also those of other models, and those to another version of the
    # prompt. The key of a question covers model and prompt, so a question finds only its own reply.
    for reply in read_replies(run.paths.replies(locale)):
        answers.add(reply.questions, reply.text, attempt=reply.attempt)
    questions = _limited(selected.questions, answers, limit)
    work = LocaleWork(
        run=run,
        locale=locale,
        settings=RequestSettings(
            model=policy.model,
            locale=locale,
            size=policy.batch,
            reply_field=policy.reply_field,
            reply_tokens=policy.reply_tokens,
            parameters=policy.parameters,
        ),
        replies=run.paths.replies(locale),
        made_with=made_with,
        answers=answers,
        selected=selected,
        examples=_examples(questions, catalogs),
    )
    for page in pages:
        work.pages.append(
            PageWork(
                locale=work,
                page=page,
                entries=catalogs.get(page.name, Catalog()).live,
                questions=tuple(one for one in questions if one.page == page.name),
            )
        )
    return work


def _limited(
    questions: Sequence[Question], answers: AnswerStore, limit: int | None
) -> list[Question]:
    """Return the questions, but at most ``limit`` of those that need a request to the model.

    Glossary terms and answered questions need no request, so all of them are kept.
    """
    kept: list[Question] = []
    asked = 0
    for question in questions:
        needs_model = not question.term and answers.verdict(question).attempt
        if needs_model and asked == limit:
            continue
        asked += bool(needs_model)
        kept.append(question)
    return kept


def _examples(
    questions: Sequence[Question], catalogs: Mapping[str, Catalog]
) -> dict[str, list[tuple[str, str]]]:
    """Return, for each msgid, translations of similar messages as examples for the model.

    Each example is the English and its translation; the most similar comes first.
    """
    finished: dict[str, str] = {}
    for catalog in catalogs.values():
        for entry in catalog.entries:
            if entry.is_translated:
                finished.setdefault(entry.msgid, entry.msgstr)
    new = [Text(page=asked.page, text=asked.entry.msgid) for asked in questions]
    old = [Text(page="", text=msgid) for msgid in finished]
    pairs = sorted(find_similar(new, old), key=lambda pair: (-pair.ratio, pair.old))
    # A text that is asked on two pages gets each example only once.
    examples: dict[str, list[tuple[str, str]]] = {}
    for pair in pairs:
        similar = examples.setdefault(new[pair.new].text, [])
        english = old[pair.old].text
        example = (english, finished[english])
        if len(similar) < _SIMILAR and example not in similar:
            similar.append(example)
    return examples
