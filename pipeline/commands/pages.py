"""Selection of pages by the configuration and by the patterns of ``--pages``.

A pattern that matches no page is an error, because a typo would otherwise select nothing, silently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.config.settings import matches
from pipeline.core.pin.lock import REFERENCE, Lock, Page, is_reference, names_at_risk
from pipeline.errors import ConfigError, did_you_mean_any
from pipeline.findings import Finding
from pipeline.run import Run

_NAMED = 3  # pages listed as examples in an error
_HOW = "Pages are named by their path without suffix; * stands for anything."


def pages_of_run(run: Run, lock: Lock) -> tuple[Page, ...]:
    """Return the pages of ``lock`` that the configuration and the command line select.

    The pages are sorted by name, also in reports. Raises ConfigError for a pattern of the command
    line that matches no page.
    """
    pages = lock.pages
    selected = [page for page in pages if run.upstream.selects(page.name)]
    names = [page.name for page in selected]
    # Without patterns, an empty selection is no error: upstream may have no page yet.
    for pattern in unmatched(run.pages, names):
        raise ConfigError(
            f"no page of {run.name!r} matches {pattern!r}",
            hint=f"{_meant(pattern, names)}{_HOW}",
        )
    asked = {name for name in names if run.selects(name)}
    # An included page appears within another one, so both are selected together.
    for included in lock.included:
        group = {included.page, *included.within}
        if group & asked:
            asked |= group
    # The docstrings on a page have their own catalogue: those on ``faq`` are in ``_api/faq``. To
    # select one of these two pages selects the other, too.
    for name in filter(is_reference, names):
        pair = {name, name.removeprefix(f"{REFERENCE}/")}
        if pair & asked:
            asked |= pair
    return tuple(page for page in selected if page.name in asked)


def rule_findings(run: Run, lock: Lock) -> tuple[Finding, ...]:
    """Return an error for each execution rule that matches no page of ``lock``.

    Either the rule has a typo and has no effect, or upstream has dropped the page.
    """
    names = [page.name for page in lock.pages]
    findings = []
    for table, pattern in _patterns(run):
        if unmatched([pattern], names):
            error = ConfigError(
                f"{pattern!r} matches no page of {run.name} {lock.ref}".rstrip(),
                where=f"tool.pipeline.upstreams.{run.name}.{table}",
                hint=f"{_meant(pattern, names)}Correct the rule, or remove it.",
            )
            findings.append(Finding.of(error))
    return tuple(findings)


def docs_findings(run: Run, lock: Lock) -> Iterator[Finding]:
    """Yield findings about upstream's file names that cause problems on some systems.

    A run of a few pages (``--pages``) reports none. If an API reference is configured but its
    docstrings are not pulled yet, yield a warning.
    """
    if not run.pages:
        yield from names_at_risk(lock, run.upstream.selects)
    has_reference = any(is_reference(file.path) for file in lock.files)
    if run.upstream.reference is not None and not has_reference:
        release = run.release or run.name
        yield Finding.from_table("reference-waits", where=run.name, release=release)


def unmatched(patterns: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the ``patterns`` that match none of ``names``."""
    return [pattern for pattern in patterns if not any(matches(name, (pattern,)) for name in names)]


def _patterns(run: Run) -> Iterator[tuple[str, str]]:
    """Yield each page pattern in the configuration's rules, after the name of the rule's table."""
    yield from (("partly", pattern) for pattern, _ in run.upstream.reading.partly)
    for skip in run.upstream.skip:
        yield from (("skip", pattern) for pattern in skip.pages)
    for rule in run.upstream.run:
        yield from (("run", pattern) for pattern in rule.pages)
    for acknowledgement in run.upstream.acknowledge:
        yield "acknowledge", acknowledgement.page


def _meant(pattern: str, names: Sequence[str]) -> str:
    """Return a hint with similar names, or with examples of page names if none is similar."""
    meant = did_you_mean_any(pattern, names)
    if meant or not names:
        return meant
    # Guides are better examples than the thousand pages of a reference.
    examples = sorted(names, key=is_reference)[:_NAMED]
    return f"For example: {', '.join(examples)}. "
