"""The proof that a merge has changed nothing but prose: upstream's split beside the merged one.

Both guards end here. They parse the merged text afresh, so that nothing is taken on trust that a
merge believes to have done.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from pipeline.core.document.message import Kind, Message
from pipeline.core.document.splice import Placed
from pipeline.core.document.split import Split


def merged_messages(
    split: Split, fresh: Split, placed: Placed, added: Set[int]
) -> tuple[Message, ...] | None:
    """The messages of the merged text; None unless all of it lies where upstream has it.

    ``split`` is upstream's, ``fresh`` that of ``placed.text``. What begins at one of the offsets
    ``added`` was inserted by the merge: upstream does not have it, and it is left out.
    """
    messages = tuple(
        message for message in fresh.messages if message.start not in added
    )
    # Each lies where its translation was put. Where one was taken for two blocks, or for a part
    # of a longer one, the spans differ.
    if tuple((message.start, message.end) for message in messages) != placed.spans:
        return None
    # A paragraph may have become a heading without moving.
    if _kinds(messages) != _kinds(split.messages):
        return None
    # What lies between the messages has moved, but its signatures are the same, in their order.
    skeleton = [signature for start, signature in fresh.skeleton if start not in added]
    is_same = skeleton == [signature for _, signature in split.skeleton]
    # Code is a part of the skeleton. It is what is run, so it is compared by itself as well.
    return messages if is_same and fresh.code == split.code else None


def _kinds(messages: Sequence[Message]) -> list[Kind]:
    return [message.kind for message in messages]
