"""Word diffs of Chinese: what is marked, and that no character is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.word_diff import Part, pattern_of_words, word_diff

WORDS = pattern_of_words({"向量化", "矢量化", "梯度", "值"})


def shown(old: str, new: str) -> str:
    """A diff in one line: ``[-old-]{+new+}``."""
    marks = {Part.KEPT: "{}", Part.REMOVED: "[-{}-]", Part.ADDED: "{{+{}+}}"}
    pieces = word_diff(old, new, WORDS)
    return "".join(marks[piece.part].format(piece.text) for piece in pieces)


@pytest.mark.parametrize(
    ("old", "new", "diff"),
    [
        ("", "", ""),
        ("不变。", "不变。", "不变。"),
        ("", "新的", "{+新的+}"),
        ("旧的", "", "[-旧的-]"),
        ("求梯度。", "求导数。", "求[-梯度-]{+导数+}。"),
        # A term of the glossary is one word: not "[-向-]{+矢+}量化".
        ("使用向量化。", "使用矢量化。", "使用[-向量化-]{+矢量化+}。"),
        ("调用 jax.jit 编译", "调用 jax.vmap 编译", "调用 jax.[-jit-]{+vmap+} 编译"),
        # One character that stays between two changes is no help to a reader …
        ("大的灯", "小的船", "[-大的灯-]{+小的船+}"),
        # … but behind the last change it is what comes next.
        ("大的", "小的", "[-大-]{+小+}的"),
        ("大，灯", "小，船", "[-大-]{+小+}，[-灯-]{+船+}"),
        ("一行\n两行", "一行 两行", "一行[-\n-]{+ +}两行"),
        ("at least 2 cups", "at least 3 cups", "at least [-2-]{+3+} cups"),
        ("茶热", "茶很热", "茶{+很+}热"),
    ],
)
def test_words_that_differ_are_marked(old: str, new: str, diff: str) -> None:
    assert shown(old, new) == diff


_TEXTS = st.text(st.sampled_from("大小的灯，。茶热梯度向量化矢 jit ab\n_1"), max_size=30)


@given(old=_TEXTS, new=_TEXTS)
def test_both_texts_can_be_read_off(old: str, new: str) -> None:
    pieces = word_diff(old, new, WORDS)
    for part, text in ((Part.ADDED, old), (Part.REMOVED, new)):
        assert "".join(piece.text for piece in pieces if piece.part is not part) == text
    assert all(piece.text for piece in pieces)
