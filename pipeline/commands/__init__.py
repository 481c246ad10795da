"""What each command does: which stages, in which order. Data flows one way, and the stages do not know each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.adapters.files import append_text, hold_lock, write_if_changed
from pipeline.config import Settings, Upstream, matches
from pipeline.core.execution.result import Status
from pipeline.core.pin.lock import Lock, Page, format_lock, pages_of, parse_lock
from pipeline.core.pin.releases import LATEST
from pipeline.core.results import Comparison, PageResult
from pipeline.entries import Catalog
from pipeline.errors import ConfigError, InputError, PublishError, UpstreamError
from pipeline.findings import Finding
from pipeline.log import Log
from pipeline.paths import Paths
from pipeline.report.result import RunResult
from pipeline.run import Options
from pipeline.stages import pull as pull_stage
from pipeline.stages import recall
from pipeline.stages.inventory import refresh_inventory

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.core.catalog.update import Catalogs
    from pipeline.core.document.read import SplitPage

Commit = tuple[Lock, Mapping[str, bytes]]  # what is locked, and the documents of its pages by path


def sync(settings: Settings, upstream: Upstream, options: Options, log: Log) -> RunResult:
    """Pull, split, update, merge, execute, render, report: the whole job."""
    with _running(settings, upstream, options, log):
        before = _lock_bytes(settings, upstream)
        lock = pull_stage.pull(settings, upstream, log=log, ref=options.ref, dry=options.check_only)
        moved = _moved(settings, upstream, before, lock, dry=options.check_only)
        if options.check_only and moved:
            return RunResult(name=upstream.name, lock=lock, changes=moved, check_only=True)
        if not options.check_only:
            refresh_inventory(settings, upstream, log=log)
        return _translate(settings, upstream, options, log, lock, changes=moved)


def pull(settings: Settings, upstream: Upstream, options: Options, log: Log) -> RunResult:
    """Fetch upstream's docs at the ref and write the lock."""
    with _running(settings, upstream, options, log):
        before = _lock_bytes(settings, upstream)
        lock = pull_stage.pull(settings, upstream, log=log, ref=options.ref, dry=options.check_only)
        moved = _moved(settings, upstream, before, lock, dry=options.check_only)
        if not options.check_only:
            refresh_inventory(settings, upstream, log=log)
        return RunResult(
            name=upstream.name, lock=lock, changes=moved, check_only=options.check_only
        )


def split(settings: Settings, upstream: Upstream, options: Options, log: Log) -> RunResult:
    """Bring the catalogues up to date with what was pulled."""
    with _running(settings, upstream, options, log):
        return _catalogs_only(settings, upstream, options, log, dry=options.check_only)


def status(settings: Settings, upstream: Upstream, options: Options, log: Log) -> RunResult:
    """What ``split`` would give, and how far behind another ref that is, without writing; badges only if asked for."""
    result = replace(_catalogs_only(settings, upstream, options, log, dry=True), changes=())
    if options.against is not None:
        result = replace(
            result,
            comparison=_behind(settings, upstream, options, result.lock, options.against, log),
        )
    return (
        replace(result, changes=_write_badges(settings, upstream, result))
        if options.badges
        else result
    )


def memory(settings: Settings, upstream: Upstream, options: Options, log: Log) -> RunResult:
    """Prove that memory, catalogues and upstream agree, without writing."""
    from pipeline.stages.update.verifying import verify_memory

    lock = pull_stage.read_pulled(settings, upstream)
    return RunResult(
        name=upstream.name,
        lock=lock,
        findings=verify_memory(settings, upstream, locales=options.locales, log=log),
    )


def merge(settings: Settings, upstream: Upstream, options: Options, log: Log) -> RunResult:
    """Put the translations into the pages, at the current pin."""
    return build(settings, upstream, replace(options, execute=False), log)


def build(settings: Settings, upstream: Upstream, options: Options, log: Log) -> RunResult:
    """Merge and execute at the current pin, without touching upstream."""
    with _running(settings, upstream, options, log):
        lock = pull_stage.read_pulled(settings, upstream)
        return _translate(settings, upstream, options, log, lock)


