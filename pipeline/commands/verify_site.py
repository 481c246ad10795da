"""verify-site: prove of a published site that only prose differs from upstream.

In go its address or folder; what is compared with is the pulled English at the commit of the lock.
The files that readers can download are proved, and the Markdown and reST that pages are made of.
Pages of HTML are made of these by Sphinx, and are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.adapters import files, kernel, po
from pipeline.adapters.published import Published, open_published
from pipeline.config import Settings
from pipeline.core.document.attribution import attribution
from pipeline.core.document.read import is_myst_notebook, read_document
from pipeline.core.execution.notebook import read_json
from pipeline.core.pin.lock import Lock
from pipeline.core.verifying.manifest import (
    NAME,
    Manifest,
    PublishedPage,
    read_manifest,
)
from pipeline.core.verifying.proof import (
    Difference,
    Silenced,
    cells_differences,
    differences,
    outputs_in,
)
from pipeline.errors import ConfigError, FindingsError, InputError
from pipeline.log import Log
from pipeline.report.verified import Verified, VerifiedPage
from pipeline.run import Run
from pipeline.site.published import digest_of_file
from pipeline.stages.pull.stage import read_pulled


def verify_site(settings: Settings, address: str, log: Log) -> Verified:
    """Look at every page of the site at ``address``.

    Raises SiteError if it does not answer, InputError if it is none of ours, ConfigError if it is
    of docs or a locale that are not configured, FindingsError if it is of another commit, and
    UpstreamError if the English is not there.
    """
    with open_published(address) as site:
        manifest = _manifest(site)
        run = _run_of(settings, manifest, site.name, log)
        lock = read_pulled(run)
        _check_commit(manifest, lock, site.name)
        sources = {page.name: page.files[0].path for page in lock.pages}
        verified: list[VerifiedPage] = []
        with log.progress("verify", total=len(manifest.pages)) as advance:
            for page in manifest.pages:
                proof = _Proof(run=run, lock=lock, site=site, locale=manifest.locale)
                verified += [
                    proof.of(one, sources.get(one.page, ""))
                    for one in (page, *page.included)
                ]
                advance(1, page.page)
    there = {page.page for page in verified}
    wanted = filter(run.upstream.selects, sources)
    return Verified(
        site=site.name,
        upstream=run.name,
        ref=manifest.upstream.ref,
        commit=manifest.upstream.commit,
        locale=manifest.locale,
        pages=tuple(verified),
        missing=tuple(sorted(set(wanted) - there)),
    )


def _manifest(site: Published) -> Manifest:
    """What the site says of itself. Raises InputError if it says nothing."""
    data = site.read(NAME)
    if data is None:
        raise InputError(
            f"has no {NAME}: it is no site of this project, or an older one",
            where=site.name,
            hint="Name the root of the site; build one that lacks the file anew.",
        )
    return read_manifest(data, where=f"{site.name.rstrip('/')}/{NAME}")


def _run_of(settings: Settings, manifest: Manifest, where: str, log: Log) -> Run:
    """The run that could have built the site. Raises ConfigError if none could."""
    name, locale = manifest.upstream.name, manifest.locale
    if name not in settings.upstreams or locale not in settings.locales:
        raise ConfigError(
            f"is a site of {name!r} in {locale!r}, which are not configured here",
            where=where,
            hint="Run this in the project that the site was built from.",
        )
    upstream = settings.upstream(name)
    return Run(settings=settings, upstream=upstream, log=log, locales=(locale,))


def _check_commit(manifest: Manifest, lock: Lock, where: str) -> None:
    """Raise FindingsError if the site was made of another commit than is pulled here."""
    theirs = manifest.upstream
    if theirs.commit != lock.commit:
        raise FindingsError(
            f"was made of {theirs.ref or 'a folder'} at {theirs.commit[:12]}, and here is "
            f"{lock.ref or 'a folder'} at {lock.commit[:12]}: nothing was proved",
            where=where,
            hint="Check out the commit of this project that the site was built from, "
            "and pull; or publish the site again.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proof:
    """What it takes to prove a page."""

    run: Run
    lock: Lock
    site: Published
    locale: str

    def of(self, page: PublishedPage, source: str) -> VerifiedPage:
        """Look at one page, whose document is ``source`` in the lock."""
        try:
            found = tuple(self._differences(page, source))
        except InputError as error:
            found = (Difference(where=error.where or page.source, text=error.what),)
        proved = () if found else tuple(self._proved(page))
        return VerifiedPage(
            page=page.page, source=page.source, proved=proved, differences=found
        )

    def _proved(self, page: PublishedPage) -> Iterator[str]:
        """What was proved of a page of which nothing differs."""
        yield "code, links and all else but prose are upstream's"
        if page.clean:
            yield "the notebook to download has the same cells"
        if page.executed:
            yield "so has the executed one, whose outputs are as they were built"

    def _differences(self, page: PublishedPage, source: str) -> Iterator[Difference]:
        """All that is wrong with a page. Raises InputError for a file that cannot be read."""
        if page.source != source:
            yield Difference(where=page.source, text="is no document of this commit")
            return
        blobs = {file.path: file.blob for file in self.lock.files}
        if page.blob != blobs[source]:
            yield Difference(
                where=source, text="was made of another version of the document"
            )
            return
        if not page.document:
            yield Difference(where=source, text="cannot be downloaded from the site")
            return
        contents: dict[str, bytes] = {}
        for path, digest in page.files.items():
            data = self.site.read(path)
            if data is None:
                yield Difference(where=path, text="is missing")
                continue
            contents[path] = data
            if digest_of_file(data) != digest:
                yield Difference(
                    where=path, text=f"is not the file that {NAME} tells of"
                )
        if page.document in contents:
            yield from self._of_document(page, contents[page.document])
            yield from self._of_notebooks(page, contents)

    def _of_document(self, page: PublishedPage, data: bytes) -> Iterator[Difference]:
        """What of the document differs from upstream's in more than prose."""
        path = page.source
        english = files.read_bytes(self.run.paths.docs / path)
        line = attribution(
            locale=self.locale,
            path=path,
            lock=self.lock,
            page_url=self.run.upstream.page_url,
            license_name=self.run.upstream.license,
        )
        silenced = Silenced(
            codes=self.run.upstream.ignored(page.page),
            comments=self._comments(page.page),
        )
        yield from differences(
            read_document(path, english, self.run.upstream.reading),
            read_document(path, data, self.run.upstream.reading),
            attribution=line,
            silenced=silenced,
        )

    def _comments(self, page: str) -> Mapping[str, tuple[str, ...]]:
        """What translators have remarked, by message: it may silence a check."""
        path = self.run.paths.memory(self.locale, page)
        if not path.is_file():
            return {}
        data = files.read_bytes(path)
        entries = po.read_catalog(data, where=str(path)).catalog.entries
        return {entry.msgid: entry.comments for entry in entries if entry.comments}

    def _of_notebooks(
        self, page: PublishedPage, contents: Mapping[str, bytes]
    ) -> Iterator[Difference]:
        """What differs between the notebooks of a page, and the document that is proved."""
        document = contents[page.document]
        cells = self._cells_of(page, document)
        for path in filter(contents.__contains__, (page.clean, page.executed)):
            ours = read_json(contents[path], where=path)["cells"]
            yield from cells_differences(cells, ours, path, with_prose=True)
            if path == page.clean:
                yield from outputs_in(ours, path)

    def _cells_of(self, page: PublishedPage, document: bytes) -> list[dict[str, Any]]:
        """The cells that the notebooks of a page must have. Raises InputError."""
        if page.document == page.clean:
            cells: list[dict[str, Any]] = read_json(document, where=page.clean)["cells"]
            return cells
        text = document.decode("utf-8", "replace")
        if not is_myst_notebook(text):
            return []
        try:
            cells = kernel.notebook_from_myst(text)["cells"]
        except ValueError as error:
            raise InputError(str(error), where=page.document) from error
        return cells
