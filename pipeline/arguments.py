"""The words of the command line: which commands and options there are, and what they are told apart by."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from pipeline.core.execution.shards import parse_shard
from pipeline.errors import ConfigError

COMMANDS = {
    "sync": "pull, split, update, merge, execute and report: the whole job",
    "pull": "fetch upstream's English docs at the pinned release",
    "split": "bring the catalogues up to date with what was pulled",
    "merge": "put the translations into upstream's pages, guarded",
    "execute": "run the code cells of the merged notebooks",
    "build": "merge and execute at the current pin, without touching upstream: what CI runs",
    "site": "build, then make the web site: build/site/",
    "upgrade": "move to another JAX release, pin and docs together, and tell what that means",
    "status": "show per page what is translated, fuzzy and untranslated; writes nothing but badges, if asked to",
    "check": "look for mistakes in the catalogues, and mend what can be mended if asked to",
    "memory": "prove that memory, catalogues and upstream agree; writes nothing",
    "cache": "tell about the outputs of code that ran, prove them or forget them",
    "report": "make one report of those of several machines",
}
PULLING = ("sync", "pull")
EXECUTING = ("sync", "execute", "build", "site")
READING = ("status", "memory")
ACTIONS = {"memory": ("verify",), "cache": ("stats", "clear", "verify"), "report": ("merge",)}
FORMATS = ("text", "json", "sarif", "github")


class _Parser(argparse.ArgumentParser):
    """argparse, with our exit code, shape of message and suggestions."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(message, hint=f"See: {self.prog} --help")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command line as a namespace. Raises ConfigError, with the nearest word that is known."""
    if argv and not argv[0].startswith("-") and argv[0] not in COMMANDS:
        raise ConfigError(
            f"no command is called {argv[0]!r}",
            hint=f"{near(argv[0], COMMANDS)}Commands: {', '.join(COMMANDS)}.",
        )
    if argv and argv[0].startswith("-") and argv[0] not in ("-h", "--help"):
        raise ConfigError(
            f"{argv[0]!r} comes before the command",
            hint="Options come after it: python -m pipeline sync -v",
        )
    parser, commands = _parsers()
    arguments, unknown = parser.parse_known_args(argv)
    if arguments.command is None:
        parser.error("which command?")
    if unknown:
        known = [
            option
            for action in commands[arguments.command]._actions
            for option in action.option_strings
        ]
        hint = f"{near(unknown[0].partition('=')[0], known)}See: python -m pipeline {arguments.command} --help"
        raise ConfigError(f"{arguments.command} does not know {unknown[0]!r}", hint=hint)
    return arguments


def _parsers() -> tuple[_Parser, dict[str, _Parser]]:
    description = (
        "Keeps translated JAX docs alive: pulls the English, merges the Chinese, runs the code."
    )
    parser = _Parser(prog="python -m pipeline", description=description, allow_abbrev=False)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    commands = {}
    for name, does in COMMANDS.items():
        commands[name] = command = subparsers.add_parser(
            name, help=does, description=does.capitalize() + ".", allow_abbrev=False
        )
        _add_own_options(command, name)
        _add_common_options(command)
    return parser, commands


