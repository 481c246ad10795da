"""``cache`` and ``report`` as people run them, and where a run tells of itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pipeline.adapters.execution_cache import ExecutionCache
from pipeline.cli import main
from pipeline.paths import Paths

Speech = pytest.CaptureFixture[str]


def test_the_cache_is_told_proved_and_forgotten(project: Path, capsys: Speech) -> None:
    assert main(["cache", "stats"]) == 0
    assert "0 entries, 0.0 MiB of 2048.0 MiB" in capsys.readouterr().out
    cache = ExecutionCache(Paths(project, "sample").outputs, limit=1 << 20)
    cache.put("a" * 64, b'{"damaged": true}')
    assert main(["cache", "verify"]) == 1
    assert "1 of 1 entries were damaged and are removed" in capsys.readouterr().out
    assert main(["cache", "verify"]) == 0
    cache.put("b" * 64, b"{}")
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out.endswith("1 entries removed, 0.0 MiB\n")
    assert cache.all_keys() == ()


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("{", "r.json: is not valid JSON"),
        ("[]", "r.json: is not a report"),
        ("{}", "is not a report of this version"),
    ],
)
def test_what_is_no_report_is_refused(
    project: Path, capsys: Speech, content: str, what: str
) -> None:
    Path("r.json").write_text(content, encoding="utf-8")
    assert main(["report", "merge", "r.json"]) == 4
    assert what in capsys.readouterr().err


@pytest.mark.kernel
def test_a_run_tells_of_itself_and_its_reports_are_merged(
    project: Path, capsys: Speech, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = project / "summary.md"
    summary.write_text("from another step\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert main(["sync", "sample", "--pages", "grad", "--shard", "1/1"]) == 0
    capsys.readouterr()
    said = summary.read_text(encoding="utf-8")
    assert said.startswith("from another step\n")
    assert "passed" in said
    assert "<html" in (project / "build" / "report.html").read_text(encoding="utf-8")
    shutil.move(project / "build" / "report.json", "part.json")
    assert main(["report", "merge", "part.json"]) == 0
    assert "1 passed" in capsys.readouterr().out
    merged = json.loads((project / "build" / "report.json").read_bytes())
    assert ("shard" in merged, merged["executed"]["passed"]["pages"]) == (False, 1)
