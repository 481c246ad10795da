"""Plan of execution: which pages run, how, and under which key their outputs are cached.

``plan`` returns a ``Task`` for a page that runs. For a page that is skipped, it returns an
``Execution`` with the reason. The key is a digest of everything that affects the outputs, so equal
keys mean equal outputs.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from pipeline.adapters import files, kernel
from pipeline.adapters.kernel import sandbox
from pipeline.config.settings import RunRule, Settings, Upstream
from pipeline.core.document.reader import is_myst_notebook
from pipeline.core.execution import code_cells as execution
from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Page, SourceFile
from pipeline.errors import InputError, PipelineError
from pipeline.run import Run
from pipeline.stages.execute.startup import startup_of

AS_IT_IS = RunRule(pages=(), reason="")  # default for pages without a rule
# Supported languages of notebooks. "" means that the notebook states none; it counts as Python.
_LANGUAGES = ("python", "ipython", "")
# Fields of a policy that do not affect the outputs.
_IRRELEVANT = ("threads", "processes")


class ExecutionContext(Struct, frozen=True, kw_only=True):
    """Context that all steps of one execution share."""

    run: Run
    offline: bool  # whether kernels run without network
    environment: Mapping[str, str]  # facts from ``kernel.environment``
    # Digests of data files, by folder and file name. Pages in the same folder share them.
    digests: dict[Path, Mapping[str, str]] = field(default_factory=dict)
    # Written and removed files, relative to the project's root.
    changes: list[str] = field(default_factory=list)


class Task(Struct, frozen=True, kw_only=True):
    """A page that must run, unless its outputs are cached."""

    page: Page
    # The file to run. If the page has a .md and an .ipynb file, it is the .ipynb.
    document: SourceFile
    notebook: Mapping[str, Any]  # upstream's notebook, parsed
    rule: RunRule
    policy: kernel.Policy
    key: str  # cache key

    @property
    def total(self) -> int:
        """Return the number of code cells."""
        return len(execution.code_cells(self.notebook))

    @property
    def seconds(self) -> float:
        """Return the estimated duration in seconds, from the code alone.

        If several machines share the work, all of them need the same estimate. So the estimate
        does not use the durations in ``run_history``, which were measured on this machine.
        """
        usual = execution.SECONDS_PER_CELL
        durations = [mode.cell_seconds for mode in self.rule.modes]
        # If the modes take different times for a cell, use the longest.
        cell = max((usual if one is None else one for one in durations), default=usual)
        return execution.guess_seconds(self.notebook, until=self.rule.until, cell=cell)

    @property
    def note(self) -> str:
        """Return how the page runs: ``in interpret mode, with 8 CPU devices``; usually ""."""
        notes = [mode.note for mode in self.rule.modes]
        if self.rule.devices:
            notes.append(f"with {self.rule.devices} CPU devices")
        return ", ".join(notes)


def plan(context: ExecutionContext, page: Page) -> Task | Execution | None:
    """Return a ``Task`` for a page, or an ``Execution`` that says why the page does not run.

    Return None if the page is not a notebook.
    """
    try:
        return _plan(context, page)
    except PipelineError as error:
        # ``split`` and ``startup_findings`` report the details.
        return Execution(page=page.name, status=Status.FAILED, reason=str(error))


def _plan(context: ExecutionContext, page: Page) -> Task | Execution | None:
    """Return the same as ``plan``, but raise PipelineError for unreadable files."""
    docs = context.run.paths.docs
    for document in page.files:
        notebook = read_notebook(docs / document.path)
        if notebook is not None:
            break  # if a page has a .md and an .ipynb, the .ipynb comes first
    else:
        return None
    rule = _rule(context, page)
    # Look for a reason before the key is computed, because digests of the data files take a while.
    reason = _reason_to_skip(context.run.upstream, page, notebook, rule)
    if reason:
        total = len(execution.code_cells(notebook))
        return Execution(page=page.name, status=Status.SKIPPED, reason=reason, total=total)
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

    A rule may name packages that the page needs (``needs``), and the first cell that needs them
    (``until``). If all packages are installed, the whole page runs. Otherwise only the cells above
    that cell run, without the modes and devices of the rule.
    """
    rule = context.run.upstream.run_rule(page.name) or AS_IT_IS
    if not rule.needs:
        return rule
    # The environment has a key such as "package jax_cuda" for each installed package.
    installed = {name.replace("_", "-") for name in context.environment}
    if all(f"package {name}" in installed for name in rule.needs):
        return replace(rule, until=0)
    return replace(rule, modes=(), devices=0)


