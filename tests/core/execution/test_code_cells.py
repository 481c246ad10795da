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
FAILURE = CellFailure(
    cell=1, source="a", exception="E", message="", traceback="", blame=""
)


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
    text = '{"cells": [{"cell_type": "code", "source": "1"}], "nbformat": 4}'
    assert execution.parse_notebook(text, where="x") == {
        "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": "1"}],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 4,
    }


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


def test_parts_of_cells_that_have_another_shape_are_left_out() -> None:
    cells = [
        {"cell_type": "markdown", "metadata": "a", "attachments": {"b": 1, "c": {}}},
        {"cell_type": "markdown", "metadata": {"d": 2}, "attachments": 3},
        {"cell_type": "code", "outputs": ["e", {"output_type": "stream"}]},
        {
            "cell_type": "code",
            "outputs": [{"output_type": "display_data", "data": "g"}],
        },
        {"cell_type": "code", "outputs": "f"},
    ]
    notebook = execution.parse_notebook(json.dumps({"cells": cells}), where="x")
    assert notebook["cells"] == [
        {
            "cell_type": "markdown",
            "source": "",
            "metadata": {},
            "attachments": {"c": {}},
        },
        {
            "cell_type": "markdown",
            "source": "",
            "metadata": {"d": 2},
            "attachments": {},
        },
        {
            "cell_type": "code",
            "source": "",
            "metadata": {},
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ""}],
        },
        {"cell_type": "code", "source": "", "metadata": {}, "outputs": []},
        {"cell_type": "code", "source": "", "metadata": {}, "outputs": []},
    ]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ({"metadata": {"tags": ["a", 1]}}, ("a", "1")),
        ({"metadata": {"tags": "a"}}, ()),
        ({"metadata": None}, ()),
        ({}, ()),
    ],
)
def test_tags_survive_odd_metadata(
    cell: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert execution.tags_of(cell) == expected


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({}, ("python3", "python")),
        (
            {"kernelspec": {"name": "jax-dev", "language": "Python"}},
            ("jax-dev", "python"),
        ),
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
    base = notebook_value(
        prose("Hello"), code("a = 1"), code("b = 2", "raises-exception")
    )
    key = key_of(base)
    same = notebook_value(
        code(["a = ", "1"], outputs=[ERROR]),
        prose("你好"),
        code("b = 2", "raises-exception"),
        minor=5,
        widgets={},
    )
    assert key_of(same) == key
    others = [
        key_of(notebook_value(code("a = 1"), code("b = 2"))),
        key_of(notebook_value(code("b = 2", "raises-exception"), code("a = 1"))),
        key_of(notebook_value(code("a = 10"), code("b = 2", "raises-exception"))),
        key_of(notebook_value(code("a = 1b = 2", "raises-exception"))),
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
    assert len({key, *others}) == len(others) + 1


def test_the_key_does_not_know_the_order_of_facts() -> None:
    one = execution.execution_key(
        notebook_value(),
        policy={"a": 1, "b": 2},
        data={"x": "1", "y": "2"},
        environment={},
    )
    assert one == execution.execution_key(
        notebook_value(),
        policy={"b": 2, "a": 1},
        data={"y": "2", "x": "1"},
        environment={},
    )


def test_expectations_go_both_ways() -> None:
    outputs = outputs_of(
        notebook_value(
            prose("x"),
            code("1/0", "raises-exception", outputs=[ERROR]),
            code("fine()", "raises-exception"),
            code("skipped()", "raises-exception", "skip-execution"),
            code("  ", "raises-exception"),
            code("fine_too()", "raises-exception"),
        )
    )
    assert unmet_expectations(outputs) == (2, 5)
    assert unmet_expectations(outputs, acknowledged={2}) == (5,)
    assert unmet_expectations(outputs, acknowledged={2, 5}) == ()


def test_nothing_is_expected_of_cells_that_are_left_out() -> None:
    outputs = outputs_of(
        notebook_value(code("fine()", RAISES), code("fine_too()", RAISES))
    )
    assert unmet_expectations(outputs, until=2) == (1,)


def test_the_types_of_expected_exceptions_are_told() -> None:
    outputs = outputs_of(
        notebook_value(
            code("a", outputs=[ERROR]),
            code("b", RAISES, outputs=[STREAM, ERROR]),
            prose("x"),
            code("c", RAISES),
            code("d"),
        )
    )
    assert expected_exceptions(outputs) == ((2, "ValueError"),)


@pytest.mark.parametrize(
    ("until", "expected"), [(0, False), (1, True), (3, True), (4, False), (9, False)]
)
def test_a_page_is_partial_if_code_is_left_out(until: int, *, expected: bool) -> None:
    page = notebook_value(
        code("a"),
        prose("x"),
        code("b"),
        code("c"),
        code(""),
        code("d", "skip-execution"),
    )
    assert execution.is_partial(page, until) is expected


def test_readers_do_not_see_what_tags_remove() -> None:
    page = notebook_value(
        prose("x"),
        code("gone", "remove-cell", outputs=[STREAM]),
        code("only its output", "remove-input", outputs=[STREAM]),
        code("only its input", "remove-output", outputs=[STREAM, ERROR]),
        code("quiet", "remove-stderr", outputs=[STREAM, STREAM | {"name": "stderr"}]),
        code("as it is", "raises-exception", outputs=[ERROR]),
    )
    cells = for_readers(page)["cells"]
    assert [cell["source"] for cell in cells] == [
        "x",
        "only its output",
        "only its input",
        "quiet",
        "as it is",
    ]
    assert [cell.get("outputs") for cell in cells] == [
        None,
        [STREAM],
        [],
        [STREAM],
        [ERROR],
    ]
    assert [cell["metadata"].get("transient") for cell in cells] == [
        None,
        {"remove_source": True},
        None,
        None,
        None,
    ]
    assert len(page["cells"]) == 6
    assert "transient" not in page["cells"][2]["metadata"]


def test_an_unmet_expectation_names_all_its_cells() -> None:
    page = notebook_value(prose("x"), code("a"), prose("y"), code("b"))
    one, two = expectation_failure(page, [2]), expectation_failure(page, [1, 2])
    assert (one.cell, one.source, one.blame) == (2, "b", "expectation")
    assert "code cell 2 is tagged" in one.message
    assert (two.cell, "code cells 1, 2 are tagged" in two.message) == (1, True)


@pytest.mark.parametrize(
    ("exception", "message", "blame"),
    [
        ("ModuleNotFoundError", "No module named 'x'", "environment"),
        ("requests.exceptions.ConnectionError", "", "environment"),
        ("URLError", "<urlopen error>", "environment"),
        ("DeadKernelError", "Kernel died", "environment"),
        ("MemoryLimit", "the page took more than 256 MiB", "environment"),
        (
            "OSError",
            "needs the network, and this run is offline: network is unreachable",
            "environment",
        ),
        ("RuntimeError", "Unknown backend: 'gpu' requested", "environment"),
        (
            "ValueError",
            "Only interpret mode is supported on CPU backend.",
            "environment",
        ),
        ("AssertionError", "Please run this with TPU devices required", "environment"),
        ("FileNotFoundError", "No such file or directory: 'nvidia-smi'", "environment"),
        ("TypeError", "got an unexpected keyword argument", "upstream"),
        ("ValueError", "shapes do not match", "upstream"),
    ],
)
def test_an_exception_is_blamed_on_the_environment_or_on_upstream(
    exception: str, message: str, blame: str
) -> None:
    assert blame_of(exception, message) == blame


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
    failure = cell_failure(
        0, "", exception="DeadKernelError", message="gone", traceback="line 1"
    )
    text = failure_text("guide/page", failure)
    assert text.startswith("guide/page: DeadKernelError: gone\n  blame: ")
    assert "  | " not in text
    assert text.endswith("  line 1")


def test_outputs_notebook_holds_nothing_of_papermill() -> None:
    cell = code("1", outputs=[{"output_type": "stream", "name": "stdout", "text": "1"}])
    cell["metadata"] |= {"papermill": {"start_time": "now"}, "execution": {"x": "now"}}
    outputs = outputs_of(
        notebook_value(
            prose("x"),
            cell,
            papermill={"duration": 1},
            language_info={"name": "python"},
        )
    )
    assert outputs["metadata"] == {"language_info": {"name": "python"}}
    assert outputs["cells"] == [code("1", outputs=cell["outputs"])]


def test_outputs_go_into_a_translated_notebook_and_nothing_else_changes() -> None:
    outputs = outputs_of(
        notebook_value(code("a\nb", outputs=[ERROR]), language_info={"name": "python"})
    )
    merged = notebook_value(
        prose("你好"), code(["a\n", "b"]), custom=1, widgets={"stale": 1}
    )
    executed = with_outputs(merged, outputs, where="page")
    assert executed["cells"] == [prose("你好"), code(["a\n", "b"], outputs=[ERROR])]
    assert executed["metadata"] == {"custom": 1, "language_info": {"name": "python"}}
    assert merged["cells"][1]["outputs"] == []


def test_ids_are_added_where_the_format_wants_them_and_never_change() -> None:
    outputs = outputs_of(notebook_value(code("a")))
    merged = notebook_value(prose("x") | {"id": "own"}, code("a"), minor=5)
    assert [
        cell["id"] for cell in with_outputs(merged, outputs, where="page")["cells"]
    ] == [
        "own",
        "cell-1",
    ]
    old = {**merged, "nbformat_minor": 4}
    assert not any(
        "id" in cell for cell in with_outputs(old, outputs, where="page")["cells"]
    )


@pytest.mark.parametrize("cells", [[code("b")], [code("a"), code("a")], []])
def test_outputs_of_other_code_are_refused(cells: list[dict[str, Any]]) -> None:
    outputs = outputs_of(notebook_value(code("a")))
    with pytest.raises(GuardError, match="page"):
        with_outputs(notebook_value(*cells), outputs, where="page")


def test_cells_run_counts_up_to_the_stop() -> None:
    page = notebook_value(
        code("a"),
        prose("x"),
        code(""),
        code("b", "skip-execution"),
        code("c"),
        code("d"),
    )
    stop = cell_failure(4, "c", exception="E", message="", traceback="")
    assert cells_run(page, None) == 3
    assert cells_run(page, stop) == 2
    assert cells_run(page, expectation_failure(page, [1])) == 3
    assert cells_run(page, None, until=5) == 2
    assert cells_run(page, None, until=1) == 0
    assert cells_run(page, stop, until=5) == 2


def test_a_guess_counts_the_cells_that_run_and_what_is_repeated_to_be_measured() -> (
    None
):
    page = notebook_value(
        code("a"),
        prose("%timeit"),
        code("%timeit a\n%timeit b"),
        code("%timeit c", "skip-execution"),
        code("%%timeit\nd"),
    )
    cells, timings = execution.SECONDS_PER_CELL, execution.SECONDS_PER_TIMING
    assert execution.guess_seconds(page) == pytest.approx(
        execution.SECONDS_TO_START + 3 * cells + 3 * timings
    )
    assert execution.guess_seconds(page, until=4) == pytest.approx(
        execution.SECONDS_TO_START + 2 * cells + 2 * timings
    )
    assert execution.guess_seconds(page, cell=5.0) == pytest.approx(
        execution.SECONDS_TO_START + 15 + 3 * timings
    )


@pytest.mark.slow
def test_tags_that_remove_do_so_in_the_page_that_is_shown() -> None:
    tags = {"first": "remove-input", "second": "remove-output", "third": "remove-cell"}
    cells = [
        code(
            f"x = 'source of the {number}'",
            tag,
            outputs=[STREAM | {"text": f"output of the {number}"}],
        )
        for number, tag in tags.items()
    ]
    page = html.notebook_html(
        for_readers(notebook_value(*cells)), folder=PageFolder(Path())
    ).html
    words = [
        f"{part} of the {number}" for number in tags for part in ("source", "output")
    ]
    assert [text for text in words if text in page] == [
        "output of the first",
        "source of the second",
    ]


@pytest.mark.parametrize(
    ("path", "data", "text"),
    [
        ("a.md", b"# A \xff\n", "# A \ufffd\n"),
        # Large, and nothing that has contents: not parsed at all.
        ("a.ipynb", b"no JSON", "no JSON"),
        (
            "a.ipynb",
            json.dumps(
                {
                    "cells": [
                        {"cell_type": "markdown", "source": ["# A\n", "b"]},
                        {"cell_type": "code", "source": "c"},
                        {"cell_type": "markdown", "source": "```{toctree}\nd\n```"},
                    ]
                }
            ).encode(),
            "# A\nb\n```{toctree}\nd\n```",
        ),
    ],
)
def test_tables_of_contents_are_looked_for_in_prose(
    path: str, data: bytes, text: str
) -> None:
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
