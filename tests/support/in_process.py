"""Runner of commands in this process, in which the package and Sphinx are loaded already."""

from __future__ import annotations

import io
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from places import ROOT

from pipeline.cli import main


def run_in(root: Path, *words: str, **environment: str) -> CompletedProcess[str]:
    """Run a command in the project at ``root``, like ``python -m pipeline``. Return its result."""
    out, err = _stream(), _stream()
    with (
        pytest.MonkeyPatch.context() as patch,
        chdir(root),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        # What it starts imports the package, too.
        for name, value in {"PYTHONPATH": str(ROOT), **environment}.items():
            patch.setenv(name, value)
        code = main(words)
    return CompletedProcess(words, code, _text_of(out), _text_of(err))


def _stream() -> io.TextIOWrapper:
    """Return a stream that is not a terminal."""
    return io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)


def _text_of(stream: io.TextIOWrapper) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")
