"""Ask the model: several requests at a time, in the order of the pages.

Work goes in, pages come out finished, one after the other. Threads send requests and keep replies,
and do nothing else; what comes of a reply is decided in one thread. A reply is on disk before
anybody hears of it, so that a run which is killed has paid for nothing that it does not have.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.adapters.chat import ChatClient, OutOfBudgetError, Reply
from pipeline.adapters.replies import KeptReply, keep_reply
from pipeline.commands.draft.planning import LocaleWork, PageWork
from pipeline.core.drafting.batches import Batch
from pipeline.errors import EndpointError, PipelineError
from pipeline.log import Log

_GIVE_UP = 3  # requests in a row that failed: others will
_INTERRUPTED = 130  # the exit code


Job = tuple[PageWork, Batch]  # a batch on its way


@dataclass(kw_only=True)
class Sending:
    """All that is asked in one run. ``finish`` is called for each page, when it has its answers.

    What kept the run from going on is in ``error``, or in ``stopped`` if it is no mistake.
    """

    client: ChatClient
    log: Log
    threads: int
    finish: Callable[[PageWork], None]
    error: PipelineError | None = None
    stopped: str = ""
    _waiting: deque[Job] = field(default_factory=deque)
    _under_way: dict[Future[Reply], Job] = field(default_factory=dict)
    _failed: int = 0  # in a row
    _has_told_of_bound: bool = False

    def run(self, locales: Sequence[LocaleWork]) -> None:
        """Ask all that ``locales`` want, and finish their pages.

        Pages that cannot come to their end are finished with what came until then.
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
                        told = f"{self.client.budget.spent} tokens  {batch.page}"
                        advance(batch.attempt == 1, told)
                    self._finish_pages(unfinished)
        except KeyboardInterrupt:
            self._await_replies()
            raise
        finally:
            # Nothing is tried again, whatever has ended the run.
            self.client.budget.close()
            pool.shutdown(wait=False, cancel_futures=True)
        for work in unfinished:
            self.finish(work)

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
        """Finish the pages that nothing is due for; put again what was refused on the others."""
        jobs = (*self._waiting, *self._under_way.values())
        busy = {work for work, _ in jobs}
        is_over = self.error or self.stopped
        for work in list(unfinished):
            if is_over or work in busy:
                continue
            # What was refused is put again, once; then there is nothing due any more.
            due = [(work, batch) for batch in work.due()]
            # A page that was begun comes to its end before another one is.
            self._waiting.extendleft(reversed(due))
            if not due:
                unfinished.remove(work)
                self.finish(work)

    def _take(self, work: PageWork, batch: Batch, future: Future[Reply]) -> None:
        """Take up what has ended."""
        try:
            reply = future.result()
        except PipelineError as error:
            self._take_error(work, batch, error)
            return
        self._failed = 0
        work.locale.book.add(batch.keys, reply.text, attempt=batch.attempt)
        if reply.is_cut and not self._has_told_of_bound:
            # Once: it is a matter of the model, and most of the time of all of its replies.
            self._has_told_of_bound = True
            self.log.warn(
                f"{batch.page}: the reply was cut at {batch.most_tokens} tokens; "
                "raise reply-tokens in [tool.pipeline.draft], or lower batch"
            )

    def _take_error(self, work: PageWork, batch: Batch, error: PipelineError) -> None:
        """Leave the questions of a request for the next run; give up all if others would fail."""
        work.given_up.update(batch.keys.values())
        self._failed += 1
        if isinstance(error, OutOfBudgetError):
            # After an error nothing is sent either, and there is nothing more to tell.
            self.stopped = "" if self.error else error.what
        elif not isinstance(error, EndpointError) or self._failed == _GIVE_UP:
            # Of several errors the first one counts: the others follow from it.
            self.error = self.error or error
        if self.stopped or self.error:
            self.client.budget.close()
            self._waiting.clear()
        if not isinstance(error, OutOfBudgetError):
            self.log.warn(f"{batch.page}: {error.what}")

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
