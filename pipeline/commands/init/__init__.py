"""init: create a project of its own, to translate other docs.

``project`` creates the files from the templates in ``skeleton``. It asks for values that the
command line does not give.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from pipeline.commands.showing import print_json
from pipeline.errors import ConfigError
from pipeline.log import Log


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``init``."""
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        nargs="?",
        type=Path,
        default=Path(),
        help="where the project begins (default: here)",
    )
    parser.add_argument(
        "--url", help="the docs: a URL, a bundle, a repository or a folder"
    )
    parser.add_argument(
        "--docs",
        metavar="FOLDER",
        action="append",
        help="their folder in it (may be repeated; default: all)",
    )
    parser.add_argument(
        "--name", help="a short name for them: letters, digits, - and _"
    )
    parser.add_argument(
        "--ref",
        default="",
        help="tag, branch or commit (default: v{version} with --package, else the newest)",
    )
    parser.add_argument(
        "--package",
        metavar="NAME==VERSION",
        default="",
        help="the package that they are of, pinned to a version",
    )
    parser.add_argument("--title", default="", help="how the site is called")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="OWNER/NAME@REF",
        help="the pipeline on GitHub (default: where this one was installed from)",
    )


def run_command(arguments: Namespace, log: Log) -> int:
    """Write the files of a new project, and print their names."""
    from pipeline.commands.init.project import complete, start_project

    folder: Path = arguments.folder
    docs = complete(
        name=arguments.name,
        url=arguments.url,
        docs=tuple(arguments.docs or ()),
        locale=_one_locale(arguments.locale),
        ref=arguments.ref,
        package=arguments.package,
        title=arguments.title,
        source=arguments.source,
    )
    started = start_project(folder, docs)
    if arguments.json:
        written = [name for name, is_new in started.items() if is_new]
        rows = {"files": list(started), "written": written}
        print_json(f"{json.dumps(rows, indent=2)}\n")
    for name, is_new in started.items():
        verb = "wrote" if is_new else "there already:"
        log.note(f"{verb} {(folder / name).as_posix()}")
    if not any(started.values()):
        log.note("nothing to write: everything is up to date")
    log.note(f"go on with the steps of {(folder / 'README.md').as_posix()}")
    return 0


def _one_locale(locales: Sequence[str]) -> str:
    """Return the locale of the new project; others can be added to its configuration."""
    if len(locales) > 1:
        raise ConfigError(
            f"one locale to begin with, not {' '.join(locales)}",
            hint="Add others to tool.pipeline.locales afterwards.",
        )
    return locales[0] if locales else "zh_CN"
