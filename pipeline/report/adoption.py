"""Report of ``adopt`` for a terminal, and as JSON for programs."""

from __future__ import annotations

import json
import textwrap

from msgspec import to_builtins

from pipeline.core.adoption.result import AdoptedCopy, AdoptResult, State
from pipeline.report.findings import finding_lines
from pipeline.report.page import render
from pipeline.report.value import Screen, unstyled

_NARROWEST = 40  # columns; text is not wrapped to less, even on a narrower terminal
# Text after the count of each state: "3 doubtful, and not adopted".
_PHRASES = {
    State.KEPT: "kept as comments, because a translation is there",
    State.SAME: "the same as here",
    State.DOUBTFUL: "doubtful, and not adopted",
    State.GONE: "gone from upstream",
    State.ENGLISH: "left in English",
    State.MISSING: "missing",
    State.EXTRA: "not upstream's",
}


def adoption_text(result: AdoptResult, *, width: int) -> str:
    """Return the result for a terminal that is ``width`` columns wide."""
    lines: list[str] = []
    for copy in result.copies:
        lines += _copy_lines(copy)
    for finding in result.findings:
        lines += map(unstyled, finding_lines(finding, Screen(width=width)))
    wrapped = [_wrapped(line, max(_NARROWEST, width)) for line in lines]
    return "\n".join(wrapped).rstrip("\n") + "\n"


def _wrapped(line: str, width: int) -> str:
    """Return a line wrapped to ``width`` columns, with continuation lines indented by two more."""
    indent = len(line) - len(line.lstrip())
    return textwrap.fill(
        line,
        width,
        subsequent_indent=" " * (indent + 2),
        break_long_words=False,  # people copy paths and names from here
        break_on_hyphens=False,
    )


def version_text(copy: AdoptedCopy) -> str:
    """Return the period in which the version that a copy translates was current.

    For example: ``2021-06-01 (1fa3acb204) to 2021-08-12 (22bb9c0d15), first in jax-v0.2.14``. The
    release is omitted if none has the version. For a catalogue, the text is empty.
    """
    if copy.version is None or not copy.as_good:
        return ""
    first, last = copy.as_good[0], copy.as_good[-1]
    # Dates are cut to the day, commit ids to ten characters.
    begin = first.since[:10] or "the pin"
    end = f"{last.until[:10]} ({last.last[:10]})" if last.until else "today"
    text = f"{begin} ({first.first[:10]}) to {end}"
    if not copy.release:
        return text
    such = "first in" if len(copy.as_good) == 1 else "such as"
    return f"{text}, {such} {copy.release}"


def _copy_lines(copy: AdoptedCopy) -> list[str]:
    """Return the lines about one copy."""
    changed = copy.counts[State.CHANGED]
    doubtful = [row.place for row in copy.rows if row.state is State.DOUBTFUL]
    values = {
        "copy": copy,
        "version": version_text(copy),
        "changed": changed,
        "suggestions": copy.counts[State.EQUAL] + changed,
        "phrases": _PHRASES,
        "doubtful": doubtful,
    }
    return render("adoption.txt.j2", values).decode("utf-8").split("\n")


def adoption_json(result: AdoptResult) -> str:
    """Return the result as JSON, with every passage and every piece of code.

    In a row, ``msgstr`` is the text for the catalogue, and ``copy`` the text in the copy.
    """
    value = to_builtins(result)
    for copy, values in zip(result.copies, value["copies"], strict=True):
        values["counts"] = dict(copy.counts)
        values["changed_share"] = copy.changed_share
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
