"""upgrade: move to another release, pin and docs together, and back if that fails.

The target comes in: plan the move, compare the two commits, move docs and catalogues, write the pin
last. The result is that of a sync at the new commit, with what the move means. If anything fails,
everything is as it was: the pin says what the docs are, at every moment. Of ``pyproject.toml``
every byte but the pin stays.
"""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec import structs

from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.commands.build import BuildOptions, build_pulled
from pipeline.commands.holding import only_this_run
from pipeline.commands.options import add_shared, run_of, summaries_of
from pipeline.commands.pages import rule_findings
from pipeline.commands.pull import lock_bytes
from pipeline.commands.restoration import restoring, scratch_copy
from pipeline.core.catalog.diff import Comparison, changed_pages, compare_pages
from pipeline.core.document.reader import Document, SplitPage, read_document
from pipeline.core.pin.lock import Commit, Lock, Page, parse_lock
from pipeline.core.pin.requirement import (
    LATEST,
    Newest,
    Pin,
    choose_pin,
    move_pin,
    newest_release,
    pinned_names,
    read_pin,
)
from pipeline.errors import ConfigError, InputError, UpstreamError
from pipeline.findings import Finding, Severity
from pipeline.log import Log
from pipeline.packages import how_to_run
from pipeline.paths import Paths
from pipeline.reading import Reading
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull import stage as pull_stage
from pipeline.stages.pull.names import refresh_names


