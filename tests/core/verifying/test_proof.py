"""The proof that a published document is upstream's in all but prose."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from notebooks import notebook_value

from pipeline.core.document.compose import Frame, merge
from pipeline.core.document.read import Document, read_document
from pipeline.core.memory.record import digest
from pipeline.core.verifying import proof
from pipeline.core.verifying.proof import (
    Difference,
    Silenced,
    cells_differences,
    differences,
    line_differences,
    outputs_in,
)
from pipeline.errors import GuardError

LINE = "本页译自 a（JAX 0.10.2，提交 0123），译文以 Apache-2.0 许可证发布。"
CREDIT = "部分译文采自 Li Lei（CC-BY-4.0）。"
MARKDOWN = """---
title: x
---
# The title

Words with `code`, [a link](https://example.org/a) and $x^2$.

```python
value = 1
```

## Second part

See [above](#the-title).

| Name | Use |
| ---- | --- |
| a \\| b | cut |

License words
on two lines.
"""
RST = """The title
=========

See Second_, :func:`jit` and `a link <https://example.org/a>`_.

Second
------

.. glossary::

   leaf
      A thing.

   node
      Another thing.

.. code-block:: python

   value = 1
"""
CHINESE = {
    "The title": "标题",
    "Words with `code`, [a link](https://example.org/a) and $x^2$.": (
        "带有 `code`、[链接](https://example.org/a) 和 $x^2$ 的文字。"
    ),
    "Second part": "第二部分",
    "See [above](#the-title).": "见[上文](#the-title)。",
    "Name": "名称",
    "a \\| b": "甲 \\| 乙",
    "License words on two lines.": "License words on two lines.",
    "See Second_, :func:`jit` and `a link <https://example.org/a>`_.": (
        "见 Second_、:func:`jit` 和\\ `链接 <https://example.org/a>`_。"
    ),
    "Second": "第二",
    "leaf": "叶节点",
    "A thing.": "一物。",
    "Words.": "文字。",
}
CELLS: list[dict[str, Any]] = [
    {"cell_type": "markdown", "metadata": {}, "source": "# The title\n\nWords."},
    {
        "cell_type": "code",
        "metadata": {"tags": ["a"]},
        "execution_count": None,
        "outputs": [],
        "source": "value = 1\nother = 2",
    },
    {"cell_type": "raw", "metadata": {}, "source": "as it is"},
]


def notebook(*cells: dict[str, Any], **changes: Any) -> str:
    return json.dumps({**notebook_value(*cells), **changes})


DOCUMENTS = {"a.md": MARKDOWN, "a.rst": RST, "a.ipynb": notebook(*CELLS)}


def upstream(path: str) -> Document:
    return read_document(path, DOCUMENTS[path].encode())


def published(path: str, line: str = LINE + CREDIT) -> str:
    """What a build makes of a document."""
    anchors = frozenset(["the-title", "second"])
    frame = Frame(attribution=line, anchors=anchors)
    merged = merge(upstream(path), CHINESE, frame)
    assert not merged.rejected
    return merged.data.decode()


def found(path: str, text: str, silenced: Silenced | None = None) -> list[str]:
    """What differs, with its place."""
    told = differences(
        upstream(path),
        read_document(path, text.encode()),
        attribution=LINE,
        silenced=silenced or Silenced(),
    )
    return [f"{one.where}: {one.text}" for one in told]


@pytest.mark.parametrize("path", DOCUMENTS)
def test_what_a_build_makes_is_proved(path: str) -> None:
    text = published(path)
    assert text != DOCUMENTS[path]
    assert "Li Lei" in text
    assert found(path, text) == []
    # English as upstream wrote it needs no proof.
    assert found(path, DOCUMENTS[path]) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "told"),
    [
        ("a.md", "value = 1", "value = 2", "has “value = 2” where “value = 1” must"),
        ("a.md", "title: x", "title: y", "a.md, line 2: has “title: y”"),
        # Links, code and formulas of prose are no prose.
        ("a.md", "(https://example.org/a)", "(https://example.net/a)", "a.md:6"),
        ("a.md", "`code`、", "`cord`、", "a.md:6: the translation"),
        ("a.md", "$x^2$", "$x^3$", "a.md:6: the translation"),
        ("a.md", "(#the-title)", "(#other)", "a.md:14"),
        ("a.md", "```python", "```bash", "“```bash” where “```python”"),
        ("a.md", "two lines.", "two lines.\n\nMore.\n", "blocks of prose for"),
        ("a.md", "## 第二部分", "第二部分", "a paragraph for a heading"),
        ("a.md", "第二部分", "第二<script>x</script>", "the translation"),
        # Whoever claims another source, or adds to the line, has written a block of their own.
        ("a.md", "本页译自 a", "本页译自 b", "has another structure"),
        ("a.md", CREDIT, "见 <b>此处</b>。", "has another structure"),
        ("a.rst", "value = 1", "value = 2", "“   value = 2” where “   value = 1”"),
        ("a.rst", "<https://example.org/a>", "<https://example.net/a>", "a.rst:4"),
        ("a.rst", "   node\n", "   nude\n", "has"),
        ("a.rst", ".. _Second:\n\n", "", "must stand"),
        ("a.ipynb", "value = 1", "value = 2", "a.ipynb, cell 2, line 1"),
        ("a.ipynb", "as it is", "as it was", "a.ipynb, cell 3, line 1"),
        ("a.ipynb", '["a"]', '["b"]', "a.ipynb, cell 2: has other metadata"),
        ("a.ipynb", '"raw"', '"markdown"', "cell 3: is no cell of raw any more"),
    ],
)
def test_one_change_outside_prose_is_found(
    path: str, old: str, new: str, told: str
) -> None:
    text = published(path)
    assert text.count(old) >= 1
    (first, *_) = found(path, text.replace(old, new, 1))
    assert told in first


@pytest.mark.parametrize("path", ["a.md", "a.rst"])
@given(data=st.data())
def test_no_character_outside_prose_can_change(path: str, data: st.DataObject) -> None:
    """Wherever it stands: between the messages as a build has placed them."""
    text = published(path)
    document = read_document(path, text.encode())
    prose = {
        at
        for _, message in document.messages()
        for at in range(message.start, message.end)
    }
    places = [at for at in range(len(text)) if at not in prose and text[at].isalnum()]
    at = data.draw(st.sampled_from(places))
    letter = "z" if text[at] != "z" else "y"
    assert found(path, f"{text[:at]}{letter}{text[at + 1 :]}") != []


def test_what_the_project_lets_pass_is_no_difference() -> None:
    message = "Words with `code`, [a link](https://example.org/a) and $x^2$."
    text = published("a.md").replace("`code`、", "")
    (told,) = found("a.md", text)
    assert "the translation lacks" in told
    silencing = "pipeline: ignore=M201 the sentence names it"
    code = Silenced(codes=("M201",))
    comment = Silenced(comments={digest(message): (silencing,)})
    assert found("a.md", text, code) == []
    assert found("a.md", text, comment) == []


def test_notebooks_may_differ_in_what_is_no_part_of_a_file() -> None:
    value = json.loads(published("a.ipynb"))
    value["metadata"] |= {"language_info": {"name": "python"}, "widgets": {}}
    for number, cell in enumerate(value["cells"]):
        cell["id"] = f"cell-{number}"
    assert found("a.ipynb", json.dumps(value)) == []
    value["metadata"]["authors"] = ["x"]
    assert found("a.ipynb", json.dumps(value)) == [
        "a.ipynb: has other metadata: authors"
    ]


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (CELLS[:2], "a.ipynb, cell 3: is missing, with all behind"),
        ([*CELLS, CELLS[2]], "a.ipynb, cell 4: is one too many"),
        (
            [{**CELLS[0], "attachments": {"a.png": {}}}, *CELLS[1:]],
            "a.ipynb, cell 1: has other attachments",
        ),
    ],
)
def test_cells_that_came_or_went_are_found(
    cells: list[dict[str, Any]], told: str
) -> None:
    assert found("a.ipynb", notebook(*cells)) == [told]


def test_another_format_is_found() -> None:
    text = notebook(*CELLS, nbformat_minor=3)
    assert found("a.ipynb", text) == [
        "a.ipynb: has another nbformat_minor than upstream"
    ]


def test_outputs_where_none_may_be_are_found() -> None:
    clean: list[dict[str, Any]] = [
        {"cell_type": "code", "outputs": [], "execution_count": None}
    ]
    assert list(outputs_in(clean, "a")) == []
    for key, value in (("outputs", [{}]), ("execution_count", 3)):
        (told,) = outputs_in([*clean, {key: value}], "a")
        assert told.where == "a, cell 2"


def test_prose_of_two_notebooks_is_compared_if_asked_for() -> None:
    ours = [{**CELLS[0], "source": ["# The title\n", "\n", "Wards."]}, *CELLS[1:]]
    assert list(cells_differences(CELLS, ours, "a")) == []
    (told,) = cells_differences(CELLS, ours, "a", with_prose=True)
    assert told.text == "has “Wards.” where “Words.” must stand"


def test_of_long_lines_the_part_that_differs_is_shown() -> None:
    (told,) = line_differences(f"a\n{'x' * 200}y{'z' * 200}", f"a\n{'x' * 200}q", "p")
    assert told.where == "p, line 2"
    assert re.search("“…x+q” where “…x+yz+…”", told.text)
    (told,) = line_differences("a\nb", "a", "p")
    assert told.text == "has no line where “b” must stand"
    (told,) = line_differences("a", "a\n", "p")
    assert told.text == "has “” where no line must stand"
    (told,) = line_differences("a", "ab", "p")
    assert told == Difference(where="p, line 1", text="has “ab” where “a” must stand")
    assert list(line_differences("a", "a", "p")) == []


def test_a_document_that_is_too_long_to_be_read_proves_nothing() -> None:
    document = read_document("a.ipynb", published("a.ipynb").encode())
    unread = replace(document, units=())
    (told,) = differences(upstream("a.ipynb"), unread, attribution=LINE)
    assert "it is too long to be read" in told.text


def test_a_merge_that_fails_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise GuardError("differs", where="a.md")

    text = published("a.md")
    monkeypatch.setattr(proof, "merge", fails)
    assert found("a.md", text) == ["a.md: differs"]
