"""Report of ``review``: its record, Markdown for GitHub, and ``build/review.html``.

GitHub limits the size of a comment. Messages that do not fit are omitted from the end of the
Markdown, and counted. The HTML page is self-contained and runs no script. Markdown and HTML page
escape all texts from pages and catalogues.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from markupsafe import Markup
from msgspec import Struct, field

from pipeline.core.review import AutomaticChange, ChangeKind
from pipeline.core.word_diff import Part, Piece
from pipeline.entries import Entry
from pipeline.errors import worst
from pipeline.findings import Finding
from pipeline.packages import how_to_run
from pipeline.report.counts import counted
from pipeline.report.page import asset, escaped, render, template_of


class Message(Struct, frozen=True, kw_only=True):
    """One message whose translation has changed, with all that a reviewer sees.

    ``english`` is empty if the English is unavailable. ``old_english`` is the English that the old
    translation was written for; it is empty if the English has not changed, or if the old English
    is unavailable.
    """

    file: str  # path of the memory file
    line: int
    locale: str
    page: str
    happened: ChangeKind
    state: str  # finished, fuzzy or untranslated
    section: str = ""  # titles of the enclosing sections
    context: str = ""
    english: str = ""
    old_english: str = ""
    old: str = ""
    new: str = ""
    # The word diff of the two translations, if both exist.
    pieces: tuple[Piece, ...] = ()
    translator: str = ""
    comments: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # notes about the state and origin of the translation
    findings: tuple[Finding, ...] = ()
    # The entry at the base commit, if the message had an entry there for the same English.
    before: Entry | None = None

    @property
    def old_pieces(self) -> tuple[Piece, ...]:
        """Return the old translation, with removed words marked."""
        return self._without(Part.ADDED) or _whole(self.old)

    @property
    def new_pieces(self) -> tuple[Piece, ...]:
        """Return the new translation, with added words marked."""
        return self._without(Part.REMOVED) or _whole(self.new)

    def _without(self, part: Part) -> tuple[Piece, ...]:
        return tuple(piece for piece in self.pieces if piece.part is not part)


class Review(Struct, frozen=True, kw_only=True):
    """The differences between the memory at two commits."""

    base: str  # commit id of the old state
    base_name: str  # the base as the user named it
    head: str  # commit id of the new state; empty for the working tree
    messages: tuple[Message, ...] = ()
    # Counts of automatic changes, which need no review and are not listed.
    quiet: Mapping[AutomaticChange, int] = field(default_factory=dict)
    problems: tuple[Finding, ...] = ()  # unreadable files

    @property
    def pages(self) -> tuple[tuple[Message, ...], ...]:
        """Return the messages, grouped by page."""
        pages = groupby(self.messages, key=lambda message: message.file)
        return tuple(tuple(messages) for _, messages in pages)

    @property
    def exit_code(self) -> int:
        """Return 4 if a memory file cannot be read. Findings of checks do not count."""
        return worst(problem.exit_code for problem in self.problems if problem.is_error)

    @property
    def counts(self) -> dict[ChangeKind, int]:
        """Return the number of messages of each kind, without empty kinds."""
        counts = Counter(message.happened for message in self.messages)
        return {kind: counts[kind] for kind in ChangeKind if counts[kind]}

    @property
    def lacks_english(self) -> int:
        """Return how many messages are shown without their English."""
        return sum(not message.english for message in self.messages)


def _whole(text: str) -> tuple[Piece, ...]:
    """Return a text as one piece, or nothing if it is empty."""
    return (Piece(text=text, part=Part.KEPT),) if text else ()


def title(review: Review) -> str:
    """Return the title, with the counts: ``12 messages on 3 pages to look at``."""
    if not review.messages:
        return "No translation to look at"
    messages = counted(len(review.messages), "message")
    return f"{messages} on {counted(len(review.pages), 'page')} to look at"


def between(review: Review) -> str:
    """Return the compared commits: ``from 1a2b3c4d5e, where it left main, to the files here``."""
    name = ""
    if not review.base.startswith(review.base_name):
        name = f", where it left {review.base_name},"
    return f"from {review.base[:10]}{name} to {review.head[:10] or 'the files here'}"


def counts_line(review: Review) -> str:
    """Return the number of messages by kind: ``translated 9, changed 3``."""
    return ", ".join(f"{kind} {count}" for kind, count in review.counts.items())


def automatic_line(review: Review) -> str:
    """Return the counts of automatic changes, which are not listed, or "" without any."""
    counts = [f"{kind} {count}" for kind, count in review.quiet.items() if count]
    return f"Changed automatically, not shown: {', '.join(counts)}." if counts else ""


def missing_english_line(review: Review) -> str:
    """Return how many messages lack their English, and what to do, or "" without any."""
    if not review.lacks_english:
        return ""
    return (
        f"The English of {counted(review.lacks_english, 'message')} is unavailable."
        f" To fetch it: {how_to_run('sync', '--no-execute')}"
    )


class Limit(Struct, frozen=True, kw_only=True):
    """The maximum size of a text on GitHub, and the function that measures a text."""

    most: int
    size: Callable[[str], int]


# https://docs.github.com/actions/reference/limits: 1 MiB per step.
STEP_SUMMARY = Limit(most=1024 * 1024, size=lambda text: len(text.encode("utf-8")))
# Characters of a comment, or of the description of a pull request.
COMMENT = Limit(most=65_536, size=len)

_LONGEST = 1500  # maximum number of characters of one text
_PROBLEMS = 20  # maximum number of unreadable files that a summary lists
_RESERVED = 400  # room for the line about omitted messages
_TAGS = {
    Part.KEPT: (Markup(), Markup()),
    Part.REMOVED: (Markup("<del>"), Markup("</del>")),
    Part.ADDED: (Markup("<ins><b>"), Markup("</b></ins>")),
}


def review_markdown(review: Review, limit: Limit = COMMENT) -> str:
    """Return the review up to ``limit``, followed by the number of omitted messages."""
    values = {**_values(review), "listed": _PROBLEMS, "cut": _cut, "marked": _marked}
    template = template_of("review.md.j2").make_module(values)
    text = str(template)
    room = limit.most - limit.size(text) - _RESERVED
    shown = 0
    for messages in review.pages:
        for message in messages:
            # The first row of each page begins with a heading, which has the number of messages.
            count = len(messages) if message is messages[0] else 0
            row = str(vars(template)["row"](message, count))
            room -= limit.size(row)
            if room < 0:
                return f"{text}{_left_out(review, shown)}"
            text += row
            shown += 1
    return text


def _marked(pieces: Sequence[Piece]) -> Markup:
    """Return a text with its differences marked, truncated if it is very long."""
    cell = Markup()
    room = _LONGEST
    for piece in pieces:
        opening, closing = _TAGS[piece.part]
        cell += opening + _cut(piece.text[:room]) + closing
        room -= len(piece.text)
        if room <= 0:
            return cell + "…"
    return cell


def _cut(text: str) -> Markup:
    """Return a text for a cell, with markup escaped, truncated if it is very long."""
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    lines = map(escaped, shown.split("\n"))
    return Markup("<br>".join(lines))  # noqa: S704 - all markup is escaped


def _left_out(review: Review, shown: int) -> str:
    """Return how many messages did not fit."""
    count = len(review.messages) - shown
    return (
        f"\n**{counted(count, 'message')} of {len(review.messages)} left out**: GitHub limits the "
        f"size of this text. To see all: `{how_to_run('review')}` writes `build/review.html`.\n"
    )


def review_html(review: Review) -> bytes:
    """Return the review as an HTML file, UTF-8."""
    values = {
        **_values(review),
        "css": asset("report.css") + asset("review.css"),
        "tags": {Part.REMOVED: "del", Part.ADDED: "ins"},
    }
    return render("review.html.j2", values)


def _values(review: Review) -> dict[str, object]:
    """Return the values for both templates."""
    remarks = (automatic_line(review), missing_english_line(review))
    return {
        "review": review,
        "title": title(review),
        "between": between(review),
        "counts": counts_line(review),
        "remarks": tuple(filter(None, remarks)),
    }
