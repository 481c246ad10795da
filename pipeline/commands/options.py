"""Command-line options that several commands share, and their conversion to a Run.

An option of a single command is declared in that command's ``add_options``.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pipeline.config.reader import read_settings
from pipeline.config.settings import Settings, Upstream
from pipeline.errors import ConfigError, did_you_mean
from pipeline.log import Log
from pipeline.run import KernelOptions, Run


def count(text: str) -> int:
    """Parse a whole number of at least 1. Raises ArgumentTypeError."""
    # The test for ASCII is needed: str.isdigit() accepts "²", but int() does not.
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r}")
    return int(text)


# Arguments of `add_argument`, by option name.
_SHARED: Mapping[str, Mapping[str, Any]] = {
    "name": {
        "metavar": "NAME",
        "nargs": "?",
        "help": "the upstream (default: the first one configured), or one release: NAME@VERSION",
    },
    "--release": {
        "metavar": "VERSION",
        "help": "use this release, which the configuration shows beside the pinned one",
    },
    "--upstream": {
        "metavar": "URL",
        "help": "pull from this URL, bundle, repository or folder instead",
    },
    "--ref": {"help": "pull this tag, branch or commit instead"},
    "--pages": {
        "metavar": "GLOB",
        "nargs": "+",
        "action": "extend",
        "default": [],
        "help": "only these pages",
    },
    "--summary": {
        "metavar": "FILE",
        "type": Path,
        "help": "append a Markdown summary to this file",
    },
    "--no-execute": {
        "dest": "execute",
        "action": "store_false",
        "help": "do not run code cells",
    },
    "--retry-failed": {
        "action": "store_true",
        "help": "also run pages that failed the last time and have not changed",
    },
    "--no-cache": {
        "dest": "use_cache",
        "action": "store_false",
        "help": "run all code again, also of unchanged pages",
    },
    "--offline": {
        "action": argparse.BooleanOptionalAction,
        "help": "run code without network (default: if the variable CI is set)",
    },
    "--scheduler": {
        "metavar": "ADDRESS",
        "default": "",
        "help": "run the pages on the Dask cluster at tcp://…",
    },
    "--dry-run": {"action": "store_true", "help": "only report the effects"},
    "--all": {
        "dest": "every",
        "action": "store_true",
        "help": "run on every release of the upstream, or of all upstreams; print one table",
    },
    "--check": {
        "action": "store_true",
        "help": "write nothing; exit with 1 if something would be written",
    },
    "--config": {
        "metavar": "FILE",
        "type": Path,
        "default": Path("pyproject.toml"),
        "help": "the configuration file (default: pyproject.toml)",
    },
    "--locale": {
        "action": "append",
        "default": [],
        "help": "only this locale (may be repeated)",
    },
    "--jobs": {
        "metavar": "N",
        "type": count,
        "help": "kernels at a time (default: one per core)",
    },
    "--json": {"action": "store_true", "help": "print the report as JSON to stdout"},
}
# Names of the options that every command that runs code has.
RUNNING = ("--retry-failed", "--no-cache", "--offline", "--scheduler")


def add_shared(parser: argparse._ActionsContainer, *names: str) -> None:
    """Add the named shared options. ``--help`` lists them in this order."""
    for name in names:
        parser.add_argument(name, **_SHARED[name])


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the options that every command has, as a group at the end of ``--help``."""
    common = parser.add_argument_group("common")
    add_shared(common, "--config", "--locale", "--jobs", "--json")
    common.add_argument("-q", "--quiet", action="count", default=0, help="only warnings and errors")
    common.add_argument("-v", "--verbose", action="count", default=0, help="more detail")


def run_of(arguments: argparse.Namespace, log: Log, *, names: Sequence[str] = ()) -> Run:
    """Read the configuration and return the run that the arguments describe.

    ``names`` has the upstream's name, or is empty. Commands pass it if their positional arguments
    may also name other things, such as files.
    """
    settings = read_settings(arguments.config)
    name = _one_of(names) or getattr(arguments, "name", None)
    upstream = settings.upstream(name)
    release = getattr(arguments, "release", None)
    if release is not None:
        upstream = settings.release(name, release)
    address = getattr(arguments, "upstream", None)
    if address is not None:
        upstream = _with_address(upstream, address)
    return Run(
        settings=settings,
        upstream=upstream,
        log=log,
        locales=locales_of(arguments, settings),
        pages=tuple(getattr(arguments, "pages", ())),
        dry=getattr(arguments, "check", False),
        is_one_of_many=getattr(arguments, "is_one_of_many", False),
    )


def _one_of(names: Sequence[str]) -> str | None:
    """Return the only name, or None if ``names`` is empty. Raises ConfigError for several."""
    if len(names) > 1:
        raise ConfigError(
            f"one upstream at a time, not {' '.join(names)}",
            hint="Run the command once for each of them.",
        )
    return names[0] if names else None


def _with_address(upstream: Upstream, address: str) -> Upstream:
    """Return the upstream with another URL, for this run only."""
    # An empty URL would mean the current folder. Raise an error, because probably a variable in a
    # script is unset.
    if not address:
        raise ConfigError(
            "--upstream is empty",
            hint="Give a URL, a bundle, a repository or a folder.",
        )
    return replace(upstream, url=address, url_replaced=True)


def locales_of(arguments: argparse.Namespace, settings: Settings) -> tuple[str, ...]:
    """Return the locales named by ``--locale`` without duplicates, or all configured ones."""
    for locale in arguments.locale:
        if locale not in settings.locales:
            meant = did_you_mean(locale, settings.locales)
            configured = ", ".join(settings.locales)
            raise ConfigError(
                f"no locale is called {locale!r}",
                hint=f"{meant}Configured: {configured}.",
            )
    return tuple(dict.fromkeys(arguments.locale)) or settings.locales


def kernels_of(arguments: argparse.Namespace, settings: Settings) -> KernelOptions:
    """Return the kernel options for the arguments in ``RUNNING``."""
    offline = arguments.offline
    if offline is None:
        # In CI, run offline by default, because results there must not depend on the network.
        offline = bool(os.environ.get("CI"))
    return KernelOptions(
        jobs=arguments.jobs or settings.execution.jobs,
        retry_failed=arguments.retry_failed,
        use_cache=arguments.use_cache,
        offline=offline,
        scheduler=arguments.scheduler,
    )


def summaries_of(summary: Path | None) -> tuple[Path, ...]:
    """Return the file of ``--summary`` and GitHub's own summary file, if set."""
    paths = [summary] if summary else []
    # An empty variable means no file; Path("") would be the current folder.
    if shown := os.environ.get("GITHUB_STEP_SUMMARY"):
        paths.append(Path(shown))
    return tuple(paths)
