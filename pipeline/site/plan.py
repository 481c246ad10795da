"""Plan of one site: the inputs of its build, and the folders that the build uses.

``build`` creates the plan, a ``Site``. All other modules only read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from pipeline.config.settings import Settings, SitePolicy, Upstream
from pipeline.core.document.attribution import address_of_page, attribution
from pipeline.core.glossary.glossary import Glossary
from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult
from pipeline.folders import OUTSIDE
from pipeline.paths import Paths
from pipeline.site.credits import credits_of_page
from pipeline.site.reference import Reference


class Site(Struct, frozen=True, kw_only=True, dict=True):
    """Inputs of one site build. Paths are joined once, because a site has thousands of files.

    ``pages`` are the results of the run's pages. ``kept`` names the pages of the last build that
    are not part of this run (``--pages``); their files stay as they are.
    """

    settings: Settings
    upstream: Upstream
    policy: SitePolicy
    lock: Lock
    locale: str
    pages: Sequence[PageResult]
    glossary: Glossary = field(default_factory=Glossary)
    kept: Sequence[str] = ()
    # Results of documents that are not pages, but included in pages, by name.
    included: Mapping[str, PageResult] = field(default_factory=dict)
    reference: Reference | None = None
    # Releases of the docs, as ``site.releases.releases_of`` returns them.
    releases: Sequence[Mapping[str, Any]] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all pages of the site, sorted."""
        return tuple(sorted({*(page.page for page in self.pages), *self.kept}))

    @cached_property
    def shared(self) -> frozenset[str]:
        """Pages that this site leaves out because the pinned site has equal ones.

        Only the site of a release beside the pinned one has such pages.
        """
        pages = (row["shared"] for row in self.releases if row["is_this"])
        return frozenset(*pages)

    @property
    def pinned_folder(self) -> str:
        """Relative path from this site to the pinned one, ``../``; empty if they share no pages."""
        return self.releases[0]["folder"] if self.shared else ""

    @cached_property
    def paths(self) -> Paths:
        """Paths of this upstream."""
        return Paths(self.settings.root, self.upstream.name)

    @cached_property
    def sources(self) -> Path:
        """Folder that Sphinx reads."""
        return self.paths.output(self.locale) / "site-src"

    @cached_property
    def doctrees(self) -> Path:
        """Folder where Sphinx stores its state."""
        return self.paths.output(self.locale) / "doctrees"

    @property
    def pinned_doctrees(self) -> Path:
        """Folder where Sphinx stores its state of the pinned site."""
        pinned = Paths(self.settings.root, self.paths.upstream)
        return pinned.output(self.locale) / "doctrees"

    @cached_property
    def target(self) -> Path:
        """Folder of the site. The folder of the first locale contains those of the others."""
        return self.target_of(self.upstream)

    def target_of(self, release: Upstream) -> Path:
        """Return the folder of the site of a release of this upstream, in this locale."""
        folder = Paths(self.settings.root, release.name).site
        if self.locale == self.settings.locales[0]:
            return folder
        return folder / self.locale

    def document(self, path: str) -> Path:
        """Return the merged document, or upstream's if there is none."""
        merged = self.paths.merged(self.locale) / path
        return merged if merged.is_file() else self.paths.docs / path

    def included_in(self, page: str) -> tuple[PageResult, ...]:
        """Return the results of the documents that a page includes, and of its docstrings."""
        names = [one.page for one in self.lock.included if page in one.within]
        found = [self.included[name] for name in names if name in self.included]
        if self.reference:
            found += self.reference.documents(page)
        return tuple(found)

    def is_made(self, page: str) -> bool:
        """Return whether autosummary has generated the page for an object of the API reference."""
        return self.reference is not None and page in self.reference.record.pages

    def attribution(self, path: str) -> str:
        """Return the line with source and licence that ``merge`` puts below a document's title."""
        url, license_name = self.upstream.page_url, self.upstream.license
        return attribution(
            locale=self.locale,
            path=path,
            lock=self.lock,
            page_url=url,
            license_name=license_name,
            adopted=credits_of_page(self.paths, self.locale, path),
        )

    def source_url(self, path: str) -> str:
        """Return the address at which upstream shows a file of its docs; empty if unknown."""
        # ``page_url`` is a template; if it is empty, the address is, too.
        return address_of_page(self.upstream.page_url, self.lock, path)

    def source(self, path: str) -> tuple[str, str]:
        """Return the readable name of a document's source, and its address at upstream.

        For a docstring, name and address are those of its line in the module:
        ``jax/_src/api.py:120``.
        """
        module, line = self.reference.source_of(path) if self.reference else ("", 0)
        if not module:
            return self.lock.docs.shown(path), self.source_url(path)
        return self._module(module, line)

    def sources_of(self, page: str, paths: Iterable[str]) -> dict[str, str]:
        """Return the readable names of a page's sources, with their addresses at upstream.

        The source of an object's page is the line of the object, even if it has no docstring.
        """
        if self.reference and self.is_made(page):
            module, line = self.reference.place_of(page)
            if module:
                return dict([self._module(module, line)])
        return dict(map(self.source, paths))

    def _module(self, module: str, line: int) -> tuple[str, str]:
        """Return the readable name of a place in the package, and its address at upstream."""
        url = self.source_url(f"{OUTSIDE}/{module}")
        # ``line`` is 0 if Python cannot find the object in the source, as for some classes that
        # declare another module.
        if not line:
            return module, url
        return f"{module}:{line}", f"{url}#L{line}" if url else ""
