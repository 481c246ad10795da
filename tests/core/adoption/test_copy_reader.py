"""Blocks of copies, in whatever state people and programs have left them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from notebooks import code, notebook, prose

from pipeline.core.adoption.blocks import Block, BlockKind, blocks_of, words_of
from pipeline.core.adoption.copy_reader import Form, read_copy
from pipeline.core.document.reader import read_document
from pipeline.errors import InputError


def shape(blocks: tuple[Block, ...]) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text.strip("\n")) for block in blocks]


# --- upstream's side

RST = """Ovens
=====

Heat it first::

    oven.heat(200)

.. code-block:: python

   oven.open()

.. math::

   x^2

.. image:: oven.png
   :alt: An oven that is hot

>>> oven.state
'hot'
"""
MYST = """# Ovens

```{code-cell}
:tags: [hot]

oven.heat(200)
```

$$
x^2
$$

```{math}
y^2
```

```{note}
Be careful with it.
```
"""


def test_blocks_of_a_document_in_rest() -> None:
    assert shape(blocks_of(read_document("a.rst", RST.encode()))) == [
        ("heading", "Ovens"),
        ("prose", "Heat it first:"),
        ("code", "oven.heat(200)"),
        ("code", "oven.open()"),
        ("prose", "An oven that is hot"),
        ("code", ">>> oven.state\n'hot'"),
    ]


def test_blocks_of_a_document_in_myst() -> None:
    assert shape(blocks_of(read_document("a.md", MYST.encode()))) == [
        ("heading", "Ovens"),
        ("code", "oven.heat(200)"),
        ("prose", "Be careful with it."),
    ]


def test_blocks_of_a_notebook_leave_out_empty_cells() -> None:
    text = notebook(code(" "), code("heat()"), title="# Ovens")
    assert shape(blocks_of(read_document("a.ipynb", text.encode()))) == [
        ("heading", "Ovens"),
        ("code", "heat()"),
    ]


# --- copies


# What is read as one block of prose.
ONE_PARAGRAPH = {
    "soft break": ("先预热\n烤箱。\n", "先预热 烤箱。"),
    "escapes": ("先用 oven\\_1 &lt; 3。\n", "先用 oven_1 < 3。"),
    "code stays": ("用 `a\\_b &lt;` 吧\n", "用 `a\\_b &lt;` 吧"),
    "invisible": ("零\u200b宽\u00a0空格\n", "零宽 空格"),
    "both languages": (
        "Heat the oven to two hundred.\\\n把烤箱加热到两百度。\n",
        "把烤箱加热到两百度。",
    ),
    "both, the other way round": (
        "把烤箱加热。\\\nHeat the oven to two hundred.\n",
        "把烤箱加热。",
    ),
    "no formula is a passage": ("$$x = 1$$\n\n打开。\n", "打开。"),
    "nothing visible": ("\u200b\n\n打开。\n", "打开。"),
}


@pytest.mark.parametrize(("text", "expected"), ONE_PARAGRAPH.values(), ids=ONE_PARAGRAPH)
def test_words_of_markdown(text: str, expected: str) -> None:
    assert shape(read_copy(text, Form.MARKDOWN)) == [("prose", expected)]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("1.2 烤箱 ¶", "烤箱"),
        ("第3章 烤箱", "烤箱"),
        ("一、烤箱", "烤箱"),
        ("3D 模型", "3D 模型"),
    ],
)
def test_headings_lose_their_number_and_permalink(title: str, expected: str) -> None:
    assert shape(read_copy(f"## {title}\n", Form.MARKDOWN)) == [("heading", expected)]


def test_code_of_markdown() -> None:
    code = "x = heat(a[1]); y = wait(b[2])"
    see = "See [this](http://oven.org/a)."
    text = f"~~~\n# 注释\nheat()\n~~~\n\n{code}\n\n{see}\n"
    assert shape(read_copy(text, Form.MARKDOWN)) == [
        ("code", "# 注释\nheat()"),
        # A paragraph that is code.
        ("code", code),
        ("prose", see),
    ]


WRAPPED = "这一行写得比较长，一直写到了一行的末尾，所以还没有\n写完，要接着写。"
PLAIN = {
    "a paragraph a line": (
        "第一段写完了。\n第二段也写完了。\n",
        [("prose", "第一段写完了。"), ("prose", "第二段也写完了。")],
    ),
    "wrapped": (WRAPPED, [("prose", WRAPPED.replace("\n", " "))]),
    "indented Chinese": ("  　缩进的段落。\n", [("prose", "缩进的段落。")]),
    "code without fences": (
        "先看代码。\n# hot\nheat()\n    wait(3)\n\n再往下看。\n",
        [
            ("prose", "先看代码。"),
            ("code", "# hot\nheat()\n    wait(3)"),
            ("prose", "再往下看。"),
        ],
    ),
    "with fences": (
        "打开。\n\n```\nheat()\n```\n",
        [("prose", "打开。"), ("code", "heat()")],
    ),
    "a list": (
        "说明\n- 第一项。\n- 第二项。\n",
        [("prose", "说明"), ("prose", "第一项。"), ("prose", "第二项。")],
    ),
    "an output": (
        "Array([1., 2.], dtype=float32)\n\n完成。\n",
        [("code", "Array([1., 2.], dtype=float32)"), ("prose", "完成。")],
    ),
}


@pytest.mark.parametrize(("text", "expected"), PLAIN.values(), ids=PLAIN)
def test_plain_text(text: str, expected: list[tuple[str, str]]) -> None:
    assert shape(read_copy(text, Form.PLAIN)) == expected


def test_rest() -> None:
    assert shape(read_copy("烤箱\n====\n\n先加热::\n\n    heat()\n", Form.RST)) == [
        ("heading", "烤箱"),
        ("prose", "先加热:"),
        ("code", "heat()"),
    ]


def test_code_that_stands_as_a_paragraph_of_rest() -> None:
    (block,) = read_copy("x = heat(a[1]); y = wait(b[2]) and go\n", Form.RST)
    assert block.kind is BlockKind.CODE


def test_text_is_read_even_if_a_parser_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise InputError("the parser fails on it")

    monkeypatch.setattr("pipeline.core.adoption.copy_reader.split_text", fail)
    text = "先加热烤箱。\n\nThen open it.\n"
    expected = [("prose", "先加热烤箱。"), ("prose", "Then open it.")]
    assert shape(read_copy(text, Form.MARKDOWN)) == expected
    monkeypatch.setattr("pipeline.core.document.rst.splitter.split_rst", fail)
    assert shape(read_copy(text, Form.RST)) == expected


def test_code_that_another_program_would_evaluate_leaves_the_rest_readable() -> None:
    text = "# 烤箱\n\nimport oven from 'oven'\n\n先加热。\n\nexport const x = heat(1)\n"
    blocks = shape(read_copy(text, Form.MARKDOWN))
    assert blocks[0] == ("heading", "烤箱")
    assert ("prose", "先加热。") in blocks


CUT_NOTEBOOK = '{"cells": [{"cell_type": "markdown", "source": "先加热。"},\n '
NOTEBOOKS = {
    "version 4": (
        notebook(prose("先加热。"), code("heat()"), code("  "), title="# 烤箱"),
        [("heading", "烤箱"), ("prose", "先加热。"), ("code", "heat()")],
    ),
    "cut off": (f'{CUT_NOTEBOOK}{{"cell_type": "co', [("prose", "先加热。")]),
    "cut off between two cells": (CUT_NOTEBOOK, [("prose", "先加热。")]),
    "strange sources": (
        json.dumps({"cells": [prose("") | {"source": 3}, prose("") | {"source": ["打开", 4]}]}),
        [("prose", "打开")],
    ),
}


@pytest.mark.parametrize(("text", "expected"), NOTEBOOKS.values(), ids=NOTEBOOKS)
def test_notebooks(text: str, expected: list[tuple[str, str]]) -> None:
    assert shape(read_copy(text, Form.NOTEBOOK)) == expected


@pytest.mark.parametrize(
    "text",
    ["[]", "{}", '{"cells": 3}', '{"cells": [', '{"cells": [3]}', "烤箱", "[" * 99999],
)
def test_what_is_no_notebook_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no notebook"):
        read_copy(text, Form.NOTEBOOK)


@given(st.text(max_size=200), st.sampled_from(list(Form)))
def test_any_text_ends_in_blocks_or_a_refusal(text: str, form: Form) -> None:
    try:
        blocks = read_copy(text, form)
    except InputError:
        assert form is Form.NOTEBOOK
        return
    assert all(block.text.strip() for block in words_of(blocks))


def test_code_in_a_copy_has_a_place() -> None:
    (block,) = read_copy("\n\n```\nheat()\n```\n", Form.MARKDOWN)
    assert (block.kind, block.place) == (BlockKind.CODE, "line 3")
