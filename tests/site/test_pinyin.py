"""How Chinese words are read."""

from __future__ import annotations

from pipeline.site.extension.search import readings_of


def test_a_word_is_read_by_syllables_as_in_its_context() -> None:
    # 调 is read diào or tiáo, 行 háng or xíng; ü is typed v.
    words = ["调用", "调试", "并行", "绿茶", "JIT 编译"]
    assert readings_of(words) == {
        "调用": "diao yong",
        "调试": "tiao shi",
        "并行": "bing xing",
        "绿茶": "lv cha",
        "JIT 编译": "jit bian yi",
    }
    assert readings_of([]) == {}
