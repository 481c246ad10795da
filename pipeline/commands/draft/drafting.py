"""The verb: plan, ask whether it may take what it takes, ask the model, write, store.

In go catalogues with gaps, out come catalogues with drafts. Before anything is sent the plan is
told; without a yes it is all that happens, and nothing is written.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pipeline.adapters.files import hold_lock, remove_abandoned
from pipeline.commands.draft.planning import LocaleWork, plan_locale
from pipeline.commands.draft.writing import Writing
from pipeline.commands.holding import only_this_run
from pipeline.commands.known import Known
from pipeline.commands.pages import pages_of_run
from pipeline.commands.showing import ask, complain, print_report, print_text
from pipeline.commands.updating import update_locale
from pipeline.config import DraftPolicy
from pipeline.core.drafting.outcome import Outcome, tokens_of
from pipeline.entries import Catalog
from pipeline.errors import ConfigError, EndpointError, PipelineError
from pipeline.findings import Finding
from pipeline.log import QUIET, Log, is_terminal
from pipeline.report.chinese import ENGLISH
from pipeline.report.draft import DraftResult, draft_json, draft_report, plan_lines
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled

if TYPE_CHECKING:
    from pipeline.adapters.chat import ChatClient


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftOptions:
    """What is asked of the verb. A run that is dry plans, and says whether there is work."""

    limit: int | None = None  # entries that a model is asked for, at most
    is_agreed: bool = False  # go on without asking
    only_stale: bool = False  # list what is stale, and nothing else
    # Makes the text of a reply from a request, in place of a model: ``--stub``.
    answer: Callable[[Mapping[str, Any]], str] | None = None


def draft(run: Run, options: DraftOptions) -> DraftResult:
    """Draft what has no translation. Raises ConfigError if no model is configured.

    A second run asks for nothing that was answered; two runs at a time wait for each other.
    """
    policy = run.settings.draft
    if not policy.url or not policy.model:
        raise ConfigError(
            "no language model is configured: [tool.pipeline.draft] needs url and model",
            hint="docs/drafting.md shows some; --stub shows the loop without any.",
        )
    if run.dry or options.only_stale:
        return _planned(run, options)[0]
    with hold_lock(run.paths.draft_lock, on_wait=lambda: _tell_of_wait(run)):
        # What a killed draft was writing. The lock is held: no other one is at work.
        remove_abandoned([run.paths.draft_lock.parent])
        planned, locales = _planned(run, options)
        if not planned.entries:
            # A run that was killed may have written drafts that the memory does not have.
            hint = "nothing to draft: every message has a translation or a draft"
            return replace(planned, hint=hint, changes=_update(run))
        # What costs nothing needs no yes, and no key.
        has_cost = any(plan.batches for plan in planned.plans)
        needs_yes = has_cost and not options.is_agreed
        if needs_yes and not (
            is_terminal(sys.stderr, os.environ) and sys.stdin.isatty()
        ):
            hint = "nothing was sent: this was the plan. Run again with --yes to go on"
            return replace(planned, hint=hint)
        with closing(_client(policy, options)) as client:
            for line in plan_lines(planned):
                run.log.note(line)
            planned = replace(planned, is_told=True)
            if needs_yes and ask("Go on? [y/N] ").lower() not in ("y", "yes"):
                return replace(planned, hint="nothing was sent")
            # What was planned on is written only now, with a yes.
            _update(run)
            return _drafted(run, planned, locales, client)


def _client(policy: DraftPolicy, options: DraftOptions) -> ChatClient:
    """Whom to ask, with its key. Raises ConfigError if there is none."""
    from pipeline.adapters.chat import ChatClient, stub_transport

    key = ""
    if policy.key_variable:
        key = os.environ.get(policy.key_variable, "").strip()
        if not key:
            raise ConfigError(
                f"the environment variable {policy.key_variable} has no key in it",
                hint=f"Set it: export {policy.key_variable}=…; it is never written anywhere.",
            )
    transport = stub_transport(options.answer, tokens_of) if options.answer else None
    return ChatClient(policy, key, transport)


def _tell_of_wait(run: Run) -> None:
    path = run.shown(run.paths.draft_lock)
    run.log.warn(f"another draft is at work ({path}): waiting for it to end")


def _planned(run: Run, options: DraftOptions) -> tuple[DraftResult, list[LocaleWork]]:
    """What there is to do in all locales. Nothing is written."""
    lock = read_pulled(run)
    pages = pages_of_run(run, lock)
    dry = replace(run, dry=True, log=Log(QUIET))
    locales: list[LocaleWork] = []
    errors: list[Finding] = []
    for locale in run.locales:
        # All catalogues as ``split`` would leave them; without pages there is nothing to update.
        known = Known(dry, locale)
        updated = update_locale(
            dry, pages, known, locale=locale, lock=lock, thorough=True
        ).catalogs
        by_page: Mapping[str, Catalog] = {}
        if updated:
            by_page = updated.by_page
            # Warnings are for ``split`` and ``build`` to tell; these pages get no drafts.
            for found in updated.findings.values():
                errors += [finding for finding in found if finding.is_error]
        locales.append(
            plan_locale(run, pages, by_page, locale=locale, limit=options.limit)
        )
    result = DraftResult(
        name=run.name,
        lock=lock,
        model=run.settings.draft.model,
        plans=tuple(work.plan() for work in locales),
        only_stale=options.only_stale,
        check_only=run.dry,
        findings=tuple(errors),
    )
    return result, locales


def _update(run: Run) -> tuple[str, ...]:
    """Bring catalogues and memory up to date, as ``split`` does; the files written."""
    changes: tuple[str, ...] = ()
    with only_this_run(run):
        lock = read_pulled(run)
        # All pages: who drafts a few of them wants the memory whole all the same.
        quiet = replace(run, pages=(), log=Log(QUIET))
        pages = pages_of_run(quiet, lock)
        for locale in run.locales:
            known = Known(run, locale)
            updated = update_locale(quiet, pages, known, locale=locale, lock=lock)
            changes += updated.changes
    return changes


def _drafted(
    run: Run,
    planned: DraftResult,
    locales: Sequence[LocaleWork],
    client: ChatClient,
) -> DraftResult:
    """Ask, write what is accepted, and store it in the memory."""
    from pipeline.commands.draft.sending import Sending

    began = time.monotonic()
    # Each page is written as soon as it has its answers: a run that is killed leaves them.
    writing = Writing(lock=planned.lock)
    sending = Sending(
        client=client,
        log=run.log,
        threads=run.settings.draft.concurrency,
        finish=writing.finish,
    )
    sending.run(locales)
    with run.log.step("memory") as step:
        stored = _update(run)
        step.result = f"{len(stored)} files written" if stored else "nothing to write"
    budget = client.budget
    outcome = Outcome(
        pages=tuple(sorted(writing.pages, key=lambda page: (page.locale, page.page))),
        calls=budget.calls,
        tokens=budget.spent,
        uncounted_calls=budget.uncounted,
        seconds=time.monotonic() - began,
        stopped=sending.stopped,
    )
    error: PipelineError | None = sending.error
    unanswered = outcome.total("unanswered")
    if unanswered and not error and not outcome.stopped:
        text = f"{unanswered} entries got no answer"
        error = EndpointError(text, hint="Run again: what was answered is kept.")
    return replace(
        planned,
        outcome=outcome,
        error=error,
        changes=tuple(dict.fromkeys((*writing.changes, *stored))),
    )


def show_draft(run: Run, result: DraftResult, *, as_json: bool) -> None:
    """The result on stdout; why nothing was asked, and what went wrong, on stderr."""
    if as_json:
        print_text(draft_json(result).decode("utf-8"))
    elif run.log.level >= 0:
        print_report(draft_report(result), ENGLISH)
    if result.hint:
        run.log.note(result.hint)
    if result.error:
        complain(str(result.error))
