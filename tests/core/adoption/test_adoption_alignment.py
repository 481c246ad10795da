"""Which passage of a copy belongs to which message, and which version that shows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.adoption.alignment import Pair, align, find_echoes
from pipeline.core.adoption.blocks import Block, words_of
from pipeline.core.adoption.choosing import (
    Candidate,
    Judge,
    choose,
    scorer_of,
    share_of,
)
from pipeline.core.adoption.history import Version
from pipeline.core.adoption.lexicon import Lexicon
from pipeline.core.adoption.pairing import Passage, Scorer, code_likeness
from pipeline.core.adoption.reading import Form, read_copy
from pipeline.core.pin.lock import Page, SourceFile

ENGLISH = """# Ovens

Every oven has a `door` and a lamp of 40 watts, and is heated to 300 degrees by gas or by wood.

```python
oven = Oven(door=1)
oven.heat(200)
```

Heat it to 200 degrees with `oven.heat` before anything else.

Then wait for 15 minutes.

$$t = 15$$

Bread takes longer than cake does, see [the table](table.md).

| Bread | 45 |
| --- | --- |
| Cake | 30 |

```python
oven.open()
```

Open the `door` slowly, or the cake falls down.
"""
CHINESE = """# 烤箱

每个烤箱都有一扇 `door` 和一盏 40 瓦的灯，用煤气或者木柴加热到 300 度。

```python
oven = Oven(door=1)
oven.heat(200)
```

做别的事之前，先用 `oven.heat` 加热到 200 度。

然后等 15 分钟。

$$t = 15$$

面包比蛋糕花的时间更长，见[表格](table.md)。

| 面包 | 45 |
| --- | --- |
| 蛋糕 | 30 |

```python
oven.open()
```

慢慢打开 `door`，否则蛋糕会塌下去。
"""
# The parts of CHINESE in another order.
MOVED = """# 烤箱

面包比蛋糕花的时间更长，见[表格](table.md)。

| 面包 | 45 |
| --- | --- |
| 蛋糕 | 30 |

```python
oven.open()
```

慢慢打开 `door`，否则蛋糕会塌下去。

每个烤箱都有一扇 `door` 和一盏 40 瓦的灯，用煤气或者木柴加热到 300 度。

```python
oven = Oven(door=1)
oven.heat(200)
```

做别的事之前，先用 `oven.heat` 加热到 200 度。

然后等 15 分钟。

