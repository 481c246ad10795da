"""``site`` as people run it: what it says of what it has written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from folders import snapshot, write_tree
from in_process import command

SITE = Path("build/site/sample")


def translate(page: str, old: str, new: str) -> None:
    """Replace one line of a catalogue."""
    path = Path(f"translations/zh_CN/sample/{page}.po")
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


@pytest.mark.slow
def test_a_new_title_is_written_and_told(project: Path) -> None:
    """It stands in the navigation of every page: "nothing to write" would be wrong."""
    start = "# Start\n\n```{toctree}\nguide\n```\n\nWords.\n"
    files = {"index.md": start, "guide.md": "# Guide\n\nMore words.\n"}
    write_tree(project / "docs", files)
    words = "site sample --no-execute -v"
    command("pull sample --upstream docs -q")
    assert "look at build/site/sample/index.html\n" in command(words).err

    before = snapshot(Path("build"))
    assert "nothing to write: everything is up to date" in command(words).err
    assert snapshot(Path("build")) == before

    translate("guide", 'msgid "Guide"\nmsgstr ""', 'msgid "Guide"\nmsgstr "指南"')
    before = snapshot(SITE)
    said = command(words).err
    told = set(re.findall(rf"wrote {SITE}/(\S+)", said))
    after = snapshot(SITE)
    assert told == {path for path in after if after[path] != before.get(path)}
    assert "index.html" in told
    assert "nothing to write" not in said


@pytest.mark.slow
def test_a_site_of_some_pages_is_a_part_of_the_whole_one(project: Path) -> None:
    words = "site sample --no-execute -q"
    command("pull sample -q")
    command(words)
    before = snapshot(SITE)
    # "reference" shows docstrings, and "tour.level" those of another page.
    for few in ("grad", "reference", "_api/_autosummary/*"):
        command(f"{words} --pages {few}")
        assert snapshot(SITE) == before
    translate("grad", 'msgstr "梯度"', 'msgstr "求梯度"')
    command(f"{words} --pages guides/*")
    assert "求梯度" not in (SITE / "grad.html").read_text("utf-8")
    command(f"{words} --pages grad")
    assert "求梯度" in (SITE / "grad.html").read_text("utf-8")