def add_options(parser: ArgumentParser) -> None:
    """Declare what ``upgrade`` takes."""
    parser.add_argument(
        "target",
        metavar="REF",
        help="a release (v1.2.3), its version (1.2.3), latest,"
        " or any ref with --package-version",
    )
    add_shared(parser, "name", "--upstream", "--summary")
    parser.add_argument(
        "--package-version",
        metavar="VERSION",
        help="the version that goes with a ref that is no release",
    )
    add_shared(parser, "--dry-run")
    parser.add_argument(
        "--execute",
        action=BooleanOptionalAction,
        help="for nox: whether code runs on the new version afterwards",
    )
    add_shared(parser, "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Move one upstream to another release."""
    from pipeline.adapters.files import append_text
    from pipeline.report.upgrade import upgrade_summary

    options = UpgradeOptions(
        target=arguments.target,
        config=arguments.config,
        version=arguments.package_version,
        dry_run=arguments.dry_run,
        runs_code=arguments.execute,
    )
    result = upgrade(run_of(arguments, log), options)
    # A workflow goes on if there is a summary: its file is for moves only.
    summary = arguments.summary if result.comparison else None
    for path in summaries_of(summary):
        append_text(path, upgrade_summary(result))
    return result


def compare(run: Run, before: Commit, after: Commit) -> Comparison:
    """How the English of the selected pages differs. Documents that cannot be read do not count."""
    with run.log.step("compare") as step:
        # Told by blob ids: most pages of two releases are equal, and need not be read.
        names = set(changed_pages(before.lock, after.lock))
        pages = compare_pages(
            _read_pages(run, before, names), _read_pages(run, after, names)
        )
        step.result = f"{len(pages)} pages differ"
    return Comparison(before=before.lock, after=after.lock, pages=pages)


def _read_pages(run: Run, commit: Commit, names: Collection[str]) -> list[SplitPage]:
    """Those pages of a commit that are in ``names`` and are translated, split into messages."""
    pages = []
    for page in commit.lock.pages:
        if page.name in names and run.upstream.selects(page.name):
            documents = tuple(_readable(page, commit, run.upstream.reading))
            pages.append(SplitPage(page=page, documents=documents))
    return pages


def _readable(page: Page, commit: Commit, reading: Reading) -> Iterator[Document]:
    """The documents of a page that can be read: as split does it, they count without the others."""
    for file in page.files:
        # Split tells about one that cannot, if it is of the commit that we move to.
        with suppress(InputError):
            yield read_document(file.path, commit.documents[file.path], reading)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A pin that is to be moved, and the configuration as it will be. Nothing is written yet."""

    config: Path
    pin: Pin
    before: bytes
    after: bytes

    @property
    def is_change(self) -> bool:
        """Whether the configuration is to be written at all."""
        return self.before != self.after

    def write(self) -> None:
        """Write the configuration, if it changes.

        Raises ConfigError if somebody else has changed it meanwhile, and WriteError.
        """
        # An upgrade takes minutes, in which people go on working.
        if read_bytes(self.config) != self.before:
            raise ConfigError(
                "changed while the upgrade ran",
                where=str(self.config),
                hint="Run the same command again.",
            )
        # Resolved: a link stays one.
        write_if_changed(self.config.resolve(), self.after)


def plan_move(config: Path, target: str, *, run: Run, told: str | None) -> Move:
    """What moving the pin of ``run`` to ``target`` does to the configuration.

    ``told`` is the version that goes with a target that is no release. Raises ConfigError.
    """
    if told is None and target in run.settings.upstreams:
        raise ConfigError(
            f"{target!r} is the name of an upstream, and a REF is missing before it",
            hint=f"For example: {how_to_run('upgrade', 'latest', target)}",
        )
    # Its bytes are kept: by them it is told later whether somebody has changed it.
    data = read_bytes(config)
    text = data.decode("utf-8")
    now = read_pin(text, upstream=run.name, version=run.version, package=run.package)
    pin = choose_pin(target, told=told, now=now)
    moved = move_pin(text, pin, upstream=run.name, where=str(config)).encode("utf-8")
    return Move(config=config, pin=pin, before=data, after=moved)


def newest(config: Path, *, run: Run, tags: Collection[str]) -> Newest:
    """The newest release among ``tags`` that pip can install all of: both jax and jaxlib.

    Raises UpstreamError and ConfigError.
    """
    from pipeline.adapters.upstream.indexes import released_versions

    text = read_bytes(config).decode("utf-8")
    now = read_pin(text, upstream=run.name, version=run.version, package=run.package)
    template = now.release_template
    names = pinned_names(text, run.package)
    if not names:
        return newest_release(tags, None, version=run.version, template=template)
    # jaxlib comes out some time after jax, or not at all for this platform.
    installable = set.intersection(*(set(released_versions(name)) for name in names))
    return newest_release(tags, installable, version=run.version, template=template)


def python_fault(config: Path, run: Run, version: str) -> str:
    """Why this Python cannot install ``version`` of the package; empty if nothing is known of it.

    ``jax 0.11.0 needs Python 3.12 or later; this is 3.11.7``. Raises UpstreamError and ConfigError.
    """
    from pipeline.adapters.upstream import indexes

    names = pinned_names(read_bytes(config).decode("utf-8"), run.package)
    # What goes with the package is not asked for: pip may download all of it for an answer.
    return indexes.python_fault(names[0], version) if names else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeOptions:
    """Where to go, and how. A run that is dry, or ``dry_run``, writes nothing."""

    target: str  # a release, a version, any ref, or "latest"
    config: Path  # the file that holds the pin
    version: str | None = None  # the version that goes with a target that is no release
    dry_run: bool = False
    # Whether code runs on the new version afterwards; None: nobody has said.
    runs_code: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commits:
    """What a move is between."""

    before: Commit
    after: Commit


def upgrade(run: Run, options: UpgradeOptions) -> RunResult:
    """Move the pin, docs and package together, and bring the catalogues there.

    Code runs afterwards, in an environment with that version. The configuration is written last. If
    anything fails before that, checkout, lock and catalogues are put back.
    """
    is_dry = options.dry_run or run.dry
    wanted = options.target
    passed_over: tuple[str, ...] = ()
    if wanted == LATEST:
        wanted, passed_over = _newest(run, options)
    move = plan_move(options.config, wanted, run=run, told=options.version)
    if options.runs_code:
        _check_python(run, options, move.pin.version, is_dry=is_dry)
    # Not dry: what is only tried is tried in full, in a scratch copy.
    target = replace(
        run,
        upstream=structs.replace(
            run.upstream, ref=move.pin.ref, version=move.pin.version
        ),
        dry=False,
    )
    with only_this_run(replace(run, dry=is_dry)):
        commits = _both_commits(run, target)
        before, after = commits.before.lock, commits.after.lock
        is_there = (before.commit, before.version) == (after.commit, move.pin.version)
        if is_there and not move.is_change:
            run.log.note(f"{run.name} is at {after.ref} already")
            return RunResult(
                name=run.name,
                lock=before,
                check_only=run.dry,
                dry_run=options.dry_run,
                passed_over=passed_over,
            )
        comparison = compare(run, commits.before, commits.after)
        if is_dry:
            result = _try(target)
        else:
            with restoring(run):
                result = _move_docs(target)
                move.write()
            result = _with_names(target, result)
            _tell_what_is_left(run, options, version=move.pin.version)
    result = replace(result, findings=(*result.findings, *_rules(target, result.lock)))
    changes = list(result.changes)
    if is_dry:
        # What was built in the scratch copy is gone, and no move would build it in another way.
        changes = [path for path in changes if not path.startswith("build/")]
    if move.is_change:
        changes.append(options.config.name)
    return replace(
        result,
        comparison=comparison,
        passed_over=passed_over,
        changes=tuple(changes),
        check_only=run.dry,
        dry_run=options.dry_run,
    )


def _check_python(
    run: Run, options: UpgradeOptions, version: str, *, is_dry: bool
) -> None:
    """Raise ConfigError if this Python cannot install ``version``: no code could run on it.

    A dry run only warns.
    """
    fault = python_fault(options.config, run, version)
    if fault and is_dry:
        run.log.warn(fault)
    elif fault:
        hint = (
            "Nothing has changed. Run nox on such a Python (docs/maintaining.md says how), "
            f"or move the docs alone: {how_to_run('upgrade', f'{version} --no-execute')}"
        )
        raise ConfigError(fault, hint=hint)


def _newest(run: Run, options: UpgradeOptions) -> tuple[str, tuple[str, ...]]:
    """The newest release that can be installed here, as a version, and why newer ones cannot be.

    The pinned one if none is newer.
    """
    with run.log.step("look for releases") as step:
        tags = pull_stage.list_tags(run)
        found = newest(options.config, run=run, tags=tags)
        step.result = f"{run.package} {found.version}".strip()
        if found.version == run.version:
            step.result += " stays: no newer release can be installed"
    reasons = []
    for version in found.waiting:
        fault = python_fault(options.config, run, version)
        reasons.append(fault or f"no {run.package} {version} can be installed here")
        run.log.warn(f"passed over: {reasons[-1]}")
    return found.version, tuple(reasons)


def _try(target: Run) -> RunResult:
    """The whole move in a scratch copy, which is gone afterwards."""
    # The copy is another root: a relative address would lead elsewhere from there.
    upstream = pull_stage.fixed(target)
    with scratch_copy(target) as root:
        settings = replace(target.settings, root=root)
        return _move_docs(replace(target, settings=settings, upstream=upstream))


def _rules(target: Run, lock: Lock) -> tuple[Finding, ...]:
    """Return warnings about rules that match no page any more: running code will refuse them."""
    findings = rule_findings(target, lock)
    return tuple(replace(finding, severity=Severity.WARNING) for finding in findings)


def _move_docs(target: Run) -> RunResult:
    """Pull and merge at the new commit."""
    before = lock_bytes(target)
    lock = pull_stage.pull(target)
    changes: tuple[str, ...] = ()
    if lock_bytes(target) != before:
        changes = (target.shown(target.paths.lock),)
    # Thorough: people want to know what becomes of every message.
    return build_pulled(
        target, BuildOptions(last="merge", is_thorough=True), lock, changes=changes
    )


def _with_names(target: Run, result: RunResult) -> RunResult:
    """Bring the table of names up to date, too: the new docs ask other sites for other names."""
    refreshed = refresh_names(target, result.lock)
    return replace(
        result,
        changes=result.changes + refreshed.changes,
        findings=result.findings + refreshed.findings,
    )


def _both_commits(run: Run, target: Run) -> _Commits:
    """What is pulled now, and what ``target`` has. Writes nothing.

    Raises UpstreamError if there is nothing to go to.
    """
    pull_stage.check_has_refs(run)
    # First the target: most mistakes are in its name.
    after = pull_stage.read_at(target)
    ref = target.upstream.ref
    new = _selected_pages(run, after)
    if not new:
        raise UpstreamError(
            f"has no page that can be translated at {ref!r}",
            where=after.lock.url,
            hint="It may be older than the docs. Choose another ref; nothing has changed.",
        )
    before = _pulled_commit(run)
    old = _selected_pages(run, before)
    gone = old - new
    # Upstream may have moved its docs to another folder: then this is no upgrade, but a loss.
    if len(gone) * 2 > len(old):
        run.log.warn(
            f"{len(gone)} of {len(old)} pages are not there at {ref}; their catalogues are kept"
        )
    return _Commits(before=before, after=after)


def _selected_pages(run: Run, commit: Commit) -> set[str]:
    """The pages of a commit that are to be translated, whether they are by now or not."""
    names = [page.name for page in commit.lock.pages]
    return set(filter(run.upstream.selects, names))


def _pulled_commit(run: Run) -> Commit:
    """What the lock describes, else what the pin means.

    Nothing, with a warning, if upstream does not have it any more.
    """
    try:
        lock = parse_lock(lock_bytes(run), where=str(run.paths.lock))
    except InputError:
        lock = None  # there is none, or it is damaged
    try:
        found = pull_stage.read_at(run, ref=lock.commit if lock else None)
    except UpstreamError as error:
        run.log.warn(
            f"{error.where}: {error.what}; it is not known what differs from what was pulled, "
            "so every page counts as new"
        )
        return Commit(lock=replace(lock or _unknown(run), files=()), documents={})
    if lock is None:
        return found
    # It was asked for by its commit; people know it by the ref of the lock.
    return replace(found, lock=replace(found.lock, ref=lock.ref, version=lock.version))


def _unknown(run: Run) -> Lock:
    """The lock of a commit that nobody knows any more."""
    upstream = run.upstream
    return Lock(
        url=upstream.url,
        ref=upstream.ref,
        commit="0" * 40,
        date="",
        version=run.version,
        package=run.package,
        docs=upstream.docs,
        files=(),
    )


def _tell_what_is_left(run: Run, options: UpgradeOptions, *, version: str) -> None:
    """Say what the move has not done: code has not run, and other upstreams are where they were."""
    if options.runs_code is None:
        run.log.note(
            f"no code has run on {f'{run.package} {version}'.strip() or 'these docs'} yet: "
            "install it and run build (nox -s upgrade does both)"
        )
    elif options.runs_code:
        run.log.note(
            f"the move is done, and its code runs next; {how_to_run('build')} goes on after an "
            f"interrupt, {how_to_run('upgrade', run.version)} goes back"
        )
    if version == run.version:
        return
    # There is one pin of a package: what was pulled for the old one is out of date now.
    others = _other_pulled(run)
    if others:
        them = "it" if len(others) == 1 else "them"
        run.log.note(
            f"the {run.package} pin has moved for {', '.join(others)} as well: sync {them} again"
        )


def _other_pulled(run: Run) -> list[str]:
    """The other upstreams of the project that something was pulled of, by name.

    One that is only configured has no lock yet: there is nothing of it to bring anywhere.
    """
    known = run.settings.upstreams.values()
    names = [other.name for other in known if other.package == run.upstream.package]
    others = [name for name in names if name != run.name]
    return [name for name in others if Paths(run.settings.root, name).lock.exists()]
