"""The configuration as frozen records, one for each table of ``[tool.pipeline]``.

The tables cover upstreams, execution, checks, drafts and the site. Some records have a second form.
It has additional values, which ``reader`` gets from other places than TOML. For example, an
``UpstreamTable`` becomes an ``Upstream``, which also has the pinned version.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, field
from msgspec.structs import replace

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
    Release,
    SiteAddress,
    Table,
    Text,
    Texts,
    ValidationError,
    Variable,
    matching,
)
from pipeline.errors import ConfigError, did_you_mean
from pipeline.folders import ALL, WHOLE, Folders, is_safe_path
from pipeline.naming import beside_name, release_of, upstream_of
from pipeline.reading import Dialect, Reading

_INSIDE = "a file inside the project"
_WRITE_PATH = 'Write its path from the folder of this file, like "startup/quiet.py".'

_Startup = Annotated[str, Meta(min_length=1, title=_INSIDE, description=_WRITE_PATH)]
_Note = Annotated[
    str,
    Meta(
        min_length=1,
        description='Describe for readers how such pages run: "in interpret mode".',
    ),
]
# Environment variables cannot contain NUL on any system.
_Value = Annotated[
    str, matching(r"[^\0]*", "a string without NUL", "Remove the NUL and run again.")
]


class ModeTable(Table, frozen=True, kw_only=True):
    """A mode that the project defines: a way to run pages that need special treatment.

    A mode consists of start-up code, environment variables, or both.
    """

    note: _Note  # description for readers of such a page: "in interpret mode"
    # Python file that runs before the first cell, relative to the project's root; may be empty.
    startup: _Startup = ""
    variables: Mapping[Variable, _Value] = field(default_factory=dict)
    cell_seconds: Amount | None = None  # expected time of a cell; None for the default

    def __post_init__(self) -> None:
        if self.startup and not is_safe_path(self.startup):
            what = f"must be {_INSIDE}, not {self.startup!r}"
            raise ValidationError(what, key="startup", hint=_WRITE_PATH)
        if not self.startup and not self.variables:
            raise ValidationError(
                "has neither startup nor variables, so it would have no effect",
                hint="Name a Python file that runs before the first cell, or variables.",
            )


class Mode(ModeTable, frozen=True, kw_only=True):
    """A mode with its name. Every project has the built-in modes."""

    name: str
    is_built_in: bool = False  # if true, the start-up file is part of the pipeline


# Modes that every project has. They must not depend on the documented package.
BUILT_IN_MODES = (
    Mode(
        name="stand-in-data",
        note="with stand-in data",
        startup="stand-in-data.py",
        is_built_in=True,
    ),
)


# Parameters that the pipeline sets in every request.
_OURS = ("model", "messages", "stream", "n", "max_tokens", "max_completion_tokens")

_Endpoint = Annotated[
    str,
    matching(
        r"(https?://(\[[0-9A-Fa-f:.]+\]|[^\s/?#@:\[\]]+)(:\d{1,5})?(/[^\s?#]*)?)?",
        "an http or https address without user, password, query and fragment",
        "For example: https://api.example.org/v1. A key goes into the environment variable "
        "that key-variable names.",
        is_secret=True,  # the URL may contain a password
    ),
]
_Model = Annotated[
    str,
    matching(
        r"(?a:[\w./:@+-]{0,100})",
        "the name of a model",
        "It may have letters, digits and . / : @ + - _.",
    ),
]
_KeyVariable = Annotated[
    str,
    matching(
        "([A-Z_][A-Z0-9_]*)?",
        "the name of an environment variable",
        "Write the name there, such as OPENAI_API_KEY, and the key into the variable.",
        is_secret=True,  # a user may have written the key itself here
    ),
]
_ReplyField = Annotated[
    str,
    matching(
        "max_tokens|max_completion_tokens",
        "max_tokens or max_completion_tokens",
        "This is the endpoint's name for the limit of a reply.",
    ),
]


class DraftPolicy(Table, frozen=True, kw_only=True):
    """The language model that drafts translations, its endpoint, and the limits of a run."""

    # The base URL of an OpenAI-compatible endpoint, without /chat/completions.
    url: _Endpoint = ""
    model: _Model = ""
    key_variable: _KeyVariable = ""  # the environment variable with the key; empty: no key
    budget_tokens: Natural = 0  # tokens that one run may use; 0 for no limit
    batch: Positive = 40  # entries per request
    concurrency: Positive = 4  # parallel requests
    timeout: Positive = 180  # seconds per request
    tries: Positive = 5  # attempts for a request that fails temporarily
    reply_tokens: Natural = 0  # limit per reply; 0: computed from the text's length
    reply_field: _ReplyField = "max_tokens"  # the endpoint's name for that limit
    # Additional parameters of each request: temperature, response_format …
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.parameters:
            if name in _OURS:
                raise ValidationError(
                    f"cannot have {name!r}",
                    key="parameters",
                    hint="Remove it: the pipeline sets this parameter itself.",
                )


# The placeholders of each URL template. Every template also accepts ``REPOSITORY_WORDS``.
TEMPLATE_PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {
    "edit_url": ("locale", "name", "page", "line", "digest"),
    "notebook_url": ("locale", "name", "page"),
    "repository_url": (),
    "url": (),
}
REPOSITORY_WORDS = ("repository", "owner", "project")


def matches(page: str, patterns: tuple[str, ...]) -> bool:
    """Return whether a page matches one of the glob patterns. ``*`` also matches slashes."""
    # `fnmatch.fnmatch` ignores case on Windows, so use `fnmatchcase`.
    return any(fnmatch.fnmatchcase(page, pattern) for pattern in patterns)


class SkipRule(Table, frozen=True, kw_only=True):
    """Pages (glob patterns) whose code does not run, and the reason."""

    pages: Texts
    reason: Reason  # "accelerator" | "network data" | "heavy package" | "upstream bug"
    note: str = ""


class Acknowledgement(Table, frozen=True, kw_only=True):
    """Cells that upstream marks with ``raises-exception``, but that do not raise.

    Without this rule, such a cell makes its page fail. ``cells`` are numbers of code cells, from 1.
    """

    page: Text
    cells: Annotated[tuple[Positive, ...], Meta(min_length=1)]
    reason: Reason


class RunTable(Table, frozen=True, kw_only=True):
    """Special treatment for the code of some pages (glob patterns), and the reason."""

    pages: Texts
    reason: Reason  # a category, as in SkipRule
    note: str = ""
    until: Positive = 0  # the first code cell (from 1) that cannot run; 0 if all can
    # Packages that the cells from ``until`` on need. If all are installed, the whole page runs, in
    # its modes. Otherwise only the cells before ``until`` run, without modes.
    needs: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()  # names of modes
    # Number of CPU devices that XLA offers (a flag of XLA); 0 for XLA's default.
    devices: Positive = 0
    timeout: Positive = 0  # CPU seconds per cell; 0: the general limit
    page_timeout: Positive = 0  # CPU seconds for the whole page; 0: the general limit
    compare: bool = False  # compare the outputs with those stored upstream


class RunRule(RunTable, frozen=True, kw_only=True):
    """A ``RunTable`` with ``Mode`` records in place of the names of modes."""

    modes: tuple[Mode, ...] = ()  # type: ignore[assignment]  # narrower than the base


class PartRule(Table, frozen=True, kw_only=True):
    """Pages (glob patterns), how many of their first sections are translated, and the reason."""

    pages: Texts
    sections: Positive
    reason: Reason


class IgnoreRule(Table, frozen=True, kw_only=True):
    """Checks whose findings are ignored on some pages (glob patterns), and the reason.

    Only the command ``check`` validates the codes.
    """

    codes: Texts
    pages: tuple[str, ...] = ("**",)
    reason: Reason


class SiteTable(Table, frozen=True, kw_only=True):
    """Settings of the web site. If a URL is empty, the site omits the links that need it."""

    title: str = ""
    # URL for editing an entry of a catalogue or of the memory: a template with
    # {locale}, {name}, {page}, {line} and {digest}.
    edit_url: Address = ""
    # URL of a translated notebook for Colab: a template with {locale}, {name} and
    # {page}.
    notebook_url: Address = ""
    url: Address = ""  # URL of the published site, with a slash at the end
    repository_url: Address = ""  # URL of this project, for contributors
    english_url: Address = ""  # URL of the English docs, with a slash at the end
    # Other hosts of the English docs: upstream's text may link to any of them.
    english_hosts: tuple[Host, ...] = ()
    # Other Sphinx sites that the docs refer to: their URLs, with a slash at the end.
    inventories: Mapping[Name, SiteAddress] = field(default_factory=dict)
    # Pages that the home page recommends to newcomers: introduction, installation,
    # tutorials.
    start: tuple[str, ...] = ()
    # The first sentence of the home page, and an example of code beside it; both may be empty.
    hero: str = ""
    hero_code: str = ""
    root: str = ""  # the first page of the site; if empty, ``site.outline`` chooses it
    extensions: tuple[str, ...] = ()  # importable modules that Sphinx loads
    myst_extensions: tuple[str, ...] = ()  # additional MyST syntax

    def __post_init__(self) -> None:
        if self.hero_code and not self.hero:
            raise ValidationError(
                "needs a sentence beside it",
                key="hero-code",
                hint="Describe the code in a sentence: hero = …",
            )
        # Check the templates now, not at the end of a long run, when the site is built.
        for name, words in TEMPLATE_PLACEHOLDERS.items():
            _try_out(getattr(self, name), words, key=name.replace("_", "-"))


class SitePolicy(SiteTable, frozen=True, kw_only=True):
    """A ``SiteTable`` with the repository filled into its URL templates."""

    # Option ``--show-fuzzy``: show fuzzy translations, with a mark.
    show_fuzzy: bool = False


class ReferenceTable(Table, frozen=True, kw_only=True):
    """The API reference of the documented package. The table may be empty."""

    # Folder with the package's source, relative to the project's root. If empty, the pinned version
    # of the package is read.
    path: str = ""
    # Packages that the package's modules import, but that the package does not require.
    needs: tuple[str, ...] = ()
    # Directives of the docs that list options of the package, each with the name of the object that
    # has these options.
    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path and not is_safe_path(self.path):
            raise ValidationError(
                f"must be a folder inside the project, not {self.path!r}",
                key="path",
                hint="Write its path from the folder of this file.",
            )


class UpstreamTable(Table, frozen=True, kw_only=True):
    """Table of one upstream: a set of English docs to translate. See also ``Upstream``."""

    url: Annotated[
        str,
        Meta(
            min_length=1,
            description="Give a URL, a bundle, a repository or a folder.",
        ),
    ]
    ref: str = ""
    docs: str | tuple[str, ...] = ALL
    # The documented package, as people spell it. If empty, no version is pinned.
    package: str = ""
    page_url: Address = ""
    license: str = ""
    # Releases to show beside the pinned one. ``ref`` must then be a template: "v{version}".
    beside: tuple[Release, ...] = ()
    markdown: Dialect | None = None  # if None, detected from the files beside the docs
    prose_directives: tuple[str, ...] = ()
    # Usual aliases of modules, for code without imports: jnp → jax.numpy
    usual_names: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ("**",)
    exclude: tuple[str, ...] = ()
    partly: tuple[PartRule, ...] = ()
    skip: tuple[SkipRule, ...] = ()
    run: tuple[RunTable, ...] = ()
    acknowledge: tuple[Acknowledgement, ...] = ()
    site: SiteTable = field(default_factory=SiteTable)
    reference: ReferenceTable | None = None  # None: the API is not translated


class Upstream(UpstreamTable, frozen=True, kw_only=True):
    """An upstream, or a release beside its pin, with all values that commands need."""

    name: str  # "jax", or "jax@0.11.0" for a release beside the pin
    docs: Folders = WHOLE  # type: ignore[assignment]  # one folder or several
    version: str = ""  # the pinned version, or that of the release
    run: tuple[RunRule, ...] = ()
    site: SitePolicy = field(default_factory=SitePolicy)
    ignore: tuple[IgnoreRule, ...] = ()  # rules of the whole project
    # The dialect that the lock records. It applies if the configuration sets no dialect.
    locked_markdown: Dialect | None = None
    has_substitutions: bool = False  # as the lock records it: see ``Reading``
    # Whether ``url`` comes from an environment variable (JAX_DOCS_UPSTREAM) or an option.
    url_replaced: bool = False
    configured_url: str = ""  # the URL in the configuration

    @property
    def is_beside(self) -> bool:
        """Return whether this is a release beside the pin."""
        return release_of(self.name) != ""

    @property
    def reading(self) -> Reading:
        """Return the settings for parsing the documents."""
        partly: list[tuple[str, int]] = []
        for rule in self.partly:
            partly += [(page, rule.sections) for page in rule.pages]
        return Reading(
            dialect=self.markdown or self.locked_markdown or Dialect.MYST,
            # MyST ignores the case of directive names.
            prose=frozenset(map(str.lower, self.prose_directives)),
            partly=tuple(partly),
            has_substitutions=self.has_substitutions or "substitution" in self.site.myst_extensions,
        )

    def as_locked(self, markdown: str, *, substitutions: bool) -> Upstream:
        """Return the upstream with the Markdown dialect and substitutions recorded in its lock."""
        locked = Dialect(markdown) if markdown else self.locked_markdown
        return replace(self, locked_markdown=locked, has_substitutions=substitutions)

    def selects(self, page: str) -> bool:
        """Return whether the configuration selects ``page`` (a name without suffix).

        ``exclude`` takes precedence over ``include``.
        """
        return matches(page, self.include) and not matches(page, self.exclude)

    def ignored(self, page: str) -> frozenset[str]:
        """Return the codes of the checks whose findings are ignored on ``page``."""
        codes: set[str] = set()
        for rule in self.ignore:
            if matches(page, rule.pages):
                codes.update(rule.codes)
        return frozenset(codes)

    def run_rule(self, page: str) -> RunRule | None:
        """Return the first run rule that matches ``page``, or None.

        So users must put the rule for a page before the rule for its folder.
        """
        return next((rule for rule in self.run if matches(page, rule.pages)), None)

    def skip_rule(self, page: str) -> SkipRule | None:
        """Return the first skip rule that matches ``page``, or None. Reports show its reason."""
        return next((rule for rule in self.skip if matches(page, rule.pages)), None)


class ExecutionPolicy(Table, frozen=True, kw_only=True):
    """Limits for running notebooks."""

    timeout: Positive = 100  # CPU seconds per cell
    page_timeout: Positive = 1800  # CPU seconds per page
    stall: Positive = 300  # seconds of wall time without CPU use or output
    wall_timeout: Positive = 14400  # seconds of wall time per page
    jobs: Natural = 0  # kernels at a time; 0 for one per core
    # MiB that a kernel and its child processes may use together
    memory: Annotated[int, Meta(ge=256, le=MOST)] = 8192
    output: Positive = 20  # MiB of output per page
    cache: Positive = 2048  # MiB of outputs in build/cache/
    # Names of environment variables to pass to kernels, besides the required ones.
    variables: tuple[str, ...] = ()


class ChecksTable(Table, frozen=True, kw_only=True):
    """Settings of ``check``: rules that say which findings are ignored on which pages."""

    ignore: tuple[IgnoreRule, ...] = ()


class PipelineTable(Table, frozen=True, kw_only=True):
    """The top-level table, ``[tool.pipeline]``."""

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


class Settings(Struct, frozen=True, kw_only=True):
    """The whole configuration. ``root`` is the folder that contains ``pyproject.toml``.

    ``upstreams`` has all releases by name: ``jax`` for the pinned one, followed by the releases
    beside it, such as ``jax@0.11.0``.
    """

    root: Path
    locales: tuple[str, ...]
    upstreams: Mapping[str, Upstream]
    execution: ExecutionPolicy = field(default_factory=ExecutionPolicy)
    ignore: tuple[IgnoreRule, ...] = ()
    draft: DraftPolicy = field(default_factory=DraftPolicy)

    @classmethod
    def bare(cls, root: Path) -> Settings:
        """Return the settings for a folder without configuration, in which ``check`` runs."""
        return cls(root=root, locales=("zh_CN",), upstreams={})

    def upstream(self, name: str | None) -> Upstream:
        """Return the upstream called ``name``, or the first one. Raises ConfigError."""
        if name is None:
            return next(iter(self.upstreams.values()))
        if name not in self.upstreams:
            known = ", ".join(self.upstreams)
            raise ConfigError(
                f"no upstream is called {name!r}",
                hint=f"{did_you_mean(name, self.upstreams)}Configured: {known}.",
            )
        return self.upstreams[name]

    def release(self, name: str | None, release: str) -> Upstream:
        """Return a release of the upstream ``name``: the pinned one, or one beside it.

        Raises ConfigError.
        """
        pinned = self.upstream(name)
        if release == pinned.version:
            return pinned
        if release not in pinned.beside:
            raise ConfigError(
                f"no release {release!r} of {pinned.name} is configured",
                hint=f"Configured: {', '.join((pinned.version, *pinned.beside))}. "
                f"Add it to tool.pipeline.upstreams.{pinned.name}.beside.",
            )
        return self.upstreams[beside_name(pinned.name, release)]

    def releases_of(self, name: str) -> tuple[Upstream, ...]:
        """Return all configured releases of the upstream ``name``, the pinned one first."""
        pinned = self.upstream(upstream_of(name))
        beside = (beside_name(pinned.name, release) for release in pinned.beside)
        return (pinned, *map(self.upstreams.__getitem__, beside))


def _try_out(template: str, words: tuple[str, ...], *, key: str) -> None:
    """Raise ValidationError if ``template`` is malformed or uses an unknown placeholder."""
    known = (*words, *REPOSITORY_WORDS)
    try:
        template.format(**dict.fromkeys(known, ""))
    except (KeyError, IndexError, ValueError) as error:
        names = ", ".join(f"{{{word}}}" for word in known)
        raise ValidationError(
            f"is no valid template: {template!r}",
            key=key,
            hint=f"The placeholders are {names}; write any other brace twice.",
        ) from error
