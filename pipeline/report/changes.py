"""How the English of two commits differs, in words: what ``upgrade`` and ``status`` both tell.

Comparisons of pages go in; lines and cells come out. Names of pages come from upstream and are made
printable where they become a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pipeline.core.catalog.comparison import PageChange
from pipeline.core.pin.lock import Lock
from pipeline.log import printable
from pipeline.report.counts import name_some


def happened(change: PageChange | None, *, moved_from: str = "") -> str:
    """What became of a page, in a few words; nothing if neither its text nor its code changed.

    ``renamed from a, 3 changed, 1 new, code changed``. ``moved_from`` is the page that its
    translations came from, where the comparison knows of no other name.
    """
    if change is None:
        return ""
    if change.vanished:
        # What it had may stand on other pages now: only what is nowhere was dropped.
        return f"vanished, {change.dropped} dropped" if change.dropped else "vanished"
    # First where the page is from, then its text, then its code.
    facts = []
    source = change.renamed_from or moved_from
    if source:
        facts += [f"renamed from {source}", _differences(change)]
    elif change.appeared:
        # Of a page that nobody knew every message is new: to count them would tell nothing.
        facts.append("appeared")
    else:
        facts.append(_differences(change))
    if change.code_changed:
        facts.append("code changed")
    return ", ".join(filter(None, facts))


def _differences(change: PageChange) -> str:
    """How many messages became what: ``3 changed, 1 new``; empty if all are as they were."""
    counts = (
        (change.changed, "changed"),
        (change.added, "new"),
        (change.moved, "from other pages"),
        (change.dropped, "dropped"),
    )
    return ", ".join(f"{count} {words}" for count, words in counts if count)


def overview_lines(changes: Sequence[PageChange], *, most: int = 0) -> list[str]:
    """Which pages came, went, were renamed, and whose code changed: all names, or ``most``.

    ``pages that were renamed: 1 (a → b)``; a line is left out where there is no page to name.
    """
    # A page that was renamed has two changes: one appeared, one vanished. It is told once.
    old_names = {change.renamed_from for change in changes}
    appeared, vanished, renamed, code_changed = [], [], [], []
    for change in changes:
        # "renamed" says already that there is a page of this name now.
        if change.renamed_from:
            renamed.append(f"{change.renamed_from} → {change.page}")
        elif change.appeared:
            appeared.append(change.page)
        if change.vanished and change.page not in old_names:
            vanished.append(change.page)
        if change.code_changed:
            code_changed.append(change.page)
    lines = []
    for title, names in (
        ("pages that appeared", appeared),
        ("pages that vanished", vanished),
        ("pages that were renamed", renamed),
        ("pages whose code changed", code_changed),
    ):
        if names:
            shown = name_some(list(map(printable, names)), most or len(names))
            lines.append(f"{title}: {len(names)} ({shown})")
    return lines


def end_text(lock: Lock) -> str:
    """One end of a move: ``jax-v0.10.2 (0123456, JAX 0.10.2)``."""
    facts = ", ".join(filter(None, (lock.commit[:7], lock.release)))
    return f"{printable(lock.ref)} ({facts})"


def classes_text(classes: Mapping[str, int]) -> str:
    """``2 mark-up, 1 rewording``: the order is that of ``classes``."""
    return ", ".join(f"{count} {name}" for name, count in classes.items())


def number_cells(numbers: Iterable[int | str]) -> tuple[str, ...]:
    """Numbers as cells; what is zero is left out, so that the others are seen."""
    # A fuzzy count by class is words already, and empty if there are none.
    return tuple(
        number if isinstance(number, str) else str(number or "") for number in numbers
    )
