"""Catalogues of Sphinx' gettext builder: which markup they hold, and how Sphinx reads them."""

from __future__ import annotations

import pytest

from pipeline.core.checks.engine import run_checks, subjects_of
from pipeline.core.checks.model import (
    Subject,
    english_for_sphinx,
    markup_of_references,
    read_place,
    translation_for_sphinx,
    usual_markup_of,
)
from pipeline.core.document.message import Markup
from pipeline.entries import Entry

RST, MARKDOWN = Markup.RST, Markup.MARKDOWN


@pytest.mark.parametrize(
    ("references", "markup"),
    [
        (("../../guide/lamps.rst:12",), RST),
        (("guide.rst",), RST),
        (("../src/a.py:docstring", "of", "a.f:1"), RST),
        (("../src/a.py:docstring of a.f:1",), RST),
        (("guide/lamps.md:3",), MARKDOWN),
        (("notebooks/lamps.ipynb:1",), MARKDOWN),
        (("src/lamps.py:3", "guide.md:3"), MARKDOWN),
        (("src/lamps.py:3",), None),
        (("guides/lamps",), None),
        ((), None),
    ],
)
def test_references_tell_the_markup(references: tuple[str, ...], markup: Markup | None) -> None:
    assert markup_of_references(Entry(msgid="x", references=references)) is markup


@pytest.mark.parametrize(
    ("msgids", "markup"),
    [
        (["Use ``f``.", "Words."], RST),
        (["See :func:`f`.", "Use `f`."], RST),
        (["See the guide_.", "See `the guide`_."], RST),
        (["See [the guide](a.md).", "Use {func}`f`."], MARKDOWN),
        (["Words only."], MARKDOWN),
        ([], MARKDOWN),
    ],
)
def test_without_references_the_english_tells(msgids: list[str], markup: Markup) -> None:
    assert usual_markup_of([Entry(msgid=msgid) for msgid in msgids]) is markup


def test_an_entry_without_telling_references_is_like_most_others() -> None:
    entries = [
        Entry(msgid="A", msgstr="甲", references=("a.rst:1",)),
        Entry(msgid="B", msgstr="乙", references=("b.rst:1",)),
        Entry(msgid="C", msgstr="丙", references=("c.md:1",)),
        Entry(msgid="D", msgstr="丁", references=("d.py:1",)),
        Entry(msgid="E", msgstr="戊", notes=("paragraph · Lamps",)),
        Entry(msgid="F", msgstr="己", notes=("a developer's note",)),
    ]
    found = [subject.markup for subject in subjects_of(entries, "page")]
    assert found == [RST, RST, MARKDOWN, RST, MARKDOWN, RST]
    found = [subject.markup for subject in subjects_of(entries, "page", MARKDOWN)]
    assert found == [MARKDOWN] * 6
    assert read_place(entries[0], RST).markup is RST


@pytest.mark.parametrize(
    ("msgid", "msgstr", "read"),
    [
        ("See `the guide`_.", "见 `指南`_。", "见 `指南 <the guide_>`_。"),
        ("See `the guide`_.", "见 `the guide`_。", "见 `the guide`_。"),
        ("See `The Guide`_.", "见 `the guide`_。", "见 `the guide`_。"),
        ("See guide_.", "见 `指南`_。", "见 `指南 <guide_>`_。"),
        ("`One`_ `two`_", "`二`_ `One`_ `三`_", "`二 <two_>`_ `One`_ `三`_"),
        ("A :term:`lamp`.", ":term:`灯`。", ":term:`灯 <lamp>`。"),
        ("A :term:`lamp`.", ":term:`灯 <lamp>`。", ":term:`灯 <lamp>`。"),
        ("As here::", "如下::", "如下:"),
        ("As here::", "如下：", "如下："),
        ("As here:", "如下::", "如下::"),
        ("Words", "词", "词"),
        # It has a target already, or none by name.
        ("`A <u>`_ and `b`__", "`甲 <u>`_ 和 `乙`__", "`甲 <u>`_ 和 `乙`__"),
    ],
)
def test_names_are_looked_up_in_the_order_of_the_english(
    msgid: str, msgstr: str, read: str
) -> None:
    assert translation_for_sphinx(msgid, msgstr) == read


def test_the_mark_of_a_literal_block_is_no_part_of_the_english() -> None:
    assert english_for_sphinx("As here::") == "As here:"
    assert english_for_sphinx("Words.") == "Words."


@pytest.mark.parametrize(
    ("msgid", "msgstr"),
    [
        ("See `the guide`_ for it.", "详情请看 `指南`_。"),
        ("A :term:`lamp` is on.", "一盏 :term:`灯` 亮着。"),
        ("Do as follows::", "照下面做::"),
        ("Do as follows::", "照下面做："),
    ],
)
def test_only_pages_of_ours_want_the_names_of_the_english(msgid: str, msgstr: str) -> None:
    assert codes(msgid, msgstr, is_foreign=True) == []
    if not msgid.endswith("::"):  # the English of our pages never does
        assert codes(msgid, msgstr, is_foreign=False)


def test_a_target_that_the_english_has_not_is_told_of_others_too() -> None:
    assert "G104" in codes("See it.", "见 `指南 <https://a.b>`_。", is_foreign=True)


def codes(msgid: str, msgstr: str, *, is_foreign: bool) -> list[str]:
    entry = Entry(msgid=msgid, msgstr=msgstr)
    subject = Subject(entry, usual_markup=RST, is_foreign=is_foreign)
    return [problem.code for problem in run_checks({"page": [subject]})]
