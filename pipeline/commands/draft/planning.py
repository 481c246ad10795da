"""What one locale wants drafted, and what is known of it already.

In go catalogues and the replies that were kept, out come pages with their questions, and the
batches that are still to be sent. Nothing is sent or written here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.adapters.memo import Memo
from pipeline.adapters.replies import Replies
from pipeline.commands.terms import read_terms
from pipeline.config import DraftPolicy
from pipeline.core.catalog.origins import GLOSSARY, UNDATED, Machine
from pipeline.core.catalog.similarity import Text, find_alike
from pipeline.core.document.prose import count_words
from pipeline.core.drafting.batches import Asking, Batch, Refused, batches_of
from pipeline.core.drafting.book import Book, Next
from pipeline.core.drafting.judging import Judge
from pipeline.core.drafting.money import estimate_run
from pipeline.core.drafting.outcome import Plan
from pipeline.core.drafting.prompt import PROMPT
from pipeline.core.drafting.questions import Question
from pipeline.core.drafting.selecting import Model, Selected, select
from pipeline.core.pin.lock import Lock, Page
from pipeline.entries import Catalog, Entry
from pipeline.run import Run

_SIMILAR = 2  # finished translations that are shown for a message


@dataclass(kw_only=True)
class PageWork:
    """A page with its questions, while they are answered."""

    page: Page
    entries: tuple[Entry, ...]  # live ones, in page order
    questions: tuple[Question, ...]
    under_way: int = 0  # batches
    # Questions that were put as often as they are, or could not be, by their keys.
    given_up: set[str] = field(default_factory=set)


@dataclass(frozen=True, kw_only=True)
class LocaleWork:
    """What one locale wants, and all that is needed to ask for it."""

    run: Run
    locale: str
    lock: Lock
    asking: Asking
    model: Model
    replies: Replies
    made_with: Memo[dict[str, str]]
    book: Book
    selected: Selected
    pages: Sequence[PageWork]
    examples: Mapping[str, Sequence[tuple[str, str]]]

    def origin(self, question: Question) -> Machine:
        """What the note of a draft says of where its words come from."""
        model = GLOSSARY if self.model.term(question) else self.model.name
        # "2026-05-01T09:30:00+00:00" → "2026-05-01"; a plain folder has no date.
        return Machine(model=model, prompt=PROMPT, date=self.lock.date[:10] or UNDATED)

    def due(self, work: PageWork) -> Iterator[Batch]:
        """The batches that are to be sent for a page now."""
        first: list[Question] = []
        # These go into smaller batches: the first one may have been too much.
        again: list[Question] = []
        refused: dict[str, Refused] = {}
        for question in work.questions:
            # A request that failed as often as it may is for the next run.
            if question.key in work.given_up or self.model.term(question):
                continue
            verdict = self.book.verdict(question)
            if verdict.next is Next.FIRST:
                first.append(question)
            elif verdict.next is Next.SECOND and verdict.refused:
                again.append(question)
                refused[question.key] = verdict.refused
        yield from batches_of(self.asking, work.entries, first, examples=self.examples)
        yield from batches_of(
            self.asking, work.entries, again, examples=self.examples, refused=refused
        )

    def plan(self) -> Plan:
        """What there is to do, counted."""
        questions = [question for work in self.pages for question in work.questions]
        # All of them are made now: an estimate is of the very texts that are sent.
        batches: list[Batch] = []
        for work in self.pages:
            batches += self.due(work)
        terms = sum(self.model.term(question) != "" for question in questions)
        asked = sum(len(batch.questions) for batch in batches)
        return Plan(
            locale=self.locale,
            entries=len(questions),
            words=sum(map(_words, questions)),
            pages=sum(bool(work.questions) for work in self.pages),
            by_why=dict(Counter(str(question.why) for question in questions)),
            terms=terms,
            known=len(questions) - terms - asked,
            batches=len(batches),
            tokens=estimate_run(batches),
            left_alone=self.selected.left_alone,
            stale=self.selected.stale,
        )


def plan_locale(
    run: Run,
    pages: Sequence[Page],
    catalogs: Mapping[str, Catalog],
    *,
    locale: str,
    lock: Lock,
    policy: DraftPolicy,
    limit: int | None = None,
) -> LocaleWork:
    """Find out what ``pages`` want, at most ``limit`` entries of it that need a model.

    ``catalogs`` are all of the locale, up to date.
    """
    glossary = read_terms(run.paths.glossaries(locale))
    made_with = Memo(run.paths.memo(locale, "drafts"), dict[str, str])
    judge = Judge.of(locale, glossary)
    model = Model(name=policy.model, judge=judge, glossary=glossary)
    selected = select(
        catalogs,
        [page.name for page in pages],
        model=model,
        made_with=dict(made_with.items()),
    )
    replies = Replies(run.paths.replies(locale))
    book = Book(judge=judge)
    # Of all models and prompts: a question is known by its key, and finds its own.
    for reply in replies.read_all():
        book.add(reply.questions, reply.text, attempt=reply.attempt)
    questions = _limited(selected.questions, book, model, limit)
    by_page: dict[str, list[Question]] = {}
    for question in questions:
        by_page.setdefault(question.page, []).append(question)
    work: list[PageWork] = []
    for page in pages:
        entries = catalogs.get(page.name, Catalog()).entries
        live = tuple(entry for entry in entries if not entry.obsolete)
        asked = tuple(by_page.get(page.name, ()))
        work.append(PageWork(page=page, entries=live, questions=asked))
    return LocaleWork(
        run=run,
        locale=locale,
        lock=lock,
        asking=_asking(policy, locale),
        model=model,
        replies=replies,
        made_with=made_with,
        book=book,
        selected=selected,
        pages=work,
        examples=_examples(questions, catalogs),
    )


def _asking(policy: DraftPolicy, locale: str) -> Asking:
    return Asking(
        model=policy.model,
        locale=locale,
        size=policy.batch,
        reply_field=policy.reply_field,
        reply_tokens=policy.reply_tokens,
        parameters=policy.parameters,
    )


def _limited(
    questions: Sequence[Question],
    book: Book,
    model: Model,
    limit: int | None,
) -> list[Question]:
    """The first ``limit`` questions for a model; those that need none do not count."""
    kept: list[Question] = []
    asked = 0
    for question in questions:
        needs_model = model.term(question) == ""
        if needs_model and book.verdict(question).next is not Next.NOTHING:
            if limit is not None and asked == limit:
                continue
            asked += 1
        # What needs no model is drafted whatever the limit.
        kept.append(question)
    return kept


def _examples(
    questions: Sequence[Question], catalogs: Mapping[str, Catalog]
) -> dict[str, list[tuple[str, str]]]:
    """Finished translations of similar messages, by msgid, the most similar first."""
    finished: dict[str, str] = {}
    for catalog in catalogs.values():
        for entry in catalog.entries:
            if entry.is_translated:
                finished.setdefault(entry.msgid, entry.msgstr)
    new = [
        Text(page=question.page, text=question.entry.msgid) for question in questions
    ]
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


def _words(question: Question) -> int:
    return count_words(question.entry.msgid, question.place.markup)
