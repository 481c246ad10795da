"""The folder that Sphinx reads: documents under upstream's names, and records beside them.

Documents of merge and execute come in. First the wanted content of every file is determined; then
changed files are written and unwanted ones removed. A page with the inputs of the last run is
skipped.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.adapters import files
from pipeline.adapters.html.drawings import is_program, published
from pipeline.adapters.memo import Memo, digest_of
from pipeline.adapters.sphinx import CONFIGURATION
from pipeline.core.pin.lock import ASSETS, hidden_twins, page_path
from pipeline.core.results import PageResult
from pipeline.errors import InputError, PipelineError
from pipeline.findings import Finding
from pipeline.site.configuration import configuration_of
from pipeline.site.documents import notebooks_of, shown_of, to_json
from pipeline.site.history import last_changes
from pipeline.site.inventories import inventories_of
from pipeline.site.memo import Known, digest_of_stamps, subject_of_page
from pipeline.site.names import RECORDS
from pipeline.site.plan import Site
from pipeline.site.progress import facts
from pipeline.site.records import record_of
from pipeline.site.search.index import readers_words
from pipeline.site.terms import synonyms, term_list

# What a file is to hold: bytes, the same as another file, or (None) what it holds already.
Content = bytes | Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """Result of assembling. ``downloads`` are by path in the site; None: it exists already."""

    changed: int  # files written or removed
    findings: tuple[Finding, ...]  # what is wrong with pages
    downloads: Mapping[str, bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """Files of one page: among the sources, and to download."""

    sources: Mapping[str, Content]
    downloads: Mapping[str, bytes | None]
    findings: tuple[Finding, ...] = ()


def assemble(
    site: Site, contributors: Mapping[str, int], *, memo: Memo[Known], code: str
) -> Assembled:
    """Make the source folder what it should be. Pages that cannot be read are findings.

    A page is made again if its inputs or the ``code`` (a digest) are others than in the memo.
    Raises WriteError.
    """
    wanted = _files_of_site(site, contributors)
    downloads: dict[str, bytes | None] = {}
    findings: list[Finding] = []
    # It is a part of every page's key: computed once.
    common = _digest_of_site(site, code)
    for page in site.pages:
        try:
            made = _page(site, page, memo, common)
        except PipelineError as error:
            findings.append(Finding.of(error, page=page.page))
            continue
        wanted |= made.sources
        downloads |= made.downloads
        findings += made.findings
    for name, known in memo.items():
        if name in map(subject_of_page, site.kept):
            wanted |= dict.fromkeys(known.files)
            downloads |= dict.fromkeys(known.downloads)
    changed = 0
    for path, content in wanted.items():
        # None says that the file holds it already.
        if content is not None:
            changed += _put(site.sources / path, content)
    # Sphinx takes every document in its folder for a page of the site.
    stale = [
        path
        for path in site.sources.rglob("*")
        # Also links that lead nowhere.
        if not path.is_dir() and path.relative_to(site.sources).as_posix() not in wanted
    ]
    files.remove_files(stale)
    return Assembled(
        changed=changed + len(stale), findings=tuple(findings), downloads=downloads
    )


def _files_of_site(site: Site, contributors: Mapping[str, int]) -> dict[str, Content]:
    """Return the files of no page: configuration, records of the site, upstream's images."""
    # Of many the first ones are looked for: what readers mean before what a term is in English.
    usual_names = site.upstream.usual_names
    words = [*readers_words(site.locale, usual_names), *synonyms(site.glossary)]
    counts = facts(
        site.lock,
        site.pages,
        contributors,
        others=_counts_kept(site),
        # As people call it: the package, or else the name of its docs.
        title=site.lock.package or site.policy.title or site.upstream.name,
    )
    wanted: dict[str, Content] = {
        "conf.py": files.read_bytes(CONFIGURATION),
        "site.json": to_json(configuration_of(site)),
        f"{RECORDS}/progress.json": to_json(counts),
        f"{RECORDS}/glossary.json": to_json(term_list(site.glossary)),
        f"{RECORDS}/synonyms.json": to_json(words),
        f"{RECORDS}/history.json": to_json(list(map(asdict, last_changes(site)))),
    }
    wanted |= {found.path: found.data for found in inventories_of(site).there}
    # Documents come from merge and execute instead, page by page; those of pages that this run is
    # not about stay as they are, or out.
    documents = {file.path for page in site.pages for file in page.files}
    for page in site.lock.pages:
        if site.upstream.selects(page.name):
            documents.update(file.path for file in page.files)
    documents.update(file.path for file in hidden_twins(site.lock.files))
    # Never upstream's own conf.py: it is code.
    taken = documents | wanted.keys()
    for file in site.lock.files:
        path = site.paths.docs / file.path
        if file.path not in taken and not _drives_sphinx(file.path) and path.is_file():
            content = _content_of(path)
            if content is not None:
                wanted |= dict.fromkeys(_names_of(file.path), content)
    return wanted


