"""Sphinx's source folder: documents with upstream's names, and records for the extension.

The documents come from the stages ``merge`` and ``execute``. ``assemble`` first determines the
content of every file, except for pages whose inputs have not changed. Then it writes the files that
differ, and removes files that do not belong to the site any more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from pipeline.adapters import files
from pipeline.adapters.html.drawings import is_program, published
from pipeline.adapters.memo import Memo, digest_of, digest_of_stamps
from pipeline.adapters.sphinx import CONFIGURATION
from pipeline.core.pin.lock import (
    ASSETS,
    hidden_duplicates,
    is_reference,
    page_path,
)
from pipeline.core.results import PageResult
from pipeline.errors import InputError, PipelineError
from pipeline.findings import Finding
from pipeline.limits import UPSTREAM_BYTES
from pipeline.site.build_memo import SubjectState, subject_of_page
from pipeline.site.configuration import configuration_of
from pipeline.site.documents import notebooks_of, page_document, to_json
from pipeline.site.inventories import inventories_of
from pipeline.site.last_changes import last_changes
from pipeline.site.names import RECORDS
from pipeline.site.plan import Site
from pipeline.site.progress import facts
from pipeline.site.records import record_of
from pipeline.site.search.index import readers_words
from pipeline.site.terms import synonyms, term_list

# Results that the files of a page depend on: the freshness line below the title shows the counts.
_COUNTS = attrgetter(
    *(
        "files",
        "words",
        "translated",
        "translated_words",
        "fuzzy",
        "code_cells",
        "rest_words",
    )
)
# Content of a file: bytes, the path of a file with the content, or None if the file is up to date.
Content = bytes | Path | None


class Assembled(Struct, frozen=True, kw_only=True):
    """Result of ``assemble``. ``downloads`` maps paths in the site to bytes.

    The value is None if the file exists already.
    """

    changed: int  # files written or removed
    findings: tuple[Finding, ...]  # problems of pages
    downloads: Mapping[str, bytes | None]


class _PageFiles(Struct, frozen=True, kw_only=True):
    """Files made from one page: Sphinx sources and downloads."""

    sources: Mapping[str, Content]
    downloads: Mapping[str, bytes | None]
    findings: tuple[Finding, ...] = ()


def assemble(
    site: Site, contributors: Mapping[str, int], *, memo: Memo[SubjectState], code: str
) -> Assembled:
    """Update the source folder. A page that cannot be read becomes a finding.

    The files of a page are made again if its inputs or our code have changed. ``code`` is the
    digest of our code. ``contributors`` maps names to numbers of translated messages. Raises
    WriteError.
    """
    wanted = _files_of_site(site, contributors)
    downloads: dict[str, bytes | None] = {}
    findings: list[Finding] = []
    # This digest is a part of the key of every page, so compute it only once.
    common = _digest_of_site(site, code)
    for page in site.pages:
        try:
            made = _page_files(site, page, memo, common)
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
        # None means that the file is up to date.
        if content is not None:
            changed += _write(site.sources / path, content)
    # Remove all other files: Sphinx would build a page from every document in its folder.
    start = len(site.sources.as_posix()) + 1
    stale = [
        Path(path) for path in files.paths_below(site.sources, "") if path[start:] not in wanted
    ]
    files.remove_files(stale)
    return Assembled(changed=changed + len(stale), findings=tuple(findings), downloads=downloads)


def _files_of_site(site: Site, contributors: Mapping[str, int]) -> dict[str, Content]:
    """Return the files of the whole site: configuration, records, and upstream's assets."""
    # Put the readers' words before the glossary: if too many synonyms match, the search uses only
    # the first ones, and the readers' words are more important.
    usual_names = site.upstream.usual_names
    words = [*readers_words(site.locale, usual_names), *synonyms(site.glossary)]
    counts = facts(
        site.lock,
        site.pages,
        contributors,
        others=_counts_kept(site),
        # The name of the docs for readers: the package, or the title of the docs.
        title=site.lock.package or site.policy.title or site.upstream.name,
    )
    wanted: dict[str, Content] = {
        "conf.py": files.read_bytes(CONFIGURATION),
        "site.json": to_json(configuration_of(site)),
        f"{RECORDS}/progress.json": to_json(counts),
        f"{RECORDS}/glossary.json": to_json(term_list(site.glossary)),
        f"{RECORDS}/synonyms.json": to_json(words),
        f"{RECORDS}/history.json": to_json(list(map(to_builtins, last_changes(site)))),
    }
    wanted |= {found.path: found.data for found in inventories_of(site).available}
    # The loop below copies upstream's other files. It skips documents: those of this run come from
    # merge and execute (``_page_files``), and those of other pages stay from the last run.
    documents = {file.path for page in site.pages for file in page.files}
    for page in site.lock.pages:
        if site.upstream.selects(page.name):
            documents.update(file.path for file in page.files)
    documents.update(file.path for file in hidden_duplicates(site.lock.files))
    # ``wanted`` has our conf.py, so upstream's is skipped: it is code that must not run.
    taken = documents | wanted.keys()
    for file in site.lock.files:
        path = site.paths.docs / file.path
        is_hidden = is_reference(file.path) or _drives_sphinx(file.path)
        if file.path not in taken and not is_hidden and path.is_file():
            content = _content_of(path)
            if content is not None:
                wanted |= dict.fromkeys(_names_of(file.path), content)
    return wanted


