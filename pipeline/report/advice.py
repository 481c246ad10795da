"""What a person can do about a page that failed. Pure: a record in, words out."""

from __future__ import annotations

import re

from pipeline.core.execution.notebook import MISSING, without_colours
from pipeline.core.execution.result import CellFailure, Execution

WHOSE = {
    "upstream": "the page's own code",
    "environment": "this environment",
    "expectation": "an expectation that no longer holds",
}
_NETWORK = re.compile(
    r"URLError|HTTPError|Connect|ReadTimeout|MaxRetry|NameResolution|Proxy|SSLError|gaierror|Offline|Network",
    re.I,
)
_MODULE = re.compile(r"No module named '?([\w.]+)")


def whose(execution: Execution) -> str:
    """Whose problem a failed page is, in a few words."""
    return (
        WHOSE.get(execution.failure.blame, execution.failure.blame)
        if execution.failure
        else "the document"
    )


def advice(execution: Execution) -> str:
    """What to do next about a page that failed, in a sentence or two."""
    failure = execution.failure
    if failure is None:
        return "The document could not be read as a notebook. Mend it upstream, or leave the page out with exclude."
    if failure.blame == "expectation":
        return "The cell is tagged raises-exception. If this JAX accepts the code, list the cell under acknowledge with the reason."
    return _environment(failure) if failure.blame == "environment" else _upstream(failure)


def _upstream(failure: CellFailure) -> str:
    cell = f"cell {failure.cell}"
    return (
        f"Look whether upstream's main branch has changed {cell}; if not, report it there. Until then a skip rule with the reason "
        "“upstream bug”, or a run rule with until, keeps the page from failing."
    )


def _environment(failure: CellFailure) -> str:
    name = failure.exception.rpartition(".")[2]
    message = without_colours(failure.message)
    if match := _MODULE.search(message):
        return f"Add the package that provides {match[1].partition('.')[0]} to the dependency group execute, and run nox again."
    if _NETWORK.search(name) or "offline" in message:
        return "It needs the network. Run without --offline, or give the page a skip rule with the reason “network data”."
    if MISSING.search(message):
        return "It needs an accelerator. Give the page a run rule with until or mode, or a skip rule with the reason “accelerator”."
    if "Timeout" in name:
        return "It took too long. Run the page again alone with --pages; if it is just slow, raise timeout under tool.pipeline.execution."
    if "Memory" in name or re.search(r"memory|signal 9|SIGKILL|code -9", message, re.I):
        return "Perhaps it ran out of memory. Run with --jobs 1, or raise memory under tool.pipeline.execution."
    if "Output" in name:
        return "It printed too much. If that is meant to be, raise output under tool.pipeline.execution."
    return "Run the page again alone: nox -s execute -- --pages PAGE -v. If it fails again, the message above says what is missing."