$$t = 15$$
"""
NOTHING = Judge(lexicon=Lexicon())


def read(text: str) -> tuple[Block, ...]:
    return read_copy(text, Form.MARKDOWN)


def aligned(english: str, copy: str, judge: Judge = NOTHING) -> list[tuple[str, str]]:
    """The pairs of words, each side joined; what is left over has an empty side."""
    ours, theirs = read(english), read(copy)
    pairs = align(ours, theirs, scorer_of(ours, theirs, judge))
    return [(said(ours, pair.english), said(theirs, pair.copy)) for pair in pairs]


def said(blocks: Sequence[Block], numbers: Sequence[int]) -> str:
    return " + ".join(blocks[number].text.strip()[:12] for number in numbers)


def test_every_block_has_its_own() -> None:
    pairs = aligned(ENGLISH, CHINESE)
    assert len(pairs) == 11
    assert all(ours and theirs for ours, theirs in pairs)


def test_a_block_that_is_missing_is_left_over() -> None:
    pairs = aligned(ENGLISH, CHINESE.replace("然后等 15 分钟。\n\n", ""))
    assert ("Then wait fo", "") in pairs
    assert sum(not theirs for _, theirs in pairs) == 1


def test_a_remark_is_left_over() -> None:
    remark = "译者注：我家没有烤箱，所以上面这些都没有试过。"
    pairs = aligned(ENGLISH, CHINESE.replace("然后等", f"{remark}\n\n然后等"))
    assert ("", remark[:12]) in pairs


def test_parts_in_another_order_are_found() -> None:
    pairs = aligned(ENGLISH, MOVED)
    assert ("Open the `do", "慢慢打开 `door`，") in pairs
    assert ("Every oven h", "每个烤箱都有一扇 `do") in pairs
    assert ("oven.open()", "oven.open()") in pairs
    assert ("oven = Oven(", "oven = Oven(") in pairs
    columns = [theirs for _, theirs in pairs if theirs]
    assert len(columns) == len(set(columns)) == len(read(MOVED))


def test_what_says_too_little_is_found_in_no_other_place() -> None:
    """What stands beside something clear is found all the same; the rest stays left over."""
    remarks = "译者注：我家没有烤箱，所以上面这些都没有试过。\n\n他说的不一定都对。"
    before, code, last = CHINESE.rpartition("```python\noven.open()\n```\n")
    copy = f"{code}\n{remarks}\n\n{last}\n{before}"
    english = ENGLISH.replace(code, f"Nobody knows why.\n\n{code}")
    pairs = aligned(english, copy)
    assert pairs[0] == ("oven.open()", "oven.open()")
    assert pairs[1] == ("", remarks[:12])
    assert pairs[3] == ("", "慢慢打开 `door`，")
    assert ("Nobody knows", "") in pairs
    assert ("Open the `do", "") in pairs


def test_code_and_formulas_go_with_their_like_only() -> None:
    pairs = aligned("```\nheat()\n```\n", "打开。\n\n$$x$$\n")
    assert all(not (ours and theirs) for ours, theirs in pairs)
    pairs = aligned("$$x$$\n", "$$y$$\n\n打开。\n")
    assert all(not (ours and theirs) for ours, theirs in pairs)


def test_paragraphs_that_were_joined_stay_together() -> None:
    joined = CHINESE.replace("200 度。\n\n然后", "200 度。然后")
    assert ("Heat it to 2 + Then wait fo", "做别的事之前，先用 `o") in aligned(
        ENGLISH, joined
    )


def test_a_paragraph_that_was_cut_is_put_together() -> None:
    cut = CHINESE.replace("的灯，用", "的灯。\n\n它用")
    assert (
        "Every oven h",
        "每个烤箱都有一扇 `do + 它用煤气或者木柴加热到 ",
    ) in aligned(ENGLISH, cut)


def test_cells_that_were_split_belong_to_one() -> None:
    split = CHINESE.replace("door=1)\n", "door=1)\n```\n\n```python\n")
    pairs = aligned(ENGLISH, split)
    assert ("oven = Oven(", "oven = Oven( + oven.heat(20") in pairs


def test_english_beside_its_translation_is_left_out() -> None:
    both = []
    for english, chinese in zip(
        ENGLISH.split("\n\n"), CHINESE.split("\n\n"), strict=True
    ):
        both += [english, chinese] if english[0].isalpha() else [chinese]
    ours, theirs = read(ENGLISH), read("\n\n".join(both))
    echoes = find_echoes(ours, theirs, scorer_of(ours, theirs, NOTHING))
    assert len(echoes) == 5
    assert aligned(ENGLISH, "\n\n".join(both)) == aligned(ENGLISH, CHINESE)


def test_english_behind_its_translation_is_left_out_too() -> None:
    both = []
    for ours, theirs in zip(ENGLISH.split("\n\n"), CHINESE.split("\n\n"), strict=True):
        both += [theirs, ours] if ours[0].isalpha() else [theirs]
    assert aligned(ENGLISH, "\n\n".join(both)) == aligned(ENGLISH, CHINESE)


def test_a_page_that_is_translated_by_half_has_no_echoes() -> None:
    half = CHINESE.split("\n\n")[:4] + ENGLISH.split("\n\n")[4:]
    ours, theirs = read(ENGLISH), read("\n\n".join(half))
    assert find_echoes(ours, theirs, scorer_of(ours, theirs, NOTHING)) == frozenset()
    assert all(ours and theirs for ours, theirs in aligned(ENGLISH, "\n\n".join(half)))


def test_a_lexicon_tells_paragraphs_without_names_apart() -> None:
    english = "The cat sleeps on the roof.\n\nThe dog barks at the door.\n"
    lexicon = Lexicon(
        {"dog": {"狗在": 0.9}, "roof": {"屋顶": 0.9}}, {"dog": 1.0, "roof": 1.0}
    )
    pairs = aligned(english, "狗在门口叫个不停。\n", Judge(lexicon=lexicon))
    assert pairs == [("The cat slee", ""), ("The dog bark", "狗在门口叫个不停。")]


def test_an_encoder_tells_paragraphs_without_names_apart() -> None:
    english = "The cat sleeps on the roof.\n\nThe dog barks at the door.\n"

    def similar(ours: Sequence[str], theirs: Sequence[str]) -> float:
        return 0.9 if "dog" in " ".join(ours) else 0.1

    judge = Judge(lexicon=Lexicon(), similar=similar)
    pairs = aligned(english, "狗在门口叫个不停。\n", judge)
    assert pairs == [("The cat slee", ""), ("The dog bark", "狗在门口叫个不停。")]


def test_headings_may_have_become_paragraphs() -> None:
    plain = CHINESE.replace("# 烤箱", "烤箱")
    assert ("Ovens", "烤箱") in aligned(ENGLISH, plain)


def test_blocks_without_words_fit_nothing() -> None:
    blocks = read("打开它。")
    scorer = Scorer(lexicon=Lexicon(), rarity={})
    empty = Passage((Block(kind=blocks[0].kind, text="..."),))
    assert scorer.score(empty, Passage(blocks)) < 0


def test_likeness_of_code() -> None:
    assert code_likeness("heat(200)\nopen()", "heat(200)\nopen()") == 1.0
    assert code_likeness("heat(200)\nopen()", "heat(200) open()") == 1.0
    assert code_likeness(
        "heat(200)\nopen()", "heat(200)\nclose()\nwait()"
    ) == pytest.approx(1 / 3)
    assert code_likeness("x", "x ") == 1.0
    assert code_likeness("x", "y") == 0.0


def test_confidence_is_a_probability() -> None:
    assert Pair(english=(0,), copy=(0,), score=0.0).confidence == 0.5
    assert Pair(english=(0,), copy=(0,), score=999.0).confidence <= 1.0


@given(
    st.lists(
        st.sampled_from(["# a b", "Oven here.", "```\nx()\n```", "$$x$$", "200 ovens"]),
        max_size=6,
    ),
    st.lists(
        st.sampled_from(
            ["# 甲", "烤箱在此。", "Oven here.", "```\nx()\n```", "200 个"]
        ),
        max_size=6,
    ),
)
def test_every_block_is_in_just_one_pair_in_the_order_of_the_copy(
    ours: list[str], theirs: list[str]
) -> None:
    english, copy = read("\n\n".join(ours)), read("\n\n".join(theirs))
    pairs = align(english, copy, scorer_of(english, copy, NOTHING))
    rows = [number for pair in pairs for number in pair.english]
    assert sorted(rows) == list(range(len(english)))
    assert [number for pair in pairs for number in pair.copy] == list(range(len(copy)))


# --- choosing a version


def candidate(
    number: int, text: str, *, page: str = "ovens", until: str = ""
) -> Candidate:
    files = (SourceFile(path=f"{page}.md", blob=str(number)),)
    version = Version(
        page=Page(name=page, files=files),
        first=str(number) * 40,
        last=str(number) * 40,
        since=f"2026-0{number}-01T00:00:00+00:00",
        until=until,
    )
    return Candidate.of(version, read(text))


def test_versions_that_fit_equally_well_are_told() -> None:
    reworded = ENGLISH.replace("slowly", "with care")
    other = ENGLISH.replace("oven.heat(200)", "oven.heat(250)")
    choice = choose(
        read(CHINESE),
        [
            candidate(1, ENGLISH, until="2026-02-01T00:00:00+00:00"),
            candidate(2, reworded, until="2026-05-01T00:00:00+00:00"),
            candidate(3, other),
        ],
        lambda _: NOTHING,
        pinned=frozenset({"ovens"}),
    )
    assert [version.blob for version in choice.as_good] == ["1", "2"]
    # The one that stood longest is the likeliest.
    assert choice.candidate.version.blob == "2"
    assert choice.share > 0.3


def test_a_version_with_a_paragraph_that_the_copy_lacks_falls_behind() -> None:
    longer = ENGLISH.replace(
        "Then wait", "Some people put a bowl of water into it, for steam.\n\nThen wait"
    )
    choice = choose(
        read(CHINESE),
        [
            candidate(1, longer, until="2026-02-01T00:00:00+00:00"),
            candidate(2, ENGLISH),
        ],
        lambda _: NOTHING,
        pinned=frozenset(),
    )
    assert [version.blob for version in choice.as_good] == ["2"]


def test_a_page_that_is_at_the_pin_comes_before_its_old_name() -> None:
    choice = choose(
        read(CHINESE),
        [
            candidate(1, ENGLISH, page="stoves"),
            candidate(2, ENGLISH, until="2026-03-01"),
        ],
        lambda _: NOTHING,
        pinned=frozenset({"ovens"}),
    )
    assert choice.candidate.version.page.name == "ovens"
    assert [version.blob for version in choice.as_good] == ["2"]


def test_only_so_many_texts_are_aligned() -> None:
    texts = [ENGLISH.replace("slowly", f"slowly{'ly' * n}") for n in range(20)]
    candidates = [candidate(n % 9 + 1, text) for n, text in enumerate(texts)]
    choice = choose(read(CHINESE), candidates, lambda _: NOTHING, pinned=frozenset())
    assert len(choice.as_good) == 12


def test_a_copy_of_another_page_has_a_small_share() -> None:
    other = read(
        "# 椅子\n\n椅子有四条腿，`chair.sit(4)` 之后不要摇晃，见 `chair.legs`。\n"
    )
    ours = read(ENGLISH)
    pairs = align(ours, other, scorer_of(ours, other, NOTHING))
    assert share_of(other, pairs) < 0.3
    assert share_of([], []) == 0.0


def test_nothing_in_common_at_all() -> None:
    choice = choose(
        read("春天。\n"),
        [candidate(1, "```\nx()\n```\n")],
        lambda _: NOTHING,
        pinned=frozenset(),
    )
    assert choice.share == 0.0
    assert words_of(choice.candidate.blocks) == []


def test_english_alone_at_the_edges_is_no_echo() -> None:
    first, *_, last = (part for part in ENGLISH.split("\n\n") if part[0].isalpha())
    for copy in (
        f"{first}\n\n{last}",
        f"{last}\n\n慢慢打开。",
        f"慢慢打开。\n\n{first}",
    ):
        ours, theirs = read(ENGLISH), read(copy)
        judged = scorer_of(ours, theirs, NOTHING)
        assert find_echoes(ours, theirs, judged) == frozenset()


def test_code_that_stands_once_leads_the_way_through_a_long_page() -> None:
    """Also where most of the page is missing on one side."""
    long = [f"Paragraph number {n} of many." for n in range(40)]
    parts = ["```\nfirst()\n```", *long, "```\nsecond()\n```", "Now at 200 degrees."]
    copy = "```\nfirst()\n```\n\n```\nsecond()\n```\n\n现在是 200 度。\n"
    english = "\n\n".join(parts)
    for ours, theirs in ((english, copy), (copy, english)):
        pairs = aligned(ours, theirs)
        assert [pair for pair in pairs if all(pair)][:2] == [
            ("first()", "first()"),
            ("second()", "second()"),
        ]
