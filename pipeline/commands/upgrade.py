"""upgrade: move to another release, or restore everything if the move fails.

The *pin* is the release that is translated, as ``pyproject.toml`` records it. The steps are: plan
the move, compare the English of the two commits, pull the new docs and update the catalogues, write
the pin. The pin is written last, so an interrupted upgrade leaves the old pin. Only the bytes of
the pin change in ``pyproject.toml``.
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
from pipeline.commands.options import add_shared, run_of, summaries_of
from pipeline.commands.pages import rule_findings
from pipeline.commands.pull import lock_bytes
from pipeline.commands.rollback import restoring, scratch_copy
from pipeline.commands.run_lock import run_lock
from pipeline.core.catalog.commit_diff import Comparison, changed_pages, compare_pages
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
from pipeline.stages.pull.inventories import refresh_names


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``upgrade``."""
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
        help="the package's version, for a ref that is not a release",
    )
    parser.add_argument(
        "--beside",
        action="store_true",
        help="keep the pin, and add the release to the site; latest: the newest that cannot be"
        " installed yet",
    )
    add_shared(parser, "--dry-run")
    parser.add_argument(
        "--execute",
        action=BooleanOptionalAction,
        help="used by nox: whether code runs on the new version afterwards",
    )
    add_shared(parser, "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Move one upstream to another release and return the result."""
    from pipeline.adapters.files import append_text
    from pipeline.report.upgrade import upgrade_summary

    options = UpgradeOptions(
        target=arguments.target,
        config=arguments.config,
        version=arguments.package_version,
        dry_run=arguments.dry_run,
        runs_code=arguments.execute,
    )
    if arguments.beside:
        from pipeline.commands.beside import show_beside

        result = show_beside(run_of(arguments, log), options)
    else:
        result = upgrade(run_of(arguments, log), options)
    # Write the summary only for a real move: the workflow continues only if the file exists.
    summary = arguments.summary if result.comparison else None
    for path in summaries_of(summary):
        append_text(path, upgrade_summary(result))
    return result


def compare(run: Run, before: Commit, after: Commit) -> Comparison:
    """Return the differences in the English of the selected pages between two commits.

    Unreadable documents are ignored.
    """
    with run.log.step("compare") as step:
        # Most pages are equal, as their git blob ids show. Read only the others.
        names = set(changed_pages(before.lock, after.lock))
        pages = compare_pages(
            _read_pages(run, before, names), _read_pages(run, after, names)
        )
        step.result = f"{len(pages)} pages differ"
    return Comparison(before=before.lock, after=after.lock, pages=pages)


def _read_pages(run: Run, commit: Commit, names: Collection[str]) -> list[SplitPage]:
    """Return the selected pages of a commit that are in ``names``, split into messages."""
    pages = []
    for page in commit.lock.pages:
        if page.name in names and run.upstream.selects(page.name):
            documents = tuple(_readable(page, commit, run.upstream.reading))
            pages.append(SplitPage(page=page, documents=documents))
    return pages


def _readable(page: Page, commit: Commit, reading: Reading) -> Iterator[Document]:
    """Yield the page's readable documents."""
    for file in page.files:
        # Skip an unreadable document. If it is in the new commit, the split reports it.
        with suppress(InputError):
            yield read_document(file.path, commit.documents[file.path], reading)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Planned move of a pin: the bytes of the configuration file before and after."""

    config: Path
    pin: Pin
    before: bytes
    after: bytes

    @property
    def is_change(self) -> bool:
        """Return whether the move changes the configuration."""
        return self.before != self.after

    def write(self) -> None:
        """Write the configuration, if it changes.

        Raises WriteError, and ConfigError if somebody has edited the file during the upgrade.
        """
        if read_bytes(self.config) != self.before:
            raise ConfigError(
                "changed while the upgrade ran",
                where=str(self.config),
                hint="Run the same command again.",
            )
        # Resolve the path: a symbolic link must not be replaced by a file.
        write_if_changed(self.config.resolve(), self.after)


def plan_move(
    config: Path, target: str, *, run: Run, package_version: str | None
) -> Move:
    """Return the planned move of the pin of ``run`` to ``target``. Nothing is written.

    ``package_version`` is needed for a target that is not a release. Raises ConfigError.
    """
    if package_version is None and target in run.settings.upstreams:
        raise ConfigError(
            f"{target!r} is the name of an upstream, but a REF must come before it",
            hint=f"For example: {how_to_run('upgrade', 'latest', target)}",
        )
    if run.upstream.is_beside:
        raise ConfigError(
            f"{run.name} is shown beside the pin and has no pin of its own",
            hint=f"Move the pin: {how_to_run('upgrade', run.version, run.paths.upstream)}",
        )
    # Keep the original bytes, to detect later whether somebody has edited the file.
    data = read_bytes(config)
    text = data.decode("utf-8")
    now = read_pin(text, upstream=run.name, version=run.version, package=run.package)
    pin = choose_pin(target, package_version=package_version, now=now)
    moved = move_pin(text, pin, upstream=run.name, where=str(config)).encode("utf-8")
    return Move(config=config, pin=pin, before=data, after=moved)


def newest(config: Path, *, run: Run, tags: Collection[str]) -> Newest:
    """Return the newest release in ``tags`` for which pip finds every pinned package.

    For JAX, the pinned packages are jax and jaxlib. The result also lists newer releases that
    cannot be installed yet. Raises UpstreamError and ConfigError.
    """
    from pipeline.adapters.upstream.indexes import released_versions

    text = read_bytes(config).decode("utf-8")
    now = read_pin(text, upstream=run.name, version=run.version, package=run.package)
    template = now.release_template
    names = pinned_names(text, run.package)
    if not names:
        return newest_release(tags, None, version=run.version, template=template)
    # A release counts only if all packages exist: jaxlib is released some time after jax, and not
    # for every platform.
    installable = set.intersection(*(set(released_versions(name)) for name in names))
    return newest_release(tags, installable, version=run.version, template=template)


def python_fault(config: Path, run: Run, version: str) -> str:
    """Return why this Python cannot install ``version`` of the package, or an empty string.

    Example: ``jax 0.11.0 needs Python 3.12 or later; this is 3.11.7``. Raises UpstreamError and
    ConfigError.
    """
    from pipeline.adapters.upstream import indexes

    names = pinned_names(read_bytes(config).decode("utf-8"), run.package)
    # Check only the main package. For the others, pip might have to download whole wheels.
    return indexes.python_fault(names[0], version) if names else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeOptions:
    """Options of ``upgrade``. Nothing is written if ``dry_run`` or ``run.dry`` is true."""

    target: str  # a release, a version, any ref, or "latest"
    config: Path  # the file that holds the pin
    version: str | None = None  # the package's version, if the target is not a release
    dry_run: bool = False
    # Whether code runs on the new version afterwards; None if the option was not given.
    runs_code: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commits:
    """Commits before and after a move."""

    before: Commit
    after: Commit


def upgrade(run: Run, options: UpgradeOptions) -> RunResult:
    """Move the pin and the docs, update the catalogues, and return the result.

    The configuration is written last. If an earlier step fails, docs, lock, catalogues and memory
    are restored. Code does not run here: nox installs the new version, and then runs ``build``.
    """
    is_dry = options.dry_run or run.dry
    wanted = options.target
    passed_over: tuple[str, ...] = ()
    if wanted == LATEST:
        wanted, passed_over = _newest(run, options)
    move = plan_move(options.config, wanted, run=run, package_version=options.version)
    if options.runs_code:
        _check_python(run, options, move.pin.version, is_dry=is_dry)
    # The run at the target writes even if the upgrade is dry: a dry upgrade runs in a scratch copy.
    target = replace(
        run,
        upstream=structs.replace(
            run.upstream, ref=move.pin.ref, version=move.pin.version
        ),
        dry=False,
    )
    with run_lock(replace(run, dry=is_dry)):
        commits = read_both(run, target)
        before, after = commits.before.lock, commits.after.lock
        # An upgrade to the current pin must write nothing: then a finished upgrade can be repeated.
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
            result = try_move(target)
        else:
            with restoring(run):
                result = move_docs(target)
                move.write()
            result = _with_names(target, result)
            _report_remaining_steps(run, options, version=move.pin.version)
    result = replace(result, findings=(*result.findings, *_rules(target, result.lock)))
    changes = list(result.changes)
    if is_dry:
        # Leave out the scratch copy's files in build/, which are not part of the upgrade.
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
            "Nothing has changed. Run nox on such a Python (see docs/maintaining.md), "
            f"or move only the docs: {how_to_run('upgrade', f'{version} --no-execute')}"
        )
        raise ConfigError(fault, hint=hint)


def _newest(run: Run, options: UpgradeOptions) -> tuple[str, tuple[str, ...]]:
    """Return the newest installable version, and for each newer release why it was skipped.

    The version is the pinned one if no newer release can be installed.
    """
    with run.log.step("look for releases") as step:
        tags = pull_stage.list_tags(run)
        found = newest(options.config, run=run, tags=tags)
        step.result = f"{run.package} {found.version}".strip()
        if found.version == run.version:
            step.result += ": no newer release can be installed"
    reasons = []
    for version in found.waiting:
        fault = python_fault(options.config, run, version)
        reasons.append(fault or f"no {run.package} {version} can be installed here")
        run.log.warn(f"skipped: {reasons[-1]}")
    return found.version, tuple(reasons)


def try_move(target: Run) -> RunResult:
    """Do the whole move in a temporary copy and return its result."""
    # The copy has another root, so a relative URL must be resolved first.
    upstream = pull_stage.with_absolute_address(target)
    with scratch_copy(target) as root:
        settings = replace(target.settings, root=root)
        return move_docs(replace(target, settings=settings, upstream=upstream))


def _rules(target: Run, lock: Lock) -> tuple[Finding, ...]:
    """Return warnings about execution rules that match no page at the new commit.

    At the next run of code these rules are errors.
    """
    findings = rule_findings(target, lock)
    return tuple(replace(finding, severity=Severity.WARNING) for finding in findings)


def move_docs(target: Run) -> RunResult:
    """Pull and merge at the new commit, and return the result."""
    before = lock_bytes(target)
    lock = pull_stage.pull(target)
    changes: tuple[str, ...] = ()
    if lock_bytes(target) != before:
        changes = (target.shown(target.paths.lock),)
    # Read all catalogues, because the report counts the changes of every message.
    pulled = RunResult.of(target, lock, changes=changes)
    return build_pulled(target, BuildOptions(last="merge", is_thorough=True), pulled)


def _with_names(target: Run, result: RunResult) -> RunResult:
    """Refresh the table of names of other sites, because new docs may refer to other names."""
    refreshed = refresh_names(target, result.lock)
    return replace(
        result,
        changes=result.changes + refreshed.changes,
        findings=result.findings + refreshed.findings,
    )


def read_both(run: Run, target: Run) -> Commits:
    """Return the pulled commit, and the commit to move to. Nothing is written.

    Raises UpstreamError if the target has no page to translate.
    """
    pull_stage.check_has_refs(run)
    # Read the target first, because a mistyped name is the most frequent mistake.
    after = pull_stage.read_at(target)
    ref = target.upstream.ref
    new = _selected_pages(run, after)
    if not new:
        raise UpstreamError(
            f"has no page that can be translated at {ref!r}",
            where=after.lock.url,
            hint="The ref may be older than the docs. Choose another; nothing has changed.",
        )
    before = _pulled_commit(run)
    old = _selected_pages(run, before)
    gone = old - new
    # If upstream has moved its docs to another folder, most pages are missing: warn.
    if len(gone) * 2 > len(old):
        run.log.warn(
            f"{len(gone)} of {len(old)} pages do not exist at {ref}; their catalogues are kept"
        )
    return Commits(before=before, after=after)


def _selected_pages(run: Run, commit: Commit) -> set[str]:
    """Return the names of the pages of a commit that the configuration selects."""
    names = [page.name for page in commit.lock.pages]
    return set(filter(run.upstream.selects, names))


def _pulled_commit(run: Run) -> Commit:
    """Return the commit in the lock. Without a lock, return the commit of the pinned ref.

    If upstream no longer has the commit, warn and return a commit without files.
    """
    try:
        lock = parse_lock(lock_bytes(run), where=str(run.paths.lock))
    except InputError:
        lock = None  # missing or damaged
    try:
        found = pull_stage.read_at(run, ref=lock.commit if lock else None)
    except UpstreamError as error:
        run.log.warn(
            f"{error.where}: {error.what}; the pulled docs cannot be compared, "
            "so every page counts as new"
        )
        return Commit(lock=replace(lock or _unknown(run), files=()), documents={})
    if lock is None:
        return found
    # Reports show the lock's ref, because people do not recognize commit ids.
    return replace(found, lock=replace(found.lock, ref=lock.ref, version=lock.version))


def _unknown(run: Run) -> Lock:
    """Return a lock without files, for a commit that upstream no longer has."""
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


def _report_remaining_steps(run: Run, options: UpgradeOptions, *, version: str) -> None:
    """Tell the user the remaining steps: run the code, and sync other upstreams."""
    if options.runs_code is None:
        run.log.note(
            f"no code has run on {f'{run.package} {version}'.strip() or 'these docs'} yet: "
            "install it and run build (nox -s upgrade does both)"
        )
    elif options.runs_code:
        run.log.note(
            f"the move is done, and the code runs next. To continue after an interrupt: "
            f"{how_to_run('build')}; to go back: {how_to_run('upgrade', run.version)}"
        )
    if version == run.version:
        return
    # All upstreams of a package share its pin, so the docs of the others are now out of date.
    others = _other_pulled(run)
    if others:
        them = "it" if len(others) == 1 else "them"
        run.log.note(
            f"the {run.package} pin has moved for {', '.join(others)} as well: sync {them} again"
        )


def _other_pulled(run: Run) -> list[str]:
    """Return the names of the other upstreams with the same package that have been pulled.

    An upstream without a lock was never pulled, so it needs no sync.
    """
    known = run.settings.upstreams.values()
    names = [other.name for other in known if other.package == run.upstream.package]
    others = [name for name in names if name != run.name]
    return [name for name in others if Paths(run.settings.root, name).lock.exists()]
