"""Outputs without the folders of one machine."""

from __future__ import annotations

import pytest

from pipeline.core.execution.outputs import portable, portable_outputs


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
        (
            "/srv/docs/pipeline/adapters/kernel/launch.py:3",
            "pipeline/adapters/kernel/launch.py:3",
        ),
        (
            "/srv/docs/pipeline/adapters/kernel/start-up/pipeline_startup.py:3",
            "pipeline/adapters/kernel/start-up/pipeline_startup.py:3",
        ),
        (
            "/tmp/nb-abcdefgh/p-12345678/startup/00-quiet.py:3",
            "/startup/00-quiet.py:3",
        ),
        (
            "a/b, 1/2 and https://example.org/site-packages",
            "a/b, 1/2 and https://example.org/site-packages",
        ),
        ("/tmp/mnist/data", "/tmp/mnist/data"),
        ("nothing", "nothing"),
        (["/x/site-packages/a\n", "b/c"], ["site-packages/a\n", "b/c"]),
        (3, 3),
    ],
)
def test_places_of_the_machine_are_hidden(text: object, expected: object) -> None:
    assert portable(text) == expected
    assert portable(portable(text)) == expected


def test_only_text_changes() -> None:
    path = "/x/site-packages/y"
    outputs: list[dict[str, object]] = [
        {"output_type": "stream", "name": path, "text": [path]},
        {"output_type": "error", "ename": "E", "evalue": path, "traceback": [path]},
        {
            "output_type": "display_data",
            "metadata": {},
            "data": {"text/html": path, "image/png": path},
        },
    ]
    short = "site-packages/y"
    assert portable_outputs(outputs) == [
        {"output_type": "stream", "name": path, "text": [short]},
        {"output_type": "error", "ename": "E", "evalue": short, "traceback": [short]},
        {
            "output_type": "display_data",
            "metadata": {},
            "data": {"text/html": short, "image/png": path},
        },
    ]
