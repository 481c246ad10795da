"""init: create a new project, to translate the docs of another package.

The input is facts about the docs, from options or from answers on the terminal. The configuration
is validated before any file is written. The files are made from the templates in ``skeleton``. If
one of the files cannot be written, the others are removed. An existing file is never overwritten.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape
from msgspec import Struct

from pipeline.adapters.files import WriteError, read_own, write_atomic
from pipeline.adapters.installed import Origin, origin
from pipeline.adapters.upstream.address import read_address
from pipeline.commands.console import ask, print_json
from pipeline.config.reader import read_settings
from pipeline.errors import ConfigError
from pipeline.folders import ALL, Folders, fault_in
from pipeline.limits import Limit
from pipeline.log import Log
from pipeline.naming import exact_pin, group_of, repository_on_github
from pipeline.paths import glossary_path

# Dependency group of the pipeline itself in the new pyproject.toml.
PIPELINE = "pipeline"
GLOSSARY = b"source,target,context,translator_comments\n"
# Files of the new project, and their templates in ``skeleton``.
FILES = {
    "pyproject.toml": "pyproject.toml.in",
    "README.md": "README.md.in",
    ".gitignore": "gitignore.in",
    ".gitattributes": "gitattributes.in",
    ".github/workflows/docs.yml": "docs.yml.in",
}

_BARE = re.compile(r"[A-Za-z0-9_-]+")  # TOML key that needs no quotation marks


# Default titles of sites, by locale.
_TITLES = {"zh_CN": "{} 中文文档"}


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
    parser.add_argument("--name", help="a short name for the docs: letters, digits, - and _")
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
    folder: Path = arguments.folder
    docs = complete(arguments)
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


class NewDocs(Struct, frozen=True, kw_only=True):
    """Description of a new project. ``package`` is a pin like ``flax==0.12.0``, or empty."""

    name: str
    url: str
    docs: Folders
    origin: Origin
    locale: str = "zh_CN"
    ref: str = ""
    package: str = ""
    title: str = ""


def start_project(folder: Path, docs: NewDocs) -> dict[str, bool]:
    """Write the files of a project that translates ``docs`` into ``folder``.

    Return the path of each file, and whether it was written. A second run with the same values
    writes nothing. If a file exists with other content, raise ConfigError and write nothing. Raises
    UpstreamError if the docs do not exist.
    """
    files = skeleton(folder, docs)
    _validate(files)
    read_address(docs.url, base=folder)
    missing, other = [], []
    for name, data in files.items():
        path = folder / name
        if not path.exists():
            missing.append(name)
        elif read_own(path, Limit(len(data), "bytes")) != data:
            other.append(name)
    if other:
        named = ", ".join((folder / name).as_posix() for name in other)
        raise ConfigError(
            f"these files exist with other content: {named}; nothing was written",
            hint="Give a folder without them, or move them away and run again.",
        )
    _write_all(folder, {name: files[name] for name in missing})
    return {name: name in missing for name in files}


def skeleton(folder: Path, docs: NewDocs) -> dict[str, bytes]:
    """Return the contents of the new files by path. Raises ConfigError for a bad package pin."""
    package = _package(docs)
    title = " ".join(docs.title.split()) or f"{docs.name} ({docs.locale})"
    if not docs.title and docs.locale in _TITLES:
        title = _TITLES[docs.locale].format(docs.name)
    values = {
        "docs": docs,
        "key": docs.name if _BARE.fullmatch(docs.name) else _toml(docs.name),
        "title": title,
        "package": package,
        "group": group_of(package),
        "page_url": _page_url(docs),
    }
    templates = _templates()
    files = {}
    for name, template in FILES.items():
        text = templates.get_template(template).render(values)
        files[name] = text.encode("utf-8")
    glossary = glossary_path(folder, docs.locale).relative_to(folder)
    files[glossary.as_posix()] = GLOSSARY
    return files


def _templates() -> Environment:
    """Return the templates in ``skeleton``: ``%{name}`` for values, ``%[ if … ]%`` for statements.

    GitHub workflows use ``$`` and ``{{`` themselves.
    """
    source = resources.files(__package__) / "skeleton"
    made = Environment(
        variable_start_string="%{",
        variable_end_string="}",
        block_start_string="%[",
        block_end_string="]%",
        trim_blocks=True,
        autoescape=select_autoescape(),  # only HTML
        keep_trailing_newline=True,
        loader=FunctionLoader(lambda name: (source / name).read_text("utf-8")),
        undefined=StrictUndefined,
    )
    made.filters["toml"] = _toml
    return made


def _package(docs: NewDocs) -> str:
    """Return the package whose version is the pin, or "". Raises ConfigError."""
    if not docs.package:
        return ""
    pin = exact_pin(docs.package)
    if pin is None:
        raise ConfigError(
            f"{docs.package!r} pins no package to a version",
            hint="Write --package like a requirement of pip, for example flax==0.12.0.",
        )
    if group_of(pin[0]) == PIPELINE:
        raise ConfigError(
            f"{docs.package!r} would need the pipeline's own dependency group",
            hint="Run again without --package, and give the tag with --ref.",
        )
    return pin[0]


def _page_url(docs: NewDocs) -> str:
    """Return the URL of upstream's pages, or "" if the docs are not on GitHub.

    The line with the source, on each page, links to this URL.
    """
    repository = repository_on_github(docs.url)
    folder = "" if docs.docs.root == ALL else f"{docs.docs.root}/"
    url = f"https://github.com/{repository}/blob/{{commit}}/{folder}{{path}}"
    return url if repository else ""


def _toml(text: str) -> str:
    """Return the text as TOML string: https://toml.io/en/v1.0.0#string."""
    # TOML has the escapes of JSON, and also requires one for DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _validate(files: dict[str, bytes]) -> None:
    """Parse the configuration as every run does. Raises ConfigError for invalid values."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "pyproject.toml"
        path.write_bytes(files["pyproject.toml"])
        try:
            read_settings(path, environ={})
        except ConfigError as error:
            raise ConfigError(
                f"these values make no valid project: {error.what}", hint=error.hint
            ) from error


def _write_all(folder: Path, files: dict[str, bytes]) -> None:
    """Write all ``files``. If one cannot be written, remove the others and raise WriteError."""
    written: list[Path] = []
    try:
        for name, data in files.items():
            write_atomic(folder / name, data)
            written.append(folder / name)
    except WriteError:
        for path in written:
            path.unlink(missing_ok=True)
        raise


_FROM = re.compile(r"([\w.-]+/[\w.-]+)@([\w./-]+)", re.ASCII)


# Question for each option that may be missing.
_QUESTIONS = {
    "--url": "the URL of the repository with the English docs",
    "--docs": "the folder of the docs in the repository",
    "--name": "a short name for the docs: letters, digits, - and _",
    "--from": "the repository of the pipeline, as OWNER/NAME@REF",
}
_DEFAULTS = {"--docs": "."}  # value for an empty answer


def complete(arguments: Namespace) -> NewDocs:
    """Return the description of the project. Ask on the terminal for missing values.

    Raises ConfigError if a value is missing and there is no terminal.
    """
    url, folders = arguments.url, tuple(arguments.docs or ())
    # A user who gives --url without --docs means the whole repository.
    if url and not folders:
        folders = (_DEFAULTS["--docs"],)
    url = url or _ask("--url")
    return NewDocs(
        url=url,
        docs=_folders(folders or (_ask("--docs"),)),
        name=arguments.name or _ask("--name"),
        origin=_origin(arguments.source),
        locale=_one_locale(arguments.locale),
        ref=arguments.ref,
        package=arguments.package,
        title=arguments.title,
    )


def _folders(names: tuple[str, ...]) -> Folders:
    """Return the docs folders. Raises ConfigError for invalid ones."""
    fault = fault_in(names)
    if fault is not None:
        raise ConfigError(f"--docs cannot be used: {fault.what}", hint=fault.hint)
    return Folders(names)


def _origin(source: str | None) -> Origin:
    """Return the repository and ref that the new project installs the pipeline from.

    By default, these are the ones that the running pipeline was installed from.
    """
    found = None if source else origin()
    if found is not None:
        return found
    source = source or _ask("--from")
    match = _FROM.fullmatch(source)
    if match is None:
        raise ConfigError(
            f"{source!r} does not name a repository on GitHub and a ref",
            hint="Write it as OWNER/NAME@REF, where REF is a tag, a branch or a commit.",
        )
    return Origin(repository=match[1], ref=match[2])


def _ask(option: str) -> str:
    """Ask for an option's value and return it. Raises ConfigError without terminal or answer."""
    question, default = _QUESTIONS[option], _DEFAULTS.get(option, "")
    answer = ""
    if sys.stdin.isatty():
        shown = f" [{default}]" if default else ""
        answer = ask(f"{question[0].upper()}{question[1:]}{shown}: ") or default
    if not answer:
        raise ConfigError(f"init needs to know {question}", hint=f"Give it with {option}.")
    return answer
