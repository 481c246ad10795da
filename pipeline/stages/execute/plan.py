"""Plan of execution: which pages run, how, and under which key their outputs are cached.

The input is pages. The output is a task for each page that runs, or an execution with the reason
for skipping it. Equal keys mean equal outputs, so the key covers everything that affects them.
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

AS_IT_IS = RunRule(pages=(), reason="")  # default for pages without a rule
# Supported languages; "" means that none is stated, which is Python.
_LANGUAGES = ("python", "ipython", "")
# Plain values of a policy that affect the outputs.
_LIMITS = (
    *("timeout", "page_timeout", "stall", "wall_timeout", "memory", "output"),
    *("offline", "until"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionContext:
    """Context shared by all steps of one run.

    ``digests`` caches the digests of data folders, because pages in one folder share them.
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
    """Page that is to run. ``key`` is the digest of everything that affects its outputs."""

    page: Page
    document: SourceFile  # the document that is run: the .ipynb of a pair
    notebook: Mapping[str, Any]
    rule: RunRule
    policy: kernel.Policy
    key: str

    @property
    def total(self) -> int:
        """Return the number of code cells."""
        return len(execution.code_cells(self.notebook))

    @property
    def seconds(self) -> float:
        """Return the estimated duration in seconds, from the code alone.

        Machines that share the work must compute the same value without communicating.
        """
        usual = execution.SECONDS_PER_CELL
        durations = [mode.cell_seconds for mode in self.rule.modes]
        # of the slowest mode
        cell = max((usual if one is None else one for one in durations), default=usual)
        return execution.guess_seconds(self.notebook, until=self.rule.until, cell=cell)

    @property
    def note(self) -> str:
        """Return how the page runs, if not by default."""
        notes = [mode.note for mode in self.rule.modes]
        if self.rule.devices:
            notes.append(f"with {self.rule.devices} CPU devices")
        return ", ".join(notes)


def plan(context: ExecutionContext, page: Page) -> Task | Execution | None:
    """Return a task for a page, or the reason why it does not run; None if it is no notebook."""
    try:
        return _plan(context, page)
    except PipelineError as error:
        # `split` and `startup_findings` have reported the details.
        return Execution(page=page.name, status=Status.FAILED, reason=str(error))


def _plan(context: ExecutionContext, page: Page) -> Task | Execution | None:
    """Return the same as ``plan``.

    Raises PipelineError for an unreadable document or start-up file.
    """
    docs = context.run.paths.docs
    for document in page.files:
        notebook = read_notebook(docs / document.path)
        if notebook is not None:
            break  # of a pair, the .ipynb comes first
    else:
        return None
    rule = _rule(context, page)
    # Checked before the key is computed, because digests of the data files take a while.
    reason = _reason_to_skip(context.run.upstream, page, notebook, rule)
    if reason:
        total = len(execution.code_cells(notebook))
        return Execution(
            page=page.name, status=Status.SKIPPED, reason=reason, total=total
        )
    policy = policy_of(rule, context.run.settings, offline=context.offline)
    key = execution.execution_key(
        notebook,
        policy=policy_facts(policy),
        data=_data_digests(context, (docs / document.path).parent),
        environment=context.environment,
    )
    return Task(
        page=page,
        document=document,
        notebook=notebook,
        rule=rule,
        policy=policy,
        key=key,
    )


def _rule(context: ExecutionContext, page: Page) -> RunRule:
    """Return the rule for running the page.

    A rule may name packages that the page needs. If they are installed, the whole page runs;
    otherwise it runs without modes, up to the cell that needs them.
    """
    rule = context.run.upstream.run_rule(page.name) or AS_IT_IS
    if not rule.needs:
        return rule
    # Keys of the environment are like "package jax_cuda", with the version as value.
    installed = {name.replace("_", "-") for name in context.environment}
    if all(f"package {name}" in installed for name in rule.needs):
        return structs.replace(rule, until=0)
    return structs.replace(rule, modes=(), devices=0)


