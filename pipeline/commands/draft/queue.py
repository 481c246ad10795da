"""Queue of requests: ask the model several at a time, and write each page when it is done.

Threads send requests and keep replies, and do nothing else; one thread decides what comes of a
reply. A reply is on disk before it is used, so that a killed run loses no reply that was paid for.
A catalogue is read again right before it is written, so that edits made meanwhile stay.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.chat import ChatClient, OutOfBudgetError, Reply, StubClient
from pipeline.adapters.files import replace_if_unchanged
from pipeline.adapters.replies import KeptReply, keep_reply
from pipeline.commands.draft.plan import LocaleWork, PageWork
from pipeline.commands.holding import only_this_run
from pipeline.core.catalog.origins import GLOSSARY, UNDATED, Machine
from pipeline.core.drafting.batch import Batch
from pipeline.core.drafting.drafts import Draft, apply, refused_together
from pipeline.core.drafting.judge import Reason
from pipeline.core.drafting.outcome import PageOutcome
from pipeline.core.drafting.question import PROMPT, Name, Question, draft_key
from pipeline.errors import EndpointError, InputError, PipelineError
from pipeline.log import Log
from pipeline.stages.split import split_page

_GIVE_UP = 3  # requests in a row that failed: others will
_INTERRUPTED = 130  # the exit code
_ROUNDS = 3  # of writing a file that somebody saves at the same moment

Job = tuple[PageWork, Batch]  # a batch on its way


@dataclass(kw_only=True)
class Queue:
    """All requests of one run, with the outcome of each page and the files written.

    ``error`` is the mistake that ended the run early; ``stopped`` is any other reason.
    """

    client: ChatClient | StubClient
    log: Log
    threads: int
    date: str  # of the upstream commit: "2026-05-01T09:30:00+00:00", or empty
    pages: list[PageOutcome] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)  # relative to the root
    error: PipelineError | None = None
    stopped: str = ""
    _waiting: deque[Job] = field(default_factory=deque)
    _under_way: dict[Future[Reply], Job] = field(default_factory=dict)
    _failed: int = 0  # in a row
    _has_warned_of_bound: bool = False

    def run(self, locales: Sequence[LocaleWork]) -> None:
        """Ask all that ``locales`` want, and write their pages.

        Pages that cannot be completed are written with what came until then.
        """
        unfinished = [
            work for locale in locales for work in locale.pages if work.questions
        ]
        for work in unfinished:
            self._waiting += [(work, batch) for batch in work.due()]
        pool = ThreadPoolExecutor(self.threads)
        try:
            with self.log.progress("draft", total=len(self._waiting)) as advance:
                # Pages whose questions are all answered already need no reply.
                self._finish_pages(unfinished)
                while self._waiting or self._under_way:
                    self._send(pool)
                    for future in wait(self._under_way, None, FIRST_COMPLETED).done:
                        work, batch = self._under_way.pop(future)
                        self._take(work, batch, future)
                        progress = f"{self.client.budget.spent} tokens  {batch.page}"
                        advance(batch.attempt == 1, progress)
                    self._finish_pages(unfinished)
        except KeyboardInterrupt:
            self._await_replies()
            raise
        finally:
            # Nothing is tried again, whatever has ended the run.
            self.client.budget.close()
            pool.shutdown(wait=False, cancel_futures=True)
        for work in unfinished:
            self._finish(work)

    def _send(self, pool: ThreadPoolExecutor) -> None:
        """Keep all threads busy."""
        while self._waiting and len(self._under_way) < self.threads:
            work, batch = self._waiting.popleft()
            future = pool.submit(self._ask, work.locale.replies, batch)
            self._under_way[future] = (work, batch)

    def _ask(self, replies: Path, batch: Batch) -> Reply:
        """Send a request and keep its reply: in a thread."""
        reply = self.client.ask(batch.body)
        kept = KeptReply(attempt=batch.attempt, questions=batch.keys, text=reply.text)
        keep_reply(replies, batch.key, kept)
        return reply

    def _finish_pages(self, unfinished: list[PageWork]) -> None:
        """Write the pages that nothing is due for; put again what was refused on the others."""
        if self.error or self.stopped:
            return
        busy = {work for work, _ in (*self._waiting, *self._under_way.values())}
        for work in [work for work in unfinished if work not in busy]:
            # What was refused is put again, once; then there is nothing due any more.
            due = [(work, batch) for batch in work.due()]
            # A page that was begun comes to its end before another one is.
            self._waiting.extendleft(reversed(due))
            if not due:
                unfinished.remove(work)
                self._finish(work)

    def _take(self, work: PageWork, batch: Batch, future: Future[Reply]) -> None:
        """Use the reply to a request that has ended."""
        try:
            reply = future.result()
        except PipelineError as error:
            self._take_error(work, batch, error)
            return
        self._failed = 0
        work.locale.book.add(batch.keys, reply.text, attempt=batch.attempt)
        if reply.is_cut and not self._has_warned_of_bound:
            # Once: it is a matter of the model, and most of the time of all of its replies.
            self._has_warned_of_bound = True
            self.log.warn(
                f"{batch.page}: the reply was cut at {batch.most_tokens} tokens; "
                "raise reply-tokens in [tool.pipeline.draft], or lower batch"
            )

    def _take_error(self, work: PageWork, batch: Batch, error: PipelineError) -> None:
        """Leave the questions of a request for the next run; give up all if others would fail."""
        work.given_up.update(batch.keys.values())
        self._failed += 1
        if isinstance(error, OutOfBudgetError):
            # After an error nothing is sent either, and there is nothing more to report.
            self.stopped = "" if self.error else error.what
        else:
            self.log.warn(f"{batch.page}: {error.what}")
            if not isinstance(error, EndpointError) or self._failed == _GIVE_UP:
                # Of several errors the first one counts: the others follow from it.
                self.error = self.error or error
        if self.stopped or self.error:
            self.client.budget.close()
            self._waiting.clear()

    def _await_replies(self) -> None:
        """Keep the replies that are under way: they are paid for."""
        self.client.budget.close()
        count = sum(not future.done() for future in self._under_way)
        if not count:
            return
        self.log.warn(
            f"waiting for {count} replies that are paid for; interrupt again to leave"
        )
        try:
            wait(self._under_way)
        except KeyboardInterrupt:
            # Python itself would wait for the threads. What was answered is on disk.
            os._exit(_INTERRUPTED)

    def _finish(self, work: PageWork) -> None:
        """Write the drafts of a page, and count what came of its questions."""
        answered, refused = _answers_of(work)
        drafts: dict[Name, Draft] = {}
        if answered:
            documents = split_page(work.locale.run.paths, work.page).documents
            bad = refused_together(work.page.name, documents, work.entries, answered)
            refused.update(bad.values())
            for name, (question, msgstr) in answered.items():
                if name not in bad:
                    drafts[name] = self._draft(work, question, msgstr)
        written = self._write(work, drafts)
        terms = sum(draft.origin.is_term for draft in drafts.values())
        self.pages.append(
            PageOutcome(
                locale=work.locale.locale,
                page=work.page.name,
                asked=len(work.questions),
                drafted=written,
                terms=min(terms, written),
                refused=dict(refused),
                unanswered=len(work.questions) - len(drafts) - refused.total(),
                passed_over=len(drafts) - written,
            )
        )

    def _draft(self, work: PageWork, question: Question, msgstr: str) -> Draft:
        """Return an accepted answer as a draft, and remember the terms that it was made with."""
        locale = work.locale
        # Known before the draft is there: so no draft is there of which nothing is known.
        key = draft_key(question.page, question.name, msgstr)
        locale.made_with.keep(key, "", dict(question.rows))
        maker = GLOSSARY if question.term else locale.asking.model
        origin = Machine(model=maker, prompt=PROMPT, date=self.date[:10] or UNDATED)
        return Draft(before=question.entry, msgstr=msgstr, origin=origin)

    def _write(self, work: PageWork, drafts: Mapping[Name, Draft]) -> int:
        """Write drafts; return how many are there. Somebody may have changed the other entries."""
        if not drafts:
            return 0
        run = work.locale.run
        path = run.paths.catalog(work.locale.locale, work.page.name)
        # Builds may run while a model is asked; only this moment is kept from them.
        with only_this_run(run):
            work.locale.made_with.save()
            for _ in range(_ROUNDS):
                # Read anew each time: hours may lie between the plan and this moment.
                try:
                    before = path.read_bytes()
                    catalog = po.read_catalog(before, where=run.shown(path)).catalog
                except (OSError, InputError):
                    return 0  # it is gone, or broken since: the next update reports it
                changed, count = apply(catalog, drafts)
                data = po.format_catalog(changed)
                # A stale draft may come out as it was.
                if data == before:
                    return count
                if replace_if_unchanged(path, data, before=before):
                    self.changes.append(run.shown(path))
                    return count
        return 0


def _answers_of(
    work: PageWork,
) -> tuple[dict[Name, tuple[Question, str]], Counter[Reason]]:
    """Return the answers of a page that may be kept, and count the others."""
    kept: dict[Name, tuple[Question, str]] = {}
    refused: Counter[Reason] = Counter()
    for question in work.questions:
        msgstr = question.term
        if not msgstr:
            verdict = work.locale.book.verdict(question)
            # There may be no getting a second answer: then the first one counts.
            if verdict.attempt and question.key not in work.given_up:
                continue
            msgstr = verdict.judged.msgstr
            if verdict.judged.refused:
                refused[verdict.judged.refused] += 1
        if msgstr:
            kept[question.name] = (question, msgstr)
    return kept, refused
