"""How a page is run: the policy that goes to its kernel, made from a rule and the settings.

What the project's configuration says of modes, devices and limits comes in. What a kernel can be
told goes out, and the plain value of it that belongs into the page's key.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.adapters import files, kernel
from pipeline.adapters.kernel import sandbox
from pipeline.config import ExecutionPolicy, RunRule
from pipeline.core.execution import notebook as execution

# The parts of a policy that are plain values and decide what a page prints.
_LIMITS = (
    *("timeout", "page_timeout", "stall", "wall_timeout", "memory", "output"),
    *("offline", "until"),
)
_INTERPRETED = 5.0  # seconds that most cells take where Pallas kernels are interpreted


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """What is done to a kernel before the first cell.

    It is a start-up file of ``adapters/kernel/startup``, with the variables that this file reads.
    """

    startup: str
    note: str
    variables: Mapping[str, str] = field(default_factory=dict)
    cell: float = execution.SECONDS_PER_CELL  # that most cells take


# By the names that the configuration knows.
MODES = {
    "pallas-interpret": Mode(
        startup="pallas-interpret", note="in interpret mode", cell=_INTERPRETED
    ),
    "pallas-interpret-hlo": Mode(
        startup="pallas-interpret",
        note="in interpret mode",
        variables={"PALLAS_INTERPRET": "hlo"},
        cell=_INTERPRETED,
    ),
    "stand-in-data": Mode(startup="stand-in-data", note="with stand-in data"),
}


def how_it_runs(rule: RunRule) -> str:
    """How a page of ``rule`` is run, for people; empty if it is run as it is."""
    notes = [MODES[mode].note for mode in rule.modes]
    if rule.devices:
        notes.append(f"with {rule.devices} CPU devices")
    return ", ".join(notes)


def seconds_per_cell(rule: RunRule) -> float:
    """What a cell takes by the slowest mode of ``rule``."""
    seconds = [MODES[mode].cell for mode in rule.modes]
    return max(seconds, default=execution.SECONDS_PER_CELL)


def policy_of(
    rule: RunRule, settings: ExecutionPolicy, *, offline: bool
) -> kernel.Policy:
    """What the kernel of a page of ``rule`` is told."""
    variables = {
        name: os.environ[name] for name in settings.variables if name in os.environ
    }
    # What a mode needs counts more than what this machine has set.
    for mode in rule.modes:
        variables |= MODES[mode].variables
    if rule.devices:
        # Added to the flags that are passed on: those of XLA are all in one variable.
        flags = f"--xla_force_host_platform_device_count={rule.devices}"
        variables["XLA_FLAGS"] = f"{variables.get('XLA_FLAGS', '')} {flags}".strip()
    return kernel.Policy(
        timeout=rule.timeout or settings.timeout,
        page_timeout=rule.page_timeout or settings.page_timeout,
        stall=settings.stall,
        wall_timeout=settings.wall_timeout,
        memory=settings.memory,
        output=settings.output,
        threads=0,  # the pool knows how many workers share the machine
        offline=offline,
        variables=variables,
        startup=tuple(MODES[mode].startup for mode in rule.modes),
        until=rule.until,
    )


def policy_facts(policy: kernel.Policy) -> dict[str, Any]:
    """The policy as a plain value, for the key of a page.

    Threads are the machine's affair and no part of it. Start-up files are what they say: a page
    runs again if one of them is edited.
    """
    startup = []
    for name in policy.startup:
        text = files.read_bytes(sandbox.STARTUP / f"{name}.py")
        startup.append([name, hashlib.sha256(text).hexdigest()])
    facts: dict[str, Any] = {name: getattr(policy, name) for name in _LIMITS}
    facts["variables"] = dict(policy.variables)
    facts["startup"] = startup
    return facts
