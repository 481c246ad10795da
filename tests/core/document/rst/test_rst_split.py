"""Where prose stands in reStructuredText.

What is a message, where it lies, and what stays as it is.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from cases import read_cases
from docutils.parsers.rst import states
from hypothesis import given
from hypothesis import strategies as st
from repositories import Repository

from pipeline.core.document.directives import csv_fields
from pipeline.core.document.message import (
    UNWRITABLE_REASON,
    Kind,
    Markup,
    Message,
    Signature,
    Split,
)
from pipeline.core.document.rst.blocks import has_words
from pipeline.core.document.rst.positions import Finder, Lines
from pipeline.core.document.rst.splitter import split_rst
from pipeline.core.document.splice import Edit, splice
from pipeline.errors import InputError

DATA = Path(__file__).parent / "data"
# What is found in a text: kind and msgid of every message, in order.
FOUND = {
    name: (text, messages.split("\n")[:-1])
    for name, (text, messages) in read_cases(DATA / "messages.txt").items()
} | {
    "byte order mark": ("\ufeffTitle\n=====\n", ["heading | Title"]),
    "no line end": ("Some\t\nat\tthe end", ["paragraph | Some at\tthe end"]),
    "form feed": (
        "Some\x0cwords\nmore\x0c\n\x0c\nwords\n",
        ["paragraph | Some words more", "paragraph | words"],
    ),
    "other line ends": (
        "Some\r\nwords\rmore\u2028words\x85end\r\n",
        ["paragraph | Some words more words end"],
    ),
    "NUL": ("Some\0words\n", ["paragraph | Some\0words"]),
    "nothing": ("", []),
}
# What cannot be translated where it stands, and why.
UNSAFE = {
    name: (text, reasons.split("\n")[:-1])
    for name, (text, reasons) in read_cases(DATA / "left.txt").items()
} | {"surrogate": ("Some \ud800 words\n", [f"1 {UNWRITABLE_REASON}"])}


def found(text: str) -> list[str]:
    return [f"{one.kind} | {one.msgid}" for one in split_rst(text).messages]


def only(text: str) -> Message:
    (message,) = split_rst(text).messages
    return message


def pieces_of(message: Message) -> tuple[tuple[int, int], ...]:
    return message.pieces or ((message.start, message.end),)


def words_of(split: Split, message: Message) -> str:
    """What stands in the text where a message is said to be, without white space."""
    pieces = [split.text[start:end] for start, end in pieces_of(message)]
    return "".join("".join(pieces).split())


def skeleton(text: str) -> list[Signature]:
    return [signature for _, signature in split_rst(text).skeleton]


@pytest.mark.parametrize("name", FOUND)
def test_messages_are_found_with_their_kinds(name: str) -> None:
    text, expected = FOUND[name]
    assert found(text) == expected


# Words of the samples above that are no messages.
NOT_OFFERED = {
    "the classifier of a term is not translated",
    "the name of a field is not translated",
    "it is raw HTML in a directive",
}


@pytest.mark.parametrize("name", FOUND)
def test_messages_stand_where_they_are_said_to_be(name: str) -> None:
    split = split_rst(FOUND[name][0])
    assert {reason for _, reason in split.left_in_english} <= NOT_OFFERED
    assert split.text == FOUND[name][0]
    for message in split.messages:
        assert message.markup is Markup.RST
        words, expected = words_of(split, message), "".join(message.msgid.split())
        if message.prefix:  # a field of CSV
            assert words.replace('""', '"').strip('"') == expected.strip('"')
        else:
            mark = ":" if message.mark == "::" else message.mark.strip()
            assert words == expected + mark


@pytest.mark.parametrize("name", UNSAFE)
def test_what_stays_is_told(name: str) -> None:
    text, expected = UNSAFE[name]
    left = split_rst(text).left_in_english
    assert [f"{line} {reason}" for line, reason in left] == expected


def test_what_is_sane_beside_something_broken_is_a_message() -> None:
    split = split_rst("+----+\n| ab |\n+---\n\nWords\n")
    assert [message.msgid for message in split.messages] == ["Words"]
    ((_, reason),) = split.left_in_english
    assert reason.startswith("Malformed table.")
    assert found("Top\n===\n\n- Title\n  =====\n\n+--+\n| x\n\nWords.\n") == [
        "heading | Top",
        "paragraph | Words.",
    ]


def test_a_line_that_docutils_does_not_read_is_an_error() -> None:
    with pytest.raises(InputError, match="line 2 is longer"):
        split_rst("Words\n" + "x" * 10_001)


def test_a_failure_of_docutils_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    # No page is known on which this version fails; earlier ones did.
    def fail(*_: object) -> None:
        raise IndexError("nothing there")

    monkeypatch.setattr(states.RSTStateMachine, "run", fail)
    with pytest.raises(InputError, match="docutils fails on it"):
        split_rst("Words.\n")


def test_a_text_that_is_not_in_the_source_is_not_found() -> None:
    finder = Finder(Lines("words\n"))
    assert finder.words("words", [0]).place is not None
    assert finder.words("other", [0]).place is None
    assert finder.words("words\nmore", [0]).place is None
    assert finder.words("words", []).reason


def test_rules_of_titles_are_found() -> None:
    text = "\n==\nAb\n==\n\nAb\n==\n\nInner  \n-----\t\n"
    messages = split_rst(text).messages
    assert messages[0].rules == ((1, 3), (7, 9))
    rules = [[text[slice(*rule)] for rule in message.rules] for message in messages]
    assert rules == [["==", "=="], ["=="], ["-----"]]
    ends = [text[: message.block_end][-3:] for message in messages]
    assert ends == ["\n==", "\n==", "---"]


def test_headings_around_a_message() -> None:
    split = split_rst(
        "Top\n===\n\nOne\n---\n\nWords\n\nTwo\n---\n\n- More\n\nNext\n====\n\nInner\n-----\n"
    )
    assert {message.msgid: message.section for message in split.messages} == {
        "Top": "",
        "One": "Top",
        "Words": "Top › One",
        "Two": "Top",
        "More": "Top › Two",
        "Next": "",
        "Inner": "Next",
    }
    assert split.headings == ((1, "Next"), (2, "Inner"))
    assert split.title_end == 7
    inside = [one.msgid for one in split.messages if not one.is_top_level]
    assert inside == ["More"]


def test_titles_without_words_open_sections_too() -> None:
    split = split_rst("``x``\n=====\n\nWords\n\n``y``\n-----\n\nMore\n")
    headings = {message.msgid: message.headings for message in split.messages}
    assert headings == {"Words": ("``x``",), "More": ("``x``", "``y``")}
    assert split.title_end == 11


def test_a_text_without_a_title() -> None:
    split = split_rst("> Words\n")
    assert (split.title_end, split.headings) == (None, ())
    assert split.messages[0].block_end == 7


@pytest.mark.parametrize(
    ("text", "mark", "end"),
    [("Words::", "::", 7), ("Words  ::", "  ::", 9), ("Words\n::", "", 5)],
)
def test_what_announces_a_literal_block_is_marked(text: str, mark: str, end: int) -> None:
    message = only(f"{text}\n\n  x\n")
    assert (message.mark, message.end) == (mark, end)


def test_a_cell_of_several_lines_lies_in_pieces() -> None:
    text = "====  ====\nab    cd\n      ef\ngh    ij\n====  ====\n"
    split = split_rst(text)
    pieces = {message.msgid: message.pieces for message in split.messages}
    assert pieces == {"ab": (), "cd ef": ((17, 19), (26, 28)), "gh": (), "ij": ()}
    assert split.tables == ((0, len(text) - 1),)


def test_tables_without_messages_are_none() -> None:
    assert split_rst("==  ==\n1   2\n==  ==\n").tables == ()


def test_csv_that_python_reads_in_another_way_is_not_read() -> None:
    # Python finds a field in a line of spaces, and none in an empty one.
    assert csv_fields([" "], {}) is None
    assert csv_fields([""], {}) == []


def test_fields_of_csv_include_their_quotation_marks() -> None:
    text = '.. csv-table::\n\n   "aa ""b""", cd\n'
    fields = [
        (text[message.start : message.end], message.prefix) for message in split_rst(text).messages
    ]
    assert fields == [('"aa ""b"""', '"'), ("cd", '"')]


