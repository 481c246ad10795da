"""How a page is run: the policy that goes to its kernel, made from a rule and the settings.

What the project's configuration says of modes, devices and limits comes in. What a kernel can be
told goes out, and the plain value of it that belongs into the page's key.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any

from pipeline.adapters import kernel
from pipeline.config import RunRule, Settings
from pipeline.core.execution import notebook as execution
from pipeline.stages.execute.startup import startup_of

# The parts of a policy that are plain values and decide what a page prints.
_LIMITS = (
    *("timeout", "page_timeout", "stall", "wall_timeout", "memory", "output"),
    *("offline", "until"),
)


def how_it_runs(rule: RunRule) -> str:
    """How a page of ``rule`` is run, for people; empty if it is run as it is."""
    notes = [mode.note for mode in rule.modes]
    if rule.devices:
        notes.append(f"with {rule.devices} CPU devices")
    return ", ".join(notes)


def seconds_per_cell(rule: RunRule) -> float:
    """What a cell takes by the slowest mode of ``rule``."""
    usual = execution.SECONDS_PER_CELL
    told = [mode.cell_seconds for mode in rule.modes]
    return max((usual if cell is None else cell for cell in told), default=usual)


def policy_of(rule: RunRule, settings: Settings, *, offline: bool) -> kernel.Policy:
    """What the kernel of a page of ``rule`` is told.

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
    """The policy as a plain value, for the key of a page.

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
