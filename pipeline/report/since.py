"""What changed since the last run: its ``report.json`` beside the result of this one.

The old report may be of any shape: older, damaged, of another upstream. One that cannot be read
is as none; comparing never fails a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

import msgspec

from pipeline.core.execution.result import Status
from pipeline.core.pin.lock import page_path
from pipeline.report.result import RunResult


class _Upstream(msgspec.Struct, frozen=True):
    name: str
    ref: str
    commit: str
    version: str


class _Execution(msgspec.Struct, frozen=True):
    status: str


class _Page(msgspec.Struct, frozen=True):
    page: str
    translated: int
    execution: _Execution | None


class _Locale(msgspec.Struct, frozen=True):
    pages: tuple[_Page, ...]


class Previous(msgspec.Struct, frozen=True):
    """As much of the last run's report as is compared. ``only`` are patterns of its pages."""

    upstream: _Upstream
    locales: dict[str, _Locale]
    only: tuple[str, ...] = ()

    @property
    def pages(self) -> Iterator[_Page]:
        """The pages of all locales."""
        return chain.from_iterable(locale.pages for locale in self.locales.values())


def read_previous(data: bytes) -> Previous | None:
    """Return the report in a file; None if it is no report of this version."""
    try:
        return msgspec.json.decode(data, type=Previous)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


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


def since(previous: Previous | None, result: RunResult) -> Since | None:
    """What ``result`` has that the report ``previous`` has not; None without a report to compare.

    Pages that were run both times are compared; they count as newly failing if they did anything
    but fail then.
    """
    # The report of another upstream lies at the same place: runs of two alternate.
    if previous is None or previous.upstream.name != result.name:
        return None
    then = {
        page.page: page.execution.status for page in previous.pages if page.execution
    }
    # A page that did not run the last time is no news, whatever it does now.
    newly: dict[Status, list[str]] = {status: [] for status in Status}
    for run in result.executions:
        if then.get(run.page, run.status.value) != run.status.value:
            newly[run.status].append(run.page)
    moved = _moved(previous.upstream, result)
    # Where upstream stayed, pages come and go only because others were asked for.
    appeared, vanished = _came_and_went(previous, result) if moved else ((), ())
    return Since(
        upstream=moved,
        failing=tuple(newly[Status.FAILED]),
        passing=tuple(newly[Status.PASSED]),
        partial=tuple(newly[Status.PARTIAL]),
        skipped=tuple(newly[Status.SKIPPED]),
        appeared=appeared,
        vanished=vanished,
        translated=_translated(previous, result),
    )


def _moved(upstream: _Upstream, result: RunResult) -> tuple[str, str] | None:
    """Where upstream was then and is now; None if it did not move."""
    lock = result.lock
    then = (upstream.ref, upstream.commit, upstream.version)
    now = (lock.ref, lock.commit, lock.version)
    if then == now:
        return None
    return _end(*then, lock.package), _end(*now, lock.package)


def _end(ref: str, commit: str, version: str, package: str) -> str:
    """Where upstream was or is: ``v2 (0123456789), JAX 0.10.2``.

    A plain folder has no ref, docs without a package no version: ``docs (0123456789)``.
    """
    release = f", {package} {version or '?'}" if package else ""
    return f"{ref or 'docs'} ({commit[:10]}){release}"


def _came_and_went(
    previous: Previous, result: RunResult
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The pages that appeared, and those that vanished, sorted."""
    then = {page.page for page in previous.pages}
    now = {page.page for page in chain.from_iterable(result.pages.values())}
    # A run may be of a few pages only: what upstream still has did not vanish, and what the last
    # run did not look at may have been there.
    there = {page_path(file.path).rpartition(".")[0] for file in result.lock.files}
    appeared = () if previous.only else tuple(sorted(now - then))
    return appeared, tuple(sorted(then - now - there))


def _translated(previous: Previous, result: RunResult) -> dict[str, tuple[int, int]]:
    """By locale, how many messages were finished then and are now: ``{"zh_CN": (410, 412)}``.

    Of the pages of this run only: it may be of a few pages.
    """
    translated = {}
    for locale, pages in result.pages.items():
        # A locale that the old report does not know is not told as one that began at 0.
        if locale not in previous.locales:
            continue
        rows = previous.locales[locale].pages
        told = {row.page: row.translated for row in rows}
        # So may the last one have been: what it did not tell of has not begun at 0.
        compared = [page for page in pages if not previous.only or page.page in told]
        before = sum(told.get(page.page, 0) for page in compared)
        translated[locale] = (before, sum(page.translated for page in compared))
    return translated
