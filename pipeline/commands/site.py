"""site: build, then generate the web site.

Sphinx makes the site of each locale from the merged pages and the outputs of their code. ``build``
also renders a preview, which is stand-alone HTML of each page. The site does not contain this
preview.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from msgspec.structs import replace

from pipeline import packages
from pipeline.commands.build import BuildOptions, build_options, build_pulled
from pipeline.commands.options import RUNNING, add_shared, run_of
from pipeline.commands.run_lock import run_lock
from pipeline.errors import PublishError
from pipeline.log import Log
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``site``."""
    add_shared(parser, "name", "--release", "--pages", "--summary", "--no-execute", *RUNNING)
    parser.add_argument(
        "--show-fuzzy",
        action="store_true",
        help="also show fuzzy translations, which nobody has confirmed yet, with a mark",
    )
    add_shared(parser, "--all")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Build the site of one upstream."""
    run = run_of(arguments, log)
    options = build_options(arguments, run)
    return site(run, options, show_fuzzy=arguments.show_fuzzy)


def site(run: Run, options: BuildOptions, *, show_fuzzy: bool) -> RunResult:
    """Build, write the site of every locale, and return the result with the site's findings.

    With ``show_fuzzy``, the site also shows fuzzy translations, with a mark. Raises PublishError if
    the packages for sites are not installed.
    """
    lacking = packages.missing("site")
    if lacking:
        raise PublishError(
            f"no site can be made: {packages.names(lacking)} not installed",
            hint=packages.how_to_install("site"),
        )
    from pipeline.site.build import build_site  # loads the template engine

    # The option becomes part of the site's policy. So all pages are rendered again if the option
    # has changed.
    policy = replace(run.upstream.site, show_fuzzy=show_fuzzy)
    with run_lock(run):
        lock = read_pulled(run)
        # Skip the preview, because the site has its own pages.
        if options.last == "publish":
            options = replace(options, last="execute")
        result = build_pulled(run, options, RunResult.of(run, lock))
        # A problem with one page is a finding; the other pages are still written.
        findings, changes = result.findings, result.changes
        for locale, pages in result.pages.items():
            rows = (*pages, *result.reference.get(locale, ()))
            built = build_site(run, rows, lock=lock, locale=locale, policy=policy)
            findings += built.findings
            changes += built.changes
    return replace(result, findings=findings, changes=changes)