def execute(settings: Settings, upstream: Upstream, options: Options, log: Log) -> RunResult:
    """Run the code cells of what was merged."""
    return build(settings, upstream, replace(options, execute=True), log)


def site(settings: Settings, upstream: Upstream, options: Options, log: Log) -> RunResult:
    """Build, and make a web site of what was built."""
    from pipeline.site.building import build_site

    with _running(settings, upstream, options, log):
        lock = pull_stage.read_pulled(settings, upstream)
        result = _translate(settings, upstream, options, log, lock)
        policy = replace(upstream.site, show_fuzzy=options.show_fuzzy)
        found = [
            finding
            for locale, pages in result.pages.items()
            for finding in build_site(
                settings, upstream, pages, lock=lock, locale=locale, policy=policy, log=log
            )
        ]
        return replace(result, findings=(*result.findings, *found))


def _translate(
    settings: Settings,
    upstream: Upstream,
    options: Options,
    log: Log,
    lock: Lock,
    *,
    changes: tuple[str, ...] = (),
) -> RunResult:
    """From pulled pages to the report."""
    pages = _selected(upstream, options, lock)
    by_locale: dict[str, tuple[PageResult, ...]] = {}
    gone: dict[str, tuple[PageResult, ...]] = {}
    for locale in options.locales:
        by_locale[locale], gone[locale], written = _merge_locale(
            settings, upstream, options, log, lock, pages, locale
        )
        changes += written
    result = RunResult(
        name=upstream.name,
        lock=lock,
        pages=by_locale,
        gone=gone,
        changes=changes,
        check_only=options.check_only,
    )
    if options.execute and not options.check_only:
        result = _execute(settings, upstream, options, log, result, pages)
    return _report(settings, upstream, options, result)


def _merge_locale(
    settings: Settings,
    upstream: Upstream,
    options: Options,
    log: Log,
    lock: Lock,
    pages: Sequence[Page],
    locale: str,
) -> tuple[tuple[PageResult, ...], tuple[PageResult, ...], tuple[str, ...]]:
    """Split, update and merge for one locale, unless nothing has changed since the last run.

    The pages, what is left of pages that upstream dropped, and the files written.
    """
    paths = Paths(settings.root, upstream.name)
    inputs = recall.fingerprint_inputs(paths, upstream, locale=locale)
    if not options.pages and (known := recall.recall(paths, locale=locale, inputs=inputs)):
        log.note(f"nothing changed for {locale} since the last run")
        return *_by_page(known, pages), ()
    from pipeline.stages.merge import merge as merge_stage
    from pipeline.stages.prune import prune
    from pipeline.stages.split import split as split_stage

    documents = split_stage(paths, pages, log=log)
    catalogs = _update(
        settings, upstream, documents, locale=locale, lock=lock, log=log, dry=options.check_only
    )
    merged = merge_stage(
        paths,
        documents,
        catalogs,
        locale=locale,
        upstream=upstream,
        lock=lock,
        log=log,
        known=recall.recall_merged(paths, locale=locale, inputs=inputs),
        dry=options.check_only,
    )
    changes = catalogs.changes + merged.changes
    names = {page.name for page in pages}
    others = tuple(
        _gone_page(name, catalogs)
        for name in sorted({*catalogs.findings, *catalogs.counts} - names)
    )
    if not options.pages:
        changes += prune(paths, pages, locale=locale, dry=options.check_only)
        if not options.check_only:
            inputs = recall.fingerprint_inputs(paths, upstream, locale=locale)
            recall.remember(paths, (*merged.pages, *others), locale=locale, inputs=inputs)
            recall.remember_merged(paths, merged.known, locale=locale, inputs=inputs)
    return *_by_page((*merged.pages, *others), pages), changes


