"""Findings as a person reads them, whoever found them: the one place that lays them out as text.

A finding about an entry of a catalogue is a block: place, section, the words, what is wrong, what
to do. Any other is a line, with its hint below. Texts of pages and catalogues come out escaped, and
start no workflow command of GitHub's. ``excerpt`` fits a long text on one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pipeline.findings import Finding, Severity, Span
from pipeline.log import printable, without_commands
from pipeline.report.counts import counted
from pipeline.report.value import Findings, Line, Piece, unstyled

if TYPE_CHECKING:
    from pipeline.report.chinese import Language

MARKED = 3  # spans that are shown of one long text
_LEFT_OUT = "…"


def excerpt(text: str, spans: Sequence[Span], width: int) -> list[tuple[str, bool]]:
    """The parts of ``text`` around ``spans``, and whether each is inside of one.

    ``("…前面", False), ("jit", True), ("后面…", False)``

    They fit on one line of ``width`` columns, of which a Chinese character takes two. Characters
    that cannot be seen are escaped. Without spans it is the beginning of the text.
    """
    shown = [_visible_character(character) for character in text]
    places = _clipped(spans, len(text))
    is_marked = [False] * len(text)
    for start, end in places:
        is_marked[start:end] = [True] * (end - start)
    is_kept = _kept([columns_of(character) for character in shown], places, width)
    pieces: list[tuple[str, bool]] = []
    for character, marked, kept in zip(shown, is_marked, is_kept, strict=True):
        before, was_marked = pieces[-1] if pieces else ("", not marked)
        if not kept and before.endswith(_LEFT_OUT):
            continue  # one sign for all that is left out between two parts
        # What is left out inside of a span is marked like the span.
        added = character if kept else _LEFT_OUT
        if marked == was_marked:
            pieces[-1] = (before + added, marked)
        else:
            pieces.append((added, marked))
    return pieces


def _clipped(spans: Sequence[Span], length: int) -> list[Span]:
    """``spans`` as far as they lie in a text of ``length``; empty ones are left out.

    ``(-2, 3), (5, 5), (8, 99)`` in a text of 10 → ``(0, 3), (8, 10)``.
    """
    places = [(max(0, start), min(end, length)) for start, end in spans]
    return [(start, end) for start, end in places if start < end]


def _kept(columns: Sequence[int], places: Sequence[Span], width: int) -> list[bool]:
    """Which characters are shown, of those that take ``columns`` each."""
    if sum(columns) <= width:
        return [True] * len(columns)
    ends = _ends(places)
    room = width - 2 * len(ends)  # each end may get a sign on either side
    kept = [False] * len(columns)
    # A window around each end grows by a character on either side, all in turn, while there is
    # room. Each side is a place to go on, and the step to the next one.
    sides = [(end, step) for end in ends for step in (-1, 1)]
    while sides:
        growing = []
        for at, step in sides:
            if not 0 <= at < len(columns):
                continue  # the text ends here
            # A place where another window has been is paid for.
            cost = 0 if kept[at] else columns[at]
            if cost > room:
                continue
            room -= cost
            kept[at] = True
            growing.append((at + step, step))
        sides = growing
    return kept


def _ends(places: Sequence[Span]) -> list[int]:
    """The characters to show something around: the start of the text if no place is marked.

    Both ends of a place tell more than its middle: ``第1句话。…9句话。``. A place of one character
    has one end: ``(3, 4), (7, 10)`` → ``3, 7, 9``.
    """
    ends: list[int] = []
    for start, end in places[:MARKED]:
        ends += dict.fromkeys((start, end - 1))
    return ends or [0]


def _visible_character(character: str) -> str:
    """``character``, or what stands for it if nobody can see it: ``⏎``, ``\\u200b``."""
    if character.isprintable():
        return character
    if character == "\n":
        return "⏎"
    return character.encode("unicode_escape").decode("ascii")


@lru_cache(maxsize=8192)
def columns_of(text: str) -> int:
    """How wide ``text`` is on a terminal; cached, because each character is asked about."""
    from rich.cells import cell_len

    return cell_len(text)


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