def read_notebook(path: Path) -> Mapping[str, Any] | None:
    """Return the notebook at ``path``, or None for a plain page. Raises InputError."""
    if path.suffix == ".ipynb":
        return execution.parse_notebook(files.read_bytes(path), where=str(path))
    if path.suffix != ".md":
        return None
    text = files.read_bytes(path).decode("utf-8", "replace")
    if not is_myst_notebook(text):
        return None
    # For example, jupytext rejects a header that is not YAML.
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
    """Return why a page is skipped, or an empty string; rules of the configuration come first."""
    skip = upstream.skip_rule(page.name)
    if skip is not None:
        return reason_of(skip.reason, skip.note)
    if not execution.sent_cells(notebook, 0):
        return "no code cells"
    # No code cell precedes the first one that cannot run here.
    if not execution.sent_cells(notebook, rule.until):
        return reason_of(rule.reason, rule.note)
    name, language = execution.kernel_of(notebook)
    if language not in _LANGUAGES:
        return f"its kernel {name} is for {language}"
    return ""


def reason_of(reason: str, note: str) -> str:
    """Return the reason of a rule, with its note, in one line."""
    return f"{reason}: {note}" if note else reason


def _data_digests(context: ExecutionContext, folder: Path) -> Mapping[str, str]:
    """Return digests of the files that the code of pages in ``folder`` can read, by name."""
    if folder not in context.digests:
        digests: dict[str, str] = {}
        for path in _data_files(folder):
            name = path.relative_to(folder).as_posix()
            digests[name] = hashlib.sha256(files.read_bytes(path)).hexdigest()
        context.digests[folder] = digests
    return context.digests[folder]


def _data_files(folder: Path) -> Iterator[Path]:
    """Yield the files that the sandbox copies for a kernel.

    Pages, links, hidden files and files of the site are not included.
    """
    if not folder.is_dir():
        return
    # Sorted, so that equal files give equal facts on every file system.
    for name in sorted(os.listdir(folder)):
        path = folder / name
        # Ask the sandbox, so that the key covers exactly the copied files.
        if sandbox.is_left_out(path):
            continue
        if path.is_dir():
            yield from _data_files(path)
        elif path.is_file():
            yield path


def policy_of(rule: RunRule, settings: Settings, *, offline: bool) -> kernel.Policy:
    """Return the policy for kernels of pages with ``rule``.

    Raises ConfigError for an unusable start-up file.
    """
    limits = settings.execution
    variables = {
        name: os.environ[name] for name in limits.variables if name in os.environ
    }
    # Variables of a mode override those of this machine.
    for mode in rule.modes:
        variables |= mode.variables
    if rule.devices:
        # Append to existing flags, because one variable holds all flags of XLA.
        flags = f"--xla_force_host_platform_device_count={rule.devices}"
        variables["XLA_FLAGS"] = f"{variables.get('XLA_FLAGS', '')} {flags}".strip()
    return kernel.Policy(
        timeout=rule.timeout or limits.timeout,
        page_timeout=rule.page_timeout or limits.page_timeout,
        stall=limits.stall,
        wall_timeout=limits.wall_timeout,
        memory=limits.memory,
        output=limits.output,
        # the pool sets it, because it knows how many workers share the machine
        threads=0,
        offline=offline,
        variables=variables,
        startup=startup_of(rule.modes, settings.root),
        until=rule.until,
    )


def policy_facts(policy: kernel.Policy) -> dict[str, Any]:
    """Return the policy as a plain value, for the key of a page.

    Threads are not part of it, as they depend on the machine. Start-up code is included as a
    digest, so that pages run again after its file was edited.
    """
    startup = []
    for code in policy.startup:
        digest = hashlib.sha256(code.text.encode("utf-8")).hexdigest()
        startup.append([code.name, digest])
    facts: dict[str, Any] = {name: getattr(policy, name) for name in _LIMITS}
    facts["variables"] = dict(policy.variables)
    facts["startup"] = startup
    return facts
