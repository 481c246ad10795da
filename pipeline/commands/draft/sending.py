"""Ask the model: several requests at a time, in the order of the pages, within the budget.

Batches go in, kept replies come out. Threads do no more than send a request and keep its reply; all
decisions are taken here, one after the other. The invariants: a reply is on disk before anything is
made of it, and what was spent, with what is under way at its bound, never exceeds the budget.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from pipeline.adapters.chat import PassingError, Reply, RequestError
from pipeline.adapters.replies import VERSION, KeptReply
from pipeline.commands.draft.planning import LocaleWork, PageWork
from pipeline.config import DraftPolicy
from pipeline.core.drafting.batches import Batch
from pipeline.core.drafting.money import Budget, Prices, Tokens, bound_of, estimate
from pipeline.core.drafting.pacing import LONGEST_WAIT, Pacing
from pipeline.errors import EndpointError, PipelineError
from pipeline.log import Log

_GIVE_UP = 3  # batches in a row that the endpoint does not take: it will take none
OUT_OF_BUDGET = "the budget is used up"


@dataclass(kw_only=True)
class _Job:
    """A batch on its way."""

    locale: LocaleWork
    work: PageWork
    batch: Batch
    tries: int = 0
    not_before: float = 0.0
    replies_before: int = 0  # how many replies had come when it was first sent


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    """What a thread has to say: a reply, or what was raised."""

    job: _Job
    reply: Reply | None = None
    error: PipelineError | None = None


@dataclass(kw_only=True)
class Sending:
    """All that is asked in one run."""

    policy: DraftPolicy
    ask: Callable[[bytes], Reply]
    log: Log
    pacing: Pacing = field(default_factory=Pacing)
    finish: Callable[[LocaleWork, PageWork], None]
    calls: int = 0
    uncounted: int = 0
    replies: int = 0
    refused_requests: int = 0  # in a row
    error: PipelineError | None = None
    stopped: str = ""
    budget: Budget = field(init=False)
    _waiting: deque[_Job] = field(default_factory=deque)
    _under_way: int = 0
    _is_blocked: bool = False  # until something ends: the budget has no room before
    _gate: float = 0.0  # no request is sent before this moment
    _jobs: SimpleQueue[_Job | None] = field(default_factory=SimpleQueue)
    _ended: SimpleQueue[_Ended] = field(default_factory=SimpleQueue)
    _chance: random.Random = field(default_factory=random.Random)

    def __post_init__(self) -> None:
        policy = self.policy
        self.budget = Budget(
            money=policy.budget, tokens=policy.budget_tokens, prices=prices_of(policy)
        )

    def run(self, locales: Sequence[LocaleWork]) -> None:
        """Ask all that ``locales`` want, and finish each page as soon as nothing is due for it.

        What keeps the run from going on is in ``error`` or ``stopped``; pages are finished with
        what came until then.
        """
        unfinished = deque(_pages(locales))
        for locale, work in unfinished:
            for batch in locale.due(work):
                self._add(locale, work, batch)
        for _ in range(self.policy.concurrency):
            # A thread that waits for a reply must not keep the process from ending.
            threading.Thread(target=self._work, daemon=True).start()
        total = len(self._waiting)
        try:
            with self.log.progress("draft", total=total) as advance:
                self._finish_pages(unfinished)
                while self._waiting or self._under_way:
                    self._send()
                    ended = self._next()
                    if ended is not None:
                        self._take(ended)
                        advance(_is_first(ended), self._progress(ended))
                        self._finish_pages(unfinished)
        except KeyboardInterrupt:
            self._await_replies()
            raise
        finally:
            for _ in range(self.policy.concurrency):
                self._jobs.put(None)
        for locale, work in unfinished:
            self.finish(locale, work)

    def _add(
        self, locale: LocaleWork, work: PageWork, batch: Batch, *, is_next: bool = False
    ) -> None:
        work.under_way += 1
        job = _Job(locale=locale, work=work, batch=batch)
        # A page that was begun comes to its end before another one is.
        if is_next:
            self._waiting.appendleft(job)
        else:
            self._waiting.append(job)

    def _finish_pages(self, unfinished: deque[tuple[LocaleWork, PageWork]]) -> None:
        """Finish the pages that nothing is due for; put again what was refused on the others."""
        for _ in range(len(unfinished)):
            locale, work = unfinished.popleft()
            if work.under_way == 0 and not self._is_over:
                for batch in locale.due(work):
                    self._add(locale, work, batch, is_next=True)
            if work.under_way == 0 and not self._is_over:
                self.finish(locale, work)
            else:
                unfinished.append((locale, work))

    @property
    def _is_over(self) -> bool:
        """Whether nothing is sent any more."""
        return self.error is not None or self.stopped != ""

    def _send(self) -> None:
        """Send what may be sent now."""
        self._is_blocked = False
        now = time.monotonic()
        for _ in range(len(self._waiting)):
            if self._is_over:
                self._drop_waiting()
                return
            if self._under_way == self.policy.concurrency or now < self._gate:
                return
            job = self._waiting.popleft()
            if now < job.not_before:
                self._waiting.append(job)
                continue
            bound = bound_of(job.batch)
            if not self.budget.allows(bound):
                self._waiting.appendleft(job)
                # What is under way is counted at its bound: it will take less.
                self._is_blocked = self._under_way > 0
                if not self._is_blocked:
                    self.stopped = OUT_OF_BUDGET
                    self._drop_waiting()
                return
            self.budget = self.budget.sent(bound)
            self._under_way += 1
            self.calls += 1
            if job.tries == 0:
                job.replies_before = self.replies
            self._jobs.put(job)

    def _drop_waiting(self) -> None:
        for job in self._waiting:
            job.work.under_way -= 1
        self._waiting.clear()

    def _next(self) -> _Ended | None:
        """What ends next; None if it is time to look whether something can be sent."""
        try:
            if self._under_way and not self._waiting:
                return self._ended.get()
            return self._ended.get(timeout=self._pause())
        except Empty:
            return None

    def _pause(self) -> float:
        """Seconds until something may be sent, if nothing ends before."""
        if self._is_blocked or self._under_way == self.policy.concurrency:
            return 60.0
        soonest = min((job.not_before for job in self._waiting), default=0.0)
        return max(0.01, min(60.0, max(soonest, self._gate) - time.monotonic()))

    def _work(self) -> None:
        """What a thread does: send, and keep what comes back before anybody looks at it."""
        while True:
            job = self._jobs.get()
            if job is None:
                return
            try:
                reply = self.ask(job.batch.body)
                job.locale.replies.keep(job.batch.key, _kept(job.batch, reply))
                self._ended.put(_Ended(job=job, reply=reply))
            except PipelineError as error:
                self._ended.put(_Ended(job=job, error=error))
            except Exception as error:  # noqa: BLE001 - a thread that dies would never be heard of
                bug = PipelineError(f"unexpected {type(error).__name__}: {error}")
                self._ended.put(_Ended(job=job, error=bug))

    def _take(self, ended: _Ended) -> None:
        """Take up what has ended."""
        job = ended.job
        self._under_way -= 1
        bound = bound_of(job.batch)
        if ended.reply is not None:
            tokens, is_counted = tokens_of_reply(job.batch, ended.reply)
            self.uncounted += not is_counted
            self.budget = self.budget.ended(bound, tokens)
            self.replies += 1
            self.refused_requests = 0
            job.work.under_way -= 1
            kept = _kept(job.batch, ended.reply)
            job.locale.book.add(kept.questions, kept.text, attempt=kept.attempt)
            return
        error = ended.error
        may_cost = isinstance(error, PassingError) and error.may_cost
        # Nobody says what a reply took that did not arrive: it counts as much as it can.
        self.uncounted += may_cost
        self.budget = self.budget.ended(bound, bound if may_cost else Tokens())
        self._take_error(job, error or EndpointError("ended without a reply"))

    def _take_error(self, job: _Job, error: PipelineError) -> None:
        """Try a request again later, give it up, or give up all of them."""
        job.tries += 1
        if isinstance(error, PassingError):
            if error.wait > LONGEST_WAIT:
                self.error = self.error or error
            elif job.tries < self.policy.tries and not self._is_over:
                self._put_off(job, error)
                return
            elif self.replies == job.replies_before:
                # Nothing has come through in all that time.
                self.error = self.error or error
        elif isinstance(error, RequestError):
            self.refused_requests += 1
            if self.refused_requests >= _GIVE_UP:
                self.error = self.error or error
        else:
            self.error = self.error or error
        self.log.warn(f"{job.batch.page}: {_first_line(error)}")
        for question in job.batch.questions.values():
            job.work.given_up.add(question.key)
        job.work.under_way -= 1

    def _put_off(self, job: _Job, error: PassingError) -> None:
        now = time.monotonic()
        wait = self.pacing.wait(
            job.tries, asked=error.wait, chance=self._chance.random()
        )
        job.not_before = now + wait
        if error.wait:
            # It is said to one request and meant for all.
            self._gate = max(self._gate, now + error.wait)
        self.log.detail(f"  {_first_line(error)}: again in {wait:.1f} s")
        self._waiting.append(job)

    def _await_replies(self) -> None:
        """Keep the replies that are under way: they are paid for."""
        self._drop_waiting()
        if not self._under_way:
            return
        count = self._under_way
        self.log.warn(
            f"waiting for {count} replies that are paid for; interrupt again to leave"
        )
        end = time.monotonic() + self.policy.timeout
        while self._under_way and time.monotonic() < end:
            try:
                self._ended.get(timeout=max(0.01, end - time.monotonic()))
            except Empty:
                return
            self._under_way -= 1

    def _progress(self, ended: _Ended) -> str:
        """``calls 12, 3012 tokens, 0.41 USD: notebooks/quickstart``."""
        if ended.reply is None:
            return ""
        parts = [f"{self.budget.spent.total} tokens"]
        cost = self.budget.prices.text(self.budget.spent)
        if cost:
            parts.append(cost)
        return f"{', '.join(parts)}  {ended.job.batch.page}"


def prices_of(policy: DraftPolicy) -> Prices:
    """What tokens cost, by the configuration."""
    return Prices(
        prompt=policy.prompt_price, reply=policy.reply_price, currency=policy.currency
    )


def tokens_of_reply(batch: Batch, reply: Reply) -> tuple[Tokens, bool]:
    """The tokens that a reply took, and whether the endpoint has counted them."""
    if reply.prompt_tokens is not None and reply.reply_tokens is not None:
        return Tokens(prompt=reply.prompt_tokens, reply=reply.reply_tokens), True
    return estimate([batch]), False


def _is_first(ended: _Ended) -> bool:
    """Whether a request has ended that was planned: those that are put again were not."""
    return ended.reply is not None and ended.job.batch.attempt == 1


def _pages(locales: Sequence[LocaleWork]) -> Iterator[tuple[LocaleWork, PageWork]]:
    for locale in locales:
        for work in locale.pages:
            if work.questions:
                yield locale, work


def _kept(batch: Batch, reply: Reply) -> KeptReply:
    tokens, is_counted = tokens_of_reply(batch, reply)
    return KeptReply(
        version=VERSION,
        model=batch.asking.model,
        attempt=batch.attempt,
        questions={name: question.key for name, question in batch.questions.items()},
        text=reply.text,
        prompt_tokens=tokens.prompt,
        reply_tokens=tokens.reply,
        is_counted=is_counted,
    )


def _first_line(error: PipelineError) -> str:
    return str(error).partition("\n")[0]
