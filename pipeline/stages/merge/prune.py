"""Remove what was built of pages that upstream no longer has. Catalogues are never removed.

In go the pages that there are. What else lies in the folders of merged, executed and rendered pages
was made of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pipeline.adapters.files import remove_files
from pipeline.core.pin.lock import Page
from pipeline.run import Run


def prune(run: Run, pages: Sequence[Page], *, locale: str) -> tuple[str, ...]:
    """Remove built files that belong to none of ``pages``; return them, relative to the root.

    ``pages`` are all that are selected, not those that a run of a few pages is about.
    """
    paths = run.paths
    # The site has folders of its own, and removes there what it does not make any more.
    merged, executed, html = (
        paths.merged(locale),
        paths.executed(locale),
        paths.html(locale),
    )
    blocks = paths.blocks(locale)
    wanted = {paths.preview(locale)}  # it belongs to no page
    for page in pages:
        # Also of pages without code, which have no executed notebook: it is only a name.
        wanted.add(executed / f"{page.name}.ipynb")
        wanted.add(paths.html_page(locale, page.name))
        for file in page.files:
            wanted.add(merged / file.path)
            wanted.add(blocks / f"{file.path}.json")
    # One by one: a folder is removed when its last file is.
    stale: list[Path] = []
    for folder in (merged, blocks, executed, html):
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        stale += [path for path in files if path not in wanted]
    if not run.dry:
        remove_files(stale)
    return tuple(map(run.shown, stale))
