"""What ``check`` found, as text, JSON and GitHub annotations (SARIF: see sarif). Values in, text or bytes out: the caller prints.

What stands in catalogues reaches terminals and logs escaped, and starts no workflow command of GitHub's.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from io import StringIO
from itertools import groupby
from typing import Any

from pipeline.findings import CheckResult, Mistake, Severity
from pipeline.log import NORMAL, QUIET, VERBOSE, printable

VERSION = 1  # of the layout of the JSON: raised when a reader of the old one would stumble
_MARKED = 3  # places that are shown of one long msgstr
_CLOSE = 3  # characters between two changes that are shown as one
_COMMAND = re.compile(r"^(\s*):(?=:)|##(?=\[)")  # what GitHub's runner would take for a command
_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}  # as GitHub calls them

Pieces = list[tuple[str, str]]  # one line: texts, each with a style of rich's
Span = tuple[int, int]


def render(
    result: CheckResult, form: str, *, width: int = 140, colour: bool = False, level: int = NORMAL
) -> str:
    """``result`` in one of ``arguments.FORMATS``. ``level`` is the log's; only text and annotations heed it."""
    if form == "json":
        return to_json(result).decode("utf-8")
    if form == "sarif":
        from pipeline.report.sarif import to_sarif

        return _json(to_sarif(result)).decode("utf-8")
    if form == "github":
        return to_github(result, verbose=level >= VERBOSE)
    return to_text(result, width=width, colour=colour, level=level)


def to_text(result: CheckResult, *, width: int, colour: bool, level: int = NORMAL) -> str:
    """What a person reads: what was mended, a block per mistake in the order of the files, one line of summary.

    ``width`` is in columns, of which a Chinese character takes two. Words that are wrong are underlined, or stand in ``»…«`` without
    ``colour``. Notes are listed only at level ``VERBOSE``; ``QUIET`` leaves out all but errors and warnings.
    """
    quiet, verbose = level <= QUIET, level >= VERBOSE
    lines = [] if quiet else list(_diff_lines(result))
    for mistake in result.mistakes:
        if verbose or mistake.severity is not Severity.NOTE:
            lines += [*_block(mistake, width=width, colour=colour), []]
    if not quiet:
        lines.append([(summary(result, verbose=verbose), "bold")])
    return (
        _coloured(lines, width)
        if colour
        else "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)
    )


def summary(result: CheckResult, *, verbose: bool = False) -> str:
    """The last line: how many of what in how many, and what can be done about it."""
    counts = Counter(mistake.severity for mistake in result.mistakes)
    levels = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    found = (
        ", ".join(_plural(counts[level], level.value) for level in levels if counts[level])
        or "no mistakes"
    )
    parts = [
        f"{found} in {_plural(result.entries, 'entry', 'entries')} of {_plural(result.files, 'catalogue')}"
    ]
    if fixable := sum(mistake.fixed is not None for mistake in result.mistakes):
        parts.append(f"--fix mends {fixable}")
    if result.written:
        parts.append(f"{_plural(len(result.written), 'file')} mended")
    if result.silenced:
        parts.append(f"{result.silenced} silenced")
    if counts[Severity.NOTE] and not verbose:
        parts.append("-v shows the notes")
    return "; ".join(parts)


def to_json(result: CheckResult) -> bytes:
    """All of it for programs. ``spans`` count code points of the msgstr."""
    mistakes = [dataclasses.asdict(mistake) for mistake in result.mistakes]
    for mistake in mistakes:
        del mistake["exit_code"]
    counts = Counter(mistake.severity for mistake in result.mistakes)
    record = {
        "version": VERSION,
        "exit_code": result.exit_code,
        "files": result.files,
        "entries": result.entries,
        "silenced": result.silenced,
        "counts": {severity.value: counts[severity] for severity in Severity},
        "mistakes": mistakes,
        "written": list(result.written),
        "diffs": result.diffs,
    }
    return _json(record)


def to_github(result: CheckResult, *, verbose: bool = False) -> str:
    """A workflow command for each mistake: GitHub shows it at its line of the change. Notes only if ``verbose``."""
    return "".join(
        _annotation(mistake)
        for mistake in result.mistakes
        if verbose or mistake.severity is not Severity.NOTE
    )


def excerpt(text: str, spans: Sequence[Span], width: int) -> list[tuple[str, bool]]:
    """The parts of ``text`` around ``spans``, on one line of at most ``width`` columns, and whether each is marked.

    What is left out is ``…``; characters that cannot be seen are escaped. Without spans it is the beginning.
    """
    shown = [_visible(character) for character in text]
    inside = [
        (max(0, start), min(end, len(text)))
        for start, end in spans
        if start < end and start < len(text)
    ]
    marked = bytearray(len(text))
    for start, end in inside:
        marked[start:end] = b"\1" * (end - start)
    kept = _kept(list(map(_columns, shown)), inside, width)
    pieces: list[tuple[str, bool]] = []
    for (keep, mark), group in groupby(range(len(text)), key=lambda at: (kept[at], marked[at])):
        if keep or not (pieces and pieces[-1][0].endswith("…")):
            pieces.append(("".join(shown[at] for at in group) if keep else "…", bool(mark)))
    return [
        ("".join(piece for piece, _ in group), mark)
        for mark, group in groupby(pieces, key=lambda piece: piece[1])
    ]


