"""Pages with their fuzzy translations, for translators to look at (``--show-fuzzy``): what readers never get."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pipeline.adapters import files, kernel, po
from pipeline.core.checks.base import Subject
from pipeline.core.checks.blocking import blocking_problem
from pipeline.core.document.compose import Frame, merge
from pipeline.core.document.read import Document, read_document
from pipeline.core.execution import notebook as execution
from pipeline.core.execution.placing import outputs_of, with_outputs
from pipeline.core.myst import targets as anchors
from pipeline.core.results import PageResult
from pipeline.entries import Catalog, translations_of
from pipeline.errors import InputError
from pipeline.site.plan import Site


def has_fuzzy(page: PageResult) -> bool:
    """Whether there is anything to see on a page that readers do not see."""
    return page.fuzzy > 0


def preview(site: Site, page: PageResult, executed: bytes | None) -> tuple[str, bytes]:
    """Path and bytes of a page's document, merged anew with its fuzzy translations, with the outputs of ``executed``.

    Raises PipelineError.
    """
    path = page.files[0].path
    document = read_document(path, files.read_bytes(site.paths.docs / path))
    source = site.paths.catalog(site.locale, page.page)
    catalog = po.read_catalog(files.read_bytes(source), where=str(source)).catalog
    merged = merge(
        document, translations_of(_finished(site, page.page, catalog)), _frame(site, document)
    ).data
    return (
        (path, merged)
        if executed is None
        else (f"{page.page}.ipynb", with_outputs_of(executed, path, merged))
    )


def with_outputs_of(executed: bytes, path: str, merged: bytes) -> bytes:
    """The merged document ``path`` as a notebook with the outputs of a run. Raises PipelineError, also if it ran other code."""
    outputs = outputs_of(execution.parse_notebook(executed, where=path))
    notebook = with_outputs(notebook_of(path, merged), outputs, where=path)
    return kernel.notebook_text(notebook).encode("utf-8", "replace")


def _finished(site: Site, page: str, catalog: Catalog) -> Catalog:
    """Fuzzy entries as if they were finished, but for those that a check would keep from any page."""
    ignored = site.upstream.ignored(page)
    entries = (
        entry if entry.obsolete else replace(entry, fuzzy=False) for entry in catalog.entries
    )
    shown = (
        entry
        for entry in entries
        if not entry.is_translated or not blocking_problem(Subject(entry, page), ignored)
    )
    return replace(catalog, entries=tuple(shown))


def _frame(site: Site, document: Document) -> Frame:
    """As ``merge`` has it, with links from this page only: a preview has all English anchors on its headings anyway."""
    name = document.path.rpartition(".")[0]
    linked = anchors.linked_anchors((name, unit.split.text) for unit in document.units)
    return Frame(attribution=site.attribution(document.path), anchors=linked.get(name, frozenset()))


def notebook_of(path: str, data: bytes) -> dict[str, Any]:
    """A document as a notebook. Raises InputError."""
    if path.endswith(".ipynb"):
        return execution.parse_notebook(data, where=path)
    try:
        return kernel.notebook_from_myst(data.decode("utf-8", "replace"))
    except ValueError as error:
        raise InputError(
            f"cannot be read as a notebook: {error}",
            where=path,
            hint="Look for what jupytext does not read.",
        ) from error
