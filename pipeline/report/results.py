"""The result of a run as text, JSON and JUnit. Values in, text or bytes out: the caller prints and writes."""

from __future__ import annotations

import dataclasses
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from pipeline.core.execution.notebook import failure_text
from pipeline.core.execution.result import Execution, Status
from pipeline.core.pin.lock import Lock
from pipeline.core.results import Comparison, PageResult
from pipeline.findings import Finding, Severity
from pipeline.log import printable
from pipeline.report.result import RunResult

if TYPE_CHECKING:
    from rich.table import Table

VERSION = 1  # of the layout of report.json: raised when a reader of the old one would stumble
LISTED = 20  # findings that a terminal shows; report.json has all
OF_THIS_RUN = (
    "cached",
    "started",
    "worker",
    "cell_seconds",
)  # of an execution: no report.json keeps them
_COLOURS = {
    Status.PASSED: "green",
    Status.PARTIAL: "cyan",
    Status.FAILED: "red",
    Status.SKIPPED: "yellow",
}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_json(result: RunResult, *, shard: tuple[int, int] | None = None) -> bytes:
    """``build/report.json``: UTF-8, keys in a fixed order, equal bytes for equal runs.

    Whether an execution came from the cache is left out, its seconds are those of the real one. ``shard`` (2, 5) marks the report
    of the second of five runs: pages that belong to another one have no execution.
    """
    lock = result.lock
    report: dict[str, Any] = {
        "version": VERSION,
        "upstream": {
            "name": result.name,
            "url": lock.url,
            "ref": lock.ref,
            "commit": lock.commit,
            "date": lock.date,
            "jax": lock.jax,
        },
        "exit_code": result.exit_code,
        "executed": executed_by_class(result.executions),
        "locales": {
            locale: {"totals": totals(pages), "pages": [_page_record(page) for page in pages]}
            for locale, pages in result.pages.items()
        },
        "findings": [_finding_record(finding) for finding in result.findings],
    }
    if result.comparison:
        report["comparison"] = comparison_record(result)
    if shard:
        report["shard"] = {"index": shard[0], "count": shard[1]}
    return json_bytes(report)


def json_bytes(report: Mapping[str, Any]) -> bytes:
    """A report, as a plain value, as a file."""
    text = json.dumps(report, ensure_ascii=False, indent=1)
    return f"{text}\n".encode(
        "utf-8", "backslashreplace"
    )  # a lone surrogate turns into JSON's own escape


def executed_by_class(executions: Sequence[Execution]) -> dict[str, dict[str, int]]:
    """How many pages, code cells that ran and code cells there are, for each class: ``passed``, ``skipped: accelerator`` and so on."""
    classes: dict[str, dict[str, int]] = {}
    for execution in sorted(
        executions, key=lambda one: (list(Status).index(one.status), class_of(one))
    ):
        sums = classes.setdefault(class_of(execution), {"pages": 0, "cells": 0, "total": 0})
        sums["pages"] += 1
        sums["cells"] += execution.cells
        sums["total"] += execution.total
    return classes


def class_of(execution: Execution) -> str:
    """The outcome, and if the page did not run whole on purpose, for what kind of reason."""
    why = (
        execution.reason.partition(":")[0]
        if execution.status in (Status.PARTIAL, Status.SKIPPED)
        else ""
    )
    return f"{execution.status}: {why}" if why else str(execution.status)


def comparison_record(result: RunResult) -> dict[str, Any]:
    """How the English of two commits differs, page by page, and what an upgrade made of the translations."""
    comparison = result.comparison
    if comparison is None:
        return {}
    ends = {
        name: {key: getattr(lock, key) for key in ("ref", "commit", "date", "jax")}
        for name, lock in _ends(comparison)
    }
    updates = {
        locale: {page.page: dataclasses.asdict(page.update) for page in pages if page.update}
        for locale, pages in result.pages.items()
    }
    commits = comparison.commits
    return {
        **ends,
        "commits": None if commits is None else {"ahead": commits[0], "behind": commits[1]},
        "pages": [dataclasses.asdict(change) for change in comparison.pages],
        "updates": updates,
    }


def _ends(comparison: Comparison) -> tuple[tuple[str, Lock], ...]:
    return ("before", comparison.before), ("after", comparison.after)


def totals(pages: Iterable[PageResult]) -> dict[str, int]:
    """Sums over ``pages``: messages and words by state, findings, executions by outcome."""
    rows = tuple(pages)
    names = (
        "messages",
        "translated",
        "fuzzy",
        "untranslated",
        "obsolete",
        "words",
        "translated_words",
        "fuzzy_words",
        "code_cells",
    )
    sums = {"pages": len(rows), **{name: sum(getattr(row, name) for row in rows) for name in names}}
    sums["findings"] = sum(len(row.findings) for row in rows)
    ran = [row.execution.status for row in rows if row.execution]
    return sums | {status.value: ran.count(status) for status in Status}


