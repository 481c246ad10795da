"""``[tool.pipeline]`` in ``pyproject.toml`` as one frozen record."""

from __future__ import annotations

import difflib
import fnmatch
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError

REPOSITORY_VARIABLE = "GITHUB_REPOSITORY"  # owner/name, as GitHub's workflows have it
UPSTREAM_VARIABLE = "JAX_DOCS_UPSTREAM"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
MODES = ("pallas-interpret", "pallas-interpret-hlo", "stand-in-data")
LOCALE = re.compile(r"[a-z]{2,3}(_[A-Z][A-Za-z]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipRule:
    """Pages (glob patterns) that are not executed, and why."""

    pages: tuple[str, ...]
    reason: str  # "accelerator" | "network data" | "heavy package" | "upstream bug"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledgement:
    """``raises-exception`` cells that are known not to raise. ``cells`` are numbers of code cells, from 1."""

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
    needs: tuple[str, ...] = ()  # distributions: where all are installed, every cell runs
    modes: tuple[str, ...] = ()  # what is done to the kernel before the first cell, of MODES
    devices: int = 0  # CPU devices that JAX is to offer; 0: as it likes
    timeout: int = 0  # seconds per cell; 0: as for all pages
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
    edit_url: str = ""  # template with {locale}, {name}, {page}, {line} and {digest}: an entry of a catalogue or of the memory
    notebook_url: str = (
        ""  # template with {locale}, {name} and {page}: where Colab finds a translated notebook
    )
    english_url: str = ""  # the English docs, with a slash at the end
    show_fuzzy: bool = False  # what the command line says: translations that wait for a person are shown, and marked


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """Where one set of English docs comes from. ``url`` may be a URL, a bundle, a repository or a folder."""

    name: str
    url: str
    ref: str = ""
    docs: str = "."
    page_url: str = ""  # template with {ref}, {commit} and {path}
    license: str = ""
    include: tuple[str, ...] = ("**",)
    exclude: tuple[str, ...] = ()
    skip: tuple[SkipRule, ...] = ()
    run: tuple[RunRule, ...] = ()
    acknowledge: tuple[Acknowledgement, ...] = ()
    ignore: tuple[IgnoreRule, ...] = ()  # the project's
    site: SitePolicy = field(default_factory=SitePolicy)
    url_replaced: bool = False  # url is JAX_DOCS_UPSTREAM's, not the configured one
    configured_url: str = ""

    def selects(self, page: str) -> bool:
        """Whether ``page`` (a name without suffix) is to be translated at all."""
        return matches(page, self.include) and not matches(page, self.exclude)

    def ignored(self, page: str) -> frozenset[str]:
        """The codes of the checks that do not count on ``page``."""
        return frozenset(
            code for rule in self.ignore if matches(page, rule.pages) for code in rule.codes
        )

    def run_rule(self, page: str) -> RunRule | None:
        """The first rule about how ``page`` is run."""
        return next((rule for rule in self.run if matches(page, rule.pages)), None)

    def skip_rule(self, page: str) -> SkipRule | None:
        """The first rule that keeps ``page`` from being executed."""
        return next((rule for rule in self.skip if matches(page, rule.pages)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionPolicy:
    """How notebooks are run. ``jobs`` 0 means one per core."""

    timeout: int = 100  # seconds per cell
    page_timeout: int = 1800  # seconds per page
    jobs: int = 0
    memory: int = 8192  # MiB that a kernel and its children may use
    output: int = 20  # MiB that a page may print
    cache: int = 2048  # MiB that outputs may take in build/cache/
    variables: tuple[
        str, ...
    ] = ()  # names of environment variables that kernels see besides those that they need


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole configuration. ``root`` is the folder that holds ``pyproject.toml``."""

    root: Path
    jax: str
    locales: tuple[str, ...]
    upstreams: Mapping[str, Upstream]
    execution: ExecutionPolicy = field(default_factory=ExecutionPolicy)
    ignore: tuple[IgnoreRule, ...] = ()

    @classmethod
    def bare(cls, root: Path) -> Settings:
        """What holds in a folder that is no project of ours, for checking catalogues there."""
        return cls(root=root, jax="", locales=("zh_CN",), upstreams={})

    def upstream(self, name: str | None) -> Upstream:
        """The upstream called ``name``, or the first configured one."""
        if name is None:
            return next(iter(self.upstreams.values()))
        if name not in self.upstreams:
            known = ", ".join(self.upstreams)
            raise ConfigError(
                f"no upstream is called {name!r}",
                hint=f"{_suggest(name, self.upstreams)}Configured: {known}.",
            )
        return self.upstreams[name]


def matches(page: str, patterns: tuple[str, ...]) -> bool:
    """Whether a page name matches one of the glob patterns; ``**`` and ``*`` both cross folders."""
    return any(fnmatch.fnmatchcase(page, pattern) for pattern in patterns)


def read_settings(
    path: Path, *, environ: Mapping[str, str] = os.environ, needed: bool = True
) -> Settings:
    """Read and check the configuration at ``path`` (a ``pyproject.toml``). Raises ConfigError.

    If it is not ``needed``, a folder without one is a bare one.
    """
    if not needed and not path.exists():
        return Settings.bare(path.resolve().parent)
    try:
        text = path.read_bytes()
        data = tomllib.loads(text.decode("utf-8"))
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}",
            where=str(path),
            hint="Run from the project's root, or give --config.",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"is not valid TOML: {error}", where=str(path), hint="Mend the file and run again."
        ) from error
    tools = data.get("tool")
    table = tools.get("pipeline") if isinstance(tools, dict) else None
    if table is None and not needed:
        return Settings.bare(path.resolve().parent)
    if not isinstance(table, dict):
        raise ConfigError(
            "has no [tool.pipeline] table", where=str(path), hint="README shows a minimal one."
        )
    return _Reader(str(path)).settings(
        table, root=path.resolve().parent, jax=_jax_pin(data, str(path)), environ=environ
    )


def _at_repository(template: str, repository: str) -> str:
    """``template`` with ``repository`` (owner/name) for ``{repository}``; empty if it asks for one where there is none."""
    if "{repository}" not in template:
        return template
    return (
        template.replace("{repository}", repository)
        if re.fullmatch(r"[\w.-]+/[\w.-]+", repository)
        else ""
    )


def _jax_pin(data: Mapping[str, Any], where: str) -> str:
    groups = data.get("dependency-groups")
    pins = groups.get("jax") if isinstance(groups, dict) else None
    versions = {
        m[1]: m[2]
        for pin in (pins if isinstance(pins, list) else ())
        if (m := re.fullmatch(r"(jax|jaxlib)==([\w.]+)", str(pin)))
    }
    if set(versions) != {"jax", "jaxlib"} or len(set(versions.values())) != 1:
        raise ConfigError(
            "the dependency group 'jax' must pin jax and jaxlib to one version",
            where=where,
            hint='For example: jax = ["jax==0.10.2", "jaxlib==0.10.2"].',
        )
    return versions["jax"]


def _suggest(word: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"Did you mean {near[0]!r}? " if near else ""


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns TOML tables into records, naming the key in every complaint."""

    where: str

    def settings(
        self, table: Mapping[str, Any], *, root: Path, jax: str, environ: Mapping[str, str]
    ) -> Settings:
        self._keys(table, "tool.pipeline", ("locales", "upstreams", "execution", "checks"))
        locales = self._strings(table, "locales", "tool.pipeline", default=("zh_CN",))
        if not locales:
            raise ConfigError(
                "tool.pipeline.locales is empty", where=self.where, hint='Name one, e.g. ["zh_CN"].'
            )
        for locale in locales:
            if not LOCALE.fullmatch(locale):
                raise ConfigError(
                    f"{locale!r} is not a locale",
                    where=self.where,
                    hint="Write it as gettext does, e.g. zh_CN.",
                )
        tables = self._table(table, "upstreams", "tool.pipeline")
        if not tables:
            raise ConfigError(
                "no [tool.pipeline.upstreams.NAME] is configured", where=self.where, hint="Add one."
            )
        upstreams = {
            name: self._upstream(
                name, self._table(tables, name, "tool.pipeline.upstreams"), jax=jax, environ=environ
            )
            for name in tables
        }
        execution = self._execution(self._table(table, "execution", "tool.pipeline"))
        checks = self._table(table, "checks", "tool.pipeline")
        self._keys(checks, "tool.pipeline.checks", ("ignore",))
        ignore = tuple(map(self._ignore, self._tables(checks, "ignore", "tool.pipeline.checks")))
        upstreams = {name: replace(upstream, ignore=ignore) for name, upstream in upstreams.items()}
        return Settings(
            root=root,
            jax=jax,
            locales=locales,
            upstreams=upstreams,
            execution=execution,
            ignore=ignore,
        )

    def _upstream(
        self, name: str, table: Mapping[str, Any], *, jax: str, environ: Mapping[str, str]
    ) -> Upstream:
        at = f"tool.pipeline.upstreams.{name}"
        if not NAME.fullmatch(name):
            raise ConfigError(
                f"{name!r} cannot name an upstream",
                where=self.where,
                hint="Use letters, digits, - and _.",
            )
        self._keys(
            table,
            at,
            (
                "url",
                "ref",
                "docs",
                "page-url",
                "license",
                "include",
                "exclude",
                "skip",
                "run",
                "acknowledge",
                "site",
            ),
        )
        url = self._string(table, "url", at)
        if not url:
            raise ConfigError(
                f"{at}.url is missing",
                where=self.where,
                hint="Give a URL, a bundle, a repository or a folder.",
            )
        replaced = environ.get(UPSTREAM_VARIABLE, "") if name == "jax" else ""
        skip = (self._skip(rule, f"{at}.skip") for rule in self._tables(table, "skip", at))
        run = (self._run(rule, f"{at}.run") for rule in self._tables(table, "run", at))
        acknowledge = (
            self._acknowledgement(rule, f"{at}.acknowledge")
            for rule in self._tables(table, "acknowledge", at)
        )
        return Upstream(
            name=name,
            url=replaced or url,
            ref=self._string(table, "ref", at).replace("{jax}", jax),
            docs=self._string(table, "docs", at, default="."),
            page_url=self._string(table, "page-url", at),
            license=self._string(table, "license", at),
            include=self._strings(table, "include", at, default=("**",)),
            exclude=self._strings(table, "exclude", at),
            skip=tuple(skip),
            run=tuple(run),
            acknowledge=tuple(acknowledge),
            site=self._site(
                self._table(table, "site", at),
                f"{at}.site",
                repository=environ.get(REPOSITORY_VARIABLE, ""),
            ),
            url_replaced=bool(replaced),
            configured_url=url,
        )

    def _site(self, table: Mapping[str, Any], at: str, *, repository: str) -> SitePolicy:
        keys = ("title", "edit-url", "notebook-url", "english-url")
        self._keys(table, at, keys)
        given = {key: self._string(table, key, at) for key in keys}
        for key, known in (
            ("edit-url", "locale name page line digest"),
            ("notebook-url", "locale name page"),
        ):
            given[key] = _at_repository(given[key], repository)
            try:
                given[key].format(**dict.fromkeys(known.split(), ""))
            except (KeyError, IndexError, ValueError) as error:
                hint = f"It may name {', '.join(f'{{{word}}}' for word in known.split())}; write other braces twice."
                raise ConfigError(
                    f"{at}.{key} is no template: {given[key]!r}", where=self.where, hint=hint
                ) from error
        return SitePolicy(
            title=given["title"],
            edit_url=given["edit-url"],
            notebook_url=given["notebook-url"],
            english_url=given["english-url"],
        )

    def _skip(self, table: Mapping[str, Any], at: str) -> SkipRule:
        self._keys(table, at, ("pages", "reason", "note"))
        pages, reason = self._strings(table, "pages", at), self._string(table, "reason", at)
        if not pages or not reason:
            raise ConfigError(
                f"{at} needs pages and a reason",
                where=self.where,
                hint="A page is never skipped without a reason.",
            )
        return SkipRule(pages=pages, reason=reason, note=self._string(table, "note", at))

    def _run(self, table: Mapping[str, Any], at: str) -> RunRule:
        numbers = ("until", "devices", "timeout")
        self._keys(table, at, ("pages", "reason", "note", "needs", "modes", "compare", *numbers))
        pages, reason, modes = (
            self._strings(table, "pages", at),
            self._string(table, "reason", at),
            self._strings(table, "modes", at),
        )
        if not pages or not reason:
            raise ConfigError(
                f"{at} needs pages and a reason",
                where=self.where,
                hint="Say why they are not run as they are.",
            )
        if unknown := [mode for mode in modes if mode not in MODES]:
            raise self._wrong(at, "modes", f"of {', '.join(MODES)}", unknown[0])
        if not isinstance(compare := table.get("compare", False), bool):
            raise self._wrong(at, "compare", "true or false", compare)
        given = {
            key: self._integer(table, key, at, default=1, least=1)
            for key in numbers
            if key in table
        }
        needs, note = self._strings(table, "needs", at), self._string(table, "note", at)
        return RunRule(
            pages=pages,
            reason=reason,
            note=note,
            needs=needs,
            modes=modes,
            compare=compare,
            **given,
        )

    def _acknowledgement(self, table: Mapping[str, Any], at: str) -> Acknowledgement:
        self._keys(table, at, ("page", "cells", "reason"))
        page, reason, cells = (
            self._string(table, "page", at),
            self._string(table, "reason", at),
            table.get("cells", []),
        )
        if not isinstance(cells, list) or not all(
            type(cell) is int and cell >= 1 for cell in cells
        ):
            raise self._wrong(at, "cells", "a list of numbers from 1", cells)
        if not page or not reason or not cells:
            raise ConfigError(
                f"{at} needs a page, cells and a reason",
                where=self.where,
                hint="Say which cells are known not to raise.",
            )
        return Acknowledgement(page=page, cells=tuple(cells), reason=reason)

    def _ignore(self, table: Mapping[str, Any]) -> IgnoreRule:
        at = "tool.pipeline.checks.ignore"
        self._keys(table, at, ("codes", "pages", "reason"))
        codes, reason = self._strings(table, "codes", at), self._string(table, "reason", at)
        if not codes or not reason:
            raise ConfigError(
                f"{at} needs codes and a reason",
                where=self.where,
                hint="A check is never silenced without a reason.",
            )
        return IgnoreRule(
            codes=codes, pages=self._strings(table, "pages", at, default=("**",)), reason=reason
        )

    def _execution(self, table: Mapping[str, Any]) -> ExecutionPolicy:
        at = "tool.pipeline.execution"
        least = {"timeout": 1, "page-timeout": 1, "jobs": 0, "memory": 256, "output": 1, "cache": 1}
        self._keys(table, at, (*least, "variables"))
        default = ExecutionPolicy()
        numbers = {
            key.replace("-", "_"): self._integer(
                table, key, at, default=getattr(default, key.replace("-", "_")), least=bound
            )
            for key, bound in least.items()
        }
        return ExecutionPolicy(**numbers, variables=self._strings(table, "variables", at))

    def _keys(self, table: Mapping[str, Any], at: str, known: tuple[str, ...]) -> None:
        for key in table:
            if key not in known:
                raise ConfigError(
                    f"unknown key {key!r} in [{at}]",
                    where=self.where,
                    hint=f"{_suggest(key, known)}Known keys: {', '.join(known)}.",
                )

    def _wrong(self, at: str, key: str, wanted: str, got: object) -> ConfigError:
        return ConfigError(
            f"{at}.{key} must be {wanted}, not {got!r}",
            where=self.where,
            hint="Mend the value and run again.",
        )

    def _string(self, table: Mapping[str, Any], key: str, at: str, *, default: str = "") -> str:
        value = table.get(key, default)
        if not isinstance(value, str):
            raise self._wrong(at, key, "a string", value)
        return value

    def _integer(
        self, table: Mapping[str, Any], key: str, at: str, *, default: int, least: int
    ) -> int:
        value = table.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self._wrong(at, key, f"a whole number of at least {least}", value)
        return value

    def _strings(
        self, table: Mapping[str, Any], key: str, at: str, *, default: tuple[str, ...] = ()
    ) -> tuple[str, ...]:
        value = table.get(key, list(default))
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._wrong(at, key, "a list of strings", value)
        return tuple(value)

    def _table(self, table: Mapping[str, Any], key: str, at: str) -> Mapping[str, Any]:
        value = table.get(key, {})
        if not isinstance(value, dict):
            raise self._wrong(at, key, "a table", value)
        return value

    def _tables(self, table: Mapping[str, Any], key: str, at: str) -> tuple[Mapping[str, Any], ...]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._wrong(at, key, "an array of tables", value)
        return tuple(value)
