"""prune: remove what was built of pages that upstream no longer has. Catalogues are never removed."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.adapters.files import remove_files
from pipeline.core.pin.lock import Page
from pipeline.run import Run


def prune(run: Run, pages: Sequence[Page], *, locale: str) -> tuple[str, ...]:
    """Remove merged, executed and rendered files that belong to none of ``pages``; return them,
    relative to the root."""
    paths = run.paths
    merged, executed, html = paths.merged(locale), paths.executed(locale), paths.html(locale)
    blocks = paths.blocks(locale)
    wanted = {merged / file.path for page in pages for file in page.files}
    wanted |= {blocks / f"{file.path}.json" for page in pages for file in page.files}
    wanted |= {executed / f"{page.name}.ipynb" for page in pages}
    wanted |= {html / f"{page.name}.html" for page in pages} | {html / "index.html"}
    stale = [
        path
        for folder in (merged, blocks, executed, html)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path not in wanted
    ]
    if not run.dry:
        remove_files(stale)
    return tuple(map(run.shown, stale))
