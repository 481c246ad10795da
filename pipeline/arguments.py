"""The words of the command line: which commands there are, and which options each of them takes.

``OPTIONS`` is the whole grammar: a row an option, with the commands that take it. The help of a
command lists its options in the order of the rows.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from pipeline import __version__
from pipeline.config.suggesting import did_you_mean
from pipeline.errors import ConfigError

PROGRAM = "python -m pipeline"
# In the order in which help lists them: what people need first comes first.
COMMANDS = {
    "sync": "pull, split, update, merge, execute and report: the whole job",
    "pull": "fetch upstream's English docs at the pinned release",
    "split": "bring the catalogues up to date with what was pulled",
    "merge": "put the translations into upstream's pages, guarded",
    "execute": "run the code cells of the merged notebooks",
    "build": "merge and execute at the current pin, without touching upstream: what CI runs",
    "site": "build, then make the web site: build/site/",
    "verify-site": "prove of a published site that only prose differs from upstream",
    "upgrade": "move to another release, pin and docs together, and tell what that means",
    "status": "show which pages to translate next, or all (--every-page), and how much is done; "
    "writes nothing but badges, if asked to",
    "adopt": "bring translated copies of pages, of whatever version, into the catalogues",
    "draft": "have a language model draft what has no translation; people confirm",
    "check": "look for mistakes in the catalogues, and mend what can be mended if asked to",
    "export": "write the catalogues for another editor, as POT and PO",
    "import": "take what was done in another editor into the catalogues",
    "review": "show what a branch has changed in the translations, for who reviews it",
    "memory": "prove that memory, catalogues and upstream agree; let git merge it by entry",
    "serve": "translate in the browser, on the page itself, and see at once what comes of it",
    "cache": "tell about the outputs of code that ran, prove them or forget them",
    "init": "begin a project of your own, to translate other docs: docs/your-own-docs.md",
}
# Commands that take the same options, by what they do.
PULLING = ("sync", "pull")
EXECUTING = ("sync", "execute", "build", "site")
READING = ("status", "memory")
# Commands that do one thing to one upstream, and can do it to all of them.
ON_EVERY = ("sync", "pull", "status", "site")
WRITING = ("sync", "pull", "split", "merge", "execute", "build", "upgrade", "draft")
# Commands with a second word that says what to do.
ACTIONS = {
    "memory": ("verify", "restamp", "setup", "merge"),
    "cache": ("stats", "clear", "verify"),
}
_BEFORE_COMMANDS = ("-h", "--help", "-V", "--version")
MARKUPS = ("markdown", "rst")
_LAST_PORT = 65535
FORMATS = ("text", "json", "sarif", "github")
REVIEW_FORMATS = ("html", "markdown")


class _Parser(argparse.ArgumentParser):
    """argparse, with our exit code, shape of message and suggestions."""

    # argparse would print its usage and end with 2 by itself.
    def error(self, message: str) -> NoReturn:
        raise ConfigError(message, hint=f"See: {self.prog} --help")


@dataclass(frozen=True, slots=True)
class _Option:
    """One option, or one word by its place, which has a name without dashes."""

    name: str
    commands: tuple[str, ...]  # that take it
    given: dict[str, Any]  # what argparse is to know of it


def _option(name: str, *commands: str, **given: Any) -> _Option:
    return _Option(name, commands, given)


def _count(text: str) -> int:
    # "²" is a digit in Unicode, and no number for int().
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"must be a whole number of at least 1, not {text!r}"
        )
    return int(text)


def _port(text: str) -> int:
    number = _count(text)
    if number > _LAST_PORT:
        raise argparse.ArgumentTypeError(f"must be at most {_LAST_PORT}, not {text!r}")
    return number


OPTIONS = (
    _option(
        "target",
        "upgrade",
        metavar="REF",
        help="a release (v1.2.3), its version (1.2.3), latest,"
        " or any ref with --package-version",
    ),
    *(
        _option("action", command, choices=actions, help="what to do with it")
        for command, actions in ACTIONS.items()
    ),
    _option(
        "words",
        "check",
        metavar="FILE | FOLDER | NAME",
        nargs="*",
        help="catalogues, or those of an upstream (default: all)",
    ),
    _option(
        "words",
        "review",
        metavar="COMMIT",
        nargs="*",
        help="from where the branch parted from this one (default: the main branch), and up to "
        "which (default: the files as they lie here)",
    ),
    _option(
        "words",
        "import",
        metavar="FILE | FOLDER",
        nargs="+",
        help="what came back from the editor: .po",
    ),
    _option(
        "--name",
        "import",
        metavar="NAME",
        help="the upstream (default: the first one configured)",
    ),
    _option(
        "words",
        "adopt",
        metavar="FILE | FOLDER | NAME",
        nargs="+",
        help="translated pages or catalogues; the upstream, if it is not the first one",
    ),
    _option(
        "words",
        "verify-site",
        metavar="URL | FOLDER",
        help="where the site is: https://…, or build/site/NAME",
    ),
    _option(
        "words",
        "memory",
        metavar="NAME | WORD",
        nargs="*",
        help="the upstream (default: the first one configured); for merge: what git says",
    ),
    _option(
        "words",
        "serve",
        metavar="NAME | PAGE",
        nargs="*",
        help="the upstream (default: the first one configured), the page to open, or both",
    ),
    _option(
        "words",
        *WRITING,
        "status",
        "site",
        "export",
        metavar="NAME",
        nargs="?",
        help="the upstream (default: the first one configured)",
    ),
    _option(
        "folder",
        "init",
        metavar="FOLDER",
        nargs="?",
        type=Path,
        default=Path(),
        help="where the project begins (default: here)",
    ),
    _option(
        "--url", "init", help="the docs: a URL, a bundle, a repository or a folder"
    ),
    _option(
        "--docs",
        "init",
        metavar="FOLDER",
        action="append",
        help="their folder in it (may be repeated; default: all)",
    ),
    _option("--name", "init", help="a short name for them: letters, digits, - and _"),
    _option(
        "--ref",
        "init",
        default="",
        help="tag, branch or commit (default: v{version} with --package, else the newest)",
    ),
    _option(
        "--package",
        "init",
        metavar="NAME==VERSION",
        default="",
        help="the package that they are of, pinned to a version",
    ),
    _option("--title", "init", default="", help="how the site is called"),
    _option(
        "--from",
        "init",
        dest="source",
        metavar="OWNER/NAME@REF",
        help="the pipeline on GitHub (default: where this one was installed from)",
    ),
    _option(
        "--upstream",
        *PULLING,
        "upgrade",
        "status",
        "adopt",
        metavar="URL",
        help="pull from this URL, bundle, repository or folder instead",
    ),
    _option("--ref", *PULLING, help="pull this tag, branch or commit instead"),
    _option(
        "--pages",
        "sync",
        "split",
        "merge",
        "execute",
        "build",
        "site",
        "status",
        "draft",
        "check",
        "review",
        "export",
        metavar="GLOB",
        nargs="+",
        action="extend",
        default=[],
        help="only these pages",
    ),
    _option(
        "--summary",
        *EXECUTING,
        "upgrade",
        "review",
        metavar="FILE",
        type=Path,
        help="add to this file, in Markdown, what GitHub's summary shows",
    ),
    # How code is run.
    _option(
        "--no-execute",
        "sync",
        "build",
        "site",
        dest="execute",
        action="store_false",
        help="do not run code cells",
    ),
    _option(
        "--retry-failed",
        *EXECUTING,
        action="store_true",
        help="run again what failed the last time",
    ),
    _option(
        "--no-cache",
        *EXECUTING,
        dest="use_cache",
        action="store_false",
        help="run everything again",
    ),
    _option(
        "--offline",
        *EXECUTING,
        action=argparse.BooleanOptionalAction,
        help="no network for code (default: where CI is set)",
    ),
    _option(
        "--scheduler",
        *EXECUTING,
        metavar="ADDRESS",
        default="",
        help="run the pages on the Dask cluster at tcp://…",
    ),
    # What one command alone is asked.
    _option(
        "--package-version",
        "upgrade",
        metavar="VERSION",
        help="the version that goes with a ref that is no release",
    ),
    _option(
        "--dry-run",
        "upgrade",
        "adopt",
        action="store_true",
        help="tell what it means, write nothing",
    ),
    _option(
        "--page",
        "adopt",
        metavar="PAGE",
        help="the page that the copies are of (default: found by itself)",
    ),
    _option(
        "--at",
        "adopt",
        metavar="REF",
        help="the tag, branch or commit that they were made from (default: found by itself)",
    ),
    _option(
        "--author",
        "adopt",
        metavar="NAME",
        default="",
        help="whose work it is; needed unless nothing is written",
    ),
    _option(
        "--license",
        "adopt",
        metavar="ID",
        default="",
        help="under which licence it may be passed on: an SPDX id, like CC-BY-4.0",
    ),
    _option(
        "--audit",
        "adopt",
        action="store_true",
        help="tell how old the copies are and what is wrong with them, and adopt nothing",
    ),
    _option(
        "--execute",
        "upgrade",
        action=argparse.BooleanOptionalAction,
        help="for nox: whether code runs on the new version afterwards",
    ),
    _option(
        "--show-fuzzy",
        "site",
        action="store_true",
        help="show translations that wait for a person, marked",
    ),
    _option(
        "--against",
        "status",
        metavar="REF",
        help="also tell how far the pin is behind this tag, branch or commit",
    ),
    _option(
        "--every-page",
        "status",
        action="store_true",
        help="list every page, not only the ten that come next",
    ),
    _option(
        "--all",
        *ON_EVERY,
        dest="every",
        action="store_true",
        help="every upstream, one after the other, in one table",
    ),
    _option("--badges", "status", action="store_true", help="write build/badges/"),
    _option(
        "--port",
        "serve",
        metavar="N",
        type=_port,
        default=0,
        help="serve at this port of 127.0.0.1 (default: any that is free)",
    ),
    _option(
        "--review",
        "serve",
        metavar="BASE",
        nargs="?",
        const="",
        help="go through what has changed since this commit (default: the main branch)",
    ),
    _option(
        "--no-browser",
        "serve",
        dest="browser",
        action="store_false",
        help="only print the address",
    ),
    _option(
        "--limit",
        "draft",
        metavar="N",
        type=_count,
        help="ask the model for so many entries at most",
    ),
    _option("--yes", "draft", action="store_true", help="go on without asking"),
    _option(
        "--stale",
        "draft",
        action="store_true",
        help="list the drafts made from what is not so any more, ask nothing",
    ),
    _option(
        "--stub",
        "draft",
        action="store_true",
        help="show the loop without a model, in a copy: build/stub/",
    ),
    _option(
        "--fix",
        "check",
        action="store_true",
        help="mend what needs no judgement, and show what was changed",
    ),
    _option(
        "--strict", "check", action="store_true", help="end with 1 for warnings too"
    ),
    _option(
        "--markup",
        "check",
        choices=MARKUPS,
        help="what catalogues of other projects hold (default: by the files that they name)",
    ),
    _option(
        "--format",
        "check",
        choices=FORMATS,
        default="text",
        help="for people, programs, code scanning, or GitHub's log",
    ),
    _option(
        "--format",
        "review",
        choices=REVIEW_FORMATS,
        default="html",
        help="build/review.html alone, or Markdown for a comment on a pull request as well",
    ),
    _option(
        "--to",
        "export",
        metavar="FOLDER",
        type=Path,
        help="where to write them (default: build/export/)",
    ),
    _option(
        "--check",
        *WRITING,
        "memory",
        "export",
        "import",
        action="store_true",
        help="write nothing, exit 1 if something would be written",
    ),
)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command line as a namespace. Raises ConfigError, with the nearest word that is known."""
    _check_first_word(argv)
    parser, command = _parsers(*argv[:1])
    if not argv:
        parser.error("which command?")
    if argv[0] in _BEFORE_COMMANDS:
        parser.parse_args(argv)
    words = argv[1:]
    # Words and options may stand in any order, but behind "--" there are words only.
    parse_words = command.parse_known_intermixed_args
    if "--" in words:
        parse_words = command.parse_known_args
    arguments, unknown = parse_words(words)
    arguments.command = argv[0]
    # argparse has its own words for what it does not know, and ends the program with them.
    if unknown:
        # Of this command only: an option of another one is no help here.
        known: list[str] = []
        for action in command._actions:
            known += action.option_strings
        meant = did_you_mean(unknown[0].partition("=")[0], known)
        raise ConfigError(
            f"{arguments.command} does not know {unknown[0]!r}",
            hint=f"{meant}See: {PROGRAM} {arguments.command} --help",
        )
    return arguments


