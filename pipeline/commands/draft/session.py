"""The verb: plan, ask for consent, ask the model, write, store.

Catalogues with gaps go in, catalogues with drafts come out. The plan is shown before anything is
sent; without consent nothing is sent or written. ``--stub`` does the same on a copy of the project,
without a model or a key.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pipeline.adapters.files import WriteError, hold_lock, remove_abandoned
from pipeline.commands.draft.plan import LocaleWork, plan_locale
from pipeline.commands.holding import only_this_run
from pipeline.commands.pages import pages_of_run
from pipeline.commands.showing import ask, complain, print_report, print_text
from pipeline.commands.update import Known, update_locale
from pipeline.config import DraftPolicy
from pipeline.core.drafting.outcome import Outcome, tokens_of
from pipeline.entries import Catalog
from pipeline.errors import ConfigError, EndpointError
from pipeline.findings import Finding
from pipeline.log import QUIET, Log, is_terminal
from pipeline.packages import how_to_run
from pipeline.paths import Paths
from pipeline.report.chinese import ENGLISH
from pipeline.report.draft import DraftResult, draft_json, draft_report, plan_lines
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled

if TYPE_CHECKING:
    from pipeline.adapters.chat import ChatClient, StubClient

# Makes the text of a reply from a request.
Answer = Callable[[Mapping[str, Any]], str]

_STUB = "stub"  # the model's name, as notes have it
_NOWHERE = "https://stub.invalid/v1"  # nothing is sent there


def draft(
    run: Run,
    *,
    limit: int | None = None,
    is_agreed: bool = False,
    only_stale: bool = False,
    answer: Answer | None = None,
) -> DraftResult:
    """Draft what has no translation. Raises ConfigError if no model is configured.

    The model is asked for ``limit`` entries at most. A dry run, and one for stale drafts only,
    sends nothing. ``answer`` stands in for the model. A second run asks for nothing that was
    answered; two runs at a time wait for each other.
    """
    policy = run.settings.draft
    if not policy.url or not policy.model:
        raise ConfigError(
            "no language model is configured: [tool.pipeline.draft] needs url and model",
            hint="docs/drafting.md shows some; --stub shows the loop without any.",
        )
    if run.dry or only_stale:
        return _planned(run, limit, only_stale=only_stale)[0]
    held = run.shown(run.paths.draft_lock)
    message = f"another draft is at work ({held}): waiting for it to end"
    with hold_lock(run.paths.draft_lock, on_wait=lambda: run.log.warn(message)):
        # What a killed draft was writing. The lock is held: no other one is at work.
        remove_abandoned([run.paths.draft_lock.parent])
        planned, locales = _planned(run, limit)
        if not planned.entries:
            # A run that was killed may have written drafts that the memory does not have.
            hint = "nothing to draft: every message has a translation or a draft"
            return replace(planned, hint=hint, changes=_update(run))
        # What costs nothing needs no yes, and no key.
        has_cost = any(plan.batches for plan in planned.plans)
        needs_yes = has_cost and not is_agreed
        if needs_yes and not (
            is_terminal(sys.stderr, os.environ) and sys.stdin.isatty()
        ):
            hint = "nothing was sent: this was the plan. Run again with --yes to go on"
            return replace(planned, hint=hint)
        with closing(_client(policy, answer)) as client:
            for line in plan_lines(planned):
                run.log.note(line)
            planned = replace(planned, is_told=True)
            if needs_yes and ask("Go on? [y/N] ").lower() not in ("y", "yes"):
                return replace(planned, hint="nothing was sent")
            # What was planned on is written only now, with a yes.
            _update(run)
            return _drafted(run, planned, locales, client)


def _client(policy: DraftPolicy, answer: Answer | None) -> ChatClient | StubClient:
    """Return the model to ask. Raises ConfigError if its key is missing."""
    from pipeline.adapters.chat import ChatClient, StubClient

    if answer:
        return StubClient(answer, tokens_of)
    key = ""
    if policy.key_variable:
        key = os.environ.get(policy.key_variable, "").strip()
        if not key:
            raise ConfigError(
                f"the environment variable {policy.key_variable} has no key in it",
                hint=f"Set it: export {policy.key_variable}=…; it is never written anywhere.",
            )
    return ChatClient(policy, key)


def _planned(
    run: Run, limit: int | None, *, only_stale: bool = False
) -> tuple[DraftResult, list[LocaleWork]]:
    """Return what there is to do in all locales. Nothing is written."""
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
        locales.append(plan_locale(run, pages, by_page, locale=locale, limit=limit))
    result = DraftResult(
        name=run.name,
        lock=lock,
        model=run.settings.draft.model,
        plans=tuple(work.plan() for work in locales),
        only_stale=only_stale,
        check_only=run.dry,
        findings=tuple(errors),
    )
    return result, locales


def _update(run: Run) -> tuple[str, ...]:
    """Update catalogues and memory, as ``split`` does; return the files written."""
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
    client: ChatClient | StubClient,
) -> DraftResult:
    """Ask, write what is accepted, and store it in the memory."""
    from pipeline.commands.draft.queue import Queue

    began = time.monotonic()
    queue = Queue(
        client=client,
        log=run.log,
        threads=run.settings.draft.concurrency,
        date=planned.lock.date,
    )
    queue.run(locales)
    with run.log.step("memory") as step:
        stored = _update(run)
        step.result = f"{len(stored)} files written" if stored else "nothing to write"
    outcome = Outcome(
        pages=tuple(sorted(queue.pages, key=lambda page: (page.locale, page.page))),
        calls=client.budget.calls,
        tokens=client.budget.spent,
        uncounted_calls=client.budget.uncounted,
        seconds=time.monotonic() - began,
        stopped=queue.stopped,
    )
    error = queue.error
    unanswered = outcome.total("unanswered")
    if unanswered and not error and not outcome.stopped:
        text = f"{unanswered} entries got no answer"
        error = EndpointError(text, hint="Run again: what was answered is kept.")
    changes = tuple(dict.fromkeys((*queue.changes, *stored)))
    return replace(planned, outcome=outcome, error=error, changes=changes)


def show_draft(run: Run, result: DraftResult, *, as_json: bool) -> None:
    """Print the result, and on stderr why nothing was asked, and what went wrong."""
    if as_json:
        print_text(draft_json(result).decode("utf-8"))
    elif run.log.level >= 0:
        print_report(draft_report(result), ENGLISH)
    if result.hint:
        run.log.note(result.hint)
    if result.error:
        complain(str(result.error))


def rehearsal(run: Run) -> Run:
    """Return a run on a new copy of the project, with a policy for the stub. Raises WriteError."""
    with run.log.step("copy") as step:
        root = run.paths.build / "stub"
        try:
            _copy(run, Paths(root, run.name))
        except OSError as error:
            raise WriteError(
                f"cannot be copied: {error.strerror}",
                where=str(root),
                hint=f"Pull the docs first ({how_to_run('pull')}), or free some space; "
                "nothing has changed.",
            ) from error
        step.result = f"{run.shown(root)}/, without translations of what is drafted"
    own = run.settings.draft
    policy = DraftPolicy(
        url=_NOWHERE, model=_STUB, batch=own.batch, concurrency=own.concurrency
    )
    return replace(run, settings=replace(run.settings, root=root, draft=policy))


def _copy(run: Run, copy: Paths) -> None:
    """Copy what drafting needs: docs, lock, glossaries, and what a model learns from."""
    root, translations = run.settings.root, "translations"
    # What an earlier one has left would look like drafts that are there already.
    shutil.rmtree(copy.root, ignore_errors=True)
    (copy.root / "upstream").mkdir(parents=True)
    shutil.copy(root / "pyproject.toml", copy.root)
    shutil.copytree(run.paths.docs, copy.docs)
    shutil.copy(run.paths.lock, copy.lock)
    # The memory would bring back what is to be drafted.
    without = shutil.ignore_patterns("memory")
    shutil.copytree(root / translations, copy.root / translations, ignore=without)
    for locale in run.locales:
        folder = copy.catalogs(locale)
        for path in list(folder.rglob("*.po")):
            page = path.relative_to(folder).as_posix().removesuffix(".po")
            if run.asks_for(page):
                path.unlink()
