"""The record that a review is told from: messages in page order, with all that a person wants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby

from pipeline.core.review.comparing import Happened, Quiet
from pipeline.core.word_diff import Part, Piece
from pipeline.entries import Entry
from pipeline.errors import worst
from pipeline.findings import Finding


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
    pieces: tuple[
        Piece, ...
    ] = ()  # how the new one differs from the old one, if both are there
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
