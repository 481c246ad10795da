"""What is told without a parser is what the parser would tell."""

from __future__ import annotations

import random
from collections.abc import Iterable

from pipeline.core.checks.inline_tree import _rst_nodes, rst_inline_tree
from pipeline.core.document.rst.inline import spaced
from pipeline.core.document.rst.parser import read_inline

RST_PIECES = (
    '`  ``  *  **  |  _  __  :  word  两个词  <  >  [1]  ]  #  @  a.b  \\  http  //  (  )  "  '
    "PEP 8  &  $  {f}  ::  \0"
).split("  ")


def texts(pieces: Iterable[str], count: int) -> list[str]:
    chance = random.Random(7)
    some = [*pieces, " ", "  ", "\n"]
    return ["".join(chance.choices(some, k=chance.randint(0, 8))) for _ in range(count)]


def test_rst_without_marks_is_read_as_docutils_reads_it() -> None:
    for text in (text.replace("\n", " ") for text in texts(RST_PIECES, 1000)):
        assert rst_inline_tree(text) == tuple(
            node for one in read_inline(spaced(text)) for node in _rst_nodes(one)
        ), text
