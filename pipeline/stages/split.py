"""The stage split: parse upstream's documents and split them into messages.

A message is a block of prose, such as a heading or a paragraph. ``split`` takes pages of the lock
and returns their documents with messages, and a finding for each document or block that cannot be
parsed or translated. A broken document never stops the others. Pages that have not changed since
the last run come from a memo.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.adapters.files import read_bytes
from pipeline.adapters.memo import Memo, code_digest, digest_of
from pipeline.core.document.reader import Document, Format, SplitPage, read_document
from pipeline.core.execution.code_cells import faults_in
from pipeline.core.pin.lock import Page
from pipeline.errors import InputError
from pipeline.findings import Finding
from pipeline.paths import Paths
from pipeline.reading import MYST, Reading
from pipeline.report.counts import counted
from pipeline.run import Run

# The parsers. Another version may give other results, so versions are part of the memo's key.
_LIBRARIES = ("docutils", "markdown-it-py", "mdit-py-plugins")


def split(run: Run, pages: Sequence[Page]) -> tuple[SplitPage, ...]:
    """Split every page. A malformed document becomes a finding and is left out."""
    with run.log.step("split") as step:
        split_pages = _known_or_split(run, pages)
        # Show counts, so that people notice a wrong selection of pages.
        documents = messages = 0
        for page in split_pages:
            documents += len(page.documents)
            for document in page.documents:
                messages += sum(len(unit.split.messages) for unit in document.units)
        read = f"{counted(len(split_pages), 'page')}, {counted(documents, 'document')}"
        prose = counted(messages, "block of prose", "blocks of prose")
        step.result = f"{read}, {prose}"
    return split_pages


def _known_or_split(run: Run, pages: Sequence[Page]) -> tuple[SplitPage, ...]:
    """Return the split pages, from the memo if possible.

    The key of a page is a digest of three things: its entry in the lock, which has digests of its
    documents; the settings; and the code of the parsers.
    """
    memo = Memo(run.paths.splits, SplitPage)
    reading = run.upstream.reading
    common = digest_of(
        code_digest(_LIBRARIES),
        reading.dialect,
        repr(reading.has_substitutions),
        repr(reading.partly),
        *sorted(reading.prose),
    )
    split_pages: list[SplitPage] = []
    is_new = False
    for page in pages:
        key = digest_of(common, repr(page))
        found = memo.get(page.name, key)
        if found is None:
            found = split_page(run.paths, page, reading)
            # Do not store a page with a broken document: the next run must report the error again.
            is_whole = len(found.documents) == len(page.files)
            if is_whole:
                memo.put(page.name, key, found)
                is_new = True
        split_pages.append(found)
    if is_new and not run.dry:
        if not run.pages:
            memo.keep_only([page.name for page in pages])
        memo.save()
    return tuple(split_pages)


def split_page(paths: Paths, page: Page, reading: Reading = MYST) -> SplitPage:
    """Split one page; return its readable documents and all findings."""
    documents: list[Document] = []
    findings: list[Finding] = []
    # Split both documents of a jupytext pair, although only one of them is executed.
    for file in page.files:
        try:
            data = read_bytes(paths.docs / file.path)
            document = read_document(file.path, data, reading)
            findings += _notebook_faults(document, page)
        except InputError as error:
            # Later stages keep the catalogue of this page, because its messages may still exist.
            findings.append(Finding.of(error, page=page.name))
            continue
        documents.append(document)
        findings += _untranslated_blocks(document, page)
        if document.notebook and not document.notebook.has_metadata:
            findings.append(
                Finding.from_table("notebook-metadata", where=document.path, page=page.name)
            )
    # Report this once for each page, however many cells differ.
    if not _have_same_code(documents):
        path = page.files[0].path
        findings.append(Finding.from_table("twins-differ", where=path, page=page.name))
    return SplitPage(page=page, documents=tuple(documents), findings=tuple(findings))


def _have_same_code(documents: Sequence[Document]) -> bool:
    """Return whether the documents of a jupytext pair have the same number of code cells.

    Such a pair is one notebook in two files, ``.ipynb`` and Markdown. The text of the cells is not
    compared, because jupytext changes magics and blank lines.
    """
    counts = set()
    for document in documents:
        # Documents in other formats are not part of the pair; they only share the name.
        if document.is_notebook:
            counts.add(len(document.code))
    return len(counts) <= 1


def _untranslated_blocks(document: Document, page: Page) -> Iterator[Finding]:
    """Yield a finding for each block that must stay English.

    The splitter supplies the line and the reason: "a table that cannot be redrawn".
    """
    for unit in document.units:
        for line, reason in unit.split.left_in_english:
            where = document.line_place(unit, line)
            yield Finding.from_table("left-alone", where=where, page=page.name, reason=reason)


def _notebook_faults(document: Document, page: Page) -> Iterator[Finding]:
    """Yield a finding for each fault that hides part of a notebook's cells. Raises InputError."""
    if document.format is not Format.NOTEBOOK:
        return
    for fault in faults_in(document.raw, where=document.path):
        cell = f", cell {fault.cell}" if fault.cell else ""
        yield Finding.from_table(
            "notebook-fault",
            where=f"{document.path}{cell}",
            page=page.name,
            fault=fault.text,
        )
