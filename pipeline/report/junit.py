"""``build/junit.xml``: a run as test cases, which CI systems list and count.

Each page has one case per locale for its findings, and one case for its execution. A case fails if
the page has an error or its code fails. Characters that XML does not allow are escaped.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from pipeline.core.execution.result import Execution, Status, failure_text
from pipeline.findings import Finding, Severity
from pipeline.report.counts import counted
from pipeline.report.result import RunResult

# Characters outside of production Char in XML 1.0 are not allowed, even if escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(result: RunResult) -> bytes:
    """Return ``result`` as JUnit XML, UTF-8."""
    # Never change the names of suites and cases: CI systems use them to follow a case over several
    # runs.
    root = ET.Element("testsuites", name="pipeline")
    for locale, pages in result.pages.items():
        cases = [_findings_case(page.page, page.findings) for page in pages]
        _add_suite(root, f"{result.name}.{locale}.pages", cases)
    if result.findings:  # findings without a page
        _add_suite(root, f"{result.name}.run", [_findings_case(result.name, result.findings)])
    cases = [_execution_case(execution) for execution in result.executions]
    _add_suite(root, f"{result.name}.execute", cases)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _add_suite(root: ET.Element, name: str, cases: Sequence[ET.Element]) -> None:
    """Append ``cases`` to ``root``, in a suite with their counts."""
    suite = ET.SubElement(
        root,
        "testsuite",
        name=_xml(name),
        tests=str(len(cases)),
        failures=_count(cases, "failure"),
        skipped=_count(cases, "skipped"),
        # In JUnit, an error is a crash of the test itself. A run has none.
        errors="0",
    )
    for case in cases:
        case.set("classname", _xml(name))
        suite.append(case)


def _count(cases: Sequence[ET.Element], kind: str) -> str:
    """Return how many of ``cases`` have a child of this kind, as text."""
    return str(sum(case.find(kind) is not None for case in cases))


def _findings_case(name: str, findings: Sequence[Finding]) -> ET.Element:
    """Return the case of a page. Errors are its failure, other findings its output."""
    case = ET.Element("testcase", name=_xml(name))
    lines: dict[Severity, list[str]] = {severity: [] for severity in Severity}
    for finding in findings:
        # Put the place first, because many viewers show only the beginning of a line.
        line = _xml(f"{finding.where}: {finding.text} [{finding.code}]")
        lines[finding.severity].append(line)
    errors = lines[Severity.ERROR]
    if errors:
        # Viewers show the message in lists of failures, and the text in the details.
        ET.SubElement(case, "failure", message=errors[0]).text = "\n".join(errors)
    others = lines[Severity.WARNING] + lines[Severity.NOTE]
    if others:
        ET.SubElement(case, "system-out").text = "\n".join(others)
    return case


def _execution_case(run: Execution) -> ET.Element:
    """Return the case of a page's execution.

    The case of a page that ran only in part passes. Its properties and output give the reason.
    """
    case = ET.Element("testcase", name=_xml(run.page), time=f"{run.seconds:.3f}")
    # A page that ran normally needs only its name and time.
    if run.note or run.status is Status.PARTIAL:
        case.append(_properties(run))
    match run.status:
        case Status.SKIPPED:
            ET.SubElement(case, "skipped", message=_xml(run.reason))
        case Status.FAILED:
            failure = ET.SubElement(case, "failure", message=_xml(run.reason))
            if run.failure:
                failure.set("type", _xml(run.failure.exception))
                failure.text = _xml(failure_text(run.page, run.failure))
        case Status.PARTIAL:
            text = f"ran {run.cells} of {counted(run.total, 'code cell')}: {run.reason}"
            ET.SubElement(case, "system-out").text = _xml(text)
        case Status.PASSED:
            pass  # a case without children has passed
    return case


def _properties(run: Execution) -> ET.Element:
    """Return properties of the case: status, number of cells, and any note."""
    facts = {"status": run.status.value, "cells": f"{run.cells}/{run.total}"}
    if run.note:
        facts["note"] = run.note
    properties = ET.Element("properties")
    for name, value in facts.items():
        ET.SubElement(properties, "property", name=name, value=_xml(value))
    return properties


def _xml(text: str) -> str:
    r"""Return ``text`` with the characters escaped that XML 1.0 does not allow: ``\x1b``."""
    return _NOT_XML.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
