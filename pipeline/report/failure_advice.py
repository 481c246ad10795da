"""Advice about failed pages: takes the record of an execution, returns a sentence or two.

The first rule that matches wins, so the more certain ones come first.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pipeline.core.execution.notebook import cell_name
from pipeline.core.execution.result import (
    MISSING,
    CellFailure,
    Execution,
    without_colours,
)
from pipeline.packages import how_to_run, running_group

WHOSE = {
    "upstream": "the page's own code",
    "environment": "this environment",
    "expectation": "an expectation that no longer holds",
}
_MODULE = re.compile(r"No module named '?([\w.]+)")
# Names of exceptions in the standard library and in requests.
_NETWORK = re.compile(
    r"URLError|HTTPError|Connect|ReadTimeout|MaxRetry|NameResolution"
    r"|Proxy|SSLError|gaierror|Offline|Network",
    re.I,
)
# Signs of a kernel that the system killed for lack of memory, with signal 9.
_OUT_OF_MEMORY = re.compile(r"memory|signal 9|SIGKILL|code -9", re.I)

# A test of an exception's name and message, and the advice if it succeeds.
_Rule = tuple[Callable[[str, str], object], str]


def whose(execution: Execution) -> str:
    """Return who has to solve the problem of a failed page, in a few words."""
    failure = execution.failure
    if failure is None:
        return "the document"
    return WHOSE.get(failure.blame, failure.blame)


def advice(execution: Execution) -> str:
    """Return what to do about a failed page, in a sentence or two."""
    failure = execution.failure
    if failure is None:
        return (
            "The document could not be read as a notebook. "
            "Mend it upstream, or leave the page out with exclude."
        )
    match failure.blame:
        case "expectation":
            return (
                "The cell is tagged raises-exception. If what is pinned accepts the code, "
                "list the cell under acknowledge with the reason."
            )
        case "environment":
            return _about_the_environment(failure)
        case _:
            changed = cell_name(failure.cell) or "the page"
            return (
                f"Look whether upstream's main branch has changed {changed}; if not, "
                "report it there. Until then a skip rule with the reason “upstream bug”, "
                "or a run rule with until, keeps the page from failing."
            )


def _about_the_environment(failure: CellFailure) -> str:
    """Return what to do about an exception that the environment has caused."""
    name = failure.exception.rpartition(".")[2]
    message = without_colours(failure.message)
    module = _MODULE.search(message)
    if module:
        # People install the package, not the module in it: "optax.losses" → optax.
        package = module[1].partition(".")[0]
        return (
            f"Add the package that provides {package} to the dependency group {running_group()}, "
            "install that, and run again."
        )
    for fits, words in _ENVIRONMENT:
        if fits(name, message):
            return words
    return (
        f"Run the page again alone: {how_to_run('execute', '--pages PAGE -v')}. "
        "If it fails again, the message above says what is missing."
    )


# The names of exceptions are those of Python, of libraries, and of the pipeline's own
# limits. The latter contain "Timeout", "Memory" or "Output" (listed in
# ``core.execution.notebook``).
_ENVIRONMENT: tuple[_Rule, ...] = (
    (
        lambda name, message: _NETWORK.search(name) or "offline" in message,
        (
            "It needs the network. Run without --offline, or give the page a skip rule with the "
            "reason “network data”."
        ),
    ),
    (
        lambda name, message: MISSING.search(message),
        (
            "It needs an accelerator. Give the page a run rule with until or mode, or a skip rule "
            "with the reason “accelerator”."
        ),
    ),
    (
        lambda name, message: name == "Stalled",
        (
            "It waited for something that did not come: an answer from the network, a lock, input. "
            "Run the page again alone with --pages; if it has to wait, raise stall under "
            "tool.pipeline.execution."
        ),
    ),
    (
        lambda name, message: name == "WallTimeout",
        (
            "The machine had no time for it. Run again when it has, or with fewer --jobs; if the "
            "page needs that long, raise wall-timeout under tool.pipeline.execution."
        ),
    ),
    (
        lambda name, message: "Timeout" in name,
        (
            "It used too much CPU time. If it is just slow, give the page a run rule with timeout "
            "(per cell) or page-timeout, or raise those under tool.pipeline.execution."
        ),
    ),
    (
        lambda name, message: "Memory" in name or _OUT_OF_MEMORY.search(message),
        (
            "Perhaps it ran out of memory. Run with --jobs 1, or raise memory under "
            "tool.pipeline.execution."
        ),
    ),
    (
        lambda name, message: name == "ProcessLimit",
        "It started too many processes. No docs need that many: look at the cell upstream.",
    ),
    (
        lambda name, message: "Output" in name,
        "It printed too much. If that is meant to be, raise output under tool.pipeline.execution.",
    ),
)
