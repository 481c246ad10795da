"""One run: the parameters that every command and every stage receives.

The command line creates a ``Run``, which is immutable. Stages take it as their first argument.
Parameters of a single command are options of that command, in ``commands/``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pipeline.config import Settings, Upstream, matches
from pipeline.log import Log
from pipeline.paths import Paths

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The upstream, locales and pages to work on, and whether files may be written."""

    settings: Settings
    upstream: Upstream
    log: Log
    locales: tuple[str, ...]
    pages: tuple[str, ...] = ()  # glob patterns; empty: every page
    dry: bool = False  # compute only, write nothing
    is_one_of_many: bool = False  # one of several runs for different upstreams

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
        """The version of the upstream's package that pages run with; empty if none is pinned."""
        return self.upstream.version

    @property
    def package(self) -> str:
        """The documented package, as people spell it; empty if none is pinned."""
        return self.upstream.package if self.version else ""

    @property
    def release(self) -> str:
        """Return the package and version that pages run on (``JAX 0.10.2``), or "" if unpinned."""
        return f"{self.package} {self.version}" if self.version else ""

    def with_lock(self, markdown: str, *, substitutions: bool) -> Run:
        """Return this run with the Markdown dialect and substitutions recorded in the lock.

        The configuration takes precedence over the lock.
        """
        upstream = self.upstream.as_locked(markdown, substitutions=substitutions)
        return replace(self, upstream=upstream)

    def selects(self, page: str) -> bool:
        """Return whether the command line selects ``page``.

        Without patterns it selects every page.
        """
        return not self.pages or matches(page, self.pages)

    def shown(self, path: Path) -> str:
        """Return ``path`` for display: relative to the project's root, POSIX."""
        return path.relative_to(self.settings.root).as_posix()


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelOptions:
    """Options for running code. ``jobs`` is the number of parallel kernels; 0: one per core."""

    jobs: int = 0
    retry_failed: bool = False  # run pages again that failed last time
    use_cache: bool = True  # False: run everything again
    offline: bool = False  # kernels have no network access
    scheduler: str = ""  # address of a Dask cluster
