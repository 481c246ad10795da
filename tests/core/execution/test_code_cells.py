"""What execution reads from notebooks, and how their code ran."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from notebooks import code, notebook_value, prose

from pipeline.adapters.html import notebook as html
from pipeline.adapters.html.images import PageFolder
from pipeline.core.execution import code_cells as execution
from pipeline.core.execution.outputs import for_readers, outputs_of, with_outputs
from pipeline.core.execution.result import (
    CellFailure,
    Execution,
    Status,
    blame_of,
    cell_failure,
    cells_run,
    expectation_failure,
    expected_exceptions,
    failure_summary,
    failure_text,
    unmet_expectations,
)
from pipeline.errors import GuardError, InputError

RAISES = "raises-exception"
STREAM = {"output_type": "stream", "name": "stdout", "text": "1"}
ERROR = {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []}
LANGUAGE: dict[str, Any] = {"language_info": {"name": "python"}}
FAILURE = CellFailure(cell=1, source="a", exception="E", message="", traceback="", blame="")


def key_of(
    page: dict[str, Any],
    *,
    timeout: int = 100,
    jax: str = "1",
    data: dict[str, str] | None = None,
    **policy: Any,
) -> str:
    return execution.execution_key(
        page,
        policy={"timeout": timeout, **policy},
        data=data or {},
        environment={"package jax": jax},
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"worksheets": []}',
        '{"cells": 3}',
        '{"cells": [1]}',
        '{"cells": [{"source": null}]}',
        '{"cells": [{"source": ["a", ["b"]]}]}',
        b"\xff\xfe{",
        "[" * 100_000,
    ],
)
def test_what_is_no_notebook_is_an_input_error(text: str | bytes) -> None:
    with pytest.raises(InputError, match=r"x\.ipynb"):
        execution.parse_notebook(text, where="x.ipynb")


def test_a_notebook_is_parsed() -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": "1"}
    text = '{"cells": [{"cell_type": "code", "source": "1"}], "nbformat": 4}'
    expected = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    assert execution.parse_notebook(text, where="x") == expected


@pytest.mark.parametrize(
    "metadata", ['"a"', "[1]", "null", '{"kernelspec": "a", "language_info": 5}']
)
def test_metadata_of_another_shape_are_left_out(metadata: str) -> None:
    text = f'{{"cells": [], "metadata": {metadata}, "nbformat_minor": "x"}}'
    notebook = execution.parse_notebook(text, where="x")
    assert notebook == {"cells": [], "metadata": {}, "nbformat_minor": 4}
    assert execution.kernel_of(notebook) == ("python3", "python")
    run = {"cells": [], "metadata": {"language_info": {"name": "python"}}}
    assert with_outputs(notebook, run, where="x")["metadata"] == run["metadata"]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ({"metadata": {"tags": ["a", 1]}}, ("a", "1")),
        ({"metadata": {"tags": "a"}}, ()),
        ({"metadata": None}, ()),
        ({}, ()),
    ],
)
def test_tags_of_odd_metadata(cell: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert execution.tags_of(cell) == expected


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({}, ("python3", "python")),
        ({"kernelspec": {"name": "jax", "language": "Python"}}, ("jax", "python")),
        ({"kernelspec": {"name": "ir", "language": "R"}}, ("ir", "r")),
        (
            {"kernelspec": {"name": "mine"}, "language_info": {"name": "julia"}},
            ("mine", "julia"),
        ),
        ({"kernelspec": {"name": "mine"}}, ("mine", "")),
    ],
)
def test_kernel_and_language_are_read_from_the_metadata(
    metadata: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert execution.kernel_of({"metadata": metadata}) == expected


def test_the_key_knows_code_and_environment_only() -> None:
    first, second = code("a = 1"), code("b = 2", RAISES)
    base = notebook_value(prose("Hello"), first, second)
    run = code(["a = ", "1"], outputs=[ERROR])
    same = notebook_value(run, prose("你好"), second, minor=5, widgets={})
    assert key_of(same) == key_of(base)
    others = [
        key_of(notebook_value(first, code("b = 2"))),
        key_of(notebook_value(second, first)),
        key_of(notebook_value(code("a = 10"), second)),
        key_of(notebook_value(code("a = 1b = 2", RAISES))),
        key_of({**base, "metadata": {"kernelspec": {"name": "other"}}}),
        key_of(base, timeout=99),
        key_of(base, version="2"),
        key_of(base, until=2),
        key_of(base, variables={"XLA_FLAGS": "x"}),
        key_of(base, variables={"XLA_FLAGS": "y"}),
        key_of(base, data={"numbers.txt": "aa"}),
        key_of(base, data={"numbers.txt": "bb"}),
        key_of(base, data={"others.txt": "bb"}),
    ]
    assert len({key_of(base), *others}) == len(others) + 1


def test_the_key_does_not_know_the_order_of_facts() -> None:
    page, data = notebook_value(), {"x": "1", "y": "2"}
    key = key_of(page, a=1, b=2, data=data)
    assert key_of(page, b=2, a=1, data=dict(reversed(data.items()))) == key


def test_expectations_go_both_ways() -> None:
    page = notebook_value(
        prose("x"),
        code("1/0", RAISES, outputs=[ERROR]),
        code("fine()", RAISES),
        code("skipped()", RAISES, "skip-execution"),
        code("  ", RAISES),
        code("fine_too()", RAISES),
    )
    outputs = outputs_of(page)
    assert unmet_expectations(outputs) == (2, 5)
    assert unmet_expectations(outputs, acknowledged={2}) == (5,)
    assert unmet_expectations(outputs, acknowledged={2, 5}) == ()
    # Nothing is expected of cells that are left out.
    assert unmet_expectations(outputs, until=5) == (2,)


def test_the_types_of_expected_exceptions_are_told() -> None:
    page = notebook_value(
        code("a", outputs=[ERROR]),
        code("b", RAISES, outputs=[STREAM, ERROR]),
        prose("x"),
        code("c", RAISES),
        code("d"),
    )
    assert expected_exceptions(outputs_of(page)) == ((2, "ValueError"),)


@pytest.mark.parametrize(
    ("until", "expected"), [(0, False), (1, True), (3, True), (4, False), (9, False)]
)
def test_a_page_is_partial_if_code_is_left_out(until: int, *, expected: bool) -> None:
    last = [code("c"), code(""), code("d", "skip-execution")]
    page = notebook_value(code("a"), prose("x"), code("b"), *last)
    assert execution.is_partial(page, until) is expected


def test_readers_do_not_see_what_tags_remove() -> None:
    page = notebook_value(
        prose("x"),
        code("gone", "remove-cell", outputs=[STREAM]),
        code("only its output", "remove-input", outputs=[STREAM]),
        code("only its input", "remove-output", outputs=[STREAM, ERROR]),
        code("quiet", "remove-stderr", outputs=[STREAM, STREAM | {"name": "stderr"}]),
        code("as it is", RAISES, outputs=[ERROR]),
    )
    assert [
        (cell["source"], cell.get("outputs"), cell["metadata"].get("transient"))
        for cell in for_readers(page)["cells"]
    ] == [
        ("x", None, None),
        ("only its output", [STREAM], {"remove_source": True}),
        ("only its input", [], None),
        ("quiet", [STREAM], None),
        ("as it is", [ERROR], None),
    ]
    assert len(page["cells"]) == 6
    assert "transient" not in page["cells"][2]["metadata"]


def test_an_unmet_expectation_names_all_its_cells() -> None:
    page = notebook_value(prose("x"), code("a"), prose("y"), code("b"))
    one, two = expectation_failure(page, [2]), expectation_failure(page, [1, 2])
    assert (one.cell, one.source, one.blame) == (2, "b", "expectation")
    assert "code cell 2 is tagged" in one.message
    assert (two.cell, "code cells 1, 2 are tagged" in two.message) == (1, True)


OF_THE_ENVIRONMENT = [
    ("ModuleNotFoundError", "No module named 'x'"),
    ("requests.exceptions.ConnectionError", ""),
    ("URLError", "<urlopen error>"),
    ("DeadKernelError", "Kernel died"),
    ("MemoryLimit", "the page took more than 256 MiB"),
    ("OSError", "needs the network, and this run is offline: network is unreachable"),
    ("RuntimeError", "Unknown backend: 'gpu' requested"),
    ("ValueError", "Only interpret mode is supported on CPU backend."),
    ("AssertionError", "Please run this with TPU devices required"),
    ("FileNotFoundError", "No such file or directory: 'nvidia-smi'"),
]


@pytest.mark.parametrize(("exception", "message"), OF_THE_ENVIRONMENT)
def test_exceptions_of_the_environment(exception: str, message: str) -> None:
    assert blame_of(exception, message) == "environment"


def test_other_exceptions_are_upstreams() -> None:
    assert blame_of("TypeError", "got an unexpected keyword argument") == "upstream"
    assert blame_of("ValueError", "shapes do not match") == "upstream"


def test_a_failure_is_told_in_plain_text() -> None:
    failure = cell_failure(
        7,
        "x = 1\nf(x)",
        exception="ValueError",
        message="\x1b[31mbad\x1b[0m\nsecond line",
        traceback="\x1b[0;31mline 1\x1b[0m\n\nline 2",
    )
    assert (failure.message, failure.blame) == ("bad\nsecond line", "upstream")
    assert failure_summary(failure) == "code cell 7: ValueError: bad (upstream)"
    text = failure_text("guide/page", failure)
    assert text.startswith("guide/page, code cell 7: ValueError: bad")
    assert "  | f(x)" in text
    assert text.endswith("  line 1\n  line 2")
    assert "\x1b" not in text


def test_a_failure_of_the_page_as_a_whole_shows_no_source() -> None:
    gone = cell_failure(0, "", exception="E", message="gone", traceback="line 1")
    text = failure_text("guide/page", gone)
    assert text.startswith("guide/page: E: gone\n  blame: ")
    assert "  | " not in text
    assert text.endswith("  line 1")


def test_outputs_notebook_holds_nothing_of_papermill() -> None:
    cell = code("1", outputs=[STREAM])
    cell["metadata"] |= {"papermill": {"start_time": "now"}, "execution": {"x": "now"}}
    page = notebook_value(prose("x"), cell, papermill={"duration": 1}, **LANGUAGE)
    outputs = outputs_of(page)
    assert outputs["metadata"] == LANGUAGE
    assert outputs["cells"] == [code("1", outputs=[STREAM])]


def test_outputs_go_into_a_translated_notebook_and_nothing_else_changes() -> None:
    run = notebook_value(code("a\nb", outputs=[ERROR]), **LANGUAGE)
    cells = [prose("你好"), code(["a\n", "b"])]
    merged = notebook_value(*cells, custom=1, widgets={"stale": 1})
    executed = with_outputs(merged, outputs_of(run), where="page")
    assert executed["cells"] == [prose("你好"), code(["a\n", "b"], outputs=[ERROR])]
    assert executed["metadata"] == {"custom": 1, **LANGUAGE}
    assert merged["cells"][1]["outputs"] == []


def test_ids_are_added_where_the_format_wants_them_and_never_change() -> None:
    outputs = outputs_of(notebook_value(code("a")))
    merged = notebook_value(prose("x") | {"id": "own"}, code("a"), minor=5)
    cells = with_outputs(merged, outputs, where="page")["cells"]
    assert [cell["id"] for cell in cells] == ["own", "cell-1"]
    old = with_outputs({**merged, "nbformat_minor": 4}, outputs, where="page")
    assert not any("id" in cell for cell in old["cells"])


@pytest.mark.parametrize("cells", [[code("b")], [code("a"), code("a")], []])
def test_outputs_of_other_code_are_refused(cells: list[dict[str, Any]]) -> None:
    outputs = outputs_of(notebook_value(code("a")))
    with pytest.raises(GuardError, match="page"):
        with_outputs(notebook_value(*cells), outputs, where="page")


def test_cells_run_counts_up_to_the_stop() -> None:
    left_out = [prose("x"), code(""), code("b", "skip-execution")]
    page = notebook_value(code("a"), *left_out, code("c"), code("d"))
    stop = cell_failure(4, "c", exception="E", message="", traceback="")
    assert cells_run(page, None) == 3
    assert cells_run(page, stop) == 2
    assert cells_run(page, expectation_failure(page, [1])) == 3
    assert cells_run(page, None, until=5) == 2
    assert cells_run(page, None, until=1) == 0
    assert cells_run(page, stop, until=5) == 2


@pytest.mark.parametrize(
    ("options", "cells", "timings"),
    [
        ({}, 3, 3),
        ({"until": 4}, 2, 2),
        ({"cell": 2 * execution.SECONDS_PER_CELL}, 6, 3),
    ],
)
def test_a_guess_counts_the_cells_that_run_and_what_is_repeated_to_be_measured(
    options: dict[str, Any], cells: int, timings: int
) -> None:
    page = notebook_value(
        code("a"),
        prose("%timeit"),
        code("%timeit a\n%timeit b"),
        code("%timeit c", "skip-execution"),
        code("%%timeit\nd"),
    )
    running = cells * execution.SECONDS_PER_CELL + timings * execution.SECONDS_PER_TIMING
    expected = pytest.approx(execution.SECONDS_TO_START + running)
    assert execution.guess_seconds(page, **options) == expected


@pytest.mark.slow
def test_tags_that_remove_do_so_in_the_page_that_is_shown() -> None:
    def cell(name: str, tag: str) -> dict[str, Any]:
        output = STREAM | {"text": f"output of {name}"}
        return code(f"x = 'source of {name}'", tag, outputs=[output])

    page = notebook_value(
        cell("1", "remove-input"), cell("2", "remove-output"), cell("3", "remove-cell")
    )
    found = html.notebook_html(for_readers(page), folder=PageFolder(Path())).html
    words = [f"{part} of {name}" for name in "123" for part in ("source", "output")]
    assert [text for text in words if text in found] == ["output of 1", "source of 2"]


NOTEBOOK = notebook_value(prose(["# A\n", "b"]), code("c"), prose("```{toctree}\nd\n```"))


@pytest.mark.parametrize(
    ("path", "data", "text"),
    [
        ("a.md", b"# A \xff\n", "# A \ufffd\n"),
        # Large, and nothing that has contents: not parsed at all.
        ("a.ipynb", b"no JSON", "no JSON"),
        ("a.ipynb", json.dumps(NOTEBOOK).encode(), "# A\nb\n```{toctree}\nd\n```"),
    ],
)
def test_tables_of_contents_are_in_prose(path: str, data: bytes, text: str) -> None:
    assert execution.text_with_contents(path, data) == text


def test_a_notebook_with_contents_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(InputError, match=r"x\.ipynb"):
        execution.text_with_contents("x.ipynb", b"{toctree}")


@pytest.mark.parametrize(
    ("status", "failure", "cached", "expected"),
    [
        (Status.PASSED, None, False, True),
        (Status.PARTIAL, None, False, True),
        (Status.PASSED, None, True, False),
        (Status.SKIPPED, None, False, False),
        (Status.FAILED, FAILURE, False, True),
        # It could not be read: no code of it has run.
        (Status.FAILED, None, False, False),
    ],
)
def test_whether_a_run_has_run_the_code_of_a_page(
    status: Status, failure: CellFailure | None, cached: bool, expected: bool
) -> None:
    page = Execution(page="a", status=status, failure=failure, cached=cached)
    assert page.ran_now is expected
