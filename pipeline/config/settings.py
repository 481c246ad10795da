"""The configuration as frozen records: one for each table of ``[tool.pipeline]``.

They hold what a project says of its upstreams, of running code, of checks, of drafts and of its
site. Most are used as TOML gives them. ``reader`` completes the others: a ``SiteTable`` becomes a
``SitePolicy``.
"""

from __future__ import annotations

import dataclasses
import fnmatch
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, field, structs

from pipeline.config.schema import (
    MOST,
    Address,
    Amount,
    Host,
    Locale,
    Name,
    Natural,
    Positive,
    Reason,
    RefusedError,
    SiteAddress,
    Table,
    Text,
    Texts,
    Variable,
    written,
)
from pipeline.errors import ConfigError, did_you_mean
from pipeline.folders import ALL, WHOLE, Folders, is_safe_path
from pipeline.reading import Dialect, Reading

_INSIDE = "a file inside the project"
_WRITE_PATH = 'Write its path from the folder of this file, like "startup/quiet.py".'

_Startup = Annotated[str, Meta(min_length=1, title=_INSIDE, description=_WRITE_PATH)]
_Note = Annotated[
    str,
    Meta(
        min_length=1,
        description='Say how such pages run, as readers are told: "in interpret mode".',
    ),
]
# No system can start a process with another one.
_Value = Annotated[
    str, written(r"[^\0]*", "a string without NUL", "Remove the NUL and run again.")
]


class ModeTable(Table, frozen=True, kw_only=True):
    """A mode as the project writes it: start-up code, variables, or both."""

    note: _Note  # how such a page runs, for people: "in interpret mode"
    # A file of Python, by its path from the project's root; empty: none.
    startup: _Startup = ""
    variables: Mapping[Variable, _Value] = field(default_factory=dict)
    cell_seconds: Amount | None = None  # that most cells take; None: as everywhere

    def __post_init__(self) -> None:
        if self.startup and not is_safe_path(self.startup):
            what = f"must be {_INSIDE}, not {self.startup!r}"
            raise RefusedError(what, key="startup", hint=_WRITE_PATH)
        if not self.startup and not self.variables:
            raise RefusedError(
                "has neither startup nor variables, and would do nothing",
                hint="Name a file of Python that runs before the first cell, or variables.",
            )


class Mode(ModeTable, frozen=True, kw_only=True):
    """A way to run pages that do not run as they are."""

    name: str
    comes_along: bool = False  # it is the pipeline's own, and so is its start-up file


# What any project may name: these are about no package of whose docs somebody may be.
COMING_ALONG = (
    Mode(
        name="stand-in-data",
        note="with stand-in data",
        startup="stand-in-data.py",
        comes_along=True,
    ),
)


# What every request of ours says itself.
_OURS = ("model", "messages", "stream", "n", "max_tokens", "max_completion_tokens")

_Endpoint = Annotated[
    str,
    written(
        r"(https?://(\[[0-9A-Fa-f:.]+\]|[^\s/?#@:\[\]]+)(:\d{1,5})?(/[^\s?#]*)?)?",
        "an http or https address without user, password, query and fragment",
        "For example: https://api.example.org/v1. A key goes into the environment variable "
        "that key-variable names.",
        is_secret=True,  # it may hold a password
    ),
]
_Model = Annotated[
    str,
    written(
        r"(?a:[\w./:@+-]{0,100})",
        "the name of a model",
        "It may have letters, digits and . / : @ + - _.",
    ),
]
_KeyVariable = Annotated[
    str,
    written(
        "([A-Z_][A-Z0-9_]*)?",
        "the name of an environment variable",
        "Write the name there, such as OPENAI_API_KEY, and the key into the variable.",
        is_secret=True,  # it may be the key itself
    ),
]
_ReplyField = Annotated[
    str,
    written(
        "max_tokens|max_completion_tokens",
        "max_tokens or max_completion_tokens",
        "It is what the endpoint calls the bound of a reply.",
    ),
]


class DraftPolicy(Table, frozen=True, kw_only=True):
    """Which model drafts, through which endpoint, and what a run may spend."""

    # Of an OpenAI-compatible endpoint, up to what /chat/completions follows.
    url: _Endpoint = ""
    model: _Model = ""
    key_variable: _KeyVariable = (
        ""  # the environment variable with the key; empty: no key
    )
    budget_tokens: Natural = 0  # how many tokens a run may take; 0: any number
    batch: Positive = 40  # entries of a request
    concurrency: Positive = 4  # requests at a time
    timeout: Positive = 180  # seconds that one may take
    tries: Positive = 5  # of a request that fails in passing
    reply_tokens: Natural = 0  # bound of a reply; 0: by the length of the text
    reply_field: _ReplyField = "max_tokens"  # what the endpoint calls that bound
    # What else to put into each request: temperature, response_format …
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.parameters:
            if name in _OURS:
                raise RefusedError(
                    f"cannot have {name!r}",
                    key="parameters",
                    hint="Every request has that already.",
                )


