"""What of a text survives its translation, and what fits which version by that."""

from __future__ import annotations

from collections import Counter

import pytest

from pipeline.core.adoption.blocks import Block, BlockKind
from pipeline.core.adoption.evidence import (
    code_lines,
    lasting_tokens,
    lines_in,
    plain_atom,
    plain_atoms,
    tokens_of,
    urls_in,
)
from pipeline.core.adoption.finding import NameIndex
from pipeline.core.adoption.history import (
    Change,
    Commit,
    History,
    Version,
    moment,
    only_version,
    read_history,
    with_releases,
)
from pipeline.core.adoption.lexicon import learn, pieces_of, stem, stems_of
from pipeline.core.adoption.reading import Form, read_copy
from pipeline.core.adoption.versions import features_of, fits_of, tolerance
from pipeline.core.document.message import Markup
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


def test_atoms_of_both_languages() -> None:
    assert plain_atoms("Use `heat` and [a](b.md), `x`") == ("heat",)
    assert plain_atoms("Use ``heat`` and :func:`open`", Markup.RST) == ("heat", "open")


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


def test_urls_are_compared_without_scheme() -> None:
    assert urls_in("see https://www.oven.org/a/, http://x.org.") == [
        "oven.org/a",
        "x.org",
    ]


def test_tokens_are_names_and_numbers() -> None:
    assert tokens_of("_Heat_ to 200.5 &lt; my\\_oven") == Counter(
        ["Heat", "to", "200.5", "my_oven"]
    )
    assert lasting_tokens("A JAX oven has `n` parts, XLA_FLAGS and 3 doors") == {
        "JAX",
        "XLA_FLAGS",
        "3",
    }


# --- the lexicon


def test_words_that_stand_together_go_together() -> None:
    pairs = [(f"The oven is number {n}", f"烤箱是第{n}个") for n in range(4)]
    pairs += [(f"A chair {n}", f"椅子{n}") for n in range(30)]
    lexicon = learn(
        pairs,
        [("glove", "手套"), ("bread board", "面包板"), ("kettle", "水壶")],
        english=["ovens and gloves on a bread board, a chair"],
        chinese=["烤箱和手套，面包板，椅子"],
    )
    assert lexicon.strength("oven", frozenset({"烤箱"})) == 1.0
    assert lexicon.strength("oven", frozenset({"椅子"})) == 0.0
    assert lexicon.strength("glov", frozenset({"手套"})) == 0.9
    # Of two words nobody knows which is which; of what stands everywhere, nothing can be learnt.
    assert not lexicon.knows("bread")
    assert not lexicon.knows("chair")


def test_a_lexicon_of_nothing_knows_nothing() -> None:
    lexicon = learn([], [], english=["oven"], chinese=["烤箱"])
    assert not lexicon.knows("oven")


def test_stems_and_pieces() -> None:
    assert [stem(word) for word in ("compiles", "compiled", "bus")] == [
        "compil",
        "compil",
        "bus",
    ]
    assert stems_of("An oven") == {"oven"}
    assert pieces_of("烤箱, 门") == {"烤箱"}


# --- history


def commit(name: str, day: int, *changes: tuple[str, str, str]) -> Commit:
    return Commit(
        commit=name * 40,
        date=f"2026-01-{day:02}T00:00:00+00:00",
        changes=tuple(
            Change(path=path, blob=blob, before=before)
            for path, blob, before in changes
        ),
    )


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
    guesses = index.guesses(copy, most=2)
    assert [guess.page for guess in guesses] == ["ovens", "chairs"]
    assert guesses[1].likeness == 0.0


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
TRAYS = "```python\ntray.put()\ntray.take()\ntray.wash()\n```\n\n$$x^2$$\n"
SECOND = FIRST.replace("oven.heat(200)", "oven.heat(200, fan=True)").replace(
    "org/a", "org/b"
)
THIRD = f"{SECOND}\nAnd a new section about trays.\n\n{TRAYS}"


