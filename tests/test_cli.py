"""The command line: words in, one exit code out, and messages that say what to do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cases import read_tables
from folders import snapshot, write_tree
from places import ROOT

from pipeline import __version__
from pipeline.cli import COMMANDS, main
from pipeline.commands.console import READ_ONLY_COMMANDS

CASES = read_tables(__file__)

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}

Speech = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--help"], [f"\n    {command} " for command in COMMANDS]),
        *(([command, "-h"], ["--locale"]) for command in COMMANDS),
    ],
)
def test_help_names_every_command_and_its_options(
    words: list[str], shown: list[str], capsys: Speech
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert [text for text in shown if text not in said] == []


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_is_told(option: str, capsys: Speech) -> None:
    with pytest.raises(SystemExit) as ended:
        main([option])
    assert ended.value.code == 0
    python = ".".join(map(str, sys.version_info[:3]))
    assert capsys.readouterr().out == f"jax-docs-zh {__version__}, Python {python}\n"


@pytest.mark.parametrize(
    ("arguments", "what", "hint"),
    CASES["wrong_usage_is_told_with_a_way_out"],
)
def test_wrong_usage_is_told_with_a_way_out(
    arguments: list[str], what: str, hint: str, project: Path, capsys: Speech
) -> None:
    before = snapshot(project)
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"error: {what}")
    assert hint in said.err
    assert snapshot(project) == before


@pytest.mark.parametrize("command", ["sync", "build"])
def test_without_running_code_the_preview_is_written_and_told(
    command: str, project: Path, capsys: Speech
) -> None:
    assert main(["pull", "sample", "-q"]) == 0
    # No kernel can be started: there is no program to start.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", "/nowhere/python")
        words = ["--pages", "grad", "index"]
        assert main([command, "sample", "--no-execute", *words]) == 0
    assert "look at build/zh_CN/sample/html/index.html\n" in capsys.readouterr().err
    folder = project / "build" / "zh_CN" / "sample" / "html"
    names = {path.name for path in folder.iterdir()}
    assert names == {"_index.html", "grad.html", "index.html"}
    assert "code was not run" in (folder / "grad.html").read_text("utf-8")
    assert not (project / "build" / "report.html").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "place"),
    [
        (["pull"], "upstream/sample"),
        (["split"], "translations/zh_CN/sample"),
        (["merge"], "build/zh_CN/sample/merged"),
        (["build", "--no-execute"], "build/zh_CN/sample/html/index.html"),
    ],
)
def test_every_run_tells_where_to_look(
    words: list[str], place: str, project: Path, capsys: Speech
) -> None:
    assert main(["pull", "sample", "-q"]) == 0
    command, *options = words
    assert main([command, "sample", *options]) == 0
    assert capsys.readouterr().err.endswith(f"look at {place}\n")
    assert (project / place).exists()
    # A dry run has made nothing.
    assert main([command, "sample", "--check", *options]) == 0
    assert "look at" not in capsys.readouterr().err


@pytest.mark.kernel
def test_sync_runs_the_code_once(project: Path, capsys: Speech) -> None:
    assert main(["sync", "sample", "--pages", "grad"]) == 0
    said = capsys.readouterr()
    assert "1 passed" in said.out
    before = snapshot(project)
    assert main(["sync", "sample", "--pages", "grad"]) == 0
    assert "nothing to write: everything is up to date" in capsys.readouterr().err
    assert snapshot(project) == before


@pytest.mark.slow
def test_json_is_the_report_and_nothing_else(project: Path, capsys: Speech) -> None:
    assert main(["sync", "sample", "--no-execute", "--json"]) == 0
    said = capsys.readouterr().out
    assert said == (project / "build" / "report.json").read_text("utf-8")
    assert json.loads(said)["upstream"]["name"] == "sample"


@pytest.mark.slow
@pytest.mark.parametrize("command", READ_ONLY_COMMANDS)
def test_reading_commands_write_nothing(command: str, synced: Path, capsys: Speech) -> None:
    before = snapshot(synced)
    words = [command, "verify"] if command == "memory" else [command]
    assert main([*words, "sample"]) == 0
    assert "sample (" in capsys.readouterr().out
    assert snapshot(synced) == before


def test_upstream_may_be_any_folder(project: Path, tmp_path: Path, capsys: Speech) -> None:
    write_tree(tmp_path / "clone", {"docs/hello.md": "# Hello\n\nSome words.\n"})
    words = "sync jax --no-execute --json --upstream".split()
    assert main([*words, str(tmp_path / "clone")]) == 0
    (page,) = json.loads(capsys.readouterr().out)["locales"]["zh_CN"]["pages"]
    assert (page["page"], page["messages"], page["words"]) == ("hello", 2, 3)
    lock = (project / "upstream" / "jax.lock").read_text()
    assert str(tmp_path) not in lock, "the lock is committed"


@pytest.mark.slow
def test_quiet_says_nothing_when_all_is_well(project: Path, capsys: Speech) -> None:
    assert main(["sync", "sample", "--no-execute", "-q"]) == 0
    assert capsys.readouterr() == ("", "")


def test_unexpected_error_is_short_without_verbose(capsys: Speech) -> None:
    assert main(["status", "--config", "a\0b"]) == 70
    said = capsys.readouterr().err
    assert "unexpected ValueError" in said
    assert "Run again with -v" in said
    assert "Traceback" not in said
    assert main(["status", "-v", "--config", "a\0b"]) == 70
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_says_so_in_one_line(project: Path, number: signal.Signals) -> None:
    """The command is caught while it waits for its configuration, a pipe that nobody writes to."""
    pipe = project / "wait.toml"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "pipeline", "status", "--config", str(pipe)]
    with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) as process:
        end = open_when_read(pipe)
        said = interrupt(process, number)
    os.close(end)
    assert process.returncode == 130
    hint = "No file was left half-written: run the same command again."
    assert said == f"error: interrupted\n  {hint}\n"


def interrupt(process: subprocess.Popen[str], number: signal.Signals) -> str:
    """What ``process`` says when it is sent ``number``.

    It is sent again if that came just before a system call, which goes on to wait.
    """
    for _ in range(10):
        process.send_signal(number)
        try:
            return process.communicate(timeout=5)[1]
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    return process.communicate()[1]


def open_when_read(pipe: Path) -> int:
    """Open ``pipe`` for writing as soon as somebody reads it."""
    for _ in range(1000):
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.02)
    raise TimeoutError(pipe)


@pytest.mark.slow
@pytest.mark.parametrize("redirect", ["| true", ">&-"])
def test_nobody_reads_the_result(synced: Path, redirect: str) -> None:
    status = f"{sys.executable} -m pipeline status sample --json {redirect}"
    command = ["bash", "-c", f"set -o pipefail; {status}"]
    ended = subprocess.run(command, env=ENVIRONMENT, check=True, stderr=subprocess.PIPE)
    assert b"rror" not in ended.stderr


def test_words_and_options_stand_in_any_order(
    capsys: Speech, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path, {"page.po": 'msgid "Tea."\nmsgstr "茶。"\n'})
    monkeypatch.chdir(tmp_path)
    main(["check", "page.po", "--json", "-v", "page.po"])
    said = capsys.readouterr().out
    main(["check", "-v", "page.po", "page.po", "--json"])
    assert capsys.readouterr().out == said != ""


@pytest.mark.parametrize(
    ("line", "some", "none"),
    [
        ("jax-docs-zh s", {"sync", "split", "site", "status", "serve"}, {"pull"}),
        ("jax-docs-zh pull --r", {"--ref"}, {"--retry-failed"}),
        ("jax-docs-zh execute --r", {"--retry-failed"}, {"--ref"}),
    ],
)
def test_a_shell_completes_commands_and_options(
    line: str, some: set[str], none: set[str], tmp_path: Path
) -> None:
    answer = tmp_path / "answer"
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    program = [sys.executable, "-m", "pipeline"]
    subprocess.run(program, env=ENVIRONMENT | asked, check=False, timeout=60)
    words = {word.strip() for word in answer.read_text("utf-8").split("\v")}
    assert some <= words
    assert not none & words
