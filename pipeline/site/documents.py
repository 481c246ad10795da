"""The document that stands for a page on the site, and the notebooks to download.

It is the executed notebook if the page's code ran, otherwise the merged document, otherwise
upstream's own. Outputs are shown only if they come from a run of the very code on the page. The
site merges a page again only for a preview, or if the file of landings is missing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.adapters import files, kernel, po
from pipeline.core.checks.engine import blocking_problem
from pipeline.core.checks.model import Subject
from pipeline.core.document import merge
from pipeline.core.document.landing import Landed, landings_from_json
from pipeline.core.document.markdown import anchors
from pipeline.core.document.merge import Frame, Merged
from pipeline.core.document.reader import Document, is_myst_notebook, read_document
from pipeline.core.execution import notebook as execution
from pipeline.core.execution.outputs import outputs_of, with_ids, with_outputs
from pipeline.core.pin.lock import page_path
from pipeline.core.results import PageResult
from pipeline.entries import Catalog, Entry, translations_of
from pipeline.errors import GuardError, InputError, PipelineError
from pipeline.site.names import DOWNLOADS
from pipeline.site.plan import Site


def landings_of(site: Site, page: PageResult) -> tuple[Landed, ...]:
    """Return where every message of a page's document has landed.

    A page that ``merge`` could not write is upstream's: all of its messages stay in English. One
    that cannot be split has none. Raises InputError.
    """
    path = page.files[0].path
    # Without the merged page its landings would be those of an older one.
    if not (site.paths.merged(site.locale) / path).is_file():
        try:
            return merge.merge(_upstream_document(site, path), {}).blocks
        except InputError:
            return ()  # split has told of it; perhaps it can be shown all the same
    file = site.paths.blocks(site.locale) / f"{path}.json"
    if file.is_file():
        try:
            return landings_from_json(files.read_bytes(file), where=str(file))
        except InputError:
            pass  # damaged, or of another version of ours: the documents say the same
    try:
        return merge_again(site, page).blocks
    except GuardError:
        # The merged page is an older one then. Its blocks that are English are shown as blocks.
        return merge.merge(_upstream_document(site, path), {}).blocks


def merge_again(site: Site, page: PageResult, *, with_fuzzy: bool = False) -> Merged:
    """Merge a document with the translations that readers see, or also with fuzzy ones.

    Raises InputError if the document cannot be read, GuardError if it cannot be merged.
    """
    document = _upstream_document(site, page.files[0].path)
    ignored = site.upstream.ignored(page.page)
    shown: list[Entry] = []
    for entry in catalog_entries(site, page.page):
        finished = entry
        if with_fuzzy and not entry.obsolete:
            finished = replace(entry, fuzzy=False)
        # What a check keeps from any page is kept from a preview too.
        if finished.is_translated and blocking_problem(
            Subject(finished, page.page), ignored
        ):
            continue
        shown.append(finished)
    # As ``merge`` chooses them, in all else.
    translations = translations_of(Catalog(entries=tuple(shown)))
    return merge.merge(document, translations, _frame(site, document))


def catalog_entries(site: Site, page: str) -> tuple[Entry, ...]:
    """Return the entries of a page's catalogue; none if it cannot be read."""
    path = site.paths.catalog(site.locale, page)
    try:
        return po.read_catalog(files.read_bytes(path), where=str(path)).catalog.entries
    except InputError:
        return ()  # update has told of a catalogue that is broken


def _upstream_document(site: Site, path: str) -> Document:
    """Read a document as it was pulled, in English. Raises InputError."""
    data = files.read_bytes(site.paths.docs / path)
    return read_document(path, data, site.upstream.reading)


