"""adopt: bring translated copies of pages into the catalogues.

``adoption`` runs the command: it finds page, version and passages of each copy. ``copies`` reads
files, ``versions`` reads upstream's history, ``catalogs`` fills the catalogues. Code that needs no
files belongs in ``core/adoption``.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pipeline.commands.options import add_shared, run_of
from pipeline.commands.showing import print_text, report_changes, terminal
from pipeline.config import read_settings
from pipeline.errors import ConfigError
from pipeline.log import Log


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``adopt``."""
    parser.add_argument(
        "words",
        metavar="FILE | FOLDER | NAME",
        nargs="+",
        help="translated pages or catalogues; the upstream, if it is not the first one",
    )
    add_shared(parser, "--upstream", "--dry-run")
    parser.add_argument(
        "--page",
        metavar="PAGE",
        help="the page that the copies are of (default: found by itself)",
    )
    parser.add_argument(
        "--at",
        metavar="REF",
        help="the tag, branch or commit that they were made from (default: found by itself)",
    )
    parser.add_argument(
        "--author",
        metavar="NAME",
        default="",
        help="whose work it is; needed unless nothing is written",
    )
    parser.add_argument(
        "--license",
        metavar="ID",
        default="",
        help="under which licence it may be passed on: an SPDX id, like CC-BY-4.0",
    )
    parser.add_argument(
        "--audit",
        action="store_true",
        help="tell how old the copies are and what is wrong with them, and adopt nothing",
    )


def run_command(arguments: Namespace, log: Log) -> int:
    """Adopt the named files, print the report and return the exit code.

    One of the arguments may name the upstream. As for ``check``, a folder of that name is written
    ``./NAME``.
    """
    from pipeline.commands.adopt.adoption import AdoptOptions, adopt
    from pipeline.report.adoption import adoption_json, adoption_text

    upstreams = read_settings(arguments.config).upstreams
    names = [word for word in arguments.words if word in upstreams]
    files = tuple(word for word in arguments.words if word not in names)
    if len(names) > 1 or not files:
        raise ConfigError(
            "which copies are to be adopted, and into which upstream?",
            hint="Give files or folders, and at most one upstream: adopt page.ipynb NAME",
        )
    options = AdoptOptions(
        files=files,
        page=arguments.page,
        ref=arguments.at,
        author=arguments.author,
        licence=arguments.license,
        dry_run=arguments.dry_run,
        audit=arguments.audit,
    )
    result = adopt(run_of(arguments, log, names=names), options)
    if arguments.json:
        print_text(adoption_json(result))
    else:
        print_text(adoption_text(result, width=terminal().width))
    if not options.audit:
        report_changes(result, log)
    return result.exit_code
