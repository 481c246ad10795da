"""mdpo at its best: every Markdown page in one process, one catalogue for each.

Called as ``python -m bench.mdpo_pages DOCS CATALOGS``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mdpo.md2po import markdown_to_pofile  # type: ignore[import-untyped, import-not-found, unused-ignore] # only `nox -s bench` has it


def extract(docs: Path, catalogs: Path) -> None:
    """Make or update a catalogue for each ``.md`` file below ``docs``."""
    for page in sorted(docs.rglob("*.md")):
        catalog = catalogs / page.relative_to(docs).with_suffix(".po")
        catalog.parent.mkdir(parents=True, exist_ok=True)
        markdown_to_pofile(
            str(page), po_filepath=str(catalog), save=True, wrapwidth=0, location=False
        )


if __name__ == "__main__":
    extract(Path(sys.argv[1]), Path(sys.argv[2]))
