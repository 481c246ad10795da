"""What class of change a message saw, and how it is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pipeline.core.catalog.change_class import (
    DIFF_LENGTH,
    LONGEST_DIFF,
    ChangeClass,
    classify,
    diff,
)

CLASSES = {
    ChangeClass.MOVED: [("The same words.", "The same words.")],
    ChangeClass.PUNCTUATION: [
        ("Each shard sends  its part.", "Each shard sends its part."),
        ("Each shard sends its part", "Each shard sends its part."),
        ("First, load the data; then go", "First load the data, then go"),
        ("a well-known rule", "a well known rule"),
        ("one line\nand one more", "one line and one more"),
        ("the “best” one", 'the "best" one'),
        ("Do not—ever—reuse keys", "Do not - ever - reuse keys"),
    ],
    ChangeClass.MARKUP: [
        ("Call `shard` first.", "Call {func}`shard` first."),
        ("Call shard first.", "Call `shard` first."),
        ("See [the guide](old.md).", "See [the guide](new.md#there)."),
        ("This is *important* here.", "This is **important** here."),
        ("Read <b>this</b> now.", "Read this now."),
        ("See {ref}`here` and there.", "See {doc}`there` and there."),
        ("See `the tea`_ first.", "See :doc:`the tea <tea>` first."),
        ("Use :code:`tea`, hot", "Use `tea`, hot."),
    ],
    ChangeClass.CODE: [
        ("Set `x.shape` to zero.", "Set `xshape` to zero."),
        ("The value $x$ grows.", "The value $x_0$ grows."),
        ("Pass `P` or `Q`.", "Pass `tea.P` or {func}`Q`."),
        ("Take 2 of `tea`.", "Take 3 of `pot`."),
        ("Use :code:`tea` or :code:`pot`", "Use `hot_tea` or `pot`."),
        ("Use `tea` and `tea`", "Use `tea` and `pot`"),
    ],
    ChangeClass.TYPO: [
        ("The Following keys", "The following keys"),
        ("Recieve the gradients", "Receive the gradients"),
        ("A seperate device", "A separate device"),
        ("the data set is big", "the dataset is big"),
        ("HOW IT WORKS", "How it works"),
        ("vectorisation of loops", "vectorization of loops"),
    ],
    ChangeClass.NUMBERS: [
        ("Takes 12 seconds on 4 cores", "Takes 9 seconds on 8 cores"),
        ("Since version 1.2.3 it works", "Since version 1.10 it works"),
        ("In 2024 we met", "In 2025 we met"),
        ("about 1,000 steps", "about 250 steps"),
        ("Step 1 of 3", "Step 2 of 3"),
        ("A kernel16 runs", "A kernel32 runs"),
        ("Tea 1.2 (March 18, 2026)", "Tea 1.3 (June 7, 2026)"),
    ],
    ChangeClass.REWORDING: [
        ("You can reuse a key", "You cannot reuse a key"),
        ("Turn it on", "Turn it no"),
        ("It is now ready", "It is not ready"),
        ("Use import here", "Use export here"),
        ("A short text", "A rather longer text than before"),
        ("sort by v1 keys", "sort by vX keys"),
        ("Takes four seconds", "Takes 4 seconds"),
        ("Stir the pot", "Stir the pot (`pot`)"),
    ],
}


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [(kind, *pair) for kind, pairs in CLASSES.items() for pair in pairs],
)
def test_class_of_changes_both_ways(kind: ChangeClass, old: str, new: str) -> None:
    assert classify(old, new).kind is kind
    assert classify(new, old).kind is kind


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("a b c d e f g h i", "a b c d X f g h i", "… b c d [-e-]{+X+} f g h …"),
        ("gone at the end", "gone at", "gone at [-the end-]"),
        ("here", "now and here", "{+now and+} here"),
        ("all", "none", "[-all-]{+none+}"),
        ("one\nline", "one line", "one[-⏎-]{+ +}line"),
        ("two  spaces", "two spaces", "two[-  -]{+ +}spaces"),
        ("bell\u0085 rings", "bell\u0007 rings", "[-bell-]{+bell +} rings"),
        ("same", "same", ""),
        (
            "A a b c d e f g Z",
            "B a b c d e f g Y",
            "[-A-]{+B+} a b c … e f g [-Z-]{+Y+}",
        ),
    ],
)
def test_a_diff_shows_the_words_that_differ(old: str, new: str, shown: str) -> None:
    assert diff(old, new) == shown


def test_a_change_is_one_line_for_a_note() -> None:
    assert str(classify("In 2024", "In 2025")) == "numbers: In [-2024-]{+2025+}"
    assert str(classify("same", "same")) == "moved"


def test_a_note_names_the_page_that_the_text_comes_from() -> None:
    change = replace(classify("In 2024", "In 2025"), page="tea")
    assert str(change) == "numbers: from tea: In [-2024-]{+2025+}"


def test_a_long_diff_shows_the_changes_only() -> None:
    word = "w" * (DIFF_LENGTH // 2)
    assert diff(f"{word} a {word} b {word}", f"{word} x {word} y {word}") == (
        "… [-a-]{+x+} … [-b-]{+y+} …"
    )
    assert diff("a b", "a c") == "a [-b-]{+c+}"


def test_a_very_long_diff_is_cut_to_its_length() -> None:
    old, new = ("old words " * 60).strip(), ("new lines " * 60).strip()
    whole = f"[-{old}-]{{+{new}+}}"
    assert diff(old, new) == whole[: LONGEST_DIFF - 1] + "…"
    exact = "x" * (LONGEST_DIFF - len("[--]{++}"))
    assert diff(exact[:90], exact[90:]) == f"[-{exact[:90]}-]{{+{exact[90:]}+}}"


@given(st.text(), st.text())
def test_a_note_is_always_one_short_printable_line(old: str, new: str) -> None:
    text = diff(old, new)
    assert text.isprintable()
    assert len(text) <= LONGEST_DIFF
