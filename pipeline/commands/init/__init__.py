"""init: create a new project, to translate the docs of another package.

``project`` creates the files from the templates in ``skeleton``, and asks for missing values.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from pipeline.commands.console import print_json
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
        help="the root of the new project (default: the current folder)",
    )
    parser.add_argument(
        "--url",
        help="where the docs are: a URL, a git bundle, a repository or a folder",
    )
    parser.add_argument(
        "--docs",
        metavar="FOLDER",
        action="append",
        help="the folder of the docs in --url (may be repeated; default: all)",
    )
    parser.add_argument(
        "--name", help="a short name for the docs: letters, digits, - and _"
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
        help="the package that the docs belong to, pinned to a version",
    )
    parser.add_argument("--title", default="", help="the title of the site")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="OWNER/NAME@REF",
        help="the pipeline's repository (default: the one that this was installed from)",
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
    log.note(f"to continue, follow the steps in {(folder / 'README.md').as_posix()}")
    return 0


def _one_locale(locales: Sequence[str]) -> str:
    """Return the locale of the new project; ``zh_CN`` if none is given."""
    if len(locales) > 1:
        raise ConfigError(
            f"init takes one locale, not {' '.join(locales)}",
            hint="Add the others to tool.pipeline.locales afterwards.",
        )
    return locales[0] if locales else "zh_CN"
