"""``pyproject.toml`` → Settings. The one place that knows how the configuration is written.

In goes the file, out comes one record. Whatever is not right ends here, with the name of the file
and of the key, so that nothing after it need ask.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.config.drafting import read_draft
from pipeline.config.records import ExecutionPolicy, Settings, SitePolicy, Upstream
from pipeline.config.rules import (
    read_acknowledgement,
    read_ignore_rule,
    read_run_rule,
    read_skip_rule,
)
from pipeline.config.tables import Table
from pipeline.errors import ConfigError

REPOSITORY_VARIABLE = "GITHUB_REPOSITORY"  # owner/name, as GitHub's workflows have it
UPSTREAM_VARIABLE = "JAX_DOCS_UPSTREAM"  # replaces the URL of the upstream called jax

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_LOCALE = re.compile(r"[a-z]{2,3}(_[A-Z][A-Za-z]+)?")
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_JAX_PIN = re.compile(r"(jax|jaxlib)==([\w.]+)")
# What the templates of a site may name.
_TEMPLATES = {
    "edit-url": ("locale", "name", "page", "line", "digest"),
    "notebook-url": ("locale", "name", "page"),
    "repository-url": (),
    "url": (),
}


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
    table = Table(where=str(path), name="tool.pipeline", values=values)
    return _settings(table, root=root, jax=_jax_pin(data, str(path)), environ=environ)


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
    except ValueError as error:  # also of a number of thousands of digits
        raise ConfigError(
            f"is not valid TOML: {error}",
            where=str(path),
            hint="Mend the file and run again.",
        ) from error
    except RecursionError as error:
        raise ConfigError(
            "is nested too deeply to be read",
            where=str(path),
            hint="Mend the file and run again.",
        ) from error


def _jax_pin(data: Mapping[str, Any], where: str) -> str:
    """The version that the dependency group ``jax`` pins both jax and jaxlib to."""
    # The same group is what people and CI install, so that there is one pin and no other.
    groups = data.get("dependency-groups")
    requirements = groups.get("jax") if isinstance(groups, dict) else None
    versions: dict[str, str] = {}
    if isinstance(requirements, list):
        for requirement in requirements:
            # A group may also hold tables: {include-group = "base"}
            pin = _JAX_PIN.fullmatch(str(requirement))
            if pin:
                versions[pin[1]] = pin[2]
    if "jax" not in versions or versions.get("jaxlib") != versions["jax"]:
        raise ConfigError(
            "the dependency group 'jax' must pin jax and jaxlib to one version",
            where=where,
            hint='For example: jax = ["jax==0.10.2", "jaxlib==0.10.2"].',
        )
    return versions["jax"]


def _settings(
    table: Table, *, root: Path, jax: str, environ: Mapping[str, str]
) -> Settings:
    """``[tool.pipeline]`` as a record; ``root`` is the folder of its file."""
    table.allow("locales", "upstreams", "execution", "checks", "draft")
    locales = table.strings("locales", default=("zh_CN",))
    if not locales:
        raise table.error(
            "tool.pipeline.locales is empty", hint='Name one, e.g. ["zh_CN"].'
        )
    for locale in locales:
        if not _LOCALE.fullmatch(locale):
            raise table.error(
                f"{locale!r} is not a locale",
                hint="Write it as gettext does, e.g. zh_CN.",
            )
    # The checks come last among the tables, but every upstream is told of them.
    upstreams = table.table("upstreams")
    if not upstreams.values:
        raise table.error(
            "no [tool.pipeline.upstreams.NAME] is configured", hint="Add one."
        )
    by_name = {}
    for name in upstreams.values:
        by_name[name] = _upstream(name, upstreams.table(name), jax=jax, environ=environ)
    execution = _execution(table.table("execution"))
    checks = table.table("checks")
    checks.allow("ignore")
    ignore = tuple(read_ignore_rule(rule) for rule in checks.tables("ignore"))
    return Settings(
        root=root,
        jax=jax,
        locales=locales,
        upstreams={
            name: upstream.with_ignored(ignore) for name, upstream in by_name.items()
        },
        execution=execution,
        ignore=ignore,
        draft=read_draft(table.table("draft")),
    )


def _upstream(
    name: str, table: Table, *, jax: str, environ: Mapping[str, str]
) -> Upstream:
    """``[tool.pipeline.upstreams.NAME]`` as a record."""
    # The name becomes that of folders and of a file.
    if not _NAME.fullmatch(name):
        raise table.error(
            f"{name!r} cannot name an upstream", hint="Use letters, digits, - and _."
        )
    places = ("url", "ref", "docs", "page-url", "license")
    table.allow(*places, "include", "exclude", "skip", "run", "acknowledge", "site")
    url = table.string("url")
    if not url:
        raise table.error(
            f"{table.name}.url is missing",
            hint="Give a URL, a bundle, a repository or a folder.",
        )
    # People and CI have a copy of the JAX docs at hand. The sample lies beside the project.
    replaced = ""
    if name == "jax":
        replaced = environ.get(UPSTREAM_VARIABLE, "")
    repository = environ.get(REPOSITORY_VARIABLE, "")
    return Upstream(
        name=name,
        url=replaced or url,
        ref=table.string("ref").replace("{jax}", jax),
        docs=table.string("docs", default="."),
        page_url=table.string("page-url"),
        license=table.string("license"),
        include=table.strings("include", default=("**",)),
        exclude=table.strings("exclude"),
        skip=tuple(read_skip_rule(rule) for rule in table.tables("skip")),
        run=tuple(read_run_rule(rule) for rule in table.tables("run")),
        acknowledge=tuple(
            read_acknowledgement(rule) for rule in table.tables("acknowledge")
        ),
        site=_site(table.table("site"), repository=repository),
        url_replaced=bool(replaced),
        configured_url=url,
    )


def _site(table: Table, *, repository: str) -> SitePolicy:
    """``[tool.pipeline.upstreams.NAME.site]`` as a record; ``repository`` is owner/name."""
    urls = ("url", "edit-url", "notebook-url", "english-url", "repository-url")
    table.allow("title", *urls, "start", "root", "extensions", "myst-extensions")
    return SitePolicy(
        title=table.string("title"),
        edit_url=_template(table, "edit-url", repository),
        notebook_url=_template(table, "notebook-url", repository),
        url=_template(table, "url", repository),
        repository_url=_template(table, "repository-url", repository),
        english_url=table.string("english-url"),
        start=table.strings("start"),
        root=table.string("root"),
        extensions=table.strings("extensions"),
        myst_extensions=table.strings("myst-extensions"),
    )


def _template(table: Table, key: str, repository: str) -> str:
    """A template with ``repository`` (owner/name) filled in.

    Empty if it asks for a repository where there is none: the site then has no such links.
    """
    template = table.string(key)
    if re.search(r"\{(repository|owner|project)\}", template):
        if not _REPOSITORY.fullmatch(repository):
            return ""
        owner, _, project = repository.partition("/")
        template = template.replace("{repository}", repository)
        # GitHub Pages has addresses of the two apart.
        template = template.replace("{owner}", owner).replace("{project}", project)
    # Tried out now: a site is made at the end of a long build.
    known = _TEMPLATES[key]
    try:
        template.format(**dict.fromkeys(known, ""))
    except (KeyError, IndexError, ValueError) as error:
        names = ", ".join(f"{{{word}}}" for word in known)
        raise table.error(
            f"{table.name}.{key} is no template: {template!r}",
            hint=f"It may name {names}; write other braces twice.",
        ) from error
    return template


def _execution(table: Table) -> ExecutionPolicy:
    """``[tool.pipeline.execution]`` as a record."""
    default = ExecutionPolicy()
    limits = ("timeout", "page-timeout", "stall", "wall-timeout", "memory", "output")
    table.allow(*limits, "jobs", "cache", "variables")
    return ExecutionPolicy(
        timeout=table.integer("timeout", default=default.timeout, least=1),
        page_timeout=table.integer(
            "page-timeout", default=default.page_timeout, least=1
        ),
        stall=table.integer("stall", default=default.stall, least=1),
        wall_timeout=table.integer(
            "wall-timeout", default=default.wall_timeout, least=1
        ),
        jobs=table.integer("jobs", default=default.jobs, least=0),
        memory=table.integer("memory", default=default.memory, least=256),
        output=table.integer("output", default=default.output, least=1),
        cache=table.integer("cache", default=default.cache, least=1),
        variables=table.strings("variables"),
    )
