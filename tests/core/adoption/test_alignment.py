"""Alignment of copies with the English, and the choice of the version that they translate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pipeline.core.adoption.alignment import (
    Pair,
    Passage,
    Similar,
    align,
    code_likeness,
    score,
)
from pipeline.core.adoption.blocks import (
    Block,
    code_lines,
    lines_in,
    plain_atom,
    words_of,
)
from pipeline.core.adoption.candidates import (
    Candidate,
    Choice,
    Commit,
    History,
    NameIndex,
    Version,
    choose,
    moment,
    only_version,
    rank,
    read_history,
    share_of,
)
from pipeline.core.adoption.copy_reader import Form, read_copy
from pipeline.core.pin.lock import Page, SourceFile

ENGLISH = """# Ovens

Every oven has a `door` and a lamp of 40 watts, and is heated to 300 degrees by gas or by wood.

```python
oven = Oven(door=1)
oven.heat(200)
```

Heat it to 200 degrees with `oven.heat` before anything else.

Then wait for 15 minutes.

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

面包比蛋糕花的时间更长，见[表格](table.md)。

| 面包 | 45 |
| --- | --- |
| 蛋糕 | 30 |

```python
oven.open()
```

慢慢打开 `door`，否则蛋糕会塌下去。
"""
_MEANING = {
    "Ovens": "烤箱",
    "Every": "每个",
    "Heat": "加热到 200",
    "Then": "然后",
    "Bread": "面包",
    "Cake": "蛋糕",
    "Open": "慢慢",
}
# --- texts


def encoder(_texts: Iterable[str]) -> Similar:
    """Stand in for the sentence encoder: a few words tell what a text is of."""

    def similar(ours: Sequence[str], theirs: Sequence[str]) -> float:
        wanted = {_MEANING.get(text.split(" ")[0], "?") for text in ours}
        there = {meaning for meaning in _MEANING.values() if meaning in "".join(theirs)}
        return len(wanted & there) / max(1, len(wanted | there))

    return similar


def read(text: str) -> tuple[Block, ...]:
    return read_copy(text, Form.MARKDOWN)


def aligned(english: str, copy: str) -> list[tuple[str, str]]:
    """The pairs of words, each side joined; what is left over has an empty side."""
    ours, theirs = read(english), read(copy)
    pairs = align(ours, theirs, encoder(()))
    return [(said(ours, pair.english), said(theirs, pair.copy)) for pair in pairs]


def said(blocks: Sequence[Block], numbers: Sequence[int]) -> str:
    return " + ".join(blocks[number].text.strip()[:12] for number in numbers)


def test_every_block_has_its_own() -> None:
    pairs = aligned(ENGLISH, CHINESE)
    assert len(pairs) == 10
    assert all(ours and theirs for ours, theirs in pairs)


def test_a_block_that_is_missing_is_left_over() -> None:
    pairs = aligned(ENGLISH, CHINESE.replace("然后等 15 分钟。\n\n", ""))
    assert ("Then wait fo", "") in pairs
    assert sum(not theirs for _, theirs in pairs) == 1


def test_a_remark_is_left_over() -> None:
    remark = "译者注：我家没有烤箱，所以上面这些都没有试过。"
    pairs = aligned(ENGLISH, CHINESE.replace("然后等", f"{remark}\n\n然后等"))
    assert ("", remark[:12]) in pairs


@pytest.mark.parametrize(
    ("before", "after", "pair"),
    [
        (
            "200 度。\n\n然后",
            "200 度。然后",
            ("Heat it to 2 + Then wait fo", "做别的事之前，先用 `o"),
        ),
        (
            "的灯，用",
            "的灯。\n\n它用",
            ("Every oven h", "每个烤箱都有一扇 `do + 它用煤气或者木柴加热到 "),
        ),
        ("oven.heat(200)", "oven.heat(250)", ("oven = Oven(", "oven = Oven(")),
        ("# 烤箱", "烤箱", ("Ovens", "烤箱")),
    ],
    ids=["paragraphs joined", "a paragraph cut", "code changed", "heading lost"],
)
def test_changed_blocks_match(before: str, after: str, pair: tuple[str, str]) -> None:
    assert pair in aligned(ENGLISH, CHINESE.replace(before, after))


def test_code_goes_with_code_only() -> None:
    pairs = aligned("```\nheat()\n```\n", "打开。\n\n```\nwait()\n```\n")
    assert all(not (ours and theirs) for ours, theirs in pairs)


def test_code_that_stands_once_leads_the_way() -> None:
    """Of code that was moved only what leaves the longest row in order."""
    code = "```\n{}()\n```"
    ours = "\n\n".join(map(code.format, ("first", "second", "third")))
    theirs = "\n\n".join(map(code.format, ("third", "first", "second")))
    pairs = [pair for pair in aligned(ours, theirs) if all(pair)]
    assert pairs == [("first()", "first()"), ("second()", "second()")]


def test_a_translation_comes_before_the_english_beside_it() -> None:
    both = CHINESE.replace("然后等", "Then wait for 15 minutes.\n\n然后等")
    pairs = aligned(ENGLISH, both)
    assert ("Then wait fo", "然后等 15 分钟。") in pairs
    assert ("", "Then wait fo") in pairs
    left = CHINESE.replace("然后等 15 分钟。", "Then wait for 15 minutes.")
    assert ("Then wait fo", "Then wait fo") in aligned(ENGLISH, left)


def test_confidence_is_a_probability_and_doubtful_pairs_are_not_sure() -> None:
    pair = Pair(english=(0,), copy=(0,), score=0.0)
    assert pair.confidence == 0.5
    assert replace(pair, score=999.0).confidence <= 1.0
    assert not replace(pair, score=1.0).is_sure
    assert replace(pair, score=1.2).is_sure


def test_a_passage_without_words_has_no_length() -> None:
    english, copy = read("..."), read("慢慢打开。")
    empty = Passage((replace(copy[0], text="..."),))
    assert english == ()
    assert score(empty, Passage(copy), encoder(())) < 0


def test_likeness_of_code() -> None:
    two = "heat(200)\nopen()"
    assert code_likeness(two, two) == code_likeness(two, "heat(200) open()") == 1.0
    assert code_likeness(two, "heat(200)\nclose()\nwait()") == pytest.approx(1 / 3)
    assert code_likeness("x", "x ") == 1.0
    assert code_likeness("x", "y") == 0.0


def texts_of(*blocks: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(blocks), max_size=6).map("\n\n".join)


@given(
    texts_of("# a b", "Oven here.", "```\nx()\n```", "$$x$$", "200 ovens"),
    texts_of("# 甲", "烤箱在此。", "Oven here.", "```\nx()\n```", "200 个"),
)
def test_each_block_is_in_one_pair_in_order_of_the_copy(ours: str, theirs: str) -> None:
    english, copy = read(ours), read(theirs)
    pairs = align(english, copy, encoder(()))
    rows = [number for pair in pairs for number in pair.english]
    assert sorted(rows) == list(range(len(english)))
    assert [number for pair in pairs for number in pair.copy] == list(range(len(copy)))


# --- choosing a version


def candidate(number: int, text: str, *, page: str = "ovens", until: str = "") -> Candidate:
    files = (SourceFile(path=f"{page}.md", blob=str(number)),)
    version = Version(
        page=Page(name=page, files=files),
        first=str(number) * 40,
        last=str(number) * 40,
        since=f"2026-0{number}-01T00:00:00+00:00",
        until=until,
    )
    return Candidate.of(version, read(text))


def chosen(*candidates: Candidate, copy: str = CHINESE) -> Choice:
    return choose(read(copy), candidates, encoder, pinned=frozenset({"ovens"}))


def test_versions_that_fit_equally_well_are_told() -> None:
    reworded = ENGLISH.replace("slowly", "with care")
    other = ENGLISH.replace("oven.heat(200)", "oven.heat(250)")
    choice = chosen(
        candidate(1, ENGLISH, until="2026-02-01T00:00:00+00:00"),
        candidate(2, reworded, until="2026-05-01T00:00:00+00:00"),
        candidate(3, other),
    )
    assert [version.blob for version in choice.as_good] == ["1", "2"]
    # The one that stood longest is the likeliest.
    assert choice.candidate.version.blob == "2"
    assert choice.share > 0.3


def test_a_page_that_is_at_the_pin_comes_before_its_old_name() -> None:
    old = candidate(1, ENGLISH, page="stoves")
    choice = chosen(old, candidate(2, ENGLISH, until="2026-03-01"))
    assert choice.candidate.version.page.name == "ovens"
    assert [version.blob for version in choice.as_good] == ["2"]


def test_a_copy_of_another_page_has_a_small_share() -> None:
    other = read("# 椅子\n\n椅子有四条腿，`chair.sit(4)` 之后不要摇晃，见 `chair.legs`。\n")
    assert share_of(other, align(read(ENGLISH), other, encoder(()))) < 0.3
    assert share_of([], []) == 0.0


def test_nothing_in_common_at_all() -> None:
    choice = chosen(candidate(1, "```\nx()\n```\n"), copy="春天。\n")
    assert choice.share == 0.0
    assert words_of(choice.candidate.blocks) == []


@pytest.mark.parametrize(
    ("atom", "expected"),
    [
        ("`oven.heat`", "oven.heat"),
        ("{func}`oven.heat`", "oven.heat"),
        ("{func}`~oven.heat`", "oven.heat"),
        ("{ref}`Ovens <oven-page>`", "Ovens"),
        ("{ref}`<oven-page>`", "oven-page"),
        (":func:`oven.heat`", "oven.heat"),
        ("``a  b``", "ab"),
        ("$x + y$", "x+y"),
        ("](oven.md)", ""),
    ],
)
def test_plain_atoms(atom: str, expected: str) -> None:
    assert plain_atom(atom) == expected


def test_code_is_compared_without_prompts_comments_and_spaces() -> None:
    assert code_lines(">>> heat( 200 )  # now\nx\nopen('a')") == (
        "heat(200)",
        "open('a')",
    )


def test_lines_are_found_in_code_on_one_line() -> None:
    known = frozenset({"heat(200)", "heat(200)[0]", "open('a')", "wait()"})
    code = "# first heat(200) heat(200)[0] something else open(“a”)"
    assert lines_in(code, known) == Counter(["heat(200)", "heat(200)[0]", "open('a')"])
    assert lines_in("wait()\nx", known) == Counter(["wait()"])


# --- history


def commit(name: str, day: int, *changes: tuple[str, str, str]) -> Commit:
    return name * 40, f"2026-01-{day:02}T00:00:00+00:00", changes


HISTORY = read_history(
    [
        commit("e", 20, ("b.md", "5", "")),
        commit("d", 15, ("b.md", "3", "a.md"), ("a.md", "", "")),
        commit("c", 9, ("image.png", "9", ""), ("other.md", "8", "")),
        commit("b", 5, ("a.md", "2", ""), ("b.rst", "7", "old.txt")),
        commit("a", 1, ("a.md", "1", "")),
    ]
)


def test_versions_begin_and_end_with_commits() -> None:
    first, second = HISTORY.versions["a"]
    assert (first.blob, first.first[0], first.last[0]) == ("1", "a", "a")
    assert first.days == 4.0
    assert (second.blob, second.first[0], second.last[0]) == ("2", "b", "c")
    assert second.until.startswith("2026-01-15")
    assert HISTORY.versions["b"][-1].days == float("inf")


def test_a_page_that_is_touched_and_stays_the_same_is_one_version() -> None:
    history = read_history([commit("b", 2, ("a.md", "1", "")), commit("a", 1, ("a.md", "1", ""))])
    (version,) = history.versions["a"]
    assert (version.first[0], version.last[0]) == ("a", "b")


def test_names_of_a_page_are_a_family() -> None:
    blobs = {
        name: [version.blob for version in HISTORY.family(name)] for name in ("a", "b", "other")
    }
    assert blobs == {"a": [*"12735"], "b": [*"12735"], "other": ["8"]}


PAGE = Page(name="a", files=(SourceFile(path="a.md", blob="1"),))


def test_samples_are_spread_over_time() -> None:
    versions = tuple(only_version(PAGE, str(n), "") for n in range(9))
    assert len(History(versions={"a": versions}).samples()) == 5
    assert len(History(versions={"a": versions[:1]}).samples()) == 1


@pytest.mark.parametrize(
    ("date", "year"),
    [("2026-01-02T03:04:05+08:00", 2026), ("2026-01-02", 2026), ("long ago", 1)],
)
def test_dates_that_cannot_be_read_are_old(date: str, year: int) -> None:
    assert moment(date).year == year


# --- finding the page


def test_the_page_with_the_same_names_comes_first() -> None:
    index = NameIndex()
    index.add("ovens", "oven.heat(200) temperature " + "A" * 300)
    index.add("ovens", "oven.open()")
    index.add("chairs", "chair.sit() temperature")
    assert index.guesses(read("用 `oven.heat(200)` 加热。\n"), most=2) == ["ovens"]


# --- finding the version

FIRST = """# Ovens

