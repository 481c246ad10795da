"""``build/report.json``, ``check --json`` and badges: results as JSON (UTF-8).

A repeated run gives the same bytes: the order of keys is fixed, and times are left out. If the
meaning of a key changes, the version in the file is incremented. ``compare_runs`` compares a run
with the report of the previous run, if this report is readable. Badges are files from which
shields.io draws a label and a value for a README.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import msgspec
from msgspec import Struct, field, to_builtins

from pipeline.core.catalog.commit_diff import Comparison
from pipeline.core.execution.result import Status
from pipeline.core.pin.lock import Lock, page_name
from pipeline.core.results import PageResult, progress_of, whole_percent
from pipeline.findings import Finding, Severity
from pipeline.report.counts import counted, executed_by_class, totals
from pipeline.report.result import CheckResult, RunResult

# Versions of the formats. They are incremented when programs that read the old format would fail.
VERSION = 2  # since version 2, a failure has the number of its code cell, from 1
CHECK_VERSION = 1

# Fields of an execution that differ between two equal runs, so the report omits them.
OF_THIS_RUN = ("cached", "cell_seconds")

_LOCK_KEYS = ("ref", "commit", "date", "version", "package")
_FINDING_KEYS = ("code", "severity", "where", "text", "page", "hint")
_ENTRY_KEYS = (  # keys of a finding about an entry of a catalogue
    *("code", "name", "severity", "file", "line", "text", "hint"),
    *("page", "section", "msgid", "msgstr", "spans", "fixed"),
)


def run_json(result: RunResult) -> bytes:
    """Return ``build/report.json``."""
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
        if reference := result.reference.get(locale):
            report["locales"][locale]["reference"] = totals(reference)
    if result.comparison:
        report["comparison"] = _comparison_record(result, result.comparison)
    if result.only:
        report["only"] = list(result.only)
    return json_bytes(report)


def check_json(result: CheckResult) -> bytes:
    """Return the output of ``check --json``. ``spans`` are character positions in the msgstr."""
    counts = Counter(finding.severity for finding in result.findings)
    report = {
        "version": CHECK_VERSION,
        "exit_code": result.exit_code,
        "files": result.files,
        "entries": result.entries,
        "silenced": result.silenced,
        "counts": {severity.value: counts[severity] for severity in Severity},
        # The key cannot be renamed to "findings", because programs read it.
        "mistakes": list(map(finding_record, result.findings)),
        "written": list(result.written),
        "diffs": result.diffs,
    }
    return json_bytes(report)


def finding_record(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON values, in a fixed order of keys.

    A finding about an entry of a catalogue has ``file`` and the entry's texts. Any other finding
    has ``where``.
    """
    keys = _ENTRY_KEYS if finding.file else _FINDING_KEYS
    return {key: getattr(finding, key) for key in keys}


def json_bytes(report: Mapping[str, Any]) -> bytes:
    """Return a report as the content of a file."""
    text = json.dumps(report, ensure_ascii=False, indent=1)
    # UTF-8 cannot encode a lone surrogate. ``backslashreplace`` writes "\ud800", JSON's escape.
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _page_record(page: PageResult) -> dict[str, Any]:
    """Return a page as JSON values: the fields of its record, and computed ones."""
    record: dict[str, Any] = to_builtins(page)
    record["untranslated"] = page.untranslated
    del record["update"]  # part of "comparison"
    record["findings"] = list(map(finding_record, page.findings))
    if page.execution:
        execution = record["execution"]
        for name in OF_THIS_RUN:
            del execution[name]
        # Round as the cache does, so that a cached run gives the same value.
        execution["seconds"] = round(page.execution.seconds, 1)
    return record


def _comparison_record(result: RunResult, comparison: Comparison) -> dict[str, Any]:
    """Return the differences in English between two commits, and the effect on translations."""
    commits = None  # the git history between the two commits is unavailable
    if comparison.commits is not None:
        ahead, behind = comparison.commits
        commits = {"ahead": ahead, "behind": behind}
    updates: dict[str, dict[str, Any]] = {}
    for locale, pages in result.pages.items():
        updates[locale] = {}
        for page in pages:
            if page.update:
                updates[locale][page.page] = to_builtins(page.update)
    return {
        "before": _lock_record(comparison.before),
        "after": _lock_record(comparison.after),
        "commits": commits,
        "pages": list(map(to_builtins, comparison.pages)),
        "updates": updates,
    }


def _lock_record(lock: Lock) -> dict[str, str]:
    """Return the fields of the lock that identify the commit, without its list of files."""
    return {key: getattr(lock, key) for key in _LOCK_KEYS}


class _Upstream(Struct, frozen=True):
    name: str
    ref: str
    commit: str
    version: str


class _Execution(Struct, frozen=True):
    status: str


class _Page(Struct, frozen=True):
    page: str
    translated: int
    execution: _Execution | None


class _Locale(Struct, frozen=True):
    pages: tuple[_Page, ...]


class Previous(Struct, frozen=True):
    """The compared parts of the last report. ``only`` are the page patterns of that run."""

    upstream: _Upstream
    locales: dict[str, _Locale]
    only: tuple[str, ...] = ()

    @property
    def pages(self) -> Iterator[_Page]:
        """Return the pages of all locales."""
        return chain.from_iterable(locale.pages for locale in self.locales.values())


def read_previous(data: bytes) -> Previous | None:
    """Return the report in a file, or None if it is not a report of this version."""
    try:
        return msgspec.json.decode(data, type=Previous)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


# Headings for pages whose outcome has changed, in the order of a report.
_NOW = {
    Status.FAILED: "fail now",
    Status.PASSED: "pass now",
    Status.PARTIAL: "run only in part now",
    Status.SKIPPED: "are skipped now",
}


