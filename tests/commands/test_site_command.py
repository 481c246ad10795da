"""``site`` as people run it: what it says of what it has written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.cli import main

Speech = pytest.CaptureFixture[str]


def stamps(folder: Path) -> dict[Path, int]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path: path.stat().st_mtime_ns for path in files}


@pytest.mark.slow
def test_a_new_title_is_written_and_told(project: Path, capsys: Speech) -> None:
    """It stands in the navigation of every page: "nothing to write" would be wrong."""
    docs = project / "docs"
    docs.mkdir()
    contents = "# Start\n\n```{toctree}\nguide\n```\n\nWords.\n"
    (docs / "index.md").write_text(contents, "utf-8")
    (docs / "guide.md").write_text("# Guide\n\nMore words.\n", "utf-8")
    site = project / "build" / "site" / "sample"
    words = ["site", "sample", "--no-execute", "-v"]
    assert main(["pull", "sample", "--upstream", "docs", "-q"]) == 0
    assert main(words) == 0
    assert "look at build/site/sample/index.html\n" in capsys.readouterr().err

    before = stamps(project / "build")
    assert main(words) == 0
    assert "nothing to write: everything is up to date" in capsys.readouterr().err
    assert stamps(project / "build") == before

    catalog = project / "translations" / "zh_CN" / "sample" / "guide.po"
    text = catalog.read_text("utf-8")
    assert 'msgid "Guide"\nmsgstr ""' in text
    catalog.write_text(
        text.replace('msgid "Guide"\nmsgstr ""', 'msgid "Guide"\nmsgstr "指南"'),
        "utf-8",
    )
    before = stamps(site)
    assert main(words) == 0
    said = capsys.readouterr().err
    told = {project / name for name in re.findall(r"wrote (build/site/\S+)", said)}
    after = stamps(site)
    assert told == {path for path in after if after[path] != before.get(path)}
    assert site / "index.html" in told
    assert "nothing to write" not in said


@pytest.mark.slow
def test_a_site_of_some_pages_is_a_part_of_the_whole_one(project: Path) -> None:
    words = ["site", "sample", "--no-execute", "-q"]
    assert main(["pull", "sample", "-q"]) == 0
    assert main(words) == 0
    before = stamps(project / "build" / "site")
    # "reference" shows docstrings, and "tour.level" those of another page.
    for few in ("grad", "reference", "_api/_autosummary/*"):
        assert main([*words, "--pages", few]) == 0
        assert stamps(project / "build" / "site") == before
    catalog = project / "translations" / "zh_CN" / "sample" / "grad.po"
    text = catalog.read_text("utf-8")
    assert text.count('msgstr "梯度"') == 1
    catalog.write_text(text.replace('msgstr "梯度"', 'msgstr "求梯度"'), "utf-8")
    assert main([*words, "--pages", "guides/*"]) == 0
    page = project / "build" / "site" / "sample" / "grad.html"
    assert "求梯度" not in page.read_text("utf-8")
    assert main([*words, "--pages", "grad"]) == 0
    assert "求梯度" in page.read_text("utf-8")