def to_junit(result: RunResult) -> bytes:
    """``build/junit.xml``: one case per page and stage. Findings of severity error and failed runs are failures."""
    root = ET.Element("testsuites", name="pipeline")
    for locale, pages in result.pages.items():
        _suite(
            root,
            f"{result.name}.{locale}.pages",
            [_findings_case(page.page, page.findings) for page in pages],
        )
    if result.findings:
        _suite(root, f"{result.name}.run", [_findings_case(result.name, result.findings)])
    _suite(
        root,
        f"{result.name}.execute",
        [_execution_case(execution) for execution in result.executions],
    )
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def to_text(result: RunResult, *, width: int, colour: bool, verbose: bool = False) -> str:
    """What a person reads at the end: a table per locale, the findings, one line of summary.

    ``width`` is in columns. Notes among the findings are listed only if ``verbose``.
    """
    from rich.console import Console
    from rich.text import Text

    out = StringIO()
    console = Console(
        file=out, width=width, force_terminal=colour, no_color=not colour, highlight=False
    )
    for locale, pages in result.pages.items():
        console.print(_table(result, locale, pages))
    lines = (
        *findings_lines(result.all_findings, verbose=verbose),
        *failure_lines(result.executions),
        *summary_lines(result),
    )
    for line in lines:
        console.print(Text(line), soft_wrap=True)
    return (
        out.getvalue()
        if colour
        else "\n".join(line.rstrip() for line in out.getvalue().split("\n"))
    )


def findings_lines(findings: Sequence[Finding], *, verbose: bool = False) -> list[str]:
    """Findings for a terminal, errors first: ``severity code where: text``, hint below; a long list is cut."""
    levels = [Severity.ERROR, Severity.WARNING, *([Severity.NOTE] if verbose else [])]
    shown = [finding for level in levels for finding in findings if finding.severity is level][
        :LISTED
    ]
    lines = []
    for finding in shown:
        lines.append(
            printable(f"{finding.severity} [{finding.code}] {finding.where}: {finding.text}")
        )
        if finding.hint:
            lines.append(printable(f"    {finding.hint}"))
    if len(findings) > len(shown):
        lines.append(f"… and {len(findings) - len(shown)} more: see build/report.json")
    return lines


def failure_lines(executions: Sequence[Execution]) -> list[str]:
    """Each page that failed: place, exception, whose problem it is, source of the cell, end of the traceback."""
    failed = [execution for execution in executions if execution.status is Status.FAILED]
    texts = [
        failure_text(run.page, run.failure) if run.failure else f"{run.page}: {run.reason}"
        for run in failed[:LISTED]
    ]
    lines = [printable(line) for text in texts for line in text.split("\n")]
    if len(failed) > LISTED:
        lines.append(f"… and {len(failed) - LISTED} more: see build/report.json")
    return lines


def summary_lines(result: RunResult) -> list[str]:
    """The last lines: what was looked at, what was written."""
    lock = result.lock
    lines = [
        f"{' '.join(filter(None, (result.name, lock.ref)))} ({lock.commit[:10]}), JAX {lock.jax}"
    ]
    for locale, pages in result.pages.items():
        total = totals(pages)
        parts = [
            f"{total['pages']} pages",
            f"{total['messages']} messages",
            f"{percent(total['translated'], total['messages'])} translated",
        ]
        parts += [f"{total[status]} {status}" for status in Status if total[status]]
        lines.append(f"{locale}: {', '.join(parts)}")
    if classes := executed_by_class(result.executions):
        counts = ", ".join(
            f"{name} {sums['cells']}/{sums['total']}" for name, sums in classes.items()
        )
        lines.append(printable(f"code cells run: {counts}"))
    return lines


def percent(part: int, whole: int) -> str:
    """``part`` of ``whole`` as whole percent; never 100 % while something is missing."""
    return f"{100 * part // whole} %" if whole else "–"


