"""The command line: parse arguments, run one command, return its exit code.

``COMMANDS`` lists the commands. Each command is a module or package in ``commands``, or shares the
module of a similar command (``_MODULES``). The module declares the command's options in
``add_options``, and ``run_command`` runs it with the parsed arguments.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from functools import cache, partial
from importlib import import_module
from types import ModuleType
from typing import NoReturn

from pipeline import __version__
from pipeline.commands.console import (
    exit_code_of,
    language,
    show_result,
    terminated_like_interrupted,
)
from pipeline.commands.options import add_common
from pipeline.errors import ConfigError, did_you_mean
from pipeline.log import Log
from pipeline.report.result import RunResult

PROGRAM = "python -m pipeline"
# Descriptions of the commands, in the order of ``--help``: the most common ones come first.
COMMANDS = {
    "sync": "pull, split, update, merge, execute and report: the whole pipeline",
    "pull": "fetch upstream's English docs at the pinned release",
    "split": "update the catalogues to the pulled docs",
    "merge": "insert the translations into upstream's pages; the guard checks every page",
    "execute": "run the code cells of the merged notebooks",
    "build": "merge and execute at the current pin, without contacting upstream; CI runs this",
    "site": "build, then write the web site to build/site/",
    "verify-site": "prove that a published site differs from upstream only in prose",
    "upgrade": "move the pin and the docs to another release, and report the effects",
    "status": "show the progress and the pages to translate next, or all pages (--every-page); "
    "write nothing but badges (--badges)",
    "adopt": "take translated copies of pages, of any version, into the catalogues",
    "draft": "draft missing translations with a language model; people confirm them",
    "check": "find mistakes in the catalogues; --fix corrects those that need no judgement",
    "export": "write the catalogues for another editor, as POT and PO",
    "import": "take translations from another editor into the catalogues",
    "review": "show reviewers which translations a branch has changed",
    "memory": "prove that memory, catalogues and upstream agree; make git merge by entry",
    "serve": "translate in the browser, on the page itself, with checks and preview",
    "cache": "show, verify or clear the cached outputs of code",
    "init": "start a project that translates other docs (see docs/your-own-docs.md)",
}
# The modules that are not named like their command; "import" is a keyword of Python.
_MODULES = {
    "import": "import_",
    "merge": "build",
    "execute": "build",
    "split": "update",
    "sync": "pull",
}
_BEFORE_COMMANDS = ("-h", "--help", "-V", "--version")


class _Parser(argparse.ArgumentParser):
    """Argument parser that raises ConfigError, where argparse would print its usage and exit."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(message, hint=f"See: {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code (see docs/command-line.md).

    Only ``--help`` and ``--version`` raise SystemExit.
    """
    # Collect cyclic garbage less often than by default. This saves time, because a run produces
    # little cyclic garbage. mypy does the same.
    gc.set_threshold(1_000_000, 20, 20)
    complete()
    words = sys.argv[1:] if argv is None else argv
    with terminated_like_interrupted():
        return exit_code_of(partial(_parse_and_run, words), verbose=False)


def _parse_and_run(words: Sequence[str]) -> int:
    arguments = parse(words)
    return exit_code_of(partial(_run, arguments), verbose=arguments.verbose > 0)


def _run(arguments: argparse.Namespace) -> int:
    """Run the command of parsed arguments; return its exit code."""
    # "-vv" means the same as "-v". "-q" and "-v" together cancel each other.
    level = max(-1, min(1, arguments.verbose - arguments.quiet))
    log = Log(level, sentence=language().sentence)
    command = _module_of(arguments.command)
    if getattr(arguments, "every", False):
        from pipeline.commands.every import run_on_every

        return run_on_every(command.run_command, arguments, log)
    result = command.run_command(arguments, log)
    if isinstance(result, RunResult):
        show_result(arguments, result, log)
        return result.exit_code
    return int(result)


def _module_of(command: str) -> ModuleType:
    """Import and return the module of a command."""
    name = _MODULES.get(command, command.replace("-", "_"))
    return import_module(f"pipeline.commands.{name}")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the parsed command line.

    Raises ConfigError for an unknown word; its hint suggests the nearest known word.
    """
    _check_first_word(argv)
    parser, command = _parsers(*argv[:1])
    if not argv:
        parser.error("which command?")
    if argv[0] in _BEFORE_COMMANDS:
        parser.parse_args(argv)
    words = argv[1:]
    # Allow options between positional arguments. If there is a "--", all words after it are
    # positional, and argparse must parse the words in order.
    parse_words = command.parse_known_intermixed_args
    if "--" in words:
        parse_words = command.parse_known_args
    arguments, unknown = parse_words(words)
    # Handle unknown arguments here: argparse would print its own message and exit.
    if unknown:
        # Suggest only options of this command.
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
    """Print completions, if a shell asks for them with the variable ``_ARGCOMPLETE``."""
    if "_ARGCOMPLETE" not in os.environ:
        return
    import argcomplete

    words = os.environ.get("COMP_LINE", "").split()
    command = next((word for word in words if word in COMMANDS), "")
    argcomplete.autocomplete(_parsers(command)[0])


def _check_first_word(argv: Sequence[str]) -> None:
    """Raise ConfigError unless the first word is a command or a general option.

    The hint of the error suggests the nearest command. argparse would only list all commands.
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
    """Return the main parser, and the parser of the command ``first``.

    If ``first`` is not a command, return the main parser twice. Only the parser of ``first`` has
    options: each command's module declares its options, and importing all modules is slow.
    """
    # Forbid abbreviations such as "--no-e": a new option could make them ambiguous.
    parser = _Parser(
        prog=PROGRAM,
        description="Keeps translated docs up to date: "
        "pulls the English, merges the Chinese, runs the code.",
        allow_abbrev=False,
    )
    python = ".".join(map(str, sys.version_info[:3]))
    parser.add_argument(
        "-V",
        "--version",
        action="version",
        version=f"jax-docs-zh {__version__}, Python {python}",
        help="print the version and exit",
    )
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    asked = parser
    for name, does in COMMANDS.items():
        command = subparsers.add_parser(
            name,
            help=does,
            description=f"{does[0].upper()}{does[1:]}.",
            allow_abbrev=False,
        )
        if name == first:
            asked = command
            command.set_defaults(command=name)
            _module_of(name).add_options(command)
            add_common(command)
    return parser, asked
