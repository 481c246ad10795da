"""Reader of ``pyproject.toml``, which returns ``Settings``.

This is the only module that knows the layout of the file. An invalid value raises ConfigError here,
with the file and the key, so that later code can trust the settings.

The *pin*, the version of the documented package, is in the dependency group with the package's
name: ``flax = ["flax==0.12.0"]``. So people and CI install the version whose docs are translated.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from pipeline.config.schema import read_table
from pipeline.config.settings import (
    BUILT_IN_MODES,
    REPOSITORY_WORDS,
    TEMPLATE_PLACEHOLDERS,
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
from pipeline.errors import ConfigError, InputError, check_limit, did_you_mean
from pipeline.folders import Folders, fault_in
from pipeline.limits import FILE_BYTES, TOML_DOTS
from pipeline.naming import beside_name, exact_pin, group_of, upstream_of
from pipeline.paths import Paths
from pipeline.reading import Dialect

REPOSITORY_VARIABLE = "GITHUB_REPOSITORY"  # owner/name, set in GitHub's workflows

_NAME = "tool.pipeline"
# Lines of a lock file, as ``core.pin.lock`` writes them.
_LOCKED_DIALECT = re.compile(r'^ "markdown": "(\w+)"', re.MULTILINE)
_LOCKED_SUBSTITUTIONS = re.compile(r'^ "substitutions": true', re.MULTILINE)
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


def read_settings(
    path: Path, *, environ: Mapping[str, str] = os.environ, needed: bool = True
) -> Settings:
    """Read and validate the configuration at ``path``, a ``pyproject.toml``.

    With ``needed=False``, return ``Settings.bare`` if the file or the table is missing. Raises
    ConfigError.
    """
    root = path.resolve().parent
    if not needed and not path.exists():
        return Settings.bare(root)
    data = _read_toml(path)
    # Any of these tables may be missing, or may be some other value.
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
    groups = data.get("dependency-groups")
    return _Reader(table, groups, environ, where=str(path)).settings(root)


def upstream_variable(name: str) -> str:
    """Return the environment variable for an upstream's URL: ``MY_LIB_DOCS_UPSTREAM``.

    The variable of ``my-lib`` also applies to its releases, such as ``my-lib@1.0``.
    """
    return f"{upstream_of(name).upper().replace('-', '_')}_DOCS_UPSTREAM"


def release_beside(pinned: Upstream, template: str, release: str) -> Upstream:
    """Return the settings of a release shown beside the pin.

    ``template`` is the configured ref, such as ``v{version}``.
    """
    # The release's site is a folder of the pin's site. Its pages have no links to notebooks,
    # because the workflow publishes only notebooks of the pin.
    url = pinned.site.url
    site = replace(pinned.site, url=url and f"{url}{release}/", notebook_url="")
    return replace(
        pinned,
        site=site,
        name=beside_name(pinned.name, release),
        ref=template.replace("{version}", release),
        version=release,
        beside=(),
        # The API reference is read from the installed package, which has the pinned version.
        reference=None,
    )


def _read_toml(path: Path) -> dict[str, Any]:
    """Return the values of a TOML file. Raises ConfigError."""
    try:
        with path.open("rb") as file:
            check_limit(os.fstat(file.fileno()).st_size, FILE_BYTES[".toml"], where=str(path))
            text = file.read().decode("utf-8")
        for number, line in enumerate(text.split("\n"), start=1):
            # Skip comments, which may have any number of dots.
            if not line.lstrip().startswith("#"):
                check_limit(line.count("."), TOML_DOTS, where=f"{path}:{number}")
        return tomllib.loads(text)
    except InputError as error:
        raise ConfigError(error.what, where=error.where, hint=error.hint) from error
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}",
            where=str(path),
            hint="Run from the project's root, or give --config.",
        ) from error
    except (ValueError, RecursionError) as error:  # ValueError also covers huge numbers
        is_deep = isinstance(error, RecursionError)
        raise ConfigError(
            f"is not valid TOML: {'nested too deeply' if is_deep else error}",
            where=str(path),
            hint="Correct the file and run again.",
        ) from error


class _Reader(Struct, frozen=True):
    """Builder of the settings from the parsed table, the pins and environment variables.

    ``groups`` is the table ``[dependency-groups]``; it may be missing (None) or have any type.
    ``where`` is the configuration file, which errors name.
    """

    table: PipelineTable
    groups: object
    environ: Mapping[str, str]
    where: str

    def settings(self, root: Path) -> Settings:
        """Return the whole configuration; ``root`` is the folder of its file."""
        self._check_unique()
        modes = self._modes()
        upstreams: dict[str, Upstream] = {}
        for name, table in self.table.upstreams.items():
            pinned = self._upstream(name, table, modes)
            for upstream in (pinned, *self._beside(pinned, table.ref)):
                upstreams[upstream.name] = _with_lock(upstream, root)
        return Settings(
            root=root,
            locales=self.table.locales,
            upstreams=upstreams,
            execution=self.table.execution,
            ignore=self.table.checks.ignore,
            draft=self.table.draft,
        )

    def _upstream(self, name: str, table: UpstreamTable, modes: Mapping[str, Mode]) -> Upstream:
        """Return the settings of the table ``[tool.pipeline.upstreams.NAME]``."""
        key = f"upstreams.{name}"
        # An environment variable may replace the URL, for example by a local copy of the docs.
        replaced = self.environ.get(upstream_variable(name), "")
        if not table.package and "{version}" in table.ref:
            raise self._error(
                f"{key}.ref has {{version}}, but no package is configured",
                hint="Name the package whose version it is, or write the tag itself.",
            )
        version = self._pinned_version(table.package) if table.package else ""
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

    def _beside(self, pinned: Upstream, template: str) -> Iterator[Upstream]:
        """Yield the settings of each release beside the pin; ``template`` is the configured ref.

        Raises ConfigError.
        """
        key = f"upstreams.{pinned.name}.beside"
        if pinned.beside and "{version}" not in template:
            raise self._error(
                f"{key} needs a ref for every release",
                hint='Write the version in ref as {version}: ref = "v{version}".',
            )
        for number, release in enumerate(pinned.beside):
            if release == pinned.version:
                raise self._error(
                    f"{key} has {release!r}, which is the pinned release",
                    hint="Remove it from the list.",
                )
            # Ignore the case: each release has a folder, and some file systems do not distinguish
            # 1.0RC1 and 1.0rc1.
            if release.casefold() in map(str.casefold, pinned.beside[:number]):
                raise self._error(f"{key} has {release!r} twice", hint="Take one out.")
            yield release_beside(pinned, template, release)

    def _folders(self, docs: str | tuple[str, ...], key: str) -> Folders:
        """Return the docs folders of an upstream, from a string or a list.

        ``key`` is the name of the upstream's table. Raises ConfigError.
        """
        names = (docs,) if isinstance(docs, str) else docs
        fault = fault_in(names)
        if fault is not None:
            what = f"{key}.docs cannot be used: {fault.what}"
            raise self._error(what, hint=fault.hint)
        return Folders(names)

    def _modes(self) -> Mapping[str, Mode]:
        """Return the project's own modes and the built-in ones, by name."""
        modes = {mode.name: mode for mode in BUILT_IN_MODES}
        for name, table in self.table.modes.items():
            key = f"modes.{name}"
            # A built-in mode must mean the same in every project, so it cannot be redefined.
            if name in modes:
                raise self._error(
                    f"{key} has the name of a built-in mode",
                    hint="Give the mode another name.",
                )
            for upstream in self.table.upstreams:
                # Ignore the case, as some file systems do.
                folder = f"upstream/{upstream}/".casefold()
                if table.startup.casefold().startswith(folder):
                    raise self._error(
                        f"{key}.startup is in the folder of the pulled docs of {upstream!r}: "
                        f"{table.startup!r}",
                        hint="Move the file: a pull replaces everything in that folder.",
                    )
            modes[name] = Mode(**asdict(table), name=name)
        return modes

    def _run_rule(self, table: RunTable, key: str, modes: Mapping[str, Mode]) -> RunRule:
        """Return the record of a table ``run``, with a ``Mode`` for each name in its ``modes``."""
        for name in table.modes:
            if name not in modes:
                raise self._error(
                    f"{key}.modes: no mode is called {name!r}",
                    hint=f"{did_you_mean(name, modes)}Known: {', '.join(modes)}. "
                    "A mode of your own is a table [tool.pipeline.modes.NAME].",
                )
        return RunRule(**asdict(table) | {"modes": tuple(modes[name] for name in table.modes)})

    def _site(self, name: str, table: SiteTable) -> SitePolicy:
        """Return the settings of the table ``[tool.pipeline.upstreams.NAME.site]``."""
        # The keys of ``inventories`` name the inventories of other sites. The inventory of the
        # English docs has the upstream's name, so no key may be that name.
        if name in table.inventories:
            raise self._error(
                f"upstreams.{name}.site.inventories: {name!r} cannot name another site",
                hint="Use a name that differs from the upstream's.",
            )
        repository = self.environ.get(REPOSITORY_VARIABLE, "")
        values = asdict(table)
        for template in TEMPLATE_PLACEHOLDERS:
            values[template] = _with_repository(values[template], repository)
        return SitePolicy(**values | {"hero_code": table.hero_code.strip("\n")})

    def _pinned_version(self, package: str) -> str:
        """Return the version of ``package`` that its dependency group pins. Raises ConfigError."""
        group = group_of(package)
        requirements = self.groups.get(group) if isinstance(self.groups, dict) else None
        versions: dict[str, str] = {}
        # A group may also contain tables: {include-group = "base"}
        for requirement in requirements if isinstance(requirements, list) else ():
            if pin := exact_pin(str(requirement)):
                versions[group_of(pin[0])] = pin[1]
        # All packages whose name begins with the group's name, as jax and jaxlib, must have the
        # same version.
        found = {versions[name] for name in versions if name.startswith(group)}
        if group not in versions or len(found) != 1:
            raise ConfigError(
                f"the dependency group {group!r} must pin {group} to one version, "
                f"and all packages whose name begins with {group} to the same",
                where=self.where,
                hint=f'For example: {group} = ["{group}==1.2.3"].',
            )
        return versions[group]

    def _check_unique(self) -> None:
        """Raise ConfigError if two upstreams would share a folder or a variable."""
        names: dict[str, str] = {}
        for name in self.table.upstreams:
            # Names that differ only by case have the same variable, and on some systems the same
            # folder.
            variable = upstream_variable(name)
            other = names.setdefault(variable, name)
            if other != name:
                raise self._error(
                    f"upstreams: {other!r} and {name!r} would share a folder or {variable}",
                    hint="Give one of them another name.",
                )

    def _error(self, what: str, *, hint: str) -> ConfigError:
        """Return a ConfigError about this file; ``what`` begins with a key."""
        return ConfigError(f"{_NAME}.{what}", where=self.where, hint=hint)