class RunChanges(Struct, frozen=True, kw_only=True):
    """Changes since the last run."""

    # The old and the new commit as text, if ref, commit or version has changed.
    upstream: tuple[str, str] | None = None
    # Names of pages by change, such as "fail now". Bad changes come first.
    pages: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Old and new counts of finished messages, for locales where they differ.
    progress: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def is_nothing(self) -> bool:
        """Return whether nothing has changed."""
        return not (self.upstream or self.pages or self.progress)


def compare_runs(previous: Previous | None, result: RunResult) -> RunChanges | None:
    """Return the changes from the report ``previous`` to ``result``, or None without a report.

    Outcomes are compared only for pages that ran both times.
    """
    # The last report may be about another upstream, because all upstreams share the path of the
    # report.
    if previous is None or previous.upstream.name != result.name:
        return None
    then = {page.page: page.execution.status for page in previous.pages if page.execution}
    # The outcome of a page that did not run last time is not a change.
    happened: dict[str, list[str]] = {words: [] for words in _NOW.values()}
    for run in result.executions:
        if then.get(run.page, run.status.value) != run.status.value:
            happened[_NOW[run.status]].append(run.page)
    moved = _moved(previous.upstream, result)
    # If the commit is the same, upstream has the same pages. The pages of the two runs then differ
    # only because of ``--pages``, which is not a change.
    if moved:
        happened |= _came_and_went(previous, result)
    return RunChanges(
        upstream=moved,
        pages={words: tuple(pages) for words, pages in happened.items() if pages},
        progress=_progress(previous, result),
    )


def _moved(upstream: _Upstream, result: RunResult) -> tuple[str, str] | None:
    """Return the old and the new commit as text, or None if they are equal."""
    lock = result.lock
    then = (upstream.ref, upstream.commit, upstream.version)
    now = (lock.ref, lock.commit, lock.version)
    if then == now:
        return None
    return _end(*then, lock.package), _end(*now, lock.package)


def _end(ref: str, commit: str, version: str, package: str) -> str:
    """Return a commit as text, with ref and release: ``v2 (0123456789), JAX 0.10.2``.

    A plain folder has no ref, and docs without a package have no version: ``docs (0123456789)``.
    """
    release = f", {package} {version or '?'}" if package else ""
    return f"{ref or 'docs'} ({commit[:10]}){release}"


def _came_and_went(previous: Previous, result: RunResult) -> dict[str, list[str]]:
    """Return the pages that upstream has added, and those that it has removed, sorted."""
    then = {page.page for page in previous.pages}
    now = {page.page for page in chain.from_iterable(result.pages.values())}
    # Both runs may cover only a few pages. A page that upstream still has did not vanish. If the
    # last run covered a few pages, its report does not show which pages are new.
    there = {page_name(file.path) for file in result.lock.files}
    appeared = [] if previous.only else sorted(now - then)
    return {"appeared": appeared, "vanished": sorted(then - now - there)}


def _progress(previous: Previous, result: RunResult) -> dict[str, tuple[int, int]]:
    """Return old and new counts of finished messages by locale: ``{"zh_CN": (410, 412)}``.

    Locales without progress are left out. Only the pages of this run count, because it may cover
    only a few pages.
    """
    progress = {}
    for locale, pages in result.pages.items():
        # Skip a locale that the last report lacks: its old count is unknown.
        if locale not in previous.locales:
            continue
        rows = previous.locales[locale].pages
        done_by_page = {row.page: row.translated for row in rows}
        # Leave out pages that the last run did not cover: their old counts are unknown, too.
        compared = [page for page in pages if not previous.only or page.page in done_by_page]
        before = sum(done_by_page.get(page.page, 0) for page in compared)
        now = sum(page.translated for page in compared)
        if before != now:
            progress[locale] = (before, now)
    return progress


_GOOD, _FAIR = 90, 50  # minimum percentages for green and yellow


def badges_of(result: RunResult, locale: str) -> dict[str, bytes]:
    """Return the badges of one locale by name.

    They show the translated percentage and the package version. If the result has a comparison with
    another ref, a badge shows how many messages have changed there.
    """
    lock = result.lock
    progress = progress_of(result.pages[locale])
    # Docs without messages have no percentage, but a badge needs a number: 0 %.
    percent = whole_percent(progress.translated, progress.messages) or 0
    colour = "red"
    if percent >= _GOOD:
        colour = "green"
    elif percent >= _FAIR:
        colour = "yellow"
    badges = {"translated": _badge(f"translated {locale}", f"{percent} %", colour)}
    if lock.package and lock.version:
        name = re.sub(r"[^\w-]+", "-", lock.package).lower()
        badges[name] = _badge(lock.package, lock.version, "blue")
    if result.comparison:
        badges["behind"] = _behind(result.comparison)
    return badges


def _badge(label: str, message: str, colour: str) -> bytes:
    """Return JSON for https://shields.io/badges/endpoint-badge."""
    record = {"schemaVersion": 1, "label": label, "message": message, "color": colour}
    return (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def _behind(comparison: Comparison) -> bytes:
    """Return the badge for the number of messages to translate after an upgrade."""
    before = comparison.before.ref or "docs"
    after = comparison.after.ref or "HEAD"
    # Moved and dropped messages are no work for a translator.
    count = sum(change.added + change.changed for change in comparison.pages)
    message, colour = "up to date", "green"
    if count:
        message, colour = f"behind by {counted(count, 'message')}", "yellow"
    return _badge(f"{before} against {after}", message, colour)
