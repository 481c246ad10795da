"""What changed since the last run: its ``report.json`` beside the result of this one.

The old report is a plain value of JSON, and may be of any shape: older, damaged, of another
upstream. It is taken as far as it goes; comparing never fails a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from pipeline.core.execution.result import Status
from pipeline.core.pin.lock import page_path
from pipeline.report.result import RunResult

Report = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """Page names by what happened to them. ``translated`` is by locale: messages then and now."""

    # Ref, commit and version then and now, if one moved.
    upstream: tuple[str, str] | None = None
    failing: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    appeared: tuple[str, ...] = ()
    vanished: tuple[str, ...] = ()
    translated: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def progress(self) -> dict[str, tuple[int, int]]:
        """Finished messages then and now, of locales in which they are more or less."""
        return {
            locale: counts
            for locale, counts in self.translated.items()
            if counts[0] != counts[1]
        }

    @property
    def is_nothing(self) -> bool:
        """Whether the two runs tell the same."""
        news = (
            self.upstream,
            self.failing,
            self.passing,
            self.partial,
            self.skipped,
            self.appeared,
            self.vanished,
            self.progress,
        )
        return not any(news)


def since(previous: object, result: RunResult) -> Since | None:
    """What ``result`` has that the report ``previous`` has not; None without a report to compare.

    ``previous`` may be any JSON value. Pages that were run both times are compared; they count as
    newly failing if they did anything but fail then.
    """
    # The report of another upstream lies at the same place: runs of two alternate.
    report = previous if isinstance(previous, dict) else {}
    upstream = _table(report, "upstream")
    if upstream.get("name") != result.name:
        return None
    then = _statuses(report)
    # A page that did not run the last time is no news, whatever it does now.
    newly: dict[Status, list[str]] = {status: [] for status in Status}
    for run in result.executions:
        if then.get(run.page, run.status.value) != run.status.value:
            newly[run.status].append(run.page)
    moved = _moved(upstream, result)
    # Where upstream stayed, pages come and go only because others were asked for.
    appeared, vanished = _came_and_went(report, result) if moved else ((), ())
    return Since(
        upstream=moved,
        failing=tuple(newly[Status.FAILED]),
        passing=tuple(newly[Status.PASSED]),
        partial=tuple(newly[Status.PARTIAL]),
        skipped=tuple(newly[Status.SKIPPED]),
        appeared=appeared,
        vanished=vanished,
        translated=_translated(report, result),
    )


def _moved(upstream: Report, result: RunResult) -> tuple[str, str] | None:
    """Where upstream was then and is now; None if it did not move."""
    lock = result.lock
    then = (upstream.get("ref"), upstream.get("commit"), upstream.get("version"))
    now = (lock.ref, lock.commit, lock.version)
    if then == now:
        return None
    return _end(*then, lock.package), _end(*now, lock.package)


def _end(ref: object, commit: object, version: object, package: str) -> str:
    """Where upstream was or is: ``v2 (0123456789), JAX 0.10.2``.

    A plain folder has no ref, an old report perhaps no version: ``docs (0123456789), JAX ?``.
    """
    release = f", {package} {version or '?'}" if package else ""
    return f"{ref or 'docs'} ({str(commit or '')[:10]}){release}"


def _came_and_went(
    report: Report, result: RunResult
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The pages that appeared, and those that vanished, sorted."""
    then = {page for _, page, _ in _pages(report)}
    now = {page.page for page in chain.from_iterable(result.pages.values())}
    # A run may be of a few pages only: what upstream still has did not vanish, and what the last
    # run did not look at may have been there.
    there = {page_path(file.path).rpartition(".")[0] for file in result.lock.files}
    appeared = () if report.get("only") else tuple(sorted(now - then))
    return appeared, tuple(sorted(then - now - there))


def _statuses(report: Report) -> dict[str, object]:
    """How each page ran that did."""
    statuses = {}
    for _, page, row in _pages(report):
        execution = _table(row, "execution")
        if execution:
            statuses[page] = execution.get("status")
    return statuses


def _translated(report: Report, result: RunResult) -> dict[str, tuple[int, int]]:
    """By locale, how many messages were finished then and are now: ``{"zh_CN": (410, 412)}``.

    Of the pages of this run only: it may be of a few pages.
    """
    then: dict[str, dict[str, int]] = {}
    for locale, page, row in _pages(report):
        counts = then.setdefault(locale, {})
        match row.get("translated"):
            case int(count):
                counts[page] = count
    translated = {}
    for locale, pages in result.pages.items():
        # A locale that the old report does not know is not told as one that began at 0.
        if locale in then:
            told = then[locale]
            # So may the last one have been: what it did not tell of has not begun at 0.
            was_whole = not report.get("only")
            compared = [page for page in pages if was_whole or page.page in told]
            before = sum(told.get(page.page, 0) for page in compared)
            translated[locale] = (before, sum(page.translated for page in compared))
    return translated


def _pages(report: Report) -> Iterator[tuple[str, str, Report]]:
    """Locale, name and row of each page that ``report`` tells of.

    What is no table, no list or no row of a page is passed over: an old report is no promise.
    """
    for locale, table in _table(report, "locales").items():
        for row in _rows(table):
            match row:
                case {"page": str(page)}:
                    yield str(locale), page, row


def _rows(table: object) -> Sequence[Any]:
    """What should be the rows of a locale: the list under ``pages``, if there is one."""
    match table:
        case {"pages": [*rows]}:
            return rows
    return ()


def _table(value: Report, key: str) -> Report:
    """The object under ``key``; an empty one if there is none, or anything else."""
    match value.get(key):
        case dict(table):
            return table
    return {}