def _update(
    settings: Settings,
    upstream: Upstream,
    documents: Sequence[SplitPage],
    *,
    locale: str,
    lock: Lock,
    log: Log,
    dry: bool,
) -> Catalogs:
    """Catalogues from the memory, brought up to date, and back into it."""
    from pipeline.stages.update.catalogs import update
    from pipeline.stages.update.opening import open_memory
    from pipeline.stages.update.storing import store_memory

    opened = open_memory(settings, upstream, documents, locale=locale, lock=lock, log=log, dry=dry)
    paths = Paths(settings.root, upstream.name)
    catalogs = update(
        paths,
        documents,
        locale=locale,
        lock=lock,
        log=log,
        opened=opened.opened if dry else {},
        dry=dry,
    )
    stored = store_memory(
        settings, upstream, documents, catalogs, locale=locale, lock=lock, log=log, dry=dry
    )
    findings = {
        page: tuple(
            dict.fromkeys(
                found for one in (opened, catalogs, stored) for found in one.findings.get(page, ())
            )
        )
        for page in {**opened.findings, **catalogs.findings, **stored.findings}
    }
    changes = tuple(dict.fromkeys((*opened.changes, *catalogs.changes, *stored.changes)))
    return replace(catalogs, findings=findings, changes=changes)


def _by_page(
    results: Sequence[PageResult], pages: Sequence[Page]
) -> tuple[tuple[PageResult, ...], tuple[PageResult, ...]]:
    """The pages of the run, and those that upstream no longer has."""
    names = {page.name for page in pages}
    return tuple(result for result in results if result.page in names), tuple(
        result for result in results if result.page not in names
    )


def _gone_page(name: str, catalogs: Catalogs) -> PageResult:
    from pipeline.core.catalog.standing import update_counts

    return PageResult(
        page=name, findings=catalogs.findings.get(name, ()), update=update_counts(catalogs, name)
    )


def _catalogs_only(
    settings: Settings, upstream: Upstream, options: Options, log: Log, *, dry: bool
) -> RunResult:
    """What ``split`` does and ``status`` tells: everything up to the catalogues."""
    lock = pull_stage.read_pulled(settings, upstream)
    pages = _selected(upstream, options, lock)
    by_locale: dict[str, tuple[PageResult, ...]] = {}
    changes: tuple[str, ...] = ()
    for locale in options.locales:
        by_locale[locale], written = _update_locale(
            settings, upstream, options, log, lock, pages, locale, dry=dry
        )
        changes += written
    return RunResult(
        name=upstream.name,
        lock=lock,
        pages=by_locale,
        changes=changes,
        check_only=dry and options.check_only,
    )


def _update_locale(
    settings: Settings,
    upstream: Upstream,
    options: Options,
    log: Log,
    lock: Lock,
    pages: Sequence[Page],
    locale: str,
    *,
    dry: bool,
) -> tuple[tuple[PageResult, ...], tuple[str, ...]]:
    """Update the catalogues of the pages that upstream has changed since the last time; of those selected, if any are."""
    paths = Paths(settings.root, upstream.name)
    rows: dict[str, PageResult] = {}
    if not options.pages:
        inputs = recall.fingerprint_inputs(paths, upstream, locale=locale)
        known = recall.recall(paths, locale=locale, inputs=inputs, merged=False) or recall.recall(
            paths, locale=locale, inputs=inputs
        )
        if known:
            log.note(f"nothing changed for {locale} since the last run")
            return _by_page(known, pages)[0], ()
        rows = recall.recall_pages(paths, locale=locale, inputs=inputs)
    if rows.keys() - {page.name for page in pages}:
        rows = {}  # a page has gone, and others may be made from it
    stale = [page for page in pages if page.name not in rows or rows[page.name].files != page.files]
    changes = _update_pages(settings, upstream, log, lock, stale, locale, rows, dry=dry)
    found = tuple(rows[page.name] for page in pages)
    if not options.pages and not dry:
        inputs = recall.fingerprint_inputs(paths, upstream, locale=locale)
        recall.remember(paths, found, locale=locale, inputs=inputs, merged=False)
    return found, changes