def complete() -> None:
    """Print what may follow on the command line, if a shell asks: it sets ``_ARGCOMPLETE``."""
    if "_ARGCOMPLETE" not in os.environ:
        return
    import argcomplete

    words = os.environ.get("COMP_LINE", "").split()
    command = next((word for word in words if word in COMMANDS), "")
    argcomplete.autocomplete(_parsers(command)[0])


def _check_first_word(argv: Sequence[str]) -> None:
    """Raise ConfigError if the first word is neither a command nor asks about all of them.

    argparse would list all commands, which says nothing of the one that was meant.
    """
    if not argv or argv[0] in COMMANDS or argv[0] in _BEFORE_COMMANDS:
        return
    if argv[0].startswith("-"):
        raise ConfigError(
            f"{argv[0]!r} comes before the command",
            hint=f"{did_you_mean(argv[0], _BEFORE_COMMANDS)}"
            f"Options come after it: {PROGRAM} sync -v",
        )
    raise ConfigError(
        f"no command is called {argv[0]!r}",
        hint=f"{did_you_mean(argv[0], COMMANDS)}Commands: {', '.join(COMMANDS)}.",
    )


@cache
def _parsers(first: str = "") -> tuple[_Parser, _Parser]:
    """The parser of a command line that begins with a word, and that of the command it names.

    No other command has its options there: all of them together take as long as a small command.
    """
    # No abbreviations: "--no-e" would change its meaning with every option that is added.
    parser = _Parser(
        prog=PROGRAM,
        description="Keeps translated docs alive: "
        "pulls the English, merges the Chinese, runs the code.",
        allow_abbrev=False,
    )
    python = ".".join(map(str, sys.version_info[:3]))
    parser.add_argument(
        "-V",
        "--version",
        action="version",
        version=f"jax-docs-zh {__version__}, Python {python}",
        help="tell which version this is, and end",
    )
    subparsers = parser.add_subparsers(
        dest="command", metavar="COMMAND", parser_class=_Parser
    )
    asked = parser
    for name, does in COMMANDS.items():
        command = subparsers.add_parser(
            name, help=does, description=does.capitalize() + ".", allow_abbrev=False
        )
        if name != first:
            continue
        asked = command
        for option in OPTIONS:
            # Two commands may give one name two meanings: each has a row of its own.
            if name in option.commands:
                command.add_argument(option.name, **option.given)
        _add_common_options(command)
    return parser, asked


def _add_common_options(parser: argparse.ArgumentParser) -> None:
    """What every command takes. They stand in a group of their own at the end of its help."""
    common = parser.add_argument_group("common")
    common.add_argument(
        "--config",
        metavar="FILE",
        type=Path,
        default=Path("pyproject.toml"),
        help="default: pyproject.toml",
    )
    common.add_argument(
        "--locale",
        action="append",
        default=[],
        help="only this locale (may be repeated)",
    )
    common.add_argument(
        "--jobs",
        metavar="N",
        type=_count,
        help="kernels at a time (default: one per core)",
    )
    common.add_argument(
        "--json", action="store_true", help="print the report as JSON to stdout"
    )
    common.add_argument(
        "-q", "--quiet", action="count", default=0, help="only warnings and errors"
    )
    common.add_argument(
        "-v", "--verbose", action="count", default=0, help="more detail"
    )
