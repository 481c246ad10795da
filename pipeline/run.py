"""Record of one run: the parameters that all commands and stages receive.

The command line creates an immutable ``Run``, and stages take it as their first argument. Options
of a single command are in that command's module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from pipeline.config.settings import Settings, Upstream, matches
from pipeline.log import Log
from pipeline.paths import Paths

if TYPE_CHECKING:
    from pathlib import Path


class Run(Struct, frozen=True, kw_only=True):
    """The upstream, locales and pages of a run, and whether the run may write files."""

    settings: Settings
    upstream: Upstream
    log: Log
    locales: tuple[str, ...]
    pages: tuple[str, ...] = ()  # glob patterns; empty: every page
    dry: bool = False  # whether the run must not write files
    is_one_of_many: bool = False  # whether this is one of several runs (``--all``)

    @property
    def paths(self) -> Paths:
        """Return the paths of this upstream."""
        return Paths(self.settings.root, self.upstream.name, self.is_one_of_many)

    @property
    def name(self) -> str:
        """The upstream's name."""
        return self.upstream.name

    @property
    def version(self) -> str:
        """The package version that the docs describe; empty if none is pinned."""
        return self.upstream.version

    @property
    def package(self) -> str:
        """The documented package, as people spell it; empty if none is pinned."""
        return self.upstream.package if self.version else ""

    @property
    def release(self) -> str:
        """Return package and version of the docs: ``JAX 0.10.2``, or "" if none is pinned."""
        return f"{self.package} {self.version}" if self.version else ""

    def with_lock(self, markdown: str, *, substitutions: bool) -> Run:
        """Return this run with the Markdown dialect and substitutions recorded in the lock.

        The configuration takes precedence over the lock.
        """
        upstream = self.upstream.as_locked(markdown, substitutions=substitutions)
        return replace(self, upstream=upstream)

    def selects(self, page: str) -> bool:
        """Return whether ``--pages`` selects ``page``. Without the option, all are selected."""
        return not self.pages or matches(page, self.pages)

    def shown(self, path: Path) -> str:
        """Return ``path`` for display: relative to the project's root, POSIX."""
        return path.relative_to(self.settings.root).as_posix()


class KernelOptions(Struct, frozen=True, kw_only=True):
    """Options for running code. ``jobs`` is the number of parallel kernels; 0 for one per core."""

    jobs: int = 0
    retry_failed: bool = False  # whether to run pages again that failed last time
    use_cache: bool = True  # if false, all code runs again
    offline: bool = False  # whether kernels have no network access
    scheduler: str = ""  # address of a Dask cluster that runs the pages, or empty
