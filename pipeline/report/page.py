"""Writer of ``build/report.html``, one self-contained file for people, and of GitHub's summary.

Pages and catalogues are untrusted. Jinja templates escape every text. Coloured text is passed to
the templates as pieces with style names. The file's Content Security Policy allows no script except
its own.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from msgspec import Struct

from pipeline.core.execution.code_cells import cell_name
from pipeline.core.execution.result import Execution, Status, without_colours
from pipeline.core.results import PageResult
from pipeline.findings import Finding
from pipeline.log import printable
from pipeline.report.colours import pieces, source_pieces
from pipeline.report.counts import counted, executed_by_class, percent_text
from pipeline.report.failure_advice import advice, whose
from pipeline.report.json import Previous, compare_runs
from pipeline.report.result import RunResult

if TYPE_CHECKING:
    from jinja2 import Environment, Template


@cache
def asset(name: str) -> str:
    """Return a template, a style sheet or a script as text. Each file is read once."""
    return (resources.files("pipeline.report") / "templates" / name).read_text("utf-8")


class Row(Struct, frozen=True, kw_only=True):
    """One page in all locales. ``done`` has, by locale, the counts of finished and all messages."""

    page: str
    title: str
    language: str  # of the title, as an HTML lang attribute
    done: Mapping[str, tuple[int, int]]
    findings: tuple[Finding, ...]
    run: Execution | None = None

    @property
    def state(self) -> str:
        """Return the outcome of the page's code, or ``plain`` if the code did not run."""
        return str(self.run.status) if self.run else "plain"


def rows_of(result: RunResult) -> list[Row]:
    """Return a row for each page of all locales, in page order."""
    # Use the page order of the first locale. Pages that the first locale lacks come last.
    by_page: dict[str, dict[str, PageResult]] = {}
    for locale, pages in result.pages.items():
        for page in pages:
            by_page.setdefault(page.page, {})[locale] = page
    return list(map(_row, by_page.values()))


def _row(versions: Mapping[str, PageResult]) -> Row:
    """Return the row of a page, from its versions in all locales."""
    locale, page = next(iter(versions.items()))
    # All locales have the same findings about the English, and the same execution: show them once.
    findings: dict[Finding, None] = {}
    done: dict[str, tuple[int, int]] = {}
    for name, version in versions.items():
        findings |= dict.fromkeys(version.findings)
        done[name] = (version.translated, version.messages)
    runs = [version.execution for version in versions.values() if version.execution]
    return Row(
        page=page.page,
        title=page.title,
        # A title in ASCII is not translated, so it is English.
        language="en" if page.title.isascii() else locale.replace("_", "-"),
        done=done,
        findings=tuple(findings),
        run=runs[0] if runs else None,
    )


_WORDS = {  # after a count: "12 passed, 3 partly"
    Status.PASSED: "passed",
    Status.PARTIAL: "partly",
    Status.FAILED: "failed",
    Status.SKIPPED: "skipped",
}
_GITHUB = "https://github.com/"
_NOT_PLAIN = re.compile("[^A-Za-z0-9]")


def to_html(result: RunResult, *, previous: Previous | None = None) -> bytes:
    """Return the report as an HTML file, UTF-8.

    ``previous`` is the report of the last run, if there is one.
    """
    runs = result.executions
    # The file's policy allows only this script, which it names by digest.
    script = asset("report.js")
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    problems = _problems(result)
    values = {
        "result": result,
        "lock": result.lock,
        "rows": rows_of(result),
        "runs": runs,
        "verdict": ", ".join(problems) or _good_news(runs),
        "tone": "bad" if problems else "good",
        "locales": result.totals,
        "classes": executed_by_class(runs),
        "words": _WORDS,
        "counts": Counter(run.status for run in runs),
        # The scale of the bars that show times: the slowest page has a full bar.
        "longest": max((run.seconds for run in runs), default=0.0),
        "failed": result.failed,
        "since": compare_runs(previous, result),
        "css": asset("report.css"),
        "script": script,
        "script_digest": base64.b64encode(digest).decode("ascii"),
    }
    return render("report.html.j2", values)


LISTED = 20  # maximum number of failing pages, and of errors, in a summary


def to_summary(result: RunResult, *, previous: Previous | None = None) -> str:
    """Return a short summary in GitHub's Markdown: counts, failed pages, errors, and changes."""
    runs = result.executions
    values = {
        "title": " ".join(filter(None, (result.name, result.lock.ref))),
        "lock": result.lock,
        "locales": result.totals,
        "classes": executed_by_class(runs),
        "failed": result.failed,
        "errors": result.errors,
        "since": compare_runs(previous, result),
        "listed": LISTED,
    }
    return render("summary.md.j2", values).decode("utf-8")


def render(template: str, values: Mapping[str, object]) -> bytes:
    """Return a template with its values filled in, UTF-8."""
    text: str = template_of(template).render(values)
    return text.encode("utf-8", "backslashreplace")


