"""The words that every form of a review uses: title, sums, and what is lacking."""

from __future__ import annotations

from pipeline.packages import how_to_run
from pipeline.report.counts import counted
from pipeline.report.review.result import Review


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
