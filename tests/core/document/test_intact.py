"""The comparison that both guards end in, with splits that no parser would make."""

from __future__ import annotations

from dataclasses import replace

from pipeline.core.document.guard import merged_messages
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.splice import Edit, placed

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


def test_a_message_has_to_lie_where_it_was_put() -> None:
    split = split_text(PAGE, page=True)
    longer = split_text(PAGE.replace("Some", "Some other"), page=True)
    assert merged_messages(split, longer, placed(split, {}), frozenset()) is None


def test_a_block_more_is_no_merge() -> None:
    split = split_text(PAGE, page=True)
    more = split_text(f"{PAGE}\nMore words.\n", page=True)
    assert merged_messages(split, more, placed(split, {}), frozenset()) is None
