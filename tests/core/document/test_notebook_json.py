"""Notebooks as raw JSON: what is read, what is refused and where, and edits in place."""

from __future__ import annotations

import json

import pytest
from notebooks import code, prose

from pipeline.core.document.notebook_json import Notebook, edit_cells, scan_notebook
from pipeline.core.document.splice import Edit
from pipeline.errors import InputError

CODE = json.dumps(code(["x = 1"]))
MARKDOWN = json.dumps(prose(["Some words"]))
END = '"metadata": {}, "nbformat": 4, "nbformat_minor": 5}'


def notebook(*cells: str) -> str:
    return f'{{"cells": [{", ".join(cells)}], {END}'


def markdown(source: str) -> str:
    """A notebook of one Markdown cell whose source is this JSON."""
    return notebook(f'{{"cell_type": "markdown", "source": {source}}}')


def scan(raw: str) -> Notebook:
    return scan_notebook(raw, where="page.ipynb")


def test_cells_come_in_their_order() -> None:
    raw = notebook(MARKDOWN, CODE, '{"source": "raw\\ntext", "cell_type": "raw"}')
    cells = scan(raw).cells
    assert [(cell.kind, cell.source) for cell in cells] == [
        ("markdown", "Some words"),
        ("code", "x = 1"),
        ("raw", "raw\ntext"),
    ]
    literals = [[raw[start:end] for start, end in cell.literals] for cell in cells]
    assert literals == [['"Some words"'], ['"x = 1"'], ['"raw\\ntext"']]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('""', ""),
        ("[]", ""),
        ("[ ]", ""),
        ('[""]', ""),
        ('"one\\ntwo"', "one\ntwo"),
        ('["one\\n", "two"]', "one\ntwo"),
        ('["one", "two"]', "onetwo"),
        ('["one\\n", "two\\n", ""]', "one\ntwo\n"),
        ('[ "one\\n"\n,\t"two" ]', "one\ntwo"),
        ('"\\ud83e\\uddea \\u00e9 \\" \\\\ \\/"', '🧪 é " \\ /'),
    ],
)
def test_a_source_may_be_a_text_or_a_list_of_texts(source: str, text: str) -> None:
    (cell,) = scan(markdown(source)).cells
    assert cell.source == text


@pytest.mark.parametrize(
    ("raw", "has_metadata"),
    [
        (notebook(), True),
        ('{"cells": [], "nbformat": 4}', False),
        ('{"nbformat": 4, "cells": [ ], "metadata": null}\n', False),
        ('  {"metadata":{},"nbformat":4,"cells":[]}\r\n', True),
        ('{"cells": [], "nbformat": 4, "metadata": {"x": NaN}}', True),
    ],
)
def test_a_notebook_may_have_no_cells(raw: str, has_metadata: bool) -> None:
    found = scan(raw)
    assert (found.cells, found.has_metadata) == ((), has_metadata)


NO_SOURCE = "the source of cell 1 is neither a string nor a list of strings"


