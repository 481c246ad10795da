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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from pipeline.core.execution.notebook import cell_name
from pipeline.core.execution.result import Execution, Status
from pipeline.core.results import PageResult
from pipeline.findings import Finding, Severity
from pipeline.log import printable
from pipeline.report.advice import advice, whose
from pipeline.report.colours import pieces, source_pieces
from pipeline.report.counts import counted, executed_by_class, percent_text, totals
from pipeline.report.json import Previous, since
from pipeline.report.result import RunResult

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def asset(name: str) -> str:
    """A template, a style sheet or a script, as text; each is read once."""
    return (resources.files("pipeline.report") / "templates" / name).read_text("utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A code cell that ran: its number from 1, and its seconds as a share of the slowest one's."""

    number: int
    seconds: float
    share: float  # 0 to 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One page over all locales. ``done`` is by locale: finished messages, and messages."""

    page: str
    title: str
    language: str  # of the title, as HTML wants it
    done: Mapping[str, tuple[int, int]]
    findings: tuple[Finding, ...]
    run: Execution | None = None
    share: float = 0.0  # of the seconds that the slowest page took, 0 to 100
    cells: tuple[Cell, ...] = ()

    @property
    def state(self) -> str:
        """What the page counts as."""
        return str(self.run.status) if self.run else "plain"


def rows_of(result: RunResult) -> list[Row]:
    """The pages of all locales, in their order."""
    # A locale may lack pages, so the order is that of the first locale that has each.
    by_page: dict[str, dict[str, PageResult]] = {}
    for locale, pages in result.pages.items():
        for page in pages:
            by_page.setdefault(page.page, {})[locale] = page
    # The bars of all rows have one scale: the page that took longest has a full one.
    longest = max((run.seconds for run in result.executions), default=0.0)
    return [_row(versions, longest=longest) for versions in by_page.values()]


def _row(versions: Mapping[str, PageResult], *, longest: float) -> Row:
    """The row of a page, which is the same in all locales but for its title and translation."""
    locale, page = next(iter(versions.items()))
    # What two locales share is told once: findings about the English, and the run of the code.
    findings: dict[Finding, None] = {}
    done: dict[str, tuple[int, int]] = {}
    for name, version in versions.items():
        findings |= dict.fromkeys(version.findings)
        done[name] = (version.translated, version.messages)
    row = Row(
        page=page.page,
        title=page.title,
        # A title without a single foreign letter has not been translated.
        language="en" if page.title.isascii() else locale.replace("_", "-"),
        done=done,
        findings=tuple(findings),
    )
    runs = [version.execution for version in versions.values() if version.execution]
    if not runs:
        return row
    run = runs[0]
    return replace(
        row,
        run=run,
        share=_share(run.seconds, longest),
        cells=_cells(run),
    )


def _cells(run: Execution) -> tuple[Cell, ...]:
    """The code cells of a page that ran, in their order."""
    slowest = max(run.cell_seconds, default=0.0)
    cells = []
    # They are numbered among code cells that ran, not among all cells of the notebook.
    for number, seconds in enumerate(run.cell_seconds, start=1):
        cells.append(
            Cell(number=number, seconds=seconds, share=_share(seconds, slowest))
        )
    return tuple(cells)


def _share(seconds: float, longest: float) -> float:
    """``seconds`` in percent of the longest; 0 if nothing took any time."""
    if not longest:
        return 0.0
    return 100 * seconds / longest


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
    return render("report.html.j2", values)


def render(template: str, values: Mapping[str, object]) -> bytes:
    """Return a template with its values filled in, UTF-8."""
    text: str = _environment().get_template(template).render(values)
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


def _visible(value: object) -> object:
    """What a template prints of ``value``: control characters are shown as Python writes them.

    Texts of the template's own (they have ``__html__``) stay as they are.
    """
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return printable(value)
    return value


@cache
def _environment() -> Environment:
    """Return the environment of all templates, which reads each of them once."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        autoescape=True,  # no text becomes markup
        finalize=_visible,
        loader=FunctionLoader(asset),
        # Tags of the template on lines of their own leave no empty lines in the page.
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,  # a name that is misspelt fails a test
    )
    made.filters |= {
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
    return made
