"""The document that stands for a page on the site, and the notebooks that readers can download.

It is the executed notebook where the page's code ran, else the merged document, else upstream's
own. What its code prints is shown only if it comes from a run of the very code on the page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.adapters import files, kernel
from pipeline.core.document.landing import Landed
from pipeline.core.document.reader import is_myst_notebook
from pipeline.core.execution import notebook as execution
from pipeline.core.execution.outputs import outputs_of, with_ids, with_outputs
from pipeline.core.results import PageResult
from pipeline.errors import InputError, PipelineError
from pipeline.site.merging import landings_of, merge_again
from pipeline.site.names import DOWNLOADS
from pipeline.site.plan import Site


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
        """What can be downloaded: kind (``executed``, ``clean``) and path in the site."""
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
    """The page with its fuzzy translations, for translators to look at (``--show-fuzzy``)."""
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
    """A notebook with what its code printed; ``file`` holds it, if a file does."""
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
    """A document that did not run. Of a notebook this is a copy without outputs."""
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
    """The merged document ``path`` as a notebook with the outputs of a run.

    Raises PipelineError, also if the run was one of other code.
    """
    outputs = outputs_of(execution.parse_notebook(executed, where=path))
    notebook = with_outputs(_notebook_of(path, merged), outputs, where=path)
    return kernel.notebook_text(notebook).encode("utf-8", "replace")


def without_outputs(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a notebook without what its code printed, and without the numbers of the run.

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
    """The notebooks to download, by path in the site. Raises InputError."""
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


def to_json(value: Any) -> bytes:
    """A value as the site's JSON files hold it: equal values are equal bytes."""
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    return f"{text}\n".encode("utf-8", "replace")