@pytest.mark.parametrize(
    ("raw", "where", "what"),
    [
        ("", ":1", "is not valid JSON: Expecting value (column 1)"),
        ("{", ":1", "Expecting property name enclosed in double quotes (column 2)"),
        ('{"cells": [\n', ":2", "is not valid JSON"),
        ('{"cells"', ":1", "Expecting ':' delimiter (column 9)"),
        ('{"cells": [] "x": 1}', ":1", "Expecting ',' delimiter (column 14)"),
        ('{"cells": [\n1 2]}', ":2", "Expecting ',' delimiter (column 3)"),
        ('{"cells": [' + MARKDOWN + " 1]}", ":1", "Expecting ',' delimiter"),
        ('{"cells": [], "nbformat": }', ":1", "Expecting value (column 27)"),
        ('{"cells": [], "nbformat": 4,}', ":1", "is not valid JSON"),
        ('{"cells": [], "nbformat": 4}\n\nmore', ":3", "Extra data (column 1)"),
        ('{"cells": [], "cells": []}', ":1", "'cells' occurs twice in one object"),
        ('{"cells": [], "cells": []}', ":1", "(column 15)"),
        (notebook('{"source": "",\n"source": ""}'), ":2", "'source' occurs twice"),
        (markdown('["one"'), ":1", "Expecting ',' delimiter"),
        (markdown('["one",]'), ":1", "Expecting value"),
        ('{"cells": [], "nbformat": "4', ":1", "Unterminated string"),
        (markdown('"a\tb"'), ":1", "Invalid control character"),
        (markdown('"a\0b"'), ":1", "Invalid control character"),
        (markdown('"\\x"'), ":1", "Invalid \\escape"),
        (markdown("what"), ":1", "Expecting value"),
        ("\ufeff" + notebook(), ":1", "starts with a byte order mark"),
        ("[]", "", "its top level is not an object"),
        ('"text"', "", "its top level is not an object"),
        ("nonsense", ":1", "Expecting value"),
        ("{}", "", "it has no list of cells"),
        ('{"cells": {}, "nbformat": 4}', "", "it has no list of cells"),
        ('{"cells": []}', "", "its nbformat is None, not 4"),
        ('{"cells": [], "nbformat": 5}', "", "its nbformat is 5, not 4"),
        ('{"cells": [], "nbformat": "4"}', "", "its nbformat is '4', not 4"),
        ('{"worksheets": [{}], "nbformat": 3}', "", "is a notebook of nbformat 3"),
        ('{"cells": [], "nbformat": 3}', "", "is a notebook of nbformat 3"),
        ('{"nbformat": 4, "worksheets": []}', "", "is a notebook of nbformat 3"),
        (notebook("1"), "", "cell 1 is not an object"),
        (notebook("[}"), ":1", "Expecting value"),
        (notebook(MARKDOWN, "{}"), "", "cell 2 has the type None"),
        (notebook('{"cell_type": "heading"}'), "", "cell 1 has the type 'heading'"),
        (notebook('{"cell_type": ["code"]}'), "", "cell 1 has the type ['code']"),
        (notebook('{"cell_type": "code"}'), "", "cell 1 has no source"),
        (markdown("null"), "", NO_SOURCE),
        (markdown("[1]"), "", "the source of cell 1 has a line that is not a string"),
        (markdown("{}"), "", NO_SOURCE),
        (
            '{"cells": [], "nbformat": 4, "metadata": ' + "[" * 100_000,
            "",
            "is nested too deeply",
        ),
        (
            '{"cells": [], "nbformat": 4, "metadata": {"x": ' + "9" * 5_000 + "}}",
            "",
            "cannot be read: Exceeds the limit",
        ),
    ],
)
def test_what_is_no_notebook_is_refused_with_its_place(raw: str, where: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        scan(raw)
    assert what in caught.value.what
    assert caught.value.where == f"page.ipynb{where}"
    assert caught.value.hint
    assert caught.value.exit_code == 4


@pytest.mark.parametrize(
    ("source", "edit", "expected"),
    [
        # one string
        ('"Some words"', Edit(0, 4, "甲"), '"甲 words"'),
        ('"Some words"', Edit(10, 10, "\nend"), '"Some words\\nend"'),
        ('"Some words"', Edit(0, 10, 'a"b\\c\td'), '"a\\"b\\\\c\\td"'),
        # escapes before, in and behind the place
        ('"\\"Some\\" \\\\words"', Edit(1, 5, "甲"), '"\\"甲\\" \\\\words"'),
        ('"\\"Some\\" \\\\words"', Edit(8, 13, "甲"), '"\\"Some\\" \\\\甲"'),
        (
            '"\\u00e9 \\ud83e\\uddea a"',
            Edit(4, 5, "字"),
            '"\\u00e9 \\ud83e\\uddea \\u5b57"',
        ),
        ('"\\u00e9 \\ud83e\\uddea a"', Edit(2, 3, "🔬"), '"\\u00e9 \\ud83d\\udd2c a"'),
        ('"\\ud83e \\uddea words"', Edit(4, 9, "x"), '"\\ud83e \\uddea x"'),
        # Colab's dialect.
        ('"\\u003cb\\u003e words"', Edit(4, 9, "字"), '"\\u003cb\\u003e 字"'),
        ('"\\u001b words"', Edit(2, 7, "字"), '"\\u001b 字"'),
        ('"é \\u00e9 words"', Edit(4, 9, "字"), '"é \\u00e9 字"'),
        ('"\\\\u00e9 words"', Edit(7, 12, "字"), '"\\\\u00e9 字"'),
        # a list of lines
        ('["Some\\n",\n  "words"]', Edit(0, 4, "甲"), '["甲\\n",\n  "words"]'),
        ('["Some\\n",\n  "words"]', Edit(0, 10, "甲"), '["甲"]'),
        ('["Some\\n",\n  "words"]', Edit(5, 10, "甲"), '["Some\\n",\n  "甲"]'),
        ('["Some\\n",\n  "words"]', Edit(0, 10, "甲\n乙"), '["甲\\n",\n  "乙"]'),
        (
            '["a\\n",\n "b\\n", "c"]',
            Edit(4, 5, "甲\n乙"),
            '["a\\n",\n "b\\n", "甲\\n", "乙"]',
        ),
        ('["Some\\n",\n  "words"]', Edit(0, 5, "甲"), '["甲",\n  "words"]'),
        ('["Some\\n", "words\\n", ""]', Edit(5, 10, "甲"), '["Some\\n", "甲\\n", ""]'),
        ('["So", "me\\n", "wo", "rds"]', Edit(1, 7, "甲"), '["S甲", "rds"]'),
        ('[\n   "words"\n  ]', Edit(0, 5, "甲\n乙"), '[\n   "甲\\n",\n   "乙"\n  ]'),
        ('["Some words"]', Edit(0, 0, "甲\n"), '["甲\\n","Some words"]'),
        ('["Some\\n", "words"]', Edit(10, 10, "!"), '["Some\\n", "words!"]'),
    ],
)
def test_an_edit_leaves_all_other_bytes_as_they_are(source: str, edit: Edit, expected: str) -> None:
    raw = markdown(source)
    merged = edit_cells(scan(raw), {0: [edit]})
    assert merged == markdown(expected)
    text = scan(raw).cells[0].source
    new = text[: edit.start] + edit.text + text[edit.end :]
    assert scan(merged).cells[0].source == new


def test_edits_of_several_cells() -> None:
    raw = notebook(MARKDOWN, CODE, MARKDOWN)
    edits = {2: [Edit(0, 4, "甲"), Edit(5, 10, "乙")], 0: [Edit(0, 10, "丙")]}
    merged = edit_cells(scan(raw), edits)
    assert [cell.source for cell in scan(merged).cells] == ["丙", "x = 1", "甲 乙"]
    assert merged == raw.replace("Some words", "丙", 1).replace("Some words", "甲 乙")


def test_line_ends_of_the_json_and_of_the_source_stay() -> None:
    value = json.loads(markdown('["Some\\r\\n", "words"]'))
    raw = f"{json.dumps(value, indent=1)}\n".replace("\n", "\r\n")
    merged = edit_cells(scan(raw), {0: [Edit(6, 11, "甲\r\n乙")]})
    assert "\n" not in merged.replace("\r\n", "")
    assert scan(merged).cells[0].source == "Some\r\n甲\r\n乙"


def test_large_outputs_are_skipped_quickly() -> None:
    payload = "iVBORw0KGgo" * 2_000_000  # 22 MB
    output = {"output_type": "display_data", "data": {"image/png": payload}}
    raw = notebook(json.dumps(code("x", outputs=[output])), MARKDOWN)
    assert [cell.source for cell in scan(raw).cells] == ["x", "Some words"]
