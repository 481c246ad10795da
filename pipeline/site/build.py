"""Build of one site: write the sources, run Sphinx, write all other files.

The input is a result for each page of a run. The output is the updated site of one locale, and
findings. If nothing has changed since the last run, Sphinx is not started. A broken page never
aborts the build.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters import files
from pipeline.adapters.html.drawings import published
from pipeline.adapters.memo import Memo, code_digest
from pipeline.adapters.sphinx import (
    PACKAGES,
    BrokenPage,
    Built,
    Warned,
    discard_environment,
    run_sphinx,
)
from pipeline.config.settings import SitePolicy
from pipeline.core.glossary.glossary import Glossary, read_glossaries
from pipeline.core.pin.lock import ASSETS, DOCSTRING_SUFFIX, Lock, is_reference
from pipeline.core.results import PageResult
from pipeline.errors import ConfigError, PublishError
from pipeline.findings import Finding, Severity
from pipeline.log import Log
from pipeline.run import Run
from pipeline.site.blocks import contributors
from pipeline.site.build_memo import (
    SITE_SUBJECT,
    SubjectState,
    forget_all,
    forget_gone,
    memo_of,
    pages_known,
)
from pipeline.site.configuration import first_page, moved_pages, own_pages_of
from pipeline.site.exports import (
    files_for_programs,
    freshness_file,
    redirect_pages,
    shared_pages,
)
from pipeline.site.inventories import inventories_of
from pipeline.site.manifest import MANIFEST, source_name
from pipeline.site.names import DOWNLOADS, NOT_FOUND
from pipeline.site.outline import outline_of
from pipeline.site.plan import Site
from pipeline.site.reference import Reference
from pipeline.site.releases import releases_of
from pipeline.site.sources import assemble
from pipeline.site.styles import prune_styles, restore_styles

_SPHINX = frozenset(("_static", "_images", "_sources", "_sphinx_design_static", DOWNLOADS))
# Type of the warning that our extension logs for a page that it could not write.
UNWRITTEN = "jz.unwritten"
# Maximum number of changed source files for which one Sphinx process is faster than several.
SERIAL_LIMIT = 20
_PHASES = {"reading sources": "read", "writing output": "write"}


class BuiltSite(Struct, frozen=True, kw_only=True):
    """Result of a build: findings, and the files of the site that were written or removed."""

    findings: tuple[Finding, ...] = ()
    changes: tuple[str, ...] = ()


def build_site(
    run: Run,
    pages: Sequence[PageResult],
    *,
    lock: Lock,
    locale: str,
    policy: SitePolicy,
) -> BuiltSite:
    """Update the site of one locale, and return the result.

    Raises PublishError if Sphinx does not make the site, and WriteError if files cannot be written.
    """
    reference = Reference.of(run.paths, locale, pages)
    pages = [page for page in pages if not is_reference(page.page)]
    if reference:
        made = reference.pages()
        pages += (one for one in made if not run.pages or reference.is_in_run(one.page))
    owners = {page.page: _owner_of_address(run, locale, page.page) for page in pages}
    site = Site(
        settings=run.settings,
        upstream=run.upstream,
        policy=policy,
        lock=lock,
        locale=locale,
        pages=(),
        glossary=_glossary(run, locale),
        included={page.page: page for page in pages if page.page in lock.unpublished},
        reference=reference,
    )
    site = replace(
        site,
        pages=[
            page.with_included(site.included_in(page.page))
            for page in pages
            if not owners[page.page] and page.page not in site.included
        ],
    )
    site = replace(site, releases=releases_of(site))
    memo = memo_of(site)
    if run.pages:
        site = replace(site, kept=_kept_pages(site, memo))
    # Check extensions and folder first, so that a failure does not waste minutes of work.
    _check_extensions(policy)
    check_writable(site.target)
    code = code_digest(PACKAGES)
    last = memo.get(SITE_SUBJECT, code)
    with run.log.step("assemble") as step:
        assembled = assemble(site, contributors(site), memo=memo, code=code)
        step.result = f"{assembled.changed} files changed"
    findings = (
        *(_address_conflict(page, owner) for page, owner in owners.items() if owner),
        *assembled.findings,
        *inventories_of(site).findings,
        *outline_of(site).findings,
        *(reference.findings(lock) if reference else ()),
    )
    # If ``index.html`` is missing, somebody has deleted the site: build it again.
    if last and not assembled.changed and (site.target / "index.html").is_file():
        # The manifest names the project's commit. So write it even if only this commit has changed,
        # and no page.
        files.write_if_changed(site.target / MANIFEST, freshness_file(site))
        run.log.note(f"nothing changed for the site in {locale} since the last run")
        findings = (*findings, *_skipped_pages(site, findings))
        return BuiltSite(findings=(*findings, *map(_broken, last.broken.items())))
    stamps = _file_stamps(site.target)
    # If somebody kills the build after this line, the site is a mixture of old and new files. The
    # next run finds no memo, so it builds everything again.
    forget_all(site)
    # ``last`` is None if our code has changed. Then Sphinx builds all pages, even if few source
    # files have changed.
    count = assembled.changed if last else len(site.pages)
    # Some extensions wrongly declare that they are safe for parallel builds (sphinx_proof).
    is_serial = count <= SERIAL_LIMIT or bool(policy.extensions)
    built = _run_sphinx(site, run.log, anew=last is None, jobs=1 if is_serial else 0)
    with run.log.step("finish") as step:
        step.result = f"{write_remaining_files(site, assembled.downloads, memo)} files changed"
    forget_gone(site, memo)
    # This entry marks the site as complete, so it is saved last.
    memo.put(SITE_SUBJECT, code, SubjectState(broken=built.broken))
    memo.save()
    return BuiltSite(
        findings=(
            *findings,
            *_skipped_pages(site, findings),
            *map(_broken, built.broken.items()),
            *map(_warning, built.warned),
        ),
        # Sphinx does not report which files it writes.
        changes=_changed(run, stamps, _file_stamps(site.target)),
    )


def write_remaining_files(
    site: Site, downloads: Mapping[str, bytes | None], memo: Memo[SubjectState]
) -> int:
    """Write all files that Sphinx does not write; return how many were written or removed.

    ``downloads`` maps paths in the site to bytes, or to None for a file that exists already. Pages
    that no longer exist and unused styles are removed. Raises WriteError.
    """
    pages = _possible_pages(site)
    old_pages = redirect_pages(
        moved_pages(site),
        pages | site.shared,
        language=site.locale.replace("_", "-"),
    )
    wanted: dict[str, bytes | None] = {
        **downloads,
        **{path: html.encode() for path, html in old_pages.items()},
        **shared_pages(site),
        **dict(_assets_of_folders(site)),
        **files_for_programs(site),
    }
    changed = 0
    for path, data in wanted.items():
        if data is not None:
            # ``flush=False`` is safe: after a crash there is no memo, so the next run writes again.
            changed += files.write_if_changed(site.target / path, data, flush=False)
    changed += files.write_if_changed(site.target / MANIFEST, freshness_file(site))
    stale = list(_stale_files(site, pages, wanted))
    files.remove_files(stale)
    prune_styles(site, memo)
    return changed + len(stale)


def _possible_pages(site: Site) -> set[str]:
    """Return the pages that Sphinx may have written for this site, without suffix."""
    pages = set(own_pages_of(site).values())
    # Include pages of the lock that are not part of this run: their files from the last build
    # remain.
    pages.update(page.name for page in site.lock.pages)
    pages = {page for page in pages if not is_reference(page)}
    pages -= site.lock.unpublished
    pages.update(site.names)
    pages -= site.shared
    if first_page(site) != "index":
        # A site of selected pages (``--pages``) has one of these pages as its first page, even if
        # upstream has an index.
        pages.discard("index")
    return pages


def _assets_of_folders(site: Site) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the assets of each docs folder: ``docs/_static/a.css``.

    If there is only one docs folder, yield nothing, because Sphinx copies its ``_static``.
    """
    for prefix in site.lock.docs.prefixes:
        for file in site.lock.files:
            if not (prefix and file.path.startswith(f"{prefix}{ASSETS}/")):
                continue
            asset = published(site.paths.docs / file.path)
            if asset is not None:
                data = asset if isinstance(asset, bytes) else files.read_bytes(asset)
                yield file.path, data


