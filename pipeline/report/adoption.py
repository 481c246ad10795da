"""What adopting copies came to: as text, as JSON, and as a page to look at for each copy.

Results go in, text or bytes come out. The page shows English, copy and pin side by side; every text
of a copy goes through a template that escapes it, and the page lets nothing run.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
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

if TYPE_CHECKING:
    from jinja2 import Environment

_WITHOUT_ENCODER = (
    "no sentence encoder is installed (dependency group adopt): "
    "paragraphs that nothing but their meaning places are left out"
)
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
        lines += [printable(line) for line in _copy_lines(copy, result)]
        lines.append("")
    for finding in result.findings:
        for pieces in finding_lines(finding, width=width, colour=False):
            lines.append("".join(text for text, _ in pieces))
    if result.copies and not result.encoder:
        lines.append(_WITHOUT_ENCODER)
    wrapped: list[str] = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        wrapped += textwrap.wrap(
            line,
            max(40, width),
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return "\n".join(wrapped).rstrip("\n") + "\n"


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
        "css": _asset("report.css") + _asset("adoption.css"),
    }
    text: str = _environment().get_template("adoption.html.j2").render(values)
    return text.encode("utf-8", "backslashreplace")


def version_text(copy: AdoptedCopy) -> str:
    """Which version a copy is of: ``2021-06-01 (1fa3acb) to 2021-08-12 (22bb9c0)``."""
    if copy.version is None or not copy.as_good:
        return ""
    first, last = copy.as_good[0], copy.as_good[-1]
    end = f"{last.until[:10]} ({last.last[:10]})" if last.until else "today"
    text = f"{first.since[:10] or 'the pin'} ({first.first[:10]}) to {end}"
    if copy.release:
        is_only = len(copy.as_good) == 1
        text += f", first in {copy.release}" if is_only else f", such as {copy.release}"
    return text


def _copy_lines(copy: AdoptedCopy, result: AdoptResult) -> Iterator[str]:
    encoding = f", {copy.encoding}" if copy.encoding else ""
    yield f"{copy.file} ({copy.form}{encoding})"
    version = version_text(copy)
    yield f"  {copy.page}" + (f" as of {version}" if version else "")
    yield from (f"  {fact}" for fact in _facts(copy))
    yield from _code_lines(copy)
    avoided = [(row, words) for row in copy.rows for words in row.avoided]
    for row, words in avoided[:_SHOWN]:
        yield f"  the glossary advises against {words} ({row.place or 'catalogue'})"
    if len(avoided) > _SHOWN:
        yield f"  … and {len(avoided) - _SHOWN} more such renderings"
    if copy.report:
        yield f"  {copy.report}"


def _facts(copy: AdoptedCopy) -> Iterator[str]:
    """What there is to say of a copy, a line each."""
    if copy.version is not None:
        behind = (
            f"{counted(copy.behind, 'release')} behind" if copy.behind else "up to date"
        )
        yield f"{behind}; {100 * copy.changed_share:.0f} % of its paragraphs have changed since"
    counts = copy.counts
    equal, changed = counts[State.EQUAL], counts[State.CHANGED]
    adopted = f"{counted(equal + changed, 'suggestion')}"
    if changed:
        adopted += f", {changed} of them for English that has changed"
    others = [
        f"{counts[state]} {phrase}"
        for state, phrase in _PHRASES.items()
        if counts[state]
    ]
    yield "; ".join([adopted, *others])
    if copy.cells:
        cells = count_cells(copy.cells)
        yield (
            f"{counted(len(copy.cells), 'code cell')}: {cells['altered']} altered, "
            f"{cells['own']} not upstream's, {cells['failing']} cannot run today"
        )


def _code_lines(copy: AdoptedCopy) -> Iterator[str]:
    failing = [cell for cell in copy.cells if cell.fails]
    for cell in failing[:_SHOWN]:
        why = cell.broken or f"gone: {', '.join(cell.gone)}"
        yield f"  {cell.place}: {why}"
    if len(failing) > _SHOWN:
        yield f"  … and {len(failing) - _SHOWN} more cells that cannot run"


def _copy_values(copy: AdoptedCopy) -> dict[str, Any]:
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
    """How the English has changed since, as pieces of text with names of styles."""
    if not row.pin or row.pin == row.english:
        return ()
    pieces: list[tuple[str, str]] = []
    rest = diff(row.english, row.pin)
    for mark, end, style in _marks(rest):
        before, _, rest = rest.partition(mark)
        words, _, rest = rest.partition(end)
        pieces += [(before, ""), (words, style)]
    return [*pieces, (rest, "")]


def _marks(text: str) -> Iterator[tuple[str, str, str]]:
    """The marks of a word diff, in order: what opens and closes it, and its style."""
    at = 0
    while True:
        places = {text.find(mark, at): mark for mark in ("[-", "{+")}
        found = [place for place in places if place >= 0]
        if not found:
            return
        mark = places[min(found)]
        yield (mark, "-]", "removed") if mark == "[-" else (mark, "+}", "added")
        at = min(found) + 2


@cache
def _environment() -> Environment:
    """The environment of the template, which is read once."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,  # no text becomes markup
        finalize=_visible,
        loader=FunctionLoader(_asset),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {"count": counted, "diff": _diff_pieces}
    return environment


def _visible(value: object) -> object:
    """What the template prints of ``value``: control characters as Python writes them."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return printable(value)
    return value


@cache
def _asset(name: str) -> str:
    return (resources.files("pipeline.report") / "templates" / name).read_text("utf-8")
