"""The folder that Sphinx reads: documents under upstream's names, executed where they ran, and records beside them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.adapters import files, kernel
from pipeline.adapters.sphinx import CONFIGURATION
from pipeline.core.document.read import is_myst_notebook
from pipeline.core.execution import notebook as execution
from pipeline.core.execution.placing import with_ids
from pipeline.core.results import PageResult
from pipeline.errors import PipelineError
from pipeline.findings import Finding
from pipeline.site.plan import RECORDS, Site
from pipeline.site.preview import has_fuzzy, notebook_of, preview, with_outputs_of
from pipeline.site.progress import facts
from pipeline.site.records import Shown, record_of
from pipeline.site.terms import search_words, term_list


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """What came of it: how many files were written or removed, what is wrong with pages, what can be downloaded (by path in the site)."""

    changed: int
    findings: tuple[Finding, ...]
    downloads: Mapping[str, bytes | None]  # None: as it is there already


class _Assembly:
    """Decides for every file of the folder what it is to hold: bytes, another file's content, or (None) what it holds already."""

    def __init__(self, site: Site, contributors: Mapping[str, int], code: str) -> None:
        self.site = site
        self.wanted: dict[str, bytes | Path | None] = {}
        self.downloads: dict[str, bytes | None] = {}
        self.findings: list[Finding] = []
        self.state: dict[str, Any] = {}
        self._known = _read_state(site)
        self._common = _digest(
            code,
            _facts(site),
            site.lock.commit,
            str(site.policy),
            term_list(site.glossary),
            site.source_url(""),
        )
        self._site_files(contributors)
        for page in site.pages:
            try:
                self._page(page)
            except PipelineError as error:
                self.findings.append(Finding.of(error, page=page.page))

    def _site_files(self, contributors: Mapping[str, int]) -> None:
        site = self.site
        self.wanted |= {
            "conf.py": files.read_bytes(CONFIGURATION),
            "site.json": _json(_facts(site)),
            f"{RECORDS}/progress.json": _json(facts(site.lock, site.pages, contributors)),
            f"{RECORDS}/glossary.json": _json(term_list(site.glossary)),
            f"{RECORDS}/words.txt": "".join(
                f"{word}\n" for word in search_words(site.glossary)
            ).encode(),
        }
        documents = {file.path for page in site.pages for file in page.files}
        for file in site.lock.files:
            path = site.paths.docs / file.path
            if file.path not in documents and file.path not in self.wanted and path.is_file():
                self.wanted[file.path] = path

    def _page(self, page: PageResult) -> None:
        """A page whose inputs are those of the last time keeps what it has."""
        site = self.site
        stamp = _digest(self._common, _row(page), *map(_stamp, _inputs(site, page)))
        known = self._known.get(page.page, {})
        if known.get("stamp") == stamp and self._stands(known):
            self.wanted |= dict.fromkeys(known["files"])
            self.downloads |= dict.fromkeys(known["downloads"])
            self.state[page.page] = known
            return
        shown = shown_of(site, page)
        record = record_of(site, shown)
        own: dict[str, bytes | Path | None] = {
            shown.path: shown.file or shown.data,
            f"{RECORDS}/pages/{page.page}.json": _json(record),
        }
        downloads = dict(_downloads(shown))
        self.wanted |= own
        self.downloads |= downloads
        self.state[page.page] = {
            "stamp": stamp,
            "files": sorted(own),
            "downloads": sorted(downloads),
        }

    def _stands(self, known: Mapping[str, Any]) -> bool:
        """Whether all that a page had the last time is there."""
        own = (self.site.sources / path for path in known["files"])
        loads = (self.site.target / path for path in known["downloads"])
        return all(path.is_file() for path in (*own, *loads))


def assemble(site: Site, contributors: Mapping[str, int], *, code: str) -> Assembled:
    """Make the source folder what it should be. Pages that cannot be read are findings. Raises WriteError.

    A page is looked at again if its inputs or the ``code`` (a digest) are others than the last time.
    """
    assembly = _Assembly(site, contributors, code)
    changed = sum(
        _put(site.sources / path, content)
        for path, content in assembly.wanted.items()
        if content is not None
    )
    stale = [
        path
        for path in _files_in(site.sources)
        if path.relative_to(site.sources).as_posix() not in assembly.wanted
    ]
    files.remove_files(stale)
    files.write_if_changed(_state_path(site), _json(assembly.state))
    return Assembled(
        changed=changed + len(stale),
        findings=tuple(assembly.findings),
        downloads=assembly.downloads,
    )


