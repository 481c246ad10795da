"""Plan of execution: what is to run, how, and under which key its outputs are kept.

Pages go in. A task comes out for each page that is to run, or an execution with the reason why it
is not run. Equal keys mean equal outputs: everything that decides about them is part of the key.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import structs

from pipeline.adapters import files, kernel
from pipeline.adapters.kernel import sandbox
from pipeline.config import RunRule, Settings, Upstream
from pipeline.core.document.reader import is_myst_notebook
from pipeline.core.execution import notebook as execution
from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Page, SourceFile
from pipeline.errors import InputError, PipelineError
from pipeline.run import Run
from pipeline.stages.execute.startup import startup_of

AS_IT_IS = RunRule(pages=(), reason="")  # the rule of pages that no rule is about
# That can be run here; "" is not stated, which is Python.
_LANGUAGES = ("python", "ipython", "")
# The parts of a policy that are plain values and decide what a page prints.
_LIMITS = (
    *("timeout", "page_timeout", "stall", "wall_timeout", "memory", "output"),
    *("offline", "until"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What every step of one run needs to know.

    ``digests`` keeps what was read of folders of data: pages of one folder share them.
    """

    run: Run
    offline: bool
    environment: Mapping[str, str]
    digests: dict[Path, Mapping[str, str]] = field(default_factory=dict)
    changes: list[str] = field(
        default_factory=list
    )  # files written, relative to the root


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
        """How many code cells there are."""
        return len(execution.code_cells(self.notebook))

    @property
    def seconds(self) -> float:
        """How long it may take, told from the code alone.

        Machines that share the pages out must agree on it without a word.
        """
        cell = seconds_per_cell(self.rule)
        return execution.guess_seconds(self.notebook, until=self.rule.until, cell=cell)

    @property
    def note(self) -> str:
        """How it is run, if not as it is."""
        return how_it_runs(self.rule)


def plan(stage: Stage, page: Page) -> Task | Execution | None:
    """Return a task for a page, or why it is not run; None if it is no notebook."""
    try:
        return _plan(stage, page)
    except PipelineError as error:
        # A page that cannot be read has not run; split has told the rest of it. Of start-up files
        # ``startup_findings`` does.
        return Execution(page=page.name, status=Status.FAILED, reason=str(error))


def _plan(stage: Stage, page: Page) -> Task | Execution | None:
    """Return the same.

    Raises PipelineError for a document, or a start-up file, that cannot be read.
    """
    docs = stage.run.paths.docs
    for document in page.files:
        notebook = read_notebook(docs / document.path)
        if notebook is not None:
            break  # of a pair, the .ipynb comes first
    else:
        return None
    rule = _rule(stage, page)
    # Before the key is made: to digest the data beside a page takes a while.
    reason = _reason_to_skip(stage.run.upstream, page, notebook, rule)
    if reason:
        total = len(execution.code_cells(notebook))
        return Execution(
            page=page.name, status=Status.SKIPPED, reason=reason, total=total
        )
    policy = policy_of(rule, stage.run.settings, offline=stage.offline)
    key = execution.execution_key(
        notebook,
        policy=policy_facts(policy),
        data=_data_digests(stage, (docs / document.path).parent),
        environment=stage.environment,
    )
    return Task(
        page=page,
        document=document,
        notebook=notebook,
        rule=rule,
        policy=policy,
        key=key,
    )


def _rule(stage: Stage, page: Page) -> RunRule:
    """Return how the page is run.

    A rule may name packages that the page needs. Where they are installed, all of the page runs;
    elsewhere it runs as it is, up to the cell that needs them.
    """
    rule = stage.run.upstream.run_rule(page.name) or AS_IT_IS
    if not rule.needs:
        return rule
    # The facts of the environment: "package jax_cuda" → "0.10.2", and "python" beside them.
    installed = {name.replace("_", "-") for name in stage.environment}
    if all(f"package {name}" in installed for name in rule.needs):
        return structs.replace(rule, until=0)
    return structs.replace(rule, modes=(), devices=0)


def read_notebook(path: Path) -> Mapping[str, Any] | None:
    """Return the notebook at ``path``, or None if that is a plain page. Raises InputError."""
    if path.suffix == ".ipynb":
        return execution.parse_notebook(files.read_bytes(path), where=str(path))
    if path.suffix != ".md":
        return None
    text = files.read_bytes(path).decode("utf-8", "replace")
    if not is_myst_notebook(text):
        return None
    # jupytext refuses a header that is no YAML, among others.
    try:
        return kernel.notebook_from_myst(text)
    except ValueError as error:
        raise InputError(
            f"cannot be read as a MyST notebook: {error}",
            where=str(path),
            hint="Mend the page, or deselect it.",
        ) from error