# What the templates of a site may name, and what all of them may.
TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "edit_url": ("locale", "name", "page", "line", "digest"),
    "notebook_url": ("locale", "name", "page"),
    "repository_url": (),
    "url": (),
}
REPOSITORY_WORDS = ("repository", "owner", "project")


def matches(page: str, patterns: tuple[str, ...]) -> bool:
    """Whether a page name matches one of the glob patterns; ``**`` and ``*`` both cross folders."""
    # "fnmatchcase": names of pages are equal on all systems, or they are not.
    return any(fnmatch.fnmatchcase(page, pattern) for pattern in patterns)


class SkipRule(Table, frozen=True, kw_only=True):
    """Pages (glob patterns) that are not executed, and why."""

    pages: Texts
    reason: Reason  # "accelerator" | "network data" | "heavy package" | "upstream bug"
    note: str = ""


class Acknowledgement(Table, frozen=True, kw_only=True):
    """``raises-exception`` cells that are known not to raise.

    ``cells`` are numbers of code cells, from 1.
    """

    page: Text
    cells: Annotated[tuple[Positive, ...], Meta(min_length=1)]
    reason: Reason


class RunTable(Table, frozen=True, kw_only=True):
    """How some pages (glob patterns) are run, if not as they are, and why."""

    pages: Texts
    reason: Reason  # a class, as for SkipRule
    note: str = ""
    until: Positive = 0  # the first code cell (from 1) that cannot run here; 0: all run
    # Distributions: where all are installed, every cell runs.
    needs: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()  # their names
    # CPU devices that XLA is to offer, which has a flag for it; 0: as it likes
    devices: Positive = 0
    timeout: Positive = 0  # CPU seconds per cell; 0: as for all pages
    page_timeout: Positive = 0  # CPU seconds for all of it; 0: as for all pages
    compare: bool = False  # compare the outputs with those that upstream stored


class RunRule(RunTable, frozen=True, kw_only=True):
    """The same, with what is done to the kernel before the first cell."""

    modes: tuple[Mode, ...] = ()  # type: ignore[assignment]  # the names, looked up


class PartRule(Table, frozen=True, kw_only=True):
    """Pages (glob patterns) of which only the first sections are translated, and why."""

    pages: Texts
    sections: Positive
    reason: Reason


class IgnoreRule(Table, frozen=True, kw_only=True):
    """Checks that are not told on some pages (glob patterns), and why.

    Whether there are such checks is for the command ``check`` to say, which knows them.
    """

    codes: Texts
    pages: tuple[str, ...] = ("**",)
    reason: Reason


class SiteTable(Table, frozen=True, kw_only=True):
    """What a project says of its site. An URL that is empty leaves its links out."""

    title: str = ""
    # Where an entry of a catalogue or of the memory can be edited: a template with {locale},
    # {name}, {page}, {line} and {digest}.
    edit_url: Address = ""
    # Where Colab finds a translated notebook: a template with {locale}, {name} and {page}.
    notebook_url: Address = ""
    url: Address = ""  # where the site itself is published, with a slash at the end
    repository_url: Address = ""  # of this project: where readers find who translates
    english_url: Address = ""  # the English docs, with a slash at the end
    # Other hosts of the same site: upstream's text may name any of them.
    english_hosts: tuple[Host, ...] = ()
    # Other Sphinx sites whose names the docs ask for: their URLs, with a slash at the end.
    inventories: Mapping[Name, SiteAddress] = field(default_factory=dict)
    # Pages that the home page leads newcomers to: to begin with, to install, to learn by.
    start: tuple[str, ...] = ()
    # What the home page says first of what the docs are of, and code that shows it; empty: none.
    hero: str = ""
    hero_code: str = ""
    root: str = ""  # the page that the site begins with; empty: see ``site.roots``
    extensions: tuple[str, ...] = ()  # modules that Sphinx loads, of installed packages
    myst_extensions: tuple[str, ...] = ()  # syntax of MyST besides what every site has

    def __post_init__(self) -> None:
        if self.hero_code and not self.hero:
            raise RefusedError(
                "has no words beside it",
                key="hero-code",
                hint="Say what the code shows: hero = …",
            )
        # Tried out now: a site is made at the end of a long build.
        for name, words in TEMPLATES.items():
            _try_out(getattr(self, name), words, key=name.replace("_", "-"))


class SitePolicy(SiteTable, frozen=True, kw_only=True):
    """The same, with the repository in its templates."""

    # What the command line says: translations that wait for a person are shown, and marked.
    show_fuzzy: bool = False


