"""The configuration as frozen records.

They hold what a project says of its upstreams, of running code, of checks and of its site. A record
is complete and checked: ``reading`` makes it, and nobody changes it.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline.config.drafting import DraftPolicy
from pipeline.config.modes import Mode
from pipeline.config.suggesting import did_you_mean
from pipeline.errors import ConfigError
from pipeline.folders import WHOLE, Folders
from pipeline.reading import MYST, Dialect, Reading


def matches(page: str, patterns: tuple[str, ...]) -> bool:
    """Whether a page name matches one of the glob patterns; ``**`` and ``*`` both cross folders."""
    # "fnmatchcase": names of pages are equal on all systems, or they are not.
    return any(fnmatch.fnmatchcase(page, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipRule:
    """Pages (glob patterns) that are not executed, and why."""

    pages: tuple[str, ...]
    reason: str  # "accelerator" | "network data" | "heavy package" | "upstream bug"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledgement:
    """``raises-exception`` cells that are known not to raise.

    ``cells`` are numbers of code cells, from 1.
    """

    page: str
    cells: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRule:
    """How some pages (glob patterns) are run, if not as they are, and why."""

    pages: tuple[str, ...]
    reason: str  # a class, as for SkipRule
    note: str = ""
    until: int = 0  # the first code cell (from 1) that cannot run here; 0: all run
    # Distributions: where all are installed, every cell runs.
    needs: tuple[str, ...] = ()
    modes: tuple[Mode, ...] = ()  # what is done to the kernel before the first cell
    devices: int = 0  # CPU devices that XLA is to offer (a flag of it); 0: as it likes
    timeout: int = 0  # CPU seconds per cell; 0: as for all pages
    page_timeout: int = 0  # CPU seconds for all of it; 0: as for all pages
    compare: bool = False  # compare the outputs with those that upstream stored


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoreRule:
    """Checks that are not told on some pages (glob patterns), and why."""

    codes: tuple[str, ...]
    pages: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePolicy:
    """What a project says of its site. An URL that is empty leaves its links out."""

    title: str = ""
    # Where an entry of a catalogue or of the memory can be edited: a template with {locale},
    # {name}, {page}, {line} and {digest}.
    edit_url: str = ""
    # Where Colab finds a translated notebook: a template with {locale}, {name} and {page}.
    notebook_url: str = ""
    url: str = ""  # where the site itself is published, with a slash at the end
    repository_url: str = ""  # of this project: where readers find who translates
    english_url: str = ""  # the English docs, with a slash at the end
    # Other hosts of the same site: upstream's text may name any of them.
    english_hosts: tuple[str, ...] = ()
    # Other Sphinx sites whose names the docs ask for: their URLs, with a slash at the end.
    inventories: Mapping[str, str] = field(default_factory=dict)
    # Pages that the home page leads newcomers to: to begin with, to install, to learn by.
    start: tuple[str, ...] = ()
    # What the home page says first of what the docs are of, and code that shows it; empty: none.
    hero: str = ""
    hero_code: str = ""
    root: str = ""  # the page that the site begins with; empty: see ``site.roots``
    extensions: tuple[str, ...] = ()  # modules that Sphinx loads, of installed packages
    myst_extensions: tuple[str, ...] = ()  # syntax of MyST besides what every site has
    # What the command line says: translations that wait for a person are shown, and marked.
    show_fuzzy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """Where one set of English docs comes from.

    ``url`` may be a URL, a bundle, a repository or a folder.
    """

    name: str
    url: str
    ref: str = ""
    docs: Folders = WHOLE  # inside the repository
    # The distribution that the docs are of, as people write it; empty: no version is pinned.
    package: str = ""
    version: str = ""  # the pinned one
    reading: Reading = MYST  # how its documents are written
    tells_dialect: bool = False  # whether the configuration says so, not the docs
    # What code calls modules by custom, also where no import is shown: jnp → jax.numpy
    usual_names: Mapping[str, str] = field(default_factory=dict)
    page_url: str = ""  # template with {ref}, {commit} and {path}
    license: str = ""
    include: tuple[str, ...] = ("**",)
    exclude: tuple[str, ...] = ()
    skip: tuple[SkipRule, ...] = ()
    run: tuple[RunRule, ...] = ()
    acknowledge: tuple[Acknowledgement, ...] = ()
    ignore: tuple[IgnoreRule, ...] = ()  # the project's
    site: SitePolicy = field(default_factory=SitePolicy)
    url_replaced: bool = (
        False  # url is a variable's (JAX_DOCS_UPSTREAM), not the configured one
    )
    configured_url: str = ""

    def as_locked(self, markdown: str, *, substitutions: bool) -> Upstream:
        """The upstream, with what its lock tells of its Markdown."""
        dialect = self.reading.dialect
        if markdown and not self.tells_dialect:
            dialect = Dialect(markdown)
        substitutions |= "substitution" in self.site.myst_extensions
        reading = replace(
            self.reading, dialect=dialect, has_substitutions=substitutions
        )
        return replace(self, reading=reading)

    def with_ignored(self, rules: tuple[IgnoreRule, ...]) -> Upstream:
        """A copy that knows which checks the project has silenced."""
        return replace(self, ignore=rules)

    def selects(self, page: str) -> bool:
        """Whether ``page`` (a name without suffix) is to be translated at all.

        What is excluded stays out, whatever includes it.
        """
        return matches(page, self.include) and not matches(page, self.exclude)

    def ignored(self, page: str) -> frozenset[str]:
        """The codes of the checks that do not count on ``page``, by all rules that match it."""
        codes: set[str] = set()
        for rule in self.ignore:
            if matches(page, rule.pages):
                codes.update(rule.codes)
        return frozenset(codes)

    def run_rule(self, page: str) -> RunRule | None:
        """The first rule about how ``page`` is run.

        So a rule about one page stands before those about its folder.
        """
        for rule in self.run:
            if matches(page, rule.pages):
                return rule
        return None

    def skip_rule(self, page: str) -> SkipRule | None:
        """The first rule that keeps ``page`` from being executed.

        Which one it is matters for the reason that people are told.
        """
        for rule in self.skip:
            if matches(page, rule.pages):
                return rule
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionPolicy:
    """How notebooks are run. ``jobs`` 0 means one per core."""

    timeout: int = 100  # CPU seconds per cell
    page_timeout: int = 1800  # CPU seconds per page
    stall: int = 300  # seconds without any CPU time or output
    wall_timeout: int = 14400  # seconds of the clock per page
    jobs: int = 0
    memory: int = 8192  # MiB that a kernel and its children may use
    output: int = 20  # MiB that a page may print
    cache: int = 2048  # MiB that outputs may take in build/cache/
    # Names of environment variables that kernels see besides those that they need.
    variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole configuration. ``root`` is the folder that holds ``pyproject.toml``."""

    root: Path
    locales: tuple[str, ...]
    upstreams: Mapping[str, Upstream]
    execution: ExecutionPolicy = field(default_factory=ExecutionPolicy)
    ignore: tuple[IgnoreRule, ...] = ()
    draft: DraftPolicy = field(default_factory=DraftPolicy)

    @classmethod
    def bare(cls, root: Path) -> Settings:
        """What holds in a folder that is no project of ours, for checking catalogues there."""
        return cls(root=root, locales=("zh_CN",), upstreams={})

    def upstream(self, name: str | None) -> Upstream:
        """The upstream called ``name``, or the first configured one."""
        if name is None:
            return next(iter(self.upstreams.values()))
        if name not in self.upstreams:
            known = ", ".join(self.upstreams)
            raise ConfigError(
                f"no upstream is called {name!r}",
                hint=f"{did_you_mean(name, self.upstreams)}Configured: {known}.",
            )
        return self.upstreams[name]
