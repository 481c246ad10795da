"""site: build, then make the web site of what was built.

The site of every locale is made from its merged pages and the outputs of code, not from the
preview. What it has to say joins the findings of the build.
"""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from pipeline import packages
from pipeline.commands.build import BuildOptions, build_pulled
from pipeline.commands.holding import only_this_run
from pipeline.errors import PublishError
from pipeline.report.result import RunResult
from pipeline.run import Run
from pipeline.stages.pull.stage import read_pulled


def site(run: Run, options: BuildOptions, *, show_fuzzy: bool) -> RunResult:
    """Build, and write the site of every locale.

    With ``show_fuzzy`` it shows translations that wait for a person, marked. Raises PublishError if
    what makes sites is not installed.
    """
    lacking = packages.missing("site")
    if lacking:
        raise PublishError(
            f"no site can be made: {packages.names(lacking)} not installed",
            hint=packages.how_to_install("site"),
        )
    from pipeline.site.building import build_site  # loads what makes pages of templates

    # Told by the command line, and part of how a site looks: it is made anew if this changes.
    policy = structs.replace(run.upstream.site, show_fuzzy=show_fuzzy)
    with only_this_run(run):
        lock = read_pulled(run)
        # The site has its own pages: nobody looks at the plain ones beside it.
        if options.last == "publish":
            options = replace(options, last="execute")
        result = build_pulled(run, options, lock)
        # What is wrong with one page is a finding: the other pages may do.
        findings, changes = result.findings, result.changes
        for locale, pages in result.pages.items():
            built = build_site(run, pages, lock=lock, locale=locale, policy=policy)
            findings += built.findings
            changes += built.changes
    return replace(result, findings=findings, changes=changes)
