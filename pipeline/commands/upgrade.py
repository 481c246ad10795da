"""upgrade: move to another release, or restore everything if the move fails.

The *pin* is the release that is translated, as ``pyproject.toml`` records it. The steps are: plan
the move, compare the English of the two commits, pull the new docs and update the catalogues, write
the pin. The pin is written last, so an interrupted upgrade leaves the old pin. Only the bytes of
the pin change in ``pyproject.toml``.

``upgrade REF --beside`` shows another release on the site, without moving the pin. It adds the
release to the configuration, pulls its docs, and creates its catalogues. The result compares the
two releases, like the result of an upgrade.
"""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.commands.build import BuildOptions, build_pulled
from pipeline.commands.options import add_shared, run_of, summaries_of
from pipeline.commands.pages import rule_findings
from pipeline.commands.pull import lock_bytes, pull_pages, with_names
from pipeline.commands.rollback import discard_kept, restoring, scratch_copy
from pipeline.commands.run_lock import run_lock
from pipeline.config.reader import release_beside
from pipeline.core.catalog.commit_diff import Comparison, changed_pages, compare_pages
from pipeline.core.document.reader import SplitPage, read_document
from pipeline.core.pin import requirement
from pipeline.core.pin.lock import Commit, Lock, parse_lock
from pipeline.errors import ConfigError, InputError, UpstreamError
from pipeline.findings import Finding, Severity
from pipeline.log import Log
from pipeline.packages import how_to_run
from pipeline.paths import Paths
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull import stage as pull_stage
from pipeline.stages.pull.stage import read_pulled


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``upgrade``."""
    parser.add_argument(
        "target",
        metavar="REF",
        help="a release (v1.2.3), its version (1.2.3), latest, or any ref with --package-version",
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
    run = run_of(arguments, log)
    move = show_beside if arguments.beside else upgrade
    result = move(run, options)
    result = replace(result, check_only=run.dry, dry_run=options.dry_run)
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
        pages = compare_pages(_read_pages(run, before, names), _read_pages(run, after, names))
        step.result = f"{len(pages)} pages differ"
    return Comparison(before=before.lock, after=after.lock, pages=pages)


def _read_pages(run: Run, commit: Commit, names: Collection[str]) -> list[SplitPage]:
    """Return the selected pages of a commit that are in ``names``, split into messages."""
    pages = []
    for page in commit.lock.pages:
        if page.name not in names or not run.upstream.selects(page.name):
            continue
        documents = []
        for file in page.files:
            # Skip an unreadable document. If it is in the new commit, the split reports it.
            with suppress(InputError):
                data, reading = commit.documents[file.path], run.upstream.reading
                documents.append(read_document(file.path, data, reading))
        pages.append(SplitPage(page=page, documents=tuple(documents)))
    return pages


class PinFile(Struct, frozen=True, kw_only=True):
    """The configuration file as it was when the upgrade began, with its pin."""

    path: Path
    text: str
    pin: requirement.Pin
    names: tuple[str, ...]  # the packages that are pinned: for JAX, jax and jaxlib

    @classmethod
    def read(cls, path: Path, run: Run) -> PinFile:
        """Read the file with the pin of ``run``. Raises ConfigError."""
        text = read_bytes(path).decode("utf-8")
        version, package = run.version, run.package
        pin = requirement.read_pin(text, upstream=run.name, version=version, package=package)
        return cls(path=path, text=text, pin=pin, names=requirement.pinned_names(text, package))

    def write(self, text: str) -> None:
        """Write the changed file.

        Raises WriteError, and ConfigError if somebody has edited the file during the upgrade.
        """
        if read_bytes(self.path) != self.text.encode("utf-8"):
            raise ConfigError(
                "changed while the upgrade ran",
                where=str(self.path),
                hint="Run the same command again.",
            )
        # Resolve the path: a symbolic link must not be replaced by a file.
        write_if_changed(self.path.resolve(), text.encode("utf-8"))

    def fault_of(self, version: str) -> str:
        """Return why this Python cannot install ``version`` of the package, or an empty string.

        Example: ``jax 0.11.0 needs Python 3.12 or later; this is 3.11.7``. Raises UpstreamError.
        """
        from pipeline.adapters.upstream.indexes import python_fault

        # Check only the main package. For the others, pip might have to download whole wheels.
        return python_fault(self.names[0], version) if self.names else ""

    def why_skipped(self, version: str) -> str:
        """Return why ``version``, which is newer than the pin, cannot be installed."""
        found = f"no {self.pin.package} {version} can be installed here"
        return self.fault_of(version) or found


def newest(run: Run, file: PinFile) -> requirement.Newest:
    """Return upstream's newest release for which pip finds every pinned package.

    The result also lists newer releases that cannot be installed yet. Raises UpstreamError.
    """
    from pipeline.adapters.upstream.indexes import released_versions

    tags = pull_stage.list_tags(run)
    # A release counts only if all packages exist: jaxlib is released some time after jax, and not
    # for every platform.
    released = [set(released_versions(name)) for name in file.names]
    installable = set.intersection(*released) if released else None
    template = file.pin.release_template
    return requirement.newest_release(tags, installable, version=run.version, template=template)


class UpgradeOptions(Struct, frozen=True, kw_only=True):
    """Options of ``upgrade``. Nothing is written if ``dry_run`` or ``run.dry`` is true."""

    target: str  # a release, a version, any ref, or "latest"
    config: Path  # the file that holds the pin
    version: str | None = None  # the package's version, if the target is not a release
    dry_run: bool = False
    # Whether code runs on the new version afterwards; None if the option was not given.
    runs_code: bool | None = None


class Commits(Struct, frozen=True, kw_only=True):
    """Commits before and after a move."""

    before: Commit
    after: Commit


def upgrade(run: Run, options: UpgradeOptions) -> RunResult:
    """Move the pin and the docs, update the catalogues, and return the result.

    The configuration is written last. If an earlier step fails, docs, lock, catalogues and memory
    are restored. Code does not run here: nox installs the new version, and then runs ``build``.
    """
    _check_target(run, options)
    is_dry = options.dry_run or run.dry
    file = PinFile.read(options.config, run)
    wanted = options.target
    passed_over: tuple[str, ...] = ()
    if wanted == requirement.LATEST:
        wanted, passed_over = _newest(run, file)
    pin = requirement.choose_pin(wanted, package_version=options.version, now=file.pin)
    moved = requirement.move_pin(file.text, pin, upstream=run.name, where=str(file.path))
    if options.runs_code:
        _check_python(run, file, pin.version, is_dry=is_dry)
    # The run at the target writes even if the upgrade is dry: a dry upgrade runs in a scratch copy.
    target = replace(
        run,
        upstream=replace(run.upstream, ref=pin.ref, version=pin.version),
        dry=False,
    )
    with run_lock(replace(run, dry=is_dry)):
        commits = read_both(run, target)
        before, after = commits.before.lock, commits.after.lock
        # An upgrade to the current pin must write nothing: then a finished upgrade can be repeated.
        is_there = (before.commit, before.version) == (after.commit, pin.version)
        if is_there and moved == file.text:
            # An upgrade that was killed at its very end has left the old files.
            discard_kept(replace(run, dry=is_dry))
            run.log.note(f"{run.name} is at {after.ref} already")
            return RunResult(name=run.name, lock=before, passed_over=passed_over)
        comparison = compare(run, commits.before, commits.after)
        result = make_move(target, file, moved, is_dry=is_dry)
        if not is_dry:
            # New docs may refer to other names of other sites.
            result = with_names(target, result)
            _report_remaining_steps(run, options, version=pin.version)
    result = replace(result, findings=(*result.findings, *_rules(target, result.lock)))
    changes = list(result.changes)
    if is_dry:
        # Leave out the scratch copy's files in build/, which are not part of the upgrade.
        changes = [path for path in changes if not path.startswith("build/")]
    if moved != file.text:
        changes.append(options.config.name)
    return replace(
        result,
        comparison=comparison,
        passed_over=passed_over,
        changes=tuple(changes),
    )


def _check_target(run: Run, options: UpgradeOptions) -> None:
    """Raise ConfigError for an upstream's name in place of a ref, and for a run beside the pin."""
    target = options.target
    if options.version is None and target in run.settings.upstreams:
        raise ConfigError(
            f"{target!r} is the name of an upstream, but a REF must come before it",
            hint=f"For example: {how_to_run('upgrade', 'latest', target)}",
        )
    if run.upstream.is_beside:
        raise ConfigError(
            f"{run.name} is shown beside the pin and has no pin of its own",
            hint=f"Move the pin: {how_to_run('upgrade', run.version, run.paths.upstream)}",
        )


