"""Badges for a README, as JSON files from which shields.io draws a label and a value.

``badges_of`` turns the result of one locale into the bytes of these files.
"""

from __future__ import annotations

import json
import re

from pipeline.core.catalog.commit_diff import Comparison
from pipeline.core.results import progress_of, whole_percent
from pipeline.report.counts import counted
from pipeline.report.result import RunResult

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