def _kept(columns: list[int], spans: Sequence[Span], width: int) -> bytearray:
    """Which characters are shown: all, or some around both ends of the first spans."""
    if sum(columns) <= width:
        return bytearray(b"\1" * len(columns))
    kept = bytearray(len(columns))
    ends = [
        end
        for start, stop in spans[:_MARKED]
        for end in ((start, stop - 1) if stop - start > 1 else (start,))
    ] or [0]
    room = width - 2 * len(ends)  # for "…" on either side of each
    reach = [(at, at) for at in ends]
    grown = True
    while grown:  # every window by a character on either side, in turn, while there is room
        grown = False
        for number, (low, high) in enumerate(reach):
            for at in (low, high):
                if 0 <= at < len(columns) and (kept[at] or columns[at] <= room):
                    room -= 0 if kept[at] else columns[at]
                    kept[at] = 1
                    grown = True
            reach[number] = (
                low - 1 if low >= 0 and kept[low] else -1,
                high + 1 if high < len(columns) and kept[high] else len(columns),
            )
    return kept


def _block(mistake: Mistake, *, width: int, colour: bool) -> Iterator[Pieces]:
    """One mistake: place, section, the words, what is wrong, what to do."""
    tint = _COLOURS[mistake.severity]
    place = (_line(f"{mistake.file}:{mistake.line}: "), "bold")
    yield [
        place,
        (mistake.severity.value, f"bold {tint}"),
        (f" {mistake.code} ", "bold"),
        (_line(mistake.name), ""),
    ]
    if mistake.section:
        yield [(_line(f"  {mistake.section}"), "dim")]
    if mistake.msgstr:
        yield _words(
            mistake.msgstr, mistake.spans, width - 2, style=f"underline {tint}", marks=not colour
        )
    yield [(_line(f"  {mistake.text}"), "")]
    if mistake.hint:
        yield [(_line(f"  → {mistake.hint}"), "")]
    if mistake.fixed is not None:
        label = "  --fix makes it: "
        changed = _changed(mistake.msgstr, mistake.fixed)
        yield [
            (label, "dim"),
            *_words(mistake.fixed, changed, width - len(label), style="underline green", indent=""),
        ]


def _words(
    text: str,
    spans: Sequence[Span],
    width: int,
    *,
    style: str,
    marks: bool = False,
    indent: str = "  ",
) -> Pieces:
    spans = spans[:_MARKED]
    pieces = excerpt(text, spans, width - 2 * len(spans) * marks)
    left, right = "»«" if marks else ("", "")
    words = [
        (_harmless(f"{left}{piece}{right}"), style) if marked else (_harmless(piece), "")
        for piece, marked in pieces
    ]
    return [(indent, ""), *words]


def _changed(before: str, after: str) -> list[Span]:
    """Where ``after`` differs; a place where something is gone is marked by its neighbours. What lies close together is one place."""
    from rapidfuzz.distance import Levenshtein

    spans: list[Span] = []
    for block in Levenshtein.opcodes(before, after):
        if block.tag == "equal":
            continue
        gone = block.tag == "delete"
        start, end = max(0, block.dest_start - gone), min(len(after), block.dest_end + gone)
        if spans and start - spans[-1][1] <= _CLOSE:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _diff_lines(result: CheckResult) -> Iterator[Pieces]:
    """What ``--fix`` changed."""
    styles = {"+": "green", "-": "red", "@": "cyan"}
    if result.diffs:
        yield from (
            [(_line(row), styles.get(row[:1], ""))]
            for row in result.diffs.removesuffix("\n").split("\n")
        )
        yield []


def _coloured(lines: Iterable[Pieces], width: int) -> str:
    from rich.console import Console
    from rich.text import Text

    out = StringIO()
    console = Console(file=out, width=width, force_terminal=True, highlight=False)
    for line in lines:
        console.print(Text.assemble(*line), soft_wrap=True)
    return out.getvalue()


def _annotation(mistake: Mistake) -> str:
    place = {
        "file": mistake.file,
        "line": str(max(1, mistake.line)),
        "title": f"{mistake.code} {mistake.name}",
    }
    properties = ",".join(
        f"{name}={_data(value).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in place.items()
    )
    message = "\n".join(
        filter(None, (mistake.section, mistake.text, mistake.hint and f"→ {mistake.hint}"))
    )
    return f"::{_LEVELS[mistake.severity]} {properties}::{_data(message)}\n"


def _data(text: str) -> str:
    """``text`` as the message of a workflow command."""
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _line(text: str) -> str:
    """``text`` as one line that is safe to print."""
    return _harmless(printable(text.replace("\n", "⏎")))


def _harmless(text: str) -> str:
    return _COMMAND.sub(r"\g<0> ", text)


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    return "⏎" if character == "\n" else character.encode("unicode_escape").decode("ascii")


@lru_cache(maxsize=8192)
def _columns(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _plural(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _json(record: dict[str, Any]) -> bytes:
    text = json.dumps(record, ensure_ascii=False, indent=1)
    return f"{text}\n".encode(
        "utf-8", "backslashreplace"
    )  # a lone surrogate turns into JSON's own escape