def _check_python(run: Run, file: PinFile, version: str, *, is_dry: bool) -> None:
    """Raise ConfigError if this Python cannot install ``version``: no code could run on it.

    A dry run only warns.
    """
    fault = file.fault_of(version)
    if fault and is_dry:
        run.log.warn(fault)
    elif fault:
        hint = (
            "Nothing has changed. Run nox on such a Python (see docs/maintaining.md), "
            f"or move only the docs: {how_to_run('upgrade', f'{version} --no-execute')}"
        )
        raise ConfigError(fault, hint=hint)


def _newest(run: Run, file: PinFile) -> tuple[str, tuple[str, ...]]:
    """Return the newest installable version, and for each newer release why it was skipped.

    The version is the pinned one if no newer release can be installed.
    """
    with run.log.step("look for releases") as step:
        found = newest(run, file)
        step.result = f"{run.package} {found.version}".strip()
        if found.version == run.version:
            step.result += ": no newer release can be installed"
    reasons = tuple(map(file.why_skipped, found.waiting))
    for reason in reasons:
        run.log.warn(f"skipped: {reason}")
    return found.version, reasons


def make_move(target: Run, file: PinFile, text: str, *, is_dry: bool) -> RunResult:
    """Move the docs, and write the configuration with its new ``text``. Return the result.

    If a step fails, all files are restored. A dry run moves a temporary copy of the project.
    """
    if is_dry:
        # The copy has another root, so a relative URL must be resolved first.
        upstream = pull_stage.with_absolute_address(target)
        with scratch_copy(target) as root:
            settings = replace(target.settings, root=root)
            return _move_docs(replace(target, settings=settings, upstream=upstream))
    with restoring(target):
        result = _move_docs(target)
        file.write(text)
    return result


