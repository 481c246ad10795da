"""How the English of two commits differs, page by page.

In go the documents of both commits, out comes what was added, changed, moved and dropped. Nothing
is written: this is what people are told before they move.
"""

from __future__ import annotations

from collections.abc import Collection

from pipeline.core.catalog.comparison import Comparison, changed_pages, compare_pages
from pipeline.core.document.read import Document, SplitPage, read_document
from pipeline.core.pin.lock import Commit, pages_of
from pipeline.errors import InputError
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
    pages = []
    for page in pages_of(commit.lock.files):
        if page.name not in names or not run.upstream.selects(page.name):
            continue
        documents: list[Document] = []
        for file in page.files:
            # As split does it: what can be read of a page counts.
            try:
                documents.append(read_document(file.path, commit.documents[file.path]))
            except InputError:
                continue  # split tells about it, if it is what we move to
        pages.append(SplitPage(page=page, documents=tuple(documents)))
    return pages
