"""A review as JSON for programs, UTF-8, keys in order."""

from __future__ import annotations

from typing import Any

from pipeline.report.json import finding_record, json_bytes
from pipeline.report.review.result import Message, Review

VERSION = 1  # raised when a reader of the old layout would stumble
_MESSAGE_KEYS = (
    *("file", "line", "locale", "page", "section", "context", "happened", "state"),
    *("english", "old_english", "old", "new"),
    *("translator", "comments", "notes"),
)


def review_json(review: Review) -> bytes:
    """What ``review --json`` prints. ``pieces`` are pairs: kept or not, and the text."""
    return json_bytes(
        {
            "version": VERSION,
            "base": {"commit": review.base, "name": review.base_name},
            "head": {"commit": review.head},
            "counts": dict(review.counts),
            "quiet": dict(review.quiet),
            "messages": list(map(_message_record, review.messages)),
            "problems": list(map(finding_record, review.problems)),
        }
    )


def _message_record(message: Message) -> dict[str, Any]:
    """A message with its keys in order."""
    record: dict[str, Any] = {key: getattr(message, key) for key in _MESSAGE_KEYS}
    record["pieces"] = [[piece.part, piece.text] for piece in message.pieces]
    record["findings"] = list(map(finding_record, message.findings))
    return record
