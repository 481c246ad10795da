"""Where prose stands in reStructuredText.

What is a message, where it lies, and what stays as it is.
"""

from __future__ import annotations

import pytest
from docutils.parsers.rst import states
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.document.csv_fields import rows
from pipeline.core.document.message import Kind, Markup, Message, Split
from pipeline.core.document.rst.blocks import has_words
from pipeline.core.document.rst.positions import Finder, Lines
from pipeline.core.document.rst.splitter import split_rst
from pipeline.errors import InputError

# What is found in a text: kind and msgid of every message, in order.
FOUND: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "title": ("The title\n=========\n", [("heading", "The title")]),
    "title with an overline": ("=====\n Title\n=====\n", [("heading", "Title")]),
    "title that its underline is too short for": (
        "A longer title\n=====\n",
        [("heading", "A longer title")],
    ),
    "subtitles": (
        "Top\n===\n\nInner\n-----\n\nOther\n-----\n",
        [("heading", "Top"), ("heading", "Inner"), ("heading", "Other")],
    ),
    "transition": (
        "Some words\n\n----\n\nmore words\n",
        [("paragraph", "Some words"), ("paragraph", "more words")],
    ),
    "paragraph": (
        "Some words\n  \nof two lines\nor three\n",
        [("paragraph", "Some words"), ("paragraph", "of two lines or three")],
    ),
    "roles and marks as written": (
        (
            "See :func:`jax.jit` and `a link <https://x.org>`_ and\n"
            "``code  here``, |sub|, [1]_, \\*no\\*.\n"
        ),
        [
            (
                "paragraph",
                (
                    "See :func:`jax.jit` and `a link <https://x.org>`_ and ``code  here``, "
                    "|sub|, [1]_, \\*no\\*."
                ),
            )
        ],
    ),
    "bullets": (
        "* one item\n  goes on\n* two\n\n  more of it\n",
        [("list item", t) for t in ("one item goes on", "two", "more of it")],
    ),
    "bullet above its text": ("*\n  an item\n", [("list item", "an item")]),
    "numbers": (
        "3. three words\n4. four\n\n(a) other\n",
        [("list item", t) for t in ("three words", "four", "other")],
    ),
    "nested lists": (
        "- outer\n\n  - inner words\n    go on\n",
        [("list item", "outer"), ("list item", "inner words go on")],
    ),
    "definitions": (
        "A term : kind : other\n  What it is.\n``x : y`` word\n  More.\n`aa : b`\n  And.\n",
        [
            ("definition term", "A term"),
            ("definition", "What it is."),
            ("definition term", "``x : y`` word"),
            ("definition", "More."),
            ("definition term", "`aa : b`"),
            ("definition", "And."),
        ],
    ),
    "fields": (
        "Words.\n\n:param x: the body\n  goes on\n:other: more\n",
        [
            ("paragraph", "Words."),
            ("definition", "the body goes on"),
            ("definition", "more"),
        ],
    ),
    "fields about the page": (
        ".. a comment\n\n:orphan:\n:Author: Some body\n\nWords.\n",
        [("paragraph", "Words.")],
    ),
    "options of a program": (
        "-v, --verbose FILE  talks a lot\n-q  is quiet\n",
        [("definition", "talks a lot"), ("definition", "is quiet")],
    ),
    "quotation": (
        "   Words of hers.\n\n   -- Her\n      Self\n",
        [("quote", "Words of hers."), ("quote", "Her Self")],
    ),
    "lines": (
        "| one line\n|   two lines\n    go on\n|\n",
        [("paragraph", "one line"), ("paragraph", "two lines go on")],
    ),
    "literal block": ("Some words::\n\n   code here\n", [("paragraph", "Some words:")]),
    "literal block behind a space": (
        "Some words ::\n\n   code\n",
        [("paragraph", "Some words")],
    ),
    "literal block behind a line": (
        "Some words\n::\n\n   code\n",
        [("paragraph", "Some words")],
    ),
    "literal block alone": ("::\n\n   code\n", []),
    "quoted literal block": (
        "Some words::\n\n> code\n> more\n",
        [("paragraph", "Some words:")],
    ),
    "two escaped colons": ("Some words\\::\n", [("paragraph", "Some words\\::")]),
    "doctest": (">>> print('some words')\nsome words\n", []),
    "footnote": (
        ".. [1] Some words\n   go on.\n.. [CIT] More.\n.. [#a] And.\n",
        [("footnote", t) for t in ("Some words go on.", "More.", "And.")],
    ),
    "target": (
        ".. _a name: https://x.org\n.. __: https://y.org\n__ https://z.org\n.. _b: a_\n",
        [],
    ),
    "comment": (".. Some words\n   in a comment\n\n..\n   more\n", []),
    "substitution": (
        ".. |x| replace:: some *words*\n   go on\n",
        [("paragraph", "some *words* go on")],
    ),
    "substitution of two paragraphs": (
        ".. |x| replace:: some\n\n   words\n",
        [("admonition", "some"), ("admonition", "words")],
    ),
    "substitution with an image": (".. |x y| image:: a.png\n", []),
    "substitution with an image that says something": (
        ".. |x| image:: a.png\n   :alt: Two lines\n",
        [("image text", "Two lines")],
    ),
    "substitution with a date": (".. |x| date:: the day\n", []),
    "raw HTML": (".. raw:: html\n\n   <b>some words</b>\n", []),
    "inclusion": (".. include:: /etc/hostname\n", []),
    "literal inclusion": (
        ".. literalinclude:: /etc/hostname\n   :caption: The name\n",
        [("caption", "The name")],
    ),
    "code block": (
        ".. code-block:: python\n   :caption: Some words\n\n   x = 1\n",
        [("caption", "Some words")],
    ),
    "code block with the name of its file": (
        ".. code-block:: python\n   :caption: src/whole_file.py\n\n   x = 1\n",
        [],
    ),
    "math": (".. math::\n\n   some words\n", []),
    "names only": (
        "``x``\n\n:func:`a.b`, |x|_ and [CIT]_\n",
        [("paragraph", ":func:`a.b`, |x|_ and [CIT]_")],
    ),
    "atoms only": (
        "``xyz``\n\n:func:`a.b`\n\n|sub|\n\n[CIT]_\n\nhttps://x.org\n\n`name`\n\n1 + 2\n",
        [],
    ),
    "title of a role": (
        ":doc:`Some words <page>`\n\n:math:`some x <y>`\n",
        [("paragraph", ":doc:`Some words <page>`")],
    ),
    "note": (
        ".. note:: Some words\n   go on.\n\n   More.\n",
        [("admonition", "Some words go on."), ("admonition", "More.")],
    ),
    "note with a class": (
        ".. note::\n   :class: some words\n\n   More.\n",
        [("admonition", "More.")],
    ),
    "admonition": (
        ".. admonition:: The title\n   goes on\n\n   Words.\n",
        [("directive title", "The title goes on"), ("admonition", "Words.")],
    ),
    "title below its directive": (
        ".. admonition::\n   The title\n\n   Words.\n",
        [("directive title", "The title"), ("admonition", "Words.")],
    ),
    "list in a note": (".. note::\n\n   - one item\n", [("list item", "one item")]),
    "version": (
        ".. versionadded:: 0.4\n   Some words.\n\n   More.\n\n.. deprecated:: 0.5\n",
        [("admonition", "Some words."), ("admonition", "More.")],
    ),
    "version below its directive": (
        ".. versionadded::\n   0.4\n   Some words\n   go on.\n",
        [("admonition", "Some words go on.")],
    ),
    "sidebar": (
        ".. sidebar:: Title\n   :subtitle: Under it\n\n   Words.\n",
        [
            ("directive title", "Title"),
            ("directive title", "Under it"),
            ("admonition", "Words."),
        ],
    ),
    "only": (
        ".. only:: html and not words\n\n   Some words.\n",
        [("admonition", "Some words.")],
    ),
    "function": (
        ".. py:function:: some.words(x)\n\n   What it does.\n",
        [("definition", "What it does.")],
    ),
    "automatic documentation": (
        ".. autosummary::\n   :toctree: _x\n\n   words\n\n.. autofunction:: some.words\n",
        [],
    ),
    "image": (
        ".. image:: a.png\n   :width: 3em\n   :alt: A small\n     picture\n   :align: left\n",
        [("image text", "A small picture")],
    ),
    "image without words": (
        ".. image:: a.png\n   :alt: png\n\n.. image:: b.png\n   :alt: my file.png\n",
        [],
    ),
    "image with an empty text": (".. image:: a.png\n   :alt:\n   :width: 3\n", []),
    "figure": (
        ".. figure:: a.png\n   :alt: A picture\n\n   The caption.\n\n   The legend.\n",
        [
            ("image text", "A picture"),
            ("caption", "The caption."),
            ("caption", "The legend."),
        ],
    ),
    "epigraph": (
        ".. epigraph::\n\n   Some words.\n\n   -- Somebody\n",
        [("quote", "Some words."), ("quote", "Somebody")],
    ),
    "table of contents": (
        (
            ".. toctree::\n   :maxdepth: 2\n   :caption: Read on\n\n"
            "   Some words <page>\n   page\n   More <https://x.org>\n"
        ),
        [
            ("caption", "Read on"),
            ("directive title", "Some words"),
            ("directive title", "More"),
        ],
    ),
    "card": (
        (
            ".. grid:: 1 2\n   :gutter: 2\n\n   .. grid-item-card:: The title\n      :link: x\n\n"
            "      Above\n      ^^^\n      Body\n      +++\n      Below\n"
        ),
        [
            ("directive title", "The title"),
            ("admonition", "Above"),
            ("admonition", "Body"),
            ("admonition", "Below"),
        ],
    ),
    "tabs": (
        ".. tab-set::\n\n   .. tab-item:: First one\n\n      Words.\n",
        [("directive title", "First one"), ("admonition", "Words.")],
    ),
    "glossary": (
        (
            ".. glossary::\n   :sorted:\n\n   one term\n   two terms : key\n      Some words.\n\n"
            "      More.\n\n   .. a comment\n      goes on\n\n   last term\n"
        ),
        [
            ("definition term", "one term"),
            ("definition term", "two terms"),
            ("definition", "Some words."),
            ("definition", "More."),
            ("definition term", "last term"),
        ],
    ),
    "empty glossary": (".. glossary::\n", []),
    "simple table": (
        (
            "=====  =======\nHead   of it\n=====  =======\ncell   one and\n       more\n"
            "other  - item\n=====  =======\n"
        ),
        [
            ("table cell", "Head"),
            ("table cell", "of it"),
            ("table cell", "cell"),
            ("table cell", "one and more"),
            ("table cell", "other"),
            ("list item", "item"),
        ],
    ),
    "simple table with a span": (
        "====  ====\nspans it\n----------\naa    bb\n====  ====\n",
        [("table cell", t) for t in ("spans it", "aa", "bb")],
    ),
    "grid table": (
        (
            "+------+-------+\n| same | spans |\n+------+ and   |\n| same | same  |\n"
            "+------+-------+\n"
        ),
        [
            ("table cell", "same"),
            ("table cell", "spans and same"),
            ("table cell", "same"),
        ],
    ),
    "grid table of wide characters": (
        "+------+----+\n| 中文 | ab |\n+------+----+\n",
        [("table cell", "中文"), ("table cell", "ab")],
    ),
    "table with a title": (
        ".. table:: The title\n\n   ==  ==\n   aa  aa\n   ==  ==\n",
        [("directive title", "The title"), ("table cell", "aa"), ("table cell", "aa")],
    ),
    "table of lists": (
        (
            ".. list-table:: The title\n   :header-rows: 1\n\n"
            "   * - Head\n     - Two\n       lines\n   * - - item\n     -\n\n   Words\n"
        ),
        [
            ("directive title", "The title"),
            ("table cell", "Head"),
            ("table cell", "Two lines"),
            ("list item", "item"),
            ("admonition", "Words"),
        ],
    ),
    "table of values": (
        (
            '.. csv-table:: The title\n   :header: one, "two, three"\n\n'
            '   "say ""words""", plain words\n\n   "two\n   lines", 1\n'
        ),
        [
            ("directive title", "The title"),
            ("table cell", "one"),
            ("table cell", "two, three"),
            ("table cell", 'say "words"'),
            ("table cell", "plain words"),
            ("table cell", "two lines"),
        ],
    ),
    "table of values with a delimiter of its own": (
        ".. csv-table::\n   :delim: ;\n   :keepspace:\n\n   one;two\n   more;x, y\n",
        [("table cell", t) for t in ("one", "two", "more")],
    ),
    "byte order mark": ("\ufeffTitle\n=====\n", [("heading", "Title")]),
    "tab characters": ("*\tan\titem\n\tgoes on\n", [("list item", "an\titem goes on")]),
    "no line end": (
        "Some words\t\nat\tthe end",
        [("paragraph", "Some words at\tthe end")],
    ),
    "form feed": (
        "Some\x0cwords\nmore\x0c\n\x0c\nwords\n",
        [("paragraph", "Some words more"), ("paragraph", "words")],
    ),
    "other line ends": (
        "Some\r\nwords\rmore\u2028words\x85end\r\n",
        [("paragraph", "Some words more words end")],
    ),
    "NUL": ("Some\0words\n", [("paragraph", "Some\0words")]),
    "nothing": ("", []),
}
# What cannot be translated where it stands, and why.
CSV = "its dialect of CSV is not supported"
MANY = "there is more than one paragraph in a field of CSV"
UNSAFE: dict[str, tuple[str, list[tuple[int, str]]]] = {
    "unknown directive": (
        ".. mystery:: x\n\n   Some words.\n",
        [(1, 'the content of the directive "mystery" is unknown')],
    ),
    "unknown directive without words": (".. mystery:: 1\n", []),
    "indentation without a blank line": (
        "Words.\n\nsome\nwords\n  quoted\n",
        [(3, "an indented line follows without a blank line")],
    ),
    "overline without an underline": (
        "=====\nTitle\n\nWords\n",
        [(1, "Missing matching underline for section title overline.")],
    ),
    "title in a list": ("- Title\n  =====\n", [(2, "Unexpected section title.")]),
    "bad argument": (
        ".. deprecated::\n\n   Some words.\n",
        [(1, 'Error in "deprecated" directive: 1 argument(s) required, 0 supplied.')],
    ),
    "option given twice": (
        ".. image:: a.png\n   :alt: a b\n   :alt: c d\n",
        [
            (
                1,
                'Error in "image" directive: invalid option data: duplicate option "alt".',
            )
        ],
    ),
    "option that we read otherwise": (
        ".. image:: a.png\n   :alt: some\n      :alt: words\n",
        [(1, "its position in the source is unknown")],
    ),
    "tabs in a table": (
        "====  ====\naa\tbb\n====  ====\n",
        [(2, "tabs in a table"), (2, "tabs in a table")],
    ),
    "a title of a directive beside tabs": (
        "+-----------------+\n| .. topic:: Some |\n|\t\t  |\n+-----------------+\n",
        [(2, "tabs in a table")],
    ),
    "combining characters in a table": (
        "====  ====\naa\u0301    bb\n====  ====\n",
        [(2, "combining characters in a table")] * 2,
    ),
    "a table in a table": (
        "+------------+\n| ==  ====   |\n| aa  bb     |\n| ==  ====   |\n+------------+\n",
        [
            (3, "a table within a cell of a table"),
            (3, "a table within a cell of a table"),
        ],
    ),
    "CSV in a dialect": (
        ".. csv-table::\n   :quote: '\n\n   some, words\n",
        [(1, CSV)],
    ),
    "broken CSV": ('.. csv-table::\n\n   "some" x, words\n', [(1, CSV)]),
    "CSV with a bad delimiter": (
        ".. csv-table::\n   :delim: xyz\n\n   some, words\n",
        [(1, CSV)],
    ),
    "more than a paragraph in CSV": (
        '.. csv-table::\n\n   "- some\n   - words", x\n',
        [(3, MANY)] * 2,
    ),
    "before a glossary": (
        ".. glossary::\n\n     some words\n   term here\n     says\n",
        [(1, "it is before the first term of a glossary")],
    ),
    "surrogate": (
        "Some \ud800 words\n",
        [
            (
                1,
                "it has a character that no catalogue can hold: NUL, U+0004 or a lone surrogate",
            )
        ],
    ),
}


