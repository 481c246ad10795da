"""The proof that a merge has changed nothing but prose: upstream's split beside the merged one.

Both guards end here. They parse the merged text afresh, so that nothing is taken on trust that a
merge believes to have done.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from pipeline.core.document.message import Kind, Message
from pipeline.core.document.splice import Placed
from pipeline.core.document.split import Signature, Split


def merged_messages(
    split: Split, fresh: Split, placed: Placed, added: Set[int]
) -> tuple[Message, ...] | None:
    """The messages of the merged text; None unless all of it lies where upstream has it.

    ``split`` is upstream's, ``fresh`` that of ``placed.text``. What begins at one of the offsets
    ``added`` was inserted by the merge: upstream does not have it, and it is left out.
    """
    found = [message for message in fresh.messages if message.start not in added]
    count = len(split.messages)
    messages = tuple(found[:count])
    # Sections that stay English say what they said.
    if [message.msgid for message in found[count:]] != [
        message.msgid for message in split.rest
    ]:
        return None
    # Each lies where its translation was put. Where one was taken for two blocks, or for a part
    # of a longer one, the spans differ.
    if _spans(messages) != placed.spans:
        return None
    # A paragraph may have become a heading without moving.
    if _kinds(messages) != _kinds(split.messages):
        return None
    # What lies between the messages has moved, but its signatures are the same, in their order.
    if _signatures(fresh, added) != _signatures(split, frozenset()):
        return None
    # Code is a part of the skeleton. It is what is run, so it is compared by itself as well.
    if fresh.code != split.code:
        return None
    return messages


def _spans(messages: Sequence[Message]) -> tuple[tuple[int, int], ...]:
    """Where messages stand, in the text that they were split from."""
    return tuple((message.start, message.end) for message in messages)


def _kinds(messages: Sequence[Message]) -> list[Kind]:
    """What the blocks are that messages were taken from."""
    return [message.kind for message in messages]


def _signatures(split: Split, added: Set[int]) -> list[Signature]:
    """What must be the same of the blocks of a text, but for those that begin in ``added``."""
    return [signature for start, signature in split.skeleton if start not in added]
