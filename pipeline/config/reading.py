"""``pyproject.toml`` → Settings. The one place that knows how the configuration is written."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.config.records import (
    MODES,
    Acknowledgement,
    ExecutionPolicy,
    IgnoreRule,
    RunRule,
    Settings,
    SitePolicy,
    SkipRule,
    Upstream,
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
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
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


def _jax_pin(data: Mapping[str, Any], where: str) -> str:
    """The version that the dependency group ``jax`` pins both jax and jaxlib to."""
    groups = data.get("dependency-groups")
    requirements = groups.get("jax") if isinstance(groups, dict) else None
    versions: dict[str, str] = {}
    if isinstance(requirements, list):
        for requirement in requirements:
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


def _settings(table: Table, *, root: Path, jax: str, environ: Mapping[str, str]) -> Settings:
    table.allow("locales", "upstreams", "execution", "checks")
    locales = table.strings("locales", default=("zh_CN",))
    if not locales:
        raise table.error("tool.pipeline.locales is empty", hint='Name one, e.g. ["zh_CN"].')
    for locale in locales:
        if not _LOCALE.fullmatch(locale):
            raise table.error(
                f"{locale!r} is not a locale", hint="Write it as gettext does, e.g. zh_CN."
            )
    # The checks come last among the tables, but every upstream is told of them.
    upstreams = table.table("upstreams")
    if not upstreams.values:
        raise table.error("no [tool.pipeline.upstreams.NAME] is configured", hint="Add one.")
    by_name = {}
    for name in upstreams.values:
        by_name[name] = _upstream(name, upstreams.table(name), jax=jax, environ=environ)
    execution = _execution(table.table("execution"))
    checks = table.table("checks")
    checks.allow("ignore")
    ignore = tuple(_ignore_rule(rule) for rule in checks.tables("ignore"))
    return Settings(
        root=root,
        jax=jax,
        locales=locales,
        upstreams={name: upstream.with_ignored(ignore) for name, upstream in by_name.items()},
        execution=execution,
        ignore=ignore,
    )


def _upstream(name: str, table: Table, *, jax: str, environ: Mapping[str, str]) -> Upstream:
    if not _NAME.fullmatch(name):
        raise table.error(f"{name!r} cannot name an upstream", hint="Use letters, digits, - and _.")
    places = ("url", "ref", "docs", "page-url", "license")
    table.allow(*places, "include", "exclude", "skip", "run", "acknowledge", "site")
    url = table.string("url")
    if not url:
        raise table.error(
            f"{table.name}.url is missing", hint="Give a URL, a bundle, a repository or a folder."
        )
    replaced = environ.get(UPSTREAM_VARIABLE, "") if name == "jax" else ""
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
        skip=tuple(_skip_rule(rule) for rule in table.tables("skip")),
        run=tuple(_run_rule(rule) for rule in table.tables("run")),
        acknowledge=tuple(_acknowledgement(rule) for rule in table.tables("acknowledge")),
        site=_site(table.table("site"), repository=repository),
        url_replaced=bool(replaced),
        configured_url=url,
    )


def _site(table: Table, *, repository: str) -> SitePolicy:
    table.allow("title", "edit-url", "notebook-url", "english-url")
    return SitePolicy(
        title=table.string("title"),
        edit_url=_template(table, "edit-url", repository),
        notebook_url=_template(table, "notebook-url", repository),
        english_url=table.string("english-url"),
    )


def _template(table: Table, key: str, repository: str) -> str:
    """A template with ``repository`` (owner/name) filled in; empty if it asks for one where there
    is none."""
    template = table.string(key)
    if "{repository}" in template:
        if not _REPOSITORY.fullmatch(repository):
            return ""
        template = template.replace("{repository}", repository)
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


def _skip_rule(table: Table) -> SkipRule:
    table.allow("pages", "reason", "note")
    rule = SkipRule(
        pages=table.strings("pages"), reason=table.string("reason"), note=table.string("note")
    )
    if not rule.pages or not rule.reason:
        raise table.error(
            f"{table.name} needs pages and a reason",
            hint="A page is never skipped without a reason.",
        )
    return rule


def _run_rule(table: Table) -> RunRule:
    numbers = ("until", "devices", "timeout")
    table.allow("pages", "reason", "note", "needs", "modes", "compare", *numbers)
    pages, reason, modes = table.strings("pages"), table.string("reason"), table.strings("modes")
    if not pages or not reason:
        raise table.error(
            f"{table.name} needs pages and a reason", hint="Say why they are not run as they are."
        )
    for mode in modes:
        if mode not in MODES:
            raise table.wrong("modes", f"of {', '.join(MODES)}", mode)
    compare = table.boolean("compare")
    given = {}
    for key in numbers:
        if key in table.values:
            given[key] = table.integer(key, default=1, least=1)
    return RunRule(
        pages=pages,
        reason=reason,
        note=table.string("note"),
        needs=table.strings("needs"),
        modes=modes,
        compare=compare,
        **given,
    )


def _acknowledgement(table: Table) -> Acknowledgement:
    table.allow("page", "cells", "reason")
    page, reason = table.string("page"), table.string("reason")
    cells = table.values.get("cells", [])
    if not isinstance(cells, list) or not all(_is_cell_number(cell) for cell in cells):
        raise table.wrong("cells", "a list of numbers from 1", cells)
    if not page or not reason or not cells:
        raise table.error(
            f"{table.name} needs a page, cells and a reason",
            hint="Say which cells are known not to raise.",
        )
    return Acknowledgement(page=page, cells=tuple(cells), reason=reason)


def _is_cell_number(value: object) -> bool:
    return type(value) is int and value >= 1


def _ignore_rule(table: Table) -> IgnoreRule:
    table.allow("codes", "pages", "reason")
    rule = IgnoreRule(
        codes=table.strings("codes"),
        pages=table.strings("pages", default=("**",)),
        reason=table.string("reason"),
    )
    if not rule.codes or not rule.reason:
        raise table.error(
            f"{table.name} needs codes and a reason",
            hint="A check is never silenced without a reason.",
        )
    return rule


def _execution(table: Table) -> ExecutionPolicy:
    default = ExecutionPolicy()
    table.allow("timeout", "page-timeout", "jobs", "memory", "output", "cache", "variables")
    return ExecutionPolicy(
        timeout=table.integer("timeout", default=default.timeout, least=1),
        page_timeout=table.integer("page-timeout", default=default.page_timeout, least=1),
        jobs=table.integer("jobs", default=default.jobs, least=0),
        memory=table.integer("memory", default=default.memory, least=256),
        output=table.integer("output", default=default.output, least=1),
        cache=table.integer("cache", default=default.cache, least=1),
        variables=table.strings("variables"),
    )