def _drives_sphinx(path: str) -> bool:
    """Return whether a file would control Sphinx: ``docutils.conf``, or a template in the assets.

    ``docutils.conf`` may make docutils write to any file. A template may read any file into a page.
    """
    is_template = path.lower().endswith((".jinja", "_t"))
    return path == "docutils.conf" or (path.startswith(f"{ASSETS}/") and is_template)


def _names_of(path: str) -> tuple[str, ...]:
    """Return the names under which to write a file: several, if it has letters such as ``é``.

    Unicode has two forms of such letters. Sphinx converts the names of folders to one form (NFC),
    and may use either form of the file's own name.
    """
    folder, _, name = path.rpartition("/")
    return path, page_path(path), f"{page_path(folder)}/{name}".removeprefix("/")


def _content_of(path: Path) -> Content:
    """Return the content of one of upstream's files for Sphinx; None if Sphinx must not get it.

    Sphinx gets programs (files that a browser would run), because pages may include them as text.
    It gets no program that is among the assets, because it publishes all assets.
    """
    if is_program(path.name) and ASSETS not in path.parts:
        return path
    return published(path)


def _counts_kept(site: Site) -> list[dict[str, Any]]:
    """Return the counts of pages that are not part of this run, from the last build's record."""
    path = site.sources / RECORDS / "progress.json"
    if not site.kept or not path.is_file():
        return []
    rows = json.loads(files.read_bytes(path))["pages"]
    return [row for row in rows if row["page"] in site.kept]


def _digest_of_site(site: Site, code: str) -> str:
    """Return a digest of the inputs that affect all pages."""
    parts = (
        configuration_of(site),
        site.lock.commit,
        site.policy,
        term_list(site.glossary),
        site.source_url(""),
    )
    return digest_of(code, *map(repr, parts))


def _page_files(site: Site, page: PageResult, memo: Memo[SubjectState], common: str) -> _PageFiles:
    """Return the files of a page, without contents if its inputs have not changed.

    ``common`` is the digest of inputs that affect all pages. Raises PipelineError.
    """
    subject = subject_of_page(page.page)
    shown_objects = site.reference.key_of(page.page) if site.reference else ""
    stamps = digest_of_stamps(*_inputs(site, page))
    key = digest_of(common, _result_key(page), shown_objects, stamps)
    known = memo.get(subject, key)
    if known is not None and _is_all_there(site, known):
        return _PageFiles(
            sources=dict.fromkeys(known.files), downloads=dict.fromkeys(known.downloads)
        )
    made = _made_files(site, page)
    # Do not remember a page with findings, so that every run reports them.
    if not made.findings:
        files_made, downloads = tuple(made.sources), tuple(made.downloads)
        memo.put(subject, key, SubjectState(files=files_made, downloads=downloads))
    return made


def _made_files(site: Site, page: PageResult) -> _PageFiles:
    """Make and return the files of a page. Raises PipelineError."""
    if page.page in site.shared:
        # The extension takes a shared page from the pinned site. Sphinx only needs to know that the
        # page exists, and whether it has changed.
        paths = [file.path for file in page.files[:1]]
        return _PageFiles(
            sources={page_path(path): site.document(path) for path in paths},
            downloads={},
        )
    shown = page_document(site, page)
    included = [page_document(site, part) for part in site.included_in(page.page)]
    findings: tuple[Finding, ...] = ()
    try:
        downloads = notebooks_of(shown)
    except InputError as error:
        # The page has no downloads then: the site shows it, but does not offer it as a notebook.
        findings = (Finding.of(error, page=page.page),)
        shown, downloads = replace(shown, is_notebook=False), {}
    sources = {
        page_path(one.path): one.data for one in (shown, *included) if not is_reference(one.path)
    }
    record = to_json(record_of(site, shown, included))
    return _PageFiles(
        sources={**sources, f"{RECORDS}/pages/{page.page}.json": record},
        downloads=downloads,
        findings=findings,
    )


def _is_all_there(site: Site, known: SubjectState) -> bool:
    """Return whether all sources and downloads that the last build made of a page still exist."""
    paths = (
        *map(site.sources.joinpath, known.files),
        *map(site.target.joinpath, known.downloads),
    )
    return all(map(Path.is_file, paths))


def _inputs(site: Site, page: PageResult) -> Iterator[Path]:
    """Yield the files that affect a page of the site. Some may not exist."""
    for path in site.reference.summarized(page.page) if site.reference else ():
        yield site.paths.merged(site.locale) / path
    for one in (page, *site.included_in(page.page)):
        if not one.files:
            continue  # the page of an object has no file; its docstrings are in ``included_in``
        path = one.files[0].path
        yield site.paths.docs / path
        yield site.paths.merged(site.locale) / path
        yield site.paths.blocks(site.locale) / f"{path}.json"
        yield site.paths.executed(site.locale) / f"{one.page}.ipynb"
        # Links for editing (pencils) contain line numbers of these files.
        yield site.paths.catalog(site.locale, one.page)
        yield site.paths.memory(site.locale, one.page)


def _result_key(page: PageResult) -> str:
    """Return the results of the run that no file contains, as a part of the page's key."""
    run = page.execution
    ran = (run.status, run.reason, run.cells, run.total, run.note) if run else None
    return repr((_COUNTS(page), ran))


def _write(path: Path, content: bytes | Path) -> bool:
    """Write ``content``, or that of the file, to ``path``; return whether that changed the file.

    Raises WriteError.
    """
    if isinstance(content, Path):
        content = files.read_bytes(content, limit=UPSTREAM_BYTES)
    return files.write_if_changed(path, content, flush=False)
