"""The stages, one file or folder each.

Data flows through them one way, and they do not know each other.
``ORDER`` is that way. A command says how far it goes; it never skips a stage on the way there, and
none comes twice.
"""

from __future__ import annotations

# Opening and storing the memory are parts of "update"; the web site is made after all of them.
ORDER = ("pull", "split", "update", "merge", "execute", "publish")


def goes_as_far_as(last: str, stage: str) -> bool:
    """Whether a command whose last stage is ``last`` runs ``stage``."""
    return ORDER.index(stage) <= ORDER.index(last)
