"""``pages.json`` beside the cache: what each page took and raised when it last ran. See
``core/run_history.py``."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from pipeline.adapters import files
from pipeline.core.execution.entry import CacheEntry
from pipeline.core.execution.history import (
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
    """The records of one upstream's pages. ``save`` writes those that changed and leaves others' as
    they are now.

    One file serves all upstreams: its keys are ``<upstream>/<page>``.
    """

    def __init__(self, paths: Paths) -> None:
        self._path = paths.outputs / "pages.json"
        self._name = paths.name
        self._records = self._read()
        self._changed: dict[str, PageRecord] = {}

    def seconds(self) -> Mapping[str, float]:
        """How long each page took, if it ever ran."""
        return {page: record.seconds for page, record in self._records.items()}

    def remember(self, page: str, key: str, entry: CacheEntry, *, jax: str) -> tuple[Finding, ...]:
        """Take in how ``page`` ran; tell what it raises that it did not raise before."""
        before = self._records.get(page)
        now = Ran(jax=jax, raised=raised_in(entry.outputs, entry.exceptions))
        record = advance(
            before, key=key, seconds=entry.seconds, now=now, is_whole=entry.failure is None
        )
        if record != before:
            self._records[page] = self._changed[page] = record
        return _findings(page, record)

    def save(self, log: Log) -> None:
        """Write what changed. Another run may have written meanwhile: its pages stay."""
        if not self._changed:
            return
        records = {f"{self._name}/{page}": record for page, record in self._changed.items()}
        try:
            files.write_if_changed(
                self._path, history_text({**self._read_all(), **records}).encode("ascii")
            )
        except files.WriteError as error:
            log.warn(str(error))

    def _read(self) -> dict[str, PageRecord]:
        start = f"{self._name}/"
        return {
            page.removeprefix(start): record
            for page, record in self._read_all().items()
            if page.startswith(start)
        }

    def _read_all(self) -> dict[str, PageRecord]:
        with suppress(OSError):
            return parse_history(self._path.read_bytes())
        return {}


def _findings(page: str, record: PageRecord) -> tuple[Finding, ...]:
    if record.before is None:
        return ()
    before, now = record.before.jax, record.now.jax
    return tuple(
        Finding(
            code="exception-changed",
            severity=Severity.WARNING,
            where=f"{page}, code cell {change.cell}",
            text=f"cell {change.cell} raised {change.before} with JAX {before}, raises {change.after} with JAX {now}",
            page=page,
            hint="Look whether the prose around it still tells the truth.",
        )
        for change in exception_changes(record)
    )