def _drives_sphinx(path: str) -> bool:
    """Return whether Sphinx would obey a file: docutils' configuration, or a template of assets.

    The one may name any file to write to, the other may read any file into what it makes.
    """
    is_template = path.lower().endswith((".jinja", "_t"))
    return path == "docutils.conf" or (path.startswith(f"{ASSETS}/") and is_template)


def _names_of(path: str) -> tuple[str, ...]:
    """Return the names of a file: Sphinx has folders in NFC, and its own name in either form."""
    folder, _, name = path.rpartition("/")
    return path, page_path(path), f"{page_path(folder)}/{name}".removeprefix("/")


def _content_of(path: Path) -> Content:
    """Return what Sphinx gets of upstream's file that is no document; None for nothing.

    A program may be shown as text; only published files must be none.
    """
    if is_program(path.name) and ASSETS not in path.parts:
        return path
    return published(path)


def _counts_kept(site: Site) -> list[dict[str, Any]]:
    """Return the counts of pages outside of this run, as the last build had them."""
    path = site.sources / RECORDS / "progress.json"
    if not site.kept or not path.is_file():
        return []
    rows = json.loads(files.read_bytes(path))["pages"]
    return [row for row in rows if row["page"] in site.kept]


def _digest_of_site(site: Site, code: str) -> str:
    """Return a digest of what every page is made from, besides its own files."""
    parts = (
        configuration_of(site),
        site.lock.commit,
        site.policy,
        term_list(site.glossary),
        site.source_url(""),
    )
    return digest_of(code, *map(repr, parts))


def _page(site: Site, page: PageResult, memo: Memo[Known], common: str) -> _Made:
    """Make the files of a page, or keep them if its inputs are unchanged. Raises PipelineError."""
    subject = subject_of_page(page.page)
    key = digest_of(common, _row(page), digest_of_stamps(*_inputs(site, page)))
    known = memo.recall(subject, key)
    if known is not None and _is_all_there(site, known):
        return _Made(
            sources=dict.fromkeys(known.files), downloads=dict.fromkeys(known.downloads)
        )
    shown = shown_of(site, page)
    included = [shown_of(site, part) for part in site.included_in(page.page)]
    findings: tuple[Finding, ...] = ()
    try:
        downloads = notebooks_of(shown)
    except InputError as error:
        # The page can be read all the same, only not as a notebook.
        findings = (Finding.of(error, page=page.page),)
        shown, downloads = replace(shown, is_notebook=False), {}
    record = to_json(record_of(site, shown, included))
    made = _Made(
        sources={
            # Where the document lies in a file already it is linked, not copied.
            page_path(one.path): one.file or one.data
            for one in (shown, *included)
        }
        | {
            f"{RECORDS}/pages/{page.page}.json": record,
        },
        downloads=downloads,
        findings=findings,
    )
    if findings:
        return made
    # The files are written before the memo is.
    memo.keep(
        subject, key, Known(files=tuple(made.sources), downloads=tuple(made.downloads))
    )
    return made


def _is_all_there(site: Site, known: Known) -> bool:
    """Return whether no file of a page has been removed: of its sources and its downloads."""
    paths = (
        *map(site.sources.joinpath, known.files),
        *map(site.target.joinpath, known.downloads),
    )
    return all(map(Path.is_file, paths))


def _inputs(site: Site, page: PageResult) -> Iterator[Path]:
    """Yield the files that a page of the site is made from."""
    for one in (page, *site.included_in(page.page)):
        path = one.files[0].path
        yield site.paths.docs / path
        yield site.paths.merged(site.locale) / path
        yield site.paths.blocks(site.locale) / f"{path}.json"
        yield site.paths.executed(site.locale) / f"{one.page}.ipynb"
        # The lines of entries, which pencils lead to.
        yield site.paths.catalog(site.locale, one.page)
        yield site.paths.memory(site.locale, one.page)


def _row(page: PageResult) -> str:
    """Return what is known of a page but stands in none of its files."""
    run = page.execution
    ran = (run.status, run.reason, run.cells, run.total, run.note) if run else None
    # The line under the title tells these.
    counts = (
        page.words,
        page.translated,
        page.translated_words,
        page.fuzzy,
        page.code_cells,
        page.rest_words,
    )
    return repr((page.files, counts, ran))


def _put(path: Path, content: bytes | Path) -> bool:
    """Make ``path`` hold ``content``; return whether it did not before. Raises WriteError.

    A file that is to be like another one is a hard link to it, where that can be: executed
    notebooks are large.
    """
    if isinstance(content, bytes):
        return files.write_if_changed(path, content)
    try:
        # Whether they are one file is asked first, because it costs less.
        is_there = path.exists()
        if is_there and (
            path.samefile(content) or path.read_bytes() == content.read_bytes()
        ):
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not written in place: it may be a link to a file that is not ours.
        path.unlink(missing_ok=True)
        try:
            os.link(content, path)
        except OSError:  # the folders are on two file systems, or on one without links
            shutil.copy2(content, path)
    except OSError as error:
        raise files.WriteError(
            f"cannot be written: {error.strerror}",
            where=str(path),
            hint="Free some space or mend the permissions, and run again.",
        ) from error
    return True
