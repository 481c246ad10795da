"""How the English of two commits differs, page by page.

In go the documents of both commits, out comes what was added, changed, moved and dropped. Nothing
is written: this is what people are told before they move.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

from pipeline.core.catalog.diff import Comparison, changed_pages, compare_pages
from pipeline.core.document.reader import Document, SplitPage, read_document
from pipeline.core.pin.lock import Commit, Page
from pipeline.errors import InputError
from pipeline.reading import Reading
from pipeline.run import Run


def compare(run: Run, before: Commit, after: Commit) -> Comparison:
    """How the English of the selected pages differs. Documents that cannot be read do not count."""
    with run.log.step("compare") as step:
        # Told by blob ids: most pages of two releases are equal, and need not be read.
        names = set(changed_pages(before.lock, after.lock))
        pages = compare_pages(
            _read_pages(run, before, names), _read_pages(run, after, names)
        )
        step.result = f"{len(pages)} pages differ"
    return Comparison(before=before.lock, after=after.lock, pages=pages)


def _read_pages(run: Run, commit: Commit, names: Collection[str]) -> list[SplitPage]:
    """Those pages of a commit that are in ``names`` and are translated, split into messages."""
    pages = []
    for page in commit.lock.pages:
        if page.name in names and run.upstream.selects(page.name):
            documents = tuple(_readable(page, commit, run.upstream.reading))
            pages.append(SplitPage(page=page, documents=documents))
    return pages


def _readable(page: Page, commit: Commit, reading: Reading) -> Iterator[Document]:
    """The documents of a page that can be read: as split does it, they count without the others."""
    for file in page.files:
        # Split tells about one that cannot, if it is of the commit that we move to.
        with suppress(InputError):
            yield read_document(file.path, commit.documents[file.path], reading)
