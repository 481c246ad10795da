"""One door to stdout and stderr: whatever a text says, it drives no terminal and no runner."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from places import ROOT

from pipeline import cli
from pipeline.commands import console
from pipeline.errors import InputError
from pipeline.log import Log, write_json, write_text

PACKAGE = ROOT / "pipeline"
# Functions that may be handed a stream: those of the door, and what only asks about it.
_DOOR = {*"write_text write_json write_raw has_colours is_terminal".split()}
_WRITING = {*"print_exc print_exception StreamHandler basicConfig".split()}
_STREAMS = {*"sys.stdout sys.stderr sys.__stdout__ sys.__stderr__".split()}
# Why each of these may write by itself.
_OTHERS = {
    "log.py": "the door",
    "__main__.py": "runs before the door can be imported, and says words of ours",
    "adapters/reference_child.py": "answers its parent, which reads JSON",
    "adapters/kernel/start-up": "code for kernels, whose streams are outputs",
}

HOSTILE = (
    "\n::error::x",
    "a\n  ::set-env name=PATH::x",
    "a ##[error]x",
    "a\r::error::x",
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;https://evil.example\x07x",
    "a\x9b2Jb",
    "a\u2028::error::x",
    "a\u202eb",
    "a\ud800b",
    "a\n\u3000::warning::x",
)
_LIVE = re.compile(
    r"(?m)^\s*::|##\[|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e\ud800]|(?:^|\u2028)::"
)


def streams_used(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that use a standard stream in another way than to hand it to the door."""
    handed: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if name in _DOOR:
                handed.update(node.args)
            if name in _WRITING or ast.unparse(node.func) == "print":
                yield node.lineno
        # sys.stdout.isatty() only asks.
        if isinstance(node, ast.Attribute) and node.attr == "isatty":
            handed.add(node.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node not in handed:
            words = ast.unparse(node)
            if words in _STREAMS or words.endswith((".stream.write", ".stream.flush")):
                yield node.lineno


def test_nothing_else_writes_to_the_streams() -> None:
    found: list[str] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith(tuple(_OTHERS)):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [f"{name}:{line}" for line in streams_used(tree)]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "print('a')",
        "sys.stderr.write('a')",
        "log.stream.write('a')",
        "stream = sys.stdout",
        "traceback.print_exc()",
        "logging.basicConfig()",
    ],
)
def test_the_test_sees_what_it_looks_for(code: str) -> None:
    assert list(streams_used(ast.parse(code)))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_is_shown_and_not_obeyed(text: str) -> None:
    plain, styled, noted, data = StringIO(), StringIO(), StringIO(), StringIO()
    write_text(plain, f"{text}\n")
    write_text(styled, f"{text}\n", styled=True)
    Log(stream=noted, environ={"GITHUB_ACTIONS": "true"}).note(text)
    write_json(data, json.dumps({"text": text}, ensure_ascii=False, indent=1))
    colourless = re.sub(r"\x1b\[[0-9;]*m", "", styled.getvalue())
    for said in (plain.getvalue(), colourless, noted.getvalue(), data.getvalue()):
        assert not _LIVE.search(said.rstrip("\n"))
    assert json.loads(data.getvalue()) == {"text": text}


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("error", [InputError, ValueError, ImportError])
def test_an_error_is_shown_and_not_obeyed(
    text: str,
    error: type[Exception],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise error(text)

    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setattr("pipeline.commands.pull.sync", fail)
    for word in "-q", "-v", "--json", text:
        assert cli.main(("sync", "--config", str(ROOT / "pyproject.toml"), word)) != 0
    said = capfd.readouterr()
    assert not _LIVE.search(said.out + said.err)


def test_output_that_nobody_reads_is_no_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    console.print_text("a")
    with (tmp_path / "ascii").open("w", encoding="ascii") as stream:
        write_text(stream, "水")
    assert (tmp_path / "ascii").read_text("ascii") == r"\u6c34"
