"""``build/report.html``: the result of a run as one file that needs no other, for people.

Values go in, bytes come out. Every text goes through a template that escapes it; what is coloured
reaches the template as pieces with names of styles. Pages and catalogues are written by strangers:
nothing of theirs becomes markup, and the file's policy lets no script run but its own.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from pipeline.core.execution.notebook import cell_name
from pipeline.core.execution.result import Execution, Status
from pipeline.findings import Severity
from pipeline.report.advice import advice, whose
from pipeline.report.ansi import pieces
from pipeline.report.counts import counted, executed_by_class, percent_text, totals
from pipeline.report.result import RunResult
from pipeline.report.rows import rows_of
from pipeline.report.since import Previous, since
from pipeline.report.source import source_pieces
from pipeline.report.templating import asset, environment

if TYPE_CHECKING:
    from jinja2 import Environment

_WORDS = {  # after a count: "12 passed, 3 partly"
    Status.PASSED: "passed",
    Status.PARTIAL: "partly",
    Status.FAILED: "failed",
    Status.SKIPPED: "skipped",
}
_GITHUB = "https://github.com/"
_NOT_PLAIN = re.compile("[^A-Za-z0-9]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How many notebooks ended with a status, and which share of all that is, 0 to 100."""

    status: Status
    word: str
    count: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The run in one sentence, and whether it is ``good`` or ``bad``."""

    text: str
    tone: str


def to_html(result: RunResult, *, previous: Previous | None = None) -> bytes:
    """The whole file, UTF-8.

    ``previous`` is the report of the run before, if there is one.
    """
    runs = result.executions
    # The file may be opened from anywhere: its policy allows this one script, by its digest.
    script = asset("report.js")
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    values = {
        "result": result,
        "lock": result.lock,
        "rows": rows_of(result),
        "runs": runs,
        "verdict": _verdict(result),
        "locales": {locale: totals(pages) for locale, pages in result.pages.items()},
        "classes": executed_by_class(runs),
        "outcomes": _outcomes(runs),
        "failed": [run for run in runs if run.status is Status.FAILED],
        "cached": [run for run in runs if run.cached],
        "since": since(previous, result),
        "css": asset("report.css"),
        "script": script,
        "script_digest": base64.b64encode(digest).decode("ascii"),
    }
    text: str = _environment().get_template("report.html.j2").render(values)
    return text.encode("utf-8", "backslashreplace")


def _outcomes(runs: Sequence[Execution]) -> list[Outcome]:
    """Every status with its share, also one that no notebook ended with."""
    counts = Counter(run.status for run in runs)
    # Of no notebooks every share is 0.
    all_of_them = len(runs) or 1
    outcomes = []
    for status, word in _WORDS.items():
        count = counts[status]
        share = 100 * count / all_of_them
        outcome = Outcome(status=status, word=word, count=count, share=share)
        outcomes.append(outcome)
    return outcomes


def _verdict(result: RunResult) -> Verdict:
    """What a person wants to know first: whether there is anything to do."""
    statuses = Counter(run.status for run in result.executions)
    errors = sum(finding.severity is Severity.ERROR for finding in result.all_findings)
    failed, passed = statuses[Status.FAILED], statuses[Status.PASSED]
    # What fails the run comes first, then what kept it from being whole.
    problems = []
    if failed:
        problems.append(f"{counted(failed, 'notebook')} failed")
    if errors:
        problems.append(f"{counted(errors, 'error')} to look at")
    if problems:
        return Verdict(text=", ".join(problems), tone="bad")
    return Verdict(text=_good_news(passed, statuses.total()), tone="good")


def _good_news(passed: int, all_of_them: int) -> str:
    """A run in which nothing went wrong, in a sentence about its notebooks."""
    if not all_of_them:
        return "No code was run"
    if passed < all_of_them:
        # Some ran in part, or were skipped: that is no failure, and not "all passed" either.
        return "No notebook failed"
    if passed == 1:
        return "The notebook passed"
    return f"All {passed} notebooks passed"


# --- what the template asks of values


def _same(runs: Sequence[Execution]) -> str:
    """What can be said of the code of a run that ended as the last one did."""
    if not runs:
        return "no code was run"
    # Of a page that was skipped no cell ran either.
    if all(run.cached or not run.cells for run in runs):
        return "no code had to run again"
    return "every notebook ended as in the last run"


def _percent(done: tuple[int, int]) -> str:
    """A pair as ``64 %``: a filter of jinja gets one value."""
    part, whole = done
    return percent_text(part, whole)


def _duration(seconds: float) -> str:
    """Seconds as people read them: ``0.4 s``, ``12 s``, ``3 min 05 s``, ``2 h 07 min``."""
    # The limits lie where the rounded number gets another digit: 59.7 s is "1 min 00 s".
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def _commit_url(result: RunResult) -> str:
    """Where to look at the commit, if upstream is on GitHub."""
    # No other URL becomes a link: it might be of a scheme that runs something.
    url = result.lock.url.removesuffix("/").removesuffix(".git")
    if not url.startswith(_GITHUB):
        return ""
    return f"{url}/commit/{result.lock.commit}"


def _anchor(page: str) -> str:
    """A page's name as the id of an element, one id for one name: ``a/b`` → ``a-2f-b``."""
    # Any other character as its number: "a b" and "a-b" must not end as the same id.
    return _NOT_PLAIN.sub(lambda match: f"-{ord(match[0]):x}-", page)


@cache
def _environment() -> Environment:
    """The environment of the template, which is read once."""
    return environment(
        {
            "ansi": pieces,
            "python": source_pieces,
            "duration": _duration,
            "percent": _percent,
            "count": counted,
            "anchor": _anchor,
            "cell": cell_name,
            "same": _same,
            "advice": advice,
            "whose": whose,
            "commit_url": _commit_url,
        }
    )