def _stale_files(site: Site, pages: Collection[str], wanted: Collection[str]) -> Iterator[Path]:
    """Yield the files of pages that no longer exist, because Sphinx never removes files."""
    # Skip the folders of other locales, of other releases, and of Sphinx itself.
    skipped = _SPHINX | (set(site.settings.locales) - {site.locale})
    skipped |= set(site.upstream.beside)
    allowed = {*wanted, *(f"{page}.html" for page in pages)}
    allowed.update(f"{page}.md" for page in pages)
    start = len(site.target.as_posix()) + 1
    for path in files.paths_below(site.target, ".html", ".md"):
        name = path[start:]
        if name not in allowed and name.partition("/")[0] not in skipped:
            yield Path(path)
    # Also yield downloads of pages that no longer exist, or whose document has another format now.
    kept = {*wanted, *map(source_name, site.kept)}
    suffixes = (".ipynb", ".rst", DOCSTRING_SUFFIX)
    for path in files.paths_below(site.target / DOWNLOADS, *suffixes):
        if path[start:] not in kept:
            yield Path(path)


def _check_extensions(policy: SitePolicy) -> None:
    """Raise ConfigError if a configured Sphinx extension is not installed."""
    for name in policy.extensions:
        # For the extension ``a.b``, find_spec imports ``a``, which may raise ImportError.
        try:
            found = find_spec(name)
        except ImportError:
            found = None
        if found is None:
            raise ConfigError(
                f"the Sphinx extension {name!r} is not installed",
                hint="Install its package beside the pipeline, "
                "or remove it from `extensions` of the site.",
            )


