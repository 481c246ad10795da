"""What is wrong with the code of a copy, found without running it."""

from __future__ import annotations

import pytest

from pipeline.core.adoption.alignment import Pair
from pipeline.core.adoption.blocks import Block, BlockKind
from pipeline.core.adoption.result import (
    AdoptedCopy,
    AdoptResult,
    CodeCell,
    Row,
    State,
    audit_code,
)
from pipeline.errors import InputError
from pipeline.findings import Finding


def code(text: str) -> Block:
    return Block(kind=BlockKind.CODE, text=text, place="cell 1")


def audit(ours: str, theirs: str) -> CodeCell:
    pair = Pair(english=(0,) if ours else (), copy=(0,))
    (cell,) = audit_code([code(ours)], [code(theirs)], [pair])
    return cell


def test_code_that_is_the_same_is_not_told() -> None:
    for theirs in ("bake(1)\nopen()", "bake( 1 )\n\nopen()", "bake(1)  # 烤\nopen()"):
        assert not audit("bake(1)\nopen()", theirs).is_altered


def test_code_that_was_changed_is_told() -> None:
    assert audit("bake(1)\nopen()\n", "bake(2)\nopen()\n").is_altered


def test_code_of_the_translators_own() -> None:
    cell = audit("", "print('这里")
    # What is no copy of anything need not be Python.
    assert (cell.is_strange, cell.is_altered, cell.broken) == (True, False, "")


@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        ("bake(1", "never closed"),
        ("bake（1）", "invalid character"),
        ("x = 1 y = 2", "invalid syntax"),
        ("%time bake(1", ""),
        ("!pip install oven", ""),
        ("bake(1)\ud800", "surrogates not allowed"),
    ],
)
def test_code_that_python_cannot_read(theirs: str, words: str) -> None:
    cell = audit("bake(1)", theirs)
    assert words in cell.broken
    assert bool(cell.broken) is bool(words)


def test_what_upstream_shows_need_not_be_python() -> None:
    assert not audit(
        "{ lambda ; a. let b = sin a }", "{ lambda ; a. let c = sin a }"
    ).broken


def test_cells_are_looked_at_in_the_order_of_the_copy() -> None:
    blocks = [code("a()"), Block(kind=BlockKind.PROSE, text="烤"), code("b()")]
    pairs = [
        Pair(english=(), copy=(0,)),
        Pair(english=(0,), copy=(1,)),
        Pair(english=(), copy=(2,)),
    ]
    cells = audit_code([code("x")], blocks, pairs)
    assert [(cell.place, cell.is_strange) for cell in cells] == [("cell 1", True)] * 2


def test_how_much_has_changed_since() -> None:
    rows = (
        Row(state=State.EQUAL, english="a", pin="a"),
        Row(state=State.CHANGED, english="b", pin="c"),
        Row(state=State.EXTRA, copy="注"),
    )
    copy = AdoptedCopy(file="a.md", form="Markdown", rows=rows)
    assert copy.changed_share == 0.5
    assert len(copy.adopted) == 2
    assert copy.counts == {State.EQUAL: 1, State.CHANGED: 1, State.EXTRA: 1}
    assert AdoptedCopy(file="a.md", form="Markdown").changed_share == 0.0


def test_a_copy_that_was_refused_decides_how_a_run_ends() -> None:
    finding = Finding.of(InputError("is binary", where="a.md"))
    result = AdoptResult(
        name="docs", locale="zh_CN", ref="v1", copies=(), findings=(finding,)
    )
    assert result.exit_code == 4
    assert AdoptResult(name="docs", locale="zh_CN", ref="v1", copies=()).exit_code == 0