def test_code_is_kept_in_order() -> None:
    text = (
        "::\n\n  one\n\n>>> two\n2\n\n.. code::\n\n   three\n\n.. testcode:: x\n   :hide:\n\n"
        "   four\n\n   five\n"
    )
    assert split_rst(text).code == ("one", ">>> two\n2", "three", "four\n\nfive")


SAME = [
    ("Some words\n==========\n", "Other\n=====\n"),
    ("Some words\nand more::\n\n  x\n", "Other::\n\n  x\n"),
    ("A term\n  says\n", "Other\n  other\n"),
    (
        "====  ====\nab    cd\n      ef\n====  ====\n",
        "=======  ====\nother    more\n=======  ====\n",
    ),
    (
        ".. toctree::\n   :caption: Some\n\n   Words <x>\n",
        ".. toctree::\n   :caption: Other\n\n   More <x>\n",
    ),
    (".. note:: Some words\n", ".. note:: Other\n"),
    ("One\n===\n\nOne\n===\n", "One\n===\n\nTwo\n===\n"),
]
DIFFERENT = [
    ("- words\n", "* words\n"),
    ("1. words\n", "2. words\n"),
    ("1. words\n", "1) words\n"),
    ("words::\n\n  x\n", "words::\n\n  y\n"),
    (".. _a: https://x.org\n", ".. _a: https://y.org\n"),
    (".. _a: https://x.org\n", ".. _b: https://x.org\n"),
    (".. comment here\n", ".. other comment\n"),
    (".. raw:: html\n\n   <b>\n", ".. raw:: html\n\n   <i>\n"),
    (".. image:: a.png\n   :alt: a b\n", ".. image:: b.png\n   :alt: a b\n"),
    (".. note::\n   :class: a\n\n   words\n", ".. note::\n   :class: b\n\n   words\n"),
    (".. toctree::\n\n   Words <x>\n", ".. toctree::\n\n   Words <y>\n"),
    (".. toctree::\n\n   Words <x>\n", ".. toctree::\n\n   x\n"),
    (".. mystery::\n\n   words\n", ".. mystery::\n\n   more\n"),
    (".. [1] words\n", ".. [2] words\n"),
    (".. |a| replace:: words\n", ".. |b| replace:: words\n"),
    (":field: words\n\nx\n", ":other: words\n\nx\n"),
    ("words\n\nA term : kind\n  says\n", "words\n\nA term : other\n  says\n"),
    ("words\n\n  quoted\n", "words\n\nquoted\n"),
    ("| words\n| more\n", "| words\n|   more\n"),
    ("``x``\n", "``y``\n"),
    ("- a b\n  ===\n", "- c d\n  ===\n"),
    (".. list-table::\n\n   * - aa\n", ".. list-table::\n   :header-rows: 1\n\n   * - aa\n"),
    (".. csv-table::\n\n   aa,bb\n", ".. csv-table::\n\n   aa\n   bb\n"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_skeleton_does_not_depend_on_words(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_the_skeleton_depends_on_all_else(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


def test_blocks_begin_where_they_are_said_to() -> None:
    text = "Words\n\n.. _a:\n\nTop\n===\n\n  A quotation\n\n.. note::\n\n   - item\n"
    offsets = {signature[1]: offset for offset, signature in split_rst(text).skeleton}
    assert offsets == {
        "paragraph": text.index("item"),
        "target": text.index(".. _a"),
        "section": text.index("Top"),
        "title": text.index("Top"),
        "block_quote": text.index("  A quot"),
        "directive_node": text.index(".. note"),
        "bullet_list": text.index("   - item"),
        "list_item": text.index("   - item"),
    }


PIECES = (
    "- ¦* ¦1. ¦a) ¦#. ¦|¦| ¦||¦::¦:: ¦.. ¦__ ¦.. [1] ¦.. _a: ¦>>> ¦:a: ¦-v  ¦"
    "-- who¦word¦words here¦term : kind¦Title <x>¦`¦``¦*¦**¦_¦\\¦"
    ":alt: words here¦:class: y¦:caption: words¦===¦---¦^^^¦+++¦====  ====¦"
    'aa    bb¦+----+¦+====+¦| ab |¦"a, b", c¦:header: a, "b"¦:delim: ;¦'
    ".. note:: ¦.. image:: x¦.. figure:: x¦.. toctree::¦.. |x| replace:: ¦"
    ".. |y| image:: z¦.. glossary::¦.. code::¦.. csv-table::¦.. list-table::¦"
    ".. card::¦.. mystery::¦.. only:: x¦.. epigraph::¦.. versionadded:: 1 x"
).split("¦")
SPACES = [
    *("\n", "\n\n", "\n  ", "\n   ", "\n\n   ", " ", "  ", "\t", "\n\t", "\r\n", "\r"),
    *("\x0b", "\x0c", "\xa0", "\ufeff", "\x85", "\u2028", "\u0301", "字", "\0"),
]
texts = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from([*PIECES, *SPACES]), max_size=30).map("".join),
    st.lists(st.one_of(st.sampled_from([*PIECES, *SPACES]), st.text(max_size=4)), max_size=25).map(
        "".join
    ),
)


@given(text=texts)
def test_any_text_is_split_into_messages_that_do_not_overlap(text: str) -> None:
    split = split_rst(text)
    assert split.text == text
    spans = sorted(piece for message in split.messages for piece in pieces_of(message))
    at = 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        at = end
    for message in split.messages:
        assert has_words(message.msgid) or message.kind is Kind.TABLE_CELL
        assert "\n" not in message.msgid
        assert message.msgid == message.msgid.strip()
        if not message.prefix:
            words = words_of(split, message).replace("\0", "")
            assert words.startswith("".join(message.msgid.split()).replace("\0", ""))
    assert all(0 <= offset <= len(text) for offset, _ in split.skeleton)
    assert all(1 <= line <= len(text) + 1 for line, _ in split.left_in_english)


# P1 and P2 for every ``.rst`` file that the JAX docs have ever had.
# By default a sample is read; all 1,450 of them with JAX_DOCS_WHOLE=1.

WHOLE = bool(os.environ.get("JAX_DOCS_WHOLE"))
PARTS = 4  # of the test, so that it can be spread over processes
STRIDE = 1 if WHOLE else 40

# What stays English, in all of the history, and how many times.
KNOWN_UNSAFE = {
    "an indented line follows without a blank line": 16,
    "Missing matching underline for section title overline.": 1,
}


@pytest.mark.parametrize("part", range(PARTS))
def test_every_blob_of_the_history_is_joined_again(repository: Repository, part: int) -> None:
    blobs = list(repository.pages_ever((".rst",)))[::STRIDE][part::PARTS]
    reasons: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for blob, data in repository.read(blobs):
        text = data.decode()
        split = split_rst(text)
        assert split.text == text
        assert_joins(split, blob)
        reasons.update(reason for _, reason in split.left_in_english)
        kinds.update(message.kind for message in split.messages)
    print(
        f"{len(blobs)} blobs, {kinds.total()} messages: {dict(kinds)}; in English: {dict(reasons)}"
    )
    assert blobs
    assert kinds
    assert all(count <= KNOWN_UNSAFE[reason] for reason, count in reasons.items())


def assert_joins(split: Split, blob: str) -> None:
    """The pieces of messages lie one behind the other and say what the msgid says.

    To write them again changes nothing.
    """
    edits = [
        Edit(*piece, split.text[slice(*piece)])
        for message in split.messages
        for piece in pieces_of(message)
    ]
    edits.sort(key=lambda edit: edit.start)
    assert splice(split.text, edits) == split.text, blob
    assert all(before.end <= after.start for before, after in pairwise(edits)), blob
    for message in split.messages:
        source = " ".join(split.text[slice(*piece)] for piece in pieces_of(message))
        colon = ":" if message.mark == "::" else message.mark
        place = (blob, message.line)
        assert source.split() == f"{message.msgid}{colon}".split(), place


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_line_ends_make_no_difference(repository: Repository, line_end: str) -> None:
    blobs = list(repository.pages_ever((".rst",)))[:: STRIDE * 4]
    for _, data in repository.read(blobs):
        text = data.decode()
        theirs, ours = split_rst(text), split_rst(text.replace("\n", line_end))
        said = [(one.kind, one.msgid, one.line) for one in ours.messages]
        assert said == [(one.kind, one.msgid, one.line) for one in theirs.messages]
        assert [one for _, one in ours.skeleton] == [one for _, one in theirs.skeleton]
        assert ours.code == theirs.code
