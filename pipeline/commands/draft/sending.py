"""Ask the model: several requests at a time, in the order of the pages, within the budget.

Work goes in, pages come out finished, one after the other. All is decided here, in one thread:
what is sent, what is tried again, when to stop. The invariant: what was spent, with what is under
way at its bound, never exceeds the budget.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pipeline.adapters.chat import PassingError, Reply, RequestError
from pipeline.commands.draft.asking import Askers, Ended, Job
from pipeline.commands.draft.planning import LocaleWork, PageWork
from pipeline.config import DraftPolicy
from pipeline.core.drafting.batches import Batch
from pipeline.core.drafting.money import Budget, Prices, Tokens, bound_of
from pipeline.core.drafting.pacing import LONGEST_WAIT, Pacing
from pipeline.errors import EndpointError, PipelineError
from pipeline.log import Log

_GIVE_UP = 3  # batches in a row that the endpoint does not take: it will take none
_LOOK_AGAIN = 60.0  # seconds, if nothing else says when something may be sent
_SOON = 0.01
OUT_OF_BUDGET = "the budget is used up"

Unfinished = deque[tuple[LocaleWork, PageWork]]


@dataclass(kw_only=True)
class Sending:
    """All that is asked in one run. ``finish`` is called for each page, when it has its answers.

    What kept the run from going on is in ``error``, or in ``stopped`` if it is no mistake.
    """

    policy: DraftPolicy
    ask: Callable[[bytes], Reply]
    log: Log
    finish: Callable[[LocaleWork, PageWork], None]
    error: PipelineError | None = None
    stopped: str = ""
    calls: int = 0
    uncounted: int = 0  # calls whose tokens nobody has counted
    budget: Budget = field(init=False)
    _pacing: Pacing = field(init=False)
    _askers: Askers = field(init=False)
    _waiting: deque[Job] = field(default_factory=deque)
    _under_way: int = 0
    _replies: int = 0
    _refused_requests: int = 0  # in a row
    _is_blocked: bool = False  # until something ends: the budget has no room before
    _has_told_of_bound: bool = False
    _gate: float = 0.0  # no request is sent before this moment
    _chance: random.Random = field(default_factory=random.Random)

    def __post_init__(self) -> None:
        policy = self.policy
        self.budget = Budget(
            money=policy.budget, tokens=policy.budget_tokens, prices=prices_of(policy)
        )
        self._pacing = Pacing()
        self._askers = Askers(ask=self.ask, count=policy.concurrency)

    def run(self, locales: Sequence[LocaleWork]) -> None:
        """Ask all that ``locales`` want, and finish their pages.

        Pages that cannot come to their end are finished with what came until then.
        """
        unfinished: Unfinished = deque()
        for locale in locales:
            for work in locale.pages:
                if work.questions:
                    unfinished.append((locale, work))
                for batch in locale.due(work):
                    self._add(locale, work, batch)
        self._askers.start()
        try:
            self._send_all(unfinished)
        except KeyboardInterrupt:
            self._await_replies()
            raise
        finally:
            self._askers.stop()
        for locale, work in unfinished:
            self.finish(locale, work)

    def _send_all(self, unfinished: Unfinished) -> None:
        """Send and take up, until nothing is waiting or under way."""
        with self.log.progress("draft", total=len(self._waiting)) as advance:
            # Pages whose questions are all answered already need no reply.
            self._finish_pages(unfinished)
            while self._waiting or self._under_way:
                self._send()
                ended = self._askers.next(self._pause())
                if ended is not None:
                    self._take(ended)
                    advance(_is_first(ended), self._progress(ended))
                    self._finish_pages(unfinished)

    def _add(
        self, locale: LocaleWork, work: PageWork, batch: Batch, *, is_next: bool = False
    ) -> None:
        work.under_way += 1
        job = Job(locale=locale, work=work, batch=batch)
        # A page that was begun comes to its end before another one is.
        if is_next:
            self._waiting.appendleft(job)
        else:
            self._waiting.append(job)

    def _finish_pages(self, unfinished: Unfinished) -> None:
        """Finish the pages that nothing is due for; put again what was refused on the others."""
        for _ in range(len(unfinished)):
            locale, work = unfinished.popleft()
            if self._is_over or work.under_way:
                unfinished.append((locale, work))
                continue
            # What was refused is put again, once; then there is nothing due any more.
            due = list(locale.due(work))
            for batch in due:
                self._add(locale, work, batch, is_next=True)
            if due:
                unfinished.append((locale, work))
            else:
                self.finish(locale, work)

    @property
    def _is_over(self) -> bool:
        """Whether nothing is sent any more."""
        return self.error is not None or self.stopped != ""

    def _send(self) -> None:
        """Send what may be sent now."""
        self._is_blocked = False
        now = time.monotonic()
        for _ in range(len(self._waiting)):
            if self._under_way == self.policy.concurrency or now < self._gate:
                return
            job = self._waiting.popleft()
            if now < job.not_before:
                self._waiting.append(job)
                continue
            if not self._send_job(job):
                return

    def _send_job(self, job: Job) -> bool:
        """Send one request, if the budget allows it at its worst; whether it was sent."""
        bound = bound_of(job.batch)
        if not self.budget.allows(bound):
            self._waiting.appendleft(job)
            # What is under way is counted at its bound: it will take less.
            self._is_blocked = self._under_way > 0
            if not self._is_blocked:
                self.stopped = OUT_OF_BUDGET
                self._drop_waiting()
            return False
        self.budget = self.budget.sent(bound)
        self._under_way += 1
        self.calls += 1
        if job.tries == 0:
            job.replies_before = self._replies
        self._askers.put(job)
        return True

    def _drop_waiting(self) -> None:
        """Send nothing of what is waiting: its questions stay without an answer."""
        for job in self._waiting:
            job.work.under_way -= 1
        self._waiting.clear()

    def _pause(self) -> float:
        """Seconds until something may be sent, if nothing ends before."""
        if self._is_blocked or self._under_way == self.policy.concurrency:
            return _LOOK_AGAIN
        if not self._waiting:
            return _LOOK_AGAIN if self._under_way else _SOON
        soonest = min(job.not_before for job in self._waiting)
        seconds = max(soonest, self._gate) - time.monotonic()
        return max(_SOON, min(_LOOK_AGAIN, seconds))

    def _take(self, ended: Ended) -> None:
        """Take up what has ended."""
        self._under_way -= 1
        bound = bound_of(ended.job.batch)
        if ended.reply is None:
            error = ended.error or EndpointError("ended without a reply")
            may_cost = isinstance(error, PassingError) and error.may_cost
            # Nobody says what a reply took that did not arrive: it counts as much as it can.
            self.budget = self.budget.ended(bound, bound if may_cost else Tokens())
            self.uncounted += may_cost
            self._take_error(ended.job, error)
            return
        reply, job = ended.reply, ended.job
        tokens = Tokens(prompt=reply.prompt_tokens, reply=reply.reply_tokens)
        self.budget = self.budget.ended(bound, tokens)
        self.uncounted += not reply.is_counted
        self._replies += 1
        self._refused_requests = 0
        job.work.under_way -= 1
        job.locale.book.add(reply.questions, reply.text, attempt=reply.attempt)
        if reply.is_cut and not self._has_told_of_bound:
            # Once: it is a matter of the model, and most of the time of all of its replies.
            self._has_told_of_bound = True
            self.log.warn(
                f"{job.batch.page}: the reply was cut at {job.batch.most_tokens} tokens; "
                "raise reply-tokens in [tool.pipeline.draft], or lower batch"
            )

    def _take_error(self, job: Job, error: PipelineError) -> None:
        """Try a request again later, give it up, or give up all of them."""
        job.tries += 1
        if self._may_pass(job, error):
            self._put_off(job, error)
            return
        if self._ends_run(job, error):
            # Of several errors the first one counts: the others follow from it.
            self.error = self.error or error
            self._drop_waiting()
        self.log.warn(f"{job.batch.page}: {_first_line(error)}")
        for question in job.batch.questions.values():
            job.work.given_up.add(question.key)
        job.work.under_way -= 1

    def _may_pass(self, job: Job, error: PipelineError) -> bool:
        """Whether the same request may do the next time."""
        if not isinstance(error, PassingError) or error.wait > LONGEST_WAIT:
            return False
        return job.tries < self.policy.tries and not self._is_over

    def _ends_run(self, job: Job, error: PipelineError) -> bool:
        """Whether other requests would end in the same way."""
        if isinstance(error, PassingError):
            # Nothing has come through in all the time that this one was tried.
            is_down = self._replies == job.replies_before
            return is_down or error.wait > LONGEST_WAIT
        if isinstance(error, RequestError):
            # One batch may be too long for a model; it is not the endpoint's fault.
            self._refused_requests += 1
            return self._refused_requests >= _GIVE_UP
        return True

    def _put_off(self, job: Job, error: PipelineError) -> None:
        """Send a request again later."""
        asked = error.wait if isinstance(error, PassingError) else 0.0
        wait = self._pacing.wait(job.tries, asked=asked, chance=self._chance.random())
        now = time.monotonic()
        job.not_before = now + wait
        # It is said to one request, and meant for all.
        self._gate = max(self._gate, now + asked)
        self.log.detail(f"  {_first_line(error)}: again in {wait:.1f} s")
        self._waiting.append(job)

    def _await_replies(self) -> None:
        """Keep the replies that are under way: they are paid for."""
        self._drop_waiting()
        if not self._under_way:
            return
        self.log.warn(
            f"waiting for {self._under_way} replies that are paid for; "
            "interrupt again to leave"
        )
        end = time.monotonic() + self.policy.timeout
        while self._under_way and time.monotonic() < end:
            # They are on disk when they are told of: nothing else is to be done with them.
            if self._askers.next(_SOON * 10):
                self._under_way -= 1

    def _progress(self, ended: Ended) -> str:
        """``3012 tokens, 0.41 USD  notebooks/quickstart``; empty if there was no reply."""
        if ended.reply is None:
            return ""
        spent = self.budget.spent
        told = [f"{spent.total} tokens"]
        cost = self.budget.prices.text(spent)
        if cost:
            told.append(cost)
        return f"{', '.join(told)}  {ended.job.batch.page}"


def prices_of(policy: DraftPolicy) -> Prices:
    """What tokens cost, by the configuration."""
    return Prices(
        prompt=policy.prompt_price, reply=policy.reply_price, currency=policy.currency
    )


def _is_first(ended: Ended) -> bool:
    """Whether a request has ended that was planned: those that are put again were not."""
    return ended.reply is not None and ended.job.batch.attempt == 1


def _first_line(error: PipelineError) -> str:
    return str(error).partition("\n")[0]
