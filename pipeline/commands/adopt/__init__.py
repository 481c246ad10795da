"""adopt: add other people's translations of upstream's pages to the catalogues.

A *copy* is a page that somebody has translated outside this project: a notebook, a web page, a text
file, or a catalogue. The copy was made from some version of the page, usually an older one.
``adoption`` runs the command: it finds the page and the version, and pairs the copy's passages with
the messages of that version. ``copy_files`` reads copies, ``versions`` reads upstream's history,
``catalogs`` fills the catalogues. Code that needs no files belongs in ``core/adoption``.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pipeline.commands.console import print_text, report_changes, terminal
from pipeline.commands.options import add_shared, run_of
from pipeline.config.reader import read_settings
from pipeline.errors import ConfigError
from pipeline.log import Log


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``adopt``."""
    parser.add_argument(
        "words",
        metavar="FILE | FOLDER | NAME",
        nargs="+",
        help="translated pages or catalogues; also the upstream, if it is not the first one",
    )
    add_shared(parser, "--upstream", "--dry-run")
    parser.add_argument(
        "--page",
        metavar="PAGE",
        help="the page that the copies translate (default: detected)",
    )
    parser.add_argument(
        "--at",
        metavar="REF",
        help="the tag, branch or commit that the copies were made from (default: detected)",
    )
    parser.add_argument(
        "--author",
        metavar="NAME",
        default="",
        help="the translator; required unless --dry-run or --audit is given",
    )
    parser.add_argument(
        "--license",
        metavar="ID",
        default="",
        help="the licence of the translation, as SPDX id, like CC-BY-4.0; required like --author",
    )
    parser.add_argument(
        "--audit",
        action="store_true",
        help="report the age and the mistakes of the copies, and adopt nothing",
    )


def run_command(arguments: Namespace, log: Log) -> int:
    """Adopt the named files, print the report and return the exit code.

    An argument equal to the name of an upstream names that upstream. To name a folder that is
    called the same, write ``./NAME``.
    """
    from pipeline.commands.adopt.adoption import AdoptOptions, adopt
    from pipeline.report.adoption import adoption_json, adoption_text

    upstreams = read_settings(arguments.config).upstreams
    names = [word for word in arguments.words if word in upstreams]
    files = tuple(word for word in arguments.words if word not in names)
    if len(names) > 1 or not files:
        raise ConfigError(
            "adopt needs copies to adopt, and at most one upstream",
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
