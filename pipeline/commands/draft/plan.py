"""What one locale wants drafted, and what is known of it already.

In go catalogues and the replies that were kept, out come pages with their questions, and the
batches that are still to be sent. Nothing is sent or written here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.adapters.memo import Memo
from pipeline.adapters.replies import read_replies
from pipeline.commands.terms import read_terms
from pipeline.core.catalog.matcher import Text, find_alike
from pipeline.core.drafting.answers import Book
from pipeline.core.drafting.batch import Asking, Batch, batches_of
from pipeline.core.drafting.judge import Judge
from pipeline.core.drafting.outcome import Plan, estimate
from pipeline.core.drafting.question import Question
from pipeline.core.drafting.selection import Model, Selected, select
from pipeline.core.pin.lock import Page
from pipeline.entries import Catalog, Entry
from pipeline.run import Run

_SIMILAR = 2  # finished translations that are shown for a message


@dataclass(frozen=True, kw_only=True)
class LocaleWork:
    """What one locale wants, and all that is needed to ask for it."""

    run: Run
    locale: str
    asking: Asking
    replies: Path  # the folder of those that came
    made_with: Memo[dict[str, str]]
    book: Book
    selected: Selected
    examples: Mapping[str, Sequence[tuple[str, str]]]
    pages: list[PageWork] = field(default_factory=list)

    def plan(self) -> Plan:
        """Return what there is to do, counted."""
        questions = [question for work in self.pages for question in work.questions]
        # All of them are made now: an estimate is of the very texts that are sent.
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


@dataclass(kw_only=True, eq=False)
class PageWork:
    """A page with its questions, while they are answered."""

    locale: LocaleWork
    page: Page
    entries: tuple[Entry, ...]  # live ones, in page order
    questions: tuple[Question, ...]
    # Questions that could not be put, by their keys: they are for the next run.
    given_up: set[str] = field(default_factory=set)

    def due(self) -> Iterator[Batch]:
        """Yield the batches that are to be sent now: first questions, then what is put again."""
        locale = self.locale
        waiting: dict[int, list[Question]] = {1: [], 2: []}
        refused: dict[str, tuple[str, str]] = {}
        for question in self.questions:
            if question.key in self.given_up or question.term:
                continue
            verdict = locale.book.verdict(question)
            if verdict.attempt:
                waiting[verdict.attempt].append(question)
                refused[question.key] = verdict.refused
        for attempt, questions in waiting.items():
            yield from batches_of(
                locale.asking,
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
    """Find out what ``pages`` want, at most ``limit`` entries of it that need a model.

    ``catalogs`` are all of the locale, up to date.
    """
    policy = run.settings.draft
    glossary = read_terms(run.paths.glossaries(locale))
    made_with = Memo(run.paths.memo(locale, "drafts"), dict[str, str])
    judge = Judge.of(locale, glossary)
    model = Model(name=policy.model, judge=judge, glossary=glossary)
    names = [page.name for page in pages]
    selected = select(catalogs, names, model=model, made_with=dict(made_with.items()))
    book = Book(judge=judge)
    # Of all models and prompts: a question is known by its key, and finds its own.
    for reply in read_replies(run.paths.replies(locale)):
        book.add(reply.questions, reply.text, attempt=reply.attempt)
    questions = _limited(selected.questions, book, limit)
    work = LocaleWork(
        run=run,
        locale=locale,
        asking=Asking(
            model=policy.model,
            locale=locale,
            size=policy.batch,
            reply_field=policy.reply_field,
            reply_tokens=policy.reply_tokens,
            parameters=policy.parameters,
        ),
        replies=run.paths.replies(locale),
        made_with=made_with,
        book=book,
        selected=selected,
        examples=_examples(questions, catalogs),
    )
    for page in pages:
        entries = catalogs.get(page.name, Catalog()).entries
        work.pages.append(
            PageWork(
                locale=work,
                page=page,
                entries=tuple(entry for entry in entries if not entry.obsolete),
                questions=tuple(one for one in questions if one.page == page.name),
            )
        )
    return work


def _limited(
    questions: Sequence[Question], book: Book, limit: int | None
) -> list[Question]:
    """Return the first ``limit`` questions for a model; those that need none do not count."""
    kept: list[Question] = []
    asked = 0
    for question in questions:
        needs_model = not question.term and book.verdict(question).attempt
        if needs_model and asked == limit:
            continue
        asked += bool(needs_model)
        kept.append(question)
    return kept


def _examples(
    questions: Sequence[Question], catalogs: Mapping[str, Catalog]
) -> dict[str, list[tuple[str, str]]]:
    """Return finished translations of similar messages, by msgid, the most similar first."""
    finished: dict[str, str] = {}
    for catalog in catalogs.values():
        for entry in catalog.entries:
            if entry.is_translated:
                finished.setdefault(entry.msgid, entry.msgstr)
    new = [Text(page=asked.page, text=asked.entry.msgid) for asked in questions]
    # Where they stand is no matter: an example is an example.
    old = [Text(page="", text=msgid) for msgid in finished]
    pairs = sorted(find_alike(new, old), key=lambda pair: (-pair.ratio, pair.old))
    # The same text on two pages is no example twice.
    examples: dict[str, list[tuple[str, str]]] = {}
    for pair in pairs:
        similar = examples.setdefault(new[pair.new].text, [])
        english = old[pair.old].text
        example = (english, finished[english])
        if len(similar) < _SIMILAR and example not in similar:
            similar.append(example)
    return examples
