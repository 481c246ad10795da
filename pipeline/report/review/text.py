"""A review on a terminal: how much there is of what on which page, and what is lacking.

The texts themselves are in the HTML: two languages side by side want more room than a terminal has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pipeline.findings import Severity
from pipeline.log import printable
from pipeline.report.chinese import ENGLISH, Language
from pipeline.report.counts import counted
from pipeline.report.review.result import PageReview, Review
from pipeline.report.review.wording import (
    between,
    counts_line,
    lacking_line,
    quiet_line,
    title,
)


def review_text(review: Review, language: Language = ENGLISH) -> str:
    """A line for each page, and what is to be said of all of them."""
    lines = [f"{title(review)},", f"  {between(review)}"]
    lines += (f"  {_page_line(page)}" for page in review.pages)
    if review.counts:
        lines.append(f"In all: {counts_line(review)}")
    for problem in map(language.finding, review.problems):
        severity = language.labels.severities[problem.severity]
        lines.append(f"{severity}: {problem.place}: {problem.text}")
        lines.append(f"  {problem.hint}")
    lines += filter(None, (quiet_line(review), lacking_line(review)))
    told = map(language.sentence, lines)
    return "".join(f"{printable(line)}\n" for line in told)


def _page_line(page: PageReview) -> str:
    """What there is on a page: ``guide/start: translated 9, changed 3; 2 errors``."""
    happened = Counter(message.happened for message in page.messages)
    line = ", ".join(f"{kind} {count}" for kind, count in happened.items())
    findings = list(_counts_of_findings(page))
    told = f"; {', '.join(findings)}" if findings else ""
    return f"{page.page} ({page.locale}): {line}{told}"


def _counts_of_findings(page: PageReview) -> Iterator[str]:
    """How many errors and warnings the checks have found on a page."""
    counts: Counter[Severity] = Counter()
    for message in page.messages:
        counts.update(finding.severity for finding in message.findings)
    for severity in (Severity.ERROR, Severity.WARNING):
        if counts[severity]:
            yield counted(counts[severity], severity.value)