def shown_of(site: Site, page: PageResult) -> Shown:
    """The document that stands for a page: executed, else merged, else upstream's own. Raises PipelineError."""
    first = page.files[0].path
    executed, merged = (
        site.paths.executed(site.locale) / f"{page.page}.ipynb",
        site.paths.merged(site.locale) / first,
    )
    file = merged if merged.is_file() else site.paths.docs / first
    ran = files.read_bytes(executed) if executed.is_file() else None
    if site.policy.show_fuzzy and has_fuzzy(page):
        path, data = preview(site, page, ran)
        return _shown(page, path, data, None, has_outputs=ran is not None)
    if ran is not None and file.stat().st_mtime_ns <= executed.stat().st_mtime_ns:
        return _shown(page, f"{page.page}.ipynb", ran, executed, has_outputs=True)
    if ran is not None:
        with suppress(PipelineError):  # of other code: its outputs are not shown
            data = with_outputs_of(ran, first, files.read_bytes(file))
            return _shown(page, f"{page.page}.ipynb", data, None, has_outputs=True)
    return _shown(page, first, files.read_bytes(file), file, has_outputs=False)


def _shown(
    page: PageResult, path: str, data: bytes, file: Path | None, *, has_outputs: bool
) -> Shown:
    if path.endswith(".ipynb") and not has_outputs:
        notebook = execution.parse_notebook(data, where=path)
        return Shown(page=page, path=path, data=_json(without_outputs(notebook)), is_notebook=True)
    is_notebook = path.endswith(".ipynb") or (
        path.endswith(".md") and is_myst_notebook(data.decode("utf-8", "replace"))
    )
    return Shown(
        page=page, path=path, data=data, file=file, has_outputs=has_outputs, is_notebook=is_notebook
    )


def without_outputs(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """A notebook without what its code printed: outputs that upstream stored are of another day."""
    cells = [
        cell
        if cell.get("cell_type") != "code"
        else {**cell, "outputs": [], "execution_count": None}
        for cell in notebook["cells"]
    ]
    return {**notebook, "cells": with_ids(cells, notebook)}


def _downloads(shown: Shown) -> Iterator[tuple[str, bytes]]:
    """What can be downloaded of a page, by path."""
    for kind, path in shown.downloads().items():
        yield path, shown.data if kind == "executed" else _clean(shown)


def _clean(shown: Shown) -> bytes:
    """The notebook as one begins with it. Raises InputError."""
    notebook = notebook_of(shown.path, shown.data)
    return kernel.notebook_text(without_outputs(notebook)).encode("utf-8", "replace")


def _facts(site: Site) -> dict[str, Any]:
    """What ``conf.py`` must know. Every change here builds every page again: what varies is in the records."""
    names = [page.page for page in site.pages]
    has_inventory = bool(site.policy.english_url) and site.paths.inventory.is_file()
    url = site.upstream.configured_url or site.upstream.url
    return {
        "title": site.policy.title or site.upstream.name,
        "locale": site.locale,
        "root": "index" if "index" in names or not names else names[0],
        "version": site.lock.jax,
        "english_url": site.policy.english_url,
        "file_url": site.source_url("{path}"),
        "issue_url": f"{url.removesuffix('.git')}/issues/"
        if url.startswith("https://github.com/")
        else "",
        "docs": str(site.paths.docs),
        "inventories": {site.upstream.name: [site.policy.english_url, str(site.paths.inventory)]}
        if has_inventory
        else {},
    }


def _inputs(site: Site, page: PageResult) -> Iterator[Path]:
    """The files that a page of the site is made from."""
    first = page.files[0].path
    yield site.paths.docs / first
    yield site.paths.merged(site.locale) / first
    yield site.paths.executed(site.locale) / f"{page.page}.ipynb"
    yield site.paths.catalog(site.locale, page.page)
    yield site.paths.memory(site.locale, page.page)


def _row(page: PageResult) -> str:
    """What is said of a page, and is in none of its files."""
    run = page.execution
    ran = (run.status, run.reason, run.cells, run.total, run.note) if run else None
    return repr(
        (
            page.files,
            page.words,
            page.translated,
            page.translated_words,
            page.fuzzy,
            page.code_cells,
            ran,
        )
    )


def _stamp(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{found.st_size} {found.st_mtime_ns}"


def _digest(*values: Any) -> str:
    return hashlib.sha256("\0".join(map(str, values)).encode("utf-8", "replace")).hexdigest()


def _state_path(site: Site) -> Path:
    return site.paths.output(site.locale) / "site-state.json"


def _read_state(site: Site) -> dict[str, Any]:
    try:
        found = json.loads(_state_path(site).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode(
        "utf-8", "replace"
    )


def _files_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if not path.is_dir())


def _put(path: Path, content: bytes | Path) -> bool:
    """Make ``path`` hold ``content``, by a hard link where that can be; return whether it did not before."""
    if isinstance(content, bytes):
        return files.write_if_changed(path, content)
    try:
        if path.exists() and (path.samefile(content) or path.read_bytes() == content.read_bytes()):
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        try:
            os.link(content, path)
        except OSError:
            shutil.copy2(content, path)
    except OSError as error:
        hint = "Free some space or mend the permissions, and run again."
        raise files.WriteError(
            f"cannot be written: {error.strerror}", where=str(path), hint=hint
        ) from error
    return True
