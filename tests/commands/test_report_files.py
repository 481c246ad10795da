"""Where a run tells of itself."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from in_process import command
from notebooks import code, notebook, prose


@pytest.mark.slow
@pytest.mark.usefixtures("plainly")
def test_a_run_tells_of_itself(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = project / "summary.md"
    summary.write_text("from another step\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    docs = project / "docs"
    docs.mkdir()
    (docs / "page.ipynb").write_text(notebook(code("1")), "utf-8")
    command("sync sample --upstream docs")
    said = summary.read_text(encoding="utf-8")
    assert said.startswith("from another step\n")
    assert "passed" in said
    assert "<html" in (project / "build" / "report.html").read_text(encoding="utf-8")
    report = json.loads((project / "build" / "report.json").read_bytes())
    assert report["executed"]["passed"]["pages"] == 1


@pytest.mark.slow
@pytest.mark.usefixtures("plainly")
def test_a_failure_names_its_cell_in_one_way_everywhere(project: Path) -> None:
    """It is the way ``until`` counts: with that number the page ends before the cell."""
    docs = project / "docs"
    docs.mkdir()
    cells = (prose("Words."), code("1"), prose("More words."), code("[][1]"))
    (docs / "page.ipynb").write_text(notebook(*cells), "utf-8")
    said = command("sync sample --upstream docs --summary s.md", code=6)
    told = {"stdout": said.out, "stderr": said.err}
    for name in ("s.md", "build/report.html", "build/junit.xml", "build/report.json"):
        told[name] = Path(name).read_text("utf-8")
    assert [name for name, text in told.items() if "code cell 2" not in text] == []
    other_ways = re.compile(r"(?<!code )\bcell \d")
    assert {name: other_ways.findall(text) for name, text in told.items()} == {
        name: [] for name in told
    }
    failures = json.loads(told["build/report.json"])["locales"]["zh_CN"]["pages"]
    assert failures[0]["execution"]["failure"]["cell"] == 2
    with Path("pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(
            "[[tool.pipeline.upstreams.sample.run]]\n"
            'pages = ["page"]\nreason = "upstream bug"\nuntil = 2\n'
        )
    assert "from code cell 2 on" in command("sync sample --upstream docs").err


@pytest.mark.usefixtures("plainly")
def test_plain_pages_have_no_code_cells(project: Path) -> None:
    """Literal blocks of a reST page are no code cells."""
    docs = project / "docs"
    docs.mkdir()
    (docs / "plain.rst").write_text("Title\n=====\n\nWords::\n\n  1 / 0\n", "utf-8")
    (docs / "also.md").write_text("# Title\n\n```{code-cell}\n1 / 0\n```\n", "utf-8")
    (docs / "page.ipynb").write_text(notebook(code("1")), "utf-8")
    command("sync sample --upstream docs")
    rows = json.loads(Path("build/report.json").read_bytes())["locales"]["zh_CN"]
    assert {row["page"]: row["code_cells"] for row in rows["pages"]} == {
        "also": 0,
        "page": 1,
        "plain": 0,
    }