def _file_stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size (bytes) and modification time (ns) of each file below ``folder``, by path."""
    stamps: dict[str, tuple[int, int]] = {}
    for path in files.paths_below(folder, ""):
        status = os.lstat(path)
        stamps[path] = (status.st_size, status.st_mtime_ns)
    return stamps


def _changed(
    run: Run,
    before: Mapping[str, tuple[int, int]],
    after: Mapping[str, tuple[int, int]],
) -> tuple[str, ...]:
    """Return the files that were written or removed between two calls of ``_file_stamps``.

    Paths are relative to the root of the project.
    """
    changed = [
        Path(path) for path in before.keys() | after.keys() if before.get(path) != after.get(path)
    ]
    return tuple(map(run.shown, sorted(changed)))


def _kept_pages(site: Site, memo: Memo[SubjectState]) -> tuple[str, ...]:
    """Return the pages of the last build that are not part of this run, but still in the lock."""
    named = {page.page for page in site.pages}
    there = {page.name for page in site.lock.pages}
    if site.reference:
        there |= site.reference.record.pages.keys()
    return tuple(sorted((there & set(pages_known(memo))) - named))


def _run_sphinx(site: Site, log: Log, *, anew: bool, jobs: int) -> Built:
    """Run Sphinx on the sources and return its result.

    ``anew`` discards Sphinx's state first. ``jobs`` is the number of processes; 0 means the
    configured number.
    """
    # Discard Sphinx's state if our code has changed: Sphinx itself compares only the sources.
    if anew:
        discard_environment(site.doctrees)
    restore_styles(site)
    done = dict.fromkeys(_PHASES, 0)
    with log.step("sphinx") as step:
        with log.progress("sphinx", total=100 * len(_PHASES)) as advance:

            def on_progress(phase: str, percent: int, page: str) -> None:
                """Advance by the new percent of ``phase``; print a line at every 20 percent."""
                # Sphinx may report the same percentage twice.
                if percent > done[phase]:
                    text = "" if percent % 20 else f"{_PHASES[phase]} {page}"
                    advance(percent - done[phase], text)
                    done[phase] = percent

            built = run_sphinx(
                site.sources,
                site.target,
                doctrees=site.doctrees,
                jobs=jobs or site.settings.execution.jobs or os.cpu_count() or 1,
                on_progress=on_progress,
            )
        step.result = f"{len(built.warned)} warnings" if built.warned else "no warnings"
    return built


def check_writable(folder: Path) -> None:
    """Raise WriteError if ``folder`` is not writable."""
    probe = folder / ".probe"
    files.write_atomic(probe, b"")
    files.remove_files([probe])


def _glossary(run: Run, locale: str) -> Glossary:
    """Return the glossary of a locale; an empty one if it has none."""
    paths = filter(Path.is_file, run.paths.glossaries(locale))
    terms = read_glossaries((str(path), files.read_bytes(path)) for path in paths)
    return terms or Glossary()


def _broken(row: tuple[str, BrokenPage]) -> Finding:
    """Return the finding for a page that the site shows as source, wholly or in part."""
    page, broken = row
    hint = "Until this is fixed, the page shows its English source."
    if broken.blocks:
        hint = (
            f"Blocks that show their source until this is fixed: {broken.blocks}. "
            "docs/configuration.md says how to load the extension of a directive."
        )
    return Finding.of(PublishError(broken.problem, where=page, hint=hint), page=page)


def _owner_of_address(run: Run, locale: str, page: str) -> str:
    """Return a description of the part of the site that has a page's address already, or ""."""
    # Some file systems do not distinguish upper and lower case.
    folder, slash, _ = page.casefold().partition("/")
    if folder == NOT_FOUND and not slash:
        return "the page that servers show for missing pages"
    if locale == run.settings.locales[0] and slash:
        for other in run.settings.locales[1:]:
            if folder == other.casefold():
                return f"the site in {other}"
    if slash and folder in map(str.casefold, run.upstream.beside):
        return f"the site of {run.package} {folder}"
    return ""