def _rules(target: Run, lock: Lock) -> tuple[Finding, ...]:
    """Return warnings about execution rules that match no page at the new commit.

    At the next run of code these rules are errors.
    """
    findings = rule_findings(target, lock)
    return tuple(replace(finding, severity=Severity.WARNING) for finding in findings)


def _move_docs(target: Run) -> RunResult:
    """Pull and merge at the new commit, and return the result."""
    pulled = pull_pages(target, ref=None)
    # Read all catalogues, because the report counts the changes of every message.
    return build_pulled(target, BuildOptions(last="merge", is_thorough=True), pulled)


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
    before = _pulled_commit(run, after.lock)
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


def _pulled_commit(run: Run, new: Lock) -> Commit:
    """Return the commit in the lock. Without a lock, return the commit of the pinned ref.

    If upstream no longer has the commit, warn and return a commit without files. ``new`` is the
    lock of the commit to move to.
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
        ref, version = run.upstream.ref, run.version
        unknown = replace(new, ref=ref, commit="0" * 40, date="", version=version)
        return Commit(lock=replace(lock or unknown, files=()), documents={})
    if lock is None:
        return found
    # Reports show the lock's ref, because people do not recognize commit ids.
    return replace(found, lock=replace(found.lock, ref=lock.ref, version=lock.version))


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
    # All upstreams of a package share its pin, so the docs of the others are now out of date. An
    # upstream without a lock was never pulled, so it needs no sync.
    others = []
    for other in run.settings.upstreams.values():
        is_other = other.package == run.upstream.package and other.name != run.name
        if is_other and Paths(run.settings.root, other.name).lock.exists():
            others.append(other.name)
    if others:
        them = "it" if len(others) == 1 else "them"
        run.log.note(
            f"the {run.package} pin has moved for {', '.join(others)} as well: sync {them} again"
        )


def show_beside(run: Run, options: UpgradeOptions) -> RunResult:
    """Add a release beside the pin and return the result.

    The target ``latest`` means the newest release whose package cannot be installed here yet. (A
    release that can be installed needs no place beside the pin: the pin can move to it.) A release
    that is shown already is not added again. Raises ConfigError and UpstreamError.
    """
    if run.upstream.is_beside:
        raise ConfigError(
            f"{run.name} is a release, but --beside adds releases to an upstream",
            hint=f"Name the upstream: {run.paths.upstream}.",
        )
    is_dry = options.dry_run or run.dry
    file = PinFile.read(options.config, run)
    version, reason = _wanted_version(run, options.target, file)
    if version in ("", run.version, *run.upstream.beside):
        run.log.note(f"{run.name}: there is no release to add beside the pin")
        return RunResult(name=run.name, lock=read_pulled(run))
    added = requirement.add_beside(file.text, version, upstream=run.name, where=str(file.path))
    target = _run_beside(run, file.pin.template, version)
    with run_lock(replace(run, dry=is_dry)):
        commits = read_both(run, target)
        comparison = compare(run, commits.before, commits.after)
        result = make_move(target, file, added, is_dry=is_dry)
    return replace(
        result,
        name=run.name,
        is_beside=True,
        comparison=comparison,
        passed_over=(reason,) if reason else (),
        changes=(*result.changes, options.config.name),
    )


def _wanted_version(run: Run, word: str, file: PinFile) -> tuple[str, str]:
    """Return the version to show, and the reason why the pin cannot move to it.

    The reason is empty if the user named the version. The version is empty if the user gave
    ``latest`` and every newer release can be installed.
    """
    if word != requirement.LATEST:
        return requirement.choose_pin(word, package_version=None, now=file.pin).version, ""
    with run.log.step("look for releases") as step:
        waiting = newest(run, file).waiting
        step.result = f"not installable yet: {', '.join(waiting) or 'none'}"
    return (waiting[0], file.why_skipped(waiting[0])) if waiting else ("", "")


def _run_beside(run: Run, template: str, version: str) -> Run:
    """Return the run for the release ``version``, which the configuration has beside the pin."""
    pinned = replace(run.upstream, beside=(*run.upstream.beside, version))
    release = release_beside(pinned, template, version)
    upstreams = {**run.settings.upstreams, run.name: pinned, release.name: release}
    settings = replace(run.settings, upstreams=upstreams)
    return replace(run, settings=settings, upstream=release, dry=False)
