"""The stage split: parse upstream's documents and split them into messages.

The pages of the checkout come in. Their documents go out, with a finding for everything that cannot
be parsed or translated. A broken document never stops the others. Pages that have not changed since
the last run are taken from a memo.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.adapters.files import read_bytes
from pipeline.adapters.memo import Memo, code_digest, digest_of
from pipeline.core.document.reader import Document, Format, SplitPage, read_document
from pipeline.core.execution.notebook import faults_in
from pipeline.core.execution.shape import FAULT
from pipeline.core.pin.lock import Page
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.paths import Paths
from pipeline.reading import MYST, Reading
from pipeline.report.counts import counted
from pipeline.run import Run

# Parsers: another version may give other results, so their versions are part of the memo's key.
_LIBRARIES = ("docutils", "markdown-it-py", "mdit-py-plugins")


def split(run: Run, pages: Sequence[Page]) -> tuple[SplitPage, ...]:
    """Split every page; a malformed document is reported and left out."""
    with run.log.step("split") as step:
        split_pages = _known_or_split(run, pages)
        # The counts show at a glance whether the selection is as intended.
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
    """Return the split pages, from the memo or split now.

    The lock has the digests of their documents, so a page's lock entry is a sufficient key.
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
            # Not remembered, so that the next run reads the file and reports the error again.
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
    """Split one page; return its readable documents, and findings about the others."""
    documents: list[Document] = []
    findings: list[Finding] = []
    # Both documents of a jupytext pair are translated, although only one is executed.
    for file in page.files:
        try:
            data = read_bytes(paths.docs / file.path)
            document = read_document(file.path, data, reading)
            findings += _notebook_faults(document, page)
        except InputError as error:
            # Later stages keep its catalogue: the messages are unread, not gone.
            findings.append(Finding.of(error, page=page.name))
            continue
        documents.append(document)
        findings += _untranslated_blocks(document, page)
        if document.notebook and not document.notebook.has_metadata:
            findings.append(_no_metadata(document, page))
    # Reported once per page, for any number of differences.
    if not _have_same_code(documents):
        findings.append(_pair_out_of_sync(page))
    return SplitPage(page=page, documents=tuple(documents), findings=tuple(findings))


def _have_same_code(documents: Sequence[Document]) -> bool:
    """Return whether the documents of a jupytext pair have the same number of code cells.

    The cells' text is not compared, because jupytext writes magics and blank lines differently.
    """
    counts = set()
    for document in documents:
        # Other formats are separate pages that happen to share the name.
        if document.format in (Format.NOTEBOOK, Format.MYST_NOTEBOOK):
            counts.add(len(document.code))
    return len(counts) <= 1


def _untranslated_blocks(document: Document, page: Page) -> Iterator[Finding]:
    """Yield a finding for each block that must stay English.

    The splitter gives the line and the reason, for example "a table that cannot be redrawn".
    """
    for unit in document.units:
        for line, reason in unit.split.left_in_english:
            yield Finding(
                code="left-alone",
                severity=Severity.NOTE,
                where=document.line_place(unit, line),
                text=f"stays in English: {reason}",
                page=page.name,
            )


def _notebook_faults(document: Document, page: Page) -> Iterator[Finding]:
    """Yield a finding for each fault that hides part of a notebook's cells. Raises InputError."""
    if document.format is not Format.NOTEBOOK:
        return
    for fault in faults_in(document.raw, where=document.path):
        cell = f", cell {fault.cell}" if fault.cell else ""
        yield Finding(
            code=FAULT,
            severity=Severity.WARNING,  # only upstream can fix it
            where=f"{document.path}{cell}",
            text=fault.text,
            page=page.name,
            hint="The rest of the page is shown. Upstream should mend the notebook.",
        )


def _no_metadata(document: Document, page: Page) -> Finding:
    return Finding(
        code="notebook-metadata",
        severity=Severity.WARNING,  # only upstream can fix it
        where=document.path,
        text="the notebook has no metadata object, which nbformat demands",
        page=page.name,
        hint=(
            "It is translated all the same, but may not run. Open and save it in Jupyter upstream."
        ),
    )


def _pair_out_of_sync(page: Page) -> Finding:
    return Finding(
        code="twins-differ",
        severity=Severity.NOTE,
        where=page.files[0].path,
        text=(
            "the two documents of the pair hold different numbers of code cells; "
            "the notebook is the one that runs"
        ),
        page=page.name,
        hint="Upstream forgot to run jupytext --sync.",
    )