def _with_lock(upstream: Upstream, root: Path) -> Upstream:
    """Return the upstream with the Markdown dialect that the last pull recorded in the lock."""
    try:
        with Paths(root, upstream.name).lock.open("rb") as file:
            text = file.read(FILE_BYTES[".lock"].most).decode("utf-8", "replace")
    except OSError:  # nothing has been pulled yet
        text = ""
    locked = _LOCKED_DIALECT.search(text)
    # Ignore a damaged lock: commands that need the lock parse it as a whole and report this.
    markdown = locked[1] if locked and locked[1] in tuple(Dialect) else ""
    has_substitutions = bool(_LOCKED_SUBSTITUTIONS.search(text))
    return upstream.as_locked(markdown, substitutions=has_substitutions)


def _with_repository(template: str, repository: str) -> str:
    """Return a URL template with ``repository`` (owner/name) filled in.

    Return an empty string if the template needs a repository, but there is none. The site then
    omits the links.
    """
    words = [f"{{{word}}}" for word in REPOSITORY_WORDS]
    if not any(word in template for word in words):
        return template
    if not _REPOSITORY.fullmatch(repository):
        return ""
    # ``{owner}`` and ``{project}`` are for addresses on GitHub Pages: owner.github.io/project.
    for word, value in zip(words, (repository, *repository.split("/")), strict=True):
        template = template.replace(word, value)
    return template
