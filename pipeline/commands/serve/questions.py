"""What the browser may ask: the shapes of its questions."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.core.workbench.editing import Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class OfPage:
    """A question about a page."""

    page: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfMessage:
    """A question about a message, by its number on the page."""

    page: str
    number: int
    msgid: str  # what the browser takes it for: the page may have changed


@dataclass(frozen=True, slots=True, kw_only=True)
class OfText(OfMessage):
    """A question about what somebody is typing."""

    msgstr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToSave:
    """A translation to write, and the entry as it was when its editor was opened."""

    page: str
    seen: Seen
    msgstr: str
    is_draft: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToDecide:
    """What a reviewer says of a translation, and the entry as it was then."""

    page: str
    seen: Seen
    is_accepted: bool  # else it is rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class ToUndo:
    """An edit that shall not have been, by the number that its answer gave."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """What has changed since a number that an earlier answer gave."""

    revision: int
