"""What ``check`` prints, in the form that was asked for. A result goes in, text comes out.

A person gets a block for each finding and a summary; programs get JSON or SARIF, GitHub gets
annotations. Each form has a module of its own; this one chooses, and writes the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from pipeline.findings import Finding, Severity
from pipeline.log import NORMAL, QUIET, VERBOSE
from pipeline.report.chinese import ENGLISH, Language
from pipeline.report.counts import counted
from pipeline.report.finding_text import entry_lines, on_one_line
from pipeline.report.github import to_github
from pipeline.report.json import check_json, json_bytes
from pipeline.report.result import CheckResult
from pipeline.report.terminal import drawn_lines, plain_lines
from pipeline.report.value import Line

# By the first character of a line.
_DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def render(
    result: CheckResult,
    form: str,
    *,
    width: int = 140,
    colour: bool = False,
    level: int = NORMAL,
    language: Language = ENGLISH,
) -> str:
    """``result`` in one of ``arguments.FORMATS``.

    ``level`` is the log's; only text and annotations heed it. Text for people is in ``language``.
    """
    match form:
        case "json":
            return check_json(result).decode("utf-8")
        case "sarif":
            from pipeline.report.sarif import to_sarif

            return json_bytes(to_sarif(result)).decode("utf-8")
        case "github":
            return to_github(result, verbose=level >= VERBOSE)
        case _:
            return check_text(
                result, width=width, colour=colour, level=level, language=language
            )


def check_text(
    result: CheckResult,
    *,
    width: int,
    colour: bool,
    level: int = NORMAL,
    language: Language = ENGLISH,
) -> str:
    """What a person reads: what was mended, a block for each finding, one line of summary.

    ``width`` is in columns, of which a Chinese character takes two. Notes are listed only at level
    ``VERBOSE``; ``QUIET`` leaves out all but errors and warnings.
    """
    is_quiet, is_verbose = level <= QUIET, level >= VERBOSE
    lines: list[Line] = []
    # What was changed comes first: a person who reads on looks at what is still wrong.
    if not is_quiet:
        lines += _diff_lines(result.diffs)
    shown = [
        language.finding(finding)
        for finding in result.findings
        if is_verbose or finding.severity is not Severity.NOTE
    ]
    for _, of_entry in groupby(shown, key=_entry):
        lines += entry_lines(
            list(of_entry), width=width, colour=colour, labels=language.labels
        )
        lines.append([])  # blocks stand apart
    if not is_quiet:
        summary = summary_line(result, verbose=is_verbose)
        lines.append([(language.sentence(summary), "bold")])
    if colour:
        return drawn_lines(lines, width=width, colour=True)
    # In CI and in pipes: importing rich would take longer than this.
    return plain_lines(lines)


def summary_line(result: CheckResult, *, verbose: bool = False) -> str:
    """The last line: how many of what in how many, and what can be done about it.

    ``2 errors, 1 note in 40 entries of 3 catalogues; --fix mends 1; -v shows the notes``
    """
    counts = Counter(finding.severity for finding in result.findings)
    worst_first = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    found = [
        counted(counts[level], level.value) for level in worst_first if counts[level]
    ]
    entries = counted(result.entries, "entry", "entries")
    catalogs = counted(result.files, "catalogue")
    fixable = sum(finding.fixed is not None for finding in result.findings)
    written = counted(len(result.written), "file")
    # Whether each part stands in the line, and what it says.
    parts = (
        (True, f"{', '.join(found) or 'no mistakes'} in {entries} of {catalogs}"),
        (fixable, f"--fix mends {fixable}"),
        (result.written, f"{written} mended"),
        (result.silenced, f"{result.silenced} silenced"),
        (counts[Severity.NOTE] and not verbose, "-v shows the notes"),
    )
    return "; ".join(text for is_told, text in parts if is_told)


def _entry(finding: Finding) -> tuple[str, int, str, str]:
    """What a finding is about: those of one entry stand together."""
    return finding.file, finding.line, finding.msgid, finding.msgstr


def _diff_lines(diffs: str) -> Iterator[Line]:
    """What ``--fix`` changed, and an empty line."""
    if not diffs:
        return
    # They hold msgids and msgstrs: they are as dangerous to a terminal as those are.
    for row in diffs.removesuffix("\n").split("\n"):
        yield [(on_one_line(row), _DIFF_COLOURS.get(row[:1], ""))]
    yield []