def costs(copy: str) -> list[float]:
    versions = [
        features_of(read_copy(text, Form.MARKDOWN)) for text in (FIRST, SECOND, THIRD)
    ]
    return [fit.cost for fit in fits_of(read_copy(copy, Form.MARKDOWN), versions)]


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
    assert second > first + tolerance(first)
    assert third > second


def test_a_copy_of_the_newest_version() -> None:
    copy = CHINESE.replace("oven.heat(200)", "oven.heat(200, fan=True)").replace(
        "org/a", "org/b"
    )
    first, second, third = costs(f"{copy}\n一节新的内容。\n\n{TRAYS}")
    assert third == 0
    assert second > tolerance(third)
    assert first > second


def test_links_that_are_stripped_everywhere_say_nothing() -> None:
    first, second, _ = costs(
        CHINESE.replace("[这里](http://oven.org/a)", "这里").replace(
            "oven.heat(200)", "x"
        )
    )
    assert abs(first - second) <= tolerance(first)


def test_english_that_is_left_tells_the_version() -> None:
    old, new = "Put it in the oven for an hour.", "Put it in the oven for half an hour."
    versions = [features_of(read_copy(text, Form.MARKDOWN)) for text in (old, new)]
    copy = read_copy(f"{new}\n\n然后打开。\n", Form.MARKDOWN)
    old_fit, new_fit = fits_of(copy, versions)
    assert new_fit.cost == 0 < old_fit.cost
    assert new_fit.explained == 1.0


def test_what_a_version_has_less_often_costs_half() -> None:
    texts = ("heat(1)", "heat(1)\nheat(1)", "wait(1)")
    versions = [features_of([Block(kind=BlockKind.CODE, text=text)]) for text in texts]
    copy = [Block(kind=BlockKind.CODE, text=texts[1])]
    once, twice, never = (fit.cost for fit in fits_of(copy, versions))
    assert twice == 0.0
    assert 0.0 < once < never


def test_english_that_is_left_is_known_whatever_its_mark_up() -> None:
    """A web page has links where the documents have roles."""
    english = "Then put it into {func}`oven.bake` for an hour."
    version = features_of(read_copy(english, Form.MARKDOWN))
    copy = read_copy(
        "Then put it into [`oven.bake`](bake.html) for an hour.\n\n打开。\n",
        Form.MARKDOWN,
    )
    (fit,) = fits_of(copy, [version])
    assert (fit.cost, fit.explained) == (0.0, 1.0)


def test_no_version_has_features_of_nothing() -> None:
    (fit,) = fits_of([], [()])
    assert (fit.cost, fit.explained) == (0.0, 0.0)
    assert features_of([Block(kind=BlockKind.IMAGE, text="")]) == ()


def test_a_version_of_a_page_without_history() -> None:
    page = Page(name="a", files=(SourceFile(path="a.md", blob="1"),))
    assert only_version(page, "c", "2026-01-01") == Version(
        page=page, first="c", last="c", since="2026-01-01"
    )


def test_releases_beside_the_line_are_versions_of_a_moment() -> None:
    def page(blob: str) -> Page:
        return Page(name="a", files=(SourceFile(path="a.md", blob=blob),))

    release = commit("r", 3)
    history = with_releases(HISTORY, [(release, [page("1"), page("6")])])
    assert [version.blob for version in history.versions["a"]] == ["1", "6", "2"]
    assert history.versions["a"][1].days == 0
    assert history.families == HISTORY.families


def test_chinese_that_stands_everywhere_goes_with_no_word() -> None:
    pairs = [(f"The oven {n}", "烤箱我们") for n in range(4)] + [
        ("A chair", "我们")
    ] * 30
    lexicon = learn(pairs, [], english=["oven"], chinese=["烤箱我们"])
    assert set(lexicon.partners["oven"]) == {"烤箱", "箱我"}
