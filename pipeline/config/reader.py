"""``pyproject.toml`` → Settings. The one place that knows how the configuration is written.

In goes the file, out comes one record. Whatever is not right ends here, with the name of the file
and of the key, so that nothing after it need ask. ``Pins`` are the versions that dependency groups
pin: the group of a package has its name (``flax = ["flax==0.12.0"]``), and people and CI install
the same group.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from pipeline.config.schema import read_table
from pipeline.config.settings import (
    COMING_ALONG,
    REPOSITORY_WORDS,
    TEMPLATES,
    Mode,
    PipelineTable,
    RunRule,
    RunTable,
    Settings,
    SitePolicy,
    SiteTable,
    Upstream,
    UpstreamTable,
)
from pipeline.errors import ConfigError, did_you_mean
from pipeline.folders import Folders, fault_in
from pipeline.naming import exact_pin, group_of
from pipeline.paths import Paths
from pipeline.reading import Dialect


@dataclass(frozen=True, slots=True)
class Pins:
    """``[dependency-groups]`` as TOML has it: any value, or None. ``where`` is its file."""

    groups: object
    where: str

    def get(self, package: str) -> str:
        """The version that the group of ``package`` pins it to. Raises ConfigError."""
        group = group_of(package)
        versions = self._versions(group)
        # What belongs to it moves with it: jax and jaxlib have one version.
        belonging = {name for name in versions if name.startswith(group)}
        found = {versions[name] for name in belonging}
        if group not in versions or len(found) != 1:
            raise ConfigError(
                f"the dependency group {group!r} must pin {group} to one version, "
                "and whatever begins with its name to the same",
                where=self.where,
                hint=f'For example: {group} = ["{group}==1.2.3"].',
            )
        return versions[group]

    def _versions(self, group: str) -> dict[str, str]:
        """What a group pins, by name: ``{"jax": "0.10.2", "jaxlib": "0.10.2"}``."""
        requirements = self.groups.get(group) if isinstance(self.groups, dict) else None
        versions: dict[str, str] = {}
        if isinstance(requirements, list):
            for requirement in requirements:
                # A group may also hold tables: {include-group = "base"}
                pin = exact_pin(str(requirement))
                if pin:
                    name, version = pin
                    versions[group_of(name)] = version
        return versions


REPOSITORY_VARIABLE = "GITHUB_REPOSITORY"  # owner/name, as GitHub's workflows have it

_NAME = "tool.pipeline"
# As ``core.pin.lock`` writes it: names of files stand further in.
_LOCKED_DIALECT = re.compile(r'^ "markdown": "(\w+)"', re.MULTILINE)
_LOCKED_SUBSTITUTIONS = re.compile(r'^ "substitutions": true', re.MULTILINE)
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


def read_settings(
    path: Path, *, environ: Mapping[str, str] = os.environ, needed: bool = True
) -> Settings:
    """Read and check the configuration at ``path`` (a ``pyproject.toml``). Raises ConfigError.

    If it is not ``needed``, a folder without one is a bare one.
    """
    root = path.resolve().parent
    if not needed and not path.exists():
        return Settings.bare(root)
    data = _read_toml(path)
    # Any of them may be missing, or be another thing than a table.
    tools = data.get("tool")
    values = tools.get("pipeline") if isinstance(tools, dict) else None
    if values is None and not needed:
        return Settings.bare(root)
    if not isinstance(values, dict):
        raise ConfigError(
            "has no [tool.pipeline] table",
            where=str(path),
            hint="docs/configuration.md shows a minimal one.",
        )
    table = read_table(values, PipelineTable, name=_NAME, where=str(path))
    pins = Pins(data.get("dependency-groups"), where=str(path))
    return _Reader(table, pins, environ, where=str(path)).settings(root)


def upstream_variable(name: str) -> str:
    """The variable that replaces the URL of an upstream: ``my-lib`` → ``MY_LIB_DOCS_UPSTREAM``."""
    return f"{name.upper().replace('-', '_')}_DOCS_UPSTREAM"


def _read_toml(path: Path) -> dict[str, Any]:
    """A file of TOML as plain values. Raises ConfigError."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}",
            where=str(path),
            hint="Run from the project's root, or give --config.",
        ) from error
    except (ValueError, RecursionError) as error:  # also of a number without end
        is_deep = isinstance(error, RecursionError)
        raise ConfigError(
            f"is not valid TOML: {'nested too deeply' if is_deep else error}",
            where=str(path),
            hint="Mend the file and run again.",
        ) from error


