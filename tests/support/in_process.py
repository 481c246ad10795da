"""Runner of commands in this process, in which the package and Sphinx are loaded already."""

from __future__ import annotations

import io
import json
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from msgspec import Struct
from places import ROOT

from pipeline.cli import main


class Told(Struct, frozen=True):
    """Output and exit code of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.out)
        return value


def command(line: str, *words: str | Path, code: int | None = 0, root: Path = Path()) -> Told:
    """Run a command, by default in the current folder. It must end with ``code``, if not None.

    The words of ``line`` come before ``words``, which may have spaces.
    """
    done = run_in(root, *line.split(), *map(str, words))
    assert code in (done.returncode, None), (done.returncode, done.stdout, done.stderr)
    return Told(done.returncode, done.stdout, done.stderr)


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
