"""``build/report.html``: the result of a run as one file that needs no other, for people. Values in, bytes out.

Every text goes through a template that escapes it; what is coloured reaches the template as pieces with names of styles.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from pipeline.core.execution.result import Execution, Status
from pipeline.core.results import PageResult
from pipeline.findings import Finding, Severity
from pipeline.log import printable
from pipeline.report import ansi
from pipeline.report.advice import advice, whose
from pipeline.report.result import RunResult
from pipeline.report.results import executed_by_class, percent, totals
from pipeline.report.since import Since, since
from pipeline.report.timeline import timeline

if TYPE_CHECKING:
    from jinja2 import Environment

_WORDS = {
    Status.PASSED: "passed",
    Status.PARTIAL: "partly",
    Status.FAILED: "failed",
    Status.SKIPPED: "skipped",
}
_GROUPS = (  # types of Pygments' tokens → names of styles; the first that fits
    ("Comment", "comment"),
    ("Keyword", "keyword"),
    ("Operator.Word", "keyword"),
    ("Literal.String", "string"),
    ("Literal.Number", "number"),
    ("Name.Function", "name"),
    ("Name.Class", "name"),
    ("Name.Decorator", "name"),
    ("Name.Builtin", "builtin"),
    ("Name.Exception", "builtin"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One page over all locales. ``done`` is by locale: finished messages, and messages."""

    page: str
    title: str
    language: str
    done: Mapping[str, tuple[int, int]]
    findings: tuple[Finding, ...]
    run: Execution | None
    share: float  # of the seconds that the slowest page took, 0 to 100
    cells: tuple[
        tuple[int, float, float], ...
    ]  # number, seconds, and share of the slowest cell of the page
    elsewhere: bool  # its code belongs to another shard

    @property
    def state(self) -> str:
        """What the page counts as."""
        return str(self.run.status) if self.run else "elsewhere" if self.elsewhere else "plain"


def to_html(
    result: RunResult, *, previous: object = None, shard: tuple[int, int] | None = None
) -> bytes:
    """The whole file, UTF-8. ``previous`` is the report.json of the run before as a plain value, if there is one."""
    runs = result.executions
    rows = _rows(result, elsewhere=shard is not None)
    script = _asset("report.js")
    values = {
        "result": result,
        "lock": result.lock,
        "shard": shard,
        "rows": rows,
        "runs": runs,
        "verdict": _verdict(result, runs),
        "locales": {locale: totals(pages) for locale, pages in result.pages.items()},
        "classes": executed_by_class(runs),
        "outcomes": _outcomes(runs),
        "failed": [run for run in runs if run.status is Status.FAILED],
        "timeline": timeline(runs),
        "since": since(previous, result),
        "css": _asset("report.css"),
        "script": script,
        "script_digest": base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode(
            "ascii"
        ),
    }
    text: str = _environment().get_template("report.html.j2").render(values)
    return text.encode("utf-8", "backslashreplace")


def source_pieces(source: str) -> list[ansi.Piece]:
    """Python source as pieces of text with the name of a style."""
    from pygments.lexers.python import PythonLexer

    found: list[ansi.Piece] = []
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    for kind, text in lexer.get_tokens(source):
        name = ".".join(kind)
        style = next((style for prefix, style in _GROUPS if name.startswith(prefix)), "")
        before = found.pop()[0] if found and found[-1][1] == style else ""
        found.append((before + text, style))
    return found


def _rows(result: RunResult, *, elsewhere: bool) -> list[Row]:
    """Pages in their order; those of all locales."""
    by_page: dict[str, dict[str, PageResult]] = {}
    for locale, pages in result.pages.items():
        for page in pages:
            by_page.setdefault(page.page, {})[locale] = page
    longest = max((run.seconds for run in result.executions), default=0.0)
    return [_row(versions, longest, elsewhere=elsewhere) for versions in by_page.values()]


def _row(versions: Mapping[str, PageResult], longest: float, *, elsewhere: bool) -> Row:
    locale, page = next(iter(versions.items()))
    run = next((version.execution for version in versions.values() if version.execution), None)
    slowest = max(run.cell_seconds, default=0.0) if run else 0.0
    cells = enumerate(run.cell_seconds if run else (), start=1)
    return Row(
        page=page.page,
        title=page.title,
        language="en" if page.title.isascii() else locale.replace("_", "-"),
        done={name: (version.translated, version.messages) for name, version in versions.items()},
        findings=tuple(
            dict.fromkeys(finding for version in versions.values() for finding in version.findings)
        ),
        run=run,
        share=100 * run.seconds / longest if run and longest else 0.0,
        cells=tuple(
            (number, seconds, 100 * seconds / slowest if slowest else 0.0)
            for number, seconds in cells
        ),
        elsewhere=elsewhere and run is None and page.code_cells > 0,
    )


def _outcomes(runs: Sequence[Execution]) -> list[dict[str, Any]]:
    """Of each status: how many notebooks, and which part of all."""
    counts = Counter(run.status for run in runs)
    return [
        {
            "status": status,
            "word": _WORDS[status],
            "count": counts[status],
            "share": 100 * counts[status] / len(runs) if runs else 0.0,
        }
        for status in Status
    ]


def _verdict(result: RunResult, runs: Sequence[Execution]) -> tuple[str, str]:
    """The run in one sentence, and whether it is ``good`` or ``bad``."""
    failed = sum(run.status is Status.FAILED for run in runs)
    errors = sum(finding.severity is Severity.ERROR for finding in result.all_findings)
    parts = [f"{_count(failed, 'notebook')} failed"] if failed else []
    parts += [f"{_count(errors, 'error')} to look at"] if errors else []
    if parts:
        return ", ".join(parts), "bad"
    if not runs:
        return "No code was run", "good"
    whole = sum(run.status is Status.PASSED for run in runs)
    if whole < len(runs):
        return "No notebook failed", "good"
    return ("The notebook passed" if whole == 1 else f"All {whole} notebooks passed"), "good"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _duration(seconds: float) -> str:
    """Seconds as people read them: ``0.4 s``, ``12 s``, ``3 min 05 s``."""
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return (
        f"{minutes} min {rest:02d} s"
        if minutes < 60
        else f"{minutes // 60} h {minutes % 60:02d} min"
    )


def _commit_url(result: RunResult) -> str:
    """Where to look at the commit, if upstream is on GitHub."""
    url = result.lock.url.removesuffix("/").removesuffix(".git")
    return f"{url}/commit/{result.lock.commit}" if url.startswith("https://github.com/") else ""


def _anchor(page: str) -> str:
    """A page's name as the id of an element: one id for one name."""
    return "".join(
        character if character.isascii() and character.isalnum() else f"-{ord(character):x}-"
        for character in page
    )


def _nothing_changed(changes: Since | None) -> bool:
    return changes is not None and changes.is_nothing


def _visible(value: object) -> object:
    """What a template prints of ``value``: of texts that are not its own, control characters are shown as Python writes them."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        finalize=_visible,
        loader=FunctionLoader(_asset),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {
        "ansi": ansi.pieces,
        "python": source_pieces,
        "duration": _duration,
        "percent": lambda done: percent(*done),
        "count": _count,
        "anchor": _anchor,
        "advice": advice,
        "whose": whose,
        "commit_url": _commit_url,
        "nothing_changed": _nothing_changed,
    }
    return environment


@cache
def _asset(name: str) -> str:
    return (resources.files("pipeline.report") / "templates" / name).read_text("utf-8")