def _add_own_options(parser: argparse.ArgumentParser, name: str) -> None:
    if name == "upgrade":
        parser.add_argument(
            "target",
            metavar="REF",
            help="a release (jax-v0.10.2), a JAX version (0.10.2), any ref with --jax, or: latest",
        )
    if name in ACTIONS:
        parser.add_argument("action", choices=ACTIONS[name], help="what to do with it")
    if name == "check":
        parser.add_argument(
            "words",
            metavar="FILE | FOLDER | NAME",
            nargs="*",
            help="catalogues, or those of an upstream (default: all)",
        )
    elif name == "report":
        parser.add_argument(
            "words", metavar="FILE", nargs="+", help="the report.json of each machine"
        )
    elif name != "cache":
        parser.add_argument(
            "words",
            metavar="NAME",
            nargs="?",
            help="the upstream (default: the first one configured)",
        )
    if name in (*PULLING, "upgrade", "status"):
        parser.add_argument(
            "--upstream",
            metavar="URL",
            help="pull from this URL, bundle, repository or folder instead",
        )
    if name in PULLING:
        parser.add_argument("--ref", help="pull this tag, branch or commit instead")
    if name not in ("pull", "upgrade", "site", *ACTIONS):
        parser.add_argument(
            "--pages",
            metavar="GLOB",
            nargs="+",
            action="extend",
            default=[],
            help="only these pages",
        )
    if name in (*EXECUTING, "upgrade"):
        parser.add_argument(
            "--summary",
            metavar="FILE",
            type=Path,
            help="add to this file, in Markdown, what GitHub's summary shows",
        )
    if name in EXECUTING:
        _add_execution_options(parser, name)
    _add_standing_options(parser, name)
    _add_check_options(parser, name)
    if name not in (*READING, *ACTIONS, "check", "site"):
        parser.add_argument(
            "--check",
            action="store_true",
            help="write nothing, exit 1 if something would be written",
        )


def _add_execution_options(parser: argparse.ArgumentParser, name: str) -> None:
    if name != "execute":
        parser.add_argument(
            "--no-execute", dest="execute", action="store_false", help="do not run code cells"
        )
    parser.add_argument(
        "--retry-failed", action="store_true", help="run again what failed the last time"
    )
    parser.add_argument(
        "--no-cache", dest="use_cache", action="store_false", help="run everything again"
    )
    parser.add_argument(
        "--offline",
        action=argparse.BooleanOptionalAction,
        help="no network for code (default: where CI is set)",
    )
    if name != "site":  # it shows all pages
        parser.add_argument(
            "--shard",
            metavar="I/N",
            type=parse_shard,
            help="run only the I-th of N parts of the pages",
        )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        default="",
        help="run the pages on the Dask cluster at tcp://…",
    )


def _add_standing_options(parser: argparse.ArgumentParser, name: str) -> None:
    if name == "upgrade":
        parser.add_argument(
            "--jax",
            metavar="VERSION",
            help="the JAX version that goes with a ref that is no release",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="tell what it means, write nothing"
        )
        parser.add_argument(
            "--no-execute",
            dest="execute",
            action="store_false",
            help="for nox: do not run code cells on the new JAX",
        )
    if name == "site":
        parser.add_argument(
            "--show-fuzzy",
            action="store_true",
            help="show translations that wait for a person, marked",
        )
    if name == "status":
        parser.add_argument(
            "--against",
            metavar="REF",
            help="also tell how far the pin is behind this tag, branch or commit",
        )
        parser.add_argument("--badges", action="store_true", help="write build/badges/")


def _add_check_options(parser: argparse.ArgumentParser, name: str) -> None:
    if name == "check":
        parser.add_argument(
            "--fix",
            action="store_true",
            help="mend what needs no judgement, and show what was changed",
        )
        parser.add_argument("--strict", action="store_true", help="end with 1 for warnings too")
        parser.add_argument(
            "--format",
            choices=FORMATS,
            default="text",
            help="for people, programs, code scanning, or GitHub's log",
        )


def _add_common_options(parser: argparse.ArgumentParser) -> None:
    common = parser.add_argument_group("common")
    common.add_argument(
        "--config",
        metavar="FILE",
        type=Path,
        default=Path("pyproject.toml"),
        help="default: pyproject.toml",
    )
    common.add_argument(
        "--locale", action="append", default=[], help="only this locale (may be repeated)"
    )
    common.add_argument(
        "--jobs", metavar="N", type=_count, help="kernels at a time (default: one per core)"
    )
    common.add_argument("--json", action="store_true", help="print the report as JSON to stdout")
    common.add_argument("-q", "--quiet", action="count", default=0, help="only warnings and errors")
    common.add_argument("-v", "--verbose", action="count", default=0, help="more detail")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r}")
    return int(text)


def near(word: str, known: Iterable[str]) -> str:
    """``Did you mean …?`` with a space after it, or nothing."""
    words = difflib.get_close_matches(word, list(known), n=1)
    return f"Did you mean {words[0]!r}? " if words else ""