def _frame(site: Site, document: Document) -> Frame:
    """Return the attribution, and the anchors that links of the same page point to.

    ``merge`` knows the links of all pages. Here they are not needed: the site gives every heading
    its English anchor anyway.
    """
    name = page_path(document.path).rpartition(".")[0]
    linked = anchors.linked_anchors((name, unit.split.text) for unit in document.units)
    return Frame(
        attribution=site.attribution(document.path),
        anchors=linked.get(name, frozenset()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The document that Sphinx reads for a page.

    ``has_outputs`` says that it holds what its code printed.
    """

    page: PageResult
    path: str
    data: bytes
    landings: tuple[Landed, ...]
    file: Path | None = None  # the file that has the same bytes, if there is one
    has_outputs: bool = False
    is_notebook: bool = False

    @property
    def downloads(self) -> dict[str, str]:
        """The downloads: kind (``executed``, ``clean``) and path in the site."""
        if not self.is_notebook:
            return {}
        downloads = {}
        if self.has_outputs:
            downloads["executed"] = f"{DOWNLOADS}/{self.page.page}.ipynb"
        downloads["clean"] = f"{DOWNLOADS}/clean/{self.page.page}.ipynb"
        return downloads


def shown_of(site: Site, page: PageResult) -> Shown:
    """Choose and read the document of a page. Raises PipelineError."""
    path = page.files[0].path
    executed = site.paths.executed(site.locale) / f"{page.page}.ipynb"
    ran = files.read_bytes(executed) if executed.is_file() else None
    if site.policy.show_fuzzy and page.fuzzy:
        return _preview(site, page, ran)
    # An executed notebook has the prose of the merged document: the same landings.
    landings = landings_of(site, page)
    file = site.paths.merged(site.locale) / path
    if not file.is_file():
        file = site.paths.docs / path
    if ran is None:
        return _without_run(
            page, path, files.read_bytes(file), landings=landings, file=file
        )
    # The prose of a notebook that is older than the merged page may be older too.
    if file.stat().st_mtime_ns <= executed.stat().st_mtime_ns:
        return _with_run(page, ran, landings=landings, file=executed)
    merged = files.read_bytes(file)
    try:
        notebook = _with_outputs_of(ran, path, merged)
    except PipelineError:  # it ran other code
        return _without_run(page, path, merged, landings=landings, file=file)
    return _with_run(page, notebook, landings=landings)


def _preview(site: Site, page: PageResult, ran: bytes | None) -> Shown:
    """Return the page with its fuzzy translations, for translators (``--show-fuzzy``)."""
    path = page.files[0].path
    # No file has these translations: the page is merged for this site alone.
    merged = merge_again(site, page, with_fuzzy=True)
    if ran is None:
        return _without_run(page, path, merged.data, landings=merged.blocks)
    return _with_run(
        page, _with_outputs_of(ran, path, merged.data), landings=merged.blocks
    )


def _with_run(
    page: PageResult,
    notebook: bytes,
    *,
    landings: tuple[Landed, ...],
    file: Path | None = None,
) -> Shown:
    """Return a notebook with its outputs; ``file`` is the file that contains it, if any."""
    return Shown(
        page=page,
        path=f"{page.page}.ipynb",
        data=notebook,
        landings=landings,
        file=file,
        has_outputs=True,
        is_notebook=True,
    )


def _without_run(
    page: PageResult,
    path: str,
    data: bytes,
    *,
    landings: tuple[Landed, ...],
    file: Path | None = None,
) -> Shown:
    """Return a document that did not run; of a notebook, a copy without outputs."""
    is_notebook = False
    if path.endswith(".ipynb"):
        # The outputs that upstream has stored in it are of another day.
        notebook = execution.parse_notebook(data, where=path)
        data, file, is_notebook = to_json(without_outputs(notebook)), None, True
    elif path.endswith(".md"):
        is_notebook = is_myst_notebook(data.decode("utf-8", "replace"))
    return Shown(
        page=page,
        path=path,
        data=data,
        landings=landings,
        file=file,
        is_notebook=is_notebook,
    )


def _with_outputs_of(executed: bytes, path: str, merged: bytes) -> bytes:
    """Return the merged document ``path`` as a notebook with the outputs of a run.

    Raises PipelineError, also if the run was one of other code.
    """
    outputs = outputs_of(execution.parse_notebook(executed, where=path))
    notebook = with_outputs(_notebook_of(path, merged), outputs, where=path)
    return kernel.notebook_text(notebook).encode("utf-8", "replace")


def without_outputs(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a notebook without outputs and without execution counts.

    ``In [7]`` and what stands below it → ``In [ ]``. Cells have ids if the format wants them.
    """
    cells = []
    for cell in notebook["cells"]:
        if cell.get("cell_type") == "code":
            cells.append({**cell, "outputs": [], "execution_count": None})
        else:
            cells.append(cell)
    return {**notebook, "cells": with_ids(cells, notebook)}


def notebooks_of(shown: Shown) -> dict[str, bytes]:
    """Return the notebooks to download, by path in the site. Raises InputError."""
    notebooks = {}
    for kind, path in shown.downloads.items():
        # Whoever begins with a notebook wants to run it, and finds no outputs in it.
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
            hint="Look for what jupytext does not read.",
        ) from error


def to_json(value: Any) -> bytes:
    """Return a value as the site's JSON files contain it: equal values are equal bytes."""
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    return f"{text}\n".encode("utf-8", "replace")