Heat it to 200 with `heat`.

```python
import oven
oven.heat(200)
```

See [this](http://oven.org/a).

```python
close()
```
"""
TRAYS = "```python\ntray.put()\ntray.take()\ntray.wash()\n```\n"
SECOND = FIRST.replace("oven.heat(200)", "oven.heat(200, fan=True)")
THIRD = f"{SECOND}\nAnd a new section about trays.\n\n{TRAYS}"


def costs(copy: str, *texts: str) -> list[int]:
    candidates = [
        Candidate.of(only_version(PAGE, text, ""), read(text))
        for text in texts or (FIRST, SECOND, THIRD)
    ]
    by_text = {found.version.first: cost for cost, found in rank(read(copy), candidates)}
    return [by_text[found.version.first] for found in candidates]


OVEN_COPY = (
    FIRST.replace("# Ovens", "# 烤箱")
    .replace("Heat it to 200 with `heat`.", "用 `heat` 加热到 200 度。")
    .replace("See [this]", "见[这里]")
)


def test_the_version_with_the_same_code_fits() -> None:
    # In each of the others one line is strange, and one is lacking.
    assert costs(OVEN_COPY) == [0, 2, 2]


def test_a_copy_of_the_newest_version() -> None:
    copy = OVEN_COPY.replace("oven.heat(200)", "oven.heat(200, fan=True)")
    assert costs(f"{copy}\n一节新的内容。\n\n{TRAYS}") == [5, 3, 0]


def test_a_copy_that_was_cut_off_lacks_nothing_behind_its_end() -> None:
    copy, _, _ = OVEN_COPY.partition("```python\nclose")
    assert costs(copy)[0] == 0


def test_lines_count_as_often_as_they_stand() -> None:
    lines = ("a(1)", "a(1)\na(1)", "b(1)")
    once, twice, never = (f"```\n{text}\n```\n" for text in lines)
    assert costs(twice, once, twice, never) == [1, 0, 2]


def test_a_version_of_a_page_without_history() -> None:
    expected = Version(page=PAGE, first="c", last="c", since="2026-01-01")
    assert only_version(PAGE, "c", "2026-01-01") == expected
