"""What must be the same here and on every worker, so that a page gives the same outputs there."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from pipeline.errors import ExecutionError

INSTALL = (
    "Install on the workers what is installed here: the same Python, this project, "
    "the packages of constraints.txt."
)
MOST_FACTS = 8  # that differ and are named


def all_facts(facts: Mapping[str, str]) -> dict[str, str]:
    """``facts`` and the digest of the code that runs a page.

    An older copy of that code would run pages differently, or fail oddly.
    """
    adapters = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(adapters.rglob("*.py")):
        name = path.relative_to(adapters).as_posix()
        digest.update(f"{name}\0{path.read_text('utf-8')}\0".encode())
    return {**facts, "code of the pipeline": digest.hexdigest()[:12]}


def compare_facts(
    ours: Mapping[str, str], theirs: Mapping[str, str], *, where: str
) -> None:
    """Make sure that the worker at ``where`` is our environment.

    Raises ExecutionError with the facts that differ.
    """
    differences = []
    for name in sorted(ours.keys() | theirs.keys()):
        if ours.get(name) != theirs.get(name):
            here, there = ours.get(name, "none"), theirs.get(name, "none")
            differences.append(f"{name}: {here} here, {there} there")
    if not differences:
        return
    named = differences[:MOST_FACTS]
    if len(differences) > MOST_FACTS:
        named.append(f"and {len(differences) - MOST_FACTS} more")
    raise ExecutionError(
        f"the worker is another environment, no page was sent to it ({'; '.join(named)})",
        where=where,
        hint=INSTALL,
    )
