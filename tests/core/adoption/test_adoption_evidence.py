"""What of a text survives its translation, and which version its code is of."""

from __future__ import annotations

from collections import Counter

import pytest

from pipeline.core.adoption.candidates import Candidate, NameIndex, rank
from pipeline.core.adoption.copy_reader import Form, read_copy
from pipeline.core.adoption.evidence import (
    code_lines,
    lines_in,
    plain_atom,
)
from pipeline.core.adoption.history import (
    Commit,
    History,
    Version,
    moment,
    only_version,
    read_history,
)
from pipeline.core.pin.lock import Page, SourceFile

# --- texts


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
    assert (first.blob, first.first[0], first.last[0], first.days) == (
        "1",
        "a",
        "a",
        4.0,
    )
    assert (second.blob, second.first[0], second.last[0], second.until[:10]) == (
        "2",
        "b",
        "c",
        "2026-01-15",
    )
    assert [version.blob for version in HISTORY.versions["b"]] == ["7", "3", "5"]
    assert HISTORY.versions["b"][-1].days == float("inf")


def test_a_page_that_is_touched_and_stays_the_same_is_one_version() -> None:
    history = read_history(
        [commit("b", 2, ("a.md", "1", "")), commit("a", 1, ("a.md", "1", ""))]
    )
    (version,) = history.versions["a"]
    assert (version.first[0], version.last[0]) == ("a", "b")


def test_names_of_a_page_are_a_family() -> None:
    assert [version.blob for version in HISTORY.family("a")] == [
        "1",
        "2",
        "7",
        "3",
        "5",
    ]
    assert [version.blob for version in HISTORY.family("other")] == ["8"]


def test_samples_are_spread_over_time() -> None:
    page = Page(name="a", files=(SourceFile(path="a.md", blob="1"),))
    versions = tuple(only_version(page, str(n), "") for n in range(9))
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
    copy = read_copy("用 `oven.heat(200)` 加热。\n", Form.MARKDOWN)
    assert index.guesses(copy, most=2) == ["ovens"]


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
    page = Page(name="ovens", files=())
    candidates = [
        Candidate.of(only_version(page, text, ""), read_copy(text, Form.MARKDOWN))
        for text in texts or (FIRST, SECOND, THIRD)
    ]
    ranked = rank(read_copy(copy, Form.MARKDOWN), candidates)
    by_text = {found.version.first: cost for cost, found in ranked}
    return [by_text[found.version.first] for found in candidates]


CHINESE = """# 烤箱

用 `heat` 加热到 200 度。

```python
import oven
oven.heat(200)
```

见[这里](http://oven.org/a)。

```python
close()
```
"""


def test_the_version_with_the_same_code_fits() -> None:
    first, second, third = costs(CHINESE)
    assert first == 0
    # One line is strange, and one is lacking.
    assert second == third == 2


def test_a_copy_of_the_newest_version() -> None:
    copy = CHINESE.replace("oven.heat(200)", "oven.heat(200, fan=True)")
    first, second, third = costs(f"{copy}\n一节新的内容。\n\n{TRAYS}")
    assert (first, second, third) == (5, 3, 0)


def test_a_copy_that_was_cut_off_lacks_nothing_behind_its_end() -> None:
    copy, _, _ = CHINESE.partition("```python\nclose")
    assert costs(copy)[0] == 0


def test_lines_count_as_often_as_they_stand() -> None:
    once, twice, never = (
        f"```\n{text}\n```\n" for text in ("a(1)", "a(1)\na(1)", "b(1)")
    )
    assert costs(twice, once, twice, never) == [1, 0, 2]


def test_a_version_of_a_page_without_history() -> None:
    page = Page(name="a", files=(SourceFile(path="a.md", blob="1"),))
    assert only_version(page, "c", "2026-01-01") == Version(
        page=page, first="c", last="c", since="2026-01-01"
    )