def _update_pages(
    settings: Settings,
    upstream: Upstream,
    log: Log,
    lock: Lock,
    pages: Sequence[Page],
    locale: str,
    rows: dict[str, PageResult],
    *,
    dry: bool,
) -> tuple[str, ...]:
    """Update the catalogues of ``pages`` and put what there is to say of them into ``rows``; return what was written."""
    from pipeline.core.catalog.standing import with_classes
    from pipeline.core.catalog.update import count_catalog
    from pipeline.stages.split import split as split_stage

    documents = split_stage(Paths(settings.root, upstream.name), pages, log=log)
    catalogs = _update(settings, upstream, documents, locale=locale, lock=lock, log=log, dry=dry)
    for page in documents:
        catalog = catalogs.by_page.get(page.page.name, Catalog())
        findings = (*page.findings, *catalogs.findings.get(page.page.name, ()))
        row = PageResult(
            page=page.page.name, files=page.page.files, title=page.title, findings=findings
        )
        rows[page.page.name] = with_classes(count_catalog(row, catalog), catalog)
    return catalogs.changes


def _execute(
    settings: Settings,
    upstream: Upstream,
    options: Options,
    log: Log,
    result: RunResult,
    pages: Sequence[Page],
) -> RunResult:
    from pipeline.stages.execute import execute as execute_stage
    from pipeline.stages.publish import render

    with log.step("execute") as step:
        executed = execute_stage(
            settings,
            upstream,
            pages,
            log=log,
            jobs=options.jobs,
            locales=options.locales,
            retry_failed=options.retry_failed or bool(options.pages),
            no_cache=not options.use_cache,
            offline=options.offline,
            shard=options.shard,
            scheduler=options.scheduler,
        )
        ran = {execution.page: execution for execution in executed.executions}
        counts = [(sum(one.status == state for one in ran.values()), state) for state in Status]
        step.result = ", ".join(
            f"{count} {state}" for count, state in counts if count or state is not Status.PARTIAL
        )
    by_locale = {
        locale: tuple(replace(page, execution=ran.get(page.page)) for page in rows)
        for locale, rows in result.pages.items()
    }
    findings = (*result.findings, *executed.findings)
    for locale, rows in by_locale.items():
        try:
            with log.step("render"):
                render(settings, upstream, rows, log=log, locale=locale)
        except PublishError as error:
            findings += (Finding.of(error),)
    return replace(result, pages=by_locale, findings=findings)


def _report(
    settings: Settings, upstream: Upstream, options: Options, result: RunResult
) -> RunResult:
    from pipeline.report import results as report

    paths = Paths(settings.root, upstream.name)
    changes = result.changes
    if not options.check_only:
        previous = _previous_report(paths.report)
        for path, data in (
            (paths.report, report.to_json(result, shard=options.shard)),
            (paths.junit, report.to_junit(result)),
        ):
            if write_if_changed(path, data):
                changes += (path.relative_to(settings.root).as_posix(),)
        has_news = changes != result.changes or any(
            execution.worker for execution in result.executions
        )
        if options.execute and (has_news or not paths.report_page.exists()):
            _tell_readers(paths, options, result, previous)
        if not options.pages:
            changes += _write_badges(settings, upstream, result)
    return replace(result, changes=changes)


def _tell_readers(paths: Paths, options: Options, result: RunResult, previous: object) -> None:
    """The report as a page, and in short where that was asked for: with the times of the last run that ran something."""
    from pipeline.report.html import to_html
    from pipeline.report.summary import to_summary

    write_if_changed(paths.report_page, to_html(result, previous=previous, shard=options.shard))
    for path in options.summaries:
        append_text(path, to_summary(result, previous=previous, shard=options.shard))


def _previous_report(path: Path) -> object:
    """What the last run reported, if that can still be read."""
    import json

    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def _selected(upstream: Upstream, options: Options, lock: Lock) -> tuple[Page, ...]:
    pages = tuple(page for page in pages_of(lock.files) if upstream.selects(page.name))
    if not options.pages:
        return pages
    chosen = tuple(page for page in pages if matches(page.name, options.pages))
    if not chosen:
        names = ", ".join(page.name for page in pages[:5])
        hint = f"Pages are named by their path without suffix, for example: {names}."
        raise ConfigError(
            f"no page of {upstream.name!r} matches {' '.join(options.pages)}", hint=hint
        )
    return chosen


