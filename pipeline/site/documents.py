"""The document that Sphinx reads for a page, and the notebooks that the page offers as downloads.

The document is the executed notebook if the page's code ran. If not, it is the merged document, or
upstream's own document if there is no merged one. Outputs of a run are shown only if they come from
exactly the code that the page shows.

A landing is the position of a message in the merged document. The stage ``merge`` writes the
landings to a file. If this file is missing or damaged, or for a preview, the page is merged again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters import files, kernel
from pipeline.core.checks.engine import blocking_problem
from pipeline.core.checks.model import Subject
from pipeline.core.document import merge
from pipeline.core.document.landing import Landing, landings_from_json
from pipeline.core.document.markdown import anchors
from pipeline.core.document.merge import Merged, PageExtras
from pipeline.core.document.reader import Document, is_myst_notebook, read_document
from pipeline.core.execution import code_cells as execution
from pipeline.core.execution.outputs import outputs_of, with_ids, with_outputs
from pipeline.core.pin.lock import page_name
from pipeline.core.results import PageResult
from pipeline.entries import Catalog, Entry, translations_of
from pipeline.errors import GuardError, InputError, PipelineError
from pipeline.site.credits import entries_in
from pipeline.site.names import DOWNLOADS, ShownOutputs
from pipeline.site.plan import Site


def landings_of(site: Site, page: PageResult) -> tuple[Landing, ...]:
    """Return the landing of every message of a page.

    If ``merge`` could not write the page, the site shows upstream's document; then all messages are
    English. A document that cannot be split has no landings. Raises InputError.
    """
    path = page.files[0].path
    # Without a merged document, do not read the file of landings: it would be from an earlier run.
    if not (site.paths.merged(site.locale) / path).is_file():
        try:
            return merge.merge(_upstream_document(site, path), {}).blocks
        except InputError:
            return ()  # ``split`` has reported the error; Sphinx may still be able to show the page
    file = site.paths.blocks(site.locale) / f"{path}.json"
    if file.is_file():
        try:
            return landings_from_json(files.read_bytes(file), where=str(file))
        except InputError:
            pass  # damaged, or written by another version of the pipeline: merge again
    try:
        return merge_again(site, page).blocks
    except GuardError:
        # The merged document is from an earlier run, so treat all messages as English.
        return merge.merge(_upstream_document(site, path), {}).blocks


def merge_again(site: Site, page: PageResult, *, with_fuzzy: bool = False) -> Merged:
    """Merge a page with its finished translations, and ``with_fuzzy`` also with its fuzzy ones.

    Raises InputError if the document cannot be read, and GuardError if it cannot be merged.
    """
    document = _upstream_document(site, page.files[0].path)
    ignored = site.upstream.ignored(page.page)
    shown: list[Entry] = []
    for entry in entries_in(site.paths.catalog(site.locale, page.page)):
        finished = entry
        if with_fuzzy and not entry.obsolete:
            finished = replace(entry, fuzzy=False)
        # Leave out translations that a check blocks: previews do not show them, either.
        if finished.is_translated and blocking_problem(Subject(finished, page.page), ignored):
            continue
        shown.append(finished)
    # Choose among the entries as the stage ``merge`` does.
    translations = translations_of(Catalog(entries=tuple(shown)))
    # The stage ``merge`` also collects anchors for links from other pages. The site needs no such
    # anchors, because the extension gives every heading its English anchor.
    name = page_name(document.path)
    linked = anchors.linked_anchors((name, unit.split.text) for unit in document.units)
    extras = PageExtras(
        attribution=site.attribution(document.path),
        anchors=linked.get(name, frozenset()),
    )
    return merge.merge(document, translations, extras)


def _upstream_document(site: Site, path: str) -> Document:
    """Return the English document as it was pulled. Raises InputError."""
    data = files.read_bytes(site.paths.docs / path)
    return read_document(path, data, site.upstream.reading)


class PageDocument(Struct, frozen=True, kw_only=True):
    """The document that Sphinx reads for a page. ``path`` is its name among Sphinx's sources.

    ``outputs`` is the kind of outputs that the document has below its code.
    """

    page: PageResult
    path: str
    data: bytes
    landings: tuple[Landing, ...]
    outputs: ShownOutputs = ShownOutputs.MISSING
    is_notebook: bool = False

    @property
    def downloads(self) -> dict[str, str]:
        """Paths of the downloads in the site, by kind: ``executed``, or ``clean`` (no outputs)."""
        if not self.is_notebook:
            return {}
        downloads = {}
        if self.outputs is ShownOutputs.RAN:
            downloads["executed"] = f"{DOWNLOADS}/{self.page.page}.ipynb"
        downloads["clean"] = f"{DOWNLOADS}/clean/{self.page.page}.ipynb"
        return downloads


def page_document(site: Site, page: PageResult) -> PageDocument:
    """Choose and read the document of a page. Raises PipelineError."""
    if site.reference and site.is_made(page.page):
        data = site.reference.text_of(page.page)
        return PageDocument(page=page, path=f"{page.page}.rst", data=data, landings=())
    path = page.files[0].path
    executed = site.paths.executed(site.locale) / f"{page.page}.ipynb"
    ran = files.read_bytes(executed) if executed.is_file() else None
    is_preview = site.policy.show_fuzzy and bool(page.fuzzy)
    file = site.document(path)
    if is_preview:
        # The merged document lacks fuzzy translations, so merge the page again for the preview.
        again = merge_again(site, page, with_fuzzy=True)
        merged, landings = again.data, again.blocks
    else:
        # The landings are valid for the executed notebook as well, because it has the same prose as
        # the merged document.
        merged, landings = files.read_bytes(file), landings_of(site, page)
    document = PageDocument(page=page, path=path, data=merged, landings=landings)
    if ran is None:
        return _without_run(document, is_runnable=not site.upstream.is_beside)
    # If the merged document is newer than the notebook, the prose of the notebook may be outdated.
    # In that case, put the notebook's outputs into the merged document.
    if is_preview or file.stat().st_mtime_ns > executed.stat().st_mtime_ns:
        try:
            ran = _with_outputs_of(ran, path, merged)
        except PipelineError:  # the outputs come from other code
            return _without_run(document, is_runnable=True)
    return replace(
        document,
        path=f"{page.page}.ipynb",
        data=ran,
        outputs=ShownOutputs.RAN,
        is_notebook=True,
    )


def _without_run(document: PageDocument, *, is_runnable: bool) -> PageDocument:
    """Return the document of a page whose code did not run. A notebook loses its outputs.

    A release that is not ``is_runnable`` here keeps the outputs that upstream's notebook contains.
    """
    path, data = document.path, document.data
    outputs = ShownOutputs.MISSING if is_runnable else ShownOutputs.UNRUN
    is_notebook = path.endswith(".ipynb")
    if is_notebook:
        notebook = execution.parse_notebook(data, where=path)
        if not is_runnable and any(cell.get("outputs") for cell in notebook["cells"]):
            outputs = ShownOutputs.STORED
        else:
            # The outputs in upstream's notebook may come from another version of its code.
            data = to_json(without_outputs(notebook))
    elif path.endswith(".md"):
        is_notebook = is_myst_notebook(data.decode("utf-8", "replace"))
    return replace(document, data=data, outputs=outputs, is_notebook=is_notebook)


def _with_outputs_of(executed: bytes, path: str, merged: bytes) -> bytes:
    """Return the merged document as a notebook with the outputs of the ``executed`` one.

    Raises PipelineError, for example if the code of the two notebooks differs.
    """
    outputs = outputs_of(execution.parse_notebook(executed, where=path))
    notebook = with_outputs(_notebook_of(path, merged), outputs, where=path)
    return kernel.notebook_text(notebook).encode("utf-8", "replace")


def without_outputs(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a notebook without outputs and execution counts.

    ``In [7]`` and its outputs become ``In [ ]``. Cells get ids if the notebook format requires
    them.
    """
    cells = []
    for cell in notebook["cells"]:
        if cell.get("cell_type") == "code":
            cells.append({**cell, "outputs": [], "execution_count": None})
        else:
            cells.append(cell)
    return {**notebook, "cells": with_ids(cells, notebook)}


def notebooks_of(shown: PageDocument) -> dict[str, bytes]:
    """Return the notebooks to download, by path in the site. Raises InputError."""
    notebooks = {}
    for kind, path in shown.downloads.items():
        # The clean notebook is for readers who want to run it, so it has no outputs.
        if kind == "executed":
            notebooks[path] = shown.data
        else:
            clean = without_outputs(_notebook_of(shown.path, shown.data))
            notebooks[path] = kernel.notebook_text(clean).encode("utf-8", "replace")
    return notebooks


def _notebook_of(path: str, data: bytes) -> dict[str, Any]:
    """Return a document as a notebook. Raises InputError."""
    if path.endswith(".ipynb"):
        return execution.parse_notebook(data, where=path)
    try:
        return kernel.notebook_from_myst(data.decode("utf-8", "replace"))
    except ValueError as error:
        raise InputError(
            f"cannot be read as a notebook: {error}",
            where=path,
            hint="Look for syntax that jupytext does not read.",
        ) from error


def to_json(value: Any) -> bytes:
    """Return a value as a JSON file of the site. Equal values give equal bytes."""
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    return f"{text}\n".encode("utf-8", "replace")
