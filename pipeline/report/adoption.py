"""What adopting copies came to: as text, as JSON, and as a page to look at for each copy.

Results go in, text or bytes come out. The page shows English, copy and pin side by side; every text
of a copy goes through a template that escapes it, and the page lets nothing run.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from pipeline.core.adoption.result import (
    AdoptedCopy,
    AdoptResult,
    Row,
    State,
    count_cells,
)
from pipeline.core.catalog.change import diff
from pipeline.log import printable
from pipeline.report.counts import counted
from pipeline.report.finding_text import finding_lines
from pipeline.report.templating import asset, environment

if TYPE_CHECKING:
    from jinja2 import Environment

_WITHOUT_ENCODER = (
    "no sentence encoder is installed (dependency group adopt): "
    "paragraphs that nothing but their meaning places are left out"
)
_NARROWEST = 40  # columns: a line with one word each says nothing
# A piece of a word diff, which was removed or added.
_MARKED = re.compile(r"\[-(.*?)-\]|\{\+(.*?)\+\}", re.DOTALL)
_SHOWN = 5  # cells that fail, avoided renderings … that the text names; the page has them all
# What is said of a state after its count.
_PHRASES = {
    State.KEPT: "kept as comments, because a translation is there",
    State.SAME: "the same as here",
    State.GONE: "gone from upstream",
    State.ENGLISH: "left in English",
    State.MISSING: "missing",
    State.EXTRA: "not upstream's",
}
_STYLES = {
    State.EQUAL: "passed",
    State.CHANGED: "partial",
    State.KEPT: "skipped",
    State.GONE: "failed",
}


def adoption_text(result: AdoptResult, *, width: int) -> str:
    """The result for a terminal that is ``width`` columns wide."""
    lines: list[str] = []
    for copy in result.copies:
        lines += map(printable, _copy_lines(copy))
        lines.append("")
    for finding in result.findings:
        for pieces in finding_lines(finding, width=width, colour=False):
            lines.append("".join(text for text, _ in pieces))
    if result.copies and not result.encoder:
        lines.append(_WITHOUT_ENCODER)
    wrapped: list[str] = []
    for line in lines:
        wrapped += _wrapped(line, max(_NARROWEST, width))
    return "\n".join(wrapped).rstrip("\n") + "\n"


def _wrapped(line: str, width: int) -> list[str]:
    """A line in lines of ``width`` columns; what goes on is indented by two more."""
    indent = len(line) - len(line.lstrip())
    wrapper = textwrap.TextWrapper(
        width,
        subsequent_indent=" " * (indent + 2),
        break_long_words=False,  # paths and names are copied from here
        break_on_hyphens=False,
    )
    return wrapper.wrap(line) or [""]


def adoption_json(result: AdoptResult) -> str:
    """The result for programs."""
    value = {
        "name": result.name,
        "locale": result.locale,
        "ref": result.ref,
        "dry_run": result.dry_run,
        "encoder": result.encoder,
        "copies": [_copy_values(copy) for copy in result.copies],
        "findings": [
            {"code": one.code, "where": one.where, "text": one.text, "hint": one.hint}
            for one in result.findings
        ],
        "changes": list(result.changes),
    }
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def to_html(copy: AdoptedCopy, *, is_audit: bool) -> bytes:
    """The report about one copy as a page of its own, UTF-8."""
    values = {
        "copy": copy,
        "is_audit": is_audit,
        "version": version_text(copy),
        "facts": list(_facts(copy)),
        "rows": [(row, _STYLES.get(row.state, "plain")) for row in copy.rows],
        "cells": [
            cell
            for cell in copy.cells
            if cell.is_altered or cell.is_strange or cell.fails
        ],
        "css": asset("report.css") + asset("adoption.css"),
    }
    text: str = _environment().get_template("adoption.html.j2").render(values)
    return text.encode("utf-8", "backslashreplace")


def version_text(copy: AdoptedCopy) -> str:
    """Which version a copy is of: ``2021-06-01 (1fa3acb) to 2021-08-12 (22bb9c0)``.

    Empty for a catalogue. With a release that had it, if there is one.
    """
    if copy.version is None or not copy.as_good:
        return ""
    first, last = copy.as_good[0], copy.as_good[-1]
    begin = first.since[:10] or "the pin"
    end = f"{last.until[:10]} ({last.last[:10]})" if last.until else "today"
    text = f"{begin} ({first.first[:10]}) to {end}"
    if not copy.release:
        return text
    such = "first in" if len(copy.as_good) == 1 else "such as"
    return f"{text}, {such} {copy.release}"


def _copy_lines(copy: AdoptedCopy) -> Iterator[str]:
    """What the terminal tells of one copy."""
    encoding = f", {copy.encoding}" if copy.encoding else ""
    yield f"{copy.file} ({copy.form}{encoding})"
    version = version_text(copy)
    told = [f"{copy.page} as of {version}" if version else copy.page]
    told += [*_facts(copy), *_code_lines(copy), *_avoided_lines(copy)]
    if copy.report:
        told.append(copy.report)
    for line in told:
        yield f"  {line}"


def _avoided_lines(copy: AdoptedCopy) -> Iterator[str]:
    """Renderings that the glossary advises against, the first ones with their places."""
    told: list[str] = []
    for row in copy.rows:
        place = row.place or "catalogue"
        told += [f"{words} ({place})" for words in row.avoided]
    for text in told[:_SHOWN]:
        yield f"the glossary advises against {text}"
    if len(told) > _SHOWN:
        yield f"… and {len(told) - _SHOWN} more such renderings"


def _facts(copy: AdoptedCopy) -> Iterator[str]:
    """What there is to say of a copy, a line each."""
    if copy.version is not None:
        behind = f"{counted(copy.behind, 'release')} behind"
        share = f"{100 * copy.changed_share:.0f} % of its paragraphs have changed since"
        yield f"{behind if copy.behind else 'up to date'}; {share}"
    counts = copy.counts
    equal, changed = counts[State.EQUAL], counts[State.CHANGED]
    told = [counted(equal + changed, "suggestion")]
    if changed:
        told[0] += f", {changed} of them for English that has changed"
    for state, phrase in _PHRASES.items():
        if counts[state]:
            told.append(f"{counts[state]} {phrase}")
    yield "; ".join(told)
    if copy.cells:
        cells = count_cells(copy.cells)
        yield (
            f"{counted(len(copy.cells), 'code cell')}: {cells['altered']} altered, "
            f"{cells['own']} not upstream's, {cells['failing']} cannot run today"
        )


def _code_lines(copy: AdoptedCopy) -> Iterator[str]:
    """Code that cannot run today, the first pieces with the reason."""
    failing = [cell for cell in copy.cells if cell.fails]
    for cell in failing[:_SHOWN]:
        why = cell.broken or f"gone: {', '.join(cell.gone)}"
        yield f"{cell.place}: {why}"
    if len(failing) > _SHOWN:
        yield f"… and {len(failing) - _SHOWN} more cells that cannot run"


def _copy_values(copy: AdoptedCopy) -> dict[str, Any]:
    """A copy for programs: what the text tells, and every row.

    Numbers are rounded, so that two runs of one copy give the same bytes.
    """
    return {
        "file": copy.file,
        "form": copy.form,
        "encoding": copy.encoding,
        "page": copy.page,
        "versions": [
            {
                "first": one.first,
                "last": one.last,
                "since": one.since,
                "until": one.until,
            }
            for one in copy.as_good
        ],
        "chosen": copy.version.first if copy.version else "",
        "release": copy.release,
        "behind": copy.behind,
        "share": round(copy.share, 4),
        "changed_share": round(copy.changed_share, 4),
        "counts": {str(state): count for state, count in sorted(copy.counts.items())},
        "cells": count_cells(copy.cells),
        "gone": sorted({name for cell in copy.cells for name in cell.gone}),
        "rows": [_row_values(row) for row in copy.rows],
        "report": copy.report,
    }


def _row_values(row: Row) -> dict[str, Any]:
    """A passage for programs.

    ``msgstr`` is what goes into the catalogue, ``copy`` what stands in the copy.
    """
    return {
        "state": str(row.state),
        "english": row.english,
        "copy": row.copy,
        "pin": row.pin,
        "page": row.page,
        "place": row.place,
        "score": round(row.score, 4),
        "change": row.change,
        "msgstr": row.msgstr,
        "avoided": list(row.avoided),
    }


def _diff_pieces(row: Row) -> Sequence[tuple[str, str]]:
    """How the English has changed since, as pieces of text with names of styles.

    ``at least [-2-]{+3+}`` → ``at least`` plain, ``2`` as removed, ``3`` as added
    """
    if not row.pin or row.pin == row.english:
        return ()
    pieces: list[tuple[str, str]] = []
    change = diff(row.english, row.pin)
    at = 0
    for match in _MARKED.finditer(change):
        pieces.append((change[at : match.start()], ""))
        pieces.append((match[1] or match[2], "removed" if match[1] else "added"))
        at = match.end()
    return [*pieces, (change[at:], "")]


@cache
def _environment() -> Environment:
    """The environment of the template, which is read once."""
    return environment({"count": counted, "diff": _diff_pieces})
