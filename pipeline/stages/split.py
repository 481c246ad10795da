"""split: upstream's documents, read and cut into messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.adapters.files import read_bytes
from pipeline.core.document.read import Document, Format, SplitPage, read_document
from pipeline.core.pin.lock import Page
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.paths import Paths
from pipeline.run import Run


def split(run: Run, pages: Sequence[Page]) -> tuple[SplitPage, ...]:
    """Read every page. A malformed document is a finding and is left out; the others go on."""
    with run.log.step("split") as step:
        found = tuple(split_page(run.paths, page) for page in pages)
        documents = [document for page in found for document in page.documents]
        messages = sum(
            len(unit.split.messages) for document in documents for unit in document.units
        )
        step.result = f"{len(found)} pages, {len(documents)} documents, {messages} blocks of prose"
    return found


def split_page(paths: Paths, page: Page) -> SplitPage:
    """One page with those of its documents that can be read, and findings for the others."""
    documents: list[Document] = []
    findings: list[Finding] = []
    for file in page.files:
        try:
            document = read_document(file.path, read_bytes(paths.docs / file.path))
        except InputError as error:
            findings.append(Finding.of(error, page=page.name))
            continue
        documents.append(document)
        findings += _left_alone(document, page)
        if document.notebook and not document.notebook.has_metadata:
            findings.append(_no_metadata(document, page))
    if len(documents) > 1 and not _same_code(*documents):
        findings.append(_twins_differ(page))
    return SplitPage(page=page, documents=tuple(documents), findings=tuple(findings))


def _same_code(first: Document, second: Document) -> bool:
    """Whether both documents of a pair hold the same code, as far as jupytext keeps it."""
    if {Format.MYST, Format.RST} & {first.format, second.format}:
        return True  # a page of its own that happens to share the name
    return len(first.code) == len(second.code)


def _left_alone(document: Document, page: Page) -> Iterator[Finding]:
    """What cannot be translated without touching more than its words."""
    for unit in document.units:
        for line, reason in unit.split.unsafe:
            text = f"stays in English: {reason}"
            yield Finding(
                code="left-alone",
                severity=Severity.NOTE,
                where=f"{document.path}:{line}",
                text=text,
                page=page.name,
            )


def _no_metadata(document: Document, page: Page) -> Finding:
    return Finding(
        code="notebook-metadata",
        severity=Severity.WARNING,
        where=document.path,
        text="the notebook has no metadata object, which nbformat demands",
        page=page.name,
        hint="It is translated all the same, but may not run. Open and save it in Jupyter upstream.",
    )


def _twins_differ(page: Page) -> Finding:
    return Finding(
        code="twins-differ",
        severity=Severity.NOTE,
        where=page.files[0].path,
        text="the two documents of the pair hold different numbers of code cells; the notebook is the one that runs",
        page=page.name,
        hint="Upstream forgot to run jupytext --sync.",
    )
