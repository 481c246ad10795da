"""What a review shows: the record, its words, Markdown for GitHub, and ``build/review.html``.

The Markdown is as long as GitHub takes: what does not fit is left out from the end, and counted.
The page is one file that needs no other, and runs no script. Texts of strangers are no markup in
either of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from pipeline.core.review import Happened, Quiet
from pipeline.core.word_diff import Part, Piece
from pipeline.entries import Entry
from pipeline.errors import worst
from pipeline.findings import Finding
from pipeline.packages import how_to_run
from pipeline.report.counts import counted
from pipeline.report.markdown import escaped, plain
from pipeline.report.page import asset, render


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message that a person has to look at.

    ``english`` is empty where it is not at hand; ``old_english`` is what the translation was
    written for, if that is not the same.
    """

    file: str  # of the memory
    line: int
    locale: str
    page: str
    happened: Happened
    state: str  # finished, fuzzy or untranslated
    section: str = ""  # titles of the sections around it
    context: str = ""
    english: str = ""
    old_english: str = ""
    old: str = ""
    new: str = ""
    # How the new one differs from the old one, if both are there.
    pieces: tuple[Piece, ...] = ()
    translator: str = ""
    comments: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # how it came to its translation
    findings: tuple[Finding, ...] = ()
    # The entry as a catalogue had it before, if its translation was for the same English.
    before: Entry | None = None

    @property
    def old_pieces(self) -> tuple[Piece, ...]:
        """The old translation, with what is not in the new one."""
        return self._without(Part.ADDED) or _whole(self.old)

    @property
    def new_pieces(self) -> tuple[Piece, ...]:
        """The new translation, with what was not in the old one."""
        return self._without(Part.REMOVED) or _whole(self.new)

    def _without(self, part: Part) -> tuple[Piece, ...]:
        return tuple(piece for piece in self.pieces if piece.part is not part)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReview:
    """The messages of one page in their order there."""

    file: str
    locale: str
    page: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """How two states of the memory differ."""

    base: str  # a commit
    base_name: str  # as people call it
    head: str  # a commit; empty: the files as they lie here
    messages: tuple[Message, ...] = ()
    quiet: Mapping[Quiet, int] = field(default_factory=dict)
    problems: tuple[Finding, ...] = ()  # files that cannot be read

    @property
    def pages(self) -> tuple[PageReview, ...]:
        """The messages by page."""
        pages: list[PageReview] = []
        for file, of_file in groupby(self.messages, key=lambda message: message.file):
            messages = tuple(of_file)
            first = messages[0]
            pages.append(
                PageReview(
                    file=file,
                    locale=first.locale,
                    page=first.page,
                    messages=messages,
                )
            )
        return tuple(pages)

    @property
    def exit_code(self) -> int:
        """4 if a memory file cannot be read; what the checks find is for ``check`` to fail for."""
        return worst(problem.exit_code for problem in self.problems if problem.is_error)

    @property
    def counts(self) -> dict[Happened, int]:
        """How many messages of each kind there are, of those that there are any of."""
        counts = Counter(message.happened for message in self.messages)
        return {kind: counts[kind] for kind in Happened if counts[kind]}

    @property
    def lacks_english(self) -> int:
        """How many messages are shown without their English."""
        return sum(not message.english for message in self.messages)


def _whole(text: str) -> tuple[Piece, ...]:
    """A text as one piece; none if it is empty."""
    return (Piece(text=text, part=Part.KEPT),) if text else ()


def title(review: Review) -> str:
    """How much there is to look at: ``12 messages on 3 pages to look at``."""
    if not review.messages:
        return "No translation to look at"
    messages = counted(len(review.messages), "message")
    return f"{messages} on {counted(len(review.pages), 'page')} to look at"


def between(review: Review) -> str:
    """What is compared: ``from 1a2b3c4d5e, where main was left, to the files here``."""
    name = ""
    if not review.base.startswith(review.base_name):
        name = f", where it left {review.base_name},"
    return f"from {review.base[:10]}{name} to {review.head[:10] or 'the files here'}"


def counts_line(review: Review) -> str:
    """What has happened to how many: ``translated 9, changed 3``."""
    return ", ".join(f"{kind} {count}" for kind, count in review.counts.items())


def quiet_line(review: Review) -> str:
    """What happened by itself; empty if nothing did: ``Not shown: moved 2, carried over 5``."""
    told = [f"{kind} {count}" for kind, count in review.quiet.items() if count]
    return f"Followed by itself, not shown: {', '.join(told)}." if told else ""


def lacking_line(review: Review) -> str:
    """What keeps a reader from the English, and what to do; empty if nothing does."""
    if not review.lacks_english:
        return ""
    return (
        f"The English of {counted(review.lacks_english, 'message')} is not at hand."
        f" To fetch it: {how_to_run('sync', '--no-execute')}"
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
    english = _cell_text(message.english) or "<i>not at hand</i>"
    if message.old_english:
        english += f"<br><i>was:</i> {_cell_text(message.old_english)}"
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
        cell += f"{opening}{_cell_text(piece.text[:room])}{closing}"
        room -= len(piece.text)
        if room <= 0:
            return f"{cell}…"
    return cell


def _cell_text(text: str) -> str:
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


def review_html(review: Review) -> bytes:
    """The whole file, UTF-8."""
    values = {
        "review": review,
        "title": title(review),
        "between": between(review),
        "counts": counts_line(review),
        "remarks": tuple(filter(None, (quiet_line(review), lacking_line(review)))),
        "css": asset("report.css") + asset("review.css"),
        "tags": {Part.REMOVED: "del", Part.ADDED: "ins"},
    }
    return render("review.html.j2", values)
