"""``check`` on files of the memory: with the English that is at hand, and without any."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

from pipeline.cli import main

Speech = pytest.CaptureFixture[str]


def checked(capsys: Speech, *words: str) -> dict[str, Any]:
    """The result of ``check`` as JSON."""
    capsys.readouterr()
    main(["check", *words, "--json"])
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def codes(capsys: Speech, *words: str) -> list[str]:
    """The codes of what it tells, but for notes."""
    return [
        mistake["code"]
        for mistake in checked(capsys, *words)["mistakes"]
        if mistake["severity"] != "note"
    ]


@pytest.fixture
def memory(project: Path) -> Path:
    """The memory of a page of the sample."""
    return project / "translations" / "memory" / "zh_CN" / "sample" / "faq.po"


def without_english(project: Path) -> None:
    """Take away whatever the English of the sample could be found in."""
    shutil.rmtree(project / "upstream" / "sample")
    shutil.rmtree(project / "translations" / "zh_CN" / "sample")


def spoil(path: Path, old: str, new: str) -> int:
    """Replace a piece of a translation once; the line of its entry."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    msgid = text[: text.index(old)].rindex("\nmsgid ") + 1
    return text.count("\n", 0, msgid) + 1


def test_the_memory_of_the_sample_is_without_mistakes(
    project: Path, capsys: Speech
) -> None:
    for take_away in (None, without_english):
        if take_away:
            take_away(project)
        result = checked(capsys, "translations/memory")
        assert (result["files"], result["entries"]) == (11, 292)
        assert codes(capsys, "translations/memory", "--strict") == []


@pytest.mark.parametrize("taken", [None, "upstream/sample", "translations/zh_CN"])
def test_the_english_comes_from_the_docs_or_the_working_catalogue(
    project: Path, memory: Path, taken: str | None, capsys: Speech
) -> None:
    if taken:
        shutil.rmtree(project / taken)
    line = spoil(memory, "`float32`", "`float23`")
    (mistake,) = [
        mistake
        for mistake in checked(capsys, str(memory))["mistakes"]
        if mistake["severity"] == "error"
    ]
    assert (mistake["code"], mistake["line"]) == ("M201", line)
    assert mistake["file"] == "translations/memory/zh_CN/sample/faq.po"
    assert "`float32`" in mistake["msgid"]
    assert mistake["fixed"] is None


def test_without_english_only_the_text_is_looked_at(
    project: Path, memory: Path, capsys: Speech
) -> None:
    without_english(project)
    spoil(memory, "`float32`", "`float23`")
    assert codes(capsys, str(memory)) == []
    line = spoil(memory, "。", ".")
    (mistake,) = checked(capsys, str(memory))["mistakes"]
    assert (mistake["code"], mistake["line"], mistake["msgid"]) == ("M402", line, "")


def test_a_placeholder_that_does_not_fit_is_told(memory: Path, capsys: Speech) -> None:
    line = spoil(memory, "。", "⟦7⟧。")
    (mistake,) = checked(capsys, str(memory))["mistakes"]
    assert (mistake["code"], mistake["severity"]) == ("M607", "error")
    assert mistake["line"] == line


def test_fix_leaves_the_memory_to_build(memory: Path, capsys: Speech) -> None:
    spoil(memory, "。", ".")
    before = memory.read_bytes()
    assert main(["check", "--fix", str(memory), "--strict"]) == 1
    assert memory.read_bytes() == before


def test_what_a_catalogue_tells_is_not_told_of_its_memory_again(
    project: Path, memory: Path, capsys: Speech
) -> None:
    catalog = project / "translations" / "zh_CN" / "sample" / "faq.po"
    for path in (memory, catalog):
        spoil(path, "`float32`", "`float23`")
    assert codes(capsys, "translations").count("M201") == 1
    assert codes(capsys, str(memory)).count("M201") == 1


def test_a_broken_catalogue_or_page_is_no_help_and_no_harm(
    project: Path, memory: Path, capsys: Speech
) -> None:
    (project / "translations" / "zh_CN" / "sample" / "faq.po").write_bytes(b'msgid "')
    (project / "upstream" / "sample" / "faq.md").write_bytes(b"\xff\xfe")
    assert codes(capsys, str(memory)) == []


def test_a_memory_that_cannot_be_read_is_told(memory: Path, capsys: Speech) -> None:
    memory.write_bytes(b'msgid "unfinished\n')
    assert main(["check", str(memory)]) == 4
    assert "M601" in capsys.readouterr().out


def test_the_hook_of_the_project_runs_on_catalogues_and_memory_files() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"files: (\S+\.po\$)", text)
    for path in (
        "translations/zh_CN/sample/faq.po",
        "translations/memory/zh_CN/jax/index.po",
    ):
        assert (ROOT / path).is_file()
        assert re.match(pattern, path)
    assert not re.match(pattern, "tests/commands/others/po/fr.po")