@contextmanager
def _running(settings: Settings, upstream: Upstream, options: Options, log: Log) -> Iterator[None]:
    """Only one run writes at a time; the second one says so and waits."""
    path = Paths(settings.root, upstream.name).run_lock
    if options.check_only:
        yield
        return
    with hold_lock(
        path, on_wait=lambda: log.warn(f"another run holds {path}: waiting for it to end")
    ):
        yield


def _lock_bytes(settings: Settings, upstream: Upstream) -> bytes:
    path = Paths(settings.root, upstream.name).lock
    return path.read_bytes() if path.is_file() else b""


def _moved(
    settings: Settings, upstream: Upstream, before: bytes, lock: Lock, *, dry: bool
) -> tuple[str, ...]:
    """The lock file, if pull changed it, or would."""
    path = Paths(settings.root, upstream.name).lock
    after = format_lock(lock) if dry else _lock_bytes(settings, upstream)
    return (path.relative_to(settings.root).as_posix(),) if before != after else ()


def upgrade(settings: Settings, upstream: Upstream, options: Options, log: Log) -> RunResult:
    """Move the pin, docs and JAX together, and bring the catalogues there. Code runs afterwards, in an environment with that JAX.

    The configuration is written last. If anything fails before that, checkout, lock and catalogues are put back.
    """
    from pipeline.commands import upgrading as stage

    dry = options.dry_run or options.check_only
    wanted = (
        _newest(settings, upstream, options, log) if options.target == LATEST else options.target
    )
    move = stage.plan_move(
        options.config, wanted, upstream=upstream.name, jax=settings.jax, told=options.jax
    )
    moved = replace(settings, jax=move.pin.jax)
    target = replace(upstream, ref=move.pin.ref)
    paths = Paths(settings.root, upstream.name)
    with _running(settings, upstream, replace(options, check_only=dry), log):
        before, after = _both_commits(settings, upstream, moved, target, log)
        if not move.is_change and (before[0].commit, before[0].jax) == (
            after[0].commit,
            move.pin.jax,
        ):
            log.note(f"{upstream.name} is at {after[0].ref} already")
            return RunResult(
                name=upstream.name,
                lock=before[0],
                check_only=options.check_only,
                dry_run=options.dry_run,
            )
        comparison = stage.compare(upstream, before, after, log=log)
        translating = replace(options, execute=False, check_only=False)
        if dry:
            with stage.scratch_copy(paths) as root:
                result = _move_docs(
                    replace(moved, root=root), pull_stage.fixed(settings, target), translating, log
                )
        else:
            with stage.restoring(paths, options.locales, log=log):
                result = _move_docs(moved, target, translating, log)
                move.write()
            _say_what_is_left(settings, upstream, options, log, jax=move.pin.jax)
    changes = tuple(path for path in result.changes if not (dry and path.startswith("build/")))
    changes += (options.config.name,) if move.is_change else ()
    return replace(
        result,
        comparison=comparison,
        changes=changes,
        check_only=options.check_only,
        dry_run=options.dry_run,
    )


def _newest(settings: Settings, upstream: Upstream, options: Options, log: Log) -> str:
    """The newest release that can be installed here, as a JAX version; the pinned one if none is newer."""
    from pipeline.commands import upgrading as stage

    with log.step("look for releases") as step:
        tags = pull_stage.list_tags(settings, upstream)
        found = stage.newest(options.config, upstream=upstream.name, jax=settings.jax, tags=tags)
        step.result = f"JAX {found.jax}" + (" is the newest" if found.jax == settings.jax else "")
    if found.waiting:
        log.note(
            f"passed over, because no jax and jaxlib of that version can be installed here: {', '.join(found.waiting)}"
        )
    return found.jax


def _move_docs(settings: Settings, upstream: Upstream, options: Options, log: Log) -> RunResult:
    before = _lock_bytes(settings, upstream)
    lock = pull_stage.pull(settings, upstream, log=log)
    return _translate(
        settings,
        upstream,
        options,
        log,
        lock,
        changes=_moved(settings, upstream, before, lock, dry=False),
    )


