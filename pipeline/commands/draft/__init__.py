"""draft: translate untranslated entries with a language model. Each draft is marked as fuzzy.

The command shows the plan, asks the user, sends requests, writes drafts and updates the memory.
``plan`` lists the questions to the model, one for each entry. ``queue`` sends them in batches and
writes the drafts into the catalogues.

No request is sent before the user confirms the plan. With ``--stub``, the session runs on a copy of
the project, and a built-in function answers instead of a model.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from pipeline.adapters.files import WriteError, copy_file, hold_lock, remove_abandoned
from pipeline.commands.console import (
    ask,
    print_error_text,
    print_report,
    print_text,
    terminal,
)
from pipeline.commands.draft.plan import LocaleWork, plan_locale
from pipeline.commands.options import add_shared, count, run_of
from pipeline.commands.pages import pages_of_run
from pipeline.commands.run_lock import run_lock
from pipeline.commands.update import LocaleMemos, update_locale, update_pulled
from pipeline.config.settings import DraftPolicy
from pipeline.core.drafting import stub
from pipeline.core.drafting.batch import Outcome, tokens_of
from pipeline.errors import ConfigError, EndpointError
from pipeline.findings import Finding
from pipeline.log import QUIET, Log, is_terminal
from pipeline.paths import Paths
from pipeline.report.draft import DraftResult, draft_json, draft_report, plan_lines
from pipeline.report.value import ENGLISH
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled
from pipeline.stages.update.locale import Locale

if TYPE_CHECKING:
    from pipeline.adapters.chat import ChatClient, StubClient

# Function that takes the body of a request and returns the text of a reply.
Answer = Callable[[Mapping[str, Any]], str]

_STUB = "stub"  # name of the model in the notes of stub drafts
_NOWHERE = "https://stub.invalid/v1"  # never contacted


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``draft``."""
    add_shared(parser, "name", "--release", "--pages")
    parser.add_argument(
        "--limit",
        metavar="N",
        type=count,
        help="send at most N entries to the model",
    )
    parser.add_argument("--yes", action="store_true", help="send requests without asking first")
    parser.add_argument(
        "--stale",
        action="store_true",
        help="list the drafts made with another model, prompt or glossary, and send nothing",
    )
    parser.add_argument(
        "--stub",
        action="store_true",
        help="try the command without a model, on a copy of the project in build/stub/",
    )
    add_shared(parser, "--check")


def run_command(arguments: Namespace, log: Log) -> int:
    """Draft translations, print the result and return the exit code."""
    run = run_of(arguments, log)
    if arguments.stub:
        run = stub_run(run)
    result = draft(
        run,
        limit=arguments.limit,
        is_agreed=arguments.yes or arguments.stub,
        only_stale=arguments.stale,
        answer=stub.answer if arguments.stub else None,
    )
    show_draft(run, result, as_json=arguments.json)
    return result.exit_code


def draft(
    run: Run,
    *,
    limit: int | None = None,
    is_agreed: bool = False,
    only_stale: bool = False,
    answer: Answer | None = None,
) -> DraftResult:
    """Draft untranslated entries and return the result.

    At most ``limit`` entries are sent to the model. A dry run only plans, and ``only_stale`` only
    lists outdated drafts. ``answer`` replaces the model. A second run sends only unanswered
    questions. Simultaneous runs wait for each other. Raises ConfigError if no model is configured.
    """
    policy = run.settings.draft
    if not policy.url or not policy.model:
        raise ConfigError(
            "no language model is configured: [tool.pipeline.draft] needs url and model",
            hint="Configure one as in docs/drafting.md, or try --stub, which needs none.",
        )
    if run.dry or only_stale:
        return _planned(run, limit, only_stale=only_stale)[0]
    held = run.shown(run.paths.draft_lock)
    message = f"another draft command is running ({held}): waiting for it to end"
    with hold_lock(run.paths.draft_lock, on_wait=lambda: run.log.warn(message)):
        # Remove half-written files of a killed run. No other run writes them, because this one
        # holds the lock.
        remove_abandoned([run.paths.draft_lock.parent])
        planned, locales = _planned(run, limit)
        if not planned.entries:
            # Update the memory: a killed run may have written drafts that the memory still lacks.
            hint = "nothing to draft: every message has a translation or a draft"
            return replace(planned, hint=hint, changes=_update(run))
        # Ask only if requests are sent: stored replies cost nothing.
        has_cost = any(plan.batches for plan in planned.plans)
        needs_yes = has_cost and not is_agreed
        if needs_yes and not (is_terminal(sys.stderr, os.environ) and sys.stdin.isatty()):
            hint = "nothing was sent: this was the plan. Run again with --yes to send it"
            return replace(planned, hint=hint)
        with closing(_client(policy, answer)) as client:
            for line in plan_lines(planned):
                run.log.note(line)
            planned = replace(planned, is_shown=True)
            if needs_yes and ask("Go on? [y/N] ").lower() not in ("y", "yes"):
                return replace(planned, hint="nothing was sent")
            # The plan was made from catalogues that were updated but not written. Write them now.
            _update(run)
            return _drafted(run, planned, locales, client)


