"""What changed since the last run: its report, as a plain value, beside the result of this one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.core.execution.result import Status
from pipeline.report.result import RunResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """Page names by what happened to them. ``translated`` is by locale: finished messages then and now."""

    upstream: tuple[str, str] | None = (
        None  # ref, commit and JAX then and now, if one of them moved
    )
    failing: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    appeared: tuple[str, ...] = ()
    vanished: tuple[str, ...] = ()
    translated: Mapping[str, tuple[int, int]] | None = None

    @property
    def is_nothing(self) -> bool:
        """Whether the two runs tell the same."""
        lists = (
            self.failing,
            self.passing,
            self.partial,
            self.skipped,
            self.appeared,
            self.vanished,
        )
        return not (
            self.upstream
            or any(lists)
            or any(then != now for then, now in (self.translated or {}).values())
        )


def since(previous: object, result: RunResult) -> Since | None:
    """What ``result`` has that the report ``previous`` (any JSON value) has not; None if that is no report of this upstream.

    Pages that were run both times are compared; they count as newly failing if they did anything but fail then.
    """
    report = previous if isinstance(previous, dict) else {}
    upstream = _table(report, "upstream")
    if upstream.get("name") != result.name:
        return None
    then, now = _statuses(report), {run.page: run.status.value for run in result.executions}
    newly = {
        status: tuple(page for page in now if now[page] == status != then.get(page, status))
        for status in Status
    }
    moved = _moved(upstream, result)
    pages_then = {page for _, page, _ in _pages(report)}
    pages_now = {page.page for pages in result.pages.values() for page in pages}
    there = {
        file.path.rpartition(".")[0] for file in result.lock.files
    }  # a run may be of a few pages only
    return Since(
        upstream=moved,
        failing=newly[Status.FAILED],
        passing=newly[Status.PASSED],
        partial=newly[Status.PARTIAL],
        skipped=newly[Status.SKIPPED],
        appeared=tuple(sorted(pages_now - pages_then)) if moved else (),
        vanished=tuple(sorted(pages_then - pages_now - there)) if moved else (),
        translated=_translated(report, result),
    )


def _moved(upstream: Mapping[str, Any], result: RunResult) -> tuple[str, str] | None:
    lock = result.lock
    if (upstream.get("ref"), upstream.get("commit"), upstream.get("jax")) == (
        lock.ref,
        lock.commit,
        lock.jax,
    ):
        return None
    return _end(upstream.get("ref"), upstream.get("commit"), upstream.get("jax")), _end(
        lock.ref, lock.commit, lock.jax
    )


def _end(ref: object, commit: object, jax: object) -> str:
    return f"{ref or 'docs'} ({str(commit or '')[:10]}), JAX {jax or '?'}"


def _statuses(report: Mapping[str, Any]) -> dict[str, object]:
    return {
        page: execution.get("status")
        for _, page, row in _pages(report)
        if (execution := _table(row, "execution"))
    }


def _translated(report: Mapping[str, Any], result: RunResult) -> dict[str, tuple[int, int]]:
    """Of the pages of this run only: a run of a few pages is compared with those in the report."""
    then: dict[tuple[str, str], int] = {}
    for locale, page, row in _pages(report):
        count = row.get("translated")
        then[locale, page] = count if isinstance(count, int) else 0
    return {
        locale: (
            sum(then.get((locale, page.page), 0) for page in pages),
            sum(page.translated for page in pages),
        )
        for locale, pages in result.pages.items()
        if any(known == locale for known, _ in then)
    }


def _pages(report: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for locale, table in _table(report, "locales").items():
        rows = table.get("pages") if isinstance(table, dict) else None
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict) and isinstance(row.get("page"), str):
                yield str(locale), row["page"], row


def _table(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    return found if isinstance(found, dict) else {}