def _address_conflict(page: str, owner: str) -> Finding:
    """Return the finding for a page whose address belongs to another part of the site."""
    return Finding(
        code="name-taken",
        severity=Severity.WARNING,
        where=page,
        text=f"is not on the site: its address belongs to {owner}",
        page=page,
        hint="The preview has the page. Upstream can give it another name.",
    )


def _skipped_pages(site: Site, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield a finding for each page that Sphinx has not written and that has no finding yet."""
    known = {finding.page for finding in findings}
    for page in site.pages:
        if page.page in known or (site.target / f"{page.page}.html").is_file():
            continue
        error = PublishError(
            "is not on the site: Sphinx does not read documents of this name",
            where=page.page,
            hint="The preview has the page. Upstream can give it another name.",
        )
        yield Finding.of(error, page=page.page)


def _warning(warned: Warned) -> Finding:
    """Return the finding for a warning of Sphinx, with the place in upstream's file."""
    # For a docstring, the "file" is the place of an object: "lamps/lamp.py:12: lamps.shine".
    is_object = ": " in warned.file
    return Finding(
        code="sphinx",
        # UNWRITTEN is our own extension's warning that a page could not be written: an error.
        severity=Severity.ERROR if warned.kind == UNWRITTEN else Severity.WARNING,
        where=f"{warned.file}:{warned.line}" if warned.line else warned.file,
        text=f"{warned.text} [{warned.kind}]" if warned.kind else warned.text,
        page="" if is_object else warned.file.rpartition(".")[0],
        hint="This is a warning of Sphinx.",
    )
