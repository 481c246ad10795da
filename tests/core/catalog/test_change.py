"""What class of change a message saw, and how it is shown.

Some translations simply follow the change.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.catalog.change import (
    DIFF_LENGTH,
    ChangeClass,
    apply_change,
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
        ("Set `x.shape` to zero.", "Set `xshape` to zero."),
        ("The value $x$ grows.", "The value $x_0$ grows."),
        ("Read <b>this</b> now.", "Read this now."),
        ("See {ref}`here` and there.", "See {doc}`there` and there."),
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
    ],
    ChangeClass.REWORDING: [
        ("You can reuse a key", "You cannot reuse a key"),
        ("Turn it on", "Turn it no"),
        ("It is now ready", "It is not ready"),
        ("Use import here", "Use export here"),
        ("A short text", "A rather longer text than before"),
        ("sort by v1 keys", "sort by vX keys"),
        ("Takes four seconds", "Takes 4 seconds"),
    ],
}


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [(kind, *pair) for kind, pairs in CLASSES.items() for pair in pairs],
)
def test_every_change_has_its_class_in_both_directions(
    kind: ChangeClass, old: str, new: str
) -> None:
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


def test_a_long_diff_is_cut_to_its_length() -> None:
    old, new = ("old words " * 15).strip(), ("new lines " * 15).strip()
    whole = f"[-{old}-]{{+{new}+}}"
    assert diff(old, new) == whole[: DIFF_LENGTH - 1] + "…"
    exact = "x" * (DIFF_LENGTH - len("[--]{++}"))
    assert diff(exact[:90], exact[90:]) == f"[-{exact[:90]}-]{{+{exact[90:]}+}}"
    assert len(diff(exact[:90], exact[90:])) == DIFF_LENGTH


@given(st.text(), st.text())
def test_a_note_is_always_one_short_printable_line(old: str, new: str) -> None:
    text = diff(old, new)
    assert text.isprintable()
    assert len(text) <= DIFF_LENGTH


LINK = "See [it](https://docs.old.example/en/page.html#part) now."
CARRIED = [
    ("Two  spaces here.", "Two spaces here.", "这里有两个空格。", "这里有两个空格。"),
    ("A tab\there.", "A tab here.", "制表符。", "制表符。"),
    ("Same.", "Same.", "一样。", "一样。"),
    (
        "See http://a.example/x.",
        "See https://a.example/x.",
        "见 http://a.example/x。",
        "见 https://a.example/x。",
    ),
    (
        LINK,
        LINK.replace("docs.old.example", "new.example"),
        "见[它](https://docs.old.example/en/page.html#part)。",
        "见[它](https://new.example/en/page.html#part)。",
    ),
    (
        "[a](https://github.com/one/tool/issues/7) and  [b](https://github.com/one/tool)",
        "[a](https://github.com/two/tool/issues/7) and [b](https://github.com/two/tool)",
        "[乙](https://github.com/one/tool)与[甲](https://github.com/one/tool/issues/7)",
        "[乙](https://github.com/two/tool)与[甲](https://github.com/two/tool/issues/7)",
    ),
    (
        "Run `pip -f http://a.example/w.html`.",
        "Run `pip -f https://a.example/w.html`.",
        "`pip -f http://a.example/w.html`",
        None,
    ),
    (
        "<https://a.example/x>",
        "<https://b.example/x>",
        "<https://a.example/x>",
        "<https://b.example/x>",
    ),
]
REFUSED = [
    ("Words here.", "Other words here.", "词。"),  # not the same words
    ("A sentence", "A sentence.", "一句话"),  # punctuation is for a person
    # Which break of the translation it is cannot be known.
    ("one\nline", "one line", "一\n行"),
    ("data set", "dataset", "数据集"),
    ("Use `a  b`.", "Use `a b`.", "用 `a  b`。"),  # inside code a space counts
    ("<pre>a  b</pre>", "<pre>a b</pre>", "<pre>a  b</pre>"),
    # Another page.
    ("See http://a.example/x", "See http://a.example/y", "见 http://a.example/x"),
    ("See http://a.example/x", "See http://a.example/x?y=1", "见 http://a.example/x"),
    (
        "See http://a.example/x",
        "See https://a.example/x",
        "见文档",
    ),  # the translation has no such URL
    (
        "See http://a.example/x",
        "See https://a.example/x",
        "见 http://a.example/x 和 http://a.example/x",
    ),  # or has it twice
    (
        "See http://a.example/x",
        "See https://a.example/x",
        "见 http://a.example/x/y",
    ),  # or a longer one
    (
        "http://a.example/x http://a.example/x",
        "https://a.example/x http://a.example/x",
        "http://a.example/x http://a.example/x",
    ),
    (
        "See http://a.example/x http://b.example",
        "See https://a.example/x",
        "见 http://a.example/x http://b.example",
    ),
    (
        "http://a.example/one/two/x",
        "http://a.example/three/two/x",
        "http://a.example/one/two/x",
    ),  # no place of repositories
    (
        "See http://a.example/x now",
        "See https://a.example/x then",
        "见 http://a.example/x",
    ),
]


@pytest.mark.parametrize(("old", "new", "msgstr", "expected"), CARRIED)
def test_what_changes_no_word_is_done_in_the_translation_too(
    old: str, new: str, msgstr: str, expected: str | None
) -> None:
    assert apply_change(old, new, msgstr) == (
        msgstr.replace("http:", "https:") if expected is None else expected
    )


@pytest.mark.parametrize(("old", "new", "msgstr"), REFUSED)
def test_what_cannot_be_proved_right_waits_for_a_person(
    old: str, new: str, msgstr: str
) -> None:
    assert apply_change(old, new, msgstr) is None