def _reason_to_skip(
    upstream: Upstream, page: Page, notebook: Mapping[str, Any], rule: RunRule
) -> str:
    """Return why a page is not run; empty if it is.

    A rule of the configuration has the first word.
    """
    skip = upstream.skip_rule(page.name)
    if skip is not None:
        return reason_of(skip.reason, skip.note)
    if not execution.sent_cells(notebook, 0):
        return "no code cells"
    # Nothing stands before the first cell that cannot run here.
    if not execution.sent_cells(notebook, rule.until):
        return reason_of(rule.reason, rule.note)
    name, language = execution.kernel_of(notebook)
    if language not in _LANGUAGES:
        return f"its kernel {name} is for {language}"
    return ""


def reason_of(reason: str, note: str) -> str:
    """Return the reason of a rule in one line."""
    return f"{reason}: {note}" if note else reason


def _data_digests(stage: Stage, folder: Path) -> Mapping[str, str]:
    """Return the digests of the files that code of a page in ``folder`` can read, by name."""
    if folder not in stage.digests:
        digests: dict[str, str] = {}
        for path in _data_files(folder):
            name = path.relative_to(folder).as_posix()
            digests[name] = hashlib.sha256(files.read_bytes(path)).hexdigest()
        stage.digests[folder] = digests
    return stage.digests[folder]


def _data_files(folder: Path) -> Iterator[Path]:
    """Yield what a kernel gets a copy of (``sandbox``).

    No pages are among it, no links, and nothing that is hidden or of the site.
    """
    if not folder.is_dir():
        return
    # Sorted, so that the same files give the same facts on every file system.
    for name in sorted(os.listdir(folder)):
        path = folder / name
        # The sandbox decides, so that the key tells of all that is copied, and of nothing else.
        if sandbox.is_left_out(path):
            continue
        if path.is_dir():
            yield from _data_files(path)
        elif path.is_file():
            yield path


def how_it_runs(rule: RunRule) -> str:
    """Return how a page of ``rule`` is run, for people; empty if it is run as it is."""
    notes = [mode.note for mode in rule.modes]
    if rule.devices:
        notes.append(f"with {rule.devices} CPU devices")
    return ", ".join(notes)


def seconds_per_cell(rule: RunRule) -> float:
    """Return what a cell takes by the slowest mode of ``rule``."""
    usual = execution.SECONDS_PER_CELL
    told = [mode.cell_seconds for mode in rule.modes]
    return max((usual if cell is None else cell for cell in told), default=usual)


def policy_of(rule: RunRule, settings: Settings, *, offline: bool) -> kernel.Policy:
    """Return what the kernel of a page of ``rule`` is told.

    Raises ConfigError for a start-up file that cannot be used.
    """
    limits = settings.execution
    variables = {
        name: os.environ[name] for name in limits.variables if name in os.environ
    }
    # What a mode needs counts more than what this machine has set.
    for mode in rule.modes:
        variables |= mode.variables
    if rule.devices:
        # Added to the flags that are passed on: those of XLA are all in one variable.
        flags = f"--xla_force_host_platform_device_count={rule.devices}"
        variables["XLA_FLAGS"] = f"{variables.get('XLA_FLAGS', '')} {flags}".strip()
    return kernel.Policy(
        timeout=rule.timeout or limits.timeout,
        page_timeout=rule.page_timeout or limits.page_timeout,
        stall=limits.stall,
        wall_timeout=limits.wall_timeout,
        memory=limits.memory,
        output=limits.output,
        threads=0,  # the pool knows how many workers share the machine
        offline=offline,
        variables=variables,
        startup=startup_of(rule.modes, settings.root),
        until=rule.until,
    )


def policy_facts(policy: kernel.Policy) -> dict[str, Any]:
    """Return the policy as a plain value, for the key of a page.

    Threads are the machine's affair and no part of it. Start-up code is what it says: a page runs
    again if a file of it is edited.
    """
    startup = []
    for code in policy.startup:
        digest = hashlib.sha256(code.text.encode("utf-8")).hexdigest()
        startup.append([code.name, digest])
    facts: dict[str, Any] = {name: getattr(policy, name) for name in _LIMITS}
    facts["variables"] = dict(policy.variables)
    facts["startup"] = startup
    return facts
