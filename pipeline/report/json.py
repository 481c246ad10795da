"""``build/report.json`` and ``check --json``: results as JSON for programs, UTF-8, keys in order.

Records go in, bytes come out. Equal runs give equal bytes:
what varies from run to run is left out. A key never changes its meaning without another
version.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from pipeline.core.pin.lock import Lock
from pipeline.core.results import PageResult
from pipeline.findings import Finding, Severity
from pipeline.report.counts import executed_by_class, totals
from pipeline.report.result import CheckResult, RunResult

# Of the layouts: raised when a reader of the old one would stumble.
VERSION = 2  # a failure names its cell by the number of the code cell, from 1
CHECK_VERSION = 1

# Of an execution, what is of this run. No report keeps these: the second of two equal runs would
# write a file.
OF_THIS_RUN = ("cached", "cell_seconds")

_LOCK_KEYS = ("ref", "commit", "date", "version", "package")
_FINDING_KEYS = ("code", "severity", "where", "text", "page", "hint")
_ENTRY_KEYS = (  # of a finding about an entry of a catalogue
    *("code", "name", "severity", "file", "line", "text", "hint"),
    *("page", "section", "msgid", "msgstr", "spans", "fixed"),
)


def run_json(result: RunResult) -> bytes:
    """``build/report.json``."""
    lock = result.lock
    report: dict[str, Any] = {
        "version": VERSION,
        "upstream": {"name": result.name, "url": lock.url, **_lock_record(lock)},
        "exit_code": result.exit_code,
        "executed": executed_by_class(result.executions),
        "locales": {},
        "findings": list(map(finding_record, result.findings)),
    }
    for locale, pages in result.pages.items():
        rows = list(map(_page_record, pages))
        report["locales"][locale] = {"totals": totals(pages), "pages": rows}
    if result.comparison:
        report["comparison"] = _comparison_record(result)
    if result.only:
        report["only"] = list(result.only)
    return json_bytes(report)


def check_json(result: CheckResult) -> bytes:
    """What ``check --json`` prints. ``spans`` count code points of the msgstr."""
    counts = Counter(finding.severity for finding in result.findings)
    report = {
        "version": CHECK_VERSION,
        "exit_code": result.exit_code,
        "files": result.files,
        "entries": result.entries,
        "silenced": result.silenced,
        "counts": {severity.value: counts[severity] for severity in Severity},
        # The key that readers know: findings of checks were called mistakes at first.
        "mistakes": list(map(finding_record, result.findings)),
        "written": list(result.written),
        "diffs": result.diffs,
    }
    return json_bytes(report)


def finding_record(finding: Finding) -> dict[str, Any]:
    """A finding with the keys that say something of it: its place, or the entry and its texts.

    Only a finding about an entry of a catalogue has a ``file``. Keys keep their order.
    """
    keys = _ENTRY_KEYS if finding.file else _FINDING_KEYS
    return {key: getattr(finding, key) for key in keys}


def json_bytes(report: Mapping[str, Any]) -> bytes:
    """A report, as a plain value, as a file."""
    text = json.dumps(report, ensure_ascii=False, indent=1)
    # UTF-8 cannot hold half of a surrogate pair; "\ud800" with a backslash is JSON's own escape.
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _page_record(page: PageResult) -> dict[str, Any]:
    """The row of a page: its fields in their order, then what follows from them."""
    record = dataclasses.asdict(page)
    record["untranslated"] = page.untranslated
    del record["update"]  # told under "comparison"
    record["findings"] = list(map(finding_record, page.findings))
    if page.execution:
        execution = record["execution"]
        for name in OF_THIS_RUN:
            del execution[name]
        # As the cache keeps them.
        execution["seconds"] = round(page.execution.seconds, 1)
    return record


def _comparison_record(result: RunResult) -> dict[str, Any]:
    """How the English of two commits differs, and what an upgrade made of the translations."""
    comparison = result.comparison
    if comparison is None:
        return {}
    commits = None  # the history between the two is not known here
    if comparison.commits is not None:
        ahead, behind = comparison.commits
        commits = {"ahead": ahead, "behind": behind}
    updates: dict[str, dict[str, Any]] = {}
    for locale, pages in result.pages.items():
        updates[locale] = {}
        for page in pages:
            if page.update:
                updates[locale][page.page] = dataclasses.asdict(page.update)
    return {
        "before": _lock_record(comparison.before),
        "after": _lock_record(comparison.after),
        "commits": commits,
        "pages": list(map(dataclasses.asdict, comparison.pages)),
        "updates": updates,
    }


def _lock_record(lock: Lock) -> dict[str, str]:
    """Which upstream it was, without the list of its files."""
    return {key: getattr(lock, key) for key in _LOCK_KEYS}