def _table(result: RunResult, locale: str, pages: Sequence[PageResult]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        title=f"{result.name} · {locale}",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_footer=True,
        pad_edge=False,
    )
    total = totals(pages)
    outcomes = ", ".join(f"{total[status]} {status}" for status in Status if total[status])
    seconds = sum(page.execution.seconds for page in pages if page.execution)
    footer = [
        f"{len(pages)} pages",
        *_counts(total),
        outcomes,
        f"{seconds:.1f}" if outcomes else "",
    ]
    headings = (
        "page",
        "messages",
        "translated",
        "fuzzy",
        "words to do",
        "findings",
        "execution",
        "seconds",
    )
    for heading, foot in zip(headings, footer, strict=True):
        left = heading in ("page", "execution")
        table.add_column(
            heading, foot, justify="left" if left else "right", overflow="fold", no_wrap=not left
        )
    for page in pages:
        ran = page.execution
        state = _execution_state(ran) if ran else ""
        table.add_row(
            _plain(page.page),
            *_counts(totals([page])),
            state,
            f"{ran.seconds:.1f}" if ran and ran.cells else "",
        )
    return table


def _counts(total: dict[str, int]) -> list[str]:
    todo = total["words"] - total["translated_words"]
    shown = percent(total["translated"], total["messages"])
    return [
        str(total["messages"]),
        shown,
        str(total["fuzzy"] or ""),
        str(todo or ""),
        str(total["findings"] or ""),
    ]


def _execution_state(execution: Execution) -> str:
    # why a page failed is told at length below the table, why it was skipped in the report
    why = _plain(class_of(execution).removeprefix(execution.status))
    cells = (
        f", {execution.cells} of {execution.total} cells"
        if execution.status is Status.PARTIAL
        else ""
    )
    note = f" {_plain(execution.note)}" if execution.note else ""
    return f"[{_COLOURS[execution.status]}]{execution.status}[/]{note}{why}{cells}{' (cached)' if execution.cached else ''}"


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(printable(text))


def _finding_record(finding: Finding) -> dict[str, Any]:
    record = dataclasses.asdict(finding)
    del record["exit_code"]
    return record


def _page_record(page: PageResult) -> dict[str, Any]:
    record = dataclasses.asdict(page)
    record["untranslated"] = page.untranslated
    del record["update"]
    record["findings"] = [_finding_record(finding) for finding in page.findings]
    if page.execution:
        for name in OF_THIS_RUN:
            del record["execution"][name]
        record["execution"]["seconds"] = round(page.execution.seconds, 1)  # as the cache keeps them
    return record


def _suite(root: ET.Element, name: str, cases: Sequence[ET.Element]) -> None:
    outcomes = {
        kind: sum(case.find(kind) is not None for case in cases) for kind in ("failure", "skipped")
    }
    counts = {
        "tests": len(cases),
        "failures": outcomes["failure"],
        "skipped": outcomes["skipped"],
        "errors": 0,
    }
    suite = ET.SubElement(
        root,
        "testsuite",
        {"name": _xml(name), **{key: str(value) for key, value in counts.items()}},
    )
    for case in cases:
        case.set("classname", _xml(name))
        suite.append(case)


def _findings_case(name: str, findings: Sequence[Finding]) -> ET.Element:
    case = ET.Element("testcase", name=_xml(name))
    lines = {
        severity: [
            _xml(f"{f.where}: {f.text} [{f.code}]") for f in findings if f.severity is severity
        ]
        for severity in Severity
    }
    if errors := lines[Severity.ERROR]:
        ET.SubElement(case, "failure", message=errors[0]).text = "\n".join(errors)
    if others := lines[Severity.WARNING] + lines[Severity.NOTE]:
        ET.SubElement(case, "system-out").text = "\n".join(others)
    return case


def _execution_case(execution: Execution) -> ET.Element:
    """A page that ran only in part passed as far as it ran: what was left out stands in properties and output."""
    case = ET.Element("testcase", name=_xml(execution.page), time=f"{execution.seconds:.3f}")
    facts = {"status": execution.status.value, "cells": f"{execution.cells}/{execution.total}"}
    facts |= {"note": execution.note} if execution.note else {}
    if execution.note or execution.status is Status.PARTIAL:
        properties = ET.SubElement(case, "properties")
        for name, value in facts.items():
            ET.SubElement(properties, "property", name=name, value=_xml(value))
    if execution.status is Status.SKIPPED:
        ET.SubElement(case, "skipped", message=_xml(execution.reason))
    if execution.status is Status.FAILED:
        failure = ET.SubElement(case, "failure", message=_xml(execution.reason))
        if execution.failure:
            failure.set("type", _xml(execution.failure.exception))
            failure.text = _xml(failure_text(execution.page, execution.failure))
    if execution.status is Status.PARTIAL:
        text = f"ran {execution.cells} of {execution.total} code cells: {execution.reason}"
        ET.SubElement(case, "system-out").text = _xml(text)
    return case


def _xml(text: str) -> str:
    """``text`` without the characters that XML 1.0 cannot hold, not even escaped."""
    return _NOT_XML.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
