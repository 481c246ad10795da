"""The comparison that both guards end in, with splits that no parser would make."""

from __future__ import annotations

from dataclasses import replace

from pipeline.core.document.intact import merged_messages
from pipeline.core.document.splice import Edit, placed
from pipeline.core.myst.split import split_text

PAGE = "Some words.\n\n```{code-cell}\n1 + 1\n```\n"


def test_a_merge_that_changes_only_words_has_its_messages() -> None:
    split = split_text(PAGE, page=True)
    merged = placed(split, {0: Edit(0, 11, "一些文字。")})
    fresh = split_text(merged.text, page=True)
    messages = merged_messages(split, fresh, merged, frozenset())
    assert messages is not None
    assert [message.msgid for message in messages] == ["一些文字。"]


def test_code_is_compared_although_the_skeleton_is_the_same() -> None:
    split = split_text(PAGE, page=True)
    merged = placed(split, {})
    other_code = replace(split, code=("1 + 2\n",))
    assert merged_messages(split, split, merged, frozenset()) == split.messages
    assert merged_messages(split, other_code, merged, frozenset()) is None