def _problems(result: RunResult) -> list[str]:
    """Return the problems of a run in a few words: ``2 notebooks failed``, ``1 error to …``."""
    failed, errors = len(result.failed), len(result.errors)
    problems = []
    if failed:
        problems.append(f"{counted(failed, 'notebook')} failed")
    if errors:
        problems.append(f"{counted(errors, 'error')} to look at")
    return problems


def _good_news(runs: Sequence[Execution]) -> str:
    """Return the headline of a run without problems."""
    if not runs:
        return "No code was run"
    passed = sum(run.status is Status.PASSED for run in runs)
    if passed < len(runs):
        # Some notebooks ran in part or were skipped, so not all of them passed.
        return "No notebook failed"
    if passed == 1:
        return "The notebook passed"
    return f"All {passed} notebooks passed"


# --- filters and functions of the templates

_NOTHING = "&#8203;"  # a zero-width space
_LONG = 300  # maximum number of characters of a text in a cell
# All ASCII characters with a meaning in Markdown, HTML or GitHub's extensions ("@name", "#7").
_MARKUP = re.compile(r"[^\w\s.,;()=+'%/-]|_", re.ASCII)


def plain(text: str) -> str:
    """Return ``text`` on one line, truncated, without Markdown or HTML: ``a*b`` → ``a&#42;b``."""
    # A line end would end the cell of a table.
    line = " ".join(without_colours(text).split())
    if len(line) > _LONG:
        line = line[: _LONG - 1] + "…"
    return escaped(line)


def escaped(text: str) -> str:
    """Return ``text`` in full, with Markdown and HTML escaped."""
    return _MARKUP.sub(_entity, printable(text))


def code(text: str) -> str:
    """Return ``text`` as code: an HTML element, because backticks cannot enclose every text."""
    return f"<code>{plain(text)}</code>"


def _entity(match: re.Match[str]) -> str:
    """Return a character as an HTML entity, so that Markdown does not interpret it."""
    if not match[0].isascii():
        return match[0]  # the pattern also matches Chinese, which is no markup
    entity = f"&#{ord(match[0])};"
    # GitHub decodes entities before it links "@name" and "#7". So insert a character without width,
    # which prevents the link.
    return f"{entity}{_NOTHING}" if match[0] in "@#" else entity


def _same(runs: Sequence[Execution]) -> str:
    """Return a sentence about the code, for a run in which no page's outcome has changed."""
    if not runs:
        return "no code was run"
    # A skipped page has executed no cell either.
    if all(run.cached or not run.cells for run in runs):
        return "no code had to run again"
    return "every notebook ended as in the last run"


def _share(part: float, whole: float) -> float:
    """Return ``part`` in percent of ``whole``; 0 if that is 0."""
    if not whole:
        return 0.0
    return 100 * part / whole


def _duration(seconds: float) -> str:
    """Return seconds in readable form: ``0.4 s``, ``12 s``, ``3 min 05 s``, ``2 h 07 min``."""
    # The limits are those of the rounded numbers: 59.7 s is "1 min 00 s", not "60 s".
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def _commit_url(result: RunResult) -> str:
    """Return the URL of the commit, or "" if upstream is not on GitHub."""
    # Make no link to any other URL: "javascript:…" would run code.
    url = result.lock.url.removesuffix("/").removesuffix(".git")
    if not url.startswith(_GITHUB):
        return ""
    return f"{url}/commit/{result.lock.commit}"


def _anchor(page: str) -> str:
    """Return a unique element id for a page: ``a/b`` → ``a-2f-b``."""
    # Replace other characters by their code points, because "a b" and "a-b" need different ids.
    return _NOT_PLAIN.sub(lambda match: f"-{ord(match[0]):x}-", page)


def _visible(value: object) -> object:
    """Return ``value`` with control characters escaped as in Python.

    Markup of the template itself (with ``__html__``) is unchanged.
    """
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return printable(value)
    return value


@cache
def template_of(name: str) -> Template:
    """Return a template. It is loaded once."""
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    """Return the Jinja environment of all templates, created once."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    made = Environment(
        autoescape=True,  # texts never become markup
        finalize=_visible,
        loader=FunctionLoader(asset),
        # Lines that have only a template tag leave no empty lines in the page.
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,  # a misspelt name is an error, which tests find
    )
    made.filters |= {
        "ansi": pieces,
        "python": source_pieces,
        "duration": _duration,
        "percent": lambda pair: percent_text(*pair),
        "share": _share,
        "count": counted,
        "anchor": _anchor,
        "cell": cell_name,
        "same": _same,
        "advice": advice,
        "whose": whose,
        "commit_url": _commit_url,
        "plain": lambda text: Markup(plain(text)),  # noqa: S704 - all markup is escaped
        "code": lambda text: Markup(code(text)),  # noqa: S704
    }
    return made
