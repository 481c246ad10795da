"""check: find mistakes in translations. It needs only catalogues, not the English docs.

``checker`` selects the catalogues and runs the checks with the right glossary. ``files`` reads and
fixes one catalogue; it also checks the header and the layout. ``entries`` runs the checks on the
entries of many files. Among these may be files of the memory, which hold digests in place of the
English.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pipeline.commands.console import print_in_form, terminal
from pipeline.commands.options import add_shared, locales_of
from pipeline.config.reader import read_settings
from pipeline.core.document.message import Markup
from pipeline.log import Log

FORMATS = ("text", "json", "sarif", "github")
_MARKUPS = {"markdown": Markup.MARKDOWN, "rst": Markup.RST}


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``check``."""
    parser.add_argument(
        "words",
        metavar="FILE | FOLDER | NAME",
        nargs="*",
        help="catalogues, or those of an upstream (default: all)",
    )
    add_shared(parser, "--release", "--pages")
    parser.add_argument(
        "--fix",
        action="store_true",
        help="fix what needs no judgement, and show the changes",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="also exit with 1 if there are only warnings",
    )
    parser.add_argument(
        "--markup",
        choices=tuple(_MARKUPS),
        help="the markup in catalogues of other projects (default: guessed from their references)",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="text for people, json for programs, sarif for code scanning, github for CI logs",
    )


def run_command(arguments: Namespace, log: Log) -> int:
    """Check files of any project, print the findings and return the exit code."""
    from pipeline.commands.check.checker import Scope, check, choose
    from pipeline.report.check import render

    # Without arguments, check all catalogues of the project. Only the configuration names them.
    is_needed = not arguments.words or arguments.release is not None
    settings = read_settings(arguments.config, needed=is_needed)
    words = arguments.words
    if arguments.release is not None:
        names = words or [None]
        words = [settings.release(name, arguments.release).name for name in names]
    scope = Scope(
        settings=settings,
        locales=locales_of(arguments, settings),
        markup=_MARKUPS.get(arguments.markup),
    )
    files = choose(scope, words, tuple(arguments.pages))
    result = check(files, settings, log=log, fix=arguments.fix, strict=arguments.strict)
    form = "json" if arguments.json else arguments.format
    print_in_form(render(result, form, terminal(), level=log.level), form)
    return result.exit_code
