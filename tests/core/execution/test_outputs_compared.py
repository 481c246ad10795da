"""Upstream's outputs against those of a run, and outputs that are alike on every machine."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from notebooks import code, notebook_value, prose

from pipeline.core.execution.comparison import Difference, compare_outputs
from pipeline.core.execution.outputs import portable, portable_output


def stream(text: str | list[str], name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def result(text: str | list[str], **more: str) -> dict[str, Any]:
    others = {key.replace("_", "/"): value for key, value in more.items()}
    return {"output_type": "execute_result", "data": {"text/plain": text, **others}}


def raised(name: str, message: str = "no") -> dict[str, Any]:
    parts = {"ename": name, "evalue": message, "traceback": ["…"]}
    return {"output_type": "error", **parts}


def cell(
    *outputs: dict[str, Any], tags: tuple[str, ...] = (), count: int | None = 1
) -> dict[str, Any]:
    return {**code("x", *tags, outputs=outputs), "execution_count": count}


def differences(docs: dict[str, Any], here: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    found = compare_outputs(notebook_value(docs), notebook_value(here))
    return tuple((difference.docs, difference.here) for difference in found)


SAME = {
    "equal": ("3\n", "3\n"),
    "rounding": (
        "[0.5        0.7310586  0.88079715]",
        "[0.5       0.7310586 0.8807971]",
    ),
    "zero but for rounding": ("-0.", "2.3e-08"),
    "exponents": ("1.0e-03 1e5", "0.001 100000."),
    "complex numbers": ("1.25-0.j", "1.250001+0.j"),
    "lines broken elsewhere": (
        "Array([1.0,\n       2.0], dtype=float32)",
        "Array([1., 2.],      dtype=float32)",
    ),
    "trailing white space": ("a  \n\nb", "a\nb\n"),
    "carriage return": ("a\rb", "a\nb"),
    "colours": ("\x1b[34;1mlet\x1b[0m x", "let x"),
    "address": ("<f at 0x7efe2c206b70>", "<f at 0x10a4c8>"),
    "id": ("140339125823424", "139872304517904"),
    "%timeit": (
        "a:\n10 loops, best of 3: 6.75 ms per loop\nb",
        "a:\n5.6 ms ± 2 ms per loop (mean ± std. dev. of 3 runs)\nb",
    ),
    "%timeit with more lines": (
        "1 µs per loop",
        "The slowest run took 12.23 times longer.\n2 µs per loop",
    ),
    "%time": (
        "CPU times: user 1 s, sys: 0 ns\nWall time: 2 s",
        "CPU times: total: 3 s",
    ),
    "durations": ("step 1 in 0.25 s, 3 sec, 12ms", "step 1 in 4 s, 10 seconds, 9.5 µs"),
    "cells": (
        "from <ipython-input-4-f510dde58e22>:3 (g)",
        "from /tmp/ipykernel_131/183.py:3:9 (g)",
    ),
    "cells in tracebacks": ("Cell In[3], line 4", "Cell In [12], line 5"),
    "files": (
        "/usr/lib/python3.9/site-packages/demo/api.py:12: odd",
        "~/env/demo/api.py:345: odd",
    ),
    "files on Windows": (r"C:\envs\demo\api.py:12: odd", "/demo/api.py:1: odd"),
    "devices": (
        "TFRT_CPU_0 and CpuDevice(id=1)",
        "TPU_0(process=0,(0,0,0)) and TpuDevice(id=1, process_index=0, coords=(0,0,0))",
    ),
    "old names of devices": (
        "[StreamExecutorGpuDevice(id=3, process_index=0)]",
        "[CudaDevice(id=3)]",
    ),
    "devices by platform": ("cuda:0", "cpu:0"),
    "platforms": ("on gpu", "on cpu"),
    "order of a set": ("{'b', 'a', 'c'}", "{'a',  'b', 'c'}"),
}


@pytest.mark.parametrize(("docs", "here"), SAME.values(), ids=SAME.keys())
def test_what_cannot_mean_anything_is_not_told(docs: str, here: str) -> None:
    assert differences(cell(stream(docs)), cell(stream(here))) == ()
    assert differences(cell(result(here)), cell(stream(docs))) == ()


# Both lines are shown whole.
OTHER = {
    "number beyond the tolerance": ("100.0", "100.2"),
    "long fractions": ("0.140339125823424", "0.141872304517904"),
    "sign": ("-0.25", "0.25"),
    "whole numbers are exact": ("100000000", "100000001"),
    "whole and not": ("1", "1.0"),
    "shape": ("f32[3,4]", "f32[4,3]"),
    "digit of a name": ("float32", "float64"),
    "not a number": ("1.0", "nan"),
    "detail of a type": ("Array(3., dtype=f4)", "Array(3., dtype=f4, weak_type=True)"),
    "brackets": ("[1, 2]", "(1, 2)"),
    "another element of a set": ("{1, 2}", "{1, 3}"),
    "order in a mapping": ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"),
    "another device": ("CpuDevice(id=0)", "CpuDevice(id=1)"),
    "small hexadecimal numbers": ("0xff", "0xfe"),
}
FIRST_LINE = {
    "number": ("x\n0.25\n", "x\n0.26\n", ("0.25", "0.26")),
    "only the first line": ("a\nb 1\nc", "a\nb 2\nd", ("b 1", "b 2")),
    "less": ("a\nb\n", "a\n", ("b", "")),
    "more": ("a\n", "a\n  b\n", ("", "b")),
    "nothing": ("a\n", "", ("a", "")),
    "beside noise": (
        "<f at 0x7efe2c206b70> 1",
        "<f at 0x10a4c8> 2",
        ("<f at 0x…> 1", "<f at 0x…> 2"),
    ),
    "beside a place": (
        "1 at /tmp/ipykernel_131/183.py:3:9",
        "2 at Cell In[3], line 4",
        ("1 at <file>", "2 at <file>"),
    ),
    "where noise stood": ("took 3 s", "took long", ("took … s", "took long")),
}


@pytest.mark.parametrize(("docs", "here"), OTHER.values(), ids=OTHER)
def test_what_means_something_else_is_told(docs: str, here: str) -> None:
    assert differences(cell(stream(docs)), cell(stream(here))) == ((docs, here),)


@pytest.mark.parametrize(("docs", "here", "expected"), FIRST_LINE.values(), ids=FIRST_LINE)
def test_first_differing_line(docs: str, here: str, expected: tuple[str, str]) -> None:
    assert differences(cell(stream(docs)), cell(stream(here))) == (expected,)


LEFT_OUT = {
    "no stored output": (cell(), cell(stream("1"))),
    "no list of outputs": ({"cell_type": "code", "source": ""}, cell(stream("1"))),
    "blank": (cell(stream(" \n")), cell(stream("1"))),
    "stderr": (
        cell(stream("1"), stream("old", "stderr")),
        cell(stream("new", "stderr"), stream("1")),
    ),
    "figures": (
        cell(result("<Figure 432x288>", image_png="AAAA")),
        cell(result("<Figure 640x480>", image_png="BBBB")),
    ),
    "tables": (
        cell(result("a", text_html="<b>a</b>")),
        cell(result("b", text_html="<b>b</b>")),
    ),
    "what is no output": (
        cell({"output_type": "display_data", "data": 3}),
        cell(stream("1")),
    ),
    "did not run": (cell(stream("1")), cell(count=None)),
}


@pytest.mark.parametrize(("docs", "here"), LEFT_OUT.values(), ids=LEFT_OUT.keys())
def test_what_is_not_compared(docs: dict[str, Any], here: dict[str, Any]) -> None:
    assert differences(docs, here) == ()


OLD_ERROR = raised("ValueError", "old")
RAISING = {
    "the same type": ([OLD_ERROR], [raised("ValueError", "new")], []),
    "the same type, qualified": ([raised("jax.errors.Odd")], [raised("Odd")], []),
    "another type": (
        [OLD_ERROR],
        [raised("TypeError")],
        [("ValueError", "TypeError")],
    ),
    "what is printed before": ([stream("1"), OLD_ERROR], [stream("2"), OLD_ERROR], []),
    "no exception": ([OLD_ERROR], [stream("1")], [("ValueError", "")]),
    "no stored exception": ([stream("1")], [OLD_ERROR], []),
}


@pytest.mark.parametrize(("docs", "here", "expected"), RAISING.values(), ids=RAISING)
def test_of_cells_that_raise_the_type_of_the_exception_counts(
    docs: list[Any], here: list[Any], expected: list[tuple[str, str]]
) -> None:
    run = cell(*here, tags=("raises-exception",))
    assert differences(cell(*docs), run) == tuple(expected)


def test_a_stored_exception_of_a_cell_without_the_tag_is_output() -> None:
    found = differences(cell(OLD_ERROR), cell(stream("1")))
    assert found == (("ValueError", "1"),)


def test_cells_are_code_cells_counted_from_one() -> None:
    title = prose("# Title")
    second = cell(result(["a\n", "b"]))
    docs = notebook_value(title, cell(stream("1")), title, second)
    here = notebook_value(cell(stream(["1\n"])), cell(result("a\nc")))
    assert compare_outputs(docs, here) == (Difference(cell=2, docs="b", here="c"),)


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (2, 2, "a a 1 z z"),
        (5, 100, "a a a a a 1" + " z" * 44 + "…"),
        (100, 100, "…" + "a " * 16 + "1" + " z" * 33 + "…"),
        (100, 3, "…" + "a " * 46 + "1 z z z"),
    ],
)
def test_long_lines_are_cut_to_what_differs(before: int, after: int, shown: str) -> None:
    docs, here = (
        cell(stream(f"first\n{'a ' * before}{number}{' z' * after}\nlast")) for number in (1, 2)
    )
    assert differences(docs, here) == ((shown, shown.replace("1", "2")),)
    assert len(shown) <= 102


@given(st.text())
def test_a_text_equals_itself_however_it_is_printed(text: str) -> None:
    assert differences(cell(stream(text)), cell(result(text))) == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    "a+|ab/cd+e|{|{1,|cpu_0(|cpu_0((a)|Cell In [|1|1 |CpuDevice(id=1(".split("|"),
)
def test_long_outputs_take_time_in_proportion(text: str) -> None:
    start = time.process_time()
    differences(cell(stream(text * 5_000)), cell(stream(text * 5_000 + " x")))
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "at /tmp/nb-iu36xs7o/p-z5psr3tq/tmp/ipykernel_13669/4102.py:4:10 (f)",
            "at /tmp/ipykernel/4102.py:4:10 (f)",
        ),
        ("/var/folders/x/nb-abcdefg_/p-12345678/tmp/trace.json", "/tmp/trace.json"),
        (
            'File "/home/me/.venv-1/lib/python3.12/site-packages/jax/_src/core.py", line 3',
            'File "site-packages/jax/_src/core.py", line 3',
        ),
        ("/usr/lib/python3/dist-packages/numpy/a.py:1", "site-packages/numpy/a.py:1"),
        (
            "\x1b[0;32m/opt/py/lib/python3.11/runpy.py\x1b[0m:88",
            "\x1b[0;32mlib/python3.11/runpy.py\x1b[0m:88",
        ),
        *(
            (f"/srv/docs/{ours}", ours)
            for ours in (
                "pipeline/adapters/kernel/launch.py:3",
                "pipeline/adapters/kernel/start-up/pipeline_startup.py:3",
            )
        ),
        (
            "/tmp/nb-abcdefgh/p-12345678/startup/00-quiet.py:3",
            "/startup/00-quiet.py:3",
        ),
        (["/x/site-packages/a\n", "b/c"], ["site-packages/a\n", "b/c"]),
    ],
)
def test_places_of_the_machine_are_hidden(text: object, expected: object) -> None:
    assert portable(text) == expected
    assert portable(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a/b, 1/2 and https://example.org/site-packages",
        "/tmp/mnist/data",
        "nothing",
        3,
    ],
)
def test_other_places_stay(text: object) -> None:
    assert portable(text) == text


def test_only_text_changes() -> None:
    def outputs(text: str) -> list[dict[str, object]]:
        """Outputs with ``text`` in all places of text, and a path everywhere else."""
        data = {"text/html": text, "image/png": path}
        return [
            {"output_type": "stream", "name": path, "text": [text]},
            {"output_type": "error", "ename": "E", "evalue": text, "traceback": [text]},
            {"output_type": "display_data", "metadata": {}, "data": data},
        ]

    path = "/x/site-packages/y"
    assert list(map(portable_output, outputs(path))) == outputs("site-packages/y")
