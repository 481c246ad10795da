"""Pages in tables of contents, and files that a document includes."""

from __future__ import annotations

import pytest

from pipeline.core.document.contents import (
    Entry,
    Inclusion,
    distances,
    entries,
    inclusions,
)

RST = """\
Title
=====

.. toctree::
   :maxdepth: 1
   :caption: First steps

   start
   A title <guide/arrays>

   https://example.org
   Elsewhere <https://example.org>
   self

Words.

  .. toctree::

     guide/nested

.. toctree:
   no-directive
"""
MYST = """\
# Title

```{toctree}
:maxdepth: 1

arrays.md
/start
../index
```

> :::{toctree}
> quoted
> :::

```{note}
not-an-entry
```
"""


def test_entries_of_both_languages() -> None:
    targets = [entry.target for entry in entries(RST)]
    assert targets == ["start", "guide/arrays", "guide/nested"]
    targets = [entry.target for entry in entries(MYST)]
    assert targets == ["arrays.md", "/start", "../index", "quoted"]


def test_a_table_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    assert list(entries("```{toctree}\na")) == [Entry(target="a")]
    assert list(entries("```{toctree}\n<a> b")) == [Entry(target="<a> b")]
    assert list(entries(".. toctree::")) == []


def test_distances_are_those_of_the_shortest_way() -> None:
    texts = {
        "index": ".. toctree::\n\n   b\n   guide/index\n   gone\n",
        "b": ".. toctree::\n\n   c\n",
        "c": ".. toctree::\n\n   guide/deep\n   index\n",
        "guide/index": "```{toctree}\n:glob:\n\npart-*\ndeep\n/c\n```\n",
        "guide/part-2": "",
        "guide/part-1": "",
        "guide/part-1/more": "",
        "guide/deep": "",
        "orphan": ".. toctree::\n\n   a\n",
        "a": "",
    }
    assert list(distances(texts).items()) == [
        ("index", 0),
        ("b", 1),
        ("guide/index", 1),
        ("c", 2),
        ("guide/part-1", 2),
        ("guide/part-2", 2),
        ("guide/deep", 2),
    ]


@pytest.mark.parametrize("texts", [{}, {"a": RST}])
def test_without_a_first_page_nothing_is_near_or_far(texts: dict[str, str]) -> None:
    assert distances(texts) == {}


def test_a_page_may_have_the_name_of_a_suffix() -> None:
    toc = ".. toctree::\n\n   notes.md\n   other.rst\n"
    texts = {"index": toc, "notes.md": "", "other": ""}
    assert distances(texts) == {"index": 0, "notes.md": 1, "other": 1}


def test_of_several_folders_each_is_the_top_of_its_own_pages() -> None:
    texts = {
        "docs/index": ".. toctree::\n\n   /guide\n   Words </more/*>\n   /examples/a\n",
        "docs/guide": "",
        "docs/more/b": "",
        "guide": "",
        "examples/a": ".. toctree::\n   :glob:\n\n   /c*\n   /docs/far\n",
        "examples/c1": "",
        "docs/far": "",
    }
    tops = ("docs/", "examples/")
    assert distances(texts) == {}
    assert distances(texts, first="docs/index", tops=tops) == {
        "docs/index": 0,
        "docs/guide": 1,
        "examples/a": 1,
        "examples/c1": 2,
        "docs/far": 2,
    }


CASES = {
    "```{include} ../NEWS.md\n```": ("../NEWS.md", True, False),
    "> ::::{include} a b.md\n> ::::": ("a b.md", True, False),
    "~~~ {include} a.md\n:start-line: 3\n~~~": ("a.md", True, False),
    "```{include} a.md\n:start-line: 3\n:literal:\n```": ("a.md", False, False),
    "```{include} a.rst\n:parser: rst\n```": ("a.rst", True, True),
    "```{literalinclude} a.py\n```": ("a.py", False, False),
    "```{eval-rst}\n.. include:: a.rst\n```": ("a.rst", True, False),
    "   .. include:: ../a.txt\n      :code: python": ("../a.txt", False, False),
}


@pytest.mark.parametrize(("text", "expected"), CASES.items())
def test_a_directive_is_found_with_what_it_says(
    text: str, expected: tuple[str, bool, bool]
) -> None:
    target, is_prose, has_parser = expected
    found = Inclusion(target, is_prose=is_prose, has_parser=has_parser)
    assert list(inclusions(text, is_rst=False)) == [found]


@pytest.mark.parametrize(
    ("text", "is_rst"),
    [
        ("```{include}\n```", False),
        ("```{includes} a.md\n```", False),
        ("See {include} a.md", False),
        (".. include:: <isonum.txt>", False),
        (".. include::", False),
        ("```{include} a.md\n```", True),  # a page of reST has no fences
    ],
)
def test_other_lines_are_none(text: str, is_rst: bool) -> None:
    assert list(inclusions(text, is_rst=is_rst)) == []