def read_notebook(path: Path) -> Mapping[str, Any] | None:
    """Return the notebook at ``path``, or None for a plain page. Raises InputError."""
    if path.suffix == ".ipynb":
        return execution.parse_notebook(files.read_bytes(path), where=str(path))
    if path.suffix != ".md":
        return None
    text = files.read_bytes(path).decode("utf-8", "replace")
    if not is_myst_notebook(text):
        return None
    # jupytext rejects, for example, a header that is not YAML.
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
    """Return why a page is skipped, or ""."""
    skip = upstream.skip_rule(page.name)
    if skip is not None:
        return reason_of(skip.reason, skip.note)
    if not execution.sent_cells(notebook, 0):
        return "no code cells"
    # The cell ``rule.until`` and all later cells cannot run here; 0 means that all cells can. Skip
    # the page if no earlier cell has code.
    if not execution.sent_cells(notebook, rule.until):
        return reason_of(rule.reason, rule.note)
    name, language = execution.kernel_of(notebook)
    if language not in _LANGUAGES:
        return f"its kernel {name} is for {language}"
    return ""


def reason_of(reason: str, note: str) -> str:
    """Return a rule's reason and note in one line: ``accelerator: needs a TPU``."""
    return f"{reason}: {note}" if note else reason


def _data_digests(context: ExecutionContext, folder: Path) -> Mapping[str, str]:
    """Return digests of the files that the code of pages in ``folder`` can read, by name."""
    if folder not in context.digests:
        digests: dict[str, str] = {}
        # The key must cover exactly the files that the sandbox copies.
        for path in filter(Path.is_file, sandbox.data_in(folder)):
            name = path.relative_to(folder).as_posix()
            digests[name] = hashlib.sha256(files.read_bytes(path)).hexdigest()
        context.digests[folder] = digests
    return context.digests[folder]


def policy_of(rule: RunRule, settings: Settings, *, offline: bool) -> kernel.Policy:
    """Return the policy for kernels of pages with ``rule``: limits, variables and start-up code.

    Raises ConfigError for a start-up file that cannot be used.
    """
    limits = settings.execution
    variables = {name: os.environ[name] for name in limits.variables if name in os.environ}
    # Variables of a mode override those of this machine.
    for mode in rule.modes:
        variables |= mode.variables
    if rule.devices:
        # Append the flag, because one variable has all flags of XLA.
        flags = f"--xla_force_host_platform_device_count={rule.devices}"
        variables["XLA_FLAGS"] = f"{variables.get('XLA_FLAGS', '')} {flags}".strip()
    return kernel.Policy(
        timeout=rule.timeout or limits.timeout,
        page_timeout=rule.page_timeout or limits.page_timeout,
        stall=limits.stall,
        wall_timeout=limits.wall_timeout,
        memory=limits.memory,
        output=limits.output,
        # The pool sets the number, because it knows how many workers share the machine.
        threads=0,
        offline=offline,
        variables=variables,
        startup=startup_of(rule.modes, settings.root),
        until=rule.until,
    )


def policy_facts(policy: kernel.Policy) -> dict[str, Any]:
    """Return the policy as a plain value, for the key of a page.

    The number of threads is left out, because it depends on the machine. Start-up code is included
    as a digest, so that pages run again after its file was edited.
    """
    facts: dict[str, Any] = to_builtins(policy)
    for name in _IRRELEVANT:
        del facts[name]
    facts["startup"] = [
        [code.name, hashlib.sha256(code.text.encode("utf-8")).hexdigest()]
        for code in policy.startup
    ]
    return facts
