"""The verb: plan, ask whether it may cost what it costs, ask the model, write, store.

In go catalogues with gaps, out come catalogues with drafts. Before anything is sent the plan is
told; without a yes it is all that happens, and nothing is written.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline.adapters.chat import ChatClient, Endpoint, Reply
from pipeline.adapters.files import hold_lock, remove_files
from pipeline.commands.draft.planning import LocaleWork, plan_locale
from pipeline.commands.draft.sending import Sending, prices_of
from pipeline.commands.draft.writing import Writing
from pipeline.commands.holding import only_this_run
from pipeline.commands.known import Known
from pipeline.commands.pages import pages_of_run
from pipeline.commands.showing import ask
from pipeline.commands.updating import update_locale
from pipeline.config import DraftPolicy
from pipeline.core.drafting.outcome import Outcome
from pipeline.core.pin.lock import Lock, Page
from pipeline.entries import Catalog
from pipeline.errors import (
    ConfigError,
    EndpointError,
    PipelineError,
)
from pipeline.findings import Finding
from pipeline.log import QUIET, Log, is_terminal
from pipeline.report.draft import DraftResult
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftOptions:
    """What is asked of the verb. A run that is dry plans, and says whether there is work."""

    limit: int | None = None  # entries that a model is asked for, at most
    is_agreed: bool = False  # go on without asking
    only_stale: bool = False  # list what is stale, and nothing else
    # Shows the plan, before anything is asked.
    tell: Callable[[DraftResult], None] = lambda _: None


def draft(run: Run, options: DraftOptions) -> DraftResult:
    """Draft what has no translation. Raises ConfigError if no model is configured.

    A second run asks for nothing that was answered; two runs at a time wait for each other.
    """
    policy = run.settings.draft
    _check_model(policy)
    if run.dry or options.only_stale:
        return _planned(run, options, policy)[0]
    with hold_lock(run.paths.draft_lock, on_wait=lambda: _tell_of_wait(run)):
        _sweep(run)
        planned, locales = _planned(run, options, policy)
        if not planned.entries:
            # A run that was killed may have written drafts that the memory does not have.
            hint = "nothing to draft: every message has a translation or a draft"
            return replace(planned, hint=hint, changes=_update(run))
        # What costs nothing needs no yes, and no key.
        has_cost = any(plan.batches for plan in planned.plans)
        needs_yes = has_cost and not options.is_agreed
        if needs_yes and not _is_anybody_there():
            hint = "nothing was sent: this was the plan. Run again with --yes to go on"
            return replace(planned, hint=hint)
        endpoint = _endpoint(policy)
        options.tell(planned)
        planned = replace(planned, is_told=True)
        if needs_yes and not _is_wanted():
            return replace(planned, hint="nothing was sent")
        # What was planned on is written only now, with a yes.
        _update(run)
        client = ChatClient(endpoint)
        try:
            return _drafted(run, planned, locales, client.ask)
        finally:
            client.close()


def _check_model(policy: DraftPolicy) -> None:
    """Raise ConfigError if no model is configured: then there is nothing to plan for."""
    if not policy.url or not policy.model:
        raise ConfigError(
            "no language model is configured: [tool.pipeline.draft] needs url and model",
            hint="docs/drafting.md shows some; --stub shows the loop without any.",
        )


def _endpoint(policy: DraftPolicy) -> Endpoint:
    """Where the model is, with its key. Raises ConfigError if there is none."""
    key = ""
    if policy.key_variable:
        key = os.environ.get(policy.key_variable, "").strip()
        if not key:
            raise ConfigError(
                f"the environment variable {policy.key_variable} has no key in it",
                hint=f"Set it: export {policy.key_variable}=…; it is never written anywhere.",
            )
    return Endpoint(url=policy.url, key=key, timeout=policy.timeout)


def _sweep(run: Run) -> None:
    """Remove what a killed draft was writing. The lock is held: no other one is at work."""
    abandoned: list[Path] = []
    for locale in run.locales:
        memo = run.paths.memo(locale, "drafts")
        abandoned += memo.parent.glob(f".{memo.name}.*.tmp")
        abandoned += run.paths.replies(locale).rglob(".*.tmp")
    remove_files(abandoned)


def _tell_of_wait(run: Run) -> None:
    path = run.shown(run.paths.draft_lock)
    run.log.warn(f"another draft is at work ({path}): waiting for it to end")


@dataclass(kw_only=True)
class _UpToDate:
    """The catalogues of a locale at the pin, and what is wrong with some of them."""

    catalogs: Mapping[str, Catalog]
    findings: tuple[Finding, ...] = field(default=())


def _planned(
    run: Run, options: DraftOptions, policy: DraftPolicy
) -> tuple[DraftResult, list[LocaleWork]]:
    """What there is to do in all locales. Nothing is written."""
    lock = read_pulled(run)
    pages = pages_of_run(run, lock)
    locales: list[LocaleWork] = []
    findings: tuple[Finding, ...] = ()
    for locale in run.locales:
        dry = replace(run, dry=True, log=Log(QUIET))
        up_to_date = _up_to_date(dry, pages, locale=locale, lock=lock)
        findings += up_to_date.findings
        work = plan_locale(
            run,
            pages,
            up_to_date.catalogs,
            locale=locale,
            lock=lock,
            policy=policy,
            limit=options.limit,
        )
        locales.append(work)
    result = DraftResult(
        name=run.name,
        lock=lock,
        model=policy.model,
        prices=prices_of(policy),
        plans=tuple(work.plan() for work in locales),
        only_stale=options.only_stale,
        check_only=run.dry,
        findings=findings,
    )
    return result, locales


def _up_to_date(
    run: Run, pages: Sequence[Page], *, locale: str, lock: Lock
) -> _UpToDate:
    """All catalogues of a locale as ``split`` would leave them."""
    updated = update_locale(
        run, pages, Known(run, locale), locale=locale, lock=lock, thorough=True
    )
    if updated.catalogs is None:  # without pages there is nothing to update
        return _UpToDate(catalogs={})
    # Warnings are for ``split`` and ``build`` to tell; these pages get no drafts.
    errors: list[Finding] = []
    for found in updated.catalogs.findings.values():
        errors += [finding for finding in found if finding.is_error]
    return _UpToDate(catalogs=updated.catalogs.by_page, findings=tuple(errors))


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


def _is_anybody_there() -> bool:
    """Whether a person watches, and can answer."""
    return is_terminal(sys.stderr, os.environ) and sys.stdin.isatty()


def _is_wanted() -> bool:
    """Whether a person says yes."""
    return ask("Go on? [y/N] ").lower() in ("y", "yes")


def _drafted(
    run: Run,
    planned: DraftResult,
    locales: Sequence[LocaleWork],
    ask: Callable[[bytes], Reply],
) -> DraftResult:
    """Ask, write what is accepted, and store it in the memory."""
    began = time.monotonic()
    # Each page is written as soon as it has its answers: a run that is killed leaves them.
    writing = Writing()
    sending = Sending(
        policy=run.settings.draft, ask=ask, log=run.log, finish=writing.finish
    )
    sending.run(locales)
    with run.log.step("memory") as step:
        stored = _update(run)
        step.result = f"{len(stored)} files written" if stored else "nothing to write"
    changes = (*writing.changes, *stored)
    outcome = Outcome(
        pages=tuple(sorted(writing.pages, key=lambda page: (page.locale, page.page))),
        calls=sending.calls,
        tokens=sending.budget.spent,
        uncounted_calls=sending.uncounted,
        seconds=time.monotonic() - began,
        stopped=sending.stopped,
    )
    errors: tuple[PipelineError, ...] = ()
    if sending.error:
        errors = (sending.error,)
    elif outcome.unanswered and not outcome.stopped:
        text = f"{outcome.unanswered} entries got no answer"
        errors = (EndpointError(text, hint="Run again: what was answered is kept."),)
    return replace(
        planned,
        outcome=outcome,
        errors=errors,
        changes=tuple(dict.fromkeys(changes)),
    )
