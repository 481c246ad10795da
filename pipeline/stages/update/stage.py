"""The stage itself: open the memory, update the catalogues, store them in the memory.

In go the pages that were split, out come catalogues at the pin. After it memory and catalogues
agree, but for what is told in findings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.core.catalog.update import Catalogs
from pipeline.core.document.reader import SplitPage
from pipeline.core.pin.lock import Lock
from pipeline.findings import Finding
from pipeline.run import Run
from pipeline.stages.update.catalogs import update_catalog_files
from pipeline.stages.update.opening import open_memory
from pipeline.stages.update.storing import store_memory


def update(
    run: Run, pages: Sequence[SplitPage], *, locale: str, lock: Lock
) -> Catalogs:
    """Bring the catalogues of ``pages`` in ``locale`` up to date, and the memory with them.

    The findings and the files written are those of all three steps, each once, in their order.
    """
    opened = open_memory(run, pages, locale=locale, lock=lock)
    catalogs = update_catalog_files(
        run, pages, locale=locale, lock=lock, opened=opened.opened
    )
    stored = store_memory(run, pages, catalogs, locale=locale, lock=lock)
    findings: dict[str, tuple[Finding, ...]] = {}
    changes: tuple[str, ...] = ()
    for step in (opened, catalogs, stored):
        for page, found in step.findings.items():
            findings[page] = (*findings.get(page, ()), *found)
        changes += step.changes
    # Two steps may read the same broken file, and write the same page.
    return replace(
        catalogs,
        findings={
            page: tuple(dict.fromkeys(found)) for page, found in findings.items()
        },
        changes=tuple(dict.fromkeys(changes)),
    )