def _client(policy: DraftPolicy, answer: Answer | None) -> ChatClient | StubClient:
    """Return the client for the model. Raises ConfigError if the API key is missing."""
    from pipeline.adapters.chat import ChatClient, StubClient

    if answer:
        return StubClient(answer, tokens_of)
    key = ""
    if policy.key_variable:
        key = os.environ.get(policy.key_variable, "").strip()
        if not key:
            raise ConfigError(
                f"the environment variable {policy.key_variable} has no API key",
                hint=f"Set it: export {policy.key_variable}=…; the key is never written to a file.",
            )
    return ChatClient(policy, key)


def _planned(
    run: Run, limit: int | None, *, only_stale: bool = False
) -> tuple[DraftResult, list[LocaleWork]]:
    """Return the plan for all locales, without writing anything."""
    lock = read_pulled(run)
    pages = pages_of_run(run, lock)
    dry = replace(run, dry=True, log=Log(QUIET))
    locales: list[LocaleWork] = []
    errors: list[Finding] = []
    for name in run.locales:
        # Update all catalogues as ``split`` does, but only in RAM.
        locale = Locale(dry, name)
        update_locale(locale, pages, LocaleMemos(locale), lock=lock, thorough=True)
        # Report only errors here, because pages with errors get no drafts. ``split`` reports
        # warnings.
        errors += [found for found in locale.all_findings() if found.is_error]
        catalogs = locale.readable_catalogs()
        locales.append(plan_locale(run, pages, catalogs, locale=name, limit=limit))
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
    """Update catalogues and memory as ``split`` does, and return the files written."""
    # Update all pages, even if only a few are drafted: the memory must be complete.
    with run_lock(run):
        return update_pulled(replace(run, pages=(), log=Log(QUIET))).changes


def _drafted(
    run: Run,
    planned: DraftResult,
    locales: Sequence[LocaleWork],
    client: ChatClient | StubClient,
) -> DraftResult:
    """Send the requests, write the accepted drafts, and store them in the memory."""
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
        error = EndpointError(text, hint="Run again: the answers so far are kept.")
    changes = tuple(dict.fromkeys((*queue.changes, *stored)))
    return replace(planned, outcome=outcome, error=error, changes=changes)


def show_draft(run: Run, result: DraftResult, *, as_json: bool) -> None:
    """Print the result on stdout, and hints and errors on stderr."""
    if as_json:
        print_text(draft_json(result).decode("utf-8"))
    elif run.log.level >= 0:
        print_report(draft_report(result), replace(terminal(), language=ENGLISH))
    if result.hint:
        run.log.note(result.hint)
    if result.error:
        print_error_text(str(result.error))


def stub_run(run: Run) -> Run:
    """Copy the project to ``build/stub/``, and return a run on the copy, without a model.

    Raises UpstreamError if the docs are not pulled, and WriteError.
    """
    read_pulled(run)
    with run.log.step("copy") as step:
        root = run.paths.build / "stub"
        try:
            _copy(run, Paths(root, run.name))
        except OSError as error:
            raise WriteError(
                f"cannot be copied: {error.strerror}",
                where=str(root),
                hint="Free some space; nothing has changed.",
            ) from error
        step.result = f"{run.shown(root)}/, without catalogues of the pages to draft"
    own = run.settings.draft
    policy = DraftPolicy(url=_NOWHERE, model=_STUB, batch=own.batch, concurrency=own.concurrency)
    return replace(run, settings=replace(run.settings, root=root, draft=policy))


def _copy(run: Run, copy: Paths) -> None:
    """Copy what drafting needs: docs, lock, glossaries and catalogues.

    The catalogues of the selected pages are left out, so that there is something to draft. The
    catalogues of all other pages supply examples.
    """
    root, translations = run.settings.root, "translations"
    # Leftovers of an earlier copy would count as existing drafts.
    shutil.rmtree(copy.root, ignore_errors=True)
    (copy.root / "upstream").mkdir(parents=True)
    shutil.copy(root / "pyproject.toml", copy.root)
    shutil.copytree(run.paths.docs, copy.docs)
    copy_file(run.paths.lock, copy.lock)
    # Leave out the memory, from which the run would restore the left-out catalogues.
    without = shutil.ignore_patterns("memory")
    shutil.copytree(
        root / translations,
        copy.root / translations,
        ignore=without,
        copy_function=copy_file,
    )
    for locale in run.locales:
        folder = copy.catalogs(locale)
        for path in list(folder.rglob("*.po")):
            page = path.relative_to(folder).as_posix().removesuffix(".po")
            if run.selects(page):
                path.unlink()