def _both_commits(
    settings: Settings, upstream: Upstream, moved: Settings, target: Upstream, log: Log
) -> tuple[Commit, Commit]:
    """What is pulled now, and what ``target`` has. Raises UpstreamError if there is nothing to go to; writes nothing."""
    pull_stage.check_has_refs(settings, upstream)
    after = pull_stage.read_at(moved, target, log=log)
    new = {page.name for page in pages_of(after[0].files) if target.selects(page.name)}
    if not new:
        hint = "It may be older than the docs. Choose another ref; nothing has changed."
        raise UpstreamError(
            f"has no page that can be translated at {target.ref!r}", where=after[0].url, hint=hint
        )
    before = _pulled_commit(settings, upstream, log)
    old = {page.name for page in pages_of(before[0].files) if upstream.selects(page.name)}
    if len(old - new) * 2 > len(old):
        log.warn(
            f"{len(old - new)} of {len(old)} pages are not there at {target.ref}; their catalogues are kept"
        )
    return before, after


def _pulled_commit(settings: Settings, upstream: Upstream, log: Log) -> Commit:
    """What the lock describes, else what the pin means; nothing, with a warning, if upstream does not have it any more."""
    try:
        lock = parse_lock(
            _lock_bytes(settings, upstream), where=str(Paths(settings.root, upstream.name).lock)
        )
    except InputError:
        lock = None
    try:
        found, documents = pull_stage.read_at(
            settings, upstream, log=log, ref=lock.commit if lock else None
        )
    except UpstreamError as error:
        log.warn(
            f"{error.where}: {error.what}; it is not known what differs from what was pulled, so every page counts as new"
        )
        unknown = Lock(
            url=upstream.url,
            ref=upstream.ref,
            commit="0" * 40,
            date="",
            jax=settings.jax,
            docs=upstream.docs,
            files=(),
        )
        return replace(lock or unknown, files=()), {}
    return (replace(found, ref=lock.ref, jax=lock.jax) if lock else found), documents


def _say_what_is_left(
    settings: Settings, upstream: Upstream, options: Options, log: Log, *, jax: str
) -> None:
    if options.execute:
        log.note(
            f"no code has run on JAX {jax} yet: install it and run build (nox -s upgrade does both)"
        )
    others = [
        name
        for name in settings.upstreams
        if name != upstream.name and Paths(settings.root, name).lock.exists()
    ]
    if jax != settings.jax and others:
        log.note(
            f"the JAX pin has moved for {', '.join(others)} as well: sync {'it' if len(others) == 1 else 'them'} again"
        )


def _behind(
    settings: Settings, upstream: Upstream, options: Options, lock: Lock, ref: str, log: Log
) -> Comparison:
    """How the English of the pages asked for differs at ``ref`` from what is pulled."""
    from pipeline.commands.upgrading import compare

    pull_stage.check_has_refs(settings, upstream)
    after = pull_stage.read_at(settings, upstream, log=log, ref=ref)
    before, documents = pull_stage.read_at(settings, upstream, log=log, ref=lock.commit)
    comparison = compare(upstream, (replace(before, ref=lock.ref), documents), after, log=log)
    asked = tuple(
        one for one in comparison.pages if not options.pages or matches(one.page, options.pages)
    )
    return replace(
        comparison,
        pages=asked,
        commits=pull_stage.count_commits(settings, upstream, lock, after[0]),
    )


def _write_badges(settings: Settings, upstream: Upstream, result: RunResult) -> tuple[str, ...]:
    """Write the badges of every locale, as SVG and as JSON; return those that changed."""
    from pipeline.report.badges import badges_of, to_endpoint, to_svg

    changes = []
    for locale, pages in result.pages.items():
        folder = Paths(settings.root, upstream.name).badges(locale)
        for badge in badges_of(
            pages, jax=result.lock.jax, locale=locale, comparison=result.comparison
        ):
            for path, data in (
                (folder / f"{badge.name}.svg", to_svg(badge)),
                (folder / f"{badge.name}.json", to_endpoint(badge)),
            ):
                if write_if_changed(path, data):
                    changes.append(path.relative_to(settings.root).as_posix())
    return tuple(changes)
