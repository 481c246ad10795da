"""Threads that send requests and keep replies, and do nothing else.

Jobs go in, what ended comes out. A reply is on disk before anybody hears of it, so that a run which
is killed at any moment has paid for nothing that it does not have.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from pipeline.adapters.chat import Reply
from pipeline.adapters.replies import VERSION, KeptReply
from pipeline.commands.draft.planning import LocaleWork, PageWork
from pipeline.core.drafting.batches import Batch
from pipeline.core.drafting.money import Tokens, estimate
from pipeline.errors import PipelineError


@dataclass(kw_only=True)
class Job:
    """A batch on its way."""

    locale: LocaleWork
    work: PageWork
    batch: Batch
    tries: int = 0  # that have failed
    not_before: float = 0.0  # on the clock of time.monotonic
    replies_before: int = 0  # how many replies had come when it was first sent


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a thread has to say: a reply, or what was raised."""

    job: Job
    reply: KeptReply | None = None
    error: PipelineError | None = None


@dataclass(kw_only=True)
class Askers:
    """``count`` threads, each with one request at a time."""

    ask: Callable[[bytes], Reply]
    count: int
    _jobs: SimpleQueue[Job | None] = field(default_factory=SimpleQueue)
    _ended: SimpleQueue[Ended] = field(default_factory=SimpleQueue)

    def start(self) -> None:
        """Start the threads. They end with the process: none of them holds anything up."""
        for _ in range(self.count):
            threading.Thread(target=self._work, daemon=True).start()

    def stop(self) -> None:
        """Let each thread end as soon as it has nothing under way."""
        for _ in range(self.count):
            self._jobs.put(None)

    def put(self, job: Job) -> None:
        """Send a job as soon as a thread is free."""
        self._jobs.put(job)

    def next(self, seconds: float | None) -> Ended | None:
        """What ends next; None if nothing does within ``seconds``."""
        try:
            return self._ended.get(timeout=seconds)
        except Empty:
            return None

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            if job is None:
                return
            self._ended.put(self._done(job))

    def _done(self, job: Job) -> Ended:
        try:
            reply = _kept(job.batch, self.ask(job.batch.body))
            job.locale.replies.keep(job.batch.key, reply)
        except PipelineError as error:
            return Ended(job=job, error=error)
        except Exception as error:  # noqa: BLE001 - a thread that dies would never be heard of
            bug = PipelineError(f"unexpected {type(error).__name__}: {error}")
            return Ended(job=job, error=bug)
        return Ended(job=job, reply=reply)


def _kept(batch: Batch, reply: Reply) -> KeptReply:
    """A reply as it is kept, with the tokens that it took."""
    tokens, is_counted = _tokens_of(batch, reply)
    return KeptReply(
        version=VERSION,
        model=batch.asking.model,
        attempt=batch.attempt,
        questions={name: question.key for name, question in batch.questions.items()},
        text=reply.text,
        prompt_tokens=tokens.prompt,
        reply_tokens=tokens.reply,
        is_cut=reply.is_cut,
        is_counted=is_counted,
    )


def _tokens_of(batch: Batch, reply: Reply) -> tuple[Tokens, bool]:
    """The tokens that a reply took, and whether the endpoint has counted them."""
    if reply.prompt_tokens is None or reply.reply_tokens is None:
        return estimate([batch]), False
    return Tokens(prompt=reply.prompt_tokens, reply=reply.reply_tokens), True
