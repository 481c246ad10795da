"""A finding as a person reads it, whoever found it: the one place that lays findings out as text.

A finding about an entry of a catalogue is a block: place, section, the words, what is wrong, what
to do. Any other is a line, with its hint below. What stands in pages and catalogues comes out
escaped, and starts no workflow command of GitHub's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.findings import Finding, Severity, Span
from pipeline.log import printable, without_commands
from pipeline.report.counts import counted
from pipeline.report.excerpt import MARKED, columns_of, excerpt
from pipeline.report.value import Findings, Line, Piece, unstyled

if TYPE_CHECKING:
    from pipeline.report.chinese import Language

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
LISTED = 20  # findings, and failures, that a terminal shows; report.json has all
_COLUMNS = 140  # of an excerpt, if a finding has one: these lines may go anywhere
_CLOSE = 3  # characters between two changes that are shown as one


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The words of a block that are no finding's own."""

    severities: Mapping[Severity, str]
    fixed: str  # before what --fix makes of it


ENGLISH = Labels(
    severities={severity: severity.value for severity in Severity},
    fixed="  --fix makes it: ",
)


def findings_lines(block: Findings, language: Language) -> list[str]:
    """Findings for a terminal, errors first, each with its hint below; a long list is cut."""
    weights = [Severity.ERROR, Severity.WARNING]
    if block.has_notes:
        weights.append(Severity.NOTE)
    findings = block.findings
    told = [finding for finding in findings if finding.severity in weights]
    told.sort(key=lambda finding: weights.index(finding.severity))
    lines: list[str] = []
    for finding in map(language.finding, told[:LISTED]):
        styled = finding_lines(
            finding, width=_COLUMNS, colour=False, labels=language.labels
        )
        lines += map(unstyled, styled)
    if len(told) > LISTED:
        lines.append(language.sentence(more(len(told) - LISTED)))
    # What is not worth a line is counted, so that people know that it is there.
    if len(findings) > len(told):
        hidden = counted(len(findings) - len(told), "note")
        lines.append(language.sentence(f"{hidden}: -v lists them"))
    return lines


def more(count: int) -> str:
    """The last line of a list that is cut."""
    return f"… and {count} more: see build/report.json"


def finding_lines(
    finding: Finding, *, width: int, colour: bool, labels: Labels = ENGLISH
) -> Iterator[Line]:
    """``finding`` as lines for a terminal of ``width`` columns.

    Words that are wrong have a style; without ``colour``, which shows no styles, they stand in
    ``»…«`` as well.
    """
    if finding.file:
        return entry_lines([finding], width=width, colour=colour, labels=labels)
    return _short(finding, labels)


def _short(finding: Finding, labels: Labels) -> Iterator[Line]:
    """``error [input-error] a.ipynb: is no notebook``, with the hint below."""
    place = f" {finding.where}" if finding.where else ""
    severity = labels.severities[finding.severity]
    head = f"{severity} [{finding.code}]{place}: {finding.text}"
    yield [(printable(head), "")]
    if finding.hint:
        yield [(printable(f"    {finding.hint}"), "")]


def entry_lines(
    findings: Sequence[Finding],
    *,
    width: int,
    colour: bool,
    labels: Labels = ENGLISH,
) -> Iterator[Line]:
    """The findings about one entry: a line for each thing that there is to say of them.

    What they share is shown once: the section, the words, what ``--fix`` makes of it.

    ::

        a.po:7: error M201 code lost or changed
          Section
          调用»jit«。
          the translation lacks `jit`
          → write it as in the English
        a.po:7: warning M401 no space between Chinese and Latin
          has no space in `用jit`
          --fix makes it: 调用 `jit`。
    """
    first = findings[0]
    spans = _spans_of_all(findings)
    for finding in findings:
        yield _head(finding, labels)
        if finding is first and first.section:
            yield [(on_one_line(f"  {first.section}"), "dim")]
        # Where there are too many marks for one line, each finding shows its own.
        if finding is not first and not {*finding.spans} <= {*spans}:
            spans = finding.spans
            yield _marked(finding, spans, width=width, colour=colour)
        elif finding is first and first.msgstr:
            yield _marked(first, spans, width=width, colour=colour)
        yield [(on_one_line(f"  {finding.text}"), "")]
        if finding.hint:
            yield [(on_one_line(f"  → {finding.hint}"), "")]
    fixed = next((one.fixed for one in findings if one.fixed is not None), None)
    if fixed is not None:
        changes = _changes(first.msgstr, fixed)
        room = width - columns_of(labels.fixed)
        words = _words(fixed, changes, width=room, style="underline green")
        yield [(labels.fixed, "dim"), *words]


def _spans_of_all(findings: Sequence[Finding]) -> Sequence[Span]:
    """The places that all of the findings mark, or only the first, if they are too many."""
    spans = sorted({span for finding in findings for span in finding.spans})
    return spans if len(spans) <= MARKED else findings[0].spans


def _head(finding: Finding, labels: Labels) -> Line:
    """``a.po:7: error M201 code lost or changed``."""
    # "file:line:" at the start of a line is what editors and terminals make a link of.
    return [
        (on_one_line(f"{finding.place}: "), "bold"),
        (labels.severities[finding.severity], f"bold {_COLOURS[finding.severity]}"),
        (f" {finding.code} ", "bold"),
        (on_one_line(finding.name), ""),
    ]


def _marked(
    finding: Finding, spans: Sequence[Span], *, width: int, colour: bool
) -> Line:
    """The translation on one line, with ``spans`` marked."""
    style = f"underline {_COLOURS[finding.severity]}"
    words = _words(
        finding.msgstr, spans, width=width - 2, style=style, brackets=not colour
    )
    return [("  ", ""), *words]


def _words(
    text: str, spans: Sequence[Span], *, width: int, style: str, brackets: bool = False
) -> list[Piece]:
    """What is shown of ``text``; where a span is, it has ``style`` or stands in brackets."""
    # An excerpt shows no more of them; each takes two brackets, which are two columns.
    spans = spans[:MARKED]
    if brackets:
        width -= 2 * len(spans)
    opening, closing = ("»", "«") if brackets else ("", "")
    pieces = []
    for words, is_marked in excerpt(text, spans, width):
        if is_marked:
            pieces.append((without_commands(f"{opening}{words}{closing}"), style))
        else:
            pieces.append((without_commands(words), ""))
    return pieces


def _changes(before: str, after: str) -> list[Span]:
    """Where ``after`` differs. What lies close together is one place."""
    from rapidfuzz.distance import Levenshtein

    spans: list[Span] = []
    for block in Levenshtein.opcodes(before, after):
        if block.tag == "equal":
            continue
        start, end = block.dest_start, block.dest_end
        if block.tag == "delete":
            # Nothing is left to mark where something is gone: its neighbours are marked.
            start, end = max(0, start - 1), min(len(after), end + 1)
        if spans and start - spans[-1][1] <= _CLOSE:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def on_one_line(text: str) -> str:
    """``text`` as one line that is safe to print."""
    # First the newlines, which are printable; commands last, for they stand at a line's start.
    return without_commands(printable(text.replace("\n", "⏎")))