class UpstreamTable(Table, frozen=True, kw_only=True):
    """One set of English docs as the project describes it: see ``Upstream``."""

    url: Annotated[
        str,
        Meta(
            min_length=1,
            description="Give a URL, a bundle, a repository or a folder.",
        ),
    ]
    ref: str = ""
    docs: str | tuple[str, ...] = ALL
    # The distribution that the docs are of, as people write it; empty: no version is pinned.
    package: str = ""
    page_url: Address = ""
    license: str = ""
    markdown: Dialect | None = None  # None: what lies beside the docs tells
    prose_directives: tuple[str, ...] = ()
    # What code calls modules by custom, also where no import is shown: jnp → jax.numpy
    usual_names: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ("**",)
    exclude: tuple[str, ...] = ()
    partly: tuple[PartRule, ...] = ()
    skip: tuple[SkipRule, ...] = ()
    run: tuple[RunTable, ...] = ()
    acknowledge: tuple[Acknowledgement, ...] = ()
    site: SiteTable = field(default_factory=SiteTable)


class Upstream(UpstreamTable, frozen=True, kw_only=True):
    """The same, with its name, its version, and what its rules and links name looked up."""

    name: str
    docs: Folders = WHOLE  # type: ignore[assignment]  # the one, or all of them
    version: str = ""  # the pinned one
    run: tuple[RunRule, ...] = ()
    site: SitePolicy = field(default_factory=SitePolicy)
    ignore: tuple[IgnoreRule, ...] = ()  # the project's
    # What the lock says of the Markdown, which holds where the configuration does not say it.
    locked_markdown: Dialect | None = None
    has_substitutions: bool = False  # the lock says so
    # Whether url is a variable's (JAX_DOCS_UPSTREAM), and not the configured one.
    url_replaced: bool = False
    configured_url: str = ""

    @property
    def reading(self) -> Reading:
        """How its documents are written."""
        partly: list[tuple[str, int]] = []
        for rule in self.partly:
            partly += [(page, rule.sections) for page in rule.pages]
        return Reading(
            dialect=self.markdown or self.locked_markdown or Dialect.MYST,
            # Names are compared as MyST does it.
            prose=frozenset(map(str.lower, self.prose_directives)),
            partly=tuple(partly),
            has_substitutions=self.has_substitutions
            or "substitution" in self.site.myst_extensions,
        )

    def as_locked(self, markdown: str, *, substitutions: bool) -> Upstream:
        """The upstream, with what its lock tells of its Markdown."""
        locked = Dialect(markdown) if markdown else self.locked_markdown
        return structs.replace(
            self, locked_markdown=locked, has_substitutions=substitutions
        )

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


class ExecutionPolicy(Table, frozen=True, kw_only=True):
    """How notebooks are run. ``jobs`` 0 means one per core."""

    timeout: Positive = 100  # CPU seconds per cell
    page_timeout: Positive = 1800  # CPU seconds per page
    stall: Positive = 300  # seconds without any CPU time or output
    wall_timeout: Positive = 14400  # seconds of the clock per page
    jobs: Natural = 0
    # MiB that a kernel and its children may use
    memory: Annotated[int, Meta(ge=256, le=MOST)] = 8192
    output: Positive = 20  # MiB that a page may print
    cache: Positive = 2048  # MiB that outputs may take in build/cache/
    # Names of environment variables that kernels see besides those that they need.
    variables: tuple[str, ...] = ()


class ChecksTable(Table, frozen=True, kw_only=True):
    """What the checks are not to tell."""

    ignore: tuple[IgnoreRule, ...] = ()


class PipelineTable(Table, frozen=True, kw_only=True):
    """``[tool.pipeline]``."""

    upstreams: Annotated[
        Mapping[Name, UpstreamTable],
        Meta(
            min_length=1,
            description="Add a table: [tool.pipeline.upstreams.NAME] with a url.",
        ),
    ]
    locales: Annotated[
        tuple[Locale, ...],
        Meta(min_length=1, description='Name one, e.g. ["zh_CN"].'),
    ] = ("zh_CN",)
    modes: Mapping[Name, ModeTable] = field(default_factory=dict)
    execution: ExecutionPolicy = ExecutionPolicy()
    checks: ChecksTable = ChecksTable()
    draft: DraftPolicy = field(default_factory=DraftPolicy)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole configuration. ``root`` is the folder that holds ``pyproject.toml``."""

    root: Path
    locales: tuple[str, ...]
    upstreams: Mapping[str, Upstream]
    execution: ExecutionPolicy = dataclasses.field(default_factory=ExecutionPolicy)
    ignore: tuple[IgnoreRule, ...] = ()
    draft: DraftPolicy = dataclasses.field(default_factory=DraftPolicy)

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


def _try_out(template: str, words: tuple[str, ...], *, key: str) -> None:
    """Refuse what is no template, or names other ``words``."""
    known = (*words, *REPOSITORY_WORDS)
    try:
        template.format(**dict.fromkeys(known, ""))
    except (KeyError, IndexError, ValueError) as error:
        names = ", ".join(f"{{{word}}}" for word in known)
        raise RefusedError(
            f"is no template: {template!r}",
            key=key,
            hint=f"It may name {names}; write other braces twice.",
        ) from error
