"""Store of each page's last duration and exceptions: ``pages.json`` beside the cache.

``core/execution/record`` defines the records; this module reads and writes them. One file serves
all upstreams and simultaneous runs: no run drops the records that another one wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from pipeline.adapters import files
from pipeline.core.execution.notebook import cell_name
from pipeline.core.execution.record import (
    CacheEntry,
    PageRecord,
    ReleaseExceptions,
    exception_changes,
    history_text,
    next_record,
    parse_history,
    raised_in,
)
from pipeline.findings import Finding, Severity
from pipeline.log import Log
from pipeline.paths import Paths


class History:
    """Records of one upstream's pages. Keys in the file are ``<upstream>/<page>``."""

    def __init__(self, paths: Paths) -> None:
        self._path = paths.outputs / "pages.json"
        self._prefix = f"{paths.name}/"
        self._records: dict[str, PageRecord] = {}
        self._changed: dict[str, PageRecord] = {}
        # Only this upstream, because two upstreams may have pages of the same name.
        for key, record in self._read_all().items():
            if key.startswith(self._prefix):
                self._records[key.removeprefix(self._prefix)] = record

    def seconds(self) -> Mapping[str, float]:
        """Return the duration of each page that ever ran, in seconds."""
        return {page: record.seconds for page, record in self._records.items()}

    def remember(
        self, page: str, key: str, entry: CacheEntry, *, release: str
    ) -> Iterator[Finding]:
        """Record the run of ``page``, and return a finding for each changed exception."""
        before = self._records.get(page)
        now = ReleaseExceptions(
            release=release, raised=raised_in(entry.outputs, entry.exceptions)
        )
        record = next_record(
            before,
            key=key,
            seconds=entry.seconds,
            now=now,
            is_whole=entry.failure is None,
        )
        # Most pages come from the cache unchanged, so that nothing is written.
        if record != before:
            self._records[page] = record
            self._changed[page] = record
        return _findings(page, record)

    def save(self, log: Log) -> None:
        """Write the changed records, and keep those that another run has written meanwhile."""
        if not self._changed:
            return
        # Read the file again, because the records in memory are from the start of the run.
        records = self._read_all()
        for page, record in self._changed.items():
            records[f"{self._prefix}{page}"] = record
        try:
            files.write_if_changed(self._path, history_text(records).encode("ascii"))
        except files.WriteError as error:
            # Only a warning: the loss affects the order of the next run, and the comparison of
            # releases.
            log.warn(str(error))

    def _read_all(self) -> dict[str, PageRecord]:
        # The file is missing in the first run. An unreadable one is no reason to stop.
        with suppress(OSError):
            return parse_history(self._path.read_bytes())
        return {}


def _findings(page: str, record: PageRecord) -> Iterator[Finding]:
    # After the first run of a page there is nothing to compare.
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
