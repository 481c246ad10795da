"""A review as Markdown, for the summary of a workflow's step or a comment on a pull request.

It is as long as GitHub takes: what does not fit is left out from the end, and counted. Texts of
strangers are no markup in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pipeline.core.word_diff import Part, Piece
from pipeline.findings import Finding
from pipeline.packages import how_to_run
from pipeline.report.counts import counted
from pipeline.report.markdown import escaped, plain
from pipeline.report.review.result import Message, PageReview, Review
from pipeline.report.review.wording import (
    between,
    counts_line,
    lacking_line,
    quiet_line,
    title,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How much GitHub takes at a place, and in what it counts."""

    most: int
    size: Callable[[str], int]


# https://docs.github.com/actions/reference/limits: 1 MiB for each step.
STEP_SUMMARY = Limit(most=1024 * 1024, size=lambda text: len(text.encode("utf-8")))
# Of a comment, or the text of a pull request.
COMMENT = Limit(most=65_536, size=len)

_LONGEST = 1500  # characters of one text that are shown
_PROBLEMS = 20  # files that cannot be read, of which a summary tells
_RESERVED = 400  # for the line that tells how much was left out
_TAGS = {
    Part.KEPT: ("", ""),
    Part.REMOVED: ("<del>", "</del>"),
    Part.ADDED: ("<ins><b>", "</b></ins>"),
}
_HEADINGS = "| English | Old | New | State |\n| --- | --- | --- | --- |\n"


def review_markdown(review: Review, limit: Limit = COMMENT) -> str:
    """The review, as far as ``limit`` allows; of the rest it is said how much it is."""
    text = _head(review)
    room = limit.most - limit.size(text) - _RESERVED
    shown: list[str] = []
    for row in _rows(review):
        room -= limit.size(row)
        if room < 0:
            break
        shown.append(row)
    rest = _left_out(review, len(shown))
    return f"{text}{''.join(shown)}{rest}"


def _head(review: Review) -> str:
    """Title, counts, and what keeps the review from being whole."""
    lines = [f"## Review: {title(review)}", plain(between(review))]
    if review.counts:
        lines.append(f"{counts_line(review).capitalize()}.")
    lines += map(_problem_line, review.problems[:_PROBLEMS])
    if len(review.problems) > _PROBLEMS:
        lines.append(f"… and {len(review.problems) - _PROBLEMS} more files.")
    lines += filter(None, (quiet_line(review), lacking_line(review)))
    return "\n\n".join(lines) + "\n"


def _problem_line(problem: Finding) -> str:
    """A file that cannot be read, and why."""
    return f"**{plain(problem.place)}**: {plain(problem.text)}"


def _rows(review: Review) -> Iterator[str]:
    """The rows of all messages; the first one of a page has the heading above it."""
    for page in review.pages:
        heading = _page_heading(page)
        for message in page.messages:
            yield f"{heading}{_row(message)}"
            heading = ""


def _page_heading(page: PageReview) -> str:
    """The heading of a page, and that of its table."""
    count = counted(len(page.messages), "message")
    return f"\n### {plain(page.page)} ({plain(page.locale)}): {count}\n\n{_HEADINGS}"


def _row(message: Message) -> str:
    """The row of a message."""
    english = _text(message.english) or "<i>not at hand</i>"
    if message.old_english:
        english += f"<br><i>was:</i> {_text(message.old_english)}"
    cells = (
        english,
        _marked(message.old_pieces),
        _marked(message.new_pieces),
        "<br>".join(_state(message)),
    )
    return f"| {' | '.join(cells)} |\n"


def _state(message: Message) -> Iterator[str]:
    """What the last cell of a row says, line by line."""
    yield f"<b>{message.happened}</b>, {message.state}"
    yield f"line {message.line}"
    if message.translator:
        yield plain(message.translator)
    for remark in (*message.notes, *message.comments):
        yield plain(remark)
    for finding in message.findings:
        yield f"{finding.severity} {plain(finding.code)}: {plain(finding.text)}"


def _marked(pieces: Sequence[Piece]) -> str:
    """A text with the words marked in which it differs."""
    cell = ""
    room = _LONGEST
    for piece in pieces:
        opening, closing = _TAGS[piece.part]
        cell += f"{opening}{_text(piece.text[:room])}{closing}"
        room -= len(piece.text)
        if room <= 0:
            return f"{cell}…"
    return cell


def _text(text: str) -> str:
    """A text in a cell, in which nothing is markup, cut if it is very long."""
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return "<br>".join(map(escaped, shown.split("\n")))


def _left_out(review: Review, told: int) -> str:
    """How much did not fit; empty if all did."""
    count = len(review.messages) - told
    if not count:
        return ""
    return (
        f"\n**{counted(count, 'message')} of {len(review.messages)} left out**, for GitHub takes "
        f"no more here. All of them: `{how_to_run('review')}`, which writes `build/review.html`.\n"
    )
