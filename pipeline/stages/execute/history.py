"""What each page took and raised when it last ran: ``pages.json`` beside the cache.

How records follow from runs is ``core/execution/history``; here they are read and written. One file
serves all upstreams, and several runs at a time: none of them forgets what another one wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from pipeline.adapters import files
from pipeline.core.execution.notebook import cell_name
from pipeline.core.execution.record import (
    CacheEntry,
    PageRecord,
    Ran,
    advance,
    exception_changes,
    history_text,
    parse_history,
    raised_in,
)
from pipeline.findings import Finding, Severity
from pipeline.log import Log
from pipeline.paths import Paths


class History:
    """The records of one upstream's pages. The keys of the file are ``<upstream>/<page>``."""

    def __init__(self, paths: Paths) -> None:
        self._path = paths.outputs / "pages.json"
        self._prefix = f"{paths.name}/"
        self._records: dict[str, PageRecord] = {}
        self._changed: dict[str, PageRecord] = {}
        # Of one upstream only: two of them may have pages of one name.
        for key, record in self._read_all().items():
            if key.startswith(self._prefix):
                self._records[key.removeprefix(self._prefix)] = record

    def seconds(self) -> Mapping[str, float]:
        """Return how long each page took, if it ever ran."""
        return {page: record.seconds for page, record in self._records.items()}

    def remember(
        self, page: str, key: str, entry: CacheEntry, *, release: str
    ) -> Iterator[Finding]:
        """Take in how ``page`` ran; tell what it raises that it did not raise before."""
        before = self._records.get(page)
        now = Ran(release=release, raised=raised_in(entry.outputs, entry.exceptions))
        record = advance(
            before,
            key=key,
            seconds=entry.seconds,
            now=now,
            is_whole=entry.failure is None,
        )
        # Most pages come from the cache and are as they were: then nothing is written.
        if record != before:
            self._records[page] = record
            self._changed[page] = record
        return _findings(page, record)

    def save(self, log: Log) -> None:
        """Write what changed. Another run may have written meanwhile: its pages stay."""
        if not self._changed:
            return
        # Read anew: what this run has in its hands is as old as the run.
        records = self._read_all()
        for page, record in self._changed.items():
            records[f"{self._prefix}{page}"] = record
        try:
            files.write_if_changed(self._path, history_text(records).encode("ascii"))
        except files.WriteError as error:
            # What is lost is the order of the next run, and what changed between two releases.
            log.warn(str(error))

    def _read_all(self) -> dict[str, PageRecord]:
        # The first run; also a file that may not be read stops nothing.
        with suppress(OSError):
            return parse_history(self._path.read_bytes())
        return {}


def _findings(page: str, record: PageRecord) -> Iterator[Finding]:
    # A page that ran for the first time has nothing to be compared with.
    if record.before is None:
        return
    before, now = record.before.release, record.now.release
    for cell, raised, raises in exception_changes(record):
        yield Finding(
            code="exception-changed",
            severity=Severity.WARNING,
            where=f"{page}, {cell_name(cell)}",
            text=f"raised {raised} with {before}, raises {raises} with {now}",
            page=page,
            hint="Look whether the prose around it still tells the truth.",
        )