@dataclass(frozen=True, slots=True)
class _Reader:
    """What records are made of: the table, the pins, the environment, and the name of the file."""

    table: PipelineTable
    pins: Pins
    environ: Mapping[str, str]
    where: str

    def settings(self, root: Path) -> Settings:
        """The whole configuration; ``root`` is the folder of its file."""
        self._check_apart()
        modes = self._modes()
        upstreams = {}
        for name, table in self.table.upstreams.items():
            upstreams[name] = _as_pulled(self._upstream(name, table, modes), root)
        return Settings(
            root=root,
            locales=self.table.locales,
            upstreams=upstreams,
            execution=self.table.execution,
            ignore=self.table.checks.ignore,
            draft=self.table.draft,
        )

    def _upstream(
        self, name: str, table: UpstreamTable, modes: Mapping[str, Mode]
    ) -> Upstream:
        """``[tool.pipeline.upstreams.NAME]`` as a record."""
        key = f"upstreams.{name}"
        # People and CI may have a copy of the docs at hand.
        replaced = self.environ.get(upstream_variable(name), "")
        if not table.package and "{version}" in table.ref:
            raise self._error(
                f"{key}.ref has {{version}}, but no package is configured",
                hint="Name the package whose version it is, or write the tag itself.",
            )
        version = self.pins.get(table.package) if table.package else ""
        run = []
        for number, rule in enumerate(table.run):
            run.append(self._run_rule(rule, f"{key}.run[{number}]", modes))
        values = asdict(table) | {
            "name": name,
            "url": replaced or table.url,
            "ref": table.ref.replace("{version}", version),
            "docs": self._folders(table.docs, key),
            "version": version,
            "run": tuple(run),
            "site": self._site(name, table.site),
            "ignore": self.table.checks.ignore,
            "url_replaced": bool(replaced),
            "configured_url": table.url,
        }
        return Upstream(**values)

    def _folders(self, docs: str | tuple[str, ...], key: str) -> Folders:
        """The docs folders: one of a string, of a list all."""
        names = (docs,) if isinstance(docs, str) else docs
        fault = fault_in(names)
        if fault is not None:
            what = f"{key}.docs cannot be used: {fault.what}"
            raise self._error(what, hint=fault.hint)
        return Folders(names)

    def _modes(self) -> Mapping[str, Mode]:
        """The modes of the project, and what comes along."""
        modes = {mode.name: mode for mode in COMING_ALONG}
        for name, table in self.table.modes.items():
            key = f"modes.{name}"
            # A rule must mean the same in every project.
            if name in modes:
                raise self._error(
                    f"{key} has the name of a mode that every project has",
                    hint="Give it another name.",
                )
            for upstream in self.table.upstreams:
                # Names are alike on some systems whatever their case.
                folder = f"upstream/{upstream}/".casefold()
                if table.startup.casefold().startswith(folder):
                    raise self._error(
                        f"{key}.startup lies where the docs of {upstream!r} are pulled to: "
                        f"{table.startup!r}",
                        hint="Move the file: whatever lies there is upstream's.",
                    )
            modes[name] = Mode(**asdict(table), name=name)
        return modes

    def _run_rule(
        self, table: RunTable, key: str, modes: Mapping[str, Mode]
    ) -> RunRule:
        """A rule with the modes that it names, in its order."""
        for name in table.modes:
            if name not in modes:
                raise self._error(
                    f"{key}.modes: no mode is called {name!r}",
                    hint=f"{did_you_mean(name, modes)}Known: {', '.join(modes)}. "
                    "A mode of your own is a table [tool.pipeline.modes.NAME].",
                )
        return RunRule(
            **asdict(table) | {"modes": tuple(modes[name] for name in table.modes)}
        )

    def _site(self, name: str, table: SiteTable) -> SitePolicy:
        """``[tool.pipeline.upstreams.NAME.site]`` as a record."""
        # Each becomes a file, and the upstream's own inventory has its name.
        if name in table.inventories:
            raise self._error(
                f"upstreams.{name}.site.inventories: {name!r} cannot name another site",
                hint="Give it another name than the upstream's.",
            )
        repository = self.environ.get(REPOSITORY_VARIABLE, "")
        values = asdict(table)
        for template in TEMPLATES:
            values[template] = _with_repository(values[template], repository)
        return SitePolicy(**values | {"hero_code": table.hero_code.strip("\n")})

    def _check_apart(self) -> None:
        """Refuse two upstreams that would share a folder or a variable."""
        names: dict[str, str] = {}
        for name in self.table.upstreams:
            # It is the same for names that are alike but for their case, as folders are.
            variable = upstream_variable(name)
            other = names.setdefault(variable, name)
            if other != name:
                raise self._error(
                    f"upstreams: {other!r} and {name!r} would share a folder or {variable}",
                    hint="Give one of them another name.",
                )

    def _error(self, what: str, *, hint: str) -> ConfigError:
        """What to raise; ``what`` begins with a key."""
        return ConfigError(f"{_NAME}.{what}", where=self.where, hint=hint)


def _as_pulled(upstream: Upstream, root: Path) -> Upstream:
    """The upstream, with what its lock tells of its Markdown."""
    try:
        text = Paths(root, upstream.name).lock.read_text("utf-8", "replace")
    except OSError:  # nothing has been pulled yet
        text = ""
    told = _LOCKED_DIALECT.search(text)
    # A lock that is damaged is for whoever reads it whole to tell.
    markdown = told[1] if told and told[1] in tuple(Dialect) else ""
    has_substitutions = bool(_LOCKED_SUBSTITUTIONS.search(text))
    return upstream.as_locked(markdown, substitutions=has_substitutions)


def _with_repository(template: str, repository: str) -> str:
    """A template with ``repository`` (owner/name) filled in.

    Empty if it asks for a repository where there is none: the site then has no such links.
    """
    words = [f"{{{word}}}" for word in REPOSITORY_WORDS]
    if not any(word in template for word in words):
        return template
    if not _REPOSITORY.fullmatch(repository):
        return ""
    # GitHub Pages has addresses of the two apart.
    for word, value in zip(words, (repository, *repository.split("/")), strict=True):
        template = template.replace(word, value)
    return template
