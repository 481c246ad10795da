"""Layout of findings as text for people.

A finding about an entry of a catalogue is a block: place, section, translation, problem, hint. Any
other finding is one line, with its hint below. Texts of pages and catalogues are escaped, because
GitHub's runner executes commands that it finds in a log. ``excerpt`` shortens a long text to one
line around its marked words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from pipeline.findings import Finding, Severity, Span
from pipeline.log import disable_runner_commands, printable
from pipeline.report.counts import counted
from pipeline.report.value import Findings, Language, Line, Piece, Screen, unstyled

MARKED = 3  # maximum number of spans shown of one long text
_LEFT_OUT = "…"  # stands for omitted text


def excerpt(text: str, spans: Sequence[Span], width: int) -> list[tuple[str, bool]]:
    """Return the parts of ``text`` around ``spans``, and whether each is inside a span.

    ``("…前面", False), ("jit", True), ("后面…", False)``

    The parts fit on one line of ``width`` columns; a Chinese character takes two. Invisible
    characters are escaped. Without spans, the parts are the beginning of the text.
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
            continue  # one ellipsis for everything omitted between two parts
        # If text inside a span is omitted, the ellipsis is marked as well.
        added = character if kept else _LEFT_OUT
        if marked == was_marked:
            pieces[-1] = (before + added, marked)
        else:
            pieces.append((added, marked))
    return pieces


def _clipped(spans: Sequence[Span], length: int) -> list[Span]:
    """Return ``spans``, clipped to a text of ``length``, without empty ones.

    ``(-2, 3), (5, 5), (8, 99)`` in a text of length 10 → ``(0, 3), (8, 10)``.
    """
    places = [(max(0, start), min(end, length)) for start, end in spans]
    return [(start, end) for start, end in places if start < end]


def _kept(columns: Sequence[int], places: Sequence[Span], width: int) -> list[bool]:
    """Return, for each character, whether to show it. ``columns`` are the characters' widths."""
    if sum(columns) <= width:
        return [True] * len(columns)
    ends = _ends(places)
    room = width - 2 * len(ends)  # each end may get an ellipsis on either side
    kept = [False] * len(columns)
    # Around each end, a window of shown characters grows in both directions. All windows grow in
    # turn, by one character, while there is room. A side of a window is the next position to show,
    # and the direction in which the window grows there.
    sides = [(end, step) for end in ends for step in (-1, 1)]
    while sides:
        growing = []
        for at, step in sides:
            if not 0 <= at < len(columns):
                continue  # the window has reached an end of the text
            # A character inside another window costs nothing more.
            cost = 0 if kept[at] else columns[at]
            if cost > room:
                continue
            room -= cost
            kept[at] = True
            growing.append((at + step, step))
        sides = growing
    return kept


def _ends(places: Sequence[Span]) -> list[int]:
    """Return the positions to show text around: the first and last character of each span.

    ``(3, 4), (7, 10)`` → ``3, 7, 9``. A long span is shown by its ends: ``第1句话。…9句话。``.
    Without spans, return only the position 0, the start of the text.
    """
    ends: list[int] = []
    for start, end in places[:MARKED]:
        ends += dict.fromkeys((start, end - 1))
    return ends or [0]


def _visible_character(character: str) -> str:
    r"""Return ``character``, or a visible replacement: ``⏎``, ``\u200b``."""
    if character.isprintable():
        return character
    if character == "\n":
        return "⏎"
    return character.encode("unicode_escape").decode("ascii")


@lru_cache(maxsize=8192)
def columns_of(text: str) -> int:
    """Return the width of ``text`` on a terminal, in columns. Cached, as calls are frequent."""
    from rich.cells import cell_len

    return cell_len(text)


_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
LISTED = 20  # maximum number of findings, and of failures, on a terminal
_CLOSE = 3  # changes with at most this many characters between them are shown as one


def findings_lines(block: Findings, language: Language) -> list[str]:
    """Return findings for a terminal, errors first, with hints; a long list is truncated."""
    weights = [Severity.ERROR, Severity.WARNING]
    if block.has_notes:
        weights.append(Severity.NOTE)
    findings = block.findings
    listed = [finding for finding in findings if finding.severity in weights]
    listed.sort(key=lambda finding: weights.index(finding.severity))
    # Use the default width, because the text may go to a file.
    screen = Screen(language=language)
    lines: list[str] = []
    for finding in map(language.finding, listed[:LISTED]):
        lines += map(unstyled, finding_lines(finding, screen))
    if len(listed) > LISTED:
        lines.append(language.sentence(more(len(listed) - LISTED)))
    # Count the hidden notes, so that people know that there are some.
    if len(findings) > len(listed):
        hidden = counted(len(findings) - len(listed), "note")
        lines.append(language.sentence(f"{hidden}: -v lists them"))
    return lines


