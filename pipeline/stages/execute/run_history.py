"""Store of the last duration and exceptions of each page: the file ``pages.json`` beside the cache.

The next run starts slow pages first, and reports exceptions that another release changed.
``core/execution/result`` defines the records. All upstreams share the file, and several runs may
write it at the same time. No run drops the records that another run has written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipeline.adapters import files
from pipeline.core.execution import result
from pipeline.core.execution.code_cells import cell_name
from pipeline.core.execution.result import CacheEntry, PageRecord, ReleaseExceptions
from pipeline.findings import Finding
from pipeline.log import Log
from pipeline.paths import Paths


class History:
    """Records of the pages of one upstream. In the file, their keys are ``<upstream>/<page>``."""

    def __init__(self, paths: Paths) -> None:
        self._path = paths.outputs / "pages.json"
        self._prefix = f"{paths.name}/"
        self._records: dict[str, PageRecord] = {}
        self._changed: dict[str, PageRecord] = {}
        # Take the records of this upstream only: other upstreams may have pages of the same name.
        for key, record in self._read_all().items():
            if key.startswith(self._prefix):
                self._records[key.removeprefix(self._prefix)] = record

    def seconds(self) -> Mapping[str, float]:
        """Return the last duration, in seconds, of each page that has ever run."""
        return {page: record.seconds for page, record in self._records.items()}

    def remember(
        self, page: str, key: str, entry: CacheEntry, *, release: str
    ) -> Iterator[Finding]:
        """Record the run of ``page``; return a finding for each exception that has changed.

        ``key`` is the page's cache key. ``release`` is the release that the page ran on. An
        exception has changed if the same cell raised a different exception, or none, on the
        previous release.
        """
        before = self._records.get(page)
        now = ReleaseExceptions(
            release=release, raised=result.raised_in(entry.outputs, entry.exceptions)
        )
        record = result.next_record(
            before,
            key=key,
            seconds=entry.seconds,
            now=now,
            is_whole=entry.failure is None,
        )
        # Most pages come from the cache, so most records stay the same.
        if record != before:
            self._records[page] = record
            self._changed[page] = record
        return _findings(page, record)

    def save(self, log: Log) -> None:
        """Write the changed records. Records that another run has written meanwhile stay."""
        if not self._changed:
            return
        # Read the file again, because the records in memory are from the start of the run.
        records = self._read_all()
        for page, record in self._changed.items():
            records[f"{self._prefix}{page}"] = record
        try:
            files.write_if_changed(self._path, result.history_text(records).encode("ascii"))
        except files.WriteError as error:
            # A warning is enough: without the records, only the order of the pages in the next run
            # and the comparison of releases suffer.
            log.warn(str(error))

    def _read_all(self) -> dict[str, PageRecord]:
        # The file is missing in the first run. An unreadable file does not stop a run either.
        return result.parse_history(files.read_own(self._path) or b"")


def _findings(page: str, record: PageRecord) -> Iterator[Finding]:
    # A page that has run for the first time has no earlier exceptions.
    if record.before is None:
        return
    before, now = record.before.release, record.now.release
    for cell, raised, raises in result.exception_changes(record):
        yield Finding.from_table(
            "exception-changed",
            where=f"{page}, {cell_name(cell)}",
            page=page,
            raised=raised,
            before=before,
            raises=raises,
            now=now,
        )
