"""Notebooks get the shape that Jupyter's libraries rely on; what readers miss by that is told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipeline.core.execution.code_cells import faults_in, parse_notebook
from pipeline.core.execution.outputs import with_ids
from pipeline.core.execution.shape import Fault, sound_outputs

DOT = "iVBORw0KGgo="  # base64 is all that is looked at
WIDGET = "application/vnd.jupyter.widget-view+json"
WIDGETS = "application/vnd.jupyter.widget-state+json"


def shown(data: object, **other: object) -> dict[str, object]:
    return {"output_type": "display_data", "data": data, "metadata": {}, **other}


def parsed(**parts: object) -> dict[str, Any]:
    return parse_notebook(json.dumps({"cells": [], **parts}), where="a.ipynb")


SOUND = {
    "image": shown({"image/png": DOT}),
    "image in lines": shown({"image/jpeg": [DOT[:4] + "\n", DOT[4:]]}),
    "vector image": shown({"image/svg+xml": "<svg/>"}),
    "JSON": shown({"application/json": [5], "application/geo+json": {"a": 1}}),
    "text": shown({"text/plain": ["a\n", "b"]}),
    "widget": shown({WIDGET: {"model_id": "a"}}),
    "size of an image": shown({"image/gif": DOT}, metadata={"image/gif": {"width": 5}}),
    "other metadata": shown({"text/plain": "a"}, metadata={"isolated": True}),
    "result": shown({"text/plain": "a"}) | {"output_type": "execute_result", "execution_count": 5},
    "stream": {"output_type": "stream", "name": "stderr", "text": ["a\n"]},
    "error": {"output_type": "error", "ename": "E", "evalue": "", "traceback": ["a"]},
}


@pytest.mark.parametrize("output", SOUND.values(), ids=SOUND)
def test_sound_outputs_stay_as_they_are(output: dict[str, object]) -> None:
    outputs = sound_outputs([output])
    assert (outputs.sound, outputs.faults) == ([output], ())


UNSOUND = {
    "text as an image": (shown({"image/png": '">x'}), "'image/png' that is not base64"),
    "cut image": (shown({"image/jpeg": DOT[:-3]}), "'image/jpeg' that is not base64"),
    "accents": (shown({"image/gif": "é"}), "'image/gif' that is not base64"),
    "empty image": (shown({"image/webp": ""}), "'image/webp' that is not base64"),
    "sheet": (shown({"application/pdf": "%"}), "'application/pdf' that is not base64"),
    "sound": (shown({"audio/wav": "%"}), "'audio/wav' that is not base64"),
    "number as HTML": (shown({"text/html": 5}), "'text/html' that is a num"),
    "list of numbers": (shown({"image/svg+xml": [5]}), "that is a list, not text"),
    "widget of a number": (shown({WIDGET: 5}), "does not name the model of a widget"),
    "widget without model": (
        shown({WIDGET: {}}),
        "does not name the model of a widget",
    ),
    "list as data": (shown([5]), "whose data are a list, not an object"),
    "text as data": (shown("g"), "whose data are 'g', not an object"),
    "nothing as data": (shown(None), "whose data are nothing, not an object"),
    "numbers": ({"output_type": "stream", "text": 5}, "whose text is not text"),
    "unknown kind": ({"output_type": "pyout"}, "an output of an unknown kind: 'pyout'"),
    "no kind": ({"text": "a"}, "an output of an unknown kind: nothing"),
    "true": ({"output_type": True}, "an output of an unknown kind: true or false"),
    "kind that is an object": ({"output_type": {}}, "an unknown kind: an object"),
    "no object": ("a", "an output of an unknown kind: nothing"),
}


@pytest.mark.parametrize(("output", "fault"), UNSOUND.values(), ids=UNSOUND)
def test_an_output_that_cannot_be_shown_is_told(output: object, fault: str) -> None:
    good = SOUND["text"]
    outputs = sound_outputs([output, good, output])
    assert outputs.sound == [good]
    (told,) = outputs.faults
    assert fault in told


def test_of_several_forms_of_an_output_the_sound_ones_are_shown() -> None:
    outputs = sound_outputs([shown({"image/png": "no", "text/plain": "a picture"})])
    assert outputs.sound == [shown({"text/plain": "a picture"})]
    assert len(outputs.faults) == 1


RESULT: dict[str, object] = {
    "data": {"text/plain": "a"},
    "metadata": {},
    "execution_count": None,
}
LACKING: list[tuple[str, dict[str, object], dict[str, object]]] = [
    ("stream", {"data": 5}, {"name": "stdout", "text": ""}),
    ("stream", {"name": []}, {"name": "stdout", "text": ""}),
    (
        "error",
        {"ename": 5, "traceback": "a"},
        {"ename": "5", "evalue": "", "traceback": ["a"]},
    ),
    (
        "error",
        {"evalue": [1], "traceback": [5]},
        {"ename": "", "evalue": "[1]", "traceback": ["5"]},
    ),
    ("error", {"traceback": None}, {"ename": "", "evalue": "", "traceback": []}),
    (
        "display_data",
        {"data": {"image/png": DOT}, "metadata": {"image/png": 5}},
        {"data": {"image/png": DOT}, "metadata": {}},
    ),
    ("execute_result", {**RESULT, "metadata": []}, RESULT),
    ("execute_result", {**RESULT, "execution_count": True}, RESULT),
]


@pytest.mark.parametrize(("kind", "given", "expected"), LACKING)
def test_what_an_output_lacks_is_filled_in(
    kind: str, given: dict[str, object], expected: dict[str, object]
) -> None:
    outputs = sound_outputs([{"output_type": kind, **given}])
    assert outputs.sound == [{"output_type": kind, **expected}]
    assert not outputs.faults


def test_outputs_that_are_no_list() -> None:
    assert sound_outputs(None).faults == ()
    assert sound_outputs({}).faults == ("has outputs that are an object, not a list",)


def test_ids_are_made_where_the_format_does_not_allow_those_given() -> None:
    ids = ["a", None, 7, "a b", "a", "cell-1", "é", "x" * 65, ["b"], "", "b-_9"]
    cells = [{"id": own} for own in ids]
    made = with_ids([*cells, {}], {"nbformat": 4, "nbformat_minor": 5})
    assert [cell["id"] for cell in made] == [
        *("a", "cell-1-", "cell-2", "cell-3", "cell-4", "cell-1", "cell-6", "cell-7"),
        *("cell-8", "cell-9", "b-_9", "cell-11"),
    ]
    assert cells[1] == {"id": None}


NAMELESS = {"name": "python3", "display_name": "python3"}
PYTHON = {"name": "python", "version": 3}


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("kernelspec", {}, NAMELESS),
        ("kernelspec", {"name": 5, "language": [], "env": {}}, {**NAMELESS, "env": {}}),
        (
            "kernelspec",
            {"name": "ir", "display_name": "R"},
            {"name": "ir", "display_name": "R"},
        ),
        ("language_info", {"version": "3"}, None),
        ("language_info", {**PYTHON, "pygments_lexer": 5}, PYTHON),
        ("widgets", {WIDGETS: 5}, None),
        ("widgets", {WIDGETS: {"state": {}}}, {WIDGETS: {"state": {}}}),
        ("mystnb", 5, None),
        ("myst", {"a": 1}, {"a": 1}),
        ("title", 5, 5),
    ],
)
def test_metadata_of_notebooks(name: str, value: object, expected: object) -> None:
    metadata = parsed(metadata={name: value})["metadata"]
    assert metadata.get(name) == expected
    assert len(metadata) == (expected is not None)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ({"cell_type": "heading"}, {"cell_type": "raw"}),
        ({"cell_type": ["code"]}, {"cell_type": "raw"}),
        ({"metadata": "a"}, {"metadata": {}}),
        ({"metadata": {"tags": "a"}}, {"metadata": {"tags": []}}),
        ({"metadata": {"tags": ["a", []]}}, {"metadata": {"tags": ["a"]}}),
        ({"metadata": {"mystnb": 5, "a": 5}}, {"metadata": {"a": 5}}),
        ({"attachments": 3}, {"attachments": {}}),
        ({"attachments": {"b": 1, "c": {}}}, {"attachments": {"c": {}}}),
        (
            {"attachments": {"a.png": {"image/png": 5, "image/gif": DOT}}},
            {"attachments": {"a.png": {"image/gif": DOT}}},
        ),
        ({"cell_type": "code", "outputs": "f"}, {"cell_type": "code", "outputs": []}),
        (
            {"cell_type": "code", "outputs": ["e", {"output_type": "stream"}]},
            {
                "cell_type": "code",
                "outputs": [{"output_type": "stream", "name": "stdout", "text": ""}],
            },
        ),
    ],
)
def test_parts_of_cells(cell: dict[str, object], expected: dict[str, object]) -> None:
    whole = {"cell_type": "markdown", "metadata": {}, "source": "a"}
    (made,) = parsed(cells=[whole | cell])["cells"]
    assert made == whole | expected


def test_a_cell_without_source_has_an_empty_one() -> None:
    (made,) = parsed(cells=[{"cell_type": "markdown"}])["cells"]
    assert made == {"cell_type": "markdown", "metadata": {}, "source": ""}


@pytest.mark.parametrize("count", ["5", -1, 1.5, True, [5], 5])
def test_a_count_that_is_no_number_is_none(count: object) -> None:
    cell = {"cell_type": "code", "source": "a", "execution_count": count}
    (made,) = parsed(cells=[cell])["cells"]
    assert made["execution_count"] == (5 if count == 5 else None)


@pytest.mark.parametrize("version", [3, "4", None, 4.0, []])
def test_what_has_cells_is_of_format_4(version: object) -> None:
    assert repr(parsed(nbformat=version)["nbformat"]) == "4"


def test_faults_name_the_cell() -> None:
    cells: list[dict[str, object]] = [
        {"cell_type": "markdown", "source": "fine"},
        {"cell_type": "code", "source": "x = '\ud83d'"},
        {"cell_type": "markdown", "source": ["a", "\udc00"]},
        {"cell_type": "raw", "source": "a", "metadata": {"tags": [{"\ud800": 5}]}},
        {"cell_type": "code", "source": "a", "outputs": [shown({"image/png": "no"})]},
        # A pair of surrogates is one character.
        {"cell_type": "markdown", "source": "\ud83d\ude00"},
    ]
    text = json.dumps({"cells": cells, "metadata": {"a": "\ud800"}})
    *faults, last = faults_in(text, where="a.ipynb")
    assert [fault.cell for fault in faults] == [0, 2, 3, 4]
    assert all("surrogate" in fault.text for fault in faults)
    told = "has an output of the type 'image/png' that is not base64"
    assert last == Fault(cell=5, text=told)


def test_a_sound_notebook_has_no_faults() -> None:
    cell = {"cell_type": "code", "source": "a", "outputs": list(SOUND.values())}
    assert faults_in(json.dumps({"cells": [cell]}), where="a.ipynb") == ()
