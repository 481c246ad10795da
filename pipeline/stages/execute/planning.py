"""What is to run, how, and under which key its outputs are kept."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pipeline.adapters import files, kernel
from pipeline.adapters.kernel import sandbox
from pipeline.config import RunRule, Upstream
from pipeline.core.document.read import is_myst_notebook
from pipeline.core.execution import notebook as execution
from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Page, SourceFile
from pipeline.errors import InputError, PipelineError
from pipeline.run import Run

AS_IT_IS = RunRule(pages=(), reason="")
HLO = {"PALLAS_INTERPRET": "hlo"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """What is done to a kernel before the first cell: a start-up file of ``adapters/startup``, with
    the variables that it reads."""

    startup: str
    note: str
    variables: Mapping[str, str] = field(default_factory=dict)
    cell: float = execution.SECONDS_PER_CELL  # that most cells take


MODES = {
    "pallas-interpret": Mode(startup="pallas-interpret", note="in interpret mode", cell=5.0),
    "pallas-interpret-hlo": Mode(
        startup="pallas-interpret", note="in interpret mode", variables=HLO, cell=5.0
    ),
    "stand-in-data": Mode(startup="stand-in-data", note="with stand-in data"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What every step of one run needs to know. ``digests`` keeps what was read of folders of data."""

    run: Run
    offline: bool
    environment: Mapping[str, str]
    digests: dict[Path, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A page that is to run. ``key`` stands for all that decides what it prints."""

    page: Page
    document: SourceFile  # what is run; of a pair, the .ipynb
    notebook: Mapping[str, Any]
    rule: RunRule
    policy: kernel.Policy
    key: str

    @property
    def total(self) -> int:
        return len(execution.code_cells(self.notebook))

    @property
    def seconds(self) -> float:
        """How long it may take, for machines that must agree on it without a word: told from the
        code alone."""
        cell = max(
            (MODES[mode].cell for mode in self.rule.modes), default=execution.SECONDS_PER_CELL
        )
        return execution.guess_seconds(self.notebook, until=self.rule.until, cell=cell)

    @property
    def note(self) -> str:
        """How it is run, if not as it is."""
        modes = [MODES[mode].note for mode in self.rule.modes]
        devices = [f"with {self.rule.devices} CPU devices"] if self.rule.devices else []
        return ", ".join((*modes, *devices))


def plan(stage: Stage, page: Page) -> Task | Execution | None:
    """What to do with a page: run it, leave it (with the reason), or nothing if it is no notebook."""
    try:
        found = _notebook(stage.run.paths.docs, page)
        if found is None:
            return None
        document, notebook = found
        rule = _rule(stage, page)
        reason = _reason_to_skip(stage.run.upstream, page, notebook, rule)
        if reason:
            return Execution(
                page=page.name,
                status=Status.SKIPPED,
                reason=reason,
                total=len(execution.code_cells(notebook)),
            )
        policy = _policy(stage, rule)
        key = execution.execution_key(
            notebook,
            policy=_policy_facts(policy),
            data=_data_digests(stage, (stage.run.paths.docs / document.path).parent),
            environment=stage.environment,
        )
    except PipelineError as error:
        return Execution(page=page.name, status=Status.FAILED, reason=str(error))
    return Task(page=page, document=document, notebook=notebook, rule=rule, policy=policy, key=key)


def _rule(stage: Stage, page: Page) -> RunRule:
    """How the page is run: whole, where all is installed that it needs; else as it is, up to where
    it needs it."""
    rule = stage.run.upstream.run_rule(page.name) or AS_IT_IS
    if not rule.needs:
        return rule
    installed = {name.replace("_", "-") for name in stage.environment}
    has_all = all(f"package {name}" in installed for name in rule.needs)
    return replace(rule, until=0) if has_all else replace(rule, modes=(), devices=0)


def read_notebook(path: Path) -> Mapping[str, Any] | None:
    """The notebook at ``path``, or None if that is a plain page. Raises InputError."""
    if path.suffix == ".ipynb":
        return execution.parse_notebook(files.read_bytes(path), where=str(path))
    if path.suffix != ".md":
        return None
    text = files.read_bytes(path).decode("utf-8", "replace")
    if not is_myst_notebook(text):
        return None
    try:
        return kernel.notebook_from_myst(text)
    except ValueError as error:
        raise InputError(
            f"cannot be read as a MyST notebook: {error}",
            where=str(path),
            hint="Mend the page, or deselect it.",
        ) from error


def _notebook(folder: Path, page: Page) -> tuple[SourceFile, Mapping[str, Any]] | None:
    """The document of ``page`` that is run (the first notebook of its files), read from ``folder``."""
    for document in page.files:
        notebook = read_notebook(folder / document.path)
        if notebook is not None:
            return document, notebook
    return None


def _reason_to_skip(
    upstream: Upstream, page: Page, notebook: Mapping[str, Any], rule: RunRule
) -> str:
    skip = upstream.skip_rule(page.name)
    if skip is not None:
        return reason_of(skip.reason, skip.note)
    if not execution.cells_run(notebook, None):
        return "no code cells"
    if not execution.cells_run(notebook, None, until=rule.until):
        return reason_of(rule.reason, rule.note)
    name, language = execution.kernel_of(notebook)
    return "" if language in ("python", "ipython", "") else f"its kernel {name} is for {language}"


def reason_of(reason: str, note: str) -> str:
    """The reason of a rule in one line."""
    return f"{reason}: {note}" if note else reason


def _policy(stage: Stage, rule: RunRule) -> kernel.Policy:
    given = stage.run.settings.execution
    variables = {name: os.environ[name] for name in given.variables if name in os.environ}
    for mode in rule.modes:
        variables |= MODES[mode].variables
    if rule.devices:
        flags = f"--xla_force_host_platform_device_count={rule.devices}"
        variables["XLA_FLAGS"] = f"{variables.get('XLA_FLAGS', '')} {flags}".strip()
    return kernel.Policy(
        timeout=rule.timeout or given.timeout,
        page_timeout=given.page_timeout,
        memory=given.memory,
        output=given.output,
        threads=0,
        offline=stage.offline,
        variables=variables,
        startup=tuple(MODES[mode].startup for mode in rule.modes),
        until=rule.until,
    )


def _policy_facts(policy: kernel.Policy) -> dict[str, Any]:
    """The policy as a plain value: threads are the machine's affair, start-up files are what they
    say."""
    startup = [
        [name, hashlib.sha256(files.read_bytes(sandbox.STARTUP / f"{name}.py")).hexdigest()]
        for name in policy.startup
    ]
    limits = {
        name: getattr(policy, name)
        for name in ("timeout", "page_timeout", "memory", "output", "offline", "until")
    }
    return {**limits, "variables": dict(policy.variables), "startup": startup}


def _data_digests(stage: Stage, folder: Path) -> Mapping[str, str]:
    """The files that code of a page in ``folder`` can read, each with the digest of its content."""
    if folder not in stage.digests:
        stage.digests[folder] = {
            path.relative_to(folder).as_posix(): hashlib.sha256(files.read_bytes(path)).hexdigest()
            for path in _data_files(folder)
        }
    return stage.digests[folder]


def _data_files(folder: Path) -> Iterator[Path]:
    """What a kernel gets a copy of (``sandbox``): no pages, nothing hidden or of the site, no
    links."""
    for name in sorted(os.listdir(folder) if folder.is_dir() else ()):
        path = folder / name
        if sandbox.is_left_out(path):
            continue
        if path.is_dir():
            yield from _data_files(path)
        elif path.is_file():
            yield path
