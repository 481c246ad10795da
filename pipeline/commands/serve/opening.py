"""A page as it is now: its documents, its catalogue, and its HTML with an element per message.

Nothing is kept but what is still as it was read: the files say what is true.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes
from pipeline.adapters.html.images import PageFolder
from pipeline.core.checks.base import Subject
from pipeline.core.checks.blocking import blocking_problem
from pipeline.core.document.guard import Refusal
from pipeline.core.document.merge import Merged, merge
from pipeline.core.document.reader import Document
from pipeline.core.pin.lock import Page
from pipeline.core.workbench.blocks import Block, State, blocks_of
from pipeline.core.workbench.marks import MarkedHtml
from pipeline.entries import Catalog, translations_of
from pipeline.errors import InputError
from pipeline.findings import Finding
from pipeline.run import Run
from pipeline.stages.split import split_page


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCatalog:
    """The catalogue of a page. ``name`` is its path as people read it."""

    path: Path
    name: str
    data: bytes  # that it was read from; empty if there is no file
    catalog: Catalog
    remarks: tuple[Finding, ...] = ()  # of the reader


@dataclass(frozen=True, kw_only=True)
class OpenPage:
    """A page with its catalogue."""

    page: str
    locale: str
    folder: PageFolder  # of its images
    outputs: Path | None
    document: Document
    read: OpenCatalog
    merged: Merged
    blocks: tuple[Block, ...]

    @cached_property
    def marked(self) -> MarkedHtml:
        """The page as HTML. It takes longer than all else, so nothing waits for it but the page."""
        from pipeline.stages.publish.marked import render_marked

        return render_marked(
            self.document, self.merged, folder=self.folder, outputs=self.outputs
        )

    @property
    def progress(self) -> tuple[int, int]:
        """How many entries are finished, and how many there are: as ``status`` counts them.

        An entry may stand in several places of the page.
        """
        live = [entry for entry in self.read.catalog.entries if not entry.obsolete]
        return sum(entry.is_translated for entry in live), len(live)

    @property
    def refused(self) -> int:
        """How many of the finished entries readers cannot be shown."""
        refused = (block for block in self.blocks if block.state is State.REFUSED)
        return len({(block.entry.context, block.entry.msgid) for block in refused})


def read_documents(run: Run, page: Page) -> Document:
    """The document of a page that is shown. Raises InputError if none of them can be read."""
    split = split_page(run.paths, page, run.upstream.reading)
    if split.documents:
        return split.documents[0]  # of a pair the notebook, which has outputs
    first = split.findings[0]
    raise InputError(first.text, where=first.where, hint=first.hint)


def open_page(run: Run, document: Document, page: str, *, locale: str) -> OpenPage:
    """The page with its catalogue. Raises InputError if the catalogue cannot be read."""
    read = read_catalog(run, page, locale=locale)
    refused: dict[str, Refusal] = {}
    ignored = run.upstream.ignored(page)
    for entry in read.catalog.entries:
        if not entry.is_translated:
            continue
        problem = blocking_problem(Subject(entry, page), ignored)
        if problem is not None:
            refusal = Refusal(problem.code, problem.text, problem.hint)
            refused[entry.msgid] = refusal
    translations = translations_of(read.catalog)
    sound = {key: text for key, text in translations.items() if key not in refused}
    merged = merge(document, sound)
    ran = run.paths.executed(locale) / f"{page}.ipynb"
    return OpenPage(
        page=page,
        locale=locale,
        folder=PageFolder.of(run.paths.docs, page),
        outputs=ran if ran.is_file() else None,
        document=document,
        read=read,
        merged=merged,
        blocks=blocks_of(document, read.catalog, merged, refused),
    )


def read_catalog(run: Run, page: str, *, locale: str) -> OpenCatalog:
    """The catalogue of a page, an empty one if there is none. Raises InputError."""
    path = run.paths.catalog(locale, page)
    name = run.shown(path)
    if not path.is_file():
        return OpenCatalog(path=path, name=name, data=b"", catalog=Catalog())
    data = read_bytes(path)
    read = po.read_catalog(data, where=name)
    return OpenCatalog(
        path=path,
        name=name,
        data=data,
        catalog=read.catalog,
        remarks=read.findings,
    )
