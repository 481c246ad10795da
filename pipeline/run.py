"""One run: what every command and every stage is handed, once.

A ``Run`` is made by the command line and never changes. Stages take it as their first argument;
what belongs to one verb alone stands in that verb's own options, in ``commands/``.
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
    """What is worked on, for whom, and whether anything may be written."""

    settings: Settings
    upstream: Upstream
    log: Log
    locales: tuple[str, ...]
    pages: tuple[str, ...] = ()  # glob patterns; empty: every page
    dry: bool = False  # compute, write nothing
    in_hub: bool = False  # one of several runs, each about another upstream

    @property
    def paths(self) -> Paths:
        """Where everything of this upstream lies."""
        return Paths(self.settings.root, self.upstream.name, self.in_hub)

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
        """The package that the docs are of, as people write it; empty if none is pinned."""
        return self.upstream.package if self.version else ""

    @property
    def release(self) -> str:
        """What pages run on: ``JAX 0.10.2``; empty if no version is pinned."""
        return f"{self.package} {self.version}" if self.version else ""

    def reading_as(self, markdown: str, *, substitutions: bool) -> Run:
        """This run, with what the lock of what was pulled tells of its Markdown.

        What the configuration says goes before that.
        """
        upstream = self.upstream.as_locked(markdown, substitutions=substitutions)
        return replace(self, upstream=upstream)

    def asks_for(self, page: str) -> bool:
        """Whether ``page`` is among those that the command line names.

        Without patterns every page is.
        """
        return not self.pages or matches(page, self.pages)

    def shown(self, path: Path) -> str:
        """``path`` as people read it: relative to the project's root, POSIX."""
        return path.relative_to(self.settings.root).as_posix()


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelOptions:
    """How code is run. ``jobs`` counts kernels at a time, 0 means one per core."""

    jobs: int = 0
    retry_failed: bool = False  # run again what failed the last time
    use_cache: bool = True  # False: run everything again
    offline: bool = False  # kernels cannot reach the network
    scheduler: str = ""  # address of a Dask cluster
