"""report: make one report of those of several machines that have shared a run.

In go the ``report.json`` of every machine, out comes one as if a single machine had done it all.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.config import Settings
from pipeline.errors import InputError
from pipeline.paths import Paths
from pipeline.report.html import to_html
from pipeline.report.json import json_bytes
from pipeline.report.junit import to_junit
from pipeline.report.merge import merge_reports
from pipeline.report.reading import result_of
from pipeline.report.result import RunResult
from pipeline.report.text import run_text

_HINT = "Name the report.json of every machine."


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedReport:
    """The report of all machines. ``data`` is its JSON."""

    data: bytes
    result: RunResult
    exit_code: int  # of the whole run

    @property
    def json(self) -> str:
        """For programs."""
        return self.data.decode("utf-8")

    def text(self, *, width: int, colour: bool) -> str:
        """For people."""
        return run_text(self.result, width=width, colour=colour)


def merge_files(settings: Settings, names: Sequence[str]) -> MergedReport:
    """Write the reports of all shards of a run as one to ``build/``, and return it.

    Raises InputError for a file that is no report, and for reports that are not of one run.
    """
    merged = merge_reports([_read(Path(name)) for name in names])
    result = result_of(merged)
    data = json_bytes(merged)
    # Where a run of one machine leaves its own: what shows reports need not know of machines.
    paths = Paths(settings.root, result.name)
    write_if_changed(paths.report, data)
    write_if_changed(paths.junit, to_junit(result))
    write_if_changed(paths.report_page, to_html(result))
    # The one that was written: a shard may have ended with what its findings do not tell.
    return MergedReport(data=data, result=result, exit_code=int(merged["exit_code"]))


def _read(path: Path) -> dict[str, object]:
    """The object of JSON that a file holds. Raises InputError if it holds anything else."""
    try:
        value = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"is not valid JSON: {error}", where=str(path), hint=_HINT
        ) from error
    # Whether it has the parts of a report is for "merge_reports" to say.
    if not isinstance(value, dict):
        raise InputError("is not a report", where=str(path), hint=_HINT)
    return value
