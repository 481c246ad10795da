"""``pyproject.toml`` → Settings. The one place that knows how the configuration is written.

In goes the file, out comes one record. Whatever is not right ends here, with the name of the file
and of the key, so that nothing after it need ask.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from pipeline.config.drafting import read_draft
from pipeline.config.modes import Mode, read_modes
from pipeline.config.pins import Pins
from pipeline.config.records import (
    ExecutionPolicy,
    Settings,
    SitePolicy,
    Upstream,
)
from pipeline.config.rules import (
    read_acknowledgement,
    read_ignore_rule,
    read_part_rule,
    read_run_rule,
    read_skip_rule,
)
from pipeline.config.suggesting import did_you_mean
from pipeline.config.tables import Table
from pipeline.errors import ConfigError
from pipeline.folders import ALL, Folders, fault_in
from pipeline.paths import Paths
from pipeline.reading import Dialect, Reading

REPOSITORY_VARIABLE = "GITHUB_REPOSITORY"  # owner/name, as GitHub's workflows have it

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_LOCALE = re.compile(r"[a-z]{2,3}(_[A-Z][A-Za-z]+)?")
# As ``core.pin.lock`` writes it: names of files stand further in.
_LOCKED_DIALECT = re.compile(r'^ "markdown": "(\w+)"', re.MULTILINE)
_LOCKED_SUBSTITUTIONS = re.compile(r'^ "substitutions": true', re.MULTILINE)
_HOST = re.compile(r"[\w.-]+(?::\d+)?", re.ASCII)
_SITE = re.compile(r"https?://[^\s/<>\"?#]+/(?:[^\s<>\"?#]*/)?")
# An address that a page may lead to: of the web, or on the same site. No scheme runs anything
# (javascript:), and no letter ends the attribute that it stands in.
_ADDRESS = re.compile(r"(?:https?://|(?![\w+.-]*:))[^\s\x00-\x1f<>\"'`\\]*", re.ASCII)
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
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
    pins = Pins(data.get("dependency-groups"), where=str(path))
    return _settings(table, root=root, pins=pins, environ=environ)


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


def _settings(
    table: Table, *, root: Path, pins: Pins, environ: Mapping[str, str]
) -> Settings:
    """``[tool.pipeline]`` as a record; ``root`` is the folder of its file."""
    table.allow("locales", "upstreams", "modes", "execution", "checks", "draft")
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
    modes = read_modes(table.table("modes"), upstreams=upstreams.values)
    by_name = {}
    for name in upstreams.values:
        upstream = _upstream(
            name, upstreams.table(name), modes=modes, pins=pins, environ=environ
        )
        by_name[name] = _as_pulled(upstream, root)
    _check_apart(upstreams, by_name)
    execution = _execution(table.table("execution"))
    checks = table.table("checks")
    checks.allow("ignore")
    ignore = tuple(read_ignore_rule(rule) for rule in checks.tables("ignore"))
    return Settings(
        root=root,
        locales=locales,
        upstreams={
            name: upstream.with_ignored(ignore) for name, upstream in by_name.items()
        },
        execution=execution,
        ignore=ignore,
        draft=read_draft(table.table("draft")),
    )


def _upstream(
    name: str,
    table: Table,
    *,
    modes: Mapping[str, Mode],
    pins: Pins,
    environ: Mapping[str, str],
) -> Upstream:
    """``[tool.pipeline.upstreams.NAME]`` as a record."""
    # The name becomes that of folders and of a file.
    if not _NAME.fullmatch(name):
        raise table.error(
            f"{name!r} cannot name an upstream", hint="Use letters, digits, - and _."
        )
    places = ("url", "ref", "docs", "package", "page-url", "license")
    written = ("markdown", "prose-directives", "usual-names")
    rules = ("include", "exclude", "partly", "skip", "run", "acknowledge")
    table.allow(*places, *written, *rules, "site")
    url = table.string("url")
    if not url:
        raise table.error(
            f"{table.name}.url is missing",
            hint="Give a URL, a bundle, a repository or a folder.",
        )
    # People and CI may have a copy of the docs at hand.
    replaced = environ.get(upstream_variable(name), "")
    ref = table.string("ref")
    package = table.string("package")
    if not package and "{version}" in ref:
        raise table.error(
            f"{table.name}.ref has {{version}}, but no package is configured",
            hint="Name the package whose version it is, or write the tag itself.",
        )
    version = pins.get(package) if package else ""
    repository = environ.get(REPOSITORY_VARIABLE, "")
    return Upstream(
        name=name,
        url=replaced or url,
        ref=ref.replace("{version}", version),
        docs=_folders(table),
        package=package,
        version=version,
        reading=_reading(table),
        tells_dialect="markdown" in table.values,
        usual_names=_usual_names(table),
        page_url=_address(table, "page-url"),
        license=table.string("license"),
        include=table.strings("include", default=("**",)),
        exclude=table.strings("exclude"),
        skip=tuple(read_skip_rule(rule) for rule in table.tables("skip")),
        run=tuple(read_run_rule(rule, modes) for rule in table.tables("run")),
        acknowledge=tuple(
            read_acknowledgement(rule) for rule in table.tables("acknowledge")
        ),
        site=_site(table.table("site"), name, repository=repository),
        url_replaced=bool(replaced),
        configured_url=url,
    )


def _folders(table: Table) -> Folders:
    """The docs folders: a string, or a list of several."""
    value = table.values.get("docs", ALL)
    if isinstance(value, list):
        names = table.strings("docs")
    elif isinstance(value, str):
        names = (value,)
    else:
        raise table.wrong("docs", "a string or a list of strings", value)
    fault = fault_in(names)
    if fault is not None:
        raise table.error(
            f"{table.name}.docs cannot be used: {fault.what}", hint=fault.hint
        )
    return Folders(names)


def _reading(table: Table) -> Reading:
    """How documents are written: which Markdown, and directives of their own with prose in them."""
    dialect = table.string("markdown", default=Dialect.MYST)
    known = tuple(map(str, Dialect))
    if dialect not in known:
        raise table.error(
            f"{table.name}.markdown is {dialect!r}, which is not known",
            hint=f"{did_you_mean(dialect, known)}Known: {', '.join(known)}.",
        )
    prose = table.strings("prose-directives")
    # Names are compared as MyST does it.
    return Reading(
        dialect=Dialect(dialect),
        prose=frozenset(map(str.lower, prose)),
        partly=tuple(chain.from_iterable(map(read_part_rule, table.tables("partly")))),
    )


def _usual_names(table: Table) -> Mapping[str, str]:
    """What code calls parts of the package, whatever it imports."""
    names = table.table("usual-names")
    return {name: names.string(name) for name in names.values}


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


def _check_apart(table: Table, upstreams: Mapping[str, Upstream]) -> None:
    """Refuse two upstreams with one folder. Raises ConfigError."""
    names: dict[str, str] = {}
    for name in upstreams:
        # Names are alike on some systems whatever their case.
        other = names.setdefault(name.lower(), name)
        if other != name:
            raise table.error(
                f"the upstreams {other!r} and {name!r} would lie in one folder",
                hint="Give one of them another name.",
            )
    variables: dict[str, str] = {}
    for name in upstreams:
        other = variables.setdefault(upstream_variable(name), name)
        if other != name:
            raise table.error(
                f"the upstreams {other!r} and {name!r} have one variable, "
                f"{upstream_variable(name)}",
                hint="Give one of them another name.",
            )


def _site(table: Table, name: str, *, repository: str) -> SitePolicy:
    """``[tool.pipeline.upstreams.NAME.site]`` as a record; ``repository`` is owner/name."""
    urls = ("url", "edit-url", "notebook-url", "english-url", "repository-url")
    home = ("start", "hero", "hero-code", "root")
    tables = ("extensions", "myst-extensions", "inventories")
    table.allow("title", *urls, *home, "english-hosts", *tables)
    hero, hero_code = table.string("hero"), table.string("hero-code")
    if hero_code and not hero:
        raise table.error(
            f"{table.name}.hero-code has no words beside it",
            hint="Say what the code shows: hero = …",
        )
    return SitePolicy(
        title=table.string("title"),
        edit_url=_template(table, "edit-url", repository),
        notebook_url=_template(table, "notebook-url", repository),
        url=_template(table, "url", repository),
        repository_url=_template(table, "repository-url", repository),
        english_url=_address(table, "english-url"),
        english_hosts=_hosts(table, "english-hosts"),
        inventories=_inventories(table.table("inventories"), own=name),
        start=table.strings("start"),
        hero=hero,
        hero_code=hero_code.strip("\n"),
        root=table.string("root"),
        extensions=table.strings("extensions"),
        myst_extensions=table.strings("myst-extensions"),
    )


def _hosts(table: Table, key: str) -> tuple[str, ...]:
    """Return names of hosts, perhaps with a port: ``docs.example.org``. Raises ConfigError."""
    hosts = table.strings(key)
    for host in hosts:
        if not _HOST.fullmatch(host):
            raise table.error(
                f"{table.name}.{key} has an entry that is no host: {host!r}",
                hint="Write its name alone, without https:// and slashes.",
            )
    return hosts


def _inventories(table: Table, *, own: str) -> dict[str, str]:
    """``[tool.pipeline.upstreams.NAME.site.inventories]``: the URL of each site."""
    sites: dict[str, str] = {}
    for name in table.values:
        # The name becomes that of a file. The upstream's own inventory has its name.
        if not _NAME.fullmatch(name) or name == own:
            raise table.error(
                f"{name!r} cannot name an inventory of another site",
                hint="Use letters, digits, - and _, and not the upstream's name.",
            )
        url = table.string(name)
        if not _SITE.fullmatch(url):
            raise table.error(
                f"{table.name}.{name} is no address of a site: {url!r}",
                hint="Write that of its first page: https://…/, with a slash at the end.",
            )
        sites[name] = url
    return sites


def _address(table: Table, key: str) -> str:
    """Return an address, or a template of one, that pages link to. Raises ConfigError."""
    address = table.string(key)
    if not _ADDRESS.fullmatch(address):
        raise table.error(
            f"{table.name}.{key} is no address that a page may link to: {address!r}",
            hint="Write one that begins with https://, without quotes, spaces, < and >.",
        )
    return address


def _template(table: Table, key: str, repository: str) -> str:
    """A template with ``repository`` (owner/name) filled in.

    Empty if it asks for a repository where there is none: the site then has no such links.
    """
    template = _address(table, key)
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