def more(count: int) -> str:
    """Return the last line of a truncated list."""
    return f"… and {count} more: see build/report.json"


def finding_lines(finding: Finding, screen: Screen) -> Iterator[Line]:
    """Return ``finding`` as lines for a terminal.

    Wrong words are coloured and underlined. On a screen without colours, they are in ``»…«``.
    """
    if finding.file:
        return entry_lines([finding], screen)
    return _short(finding, screen.language)


def _short(finding: Finding, language: Language) -> Iterator[Line]:
    """Yield ``error [input-error] a.ipynb: is no notebook``, and the hint below."""
    place = f" {finding.where}" if finding.where else ""
    severity = language.severity(finding.severity)
    head = f"{severity} [{finding.code}]{place}: {finding.text}"
    yield [(printable(head), "")]
    if finding.hint:
        yield [(printable(f"    {finding.hint}"), "")]


def entry_lines(findings: Sequence[Finding], screen: Screen) -> Iterator[Line]:
    """Yield the findings about one entry as lines.

    The section, the translation and the result of ``--fix`` are shown only once.

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
    language = screen.language
    spans = _spans_of_all(findings)
    for finding in findings:
        yield _head(finding, language)
        if finding is first and first.section:
            yield [(on_one_line(f"  {first.section}"), "dim")]
        # The translation above marks the words of several findings. If it does not mark those of
        # this finding, add a line that does.
        if finding is not first and not {*finding.spans} <= {*spans}:
            spans = finding.spans
            yield _marked(finding, spans, screen)
        elif finding is first and first.msgstr:
            yield _marked(first, spans, screen)
        yield [(on_one_line(f"  {finding.text}"), "")]
        if finding.hint:
            yield [(on_one_line(f"  → {finding.hint}"), "")]
    fixed = next((one.fixed for one in findings if one.fixed is not None), None)
    if fixed is not None:
        changes = _changes(first.msgstr, fixed)
        room = screen.width - columns_of(language.fixed)
        words = _words(fixed, changes, width=room, style="underline green")
        yield [(language.fixed, "dim"), *words]


def _spans_of_all(findings: Sequence[Finding]) -> Sequence[Span]:
    """Return the spans of all findings; if these are too many, only those of the first finding."""
    spans = sorted({span for finding in findings for span in finding.spans})
    return spans if len(spans) <= MARKED else findings[0].spans


def _head(finding: Finding, language: Language) -> Line:
    """Return ``a.po:7: error M201 code lost or changed``."""
    # Editors and terminals turn "file:line:" at the start of a line into a link.
    return [
        (on_one_line(f"{finding.place}: "), "bold"),
        (language.severity(finding.severity), f"bold {_COLOURS[finding.severity]}"),
        (f" {finding.code} ", "bold"),
        (on_one_line(finding.name), ""),
    ]


def _marked(finding: Finding, spans: Sequence[Span], screen: Screen) -> Line:
    """Return the translation on one line, with ``spans`` marked."""
    style = f"underline {_COLOURS[finding.severity]}"
    room = screen.width - 2
    words = _words(finding.msgstr, spans, width=room, style=style, brackets=not screen.colour)
    return [("  ", ""), *words]


def _words(
    text: str, spans: Sequence[Span], *, width: int, style: str, brackets: bool = False
) -> list[Piece]:
    """Return an excerpt of ``text``. Spans have ``style``, and are in ``»«`` with ``brackets``."""
    # The excerpt shows at most ``MARKED`` spans. Brackets around a span take two columns.
    spans = spans[:MARKED]
    if brackets:
        width -= 2 * len(spans)
    opening, closing = ("»", "«") if brackets else ("", "")
    pieces = []
    for words, is_marked in excerpt(text, spans, width):
        if is_marked:
            pieces.append((disable_runner_commands(f"{opening}{words}{closing}"), style))
        else:
            pieces.append((disable_runner_commands(words), ""))
    return pieces


def _changes(before: str, after: str) -> list[Span]:
    """Return the spans of ``after`` that differ from ``before``. Close changes are one span."""
    from rapidfuzz.distance import Levenshtein

    spans: list[Span] = []
    for block in Levenshtein.opcodes(before, after):
        if block.tag == "equal":
            continue
        start, end = block.dest_start, block.dest_end
        if block.tag == "delete":
            # Deleted text is not in ``after``, so mark the characters on both sides of it.
            start, end = max(0, start - 1), min(len(after), end + 1)
        if spans and start - spans[-1][1] <= _CLOSE:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def on_one_line(text: str) -> str:
    """Return ``text`` as one line that is safe to print."""
    # Replace newlines first, because ``printable`` keeps them. Disable commands last, because a
    # command is recognized only at the start of the final line.
    return disable_runner_commands(printable(text.replace("\n", "⏎")))
