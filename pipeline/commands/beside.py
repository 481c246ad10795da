"""``upgrade REF --beside``: show another release on the site, without moving the pin.

The *pin* is the release that the configuration sets for the project. Other releases can only be
shown beside the pin. The command adds another release to the configuration, pulls its docs, and
creates its catalogues. The result compares the two releases, like the result of an upgrade.
"""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from pipeline.commands.run_lock import run_lock
from pipeline.commands.upgrade import (
    PinFile,
    UpgradeOptions,
    compare,
    make_move,
    newest,
    read_both,
)
from pipeline.config import release_beside
from pipeline.core.pin.requirement import LATEST, add_beside, choose_pin
from pipeline.errors import ConfigError
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled


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
        return RunResult(name=run.name, lock=read_pulled(run), dry_run=options.dry_run)
    added = add_beside(file.text, version, upstream=run.name, where=str(file.path))
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
        check_only=run.dry,
        dry_run=options.dry_run,
    )


def _wanted_version(run: Run, word: str, file: PinFile) -> tuple[str, str]:
    """Return the version to show, and the reason why the pin cannot move to it.

    The reason is empty if the user named the version. The version is empty if the user gave
    ``latest`` and every newer release can be installed.
    """
    if word != LATEST:
        return choose_pin(word, package_version=None, now=file.pin).version, ""
    with run.log.step("look for releases") as step:
        waiting = newest(run, file).waiting
        step.result = f"not installable yet: {', '.join(waiting) or 'none'}"
    return (waiting[0], file.why_skipped(waiting[0])) if waiting else ("", "")


def _run_beside(run: Run, template: str, version: str) -> Run:
    """Return the run for the release ``version``, which the configuration has beside the pin."""
    pinned = structs.replace(run.upstream, beside=(*run.upstream.beside, version))
    release = release_beside(pinned, template, version)
    upstreams = {**run.settings.upstreams, run.name: pinned, release.name: release}
    settings = replace(run.settings, upstreams=upstreams)
    return replace(run, settings=settings, upstream=release, dry=False)