def found(text: str) -> list[tuple[str, str]]:
    return [(str(message.kind), message.msgid) for message in split_rst(text).messages]


def only(text: str) -> Message:
    (message,) = split_rst(text).messages
    return message


def words_of(split: Split, message: Message) -> str:
    """What stands in the text where a message is said to be, without white space."""
    pieces = message.pieces or ((message.start, message.end),)
    return "".join("".join(split.text[start:end].split()) for start, end in pieces)


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
        expected = "".join(message.msgid.split())
        if message.prefix:
            assert words_of(split, message).replace('""', '"').strip(
                '"'
            ) == expected.strip('"')
        elif message.mark == "::":
            assert words_of(split, message) == f"{expected}:"
        else:
            assert words_of(split, message) == expected + message.mark.strip()


@pytest.mark.parametrize("name", UNSAFE)
def test_what_stays_is_told(name: str) -> None:
    text, expected = UNSAFE[name]
    assert list(split_rst(text).left_in_english) == expected


def test_a_broken_table_stays_and_is_told() -> None:
    split = split_rst("+----+\n| ab |\n+---\n\nWords\n")
    assert [message.msgid for message in split.messages] == ["Words"]
    assert [
        reason.startswith("Malformed table.") for _, reason in split.left_in_english
    ] == [True]


