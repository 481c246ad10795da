"""The stages of a run, one module or package each.

Data flows through them in the order of ``ORDER``, and stages do not import each other. A command
chooses a last stage. It runs this stage and all stages before it, each exactly once.
"""

from __future__ import annotations

# Opening and storing the memory are part of "update". The web site is built after all stages.
ORDER = ("pull", "split", "update", "merge", "execute", "publish")


def includes_stage(last: str, stage: str) -> bool:
    """Return whether a command whose last stage is ``last`` runs ``stage``."""
    return ORDER.index(stage) <= ORDER.index(last)
