"""Commands about what runs left behind: outputs in the cache, reports of several machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.commands import cache
from pipeline.config import Settings
from pipeline.errors import FindingsError, InputError
from pipeline.paths import Paths
from pipeline.report.html import to_html
from pipeline.report.json import json_bytes
from pipeline.report.junit import to_junit
from pipeline.report.merge import merge_reports
from pipeline.report.reading import result_of
from pipeline.report.text import run_text


def tell_cache(settings: Settings, action: str) -> tuple[Sequence[str], int]:
    """Lines for people, and the exit code: 1 if entries were damaged."""
    if action == "stats":
        return cache.stats(settings).lines(), 0
    if action == "clear":
        return (cache.clear(settings),), 0
    verified = cache.verify(settings)
    return verified.lines(), FindingsError.exit_code if verified.damaged else 0


def merge_files(
    settings: Settings, names: Sequence[str], *, width: int, colour: bool, as_json: bool = False
) -> tuple[str, int]:
    """Write the reports of all shards of a run as one to ``build/``; return it as text, with its
    exit code.

    Raises InputError for a file that is no report, and for reports that are not of one run.
    """
    merged = merge_reports([_read(Path(name)) for name in names])
    result = result_of(merged)
    paths = Paths(settings.root, result.name)
    write_if_changed(paths.report, json_bytes(merged))
    write_if_changed(paths.junit, to_junit(result))
    write_if_changed(paths.report_page, to_html(result))
    text = (
        json_bytes(merged).decode("utf-8")
        if as_json
        else run_text(result, width=width, colour=colour)
    )
    return text, int(merged["exit_code"])


def _read(path: Path) -> dict[str, object]:
    try:
        value = json.loads(read_bytes(path))
    except ValueError as error:
        raise InputError(
            f"is not valid JSON: {error}",
            where=str(path),
            hint="Name the report.json of every machine.",
        ) from error
    if not isinstance(value, dict):
        raise InputError(
            "is not a report", where=str(path), hint="Name the report.json of every machine."
        )
    return value
