"""The pages that a run is about: selected by the configuration, and named on the command line.

Patterns go in. One that matches no page is an error: whoever wrote it would wait for what it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.config import matches
from pipeline.core.pin.lock import Lock, Page, names_at_risk
from pipeline.errors import ConfigError, did_you_mean_any
from pipeline.findings import Finding
from pipeline.run import Run

_NAMED = 3  # pages that are named as examples
_HOW = "Pages are named by their path without suffix; * stands for anything."


def pages_of_run(run: Run, lock: Lock) -> tuple[Page, ...]:
    """The pages of ``lock`` that the configuration selects and the command line asks for.

    They are sorted by name, which is the order of every report.
    Raises ConfigError for a pattern of the command line that matches none of them.
    """
    pages = lock.pages
    selected = [page for page in pages if run.upstream.selects(page.name)]
    names = [page.name for page in selected]
    # Without patterns a run may well have no page: upstream may be empty so far.
    for pattern in unmatched(run.pages, names):
        raise ConfigError(
            f"no page of {run.name!r} matches {pattern!r}",
            hint=f"{_meant(pattern, names)}{_HOW}",
        )
    asked = {name for name in names if run.asks_for(name)}
    # A page and what it includes are shown together.
    for included in lock.included:
        group = {included.page, *included.within}
        if group & asked:
            asked |= group
    return tuple(page for page in selected if page.name in asked)


def rule_findings(run: Run, lock: Lock) -> tuple[Finding, ...]:
    """Rules about running code that are about no page of ``lock``: errors of the configuration.

    Either a name is misspelt, and the page runs as if there were no rule; or upstream has dropped
    the page, and the rule tells people what is no longer true.
    """
    names = [page.name for page in lock.pages]
    findings = []
    for table, pattern in _patterns(run):
        if unmatched([pattern], names):
            error = ConfigError(
                f"{pattern!r} matches no page of {run.name} {lock.ref}".rstrip(),
                where=f"tool.pipeline.upstreams.{run.name}.{table}",
                hint=f"{_meant(pattern, names)}Mend the rule, or remove it.",
            )
            findings.append(Finding.of(error))
    return tuple(findings)


def name_findings(run: Run, lock: Lock) -> tuple[Finding, ...]:
    """Return what is wrong with names of upstream's files; nothing for a run of a few pages."""
    if run.pages:
        return ()
    return tuple(names_at_risk(lock, run.upstream.selects))


def unmatched(patterns: Sequence[str], names: Sequence[str]) -> list[str]:
    """Those of ``patterns`` that match none of ``names``."""
    return [
        pattern
        for pattern in patterns
        if not any(matches(name, (pattern,)) for name in names)
    ]


def _patterns(run: Run) -> Iterator[tuple[str, str]]:
    """The patterns of all rules about single pages, each with its table."""
    yield from (("partly", pattern) for pattern, _ in run.upstream.reading.partly)
    for skip in run.upstream.skip:
        yield from (("skip", pattern) for pattern in skip.pages)
    for rule in run.upstream.run:
        yield from (("run", pattern) for pattern in rule.pages)
    for acknowledgement in run.upstream.acknowledge:
        yield "acknowledge", acknowledgement.page


def _meant(pattern: str, names: Sequence[str]) -> str:
    """The names that are near; some if none is, so that people see what names are like."""
    meant = did_you_mean_any(pattern, names)
    if meant or not names:
        return meant
    return f"For example: {', '.join(names[:_NAMED])}. "