def test_what_is_sane_beside_something_broken_is_a_message() -> None:
    assert found("Top\n===\n\n- Title\n  =====\n\n+--+\n| x\n\nWords.\n") == [
        ("heading", "Top"),
        ("paragraph", "Words."),
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
    split = split_rst(text)
    assert [
        [text[slice(*rule)] for rule in message.rules] for message in split.messages
    ] == [
        ["==", "=="],
        ["=="],
        ["-----"],
    ]
    assert split.messages[0].rules == ((1, 3), (7, 9))
    assert [text[: message.block_end][-3:] for message in split.messages] == [
        "\n==",
        "\n==",
        "---",
    ]


def test_headings_around_a_message() -> None:
    split = split_rst(
        "Top\n===\n\nOne\n---\n\nWords\n\nTwo\n---\n\n- More\n\nNext\n====\n\nInner\n-----\n"
    )
    assert [(message.msgid, message.section) for message in split.messages] == [
        ("Top", ""),
        ("One", "Top"),
        ("Words", "Top › One"),
        ("Two", "Top"),
        ("More", "Top › Two"),
        ("Next", ""),
        ("Inner", "Next"),
    ]
    assert split.headings == ((1, "Next"), (2, "Inner"))
    assert split.title_end == 7
    assert [message.is_top_level for message in split.messages] == [
        True,
        True,
        True,
        True,
        False,
        True,
        True,
    ]


def test_titles_without_words_open_sections_too() -> None:
    split = split_rst("``x``\n=====\n\nWords\n\n``y``\n-----\n\nMore\n")
    assert [(message.msgid, message.headings) for message in split.messages] == [
        ("Words", ("``x``",)),
        ("More", ("``x``", "``y``")),
    ]
    assert split.title_end == 11


def test_a_text_without_a_title() -> None:
    split = split_rst("Words\n")
    assert (split.title_end, split.headings) == (None, ())
    assert only("> Words\n").block_end == 7


def test_what_announces_a_literal_block_is_marked() -> None:
    assert (only("Words::\n\n  x\n").mark, only("Words::\n\n  x\n").end) == ("::", 7)
    assert (only("Words  ::\n\n  x\n").mark, only("Words  ::\n\n  x\n").end) == (
        "  ::",
        9,
    )
    assert (only("Words\n::\n\n  x\n").mark, only("Words\n::\n\n  x\n").end) == ("", 5)


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
    assert rows([" "], {}) is None
    assert rows([""], {}) == []


def test_fields_of_csv_include_their_quotation_marks() -> None:
    text = '.. csv-table::\n\n   "aa ""b""", cd\n'
    assert [
        (text[message.start : message.end], message.prefix)
        for message in split_rst(text).messages
    ] == [
        ('"aa ""b"""', '"'),
        ("cd", '"'),
    ]


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
    assert [signature for _, signature in split_rst(one).skeleton] == [
        signature for _, signature in split_rst(other).skeleton
    ]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_the_skeleton_depends_on_all_else(one: str, other: str) -> None:
    assert [signature for _, signature in split_rst(one).skeleton] != [
        signature for _, signature in split_rst(other).skeleton
    ]


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
    st.lists(
        st.one_of(st.sampled_from([*PIECES, *SPACES]), st.text(max_size=4)), max_size=25
    ).map("".join),
)


@given(text=texts)
def test_any_text_is_split_into_messages_that_do_not_overlap(text: str) -> None:
    split = split_rst(text)
    assert split.text == text
    spans = sorted(
        piece
        for message in split.messages
        for piece in message.pieces or ((message.start, message.end),)
    )
    at = 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        at = end
    for message in split.messages:
        assert has_words(message.msgid) or message.kind is Kind.TABLE_CELL
        assert "\n" not in message.msgid
        assert message.msgid == message.msgid.strip()
        if not message.prefix:
            assert (
                words_of(split, message)
                .replace("\0", "")
                .startswith("".join(message.msgid.split()).replace("\0", ""))
            )
    assert all(0 <= offset <= len(text) for offset, _ in split.skeleton)
    assert all(1 <= line <= len(text) + 1 for line, _ in split.left_in_english)
