"""Request queue: send several requests at a time, and write each page once it is complete.

Worker threads send requests and store replies. The main thread evaluates the replies and writes the
catalogues. A reply is saved on disk before it is used, so a killed run loses no paid reply. A
catalogue is read again right before it is written, so that edits made meanwhile are kept.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from msgspec import Struct, field

from pipeline.adapters import po
from pipeline.adapters.chat import (
    ChatClient,
    KeptReply,
    OutOfBudgetError,
    Reply,
    StubClient,
    keep_reply,
)
from pipeline.adapters.files import replace_if_unchanged
from pipeline.commands.draft.plan import LocaleWork, PageWork
from pipeline.commands.run_lock import run_lock
from pipeline.core.catalog.origins import GLOSSARY, UNDATED, Machine
from pipeline.core.drafting.batch import Batch, PageOutcome
from pipeline.core.drafting.drafts import Draft, apply, refused_together
from pipeline.core.drafting.judge import Reason
from pipeline.core.drafting.question import PROMPT, Name, Question, draft_key
from pipeline.errors import EndpointError, InputError, PipelineError
from pipeline.log import Log
from pipeline.stages.split import split_page

_GIVE_UP = 3  # consecutive failures after which the run stops
_INTERRUPTED = 130  # the exit code
_ROUNDS = 3  # attempts to write a file that somebody saves at the same time

Job = tuple[PageWork, Batch]  # a batch and the page that it belongs to


class Queue(Struct, kw_only=True):
    """All requests of one run, with the outcome of each page and the files written.

    If the run ends early, ``error`` has the error, or ``stopped`` the reason (the token budget).
    """

    client: ChatClient | StubClient
    log: Log
    threads: int
    date: str  # date of upstream's commit, "2026-05-01T09:30:00+00:00", or empty
    pages: list[PageOutcome] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)  # relative to the root
    error: PipelineError | None = None
    stopped: str = ""
    _waiting: deque[Job] = field(default_factory=deque)
    _under_way: dict[Future[Reply], Job] = field(default_factory=dict)
    _failed: int = 0  # consecutive failures
    _has_warned_of_bound: bool = False

    def run(self, locales: Sequence[LocaleWork]) -> None:
        """Send all requests of ``locales``, and write the drafts into the catalogues.

        If an error or the budget ends the run early, pages are written with the answers received
        so far. After Ctrl-C they are not written, but the next run finds the stored replies.
        """
        unfinished = [work for locale in locales for work in locale.pages if work.questions]
        for work in unfinished:
            self._waiting += [(work, batch) for batch in work.due()]
        pool = ThreadPoolExecutor(self.threads)
        try:
            with self.log.progress("draft", total=len(self._waiting)) as advance:
                # First write the pages whose answers are all stored already.
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
            # Stop the threads' retries, however the run ends.
            self.client.budget.close()
            pool.shutdown(wait=False, cancel_futures=True)
        for work in unfinished:
            self._finish(work)

    def _send(self, pool: ThreadPoolExecutor) -> None:
        """Submit requests until all threads are busy."""
        while self._waiting and len(self._under_way) < self.threads:
            work, batch = self._waiting.popleft()
            future = pool.submit(self._ask, work.locale.replies, batch)
            self._under_way[future] = (work, batch)

    def _ask(self, replies: Path, batch: Batch) -> Reply:
        """Send a request and store its reply. Runs in a thread of the pool."""
        reply = self.client.ask(batch.body)
        kept = KeptReply(attempt=batch.attempt, questions=batch.keys, text=reply.text)
        keep_reply(replies, batch.key, kept)
        return reply

    def _finish_pages(self, unfinished: list[PageWork]) -> None:
        """Write the pages that have all their answers; queue second attempts for the others."""
        if self.error or self.stopped:
            return
        busy = {work for work, _ in (*self._waiting, *self._under_way.values())}
        for work in [work for work in unfinished if work not in busy]:
            # ``due`` yields the questions whose answer was rejected, to send them once more.
            due = [(work, batch) for batch in work.due()]
            # Put second attempts first in the queue, so that pages are completed one by one.
            self._waiting.extendleft(reversed(due))
            if not due:
                unfinished.remove(work)
                self._finish(work)

    def _take(self, work: PageWork, batch: Batch, future: Future[Reply]) -> None:
        """Process the reply to a finished request."""
        try:
            reply = future.result()
        except PipelineError as error:
            self._take_error(work, batch, error)
            return
        self._failed = 0
        work.locale.answers.add(batch.keys, reply.text, attempt=batch.attempt)
        if reply.is_cut and not self._has_warned_of_bound:
            # Warn only once: if one reply is cut, most others of this model are, too.
            self._has_warned_of_bound = True
            self.log.warn(
                f"{batch.page}: the reply was cut at {batch.most_tokens} tokens; "
                "raise reply-tokens in [tool.pipeline.draft], or lower batch"
            )

    def _take_error(self, work: PageWork, batch: Batch, error: PipelineError) -> None:
        """Do not ask the questions of a failed request again in this run; the next run asks them.

        Stop the queue if other requests would fail as well.
        """
        work.given_up.update(batch.keys.values())
        self._failed += 1
        if isinstance(error, OutOfBudgetError):
            # After an error the budget is closed, so other requests in progress may fail with
            # OutOfBudgetError although tokens are left. In that case, the run stopped because of
            # ``error``, not because of the budget.
            self.stopped = "" if self.error else error.what
        else:
            self.log.warn(f"{batch.page}: {error.what}")
            if not isinstance(error, EndpointError) or self._failed == _GIVE_UP:
                # Keep the first error, because later ones are consequences of it.
                self.error = self.error or error
        if self.stopped or self.error:
            self.client.budget.close()
            self._waiting.clear()

    def _await_replies(self) -> None:
        """Wait for the requests in progress, because their replies are paid for."""
        self.client.budget.close()
        count = sum(not future.done() for future in self._under_way)
        if not count:
            return
        self.log.warn(f"waiting for {count} replies that are paid for; press Ctrl-C again to quit")
        try:
            wait(self._under_way)
        except KeyboardInterrupt:
            # A normal exit would wait for the threads. Replies that have arrived are on disk.
            os._exit(_INTERRUPTED)

    def _finish(self, work: PageWork) -> None:
        """Write the drafts of a page, and record the outcome of its questions."""
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
                skipped=len(drafts) - written,
            )
        )

    def _draft(self, work: PageWork, question: Question, msgstr: str) -> Draft:
        """Return an accepted answer as a draft, and record its glossary rows in the memo.

        ``--stale`` compares these rows with the glossary, to find drafts made with older rows.
        """
        locale = work.locale
        key = draft_key(question.page, question.name, msgstr)
        locale.made_with.put(key, "", dict(question.rows))
        maker = GLOSSARY if question.term else locale.settings.model
        origin = Machine(model=maker, prompt=PROMPT, date=self.date[:10] or UNDATED)
        return Draft(before=question.entry, msgstr=msgstr, origin=origin)

    def _write(self, work: PageWork, drafts: Mapping[Name, Draft]) -> int:
        """Write drafts, and return how many were written. Skip entries edited meanwhile."""
        if not drafts:
            return 0
        run = work.locale.run
        path = run.paths.catalog(work.locale.locale, work.page.name)
        # Hold the run lock only while writing, so that builds can run during the requests.
        with run_lock(run):
            work.locale.made_with.save()
            for _ in range(_ROUNDS):
                # Read the file again in each round: hours may have passed since the plan.
                try:
                    before = path.read_bytes()
                    catalog = po.read_catalog(before, where=run.shown(path)).catalog
                except (OSError, InputError):
                    return 0  # removed or damaged meanwhile: the next update reports it
                changed, count = apply(catalog, drafts)
                data = po.format_catalog(changed)
                # The file has these drafts already, so it need not be written.
                if data == before:
                    return count
                if replace_if_unchanged(path, data, before=before):
                    self.changes.append(run.shown(path))
                    return count
        return 0


def _answers_of(
    work: PageWork,
) -> tuple[dict[Name, tuple[Question, str]], Counter[Reason]]:
    """Return the accepted answers of a page, and count the rejected ones by reason."""
    kept: dict[Name, tuple[Question, str]] = {}
    refused: Counter[Reason] = Counter()
    for question in work.questions:
        msgstr = question.term
        if not msgstr:
            verdict = work.locale.answers.verdict(question)
            # If the run ended before this question could be asked, or asked again, leave the
            # question to the next run. If the second request failed, use the first answer. It
            # becomes a draft if the judge only had doubts about it; otherwise it is rejected.
            if verdict.attempt and question.key not in work.given_up:
                continue
            msgstr = verdict.judged.msgstr
            if verdict.judged.refused:
                refused[verdict.judged.refused] += 1
        if msgstr:
            kept[question.name] = (question, msgstr)
    return kept, refused
